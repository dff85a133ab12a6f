"""Whole-object fits on solids whose parts are known, and on targets that are broken."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from methods.core.context import Cancelled, CancelToken, Context
from methods.core.errors import BadInput
from methods.superquadrics import geometry
from methods.superquadrics.benchmark_objects import broken, compare, cone_shell, measure, mesh_target, table
from methods.superquadrics.fit_object import fit_object
from methods.superquadrics.model import Shape, Superquadric, palette_color
from methods.superquadrics.primitive import Primitive, distance, field, inside
from methods.superquadrics.reduce import merge_proposals, prune_proposals
from methods.superquadrics.refine import refine
from methods.superquadrics.shells import find_shell, staves
from methods.superquadrics.solid_samples import main_frame, sample_solid
from methods.superquadrics.target import Target
from tests.shared import shared_path

trimesh = pytest.importorskip("trimesh")


def _cube(size=(1.0, 0.7, 0.5)) -> Target:
    return mesh_target(trimesh.creation.box(size))


def _some_part(rng: np.random.Generator) -> Primitive:
    return Primitive(
        rng.normal(size=3) * 0.1, Rotation.random(random_state=int(rng.integers(1000))).as_matrix(),
        rng.uniform(0.1, 0.3, 3), rng.uniform(0.2, 1.6, 2), rng.uniform(-0.5, 0.5, 2),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_field_jacobian_matches_differences_on_the_surface(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = _some_part(rng)
    on = geometry.project(rng.normal(size=(100, 3)), part.size, part.exponents, part.taper)
    points = on @ part.rotation.T + part.translation
    d, by = field(part, points, True)
    assert np.abs(d).max() < 1e-9
    for i in range(13):
        step = np.zeros(13)
        step[i] = 1e-6
        numeric = (field(part.moved(step), points)[0] - field(part.moved(-step), points)[0]) / 2e-6
        np.testing.assert_allclose(by[i], numeric, atol=2e-4)


@pytest.mark.parametrize("seed", range(4))
def test_inside_agrees_with_the_gauge(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = _some_part(rng)
    points = rng.uniform(-0.5, 0.5, (3000, 3))
    gauge = geometry.gauge(part.local(points), part.size, part.exponents, part.taper)
    clear = np.abs(gauge - 1.0) > 1e-6
    assert 0 < (gauge <= 1.0).sum() < len(points)
    np.testing.assert_array_equal(inside(part, points)[clear], (gauge <= 1.0)[clear])


def test_distance_far_from_a_tapered_part_is_not_small() -> None:
    part = Primitive(
        np.zeros(3), np.eye(3), np.array([0.01, 0.01, 0.1]), np.array([0.2, 0.2]), np.array([-0.9, 0.9])
    )
    far = np.array([[0.6, 0.0, 0.3], [0.0, 0.5, -0.4], [0.3, 0.3, 0.3]])
    assert (distance(part, far) > 0.15).all()


def test_main_frame_finds_a_turned_box() -> None:
    turn = Rotation.from_euler("xyz", [0.4, 0.7, -0.3]).as_matrix()
    mesh = trimesh.creation.box((1, 0.6, 0.3))
    mesh.vertices = mesh.vertices @ turn.T
    points, normals = mesh_target(mesh).sample(4000, np.random.default_rng(0))
    frame = main_frame(points, normals)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    np.testing.assert_allclose(np.sort(np.abs(turn.T @ frame), axis=0)[-1], 1.0, atol=1e-6)


def test_samples_measure_volumes_of_walls_thinner_than_a_cell() -> None:
    outer, inner = trimesh.creation.box((1, 0.8, 0.5)), trimesh.creation.box((0.99, 0.79, 0.49))
    inner.invert()
    mesh = trimesh.util.concatenate([outer, inner])
    samples = sample_solid(mesh_target(mesh), np.random.default_rng(0), lambda: None)
    truth = (1 * 0.8 * 0.5 - 0.99 * 0.79 * 0.49) / samples.scale**3
    assert samples.volume == pytest.approx(truth, rel=0.03)


@pytest.mark.parametrize("leg", [0.12, 0.06, 0.03])
@pytest.mark.parametrize("union", [False, True])
def test_table_has_five_parts(leg: float, union: bool) -> None:
    figures, shape = measure("table", table(leg, np.random.default_rng(11), union=union), seed=1)
    assert len(shape) == 5
    assert figures.iou is not None and figures.iou > 0.95
    assert figures.chamfer_rel < 0.003


def test_parts_are_named_coloured_and_numbered() -> None:
    target = Target("cube", _cube().vertices, _cube().faces, unit="mm")
    shape = fit_object(target, Context()).shape
    assert [p.id for p in shape.parts] == list(range(1, len(shape) + 1))
    assert [p.name for p in shape.parts] == [f"part {i}" for i in range(1, len(shape) + 1)]
    assert [p.color for p in shape.parts] == [palette_color(i) for i in range(len(shape))]
    assert shape.unit == "mm"


def test_same_seed_same_parts_and_partials_grow() -> None:
    target = table(0.06, np.random.default_rng(2), union=True)
    seen: list[Shape] = []
    first = fit_object(target, Context(seed=3, on_partial=seen.append)).shape
    assert first.parts == fit_object(target, Context(seed=3)).shape.parts
    assert seen[-1].parts == first.parts and len(seen[0]) == 1


def test_max_parts_is_kept() -> None:
    assert (
        len(fit_object(table(0.12, np.random.default_rng(2), union=True), Context(), max_parts=3).shape) <= 3
    )


def test_result_follows_the_units_and_place_of_the_target() -> None:
    small = table(0.12, np.random.default_rng(5), union=True)
    large = Target("large", small.vertices * 1000.0 + [1e6, -2e6, 5e5], small.faces)
    a, b = fit_object(small, Context()).shape, fit_object(large, Context()).shape
    assert len(a) == len(b) == 5
    volumes = [
        sorted(float(geometry.volume(np.array(p.size), p.exponents, p.taper)) for p in s.parts)
        for s in (a, b)
    ]
    np.testing.assert_allclose(np.array(volumes[1]) / 1e9, volumes[0], rtol=0.05)


def test_cylinder_is_one_round_part() -> None:
    mesh = trimesh.creation.cylinder(0.3, 1.0, sections=64)
    figures, shape = measure("cylinder", mesh_target(mesh))
    assert len(shape) == 1 and figures.iou is not None and figures.iou > 0.97


def test_conical_shell_is_found_and_covered_by_staves() -> None:
    samples = sample_solid(
        mesh_target(cone_shell(0.35, 0.2, 0.4, 0.02)), np.random.default_rng(0), lambda: None
    )
    shell = find_shell(samples, np.random.default_rng(0))
    assert shell is not None
    assert shell.thickness * samples.scale == pytest.approx(0.02, rel=0.15)
    assert abs(shell.slope) == pytest.approx(0.15 / 0.4, rel=0.05)
    planks = staves(shell, 12)
    assert all(p.size == pytest.approx(planks[0].size) for p in planks)


def test_broken_targets_never_fail() -> None:
    for name, target, truth in broken(np.random.default_rng(3)):
        if "cloud" in name:
            continue
        found = fit_object(target, Context())
        assert len(found.shape) >= 1, name
        if name.startswith("box"):
            assert truth is not None and len(found.shape) <= 2
            assert (compare(found.shape, truth, 2000)[0] or 0.0) > 0.95, name
        elif name != "two components":
            assert found.warnings, name


def test_point_cloud_of_a_table() -> None:
    whole = table(0.12, np.random.default_rng(1), union=True, turned=False)
    points, _ = whole.sample(4000, np.random.default_rng(0))
    found = fit_object(Target("cloud", points), Context())
    assert len(found.shape) == 5 and found.warnings
    assert (compare(found.shape, whole, 2000)[0] or 0.0) > 0.9


def test_cancel_is_quick() -> None:
    token = CancelToken()
    target = table(0.03, np.random.default_rng(0), union=True, noise=0.002)
    stopped: list[float] = []

    def work() -> None:
        try:
            fit_object(target, Context(token=token))
        except Cancelled:
            stopped.append(time.perf_counter())

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.8)
    asked = time.perf_counter()
    token.cancel()
    thread.join(10)
    assert stopped and stopped[0] - asked < 1.0  # 0.3 s on an idle machine


def _two_halves() -> Shape:
    left = Superquadric((-0.24, 0, 0), size=(0.24, 0.34, 0.24), exponents=(0.1, 0.1), id=4)
    right = Superquadric((0.26, 0, 0), size=(0.24, 0.34, 0.24), exponents=(0.1, 0.1), id=7)
    return Shape((left, right))


def test_refine_improves_and_leaves_the_others_alone() -> None:
    target, shape = _cube(), _two_halves()
    better = refine(shape, target, Context(), part_ids=[4])
    assert better.part(7) == shape.part(7)
    assert (compare(better, target, 2000)[0] or 0) > (compare(shape, target, 2000)[0] or 0)


def test_refine_refuses_locked_and_unknown_parts() -> None:
    locked = Superquadric(size=(0.5, 0.35, 0.25), locked=True, id=1)
    with pytest.raises(BadInput, match="locked"):
        refine(Shape((locked,)), _cube(), Context())
    with pytest.raises(BadInput, match="no part 9"):
        refine(_two_halves(), _cube(), Context(), part_ids=[9])


def test_proposals_put_the_harmless_ones_first() -> None:
    shape = Shape((*_two_halves().parts, Superquadric((0, 0, 0), size=(0.1, 0.1, 0.1), id=9)))
    prunes = prune_proposals(shape, _cube(), Context())
    assert prunes[0].part_ids == (9,) and len(prunes[0].result) == 2
    assert prunes[0].delta_iou == pytest.approx(0.0, abs=0.01)
    assert prunes[-1].delta_iou is not None and prunes[-1].delta_iou < -0.3
    merges = merge_proposals(_two_halves(), _cube(), Context())
    assert merges[0].part_ids == (4, 7) and len(merges[0].result) == 1
    assert merges[0].delta_iou is not None and merges[0].delta_iou > 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"), [("chair", 0.85), ("desk", 0.88), ("square_table", 0.88), ("lamp", 0.78)]
)
def test_furniture(name: str, least: float) -> None:
    from methods.superquadrics.loading import load_target

    figures, shape = measure(name, load_target(shared_path("data", "meshes", f"{name}.glb")))
    assert len(shape) <= 16
    assert figures.iou is not None and figures.iou > least
    assert figures.chamfer_rel < 0.01


@pytest.mark.parametrize("name", ["621", "035"])
def test_a_region_that_leaks_through_a_hole_is_asked_point_by_point(name):
    from methods.superquadrics.loading import load_target

    target = load_target(shared_path("data", "meshes", "random_parts", f"{name}.obj"))
    samples = sample_solid(target, np.random.default_rng(0), lambda: None)
    world = samples.centre + samples.scale * (samples.points @ samples.frame.T)
    assert (target.occupancy(world) == samples.solid).all()


def test_a_cup_cut_open_is_solid_where_the_winding_number_says():
    cylinder = trimesh.creation.cylinder(1.0, 2.0, sections=48)
    lid = cylinder.face_normals[:, 2] > 0.9
    cylinder.update_faces(~lid)
    target = mesh_target(cylinder)
    samples = sample_solid(target, np.random.default_rng(0), lambda: None)
    world = samples.centre + samples.scale * (samples.points @ samples.frame.T)
    wrong = target.occupancy(world) != samples.solid
    assert samples.weights[wrong].sum() < 0.002 * samples.weights[samples.solid].sum()
