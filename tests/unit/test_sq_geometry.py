"""Gauge, distances, normals and volume against closed forms, independent arithmetic and Monte Carlo."""

import math
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.superquadrics import geometry
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.surface import part_mesh

EXPONENTS = [0.02, 0.1, 0.3, 1.0, 1.7, 1.95, 2.0]
PAIRS = [(1, 1), (0.1, 0.1), (0.02, 0.02), (2, 2), (0.1, 1), (1.7, 0.4), (0.13, 0.89), (2, 0.02)]
FUNCTIONS = [
    geometry.gauge,
    geometry.inside_outside,
    geometry.radial_distance,
    geometry.first_order_distance,
    geometry.project,
    geometry.normals,
]
exponent = st.floats(0.02, 2)
size = st.floats(0.01, 100)
coordinate = st.floats(-10, 10).filter(lambda v: v == 0 or abs(v) > 1e-6)
point = st.tuples(coordinate, coordinate, coordinate)


def mp_gauge(point, sizes, exponents, taper=(0, 0)):
    """The textbook formula with 400 digits, where nothing over- or underflows."""
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(400):
        x, y, z = (mpmath.mpf(float(v)) for v in point)
        a1, a2, a3 = (mpmath.mpf(float(v)) for v in sizes)
        e1, e2 = (mpmath.mpf(float(v)) for v in exponents)
        kx, ky = (mpmath.mpf(float(v)) for v in taper)
        x, y = x / (kx * z / a3 + 1), y / (ky * z / a3 + 1)
        ring = (abs(x / a1) ** (2 / e2) + abs(y / a2) ** (2 / e2)) ** (e2 / e1)
        return float((ring + abs(z / a3) ** (2 / e1)) ** (e1 / 2))


# ---------------------------------------------------------------------------------------------- gauge


@pytest.mark.parametrize("e1", EXPONENTS)
@pytest.mark.parametrize("e2", EXPONENTS)
def test_gauge_agrees_with_the_textbook_formula_in_high_precision(e1, e2):
    rng = np.random.default_rng(3)
    points = np.concatenate([rng.uniform(-2, 2, (6, 3)), [[0.5, 0, 0.5], [0, 0, 2], [1, 1, 1], [1e4, 3, 0]]])
    sizes, taper = (1.0, 0.6, 0.25), (0.08, -0.05)
    points[-1, 2] = 0.1
    for k in ((0.0, 0.0), taper):
        expected = [mp_gauge(p, sizes, (e1, e2), k) for p in points]
        np.testing.assert_allclose(geometry.gauge(points, sizes, (e1, e2), k), expected, rtol=1e-12)
        single = geometry.gauge(points.astype(np.float32), sizes, (e1, e2), k)
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, expected, rtol=2e-5)


def test_limits_are_ellipsoid_box_and_octahedron():
    rng = np.random.default_rng(4)
    points, sizes = rng.normal(size=(300, 3)), np.array([0.5, 2.0, 1.0])
    u = np.abs(points) / sizes
    np.testing.assert_allclose(geometry.gauge(points, sizes, (1, 1)), np.linalg.norm(u, axis=1), rtol=1e-13)
    np.testing.assert_allclose(geometry.gauge(points, sizes, (2, 2)), u.sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(geometry.gauge(points, sizes, (0, 0)), u.max(axis=1), rtol=0.023)
    assert np.array_equal(geometry.gauge(points, sizes, (0, 0)), geometry.gauge(points, sizes, (0.02, 0.02)))


@given(e1=exponent, e2=exponent, a=st.tuples(size, size, size), p=point, s=st.floats(1e-6, 1e6))
def test_gauge_is_homogeneous_and_symmetric(e1, e2, a, p, s):
    p = np.array([p])
    value = geometry.gauge(p, a, (e1, e2))
    assert np.isfinite(value).all()
    np.testing.assert_allclose(geometry.gauge(s * p, a, (e1, e2)), s * value, rtol=1e-9, atol=1e-300)
    assert np.array_equal(geometry.gauge(p * [-1, 1, -1], a, (e1, e2)), value)


@given(e1=exponent, e2=exponent, p=point, q=point)
def test_gauge_obeys_the_triangle_inequality_so_the_solid_is_convex(e1, e2, p, q):
    both = np.array([p, q])
    total = geometry.gauge(both.sum(axis=0)[None], (1, 2, 3), (e1, e2))
    assert total[0] <= geometry.gauge(both, (1, 2, 3), (e1, e2)).sum() * (1 + 1e-12)


def test_far_points_tiny_sizes_and_the_centre_are_finite():
    points = np.array([[1e6, 0, 0], [1e6, -1e6, 1e6], [0, 0, 0], [0, 1e-9, 0], [3e-4, 3e-4, 3e-4]])
    for dtype in (np.float32, np.float64):
        for e in EXPONENTS:
            for scale in (1.0, 1e-6, 1e6):
                value = geometry.gauge(points.astype(dtype), np.array([1, 0.5, 0.01]) * scale, (e, 2.02 - e))
                assert np.isfinite(value).all() and value.dtype == dtype
                assert value[2] == 0 and value[0] == pytest.approx(1e6 / scale, rel=1e-5)


def test_points_beyond_the_apex_of_the_taper_are_outside_and_finite():
    k = 0.8
    z = np.array([-1.25, -1.2500001, -2.0, -1e6, 1.0001, 1e6])
    for x in (0.0, 1e-9, 0.3, -5.0):
        points = np.stack([np.full_like(z, x), np.full_like(z, x / 2), z], axis=1)
        for e in EXPONENTS:
            value = geometry.gauge(points, (1, 1, 1), (e, e), (k, -k))
            assert np.isfinite(value).all() and (value > 1).all()


def test_taper_scales_the_cross_sections_as_written():
    part = Superquadric(size=(1, 2, 3), exponents=(0.7, 0.4), taper=(0.5, -0.25))
    surface, _, _ = part_mesh(Superquadric(size=part.size, exponents=part.exponents), 16)
    x, y, z = surface.T
    tapered = np.stack([(0.5 * z / 3 + 1) * x, (-0.25 * z / 3 + 1) * y, z], axis=1)
    np.testing.assert_allclose(geometry.gauge(tapered, part.size, part.exponents, part.taper), 1, atol=1e-12)


# ------------------------------------------------------------------------------------- numpy and torch


@pytest.mark.parametrize("function", FUNCTIONS)
def test_numpy_and_torch_agree_and_batches_broadcast(function):
    rng = np.random.default_rng(5)
    points = rng.normal(size=(2, 4, 30, 3))
    sizes, exponents = rng.uniform(0.2, 2, (4, 3)), rng.uniform(0.02, 2, (2, 1, 2))
    taper = rng.uniform(-0.5, 0.5, (4, 2))
    batched = function(points, sizes, exponents, taper)
    tensors = function(*(torch.tensor(v) for v in (points, sizes, exponents, taper)))
    np.testing.assert_allclose(tensors.numpy(), batched, rtol=1e-11, atol=1e-12)
    for i in range(2):
        for j in range(4):
            single = function(points[i, j], sizes[j], exponents[i, 0], taper[j])
            np.testing.assert_allclose(batched[i, j], single, rtol=1e-12, atol=1e-14)
    assert function(torch.tensor(points, dtype=torch.float32), sizes, exponents, taper).dtype == torch.float32


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not geometry.inside_outside])
@pytest.mark.parametrize("e", [*PAIRS, (0.02, 2), (1, 2), (0.3, 0.1), (1.95, 0.3)])
def test_values_and_gradients_are_finite_everywhere(function, e, dtype):
    special = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -1], [1, 1, 0], [0.7, 0, 0.7], [1, 1, 1]]
    special += [[1e-20, 0, 0]]
    special += [[1e6, 0, 1e6], [1e6, -1e6, 1e6], [0, 0, 1e6], [1e-35, 1e-36, 0], [0, 0, -1.3]]
    for scale in (1.0, 1e-6):
        for k in (None, (0.0, 0.0), (0.9, -0.8)):
            points = torch.tensor(special, dtype=dtype, requires_grad=True)
            inputs = [points]
            inputs.append(torch.tensor([scale, 0.7 * scale, 0.4 * scale], dtype=dtype, requires_grad=True))
            inputs.append(torch.tensor(e, dtype=dtype, requires_grad=True))
            if k is not None:
                inputs.append(torch.tensor(k, dtype=dtype, requires_grad=True))
            value = function(*inputs)
            assert torch.isfinite(value).all()
            for gradient in torch.autograd.grad(value.sum(), inputs):
                assert torch.isfinite(gradient).all()


@pytest.mark.parametrize("e", [(0.1, 0.3), (1.0, 1.0), (1.8, 0.6), (0.5, 1.9)])
def test_gradients_are_right(e):
    generator = torch.Generator().manual_seed(1)
    points = torch.randn(6, 3, generator=generator, dtype=torch.float64, requires_grad=True)
    sizes = torch.tensor([1.0, 0.7, 0.4], dtype=torch.float64, requires_grad=True)
    exponents = torch.tensor(e, dtype=torch.float64, requires_grad=True)
    taper = torch.tensor([0.3, -0.2], dtype=torch.float64, requires_grad=True)
    points.data[:, 2] *= 0.3
    for function in FUNCTIONS:
        if function is geometry.inside_outside and e[0] == 0.1:
            continue  # F ~ G^20: too steep for finite differences
        assert torch.autograd.gradcheck(function, (points, sizes, exponents, taper), rtol=1e-4)


def test_world_gauge_places_every_part():
    rng = np.random.default_rng(6)
    parts = [
        Superquadric(
            translation=rng.normal(size=3),
            rotation=rng.normal(size=4),
            size=rng.uniform(0.1, 1, 3),
            exponents=rng.uniform(0.1, 2, 2),
            taper=rng.uniform(-0.5, 0.5, 2),
        )
        for _ in range(5)
    ]
    points = rng.normal(size=(40, 3))
    parameters = Shape(tuple(parts)).parameters()
    together = geometry.world_gauge(points, parameters)
    assert together.shape == (5, 40)
    for row, part in zip(together, parts, strict=True):
        alone = geometry.gauge(part.to_local(points), part.size, part.exponents, part.taper)
        np.testing.assert_allclose(row, alone, rtol=1e-10)
    tensors = geometry.world_gauge(torch.tensor(points), parameters.to_torch())
    np.testing.assert_allclose(tensors.numpy(), together, rtol=1e-10)


def test_inside_outside_is_the_classical_function_and_saturates():
    rng = np.random.default_rng(7)
    x, y, z = points = rng.uniform(-1.5, 1.5, (3, 100))
    f = (np.abs(x) ** (2 / 0.8) + np.abs(y / 2) ** (2 / 0.8)) ** (0.8 / 0.5) + np.abs(z / 3) ** (2 / 0.5)
    np.testing.assert_allclose(geometry.inside_outside(points.T, (1, 2, 3), (0.5, 0.8)), f, rtol=1e-11)
    far = geometry.inside_outside(np.array([[1e6, 0, 0], [0, 0, 0]]), (1, 1, 1), (0.02, 1))
    assert np.isfinite(far).all() and far[0] > 1e300 and far[1] == 0


# ----------------------------------------------------------------------------------------- distances


@pytest.mark.parametrize("e", PAIRS)
def test_radial_distance_is_measured_along_the_ray(e):
    sizes = (1.0, 0.5, 2.0)
    surface, _, _ = part_mesh(Superquadric(size=sizes, exponents=e), 16)
    for s in (0.25, 0.999, 1.0, 3.0):
        expected = (s - 1) * np.linalg.norm(surface, axis=1)
        found = geometry.radial_distance(s * surface, sizes, e)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert geometry.radial_distance(np.zeros((1, 3)), sizes, e)[0] == -0.5


@given(e1=exponent, e2=exponent, k=st.tuples(st.floats(-0.9, 0.9), st.floats(-0.9, 0.9)))
def test_radial_distance_ends_on_the_surface_also_with_taper(e1, e2, k):
    rng = np.random.default_rng(8)
    points, sizes = rng.normal(size=(20, 3)), (1.0, 0.5, 2.0)
    points[:, 2] = np.clip(points[:, 2], -2, 2)
    ends = geometry.project(points, sizes, (e1, e2), k)
    np.testing.assert_allclose(geometry.gauge(ends, sizes, (e1, e2), k), 1, rtol=1e-9)
    distance = geometry.radial_distance(points, sizes, (e1, e2), k)
    np.testing.assert_allclose(np.abs(distance), np.linalg.norm(points - ends, axis=1), rtol=1e-8, atol=1e-12)
    assert np.array_equal(distance > 0, geometry.gauge(points, sizes, (e1, e2), k) > 1)


def test_first_order_distance_of_sphere_and_box_faces():
    rng = np.random.default_rng(9)
    points = rng.normal(size=(100, 3))
    expected = np.linalg.norm(points, axis=1) - 1
    np.testing.assert_allclose(geometry.first_order_distance(points, (1, 1, 1), (1, 1)), expected, atol=1e-12)
    above = np.array([[0.3, -0.2, 0.05], [0.0, 0.5, -0.5], [0.1, 0.1, 0.01]])
    found = geometry.first_order_distance(above, (1, 1, 0.02), (0.02, 0.02))
    np.testing.assert_allclose(found, np.abs(above[:, 2]) - 0.02, rtol=1e-6)
    assert geometry.first_order_distance(np.zeros((1, 3)), (1, 2, 0.3), (0.5, 1))[0] == -0.3


@pytest.mark.parametrize("e", [(0.3, 0.3), (1, 0.5), (0.1, 1), (1.5, 1.5)])
def test_first_order_distance_near_a_thin_tapered_plate_beats_the_radial_one(e):
    from scipy.spatial import cKDTree

    part = Superquadric(size=(1, 1, 0.05), exponents=e, taper=(0.2, -0.3))
    vertices, _, normals = part_mesh(part, 512)
    flat = np.flatnonzero(np.abs(normals[:, 2]) > 0.9)[::97]
    points = vertices[flat] + 0.005 * normals[flat]
    true, _ = cKDTree(vertices).query(points)
    first = geometry.first_order_distance(points, part.size, e, part.taper)
    radial = geometry.radial_distance(points, part.size, e, part.taper)
    assert np.median(np.abs(first / true - 1)) < 0.1
    assert np.median(np.abs(first / true - 1)) < np.median(np.abs(radial / true - 1))


# ------------------------------------------------------------------------------------------- normals


@pytest.mark.parametrize("e", PAIRS)
@pytest.mark.parametrize("k", [(0.0, 0.0), (0.6, -0.4)])
def test_normals_are_the_direction_of_the_gradient(e, k):
    sizes = (1.0, 0.5, 2.0)
    rng = np.random.default_rng(10)
    points = geometry.project(rng.normal(size=(200, 3)), sizes, e, k)
    found = geometry.normals(points, sizes, e, k)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-12)
    tensor = torch.tensor(points, requires_grad=True)
    (gradient,) = torch.autograd.grad(geometry.gauge(tensor, sizes, e, k).sum(), tensor)
    expected = gradient.numpy() / np.linalg.norm(gradient.numpy(), axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert (np.einsum("ij,ij->i", geometry.normals(points, sizes, e), points) > 0).all()


@pytest.mark.parametrize("e", PAIRS)
def test_normals_exist_at_poles_edges_and_centre(e):
    points = np.array([[0, 0, 3.0], [0, 0, -3], [1, 0, 0], [0, -2, 0], [0, 0, 0], [1, 2, 0], [1, 2, 3]])
    found = geometry.normals(points, (1, 2, 3), e)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-12)
    expected = [[0, 0, 1], [0, 0, -1], [1, 0, 0], [0, -1, 0], [0, 0, 1]]
    np.testing.assert_allclose(found[:5], expected, atol=1e-12)
    assert (found[6] > 0).all()


# -------------------------------------------------------------------------------------------- volume


@pytest.mark.parametrize("k", [(0.0, 0.0), (0.7, 0.5), (0.9, -0.8)])
@pytest.mark.parametrize("e", PAIRS)
def test_volume_agrees_with_monte_carlo_within_one_percent(e, k):
    sizes = np.array([0.8, 1.5, 0.6])
    half = sizes * (1 + abs(k[0]), 1 + abs(k[1]), 1)
    # one point in each of 80^3 cells: an order of magnitude less noise than plain Monte Carlo
    rng = np.random.default_rng(11)
    cells = np.stack(np.meshgrid(*[np.arange(80)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    points = ((cells + rng.random(cells.shape)) / 40 - 1) * half
    inside = (geometry.gauge(points, sizes, e, k) <= 1).mean()
    assert inside * 8 * half.prod() == pytest.approx(float(geometry.volume(sizes, e, k)), rel=0.01)


def test_volume_of_known_bodies():
    a, b, c = sizes = (0.5, 2.0, 3.0)
    assert geometry.volume(sizes, (1, 1)) == pytest.approx(4 / 3 * math.pi * a * b * c, rel=1e-13)
    assert geometry.volume(sizes, (2, 2)) == pytest.approx(4 / 3 * a * b * c, rel=1e-13)
    assert geometry.volume(sizes, (2, 1)) == pytest.approx(2 / 3 * math.pi * a * b * c)  # double cone
    assert geometry.volume(sizes, (0, 0)) == pytest.approx(8 * a * b * c, rel=2e-3)  # box
    assert geometry.volume(sizes, (0, 1)) == pytest.approx(2 * math.pi * a * b * c, rel=2e-3)  # cylinder
    # a frustum: the prismatoid formula h/6 (bottom + 4 middle + top)
    bottom, top = 4 * a * b * 0.5 * 0.8, 4 * a * b * 1.5 * 1.2
    frustum = 2 * c / 6 * (bottom + 4 * 4 * a * b + top)
    assert geometry.volume(sizes, (0, 0), (0.5, 0.2)) == pytest.approx(frustum, rel=2e-3)
    # <z^2> of the unit ball is 1/5
    assert geometry.volume((1, 1, 1), (1, 1), (0.5, 0.5)) == pytest.approx(4 / 3 * math.pi * 1.05, rel=1e-13)


def test_volume_is_batched_and_differentiable():
    rng = np.random.default_rng(12)
    sizes, e, k = rng.uniform(0.1, 2, (7, 3)), rng.uniform(0.02, 2, (7, 2)), rng.uniform(-0.9, 0.9, (7, 2))
    together = geometry.volume(sizes, e, k)
    np.testing.assert_allclose(together, [geometry.volume(*row) for row in zip(sizes, e, k, strict=True)])
    tensors = [torch.tensor(v, requires_grad=True) for v in (sizes, e, k)]
    np.testing.assert_allclose(geometry.volume(*tensors).detach().numpy(), together, rtol=1e-12)
    assert torch.autograd.gradcheck(geometry.volume, tensors)
    assert geometry.volume(sizes.astype(np.float32), e, k).dtype == np.float32


# ----------------------------------------------------------------------------------- support, imports


@settings(max_examples=40)
@given(e1=exponent, e2=exponent, k=st.tuples(st.floats(-0.9, 0.9), st.floats(-0.9, 0.9)))
def test_support_is_the_farthest_vertex(e1, e2, k):
    rng = np.random.default_rng(13)
    directions = np.concatenate([np.eye(3), rng.normal(size=(5, 3))])
    sizes = (1.0, 0.4, 2.0)
    vertices, _, _ = part_mesh(Superquadric(size=sizes, exponents=(e1, e2), taper=k), 128)
    found = (vertices @ directions.T).max(axis=0)
    reach = geometry.support(directions, sizes, (e1, e2), k)
    assert (reach >= found * (1 - 1e-4)).all()
    np.testing.assert_allclose(reach, found, rtol=0.01)


def test_importing_the_geometry_loads_no_heavy_library():
    code = (
        "import sys, methods.superquadrics.formats, methods.superquadrics.union as u\n"
        "from methods.superquadrics import model, geometry\n"
        "geometry.volume((1, 1, 1), (1, 1)); model.Shape((model.Superquadric(),)).bounds()\n"
        "heavy = {'torch', 'scipy', 'trimesh', 'manifold3d', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
