"""Figures against closed forms, brute force and an independent mesh library."""

import dataclasses

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from methods.core.errors import BadInput
from methods.superquadrics import metrics
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.quick_metrics import evaluate_quickly
from methods.superquadrics.surface import part_mesh
from methods.superquadrics.surface_distance import distances_to_shape, outer_mesh, part_distances
from methods.superquadrics.target import Target
from methods.superquadrics.union import occupancy, sample_union, union_mesh

SHARP = (0.02, 0.02)


def rng(seed=0):
    return np.random.default_rng(seed)


def ball(radius=1.0, at=(0, 0, 0), **more):
    return Superquadric(at, size=(radius,) * 3, **more)


def slab(size, at=(0, 0, 0), **more):
    return Superquadric(at, size=tuple(s / 2 for s in size), exponents=SHARP, **more)


def box_target(size=(1.0, 1.0, 1.0), at=(0, 0, 0), name="box"):
    mesh = trimesh.creation.box(size)
    return Target(name, mesh.vertices + np.asarray(at), mesh.faces)


def ball_target(radius=1.0, at=(0, 0, 0)):
    mesh = trimesh.creation.icosphere(subdivisions=5, radius=radius)
    return Target("ball", mesh.vertices + np.asarray(at), mesh.faces)


def cluttered(seed=0, count=8, scale=1.0):
    random = rng(seed)
    return Shape(
        tuple(
            Superquadric(
                tuple(scale * random.uniform(-0.5, 0.5, 3)),
                tuple(random.normal(size=4)),
                tuple(scale * random.uniform(0.08, 0.4, 3)),
                tuple(random.uniform(0.1, 1.6, 2)),
            )
            for _ in range(count)
        )
    )


def test_a_shape_against_itself_is_perfect():
    shape = Shape((ball(0.7), slab((2.0, 0.4, 0.3))))
    figures = metrics.evaluate(shape, Target("self", *union_mesh(shape, 192)), rng(), points=4000)
    assert figures.iou > 0.998
    assert figures.chamfer_rel < 1e-4
    assert figures.f_score == figures.coverage == figures.precision == 1.0


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("unit", [1.0, 1e3, 1e-4])
def test_concentric_balls_have_closed_forms(offset, unit):
    at = (offset,) * 3
    target = ball_target(1.0 * unit, at)
    shape = Shape((ball(1.1 * unit, at),))
    figures = metrics.evaluate(shape, target, rng(), points=4000, threshold_rel=0.05)
    assert figures.chamfer_fit_to_target == pytest.approx(0.1 * unit, rel=0.01)
    assert figures.chamfer_target_to_fit == pytest.approx(0.1 * unit, rel=0.01)
    assert figures.chamfer_rel == pytest.approx(0.1 / np.sqrt(12), rel=0.01)
    assert figures.iou == pytest.approx(1 / 1.1**3, abs=0.004)
    assert figures.f_score == 1.0  # 5 % of 3.46 is 0.17
    assert figures.max_fit_to_target == pytest.approx(0.1 * unit, rel=0.05)
    assert figures.diagonal == pytest.approx(np.sqrt(12) * unit, rel=1e-3)
    assert figures.residual_per_part == {1: pytest.approx(0.1 * unit, rel=0.01)}


@pytest.mark.parametrize("shift", [(0.25, 0, 0), (0.1, -0.2, 0.3), (1.5, 0, 0), (0, 0, -0.99)])
def test_the_iou_of_two_boxes_has_a_closed_form(shift):
    shape = Shape((slab((1, 1, 1), shift),))
    shared = np.prod(np.maximum(1 - np.abs(shift), 0))
    expected = shared / (2 - shared)
    assert metrics.iou(shape, box_target()) == pytest.approx(expected, abs=0.004)


@pytest.mark.parametrize("factor", [0.3, 3.0, 30.0])
def test_the_iou_is_right_when_sizes_differ(factor):
    shape = Shape((slab((factor,) * 3),))
    expected = min(factor, 1 / factor) ** 3
    assert metrics.iou(shape, box_target()) == pytest.approx(expected, rel=0.03)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_iou_agrees_with_brute_force(seed):
    shape, other = cluttered(seed, 4), cluttered(seed + 1, 3)
    vertices, faces, _ = outer_mesh(other)
    target = Target("other", vertices, faces)
    low = np.minimum(shape.bounds()[0], target.bounds[0])
    high = np.maximum(shape.bounds()[1], target.bounds[1])
    points = rng(1).uniform(low, high, (100_000, 3))
    mine, theirs = occupancy(shape, points), target.occupancy(points)
    expected = (mine & theirs).sum() / (mine | theirs).sum()
    spread = np.sqrt(expected * (1 - expected) / (mine | theirs).sum())
    assert metrics.iou(shape, target) == pytest.approx(expected, abs=5 * spread + 0.003)


def test_thin_plates_are_measured_across_not_along():
    """The radial distance would be up to 20 times too large here."""
    target = box_target((1.0, 1.0, 0.02))
    figures = metrics.evaluate(Shape((slab((1.0, 1.0, 0.03)),)), target, rng(), points=4000)
    assert figures.chamfer_fit_to_target == pytest.approx(0.005, rel=0.1)
    assert figures.chamfer_target_to_fit == pytest.approx(0.005, rel=0.1)
    quick = evaluate_quickly(Shape((slab((1.0, 1.0, 0.03)),)), target)
    assert quick.chamfer_target_to_fit == pytest.approx(0.005, rel=0.15)


def test_a_missing_leg_is_not_covered():
    top, leg = box_target((1, 1, 0.1), (0, 0, 0.5)), box_target((0.05, 0.05, 0.9), (0.4, 0.4, 0))
    count = len(top.vertices)
    target = Target(
        "table", np.concatenate([top.vertices, leg.vertices]), np.concatenate([top.faces, leg.faces + count])
    )
    figures = metrics.evaluate(Shape((slab((1, 1, 0.1), (0, 0, 0.5)),)), target, rng())
    leg_share = (4 * 0.05 * 0.9 + 2 * 0.05**2) / (4 * 0.05 * 0.9 + 2 * 0.05**2 + 2 + 0.4)
    assert 1 - figures.coverage == pytest.approx(leg_share, abs=0.01)
    assert figures.precision == 1.0
    assert figures.max_target_to_fit > 0.85


def test_walls_inside_the_target_do_not_count():
    """Two boxes that overlap by half: a perfect fit of their union covers all of it."""
    left, right = box_target(at=(-0.25, 0, 0)), box_target(at=(0.25, 0, 0))
    vertices = np.concatenate([left.vertices, right.vertices])
    target = Target("two boxes", vertices, np.concatenate([left.faces, right.faces + 8]))
    figures = metrics.evaluate(Shape((slab((1.5, 1, 1)),)), target, rng(), points=4000)
    assert figures.coverage > 0.999 and figures.chamfer_target_to_fit < 0.002
    assert figures.hidden_share == pytest.approx(2 / 12, abs=0.01)
    assert figures.iou > 0.99


def test_residuals_tell_the_parts_apart_and_hidden_parts_are_absent():
    parts = (slab((1, 1, 1), id=5), ball(0.1, (0.9, 0, 0), id=9), ball(0.2, id=7))
    figures = metrics.evaluate(Shape(parts), box_target(), rng(), points=4000)
    assert set(figures.residual_per_part) == {5, 9}
    assert figures.residual_per_part[5] < 0.002
    assert figures.residual_per_part[9] == pytest.approx(0.4, abs=0.03)


def test_display_flags_change_nothing():
    shape = cluttered(3)
    flagged = shape.with_parts(dataclasses.replace(p, visible=False, color="#000000") for p in shape.parts)
    target = box_target()
    one, two = (metrics.evaluate(s, target, rng(), points=1000).to_dict() for s in (shape, flagged))
    assert one == two


def test_clouds_have_no_iou():
    cloud = Target("cloud", trimesh.creation.icosphere(subdivisions=5).vertices)
    figures = metrics.evaluate(Shape((ball(1.0),)), cloud, rng(), points=4000)
    assert figures.iou is None
    assert figures.chamfer_target_to_fit < 1e-3
    assert figures.chamfer_fit_to_target < 0.03  # about the spacing of the points
    assert evaluate_quickly(Shape((ball(1.0),)), cloud).iou is None


def test_open_sheets_have_no_iou():
    sheet = Target("sheet", np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]]), [[0, 1, 2], [0, 2, 3]])
    figures = metrics.evaluate(Shape((ball(0.5),)), sheet, rng(), points=1000)
    assert figures.iou is None and evaluate_quickly(Shape((ball(0.5),)), sheet).iou is None


def test_an_empty_shape_is_refused():
    for measure in (
        lambda: metrics.evaluate(Shape(()), box_target(), rng()),
        lambda: evaluate_quickly(Shape(()), box_target()),
        lambda: distances_to_shape(np.zeros((1, 3)), Shape(())),
    ):
        with pytest.raises(BadInput, match="no parts"):
            measure()


def test_the_json_form_is_plain():
    import json

    figures = metrics.evaluate(Shape((ball(0.5),)), box_target(), rng(), points=1000)
    facts = json.loads(json.dumps(figures.to_dict()))
    assert facts["iou"] == figures.iou and facts["residual_per_part"].keys() == {"1"}
    assert not any(key.endswith("distances") for key in facts)


def test_the_same_seed_gives_the_same_figures():
    shape, target = cluttered(1), box_target()
    one, two = (metrics.evaluate(shape, target, rng(4), points=1000).to_dict() for _ in range(2))
    assert one == two


# -------------------------------------------------------------------------------- distance to the shape


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e3, 1e-3]))
def test_the_distance_to_a_union_agrees_with_dense_samples(seed, scale):
    shape = cluttered(seed, 6, scale)
    points = rng(seed).uniform(-scale, scale, (300, 3))
    surface, _, _ = sample_union(shape, 40_000, rng(seed))
    dense = cKDTree(surface).query(points)[0]
    spacing = 0.03 * scale
    distance = distances_to_shape(points, shape)
    assert (distance < dense + 0.004 * scale).all()
    assert (distance > dense - spacing).all()
    assert np.abs(distance - dense).mean() < 0.006 * scale


def test_inner_walls_do_not_count():
    shape = Shape((slab((2, 1, 1), (-0.5, 0, 0)), slab((2, 1, 1), (0.5, 0, 0))))
    inside = np.array([[0.49, 0.0, 0.0], [-0.5, 0.1, 0.0], [0, 0, 0]])
    np.testing.assert_allclose(distances_to_shape(inside, shape), [0.5, 0.4, 0.5], atol=0.005)


def test_a_ball_is_measured_within_one_per_cent_of_the_distance():
    direction = rng().normal(size=(600, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    height = np.concatenate([np.linspace(-0.5, 1, 300), np.linspace(-1e-3, 1e-3, 300)])
    distance = distances_to_shape(direction * (1 + height)[:, None], Shape((ball(),)))
    np.testing.assert_allclose(distance, np.abs(height), rtol=0.01, atol=1e-5)


def test_repeated_points_are_measured_once_and_answered_each():
    points = np.repeat(rng().normal(size=(50, 3)), 20, axis=0)
    distance = distances_to_shape(points, Shape((ball(),)))
    np.testing.assert_allclose(distance, np.abs(np.linalg.norm(points, axis=1) - 1), rtol=0.01)


def test_the_outer_mesh_is_closed_and_knows_its_parts():
    shape = cluttered(2, 6)
    vertices, faces, owner = outer_mesh(shape)
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert mesh.is_watertight and mesh.volume > 0
    for position, part in enumerate(shape.parts):
        middle = vertices[faces[owner == position]].mean(axis=1)
        assert len(middle) and np.abs(part_distances(middle, part)).max() < 0.03


def test_distances_of_one_part_are_exact_where_it_is_simple():
    points = rng().normal(size=(500, 3))
    np.testing.assert_allclose(part_distances(points, ball()), np.linalg.norm(points, axis=1) - 1, atol=1e-9)
    beside = np.array([[0.2, 0.1, 0.8], [0.9, -0.2, 0.1], [0.1, 0.1, 0.4]])
    np.testing.assert_allclose(part_distances(beside, slab((1, 1, 1))), [0.3, 0.4, -0.1], atol=1e-6)
    plate = slab((1, 1, 0.03))
    within = np.array([[0.4, 0.4, 0.01], [0.4, -0.1, 0.0], [0.499, 0.1, 0.0]])
    np.testing.assert_allclose(part_distances(within, plate), [-0.005, -0.015, -0.001], atol=1e-6)
    corner = np.array([[1.5, 1.5, 1.5]])  # the first-order distance alone would say 1
    assert part_distances(corner, slab((1, 1, 1)))[0] == pytest.approx(np.sqrt(3), rel=0.02)


# ----------------------------------------------------------------------------------- error maps, quick


def test_error_maps_follow_the_vertices():
    shape = Shape((ball(0.6, id=3), ball(0.2, (1, 0, 0), id=8)))
    target = ball_target(0.5)
    maps = metrics.distances_to_target(shape, target)
    assert set(maps) == {3, 8}
    for part in shape.parts:
        vertices = part_mesh(part, metrics.MAP_RESOLUTION)[0]
        expected = np.abs(np.linalg.norm(vertices, axis=1) - 0.5)
        np.testing.assert_allclose(maps[part.id], expected, atol=2e-3)
    assert metrics.distances_to_target(Shape(()), target) == {}


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 1000))
def test_quick_figures_show_the_tendency(seed):
    original = cluttered(seed, 6)
    vertices, faces, _ = outer_mesh(original)
    target = Target("original", vertices, faces)
    moved = original.with_parts(
        dataclasses.replace(
            p, translation=tuple(np.array(p.translation) + rng(seed + i).normal(size=3) * 0.05)
        )
        for i, p in enumerate(original.parts)
    )
    fine, quick = metrics.evaluate(moved, target, rng(), points=6000), evaluate_quickly(moved, target)
    assert quick.chamfer_rel == pytest.approx(fine.chamfer_rel, rel=0.15)
    assert quick.iou == pytest.approx(fine.iou, abs=0.04)
    assert quick.coverage == pytest.approx(fine.coverage, abs=0.08)
    assert quick.f_score == pytest.approx(fine.f_score, abs=0.08)


def test_quick_figures_survive_parts_that_hide_each_other():
    part = ball(0.5)
    figures = evaluate_quickly(Shape((part, dataclasses.replace(part, size=(0.6,) * 3))), box_target())
    assert set(figures.residual_per_part) == {2}
    twin = evaluate_quickly(Shape((part, part)), box_target())
    assert np.isfinite(twin.chamfer_rel)


def test_cancel_comes_through():
    class Stop(BaseException):
        pass

    def check():
        raise Stop

    with pytest.raises(Stop):
        metrics.evaluate(cluttered(0), ball_target(), rng(), check=check)
