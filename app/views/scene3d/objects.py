"""Data that goes into the view, checked at this one place before any drawing code sees it. No Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.uint32]

MAX_POINTS = 2_000_000
"""Points drawn at most; more are thinned, and the view says so."""


@dataclass(frozen=True, eq=False)
class SceneObject:
    """A mesh in its own frame and where it stands.

    Attributes:
        vertices [V, 3], faces [F, 3], normals [V, 3]: triangles in the object's frame.
        color: ``#RRGGBB``.
        transform [4, 4]: from the object's frame to the world, float64.
    """

    id: int
    vertices: ArrayLike
    faces: ArrayLike
    normals: ArrayLike | None = None
    color: str = "#56B4E9"
    visible: bool = True
    locked: bool = False
    transform: NDArray[np.float64] = field(default_factory=lambda: np.eye(4))


def checked_mesh(vertices: ArrayLike, faces: ArrayLike) -> tuple[NDArray[np.float64], Integers]:
    """Vertices and faces that can be drawn: faces with bad indices or non-finite corners are left out.

    Raises:
        ValueError: not arrays of numbers of the right shape.
    """
    points = checked_points(vertices, keep_all=True)
    triangles = np.asarray(faces)
    if triangles.size == 0:
        return points, np.zeros((0, 3), np.uint32)
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
        raise ValueError(f"faces must be whole numbers [F, 3], not {triangles.dtype} {triangles.shape}")
    inside = ((triangles >= 0) & (triangles < len(points))).all(axis=1)
    triangles = triangles[inside]
    finite = np.isfinite(points).all(axis=1)
    if not finite.all():
        triangles = triangles[finite[triangles].all(axis=1)]
        # On a finite vertex, not at zero: the box around everything must not grow.
        points = np.where(finite[:, None], points, points[finite.argmax()] if finite.any() else 0.0)
    return points, np.ascontiguousarray(triangles, dtype=np.uint32)


def checked_points(points: ArrayLike, keep_all: bool = False) -> NDArray[np.float64]:
    """Points ``[N, 3]`` as float64; non-finite ones are left out unless ``keep_all``.

    Raises:
        ValueError: not numbers, or not of that shape.
    """
    array = np.asarray(points)
    if array.size == 0:
        return np.zeros((0, 3))
    if array.dtype.kind not in "fiu" or array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"points must be numbers [N, 3], not {array.dtype} {array.shape}")
    array = array.astype(np.float64, copy=False)
    return array if keep_all else array[np.isfinite(array).all(axis=1)]


def thinned(count: int) -> NDArray[np.intp]:
    """Indices of the points to draw out of ``count``: all, or one of each of ``MAX_POINTS`` equal runs."""
    if count <= MAX_POINTS:
        return np.arange(count)
    places = (np.arange(MAX_POINTS) + np.random.default_rng(0).random(MAX_POINTS)) * (count / MAX_POINTS)
    return np.minimum(places.astype(np.intp), count - 1)


def vertex_normals(vertices: NDArray[np.float64], faces: Integers) -> Floats:
    """Area-weighted vertex normals ``[V, 3]``; zero where a vertex belongs to no face."""
    a = vertices[faces[:, 0]]
    weighted = np.cross(vertices[faces[:, 1]] - a, vertices[faces[:, 2]] - a)
    flat = faces.ravel()
    normals = np.stack(
        [np.bincount(flat, np.repeat(weighted[:, axis], 3), len(vertices)) for axis in range(3)], axis=1
    )
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return (normals / np.where(length > 0, length, 1)).astype(np.float32)


def checked_normals(normals: ArrayLike | None, vertices: NDArray[np.float64], faces: Integers) -> Floats:
    """One normal per vertex as float32; worked out when there are none.

    Raises:
        ValueError: not numbers, or not as many as vertices.
    """
    if normals is None:
        return vertex_normals(vertices, faces)
    array = np.asarray(normals)
    if array.dtype.kind not in "fiu" or array.shape != vertices.shape:
        raise ValueError(f"normals must be numbers {list(vertices.shape)}, not {array.dtype} {array.shape}")
    return np.nan_to_num(array.astype(np.float32, copy=False), posinf=0.0, neginf=0.0)


def checked_transform(transform: ArrayLike) -> NDArray[np.float64]:
    """A finite, invertible matrix [4, 4].

    Raises:
        ValueError: anything else.
    """
    array = np.asarray(transform)
    if array.shape != (4, 4) or array.dtype.kind not in "fiu" or not np.isfinite(array).all():
        raise ValueError(f"transform must be finite numbers [4, 4], not {array.dtype} {array.shape}")
    return array.astype(np.float64, copy=False)


def rgb(color: str) -> tuple[float, float, float]:
    """``#RRGGBB`` as three numbers in [0, 1].

    Raises:
        ValueError: not of that form.
    """
    if re.fullmatch("#[0-9a-fA-F]{6}", color) is None:
        raise ValueError(f"a colour is written #RRGGBB, not {color!r}")
    return tuple(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))  # type: ignore[return-value]


@dataclass(frozen=True)
class Frame:
    """Scene coordinates: world minus ``origin``, times ``scale``.

    The scene is about one unit large and near zero whatever the data's own coordinates are, so that float32
    on the graphics card loses nothing that can be seen.
    """

    origin: NDArray[np.float64]
    scale: float

    def to_scene(self, points: ArrayLike) -> NDArray[np.float64]:
        return (np.asarray(points, np.float64) - self.origin) * self.scale

    def to_world(self, points: ArrayLike) -> NDArray[np.float64]:
        return np.asarray(points, np.float64) / self.scale + self.origin

    def matrix(self, transform: NDArray[np.float64]) -> NDArray[np.float64]:
        """``transform`` (object to world) continued to scene coordinates."""
        result = np.array(transform, np.float64)
        result[:3] *= self.scale
        result[:3, 3] -= self.origin * self.scale
        return result


def frame_around(boxes: list[Any]) -> Frame:
    """The frame in which everything inside ``boxes`` (each [2, 3]) has a diagonal of one."""
    if not boxes:
        return Frame(np.zeros(3), 1.0)
    low = np.min([box[0] for box in boxes], axis=0)
    high = np.max([box[1] for box in boxes], axis=0)
    diagonal = float(np.linalg.norm(high - low))
    return Frame((low + high) / 2, 1.0 / diagonal if diagonal > 0 else 1.0)
