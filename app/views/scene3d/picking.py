"""What lies under the pointer or inside a rectangle, computed from the meshes. No Qt, no OpenGL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.views.scene3d.camera import Camera

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pickable:
    """A mesh in scene coordinates: object to scene by ``matrix`` [4, 4]."""

    id: int
    vertices: Floats
    faces: NDArray[np.uint32]
    matrix: Floats


def pick(
    items: Iterable[Pickable],
    origin: Floats,
    direction: Floats,
    cut: tuple[float, float, float, float] | None = None,
) -> tuple[int, float] | None:
    """Id of the nearest mesh that the ray hits and the distance along it, or None.

    Args:
        cut: a plane (normal, offset); what lies beyond it, ``normal · p > offset``, is cut away.
    """
    first, last = kept_interval(origin, direction, cut)
    best: tuple[int, float] | None = None
    for item in items:
        inverse = np.linalg.inv(item.matrix)
        start = inverse[:3, :3] @ origin + inverse[:3, 3]
        along = inverse[:3, :3] @ direction
        hit = ray_mesh(item.vertices, item.faces, start, along, first, last)
        if hit is not None and (best is None or hit < best[1]):
            best = (item.id, hit)
    return best


def kept_interval(
    origin: Floats, direction: Floats, cut: tuple[float, float, float, float] | None
) -> tuple[float, float]:
    """The part of the ray, from t to t, that a clip plane leaves."""
    if cut is None:
        return 0.0, np.inf
    normal = np.array(cut[:3])
    outside, slope = float(normal @ origin) - cut[3], float(normal @ direction)
    if slope == 0:
        return (0.0, np.inf) if outside <= 0 else (np.inf, np.inf)
    crossing = -outside / slope
    return (max(0.0, crossing), np.inf) if slope < 0 else (0.0, crossing)


def ray_mesh(
    vertices: Floats,
    faces: NDArray[np.uint32],
    origin: Floats,
    direction: Floats,
    first: float = 0.0,
    last: float = np.inf,
) -> float | None:
    """Smallest t in [first, last] where ``origin + t direction`` meets a triangle (Moeller-Trumbore)."""
    if len(faces) == 0 or not _meets_box(vertices, origin, direction):
        return None
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    ab, ac = b - a, c - a
    p = np.cross(direction, ac)
    det = np.einsum("ij,ij->i", ab, p)
    with np.errstate(divide="ignore", invalid="ignore"):
        inv = 1 / det
        s = origin - a
        u = np.einsum("ij,ij->i", s, p) * inv
        q = np.cross(s, ab)
        v = (q @ direction) * inv
        t = np.einsum("ij,ij->i", ac, q) * inv
        hit = (det != 0) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= first) & (t <= last)
    return float(t[hit].min()) if hit.any() else None


def _meets_box(vertices: Floats, origin: Floats, direction: Floats) -> bool:
    with np.errstate(divide="ignore", invalid="ignore"):
        sides = np.stack([vertices.min(axis=0) - origin, vertices.max(axis=0) - origin]) / direction
    near, far = np.nanmin(sides, axis=0), np.nanmax(sides, axis=0)
    return bool(near.max() <= far.min() and far.min() >= 0)


def inside_rectangle(
    items: Iterable[Pickable], camera: Camera, width: float, height: float, corners: tuple[float, ...]
) -> tuple[int, ...]:
    """Ids of the meshes with a vertex inside the pixel rectangle (x0, y0, x1, y1)."""
    x0, x1 = sorted((corners[0], corners[2]))
    y0, y1 = sorted((corners[1], corners[3]))
    found = []
    for item in items:
        scene = item.vertices @ item.matrix[:3, :3].T + item.matrix[:3, 3]
        x, y, _ = camera.project(scene, width, height).T
        if ((x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)).any():
            found.append(item.id)
    return tuple(found)
