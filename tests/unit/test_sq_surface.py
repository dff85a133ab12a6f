"""Meshes and samples of one part: watertight for every setting, on the surface, even, crisp."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.core.errors import BadParameter
from methods.superquadrics import geometry
from methods.superquadrics.model import Superquadric
from methods.superquadrics.surface import SurfaceSampler, part_mesh, sample_surface, surface_area

PAIRS = [(1, 1), (0.1, 0.1), (0.02, 0.02), (2, 2), (0.1, 1), (1.7, 0.4), (2, 0.02), (0, 0)]

parts = st.builds(
    Superquadric,
    translation=st.tuples(*[st.floats(-1e3, 1e3)] * 3),
    rotation=st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: max(map(abs, q)) > 0.1),
    size=st.tuples(*[st.floats(-3, 3).map(lambda v: 10.0**v)] * 3),
    exponents=st.tuples(st.floats(0, 2), st.floats(0, 2)),
    taper=st.tuples(st.floats(-0.95, 0.95), st.floats(-0.95, 0.95)),
)


def assert_closed(faces, count):
    """Every directed edge once and its opposite once; one piece without holes (Euler: V - E + F = 2)."""
    start, end = faces[:, [0, 1, 2]].ravel().astype(np.int64), faces[:, [1, 2, 0]].ravel()
    edges = np.sort(start * count + end)
    assert (np.diff(edges) > 0).all()
    assert np.array_equal(edges, np.sort(end * np.int64(count) + start))
    assert np.array_equal(np.unique(faces), np.arange(count))
    assert count - len(edges) // 2 + len(faces) == 2


def mesh_volume(vertices, faces):
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def face_areas(vertices, faces):
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)


# ----------------------------------------------------------------------------------------------- meshes


@settings(max_examples=60)
@given(part=parts, resolution=st.integers(3, 64))
def test_every_mesh_is_closed_outward_on_the_surface_and_without_degenerate_faces(part, resolution):
    vertices, faces, normals = part_mesh(part, resolution)
    assert faces.dtype == np.int32
    assert_closed(faces, len(vertices))
    unmoved = Superquadric(size=part.size, exponents=part.exponents, taper=part.taper)
    local, _, _ = part_mesh(unmoved, resolution)
    np.testing.assert_allclose(part.to_world(local), vertices, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(geometry.gauge(local, part.size, part.exponents, part.taper), 1, atol=1e-9)
    assert len(np.unique(local, axis=0)) == len(local)
    a, b, c = np.moveaxis(local[faces] / np.array(part.size), 1, 0)
    assert (np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0).all()
    assert mesh_volume(local, faces) > 0
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, rtol=1e-9)


@pytest.mark.parametrize("e", PAIRS)
def test_trimesh_agrees_that_the_mesh_is_watertight(e):
    trimesh = pytest.importorskip("trimesh")
    for taper in ((0, 0), (0.9, -0.6)):
        part = Superquadric(size=(1, 0.02, 3), exponents=e, taper=taper, rotation=(1, 2, 3, 4))
        for resolution in (3, 4, 17, 32, 129):
            vertices, faces, _ = part_mesh(part, resolution)
            mesh = trimesh.Trimesh(vertices, faces, process=False)
            assert mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0


@pytest.mark.parametrize("e", PAIRS)
@pytest.mark.parametrize("taper", [(0, 0), (0.8, -0.5)])
def test_mesh_volume_tends_to_the_closed_form(e, taper):
    part = Superquadric(size=(1, 0.5, 2), exponents=e, taper=taper)
    exact = float(geometry.volume(part.size, part.exponents, part.taper))
    errors = []
    for resolution in (16, 64, 256):
        vertices, faces, _ = part_mesh(part, resolution)
        errors.append(abs(mesh_volume(vertices, faces) / exact - 1))
    assert errors[2] < 1e-3
    assert errors[1] <= errors[0] / 4 + 1e-9 and errors[2] <= errors[1] / 4 + 1e-9


@pytest.mark.parametrize("e", PAIRS)
def test_vertex_normals_are_the_exact_ones(e):
    for taper in ((0, 0), (0.5, -0.9)):
        part = Superquadric(size=(1, 0.5, 2), exponents=e, taper=taper)
        vertices, _, normals = part_mesh(part, 24)
        expected = geometry.normals(vertices, part.size, part.exponents, part.taper)
        np.testing.assert_allclose(normals, expected, atol=1e-9)
        turned = Superquadric(size=(1, 0.5, 2), exponents=e, taper=taper, rotation=(0.5, 0.5, 0.5, 0.5))
        np.testing.assert_allclose(part_mesh(turned, 24)[2], normals[:, [2, 0, 1]], atol=1e-12)


@pytest.mark.parametrize("e", [(0, 0), (0.05, 0.05), (0.1, 0.1), (2, 2), (0.05, 2)])
@pytest.mark.parametrize("size", [(1, 1, 1), (1, 0.6, 0.1)])
def test_facets_look_flat_and_edges_crisp(e, size):
    """On nine tenths of a faceted part's area the shading normal is within 10 degrees of the face's own."""
    vertices, faces, normals = part_mesh(Superquadric(size=size, exponents=e), 32)
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    own = np.cross(b - a, c - a)
    areas = np.linalg.norm(own, axis=1)
    own /= areas[:, None]
    middle = normals[faces].mean(axis=1)
    middle /= np.linalg.norm(middle, axis=1, keepdims=True)
    flat = np.einsum("ij,ij->i", own, middle) > np.cos(np.radians(10))
    assert areas[flat].sum() / areas.sum() > 0.9


def test_a_box_has_its_corners_at_the_lowest_resolution():
    vertices, _, _ = part_mesh(Superquadric(exponents=(0, 0)), 3)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    nearest = np.linalg.norm(vertices[None] - corners[:, None], axis=2).min(axis=1)
    assert nearest.max() < 0.03


def test_a_circle_gets_equal_arcs():
    vertices, _, _ = part_mesh(Superquadric(), 32)
    equator = vertices[np.abs(vertices[:, 2]) < 1e-12]
    angle = np.sort(np.arctan2(equator[:, 1], equator[:, 0]))
    np.testing.assert_allclose(np.diff(angle), 2 * np.pi / 32, rtol=0.02)


@pytest.mark.parametrize("size", [(3, 1, 1), (1, 1, 0.1), (1, 0.2, 4)])
def test_the_equator_of_any_part_has_no_long_or_crowded_steps(size):
    for e2 in (0.4, 1.0, 1.6):
        part = Superquadric(size=size, exponents=(1, e2))
        vertices, _, _ = part_mesh(part, 64)
        equator = vertices[np.abs(vertices[:, 2]) < 1e-12][:, :2]
        equator = equator[np.argsort(np.arctan2(equator[:, 1] / size[1], equator[:, 0] / size[0]))]
        steps = np.linalg.norm(np.diff(equator, axis=0, append=equator[:1]), axis=1)
        assert steps.max() < 2.5 * steps.mean() and steps.min() > 0.02 * steps.mean()


def test_the_mesh_is_a_mirror_image_of_itself_in_all_three_planes():
    part = Superquadric(size=(1, 0.5, 2), exponents=(0.4, 1.3))
    vertices, faces, _ = part_mesh(part, 16)
    keys = {tuple(v): i for i, v in enumerate(np.round(vertices, 12) + 0.0)}
    triangles = {tuple(sorted(f)) for f in faces.tolist()}
    for axis in range(3):
        mirrored = np.round(vertices, 12)
        mirrored[:, axis] *= -1
        image = [keys[tuple(v)] for v in mirrored + 0.0]
        assert {tuple(sorted(image[i] for i in f)) for f in faces.tolist()} == triangles


@pytest.mark.parametrize("resolution", [-1, 0, 2, 2049])
def test_a_resolution_out_of_range_is_refused(resolution):
    with pytest.raises(BadParameter, match=f"resolution is {resolution}"):
        part_mesh(Superquadric(), resolution)


def test_shared_faces_cannot_be_changed_by_accident():
    _, faces, _ = part_mesh(Superquadric(), 8)
    with pytest.raises(ValueError, match="read-only"):
        faces[0, 0] = 5


def test_exponents_are_drawn_on_the_axes_they_belong_to():
    """e1 = 0.13 makes the profile boxy, e2 = 0.89 the outline round; swapped axes would show the opposite."""
    vertices, _, _ = part_mesh(Superquadric(exponents=(0.13, 0.89)), 256)
    x, y, z = vertices.T
    corner_of_profile = np.abs(np.hypot(x, z))[np.abs(y) < 1e-9].max()
    corner_of_outline = np.abs(np.hypot(x, y))[np.abs(z) < 1e-9].max()
    assert corner_of_profile == pytest.approx(2 ** (0.5 - 0.13 / 2), rel=1e-3)
    assert corner_of_outline == pytest.approx(2 ** (0.5 - 0.89 / 2), rel=1e-3)


# ---------------------------------------------------------------------------------------------- samples


@pytest.mark.parametrize("e", PAIRS)
def test_samples_lie_on_the_surface_with_its_normals(e):
    part = Superquadric((1, 2, 3), (1, 2, 3, 4), (1, 0.5, 0.02), e, (0.3, -0.6))
    points, normals = sample_surface(part, 3000, np.random.default_rng(0))
    local = part.to_local(points)
    np.testing.assert_allclose(geometry.gauge(local, part.size, e, part.taper), 1, atol=1e-9)
    expected = geometry.normals(local, part.size, e, part.taper)
    cosine = np.einsum("ij,ij->i", normals @ part.rotation_matrix(), expected)
    assert np.median(cosine) > 1 - 1e-9 and np.mean(cosine > 0.99) > 0.99


@pytest.mark.parametrize("taper", [(0, 0), (0.7, -0.4)])
@pytest.mark.parametrize("size", [(1, 1, 1), (1, 0.7, 0.4), (1, 1, 0.02), (0.05, 0.05, 1)])
@pytest.mark.parametrize("e", [(1, 1), (0.1, 0.1), (0.02, 0.02), (2, 2), (0.1, 1), (1.9, 0.3)])
def test_samples_are_uniform_by_area(e, size, taper):
    """Counts in 60 patches, whose areas come from a finer mesh: no excess of chi-square."""
    from scipy.spatial import cKDTree

    part = Superquadric(size=size, exponents=e, taper=taper)
    vertices, faces, _ = part_mesh(part, 256)
    centres, areas = vertices[faces].mean(axis=1), face_areas(vertices, faces)
    rng = np.random.default_rng(1)
    seeds = cKDTree(centres[rng.choice(len(centres), 60, p=areas / areas.sum())])
    expected = np.bincount(seeds.query(centres)[1], weights=areas, minlength=60)
    n = 6000
    points, _ = sample_surface(part, n, rng)
    counts = np.bincount(seeds.query(points)[1], minlength=60)
    expected *= n / expected.sum()
    # 59 degrees of freedom: 110 is the one-in-20,000 level
    assert ((counts - expected) ** 2 / np.maximum(expected, 1)).sum() < 110


def test_samples_of_a_boxy_part_leave_no_holes():
    """The case where sampling in angles leaves holes of 0.67 on a 1 x 0.7 x 0.4 box."""
    from scipy.spatial import cKDTree

    part = Superquadric(size=(1, 0.7, 0.4), exponents=(0.1, 0.1))
    points, _ = sample_surface(part, 2000, np.random.default_rng(2))
    everywhere, _ = sample_surface(part, 20000, np.random.default_rng(3))
    gap = cKDTree(points).query(everywhere)[0]
    expected = 0.5 / np.sqrt(2000 / surface_area(part))  # mean gap of a random pattern of this density
    assert gap.mean() == pytest.approx(expected, rel=0.1)
    assert gap.max() < 4.5 * expected


def test_the_height_on_a_sphere_is_uniform():
    from scipy.stats import kstest

    points, _ = sample_surface(Superquadric(), 4000, np.random.default_rng(4))
    assert kstest(points[:, 2], "uniform", (-1, 2)).pvalue > 1e-3
    # in random order: the first half looks like the second
    assert kstest(points[:500, 2], "uniform", (-1, 2)).pvalue > 1e-3


def test_areas_of_known_bodies():
    assert surface_area(Superquadric()) == pytest.approx(4 * np.pi, rel=5e-3)
    assert surface_area(Superquadric(size=(1, 2, 3), exponents=(0, 0))) == pytest.approx(8 * 11, rel=2e-2)
    assert surface_area(Superquadric(exponents=(2, 2))) == pytest.approx(4 * np.sqrt(3), rel=1e-6)
    assert surface_area(Superquadric(exponents=(2, 1))) == pytest.approx(2 * np.pi * np.sqrt(2), rel=5e-3)


def test_samples_come_in_exact_numbers_and_repeat_with_the_seed():
    part = Superquadric(exponents=(0.3, 0.7))
    for n in (0, 1, 7, 1000):
        points, normals = sample_surface(part, n, np.random.default_rng(5))
        assert points.shape == normals.shape == (n, 3)
    again, _ = sample_surface(part, 1000, np.random.default_rng(5))
    assert np.array_equal(points, again)
    sampler = SurfaceSampler(part)
    assert np.array_equal(sampler.draw(1000, np.random.default_rng(5))[0], points)


@settings(max_examples=30)
@given(part=parts)
def test_samples_are_finite_for_every_part(part):
    points, normals = sample_surface(part, 50, np.random.default_rng(6))
    assert np.isfinite(points).all()
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, rtol=1e-9)


@pytest.mark.bench
def test_a_part_is_meshed_within_two_milliseconds():
    from time import process_time

    spent = []
    for i in range(300):
        part = Superquadric(size=(1, 2, 1 + 0.01 * i), exponents=(0.3 + 0.001 * i, 0.5), taper=(0.1, 0.2))
        start = process_time()
        part_mesh(part, 32)
        spent.append(process_time() - start)
    print(f"part_mesh(32), exponent and size new each time: median {1e3 * np.median(spent):.2f} ms")
    assert np.median(spent) < 2e-3
