"""What the studio puts into a project, and what it says when that was damaged."""

import io
import json
import struct

import numpy as np
import pytest

from app.panels.superquadrics.document import Studio, StudioCodec
from methods.core.errors import BadInput
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.target import Target

TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


@pytest.fixture
def members():
    target = Target("t", TRIANGLE, [[0, 1, 2]], warnings=("one was dropped",))
    return StudioCodec().save(Studio(Shape((Superquadric(name="leg"),)), target))


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def terabytes():
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000, 3), }"
    head = head.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head


def test_a_studio_comes_back(members):
    back = StudioCodec().load(members)
    assert back.shape.parts[0].name == "leg" and back.target.warnings == ("one was dropped",)
    np.testing.assert_array_equal(back.target.vertices, TRIANGLE)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("target.json", b'{"part_names": null}', "part_names is not a list"),
        ("target.json", b'{"warnings": 7}', "warnings is not a list"),
        ("target.json", b'{"shown_of": "x"}', "shown_of is not a whole number"),
        ("target.json", b'{"a":' + b"[" * 100_000, "target.json is damaged"),
        ("target/vertices.npy", terabytes(), "vertices.npy is damaged"),
        ("target/vertices.npy", npy(np.full((3, 3), np.nan)), "not finite"),
        ("target/vertices.npy", npy(1e300 * np.eye(3)), "beyond 1e"),
        ("target/faces.npy", npy(np.array([[0, 1, 9]])), "missing vertices"),
        ("parts.json", json.dumps([]).encode(), "not an object"),
    ],
)
def test_every_kind_of_damage_is_bad_input(members, name, content, message):
    with pytest.raises(BadInput, match=message):
        StudioCodec().load(members | {name: content})
