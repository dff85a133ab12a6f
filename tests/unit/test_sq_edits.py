"""Edits of a shape, and the symmetric links that follow them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.superquadrics import edits
from methods.superquadrics.actions import _part_ids
from methods.superquadrics.geometry import world_gauge
from methods.superquadrics.model import Shape, Superquadric, quaternion_to_matrix
from methods.superquadrics.rotations import (
    euler_xyz_from_quaternion,
    multiply,
    quaternion_from_euler_xyz,
)

unit = st.floats(-1, 1)
quaternions = st.tuples(unit, unit, unit, unit).filter(lambda q: np.linalg.norm(q) > 0.1)
positive = st.floats(0.1, 3)


@st.composite
def parts(draw, **fixed):
    values = {
        "translation": draw(st.tuples(unit, unit, unit)),
        "rotation": draw(quaternions),
        "size": draw(st.tuples(positive, positive, positive)),
        "exponents": draw(st.tuples(st.floats(0.1, 2), st.floats(0.1, 2))),
        "taper": draw(st.tuples(st.floats(-0.8, 0.8), st.floats(-0.8, 0.8))),
    }
    return Superquadric(**(values | fixed))


def gauge_of(part, points):
    return world_gauge(points, Shape((part,)).parameters())[0]


CLOUD = np.random.default_rng(5).normal(size=(200, 3)) * 2


@settings(max_examples=40, deadline=None)
@given(parts(), st.sampled_from("xyz"), st.floats(-2, 2))
def test_a_reflected_part_is_the_reflected_solid(part, axis, offset):
    mirrored = CLOUD.copy()
    mirrored[:, "xyz".index(axis)] = 2 * offset - mirrored[:, "xyz".index(axis)]
    image = edits.reflect(part, axis, offset)
    assert np.linalg.det(image.rotation_matrix()) == pytest.approx(1)
    np.testing.assert_allclose(gauge_of(image, mirrored), gauge_of(part, CLOUD), rtol=1e-6, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(parts(), quaternions, st.tuples(unit, unit, unit))
def test_a_rotated_part_is_the_rotated_solid(part, quaternion, pivot):
    shape = Shape((part,))
    turned = edits.rotate(shape, [1], quaternion, pivot).parts[0]
    moved = (CLOUD - pivot) @ quaternion_to_matrix(quaternion).T + pivot
    np.testing.assert_allclose(gauge_of(turned, moved), gauge_of(part, CLOUD), rtol=1e-6, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(parts(), positive, st.tuples(unit, unit, unit))
def test_a_uniformly_scaled_part_is_the_scaled_solid(part, factor, pivot):
    scaled = edits.scale(Shape((part,)), [1], [factor] * 3, pivot).parts[0]
    moved = (CLOUD - pivot) * factor + pivot
    np.testing.assert_allclose(gauge_of(scaled, moved), gauge_of(part, CLOUD), rtol=1e-6, atol=1e-9)


def test_scaling_along_world_axes_is_exact_for_an_upright_part():
    part = Superquadric(translation=(1, 0, 0), exponents=(0.3, 0.7))
    scaled = edits.scale(Shape((part,)), [1], [2, 3, 0.5], [0, 0, 0]).parts[0]
    np.testing.assert_allclose(gauge_of(scaled, CLOUD * [2, 3, 0.5]), gauge_of(part, CLOUD), rtol=1e-9)


@given(quaternions, quaternions)
def test_multiplied_quaternions_are_multiplied_matrices(a, b):
    np.testing.assert_allclose(
        quaternion_to_matrix(multiply(a, b)), quaternion_to_matrix(a) @ quaternion_to_matrix(b), atol=1e-9
    )


@given(st.tuples(st.floats(-179, 179), st.floats(-90, 90), st.floats(-179, 179)))
def test_the_three_angles_describe_the_same_rotation_both_ways(degrees):
    q = quaternion_from_euler_xyz(degrees)
    again = quaternion_from_euler_xyz(euler_xyz_from_quaternion(q))
    np.testing.assert_allclose(quaternion_to_matrix(again), quaternion_to_matrix(q), atol=1e-6)


def two_legs():
    shape = Shape((Superquadric(translation=(0.5, 0.2, 0), size=(0.1, 0.1, 0.6), name="leg"),))
    return edits.mirror(shape, [1], "x", 0.0, link=True)[0]


def test_a_linked_partner_follows_and_leads():
    shape = edits.translate(two_legs(), [1], [0.1, 0, 0.3])
    assert shape.part(2).translation == pytest.approx((-0.6, 0.2, 0.3))
    shape = edits.translate(shape, [2], [0, 0, -0.3])
    assert shape.part(1).translation == pytest.approx((0.6, 0.2, 0))


def test_moving_both_of_a_pair_moves_each_once():
    shape = edits.translate(two_legs(), [1, 2], [0, 0, 1])
    assert [p.translation[2] for p in shape.parts] == [1, 1]


def test_deleting_or_unlinking_cuts_the_link_on_both_sides():
    assert edits.delete(two_legs(), [2]).part(1).mirror is None
    unlinked = edits.unlink(two_legs(), [1])
    assert [p.mirror for p in unlinked.parts] == [None, None]
    assert edits.translate(unlinked, [1], [1, 0, 0]).part(2).translation == pytest.approx((-0.5, 0.2, 0))


def test_locked_parts_stay_whatever_is_asked():
    shape = edits.describe(two_legs(), {1}, lambda p: replace(p, locked=True))
    assert edits.translate(shape, [1], [1, 1, 1]) == shape
    assert edits.delete(shape, [1]) == shape
    led_by_partner = edits.translate(shape, [2], [0, 0, 1])
    assert led_by_partner.part(1).translation == shape.part(1).translation


def test_copies_get_their_own_ids_names_and_no_link():
    shape, new = edits.duplicate(two_legs(), [1, 2])
    assert new == (3, 4) and len({p.name for p in shape.parts}) == 4
    assert shape.part(3).mirror is None and shape.part(1).mirror == 2


def test_names_stay_unique_and_are_never_empty():
    shape = edits.rename(two_legs(), 2, "leg")
    assert shape.part(2).name != "leg"
    with pytest.raises(BadInput):
        edits.rename(shape, 1, "  ")


def test_reordering_keeps_every_part():
    shape, _ = edits.duplicate(two_legs(), [1, 2])
    moved = edits.reorder(shape, 1, 99)
    assert [p.id for p in moved.parts] == [2, 3, 4, 1]
    assert sorted(p.id for p in edits.reorder(shape, 4, -5).parts) == [1, 2, 3, 4]


def test_no_more_than_256_parts():
    shape = Shape(tuple(Superquadric() for _ in range(256)))
    with pytest.raises(BadInput, match="256"):
        edits.duplicate(shape, [1])


@pytest.mark.parametrize("factors", [(0, 1, 1), (-1, 1, 1), (float("nan"), 1, 1)])
def test_a_part_cannot_be_scaled_to_nothing(factors):
    with pytest.raises(BadInput):
        edits.scale(two_legs(), [1], factors, [0, 0, 0])


def test_a_part_cannot_mirror_itself():
    with pytest.raises(BadInput):
        edits.link_pair(two_legs(), 1, 1, "x", 0.0)


def test_parts_without_a_name_get_a_free_one():
    shape = Shape(
        (Superquadric(), Superquadric(name="part 1"), Superquadric(name=" "), Superquadric(name="a"))
    )
    assert [part.name for part in edits.named(shape).parts] == ["part 2", "part 1", "part 3", "a"]
    assert edits.named(edits.named(shape)) == edits.named(shape)


@pytest.mark.parametrize("text", ["0", "2", "²", "x", "1,", "-1", "1.0"])
def test_a_part_that_is_not_there_is_named(text):
    with pytest.raises(BadInput, match="there is no part"):
        _part_ids(text, Shape((Superquadric(),)))
