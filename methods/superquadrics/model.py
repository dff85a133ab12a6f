"""The data model: one superquadric, a shape made of them, and both as batched arrays.

The one convention, used by every module, file and picture
    * canonical frame: z is the north-south axis. ``size = (a1, a2, a3)`` are the semi-axes along x, y, z.
    * ``exponents = (e1, e2)``: e1 rounds the meridian (north-south), e2 the equator (east-west):
      ``(|x/a1|^(2/e2) + |y/a2|^(2/e2))^(e2/e1) + |z/a3|^(2/e1) = 1`` (Barr 1981; Jaklic, Leonardis &
      Solina, *Segmentation and Recovery of Superquadrics*, ch. 2). 0 is a sharp box, 1 an ellipsoid,
      2 an octahedron.
    * ``taper = (kx, ky)``: ``x' = (kx z/a3 + 1) x``, ``y' = (ky z/a3 + 1) y``, ``z' = z``, then rotation.
    * world point = R p + translation; ``rotation`` is the quaternion (w, x, y, z) of R.
"""

from __future__ import annotations

import math
import operator
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from methods.core.errors import BadInput
from methods.superquadrics.limits import FARTHEST, THINNEST

if TYPE_CHECKING:
    import torch

Vector3 = tuple[float, float, float]

MAX_PARTS = 256
MAX_NAME = 200
AXES = ("x", "y", "z")
PALETTE = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442", "#999999")
"""Okabe & Ito's colours, told apart by colour-blind eyes too."""

_COLOR = re.compile(r"#[0-9A-Fa-f]{6}\Z")


def palette_color(index: int) -> str:
    """Colour of the part at this position, cycling through :data:`PALETTE`."""
    return PALETTE[index % len(PALETTE)]


# --------------------------------------------------------------------------------------------- rotations


def quaternion_to_matrix(quaternion: ArrayLike) -> NDArray[np.float64]:
    """Rotation matrices [..., 3, 3] of quaternions [..., 4] (w, x, y, z) of any non-zero length."""
    q = np.asarray(quaternion, dtype=np.float64)
    q = q / np.abs(q).max(axis=-1, keepdims=True)  # first by the largest, so that squares cannot overflow
    w, x, y, z = np.moveaxis(q, -1, 0)
    s = 2.0 / (w * w + x * x + y * y + z * z)
    matrix = np.empty((*q.shape[:-1], 3, 3))
    matrix[..., 0, 0] = 1.0 - s * (y * y + z * z)
    matrix[..., 0, 1] = s * (x * y - w * z)
    matrix[..., 0, 2] = s * (x * z + w * y)
    matrix[..., 1, 0] = s * (x * y + w * z)
    matrix[..., 1, 1] = 1.0 - s * (x * x + z * z)
    matrix[..., 1, 2] = s * (y * z - w * x)
    matrix[..., 2, 0] = s * (x * z - w * y)
    matrix[..., 2, 1] = s * (y * z + w * x)
    matrix[..., 2, 2] = 1.0 - s * (x * x + y * y)
    return matrix


def matrix_to_quaternion(matrix: ArrayLike) -> tuple[float, float, float, float]:
    """Unit quaternion (w, x, y, z), w >= 0, of one rotation matrix [3, 3] (Shepperd's largest-of-four)."""
    m = np.asarray(matrix, dtype=np.float64)
    diagonal = (m[0, 0], m[1, 1], m[2, 2])
    trace = sum(diagonal)
    four = (trace, *diagonal)
    largest = max(range(4), key=four.__getitem__)
    if largest == 0:
        q = [1.0 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]
    else:
        i = largest - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q = [m[k, j] - m[j, k], 0.0, 0.0, 0.0]
        q[1 + i] = 1.0 + m[i, i] - m[j, j] - m[k, k]
        q[1 + j] = m[j, i] + m[i, j]
        q[1 + k] = m[k, i] + m[i, k]
    norm = math.sqrt(sum(v * v for v in q))
    if q[0] < 0:
        norm = -norm
    w, x, y, z = (float(v / norm) + 0.0 for v in q)  # + 0.0 turns -0.0 into 0.0
    return w, x, y, z


# ------------------------------------------------------------------------------------------------- parts


def _numbers(field: str, value: Any, count: int, remedy: str = "") -> tuple[float, ...]:
    try:
        numbers = tuple(float(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{field} is {value!r:.80}; it must be {count} numbers.", remedy) from None
    if len(numbers) != count:
        raise BadInput(f"{field} has {len(numbers)} numbers; it must have {count}.", remedy)
    if not all(map(math.isfinite, numbers)):
        raise BadInput(f"{field} is {_show(numbers)}; every number must be finite.", remedy)
    return numbers


def _lengths(field: str, value: Any, count: int, remedy: str) -> tuple[float, ...]:
    numbers = _numbers(field, value, count, remedy)
    if max(map(abs, numbers)) >= FARTHEST:
        raise BadInput(f"{field} is {_show(numbers)}; every number must be below {FARTHEST:g}.", remedy)
    return numbers


def _show(numbers: Sequence[float]) -> str:
    return "[" + ", ".join(f"{v:g}" for v in numbers) + "]"


def _check_text(field: str, text: Any) -> None:
    if not isinstance(text, str):
        raise BadInput(f"{field} is {text!r:.80}; it must be text.", "Put it in quotes.")
    if len(text) > MAX_NAME:
        raise BadInput(f"{field} has {len(text)} characters.", f"Use at most {MAX_NAME}.")
    if not text.isprintable() and any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        raise BadInput(f"{field} holds a control character.", "Use one line of plain text.")


def _id(field: str, value: Any) -> int:
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 2**31:
        raise BadInput(f"{field} is {value!r:.80}.", "Use a whole number from 0 to 2147483647.")
    return number


@dataclass(frozen=True, slots=True)
class Superquadric:
    """One part. Immutable; edit it with :func:`dataclasses.replace`.

    Args:
        translation: centre in world units, each below :data:`FARTHEST`.
        rotation: quaternion (w, x, y, z), stored as given and normalised for use; not all zero.
        size: semi-axes a1, a2, a3 in world units, from :data:`THINNEST` to :data:`FARTHEST`.
        exponents: e1 (north-south), e2 (east-west) in [0, 2]; stored as given. Evaluation uses
            ``max(e, 0.02)``, because the surface of smaller ones cannot be told from a sharp box.
        taper: kx, ky in (-1, 1); at +-1 one end would shrink to nothing.
        name: one line of text.
        color: ``#RRGGBB``.
        visible: display flag; locked: refuses edits and refits.
        id: stable through edits and unique inside a :class:`Shape`; 0 = the shape gives one.
        group: name of the group, "" = none.
        mirror: id of the symmetric partner, or None; mirror_axis: world axis whose sign flips;
            mirror_offset: where the mirror plane crosses that axis, in world units.

    Raises:
        BadInput: a value lies outside its range; the text starts with the field's name.
    """

    translation: Vector3 = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    size: Vector3 = (1.0, 1.0, 1.0)
    exponents: tuple[float, float] = (1.0, 1.0)
    taper: tuple[float, float] = (0.0, 0.0)
    name: str = ""
    color: str = PALETTE[0]
    visible: bool = True
    locked: bool = False
    id: int = 0
    group: str = ""
    mirror: int | None = None
    mirror_axis: str = "x"
    mirror_offset: float = 0.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__  # the documented way to normalise fields of a frozen dataclass
        set_(self, "translation", _lengths("translation", self.translation, 3, "Give x, y, z."))
        rotation = _numbers("rotation", self.rotation, 4, "Give the quaternion w, x, y, z.")
        if not any(rotation):
            raise BadInput("rotation is the zero quaternion.", "Use [1, 0, 0, 0] for no rotation.")
        set_(self, "rotation", rotation)
        size = _lengths("size", self.size, 3, "Give the semi-axes a1, a2, a3.")
        if min(size) <= 0:
            raise BadInput(
                f"size is {_show(size)}; every semi-axis must be greater than 0.",
                "Use a small positive size for a thin part.",
            )
        if min(size) < THINNEST:
            raise BadInput(
                f"size is {_show(size)}; every semi-axis must be at least {THINNEST:g}.",
                "Use another unit.",
            )
        set_(self, "size", size)
        exponents = _numbers("exponents", self.exponents, 2, "Give e1, e2.")
        if min(exponents) < 0 or max(exponents) > 2:
            raise BadInput(
                f"exponents is {_show(exponents)}; both must lie in [0, 2].",
                "0 is a box, 1 an ellipsoid, 2 an octahedron.",
            )
        set_(self, "exponents", exponents)
        taper = _numbers("taper", self.taper, 2, "Give kx, ky.")
        if max(map(abs, taper)) >= 1:
            raise BadInput(
                f"taper is {_show(taper)}; both must lie between -1 and 1.",
                "At -1 or 1 one end shrinks to nothing; use 0.99 for a sharp tip.",
            )
        set_(self, "taper", taper)
        _check_text("name", self.name)
        _check_text("group", self.group)
        if not (isinstance(self.color, str) and _COLOR.match(self.color)):
            raise BadInput(f"color is {self.color!r:.80}.", "Write it as #RRGGBB, for instance #56B4E9.")
        set_(self, "id", _id("id", self.id))
        if self.mirror is not None:
            set_(self, "mirror", _id("mirror", self.mirror))
        if self.mirror_axis not in AXES:
            raise BadInput(f"mirror_axis is {self.mirror_axis!r:.80}.", "Use x, y or z.")
        (offset,) = _lengths("mirror_offset", (self.mirror_offset,), 1, "Give where the mirror plane lies.")
        set_(self, "mirror_offset", offset)

    def rotation_matrix(self) -> NDArray[np.float64]:
        """R [3, 3]: its columns are the part's own axes in the world."""
        return quaternion_to_matrix(self.rotation)

    def to_world(self, points: ArrayLike) -> NDArray[np.float64]:
        """World positions [..., 3] of points [..., 3] in the canonical frame."""
        return np.asarray(points, dtype=np.float64) @ self.rotation_matrix().T + self.translation

    def to_local(self, points: ArrayLike) -> NDArray[np.float64]:
        """Positions [..., 3] in the canonical frame of world points [..., 3]."""
        return (np.asarray(points, dtype=np.float64) - self.translation) @ self.rotation_matrix()

    def bounds(self) -> NDArray[np.float64]:
        """Axis-aligned world box [2, 3] (lowest, highest corner), tight up to 0.1 %, never too small."""
        from methods.superquadrics.geometry import support

        directions = self.rotation_matrix()  # row i = world axis i seen from the canonical frame
        reach = support(np.concatenate([-directions, directions]), self.size, self.exponents, self.taper)
        centre = np.asarray(self.translation)
        return np.stack([centre - reach[:3], centre + reach[3:]])


# ------------------------------------------------------------------------------------------------ shapes


@dataclass(frozen=True, eq=False)
class Parameters:
    """The geometry of K parts as batched arrays, numpy or torch, float32 or float64.

    translation [K, 3], rotation [K, 3, 3] (matrices), size [K, 3], exponents [K, 2], taper [K, 2].
    """

    translation: Any
    rotation: Any
    size: Any
    exponents: Any
    taper: Any

    def __len__(self) -> int:
        return len(self.size)

    def to_torch(self, dtype: torch.dtype | None = None, device: str = "cpu") -> Parameters:
        """The same as torch tensors (copies; float64 unless a dtype is named)."""
        import torch

        arrays = (self.translation, self.rotation, self.size, self.exponents, self.taper)
        return Parameters(*(torch.tensor(a, dtype=dtype or torch.float64, device=device) for a in arrays))


@dataclass(frozen=True, slots=True)
class Shape:
    """Parts in display order, 0 to 256 (0 only for the empty document), and the unit of their coordinates.

    Parts with id 0 get the next free id. A mirror link whose partner is not there is dropped, so that any
    subset of a shape's parts is a valid shape.

    Raises:
        BadInput: more than 256 parts, or two parts with the same id.
    """

    parts: tuple[Superquadric, ...] = ()
    unit: str = ""

    def __post_init__(self) -> None:
        parts = tuple(self.parts)
        if len(parts) > MAX_PARTS:
            raise BadInput(f"The shape has {len(parts)} parts.", f"Use at most {MAX_PARTS}.")
        _check_text("unit", self.unit)
        taken = [part.id for part in parts if part.id]
        ids = set(taken)
        if len(ids) < len(taken):
            twice = next(i for i in taken if taken.count(i) > 1)
            raise BadInput(f"Two parts have the id {twice}.", "Give each its own, or 0 for a new one.")
        free = max(ids, default=0)
        done = []
        for part in parts:
            if not part.id:
                free += 1
                part = replace(part, id=free)
            if part.mirror is not None and part.mirror not in ids:
                part = replace(part, mirror=None)
            done.append(part)
        object.__setattr__(self, "parts", tuple(done))

    def __len__(self) -> int:
        return len(self.parts)

    def visible_parts(self) -> tuple[Superquadric, ...]:
        """The parts that are shown."""
        return tuple(part for part in self.parts if part.visible)

    def parameters(self, visible_only: bool = False) -> Parameters:
        """All parts (or the shown ones) as batched float64 arrays."""
        parts = self.visible_parts() if visible_only else self.parts

        def stack(field: str, width: int) -> NDArray[np.float64]:
            return np.array([getattr(p, field) for p in parts], dtype=np.float64).reshape(-1, width)

        return Parameters(
            translation=stack("translation", 3),
            rotation=quaternion_to_matrix(stack("rotation", 4)),
            size=stack("size", 3),
            exponents=stack("exponents", 2),
            taper=stack("taper", 2),
        )

    def index(self, id: int) -> int:
        """Position of the part with this id; KeyError if there is none."""
        for position, part in enumerate(self.parts):
            if part.id == id:
                return position
        raise KeyError(id)

    def part(self, id: int) -> Superquadric:
        """The part with this id; KeyError if there is none."""
        return self.parts[self.index(id)]

    def replace_part(self, part: Superquadric) -> Shape:
        """The shape with ``part`` in the place of the one that has its id; KeyError if there is none."""
        position = self.index(part.id)
        return self.with_parts((*self.parts[:position], part, *self.parts[position + 1 :]))

    def with_parts(self, parts: Iterable[Superquadric]) -> Shape:
        """A shape of these parts in the same unit."""
        return replace(self, parts=tuple(parts))

    def bounds(self, visible_only: bool = False) -> NDArray[np.float64]:
        """Axis-aligned world box [2, 3] around all (or the shown) parts.

        Raises:
            BadInput: there is no part to bound.
        """
        boxes = [part.bounds() for part in (self.visible_parts() if visible_only else self.parts)]
        if not boxes:
            raise BadInput("The shape has no parts.", "Add or show a part first.")
        boxes_ = np.stack(boxes)
        return np.stack([boxes_[:, 0].min(axis=0), boxes_[:, 1].max(axis=0)])


# --------------------------------------------------------------------------------------- equal descriptions


def _axis_rotations() -> NDArray[np.float64]:
    """The 24 rotations that map the coordinate axes on to themselves, the 8 that keep the z axis first."""
    from itertools import permutations, product

    found = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            if np.linalg.det(matrix) > 0:
                found.append(matrix)
    found.sort(key=lambda m: m[2, 2] == 0)
    return np.array(found)


_AXIS_ROTATIONS = _axis_rotations()


def canonical(part: Superquadric) -> Superquadric:
    """The same solid described with the rotation closest to the identity.

    A superquadric has 8 equal descriptions (turns by 180 degrees about x, y, z and by 90 degrees about z,
    with a1, a2 and kx, ky exchanged and the taper's sign flipped as needed), 24 if e1 = e2 without taper,
    and a free spin about z if it is a body of revolution. The quaternion comes out with length 1, w >= 0.
    """
    size, taper = np.asarray(part.size), np.asarray(part.taper)
    e1, e2 = part.exponents
    candidates = _AXIS_ROTATIONS if e1 == e2 and not taper.any() else _AXIS_ROTATIONS[:8]
    rotations = part.rotation_matrix() @ candidates
    trace = np.trace(rotations, axis1=1, axis2=2)
    best = int(np.argmax(np.round(trace, 9)))  # rounded: of equal ones the first, whatever the last bit says
    turn, rotation = candidates[best], rotations[best]
    size = np.abs(turn).T @ size
    taper = (np.abs(turn[:2, :2]).T @ taper) * (turn[2, 2] or 1.0)
    if e2 == 1 and size[0] == size[1] and taper[0] == taper[1]:
        # R Rz(s) has trace cos(s) (R00 + R11) + sin(s) (R01 - R10) + R22
        s = math.atan2(rotation[0, 1] - rotation[1, 0], rotation[0, 0] + rotation[1, 1])
        c, s = math.cos(s), math.sin(s)
        rotation = rotation @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return replace(part, rotation=matrix_to_quaternion(rotation), size=tuple(size), taper=tuple(taper + 0.0))
