"""A shape as one solid: visible samples in exact numbers, farthest points, boolean mesh, occupancy."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from methods.core.errors import BadInput, BadParameter
from methods.superquadrics import geometry
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.union import (
    concatenated_mesh,
    farthest_points,
    occupancy,
    sample_union,
    union_mesh,
)

BOX = (0.02, 0.02)
PLANK = Superquadric(size=(1, 1, 0.1), exponents=BOX)
LENS = Shape((Superquadric(), Superquadric(translation=(1, 0, 0))))
"""Two unit spheres whose centres are 1 apart: each hides a cap of height 1/2 of the other."""


def random_shape(rng, count, spread=0.6):
    return Shape(
        tuple(
            Superquadric(
                translation=rng.normal(0, spread, 3),
                rotation=rng.normal(size=4),
                size=rng.uniform(0.1, 0.7, 3),
                exponents=rng.uniform(0, 2, 2),
                taper=rng.uniform(-0.8, 0.8, 2),
            )
            for _ in range(count)
        )
    )


def gauges(shape, points):
    return geometry.world_gauge(points, shape.parameters())


# ---------------------------------------------------------------------------------------------- samples


@pytest.mark.parametrize("method", ["area", "farthest"])
@pytest.mark.parametrize("count", [1, 2, 12, 40])
def test_exactly_n_points_on_the_outer_surface_each_on_its_own_part(method, count):
    rng = np.random.default_rng(count)
    shape = random_shape(rng, count)
    for n in (0, 1, 500):
        points, normals, owner = sample_union(shape, n, rng, method)
        assert points.shape == normals.shape == (n, 3) and owner.shape == (n,)
        value = gauges(shape, points)
        own = value[owner, np.arange(n)]
        np.testing.assert_allclose(own, 1, atol=1e-7)
        assert (value >= 1 - 1.1e-6).all()  # inside no part at all
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, rtol=1e-9)
        outside = points + 1e-5 * normals
        assert (gauges(shape, outside)[owner, np.arange(n)] > 1).all()


def test_points_are_shared_out_by_visible_area():
    big = Superquadric(translation=(10, 0, 0), size=(2, 2, 2))
    points, _, owner = sample_union(Shape((*LENS.parts, big)), 12_000, np.random.default_rng(0))
    # visible areas: 3/4 of 4 pi, the same again, and 16 pi, so 3 : 3 : 16
    share = np.bincount(owner) / 12_000
    np.testing.assert_allclose(share, np.array([3, 3, 16]) / 22, atol=0.015)
    assert points[owner == 0, 0].max() <= 0.5 + 1e-6 <= points[owner == 1, 0].min() + 2e-6


def test_of_two_planks_in_one_plane_one_keeps_the_common_face():
    shape = Shape((PLANK, replace(PLANK, translation=(0.5, 0, 0))))
    points, normals, owner = sample_union(shape, 30_000, np.random.default_rng(1))
    top = (normals[:, 2] > 0.99) & (np.abs(points[:, 1]) < 0.8)
    x = points[top, 0]
    common, single = np.sum((x > -0.3) & (x < 0.3)), np.sum((x > 0.7) & (x < 1.3))
    assert common == pytest.approx(single, rel=0.12)
    flat = top & (np.abs(points[:, 0]) < 0.3) & (np.abs(points[:, 2]) > 0.1 - 1e-9)
    assert (owner[flat] == 0).all()


def test_where_parts_touch_face_to_face_nothing_is_left_inside():
    leg = Superquadric(size=(0.2, 0.2, 0.5), translation=(0, 0, -0.6), exponents=BOX)
    points, _, owner = sample_union(Shape((PLANK, leg)), 40_000, np.random.default_rng(2))
    contact = (np.abs(points[:, 2] + 0.1) < 1e-6) & (np.abs(points[:, :2]).max(axis=1) < 0.15)
    assert contact.sum() == 0
    assert (owner == 1).sum() > 1000


@pytest.mark.parametrize("count", [2, 3, 256])
def test_identical_copies_still_deliver(count):
    shape = Shape((Superquadric(exponents=(0.3, 1.2)),) * count)
    points, _, owner = sample_union(shape, 300, np.random.default_rng(3))
    assert points.shape == (300, 3) and (owner == 0).all()


def test_copies_described_differently_still_deliver_from_the_first():
    box = Superquadric(size=(1, 2, 3), exponents=(0.1, 0.1))
    turned = replace(box, size=(2, 1, 3), rotation=(np.sqrt(0.5), 0, 0, np.sqrt(0.5)))
    _, _, owner = sample_union(Shape((box, turned)), 500, np.random.default_rng(4))
    assert (owner == 0).all()


def test_a_swallowed_part_gets_no_points_and_hidden_flags_count_only_when_asked():
    shape = Shape((Superquadric(), Superquadric(size=(3, 3, 3), visible=False)))
    assert set(sample_union(shape, 200, np.random.default_rng(5))[2]) == {1}
    assert set(sample_union(shape, 200, np.random.default_rng(5), visible_only=True)[2]) == {0}
    centre = [[2.0, 0, 0]]
    assert occupancy(shape, centre)[0] and not occupancy(shape, centre, visible_only=True)[0]
    assert concatenated_mesh(shape, 8, visible_only=True)[0].max() <= 1
    assert union_mesh(shape, 8, visible_only=True)[0].max() <= 1


def test_requests_that_cannot_be_met_are_refused():
    rng = np.random.default_rng(6)
    with pytest.raises(BadInput, match="no parts"):
        sample_union(Shape(), 10, rng)
    with pytest.raises(BadInput, match="All parts of the shape are hidden"):
        union_mesh(Shape((Superquadric(visible=False),)), visible_only=True)
    with pytest.raises(BadParameter, match="-1"):
        sample_union(LENS, -1, rng)
    with pytest.raises(BadParameter, match="poisson"):
        sample_union(LENS, 1, rng, "poisson")


def test_the_seed_decides():
    first = sample_union(LENS, 100, np.random.default_rng(7))
    again = sample_union(LENS, 100, np.random.default_rng(7))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


# ------------------------------------------------------------------------------------- farthest points


def test_farthest_points_are_those_of_the_definition():
    rng = np.random.default_rng(8)
    points = rng.normal(size=(300, 3)) + 1e6
    chosen = farthest_points(points, 40, rng)
    taken = [chosen[0]]
    for index in chosen[1:]:
        gap = np.linalg.norm(points[:, None] - points[taken], axis=2).min(axis=1)
        assert gap[index] == pytest.approx(gap.max(), rel=1e-4)
        taken.append(index)
    assert len(set(farthest_points(np.zeros((50, 3)), 50, rng).tolist())) == 50
    with pytest.raises(BadParameter, match="51 points were asked of 50"):
        farthest_points(np.zeros((50, 3)), 51, rng)


def test_farthest_samples_are_more_even_than_area_samples():
    from scipy.spatial import cKDTree

    gaps = {}
    for method in ("area", "farthest"):
        points, _, _ = sample_union(LENS, 800, np.random.default_rng(9), method)
        gaps[method] = cKDTree(points).query(points, 2)[0][:, 1].min()
    assert gaps["farthest"] > 5 * gaps["area"]
    assert gaps["farthest"] > 0.6 * np.sqrt(6 * np.pi / 800)


# ------------------------------------------------------------------------------------------- occupancy


def test_occupancy_is_the_union_of_the_parts():
    rng = np.random.default_rng(10)
    shape = random_shape(rng, 9)
    points = rng.uniform(-2, 2, (70_000, 3))  # more than one piece
    expected = (gauges(shape, points) <= 1).any(axis=0)
    assert expected.mean() > 0.02
    assert np.array_equal(occupancy(shape, points), expected)
    assert np.array_equal(occupancy(shape, points[:5]), expected[:5])
    assert occupancy(shape, np.empty((0, 3))).shape == (0,)
    assert not occupancy(Shape(), points[:3]).any()


def test_occupancy_of_two_million_points_stays_small():
    rng = np.random.default_rng(11)
    shape, points = random_shape(rng, 16), rng.uniform(-1, 1, (2_000_000, 3))
    tracemalloc.start()
    occupancy(shape, points)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


# ------------------------------------------------------------------------------------------------ mesh


def trimesh_of(mesh):
    trimesh = pytest.importorskip("trimesh")
    return trimesh.Trimesh(mesh[0], mesh[1], process=False)


def test_the_union_of_two_spheres_has_their_volume_and_no_inner_wall():
    mesh = trimesh_of(union_mesh(LENS, 128))
    assert mesh.is_watertight and mesh.is_winding_consistent and mesh.body_count == 1
    cap = np.pi * 0.5**2 * (3 - 0.5) / 3
    assert mesh.volume == pytest.approx(8 / 3 * np.pi - 2 * cap, rel=5e-3)
    assert mesh.area == pytest.approx(6 * np.pi, rel=5e-3)


@pytest.mark.parametrize(
    "shape",
    [
        Shape((PLANK,)),
        Shape((PLANK,) * 4),
        Shape((PLANK, replace(PLANK, translation=(0.5, 0, 0)))),
        Shape((PLANK, replace(PLANK, translation=(0, 0, 0.2)))),
        Shape((PLANK, replace(PLANK, translation=(5, 0, 0)))),
        Shape((Superquadric(), Superquadric(size=(0.2, 0.2, 0.2)))),
        Shape((PLANK, Superquadric(size=(1e-4, 1e-4, 2), exponents=BOX))),
        Shape((replace(PLANK, translation=(7.6e5, 6.3e6, 280)),)),
        Shape((Superquadric(size=(1e-7, 2e-7, 1e-7)), Superquadric(size=(2e-7, 1e-7, 1e-7)))),
        random_shape(np.random.default_rng(12), 20),
    ],
    ids=["one", "copies", "coplanar", "stacked", "apart", "nested", "needle", "far", "tiny", "random"],
)
def test_every_union_is_watertight_and_outward(shape):
    for resolution in (3, 24):
        vertices, faces = union_mesh(shape, resolution)
        mesh = trimesh_of((vertices - vertices.mean(axis=0), faces))
        assert faces.dtype == np.int32
        assert mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0
        low, high = shape.bounds()
        margin = 1e-3 * (high - low)
        assert (vertices >= low - margin).all() and (vertices <= high + margin).all()


def test_union_mesh_and_occupancy_describe_the_same_solid():
    shape = random_shape(np.random.default_rng(13), 6)
    mesh = trimesh_of(union_mesh(shape, 96))
    low, high = shape.bounds()
    points = np.random.default_rng(14).uniform(low, high, (200_000, 3))
    assert mesh.volume == pytest.approx(occupancy(shape, points).mean() * np.prod(high - low), rel=0.02)


def test_the_concatenated_mesh_keeps_every_part_whole():
    shape = random_shape(np.random.default_rng(15), 5)
    vertices, faces, owner = concatenated_mesh(shape, 16)
    mesh = trimesh_of((vertices, faces))
    assert mesh.is_watertight and mesh.body_count == 5
    for i, part in enumerate(shape.parts):
        corner = vertices[faces[owner == i]].reshape(-1, 3)
        value = geometry.gauge(part.to_local(corner), part.size, part.exponents, part.taper)
        np.testing.assert_allclose(value, 1, atol=1e-9)


@pytest.mark.bench
def test_farthest_sampling_of_2048_from_8192_takes_half_a_second():
    from time import process_time

    points = np.random.default_rng(16).normal(size=(8192, 3))
    start = process_time()
    farthest_points(points, 2048, np.random.default_rng(17))
    spent = process_time() - start
    print(f"farthest_points(2,048 of 8,192): {1e3 * spent:.0f} ms")
    assert spent < 0.5
