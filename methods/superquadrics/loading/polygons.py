"""Polygons to triangles, concave ones included."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from methods.superquadrics.loading.raw import Polygons

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_CLIPPED = 512
"""Concave polygons with more corners are cut as a fan."""
CLIP_BUDGET = 3_000_000
"""Sum of corners squared that is spent on concave polygons of one file, about 2 s."""


def triangulate(vertices: Floats, polygons: Polygons) -> tuple[Integers, Integers]:
    """Triangles [F, 3] of polygons with at least 3 corners, in order, and the polygon [F] of each.

    Quads are cut along the diagonal that turns no half over. Larger polygons are cut as a fan if they are
    convex, else by clipping ears (Meisters 1975).
    """
    counts, starts = polygons.counts, polygons.starts
    triangles, source = [], []
    budget = CLIP_BUDGET
    for size in np.unique(counts):
        which = np.flatnonzero(counts == size)
        corners = polygons.corners[starts[which][:, None] + np.arange(size)]
        if size == 3:
            cut = corners[:, None, :]
        elif size == 4:
            cut = _quads(vertices, corners)
        else:
            fan = np.stack([np.arange(1, size - 1), np.arange(2, size)], axis=1)
            cut = np.stack(
                [
                    np.broadcast_to(corners[:, :1], (len(corners), size - 2)),
                    corners[:, fan[:, 0]],
                    corners[:, fan[:, 1]],
                ],
                axis=2,
            )
            concave = np.flatnonzero(_concave(vertices[corners]))
            if size <= MAX_CLIPPED:
                affordable = int(budget // (size * size))
                for row in concave[:affordable]:
                    cut[row] = corners[row][_clip_ears(vertices[corners[row]])]
                budget -= min(len(concave), affordable) * int(size) ** 2
        triangles.append(cut.reshape(-1, 3))
        source.append(np.repeat(which, size - 2))
    if not triangles:
        return np.empty((0, 3), dtype=np.int64), np.empty(0, dtype=np.int64)
    owner = np.concatenate(source)
    order = np.argsort(owner, kind="stable")
    return np.concatenate(triangles)[order], owner[order]


def _newell(points: Floats) -> Floats:
    """Area vectors [P, 3] of polygons [P, n, 3], anticlockwise side (Newell's method)."""
    moved = points - points[:, :1]
    return 0.5 * np.cross(moved, np.roll(moved, -1, axis=1)).sum(axis=1)


def _quads(vertices: Floats, corners: Integers) -> Integers:
    """Two triangles [P, 2, 3] for each quad [P, 4]."""
    a, b, c, d = (vertices[corners[:, i]] for i in range(4))
    total = 0.5 * np.cross(c - a, d - b)

    def worst(*halves: Floats) -> Floats:
        return np.minimum(*(np.einsum("ij,ij->i", half, total) for half in halves))

    by_ac = worst(np.cross(b - a, c - a), np.cross(c - a, d - a))
    by_bd = worst(np.cross(b - a, d - a), np.cross(c - b, d - b))
    use_bd = (by_ac <= 0) & (by_bd > by_ac)
    return np.where(
        use_bd[:, None, None], corners[:, [[0, 1, 3], [1, 2, 3]]], corners[:, [[0, 1, 2], [0, 2, 3]]]
    )


def _concave(points: Floats) -> NDArray[np.bool_]:
    """Whether a polygon [P, n, 3] turns the wrong way at some corner, or winds more than once."""
    normal = _newell(points)
    before, after = points - np.roll(points, 1, axis=1), np.roll(points, -1, axis=1) - points
    turn = np.einsum("pni,pi->pn", np.cross(before, after), normal)
    scale = np.einsum("pi,pi->p", normal, normal)
    fan = np.cross(points[:, 1:-1] - points[:, :1], points[:, 2:] - points[:, :1])
    over = np.einsum("pni,pi->pn", fan, normal)
    return ((turn < -1e-9 * scale[:, None]).any(axis=1)) | ((over < -1e-9 * scale[:, None]).any(axis=1))


def _clip_ears(points: Floats) -> Integers:
    """Triangles [n - 2, 3] of one polygon [n, 3] as numbers of its corners."""
    normal = _newell(points[None])[0]
    axis = int(np.argmax(np.abs(normal)))
    flat = points[:, [(axis + 1) % 3, (axis + 2) % 3]] * (1.0, 1.0 if normal[axis] >= 0 else -1.0)
    flat = flat - flat[0]
    left = list(range(len(points)))
    triangles = []

    def side(p: Floats, q: Floats, r: Floats) -> Floats:
        return (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (
            r[..., 0] - p[..., 0]
        )

    while len(left) > 3:
        ring = np.array(left)
        here = flat[ring]
        turn = side(np.roll(here, 1, axis=0), here, np.roll(here, -1, axis=0))
        reflex = here[turn <= 0]
        ear = int(np.argmax(turn))  # of a polygon that crosses itself, the best there is
        for i in np.flatnonzero(turn > 0):
            p, q, r = here[i - 1], here[i], here[(i + 1) % len(ring)]
            inside = (side(p, q, reflex) >= 0) & (side(q, r, reflex) >= 0) & (side(r, p, reflex) >= 0)
            own = (reflex == p).all(axis=1) | (reflex == q).all(axis=1) | (reflex == r).all(axis=1)
            if not (inside & ~own).any():
                ear = int(i)
                break
        triangles.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    triangles.append(tuple(left))
    return np.array(triangles, dtype=np.int64)
