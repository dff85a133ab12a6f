"""The 3D view's mathematics against closed forms and independent implementations; no Qt, no OpenGL."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from app.views.scene3d import decorations, gizmo, objects, picking
from app.views.scene3d.camera import STEEPEST, VIEWS, Camera
from app.views.scene3d.objects import Frame, frame_around
from app.views.scene3d.transform import ANGLE_SNAP, Constraint, TransformDrag

SIZE = (800.0, 600.0)
WIDTH, HEIGHT = SIZE
X, Y, Z = np.eye(3)
AXIS_NAMES = "xyz"

cameras = st.builds(
    lambda a, e, d, c, parallel, up: Camera(np.array(c), d, a, e, 35.0, parallel, up),
    st.floats(-180, 180),
    st.floats(-STEEPEST, STEEPEST),
    st.floats(0.05, 20),
    st.tuples(*[st.floats(-0.5, 0.5)] * 3),
    st.booleans(),
    st.sampled_from([1, 2]),
)
pixels = st.tuples(st.floats(1, WIDTH - 1), st.floats(1, HEIGHT - 1))


# --------------------------------------------------------------------------------------------------- camera


@given(cameras)
def test_axes_are_right_handed_and_up_stays_upright(camera):
    axes = np.stack(camera.axes())
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1)
    assert axes[0][camera.up] == pytest.approx(0, abs=1e-12)
    assert axes[1][camera.up] >= 0
    assert np.linalg.norm(camera.eye - camera.center) == pytest.approx(camera.distance)


@given(cameras)
def test_the_centre_lies_in_the_middle_of_the_picture(camera):
    x, y, _ = camera.project(camera.center, *SIZE)
    assert (x, y) == pytest.approx((WIDTH / 2, HEIGHT / 2), abs=1e-6)


@given(cameras, pixels, st.floats(0.1, 3))
def test_a_ray_runs_through_its_own_pixel(camera, pixel, share):
    origin, direction = camera.ray(*pixel, *SIZE)
    assert np.linalg.norm(direction) == pytest.approx(1)
    point = origin + share * camera.distance * direction
    assert camera.project(point, *SIZE)[:2] == pytest.approx(pixel, abs=1e-5)


@given(cameras, st.tuples(*[st.floats(-0.5, 0.5)] * 3))
def test_pixel_size_is_what_a_small_step_across_covers(camera, shift):
    # Close to the centre, so that the point is in front of the eye.
    point = camera.center + 0.2 * camera.distance * np.array(shift)
    right = camera.axes()[0]
    step = camera.pixel_size(point, HEIGHT)
    a, b = camera.project(np.stack([point, point + step * right]), *SIZE)
    assert b[0] - a[0] == pytest.approx(1, rel=1e-6)
    assert b[1] == pytest.approx(a[1], abs=1e-6)


def test_projection_agrees_with_one_worked_out_by_hand():
    camera = Camera(np.zeros(3), 2.0, -90.0, 0.0, 90.0)
    # The eye is at (0, -2, 0) and looks along +y; at 90 degrees half the height is the depth.
    assert camera.eye == pytest.approx((0, -2, 0))
    x, y, _ = camera.project([1.0, 0.0, 0.5], 400, 400)
    assert (x, y) == pytest.approx((200 + 200 * 1 / 2, 200 - 200 * 0.5 / 2))


@given(cameras)
def test_behind_the_eye_there_is_no_pixel(camera):
    behind = camera.eye + 0.5 * camera.distance * camera.axes()[2]
    x, y, _ = camera.project(behind, *SIZE)
    assert camera.parallel or (np.isnan(x) and np.isnan(y))


@given(cameras)
def test_depth_grows_away_from_the_eye(camera):
    back = camera.axes()[2]
    points = camera.center - np.linspace(-0.4, 2, 8)[:, None] * camera.distance * back
    depth = camera.project(points, *SIZE)[:, 2]
    assert (np.diff(depth) > 0).all()


@given(cameras, st.floats(-500, 500), st.floats(-500, 500))
def test_orbit_keeps_centre_and_distance(camera, dx, dy):
    center, distance = camera.center.copy(), camera.distance
    camera.orbit(dx, dy)
    assert (camera.center == center).all() and camera.distance == distance
    assert -180 <= camera.azimuth <= 180 and abs(camera.elevation) <= STEEPEST
    assert np.isfinite(camera.view()).all()


@given(cameras, st.floats(-300, 300), st.floats(-300, 300))
def test_panning_moves_the_picture_with_the_pointer(camera, dx, dy):
    before = camera.center.copy()
    camera.pan(dx, dy, HEIGHT)
    x, y, _ = camera.project(before, *SIZE)
    assert (x - WIDTH / 2, y - HEIGHT / 2) == pytest.approx((dx, dy), abs=1e-5)


@given(cameras, pixels, st.floats(-5, 5))
def test_zooming_keeps_what_is_under_the_pointer(camera, pixel, steps):
    right, up, _ = camera.axes()
    step = camera.pixel_size(camera.center, HEIGHT)
    fixed = camera.center + step * ((pixel[0] - WIDTH / 2) * right + (HEIGHT / 2 - pixel[1]) * up)
    distance = camera.distance
    camera.zoom(steps, *pixel, *SIZE)
    assert camera.project(fixed, *SIZE)[:2] == pytest.approx(pixel, abs=1e-4)
    assert (camera.distance - distance) * steps <= 0


def test_zoom_stops_at_both_ends():
    camera = Camera()
    camera.zoom(1000, 0, 0, *SIZE)
    assert 0 < camera.distance < 1e-3
    camera.zoom(-1000, 0, 0, *SIZE)
    assert 10 < camera.distance < 1000 and np.isfinite(camera.center).all()


@given(cameras)
def test_flying_moves_eye_and_centre_together(camera):
    eye, center = camera.eye, camera.center.copy()
    right, up, back = camera.axes()
    camera.fly(0.3, 0.2, 0.1)
    expected = -0.3 * back + 0.2 * right + 0.1 * up
    np.testing.assert_allclose(camera.eye - eye, expected, atol=1e-9)
    np.testing.assert_allclose(camera.center - center, expected, atol=1e-9)


@given(
    cameras,
    st.tuples(*[st.floats(-0.4, 0.4)] * 3),
    st.tuples(*[st.floats(1e-3, 1)] * 3),
    st.sampled_from([0.5, 1.0, 2.5]),
)
def test_framing_shows_the_whole_box_and_fills_the_view(camera, low, extent, aspect):
    box = np.array([low, np.add(low, extent)])
    camera.frame(box, aspect)
    corners = np.array([[box[i][0], box[j][1], box[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    x, y, _ = camera.project(corners, 600 * aspect, 600).T
    assert (x >= 0).all() and (x <= 600 * aspect).all() and (y >= 0).all() and (y <= 600).all()
    # The box is at least a good part of the narrower side, even a thin one seen end on excepted.
    sphere = np.linalg.norm(extent) / camera.pixel_size(camera.center, 600)
    assert sphere > 0.6 * 600 * min(aspect, 1)


@pytest.mark.parametrize("up", [1, 2])
@pytest.mark.parametrize("name", sorted(VIEWS))
def test_named_views_look_along_an_axis(name, up):
    camera = Camera(up=up)
    camera.look_from(name)
    back = camera.axes()[2]
    side = {1: Z, 2: -Y}[up]
    expected = {"front": side, "right": X, "top": np.eye(3)[up]}[name]
    np.testing.assert_allclose(back, expected, atol=2e-3)


@pytest.mark.parametrize("parallel", [False, True])
def test_both_projections_agree_at_the_centre(parallel):
    camera = Camera(parallel=parallel)
    right = camera.axes()[0]
    x, _, _ = camera.project(0.1 * right, *SIZE)
    half = math.tan(math.radians(35 / 2)) * 2.0
    assert x - WIDTH / 2 == pytest.approx(0.1 / half * HEIGHT / 2)


# -------------------------------------------------------------------------------------------------- objects


def test_bad_faces_and_vertices_are_left_out_and_indices_stay():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [np.nan, 0, 0], [0, 0, np.inf], [1, 1, 0]])
    faces = [[0, 1, 2], [0, 1, 3], [1, 2, 4], [0, 1, 9], [-1, 0, 1]]
    points, triangles = objects.checked_mesh(vertices, np.array(faces))
    assert triangles.tolist() == [[0, 1, 2]] and triangles.dtype == np.uint32
    assert len(points) == 6 and np.isfinite(points).all()


@pytest.mark.parametrize(
    "points",
    [
        np.array([["a", "b", "c"]]),
        np.array([[None, 1, 2]], object),
        np.zeros((4, 2)),
        np.zeros(6),
        np.zeros((2, 3, 1)),
        np.zeros((4, 3), complex),
        np.ones((4, 3), bool),
    ],
)
def test_what_is_not_points_is_refused_in_words(points):
    with pytest.raises(ValueError, match="points must be numbers"):
        objects.checked_points(points)


@pytest.mark.parametrize(
    "faces", [np.array([[0.0, 1.0, 2.0]]), np.array([[0, 1]]), np.array([["0", "1", "2"]])]
)
def test_what_is_not_faces_is_refused_in_words(faces):
    with pytest.raises(ValueError, match="faces must be whole numbers"):
        objects.checked_mesh(np.eye(3), faces)


@pytest.mark.parametrize("points", [np.empty((0, 3)), [], np.full((5, 3), np.nan), np.zeros((0, 3), np.int8)])
def test_nothing_and_only_nan_are_an_empty_cloud(points):
    assert objects.checked_points(points).shape == (0, 3)


def test_an_empty_mesh_stays_empty():
    points, faces = objects.checked_mesh(np.empty((0, 3)), np.empty((0, 3), int))
    assert len(points) == 0 and len(faces) == 0
    assert objects.vertex_normals(points, faces).shape == (0, 3)


def test_normals_agree_with_trimesh_and_are_zero_without_an_area():
    mesh = trimesh.creation.icosphere(subdivisions=2)
    made = objects.vertex_normals(np.asarray(mesh.vertices), mesh.faces.astype(np.uint32))
    np.testing.assert_allclose(
        made, mesh.vertices / np.linalg.norm(mesh.vertices, axis=1)[:, None], atol=0.03
    )
    flat = objects.vertex_normals(np.zeros((3, 3)), np.array([[0, 1, 2]], np.uint32))
    assert (flat == 0).all()


def test_a_small_cloud_is_drawn_whole_and_a_large_one_thinned_evenly(monkeypatch):
    monkeypatch.setattr(objects, "MAX_POINTS", 60_000)
    assert (np.sort(objects.thinned(1000)) == np.arange(1000)).all()
    chosen = objects.thinned(3 * objects.MAX_POINTS)
    assert len(chosen) == len(np.unique(chosen)) == objects.MAX_POINTS
    thirds = np.bincount(chosen // objects.MAX_POINTS) / objects.MAX_POINTS
    np.testing.assert_allclose(thirds, 1 / 3, atol=0.02)


@given(st.sampled_from([1e-4, 1.0, 1e6]), st.sampled_from([0.0, 7.6e5, 6.3e6]))
def test_scene_coordinates_are_small_and_lose_nothing(size, offset):
    box = np.array([[offset] * 3, [offset + size, offset + 2 * size, offset + size]])
    frame = frame_around([box])
    scene = frame.to_scene(box)
    assert np.abs(scene).max() <= 0.51
    assert np.linalg.norm(scene[1] - scene[0]) == pytest.approx(1, rel=1e-6)
    np.testing.assert_allclose(frame.to_world(scene), box, rtol=1e-14, atol=1e-12 * size)
    # A thousandth of the object's size survives the way through float32.
    points = np.array([box[0], box[0] + 1e-3 * (box[1] - box[0])])
    drawn = frame.to_scene(points).astype(np.float32)
    expected = 1e-3 * np.linalg.norm(box[1] - box[0]) * frame.scale
    assert np.linalg.norm(drawn[1] - drawn[0]) == pytest.approx(expected, rel=0.02)


def test_a_matrix_is_continued_to_the_scene():
    frame = Frame(np.array([1.0, 2.0, 3.0]), 0.25)
    transform = np.eye(4)
    transform[:3, :3] = Rotation.from_euler("xyz", (0.3, -0.2, 1.0)).as_matrix()
    transform[:3, 3] = (4, 5, 6)
    local = np.random.default_rng(1).normal(size=(20, 3))
    matrix = frame.matrix(transform)
    world = local @ transform[:3, :3].T + transform[:3, 3]
    np.testing.assert_allclose(local @ matrix[:3, :3].T + matrix[:3, 3], frame.to_scene(world), atol=1e-12)


@pytest.mark.parametrize("boxes", [[], [np.zeros((2, 3))], [np.full((2, 3), 5.0)]])
def test_no_box_and_a_single_point_give_a_usable_frame(boxes):
    frame = frame_around(boxes)
    assert frame.scale == 1.0 and np.isfinite(frame.to_scene([5.0, 5.0, 5.0])).all()


# -------------------------------------------------------------------------------------------------- picking


def pickable(number, mesh, matrix=None):
    vertices, faces = np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.uint32)
    return picking.Pickable(number, vertices, faces, np.eye(4) if matrix is None else matrix)


@settings(max_examples=60)
@given(st.integers(0, 2**31))
def test_ray_and_mesh_agree_with_trimesh(seed):
    rng = np.random.default_rng(seed)
    mesh = trimesh.creation.icosphere(subdivisions=2)
    origin, aim = rng.normal(size=3) * 2, rng.normal(size=3) * 0.8
    direction = (aim - origin) / np.linalg.norm(aim - origin)
    found = picking.ray_mesh(np.asarray(mesh.vertices), mesh.faces.astype(np.uint32), origin, direction)
    places, _, _ = mesh.ray.intersects_location([origin], [direction])
    if len(places) == 0:
        assert found is None
    else:
        assert found == pytest.approx(np.linalg.norm(places - origin, axis=1).min(), abs=1e-6)


def test_the_nearest_object_wins_whatever_the_order():
    box = trimesh.creation.box((1, 1, 1))
    far = trimesh.transformations.translation_matrix([0, 3, 0])
    items = [pickable(1, box, far), pickable(2, box)]
    for order in (items, items[::-1]):
        found = picking.pick(order, np.array([0.1, -5, 0.1]), Y)
        assert found is not None and found[0] == 2 and found[1] == pytest.approx(4.5)
    assert picking.pick(items, np.array([2.0, -5, 0]), Y) is None
    assert picking.pick([], np.zeros(3), Y) is None


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_a_scaled_and_turned_object_is_hit_at_the_distance_along_the_ray(scale):
    matrix = np.eye(4)
    matrix[:3, :3] = scale * Rotation.from_euler("z", 45, degrees=True).as_matrix()
    found = picking.pick([pickable(7, trimesh.creation.box(), matrix)], np.array([0, -10 * scale, 0]), Y)
    assert found is not None and found[1] == pytest.approx(scale * (10 - math.sqrt(0.5)), rel=1e-6)


def test_a_ray_along_the_side_of_a_box_is_no_trouble():
    box = trimesh.creation.box((1, 1, 1))
    with np.errstate(all="raise"):
        picking.pick([pickable(1, box)], np.array([0.5, -5.0, 0.0]), Y)
    empty = picking.Pickable(1, np.zeros((0, 3)), np.zeros((0, 3), np.uint32), np.eye(4))
    assert picking.pick([empty], np.zeros(3), Y) is None


@pytest.mark.parametrize("parallel", [False, True])
def test_the_pixel_of_a_surface_point_picks_its_object(parallel):
    camera = Camera(parallel=parallel)
    rng = np.random.default_rng(3)
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.1)
    places = np.array([[-0.3, -0.3, 0], [0.3, -0.3, 0], [-0.3, 0.3, 0], [0.3, 0.3, 0.2]])
    items = [pickable(i, ball, trimesh.transformations.translation_matrix(p)) for i, p in enumerate(places)]
    for i, place in enumerate(places):
        x, y, _ = camera.project(place + 0.02 * rng.normal(size=3), *SIZE)
        found = picking.pick(items, *camera.ray(x, y, *SIZE))
        assert found is not None and found[0] == i


def test_a_rectangle_holds_what_it_touches_and_nothing_else():
    camera = Camera()
    box = trimesh.creation.icosphere(subdivisions=2, radius=0.1)
    places = (-0.4 * X, 0.4 * X)
    items = [pickable(i, box, trimesh.transformations.translation_matrix(p)) for i, p in enumerate(places)]
    for i, place in enumerate(places):
        x, y, _ = camera.project(place, *SIZE)
        corners = (x - 60, y - 60, x + 60, y + 60)
        assert picking.inside_rectangle(items, camera, *SIZE, corners) == (i,)
        turned = (x + 60, y + 60, x - 60, y - 60)
        assert picking.inside_rectangle(items, camera, *SIZE, turned) == (i,)
    assert picking.inside_rectangle(items, camera, *SIZE, (0, 0, WIDTH, HEIGHT)) == (0, 1)
    assert picking.inside_rectangle(items, camera, *SIZE, (0, 0, 3, 3)) == ()


# ------------------------------------------------------------------------------------------------ transform

LOCAL = Rotation.from_euler("xyz", (20, 35, -50), degrees=True).as_matrix()
PIVOT = np.array([0.1, -0.05, 0.07])
FRAME = Frame(np.array([100.0, 200.0, 300.0]), 0.5)
CONSTRAINTS = [Constraint()] + [
    Constraint(k, i, loc) for k in ("axis", "plane") for i in range(3) for loc in (0, 1)
]


def drag(kind, constraint=None, camera=None, frame=FRAME, **more):
    camera = camera or Camera(azimuth=-50, elevation=30)
    x, y, _ = camera.project(PIVOT, *SIZE)
    start = more.pop("start", (float(x) + 40.0, float(y) - 30.0))
    return TransformDrag(kind, camera, frame, PIVOT, LOCAL, SIZE, start, constraint or Constraint(), **more)


def type_in(made, text):
    for letter in text:
        assert made.key(letter)
    return made.delta()


def axes_of(constraint):
    return LOCAL if constraint.local else np.eye(3)


@pytest.mark.parametrize("kind", ["translate", "rotate", "scale"])
@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
def test_without_movement_nothing_changes(kind, constraint):
    delta = drag(kind, constraint).delta()
    assert delta.kind == kind and delta.local == constraint.local
    assert delta.pivot == pytest.approx(FRAME.to_world(PIVOT))
    assert delta.translation == pytest.approx((0, 0, 0), abs=1e-9)
    assert delta.rotation == pytest.approx((1, 0, 0, 0), abs=1e-9)
    assert delta.scale == pytest.approx((1, 1, 1), abs=1e-9)


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
@pytest.mark.parametrize("parallel", [False, True])
def test_a_move_obeys_its_constraint(constraint, parallel):
    made = drag("translate", constraint, Camera(azimuth=-50, elevation=30, parallel=parallel))
    made.pointer = (made.start[0] + 55, made.start[1] - 35)
    world = np.array(made.delta().translation)
    assert np.linalg.norm(world) > 1e-3
    along = axes_of(constraint).T @ world
    if constraint.kind == "axis":
        np.testing.assert_allclose(np.delete(along, constraint.axis), 0, atol=1e-9)
    elif constraint.kind == "plane":
        assert along[constraint.axis] == pytest.approx(0, abs=1e-9)
    else:
        assert world @ made.camera.axes()[2] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("constraint", [c for c in CONSTRAINTS if c.kind == "axis"], ids=str)
@pytest.mark.parametrize("amount", [0.2, -0.15])
def test_dragging_along_an_arm_moves_by_what_the_pointer_covers(constraint, amount):
    """Forward and back: the pointer follows a known point of the axis and the drag finds the amount."""
    camera = Camera(azimuth=-50, elevation=30)
    axis = axes_of(constraint)[:, constraint.axis]
    ends = camera.project(np.stack([PIVOT + 0.05 * axis, PIVOT + (0.05 + amount) * axis]), *SIZE)[:, :2]
    made = drag("translate", constraint, camera, start=tuple(ends[0]))
    made.pointer = tuple(ends[1])
    np.testing.assert_allclose(made.delta().translation, amount / FRAME.scale * axis, atol=1e-9)


@pytest.mark.parametrize("constraint", [c for c in CONSTRAINTS if c.kind == "plane"], ids=str)
def test_dragging_in_a_plane_keeps_the_grabbed_point_under_the_pointer(constraint):
    camera = Camera(azimuth=-50, elevation=30)
    axes = axes_of(constraint)
    u, v = (axes[:, (constraint.axis + i) % 3] for i in (1, 2))
    grabbed, target = PIVOT + 0.03 * u + 0.02 * v, PIVOT + 0.1 * u - 0.06 * v
    ends = camera.project(np.stack([grabbed, target]), *SIZE)[:, :2]
    made = drag("translate", constraint, camera, start=tuple(ends[0]))
    made.pointer = tuple(ends[1])
    np.testing.assert_allclose(made.delta().translation, (target - grabbed) / FRAME.scale, atol=1e-8)


@given(st.integers(0, len(CONSTRAINTS) - 1), st.floats(-150, 150), st.floats(-150, 150))
def test_a_rotation_is_about_its_axis_and_a_unit_quaternion(index, dx, dy):
    constraint = CONSTRAINTS[index]
    made = drag("rotate", constraint)
    made.pointer = (made.start[0] + dx, made.start[1] + dy)
    w, *xyz = made.delta().rotation
    assert w * w + np.dot(xyz, xyz) == pytest.approx(1)
    free = constraint.kind == "free"
    axis = made.camera.axes()[2] if free else axes_of(constraint)[:, constraint.axis]
    np.testing.assert_allclose(np.cross(xyz, axis), 0, atol=1e-9)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("degrees", [25.0, -70.0, 120.0])
def test_the_pointer_on_a_ring_turns_by_the_angle_it_went(axis, local, degrees):
    camera = Camera(azimuth=-50, elevation=40)
    constraint = Constraint("axis", axis, local)
    axes = axes_of(constraint)
    if abs(axes[:, axis] @ camera.axes()[2]) < 0.2:
        pytest.skip("edge on, the ring is rolled and not followed")
    u = axes[:, (axis + 1) % 3]
    turn = Rotation.from_rotvec(math.radians(degrees) * axes[:, axis])
    ends = camera.project(np.stack([PIVOT + 0.1 * u, PIVOT + 0.1 * turn.apply(u)]), *SIZE)[:, :2]
    made = drag("rotate", constraint, camera, start=tuple(ends[0]))
    made.pointer = tuple(ends[1])
    w, x, y, z = made.delta().rotation
    found = Rotation.from_quat([x, y, z, w])
    np.testing.assert_allclose(found.as_matrix(), turn.as_matrix(), atol=1e-8)


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
def test_a_scale_follows_the_distance_from_the_pivot(constraint):
    made = drag("scale", constraint)
    center = made.camera.project(PIVOT, *SIZE)[:2]
    made.pointer = tuple(center + 1.5 * (np.array(made.start) - center))
    expected = {"free": [1.5] * 3, "axis": [1.0] * 3, "plane": [1.5] * 3}[constraint.kind]
    if constraint.kind != "free":
        expected[constraint.axis] = 1.5 if constraint.kind == "axis" else 1.0
    assert made.delta().scale == pytest.approx(expected)
    made.pointer = tuple(center)
    assert min(made.delta().scale) > 0


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("1", 1),
        ("-2.5", -2.5),
        ("2.5-", -2.5),
        ("2--", 2),
        (".5", 0.5),
        ("12\b3", 13),
        ("-\b\b4", 4),
        ("3.", 3),
    ],
)
@pytest.mark.parametrize("local", [False, True])
def test_typed_numbers_are_exact(keys, value, local):
    made = drag("translate", Constraint("axis", 1, local))
    made.pointer = (0.0, 0.0)  # a number outweighs the pointer
    world = type_in(made, keys).translation
    np.testing.assert_allclose(world, value * axes_of(made.constraint)[:, 1], atol=1e-12)
    assert ("local" in made.delta().text) == local


def test_typed_angles_and_factors():
    w, x, y, z = type_in(drag("rotate", Constraint("axis", 2)), "90").rotation
    assert (w, x, y, z) == pytest.approx((math.sqrt(0.5), 0, 0, math.sqrt(0.5)))
    assert type_in(drag("scale"), "2").scale == (2, 2, 2)
    assert type_in(drag("scale", Constraint("axis", 0)), "0.25").scale == (0.25, 1, 1)
    assert type_in(drag("scale", Constraint("plane", 0)), "3").scale == (1, 3, 3)
    assert type_in(drag("translate"), "2").translation == (2, 0, 0)


@given(st.text(alphabet="0123456789.-\bxq ", max_size=30))
def test_any_typing_gives_a_finite_change(keys):
    for kind in ("translate", "rotate", "scale"):
        made = drag(kind)
        for letter in keys:
            taken = made.key(letter)
            assert taken == (letter in "0123456789-\b") or letter == "."
        assert made.typed.count(".") <= 1 and made.typed.count("-") <= 1
        delta = made.delta()
        assert np.isfinite([*delta.translation, *delta.rotation, *delta.scale]).all()


def test_axis_keys_go_from_world_to_local_to_free():
    made = drag("translate")
    made.lock(0)
    assert made.constraint == Constraint("axis", 0, False)
    made.lock(0)
    assert made.constraint == Constraint("axis", 0, True)
    made.lock(0)
    assert made.constraint == Constraint()
    made.lock(2, plane=True)
    assert made.constraint == Constraint("plane", 2, False)
    made.lock(2)
    assert made.constraint == Constraint("axis", 2, False)
    made.lock(1)
    assert made.constraint == Constraint("axis", 1, False)


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=str)
def test_snapping_a_move_lands_on_the_grid(constraint):
    made = drag("translate", constraint, grid=0.05)
    made.pointer = (made.start[0] + 91, made.start[1] - 57)
    along = axes_of(constraint).T @ made.delta(snap=True).translation
    np.testing.assert_allclose(along / 0.05, np.round(along / 0.05), atol=1e-6)
    exact = axes_of(constraint).T @ made.delta().translation
    assert np.abs(along - exact).max() <= 0.025 + 1e-9


def test_snapping_turns_and_scales_in_steps():
    made = drag("rotate", Constraint("axis", 2))
    made.pointer = (made.start[0] - 33, made.start[1] + 21)
    w, _, _, z = made.delta(snap=True).rotation
    degrees = math.degrees(2 * math.atan2(z, w))
    assert degrees / ANGLE_SNAP == pytest.approx(round(degrees / ANGLE_SNAP), abs=1e-6)
    made = drag("scale")
    made.pointer = (made.start[0] + 13, made.start[1] - 9)
    factor = made.delta(snap=True).scale[0]
    assert factor * 10 == pytest.approx(round(factor * 10)) and factor > 1


def test_fine_moves_a_tenth():
    made = drag("translate", Constraint("axis", 0))
    made.pointer = (made.start[0] + 60, made.start[1] + 10)
    coarse, fine = made.delta().translation, made.delta(fine=True).translation
    np.testing.assert_allclose(fine, np.array(coarse) / 10)


@pytest.mark.parametrize("axis", range(3))
def test_looking_straight_along_an_axis_moves_finitely(axis):
    camera = Camera()
    camera.look_from({0: "right", 1: "front", 2: "top"}[axis])
    for kind in ("axis", "plane"):
        made = drag("translate", Constraint(kind, axis), camera)
        made.pointer = (made.start[0] + 100, made.start[1] - 80)
        moved = np.array(made.delta().translation)
        assert np.isfinite(moved).all() and np.linalg.norm(moved) < 10


@pytest.mark.parametrize("unit", ["", "mm"])
def test_the_text_names_axis_amount_and_unit(unit):
    made = drag("translate", Constraint("axis", 2), unit=unit)
    assert type_in(made, "-0.034").text == ("dz -0.034 mm" if unit else "dz -0.034")
    assert type_in(drag("rotate", Constraint("axis", 0)), "15").text == "x 15°"
    assert type_in(drag("scale"), "1.25").text == "× 1.25"


# ---------------------------------------------------------------------------------------------------- gizmo


@pytest.mark.parametrize("kind", ["translate", "rotate", "scale"])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("parallel", [False, True])
def test_every_handle_can_be_grabbed(kind, local, parallel):
    camera = Camera(azimuth=-50, elevation=30, parallel=parallel)
    axes = LOCAL if local else np.eye(3)
    found = gizmo.strokes(kind, PIVOT, axes, local, camera, HEIGHT)
    grabbed = set()
    for stroke in found:
        for point in stroke.points:
            x, y, _ = camera.project(point, *SIZE)
            handle = gizmo.handle_at(found, camera, x, y, *SIZE)
            assert handle is not None
            grabbed.add(handle)
    assert grabbed == {stroke.handle for stroke in found}
    locked = [handle.constraint for handle in grabbed if handle.constraint.kind != "free"]
    assert all(constraint.local == local for constraint in locked)
    assert {c.axis for c in locked if c.kind == "axis"} == {0, 1, 2}
    assert gizmo.handle_at(found, camera, 3, 3, *SIZE) is None


@given(cameras, st.sampled_from(["translate", "scale"]))
def test_arms_keep_their_length_on_the_screen(camera, kind):
    found = gizmo.strokes(kind, camera.center, np.eye(3), False, camera, HEIGHT)
    for stroke in found[:3]:
        length = np.linalg.norm(stroke.points[-1] - stroke.points[0])
        assert length / camera.pixel_size(camera.center, HEIGHT) == pytest.approx(gizmo.PIXELS)


def test_a_ring_is_a_half_circle_across_its_axis_facing_the_eye():
    camera = Camera(azimuth=-50, elevation=30)
    for axis, stroke in enumerate(gizmo.strokes("rotate", PIVOT, LOCAL, True, camera, HEIGHT)):
        arms = stroke.points - PIVOT
        np.testing.assert_allclose(arms @ LOCAL[:, axis], 0, atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(arms, axis=1), np.linalg.norm(arms[0]))
        assert (arms @ camera.axes()[2] >= -1e-9).all()


def test_handles_behind_the_eye_cannot_be_grabbed():
    camera = Camera()
    behind = camera.eye + camera.axes()[2]
    found = gizmo.strokes("translate", behind, np.eye(3), False, camera, HEIGHT)
    assert gizmo.handle_at(found, camera, WIDTH / 2, HEIGHT / 2, *SIZE) is None


# ---------------------------------------------------------------------------------------------- decorations


@given(st.floats(1e-9, 1e9))
def test_the_grid_step_is_round_and_fits(reach):
    step = decorations.grid_step(reach)
    mantissa = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(mantissa - m) for m in (1, 2, 5, 10)) < 1e-6
    assert reach / 10 * 0.998 <= step <= reach / 4 * 1.002


@pytest.mark.parametrize("up", [1, 2])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e6])
def test_the_ground_lies_under_the_data_on_multiples_of_its_step(size, up):
    box = np.array([[-0.3, -0.2, -0.1], [0.5, 0.4, 0.9]]) * size + 3 * size
    frame = frame_around([box])
    points, colors, step = decorations.grid(box, frame, "#343943", up)
    world = frame.to_world(points)
    np.testing.assert_allclose(world[:, up], box[0, up], rtol=1e-9)
    flat = [axis for axis in range(3) if axis != up]
    assert (world[:, flat].min(axis=0) < box[0, flat]).all() and (
        world[:, flat].max(axis=0) > box[1, flat]
    ).all()
    assert len(colors) == len(points) and colors.min() >= 0 and colors.max() <= 1
    # Along every segment one coordinate stays, on a multiple of the step.
    starts, ends = world[0::2][:, flat], world[1::2][:, flat]
    same = np.isclose(starts, ends, rtol=0, atol=1e-6 * step)
    assert (same.sum(axis=1) == 1).all()
    on_line = starts[same] / step
    np.testing.assert_allclose(on_line, np.round(on_line), atol=1e-5)


@given(cameras, st.floats(1, 8))
def test_a_ribbon_is_as_wide_as_asked(camera, width):
    right, up, _ = camera.axes()
    line = np.stack([camera.center, camera.center + 0.1 * camera.distance * (right + 0.3 * up)])
    made = decorations.ribbon(line, camera, width, HEIGHT)
    assert made.shape == (6, 3)
    sides = camera.project(made[[0, 5]], *SIZE)[:, :2]
    assert np.linalg.norm(sides[0] - sides[1]) == pytest.approx(width, rel=0.15)


def test_a_line_of_no_length_has_no_ribbon():
    assert decorations.ribbon(np.zeros((2, 3)), Camera(), 3.0, HEIGHT).shape == (0, 3)


@pytest.mark.parametrize("kind", ["translate", "rotate", "scale"])
def test_the_hovered_handle_changes_its_colour(kind):
    camera = Camera(azimuth=-50, elevation=30)
    found = gizmo.strokes(kind, PIVOT, np.eye(3), False, camera, HEIGHT)
    plain, lit = (
        decorations.gizmo_triangles(found, hovered, camera, HEIGHT) for hovered in (None, found[0].handle)
    )
    np.testing.assert_array_equal(plain[0], lit[0])
    assert np.isfinite(plain[0]).all() and len(plain[0]) == len(plain[1])
    changed = (plain[1] != lit[1]).any(axis=1)
    assert changed.any() and not changed.all()
    assert (lit[1][changed][:, :3] == objects.rgb(gizmo.HOVER_COLOR)).all()


def test_a_drag_does_not_follow_the_view_s_camera():
    camera = Camera()
    made = drag("translate", Constraint("axis", 0), replace(camera))
    made.pointer = (made.start[0] + 30, made.start[1])
    before = made.delta().translation
    camera.orbit(40, 10)
    assert made.delta().translation == before
