"""The single fit: accuracy on the nine rows, equivariance, options, and bad clouds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.superquadrics import geometry
from methods.superquadrics.benchmark_rows import ROWS, cloud, draw, solid_iou
from methods.superquadrics.fit_one import fit_superquadric
from methods.superquadrics.least_squares import WIDTH, Batch, _evaluate, _moved
from methods.superquadrics.model import Shape, Superquadric, quaternion_to_matrix
from methods.superquadrics.surface import sample_surface


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_is_at_least_as_good_as_ems(row):
    random = rng(11)
    ious = []
    for _ in range(12):
        part = draw(row, random)
        ious.append(solid_iou(part, fit_superquadric(cloud(row, part, random)).part, random))
    _, median, worst = row.ems
    assert np.median(ious) >= median - 1e-3
    assert min(ious) >= max(worst - 1e-3, 0.98 if row.name == "cube" else 0.0)


def batch_of(part):
    return Batch(
        np.array([part.translation]),
        part.rotation_matrix()[None],
        np.array([part.size]),
        np.array([part.exponents]),
        np.array([part.taper]),
    )


PART = Superquadric((0.1, -0.2, 0.3), (0.9, 0.1, -0.3, 0.2), (0.8, 0.5, 0.3), (0.4, 1.3), (0.3, -0.4))


def test_residuals_are_the_first_order_distance_of_the_geometry():
    points = rng(1).normal(size=(300, 3))
    local = PART.to_local(points)
    before_the_tip = np.abs(local[:, 2]) < 1.5 * PART.size[2]
    points, local = points[before_the_tip], local[before_the_tip]
    residual, _ = _evaluate(batch_of(PART), points, jacobian=False)
    expected = geometry.first_order_distance(
        local, np.array(PART.size), np.array(PART.exponents), np.array(PART.taper)
    )
    np.testing.assert_allclose(residual[0], expected, rtol=1e-6)


def test_the_jacobian_agrees_with_finite_differences_on_the_surface():
    points, _ = sample_surface(PART, 60, rng(2))
    batch = batch_of(PART)
    _, jacobian = _evaluate(batch, points, jacobian=True)
    for column in range(WIDTH):
        step = np.zeros((1, WIDTH))
        step[0, column] = 1e-6
        ahead, _ = _evaluate(_moved(batch, step), points, jacobian=False)
        behind, _ = _evaluate(_moved(batch, -step), points, jacobian=False)
        slope = (ahead - behind)[0] / 2e-6
        np.testing.assert_allclose(jacobian[0, :, column], slope, atol=2e-4 * (1 + np.abs(slope).max()))


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_turns_moves_and_scales_with_the_cloud(seed):
    random = rng(seed)
    part = draw(ROWS[0], random)
    points = cloud(ROWS[0], part, random)
    turn = quaternion_to_matrix(random.normal(size=4))
    factor, shift = random.uniform(0.01, 100), random.normal(size=3) * 50
    plain = fit_superquadric(points).part
    moved = fit_superquadric(factor * points @ turn.T + shift).part
    back = geometry.world_gauge((points * 1.2) @ turn.T * factor + shift, Shape((moved,)).parameters())
    here = geometry.world_gauge(points * 1.2, Shape((plain,)).parameters())
    np.testing.assert_allclose(back, here, rtol=1e-3, atol=1e-3)


def test_outliers_are_told_apart_and_counted():
    random = rng(5)
    part = draw(ROWS[0], random)
    surface, _ = sample_surface(part, 700, random)
    low, high = part.bounds()
    noise = random.uniform(low - (high - low) / 2, high + (high - low) / 2, (300, 3))
    found = fit_superquadric(np.vstack([surface, noise]), outliers=0.3)
    assert solid_iou(part, found.part, random) > 0.98
    assert found.inlier_share == pytest.approx(0.7, abs=0.04)


def test_a_taper_is_found_only_when_asked_for():
    part = replace(PART, taper=(0.5, 0.5), exponents=(0.3, 0.4))
    points, _ = sample_surface(part, 1000, rng(6))
    assert fit_superquadric(points).part.taper == (0, 0)
    tapered = fit_superquadric(points, taper=True)
    assert tapered.residual_rms < 0.003
    assert np.abs(tapered.part.taper).max() == pytest.approx(0.5, abs=0.02)


def test_a_round_part_stays_round():
    part = Superquadric(size=(0.4, 0.4, 1.0), exponents=(0.2, 1.0), rotation=(0.7, 0.2, 0.5, 0.1))
    points, normals = sample_surface(part, 4000, rng(7))
    front = normals @ np.array([0.3, 0.9, 0.1]) > 0
    found = fit_superquadric(points[front], normals=normals[front], axisymmetric=True, partial_view=True).part
    assert found.size[0] == pytest.approx(found.size[1])
    assert found.exponents[1] == 1.0
    assert solid_iou(part, found, rng()) > 0.95


def test_half_a_view_is_completed():
    random = rng(8)
    ious = []
    for _ in range(9):
        part = draw(ROWS[0], random)
        points, normals = sample_surface(part, 2000, random)
        seen = normals @ random.normal(size=3) > 0
        found = fit_superquadric(points[seen], normals=normals[seen], partial_view=True)
        ious.append(solid_iou(part, found.part, random))
    assert np.median(ious) > 0.95


def test_large_clouds_are_thinned_and_the_rng_decides_how():
    points, _ = sample_surface(PART, 50_000, rng(9))
    first, second = (fit_superquadric(points, taper=True, rng=rng(1)).part for _ in range(2))
    assert first == second


def test_non_finite_points_are_dropped_and_counted():
    points, _ = sample_surface(Superquadric(size=(1, 0.6, 0.4)), 500, rng(3))
    points[[3, 77]] = np.nan
    found = fit_superquadric(points)
    assert found.warnings == ("2 points are not finite numbers and were dropped.",)


@pytest.mark.parametrize("axes", [2, 1])
def test_flat_and_straight_clouds_give_a_thin_part_and_say_so(axes):
    points = np.zeros((300, 3))
    points[:, :axes] = rng(4).uniform(-1, 1, (300, axes))
    found = fit_superquadric(points)
    assert "plate" in found.warnings[0] if axes == 2 else "rod" in found.warnings[0]
    assert min(found.part.size) < 0.05 * max(found.part.size)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((0, 3)),
        np.zeros((100, 3)),
        np.zeros((10, 2)),
        np.eye(3),
        np.array([["a"] * 3] * 9),
        np.zeros(9),
    ],
    ids=["none", "all the same", "flat array", "three", "text", "one dimension"],
)
def test_too_little_is_bad_input(points):
    with pytest.raises(BadInput):
        fit_superquadric(points)


def test_the_share_of_outliers_has_a_range():
    with pytest.raises(BadInput):
        fit_superquadric(np.eye(3), outliers=0.9)


@settings(max_examples=25, deadline=None)
@given(st.integers(6, 60), st.integers(0, 10_000), st.sampled_from([1e-6, 1.0, 1e6]))
def test_any_cloud_gives_finite_numbers(count, seed, size):
    points = rng(seed).normal(size=(count, 3)) * size * rng(seed).uniform(0, 1, 3)
    found = fit_superquadric(points)
    values = [*found.part.translation, *found.part.size, *found.part.exponents, found.residual_rms]
    assert np.isfinite(values).all()
