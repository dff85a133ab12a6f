"""The data model: what it refuses, ids and links, rotations, equal descriptions, bounds."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from methods.core.errors import BadInput
from methods.superquadrics import geometry
from methods.superquadrics.model import (
    MAX_PARTS,
    Shape,
    Superquadric,
    canonical,
    matrix_to_quaternion,
    quaternion_to_matrix,
)
from methods.superquadrics.surface import part_mesh

RNG_SEED = 7


def random_part(rng, **fields):
    values = {
        "translation": rng.normal(size=3),
        "rotation": rng.normal(size=4),
        "size": rng.uniform(0.05, 2, 3),
        "exponents": rng.uniform(0, 2, 2),
        "taper": rng.uniform(-0.9, 0.9, 2),
    }
    return Superquadric(**(values | fields))


def gauge_at(part, points):
    return geometry.gauge(part.to_local(points), part.size, part.exponents, part.taper)


# ------------------------------------------------------------------------------------------- one part


def test_values_are_stored_as_plain_floats_and_never_changed():
    position = np.float32([0.1, 2, 3])
    part = Superquadric(translation=position, exponents=(0, 2), rotation=[2, 0, 0, 0], id=np.int64(3))
    assert part.translation == (float(np.float32(0.1)), 2.0, 3.0)
    assert part.exponents == (0.0, 2.0)
    assert part.rotation == (2.0, 0.0, 0.0, 0.0)
    assert all(type(v) is float for v in part.translation + part.size) and type(part.id) is int
    with pytest.raises(FrozenInstanceError):
        part.size = (1, 1, 1)
    assert len({part, replace(part)}) == 1


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"translation": (0, 0)}, "translation has 2 numbers; it must have 3"),
        ({"translation": (0, np.nan, 0)}, "translation is [0, nan, 0]; every number must be finite"),
        ({"translation": "abc"}, "translation is 'abc'; it must be 3 numbers"),
        ({"translation": None}, "translation is None"),
        ({"rotation": (0, 0, 0, 0)}, "rotation is the zero quaternion"),
        ({"rotation": (1, 0, 0, np.inf)}, "rotation is [1, 0, 0, inf]"),
        ({"size": (1, 0, 1)}, "size is [1, 0, 1]; every semi-axis must be greater than 0"),
        ({"size": (1, -2, 1)}, "size is [1, -2, 1]"),
        ({"size": (1, 1e308, 1)}, "size is [1, 1e+308, 1]; every number must be below 1e+30"),
        ({"size": (1, 1e-320, 1)}, "every semi-axis must be at least 1e-100"),
        ({"translation": (0, -1e308, 0)}, "translation is [0, -1e+308, 0]; every number must be below"),
        ({"mirror_offset": 1e300}, "mirror_offset is [1e+300]"),
        ({"exponents": (-0.01, 1)}, "exponents is [-0.01, 1]; both must lie in [0, 2]"),
        ({"exponents": (1, 2.001)}, "exponents is [1, 2.001]"),
        ({"taper": (1, 0)}, "taper is [1, 0]; both must lie between -1 and 1"),
        ({"taper": (0, -1.5)}, "taper is [0, -1.5]"),
        ({"name": "a\nb"}, "name holds a control character"),
        ({"name": "\ud800"}, "name holds a control character"),
        ({"name": "x" * 201}, "name has 201 characters"),
        ({"name": 7}, "name is 7; it must be text"),
        ({"group": "\0"}, "group holds a control character"),
        ({"color": "red"}, "color is 'red'"),
        ({"color": "#12345"}, "color is '#12345'"),
        ({"color": "#123456\n"}, "color is '#123456"),
        ({"id": -1}, "id is -1"),
        ({"id": True}, "id is True"),
        ({"mirror": 1.5}, "mirror is 1.5"),
        ({"mirror_axis": "w"}, "mirror_axis is 'w'"),
    ],
)
def test_a_bad_value_is_refused_with_the_field_and_a_remedy(fields, message):
    with pytest.raises(BadInput) as caught:
        Superquadric(**fields)
    assert message in caught.value.what
    assert "\n" not in str(caught.value)
    assert caught.value.remedy


def test_frames_are_inverse_and_columns_are_the_axes():
    rng = np.random.default_rng(RNG_SEED)
    part = random_part(rng)
    points = rng.normal(size=(50, 3))
    np.testing.assert_allclose(part.to_local(part.to_world(points)), points, atol=1e-12)
    tip = part.to_world([0.0, 0.0, 1.0]) - part.translation
    np.testing.assert_allclose(tip, part.rotation_matrix()[:, 2], atol=1e-15)


# ------------------------------------------------------------------------------------------ rotations


def test_quaternions_agree_with_scipy():
    rng = np.random.default_rng(RNG_SEED)
    quaternions = rng.normal(size=(200, 4))
    reference = Rotation.from_quat(quaternions[:, [1, 2, 3, 0]])
    np.testing.assert_allclose(quaternion_to_matrix(quaternions), reference.as_matrix(), atol=1e-14)
    for matrix in (*reference.as_matrix(), *Rotation.create_group("O").as_matrix()):
        q = matrix_to_quaternion(matrix)
        assert q[0] >= 0 and abs(sum(v * v for v in q) - 1) < 1e-14
        np.testing.assert_allclose(quaternion_to_matrix(q), matrix, atol=1e-14)


@pytest.mark.parametrize("length", [1e-300, 1e-160, 1e160, 1e300])
def test_quaternions_of_any_length_rotate_the_same(length):
    q = np.array([0.3, -0.2, 0.9, 0.1])
    np.testing.assert_allclose(quaternion_to_matrix(q * length), quaternion_to_matrix(q), atol=1e-15)
    assert np.array_equal(quaternion_to_matrix([length, 0, 0, 0]), np.eye(3))


# --------------------------------------------------------------------------------------------- shapes


def test_new_parts_get_free_ids_and_old_ids_stay():
    shape = Shape((Superquadric(), Superquadric(id=5), Superquadric()))
    assert [part.id for part in shape.parts] == [6, 5, 7]
    shape = shape.with_parts((*shape.parts[1:], Superquadric(name="new")))
    assert [part.id for part in shape.parts] == [5, 7, 8]


def test_duplicate_ids_and_too_many_parts_are_refused():
    with pytest.raises(BadInput, match="Two parts have the id 4"):
        Shape((Superquadric(id=4), Superquadric(id=4)))
    assert len(Shape((Superquadric(),) * MAX_PARTS)) == MAX_PARTS
    with pytest.raises(BadInput, match="257 parts"):
        Shape((Superquadric(),) * (MAX_PARTS + 1))


def test_a_link_to_a_removed_partner_is_dropped():
    shape = Shape((Superquadric(id=1, mirror=2), Superquadric(id=2, mirror=1)))
    assert [part.mirror for part in shape.parts] == [2, 1]
    assert shape.with_parts(shape.parts[:1]).parts[0].mirror is None


def test_lookup_and_replacement_by_id():
    shape = Shape((Superquadric(id=3), Superquadric(id=9)), unit="mm")
    moved = replace(shape.part(9), translation=(1, 2, 3))
    changed = shape.replace_part(moved)
    assert changed.part(9) == moved and changed.part(3) is shape.part(3) and changed.unit == "mm"
    with pytest.raises(KeyError):
        shape.part(4)
    with pytest.raises(KeyError):
        shape.replace_part(Superquadric(id=4))


def test_parameters_are_batched_and_respect_visibility():
    rng = np.random.default_rng(RNG_SEED)
    shape = Shape((random_part(rng), random_part(rng, visible=False), random_part(rng)))
    everything, shown = shape.parameters(), shape.parameters(visible_only=True)
    assert len(everything) == 3 and everything.rotation.shape == (3, 3, 3)
    assert np.array_equal(shown.size, [shape.parts[0].size, shape.parts[2].size])
    np.testing.assert_allclose(everything.rotation[1], shape.parts[1].rotation_matrix(), atol=1e-15)
    tensors = everything.to_torch()
    assert np.array_equal(tensors.exponents.numpy(), everything.exponents)
    assert len(Shape().parameters()) == 0 and Shape().parameters().rotation.shape == (0, 3, 3)


@pytest.mark.parametrize("tapered", [False, True])
def test_bounds_enclose_the_mesh_tightly(tapered):
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(15):
        part = random_part(rng, **({} if tapered else {"taper": (0, 0)}))
        vertices, _, _ = part_mesh(part, 128)
        low, high = part.bounds()
        extent = high - low
        assert (vertices >= low - 2e-5 * extent).all() and (vertices <= high + 2e-5 * extent).all()
        np.testing.assert_allclose(vertices.max(0) - vertices.min(0), extent, rtol=0.01)


def test_shape_bounds_are_the_union_and_need_a_part():
    shape = Shape((Superquadric(translation=(5, 0, 0)), Superquadric(translation=(-5, 0, 0), visible=False)))
    np.testing.assert_allclose(shape.bounds(), [[-6, -1, -1], [6, 1, 1]], rtol=1e-3)
    np.testing.assert_allclose(shape.bounds(visible_only=True), [[4, -1, -1], [6, 1, 1]], rtol=1e-3)
    with pytest.raises(BadInput, match="no parts"):
        Shape().bounds()


# ------------------------------------------------------------------------------------ equal descriptions


def turned(part, matrix):
    """The same solid, described in a frame turned by a rotation that maps the z axis on to itself."""
    flip = matrix[2, 2]
    return replace(
        part,
        rotation=matrix_to_quaternion(part.rotation_matrix() @ matrix),
        size=tuple(np.abs(matrix).T @ part.size),
        taper=tuple(flip * (np.abs(matrix[:2, :2]).T @ part.taper)),
    )


D4 = [m for m in Rotation.create_group("O").as_matrix() if abs(m[2, 2]) > 0.5]


def test_all_eight_descriptions_become_one():
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(10):
        part = random_part(rng)
        points = part.to_world(rng.uniform(-2, 2, (200, 3)) * part.size)
        first = canonical(part)
        np.testing.assert_allclose(gauge_at(first, points), gauge_at(part, points), rtol=1e-9)
        angle = Rotation.from_matrix(first.rotation_matrix()).magnitude()
        for matrix in D4:
            other = turned(part, matrix)
            np.testing.assert_allclose(gauge_at(other, points), gauge_at(part, points), rtol=1e-9)
            assert Rotation.from_matrix(other.rotation_matrix()).magnitude() >= angle - 1e-9
            again = canonical(other)
            for field in ("rotation", "size", "taper", "exponents"):
                np.testing.assert_allclose(getattr(again, field), getattr(first, field), atol=1e-9)


def test_equal_exponents_allow_all_24_turns():
    rng = np.random.default_rng(RNG_SEED)
    part = Superquadric(size=(3, 1, 2), exponents=(0.4, 0.4))
    turn = Rotation.create_group("O").as_matrix()
    for matrix in turn:
        other = replace(part, rotation=matrix_to_quaternion(matrix), size=tuple(np.abs(matrix).T @ part.size))
        points = rng.uniform(-4, 4, (100, 3))
        np.testing.assert_allclose(gauge_at(canonical(other), points), gauge_at(part, points), rtol=1e-9)
        np.testing.assert_allclose(canonical(other).size, part.size)
        np.testing.assert_allclose(canonical(other).rotation, (1, 0, 0, 0), atol=1e-12)


def test_the_spin_of_a_body_of_revolution_is_removed():
    spin = Rotation.from_euler("z", 37, degrees=True).as_matrix()
    part = Superquadric(size=(1, 1, 3), exponents=(0.2, 1), rotation=matrix_to_quaternion(spin))
    np.testing.assert_allclose(canonical(part).rotation, (1, 0, 0, 0), atol=1e-12)
    tilted = Rotation.from_euler("x", 20, degrees=True).as_matrix()
    part = replace(part, rotation=matrix_to_quaternion(tilted @ spin))
    np.testing.assert_allclose(quaternion_to_matrix(canonical(part).rotation), tilted, atol=1e-9)
