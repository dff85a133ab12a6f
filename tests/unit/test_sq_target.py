"""Target: occupancy, distance and samples against closed forms and independent implementations."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.superquadrics import topology
from methods.superquadrics.target import Target, guess_unit
from tests.shared import shared_path


def box(size=(1.0, 1.0, 1.0), at=(0.0, 0.0, 0.0)):
    mesh = trimesh.creation.box(size)
    return np.asarray(mesh.vertices) + at, np.asarray(mesh.faces)


def joined(*meshes):
    vertices, faces, start = [], [], 0
    for v, f in meshes:
        vertices.append(v)
        faces.append(f + start)
        start += len(v)
    return np.concatenate(vertices), np.concatenate(faces)


def in_box(points, size, at=(0.0, 0.0, 0.0)):
    return (np.abs(points - at) < np.asarray(size) / 2).all(axis=1)


QUERY = np.random.default_rng(1).uniform(-1.2, 1.2, (4000, 3))
V, F = box()

VARIANTS = {
    "as is": F,
    "inverted": F[:, ::-1],
    "mixed orientation": np.where((np.arange(12) % 3 == 0)[:, None], F[:, ::-1], F),
    "every face twice": np.vstack([F, F, [[0, 0, 1]]]),
    "double-sided": np.vstack([F, F[:, ::-1]]),
    "triplicate with mixed sides": np.vstack([F, F[:, ::-1], F[:, [1, 2, 0]]]),
}


@pytest.mark.parametrize("faces", VARIANTS.values(), ids=VARIANTS.keys())
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("unit", [1.0, 1e-4, 1e3])
def test_a_box_is_a_box_however_it_was_written(faces, offset, unit):
    target = Target("box", V * unit + offset, faces)
    digits = 1e-9 * max(offset, unit)
    points = QUERY[np.abs(np.abs(QUERY) - 0.5).min(axis=1) > 1e-4]
    np.testing.assert_array_equal(target.occupancy(points * unit + offset), in_box(points, (1, 1, 1)))
    gap = np.abs(points) - 0.5
    outside = np.linalg.norm(np.maximum(gap, 0), axis=1)
    signed = np.where(outside > 0, outside, gap.max(axis=1))
    np.testing.assert_allclose(target.signed_distance(points * unit + offset), signed * unit, atol=digits)
    assert target.area == pytest.approx(6 * unit**2, rel=1e-5)
    assert target.is_solid


def test_unwelded_triangles_are_the_same_solid():
    soup = V[F].reshape(-1, 3)
    target = Target("soup", soup, np.arange(len(soup)).reshape(-1, 3)[:, ::-1])
    np.testing.assert_array_equal(target.occupancy(QUERY), in_box(QUERY, (1, 1, 1)))
    assert target.turned_faces == 12


@pytest.mark.parametrize("missing", [1, 2])
def test_holes_are_closed_by_the_smoothest_surface(missing):
    target = Target("open box", V, F[missing:])
    wrong = target.occupancy(QUERY) != in_box(QUERY, (1, 1, 1))
    assert wrong.mean() < 0.02
    depth = np.abs(QUERY).max(axis=1)
    assert not wrong[depth < 0.2].any() and not wrong[depth > 0.75].any()


def test_an_open_box_turned_inside_out_is_still_a_box():
    inside = in_box(QUERY, (0.4, 0.4, 0.4))
    assert Target("inverted open box", V, F[2:, ::-1]).occupancy(QUERY)[inside].all()


@pytest.mark.parametrize("outer_turned", [False, True])
def test_a_cavity_stays_a_cavity(outer_turned):
    inner = box((0.5, 0.5, 0.5))
    mesh = joined((V, F), (inner[0], inner[1][:, ::-1]))
    faces = mesh[1][:, ::-1] if outer_turned else mesh[1]
    expected = in_box(QUERY, (1, 1, 1)) & ~in_box(QUERY, (0.5, 0.5, 0.5))
    np.testing.assert_array_equal(Target("hollow", mesh[0], faces).occupancy(QUERY), expected)


def test_a_solid_inside_a_cavity_stays_solid():
    hollow, core = box((0.7, 0.7, 0.7)), box((0.3, 0.3, 0.3))
    mesh = joined((V, F), (hollow[0], hollow[1][:, ::-1]), core)
    expected = in_box(QUERY, (1, 1, 1)) & ~in_box(QUERY, (0.7,) * 3) | in_box(QUERY, (0.3,) * 3)
    np.testing.assert_array_equal(Target("nested", *mesh).occupancy(QUERY), expected)


@pytest.mark.parametrize("turn", [(), (1,), (0, 2), (0, 1, 2)])
def test_overlapping_and_separate_components_are_united(turn):
    places = [(0, 0, 0), (0.4, 0.1, 0), (-0.8, 0.9, 0)]
    parts = [box((0.6, 0.5, 0.4), at) for at in places]
    parts = [(v, f[:, ::-1]) if i in turn else (v, f) for i, (v, f) in enumerate(parts)]
    expected = np.any([in_box(QUERY, (0.6, 0.5, 0.4), at) for at in places], axis=0)
    np.testing.assert_array_equal(Target("three", *joined(*parts)).occupancy(QUERY), expected)


def test_stacked_boxes_that_share_a_wall_are_one_solid():
    lower, upper = box((1, 1, 0.5), (0, 0, -0.25)), box((1, 1, 0.5), (0, 0, 0.25))
    target = Target("stack", *joined(lower, upper))
    near_wall = np.array([[0.1, 0.2, 1e-3], [0.1, 0.2, -1e-3], [-0.3, 0.3, 0.0]])
    assert target.occupancy(near_wall).all()
    np.testing.assert_array_equal(target.occupancy(QUERY), in_box(QUERY, (1, 1, 1)))


def test_loose_sheets_facing_inwards_are_a_solid():
    walls = [V[F[i : i + 1]].reshape(-1, 3) * (1 - 1e-4 * i) for i in range(12)]  # no shared vertex
    faces = np.arange(36).reshape(-1, 3)[:, ::-1]
    target = Target("sheets", np.concatenate(walls), faces)
    assert target.turned_faces == 12
    assert target.occupancy(QUERY)[in_box(QUERY, (0.9,) * 3)].all()


def test_an_open_sheet_is_no_solid():
    x, y = np.meshgrid(np.linspace(0, 1, 12), np.linspace(0, 1, 12))
    vertices = np.stack([x, y, 0.05 * np.sin(6 * x)], axis=-1).reshape(-1, 3)
    corner = (np.arange(11)[:, None] * 12 + np.arange(11)).reshape(-1, 1)
    faces = np.concatenate([corner + np.array([0, 1, 13]), corner + np.array([0, 13, 12])])
    assert not Target("sheet", vertices, faces).is_solid


def test_the_distance_agrees_with_another_implementation():
    mesh = trimesh.creation.torus(1.0, 0.3)
    target = Target("torus", mesh.vertices, mesh.faces)
    _, expected, _ = trimesh.proximity.closest_point_naive(mesh, QUERY[:200])
    distance, foot, face = target.nearest(QUERY[:200])
    np.testing.assert_allclose(distance, expected, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(foot - QUERY[:200], axis=1), distance, atol=1e-9)
    corner = mesh.triangles[face]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    assert np.abs(np.einsum("ij,ij->i", foot - corner[:, 0], normal)).max() < 1e-9


def test_blocks_change_nothing(monkeypatch):
    from methods.superquadrics import mesh_tree

    mesh = trimesh.creation.icosphere(subdivisions=4)
    whole = Target("ball", mesh.vertices, mesh.faces)
    expected = whole.winding(QUERY), whole.nearest(QUERY)
    monkeypatch.setattr(mesh_tree, "BLOCK_FACES", 100)
    cut = Target("ball", mesh.vertices, mesh.faces)
    np.testing.assert_allclose(cut.winding(QUERY), expected[0], atol=0.05)
    distance, foot, _ = cut.nearest(QUERY)
    np.testing.assert_allclose(distance, expected[1][0], atol=1e-12)
    np.testing.assert_allclose(foot, expected[1][1], atol=1e-9)
    np.testing.assert_array_equal(cut.occupancy(QUERY), expected[0] > 0.5)


def test_samples_are_uniform_by_area_and_normals_face_out():
    v, f = box((2.0, 1.0, 0.1))
    points, normals = Target("plate", v, f[:, ::-1]).sample(6000, np.random.default_rng(0))
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
    share = np.abs(normals).mean(axis=0)
    area = np.array([0.1, 0.2, 2.0])
    np.testing.assert_allclose(share, area / area.sum(), atol=1e-3)  # stratified: nearly exact
    assert (np.einsum("ij,ij->i", points, normals) > 0).all()
    first = np.abs(normals[:600]).mean(axis=0)  # any leading part is a fair sample too
    np.testing.assert_allclose(first, area / area.sum(), atol=0.04)


def test_the_same_seed_gives_the_same_sample():
    target = Target("box", V, F)
    one, two = (target.sample(100, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(one[0], two[0])


def test_a_cloud_gives_its_points_and_outward_normals():
    ball = trimesh.creation.icosphere(subdivisions=4).vertices * (2.0, 1.0, 0.5) + 1e5
    cloud = Target("cloud", ball)
    points, normals = cloud.sample(1500, np.random.default_rng(0))
    assert len(np.unique(points, axis=0)) == 1500
    gradient = (points - 1e5) / np.array([2.0, 1.0, 0.5]) ** 2
    gradient /= np.linalg.norm(gradient, axis=1, keepdims=True)
    assert np.median(np.einsum("ij,ij->i", gradient, normals)) > 0.99
    assert (np.einsum("ij,ij->i", gradient, normals) > 0).mean() > 0.99
    assert len(cloud.sample(6000, np.random.default_rng(0))[0]) == 6000
    assert cloud.distance(ball[:10] + np.array([0, 0, 1e-3])) == pytest.approx(1e-3, rel=0.1)
    with pytest.raises(BadInput, match="no inside"):
        cloud.occupancy(points)


def test_a_tiny_cloud_still_has_normals():
    for count in (2, 3, 5):
        points, normals = Target("few", np.eye(5, 3)[:count]).sample(count, np.random.default_rng(0))
        assert points.shape == normals.shape == (count, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vertices": np.empty((0, 3))}, "no points"),
        ({"vertices": None}, "no points"),
        ({"vertices": [[0, 0, np.nan]]}, "not finite"),
        ({"vertices": [[0, 0, 0], [0, -1e300, 0]]}, "beyond 1e\\+30"),
        ({"vertices": V, "faces": [[0, 1, 8]]}, "missing vertices"),
        ({"vertices": V, "faces": [[0, 1]]}, "shape"),
        ({"vertices": "abc"}, "not numbers"),
        ({"vertices": V, "normals": V[:3]}, "normals"),
        ({"vertices": V, "faces": F, "part_labels": np.ones(12), "part_names": ("a",)}, "part name"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(arguments, message):
    with pytest.raises(BadInput, match=message):
        Target("t", **arguments)


def test_arrays_are_read_only_and_the_callers_stay_writable():
    mine = V.copy()
    target = Target("box", mine, F)
    with pytest.raises(ValueError, match="read-only"):
        target.vertices[0] = 1
    mine[0, 0] = mine[0, 0]


def test_cancel_comes_through():
    class Stop(BaseException):
        pass

    calls = []

    def check():
        calls.append(1)
        if len(calls) > 3:
            raise Stop

    mesh = trimesh.creation.icosphere(subdivisions=4)
    target = Target("ball", mesh.vertices, mesh.faces)
    with pytest.raises(Stop):
        target.distance(np.repeat(QUERY, 10, axis=0), check=check)


@pytest.mark.parametrize(
    ("diagonal", "unit"),
    [(1.0, "m"), (0.3, "m"), (900.0, "mm"), (95.0, "cm"), (0.0, ""), (1e9, ""), (1e-9, "")],
)
def test_the_unit_is_guessed_from_the_size(diagonal, unit):
    assert guess_unit(diagonal) == unit


def test_the_size_is_shown_with_its_unit():
    assert Target("box", *box((0.4, 0.5, 1.0))).size_text == "0.4 × 0.5 × 1 (m?)"
    assert Target("box", *box((0.4, 0.5, 1.0)), unit="m").size_text == "0.4 × 0.5 × 1 m"
    assert "1,500" in Target("box", *box((400, 500, 1500))).size_text


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_turning_faces_at_random_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    parts = [box((0.5, 0.4, 0.3), at) for at in ((0, 0, 0), (0.3, 0.1, 0.1), (-0.7, 0.5, 0.2))]
    v, f = joined(*parts)
    f = np.where(rng.random((len(f), 1)) < 0.5, f[:, ::-1], f)[rng.permutation(len(f))]
    points = QUERY[:300]
    expected = Target("three", *joined(*parts)).occupancy(points)
    np.testing.assert_array_equal(Target("three", v, f).occupancy(points), expected)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_closed_edges_and_components_agree_with_trimesh(seed):
    rng = np.random.default_rng(seed)
    v, f = joined(*(box(at=at) for at in rng.uniform(-5, 5, (3, 3))))
    f = f[rng.random(len(f)) < rng.choice([0.7, 1.0])]
    if not len(f):
        return
    mesh = trimesh.Trimesh(v, f, process=False)
    welded = topology.weld(v)[f]
    assert bool(topology.edges_of(welded).boundary.any()) != mesh.is_watertight
    assert topology.components(welded)[0] == len(
        {frozenset(c) for c in trimesh.graph.connected_components(mesh.edges, nodes=np.unique(f))}
    )


@pytest.mark.parametrize("name", ["chair", "desk", "lamp", "square_table"])
def test_furniture_is_made_of_solids(name):
    scene = trimesh.load(shared_path("data", "meshes", f"{name}.glb"))
    mesh = scene.to_geometry()
    target = Target(name, mesh.vertices, mesh.faces)
    assert target.is_solid
    rng = np.random.default_rng(0)
    points = rng.uniform(*target.bounds, (60, 3))
    # independent check: ray parity per component, added with the sign of its volume (the bulb is hollow)
    _, component = topology.components(topology.weld(target.vertices)[target.faces])
    shells = np.zeros(len(points))
    direction = np.array([0.0123, 0.0456, 1.0])
    for c in np.unique(component):
        triangles = target.vertices[target.faces[component == c]]
        volume = np.linalg.det(triangles - triangles.mean(axis=(0, 1))).sum()
        shells += np.sign(volume) * (_crossings(triangles, points, direction) % 2)
    assert (target.occupancy(points) != (shells > 0)).mean() <= 0.02


def _crossings(triangles, points, direction):
    """Number of triangles that the ray from each point hits (Moeller & Trumbore 1997)."""
    a, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    p = np.cross(direction, v)
    det = np.einsum("ij,ij->i", u, p)
    count = np.zeros(len(points), dtype=int)
    good = np.abs(det) > 1e-18
    a, u, v, p, det = a[good], u[good], v[good], p[good], det[good]
    for i, point in enumerate(points):
        t = point - a
        s = np.einsum("ij,ij->i", t, p) / det
        q = np.cross(t, u)
        r = q @ direction / det
        count[i] = ((s >= 0) & (r >= 0) & (s + r <= 1) & (np.einsum("ij,ij->i", v, q) / det > 0)).sum()
    return count


def test_the_outer_sample_leaves_hidden_walls_out():
    outer, inner = box((1, 1, 1)), box((0.4, 0.4, 0.4), (0.5, 0, 0))
    target = Target("nested", *joined(outer, inner))
    points, normals, hidden = target.sample_outer(3000, np.random.default_rng(0))
    assert len(points) == len(normals) == 3000
    inside = in_box(points, (0.999,) * 3) | in_box(points, (0.399,) * 3, (0.5, 0, 0))
    assert not inside.any()
    whole, covered = 6 + 6 * 0.16, 0.16 + 4 * 0.08 + 0.16
    assert hidden == pytest.approx(covered / whole, abs=0.01)
    sheet = Target("sheet", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert sheet.sample_outer(50, np.random.default_rng(0))[2] == 0.0
