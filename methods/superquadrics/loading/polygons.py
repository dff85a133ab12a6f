"""Polygons to triangles, concave ones included."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from methods.superquadrics.loading.raw import Polygons

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_CLIPPED = 512
"""Concave polygons with more corners are cut as a fan."""
CLIP_BUDGET = 1_000_000
"""Sum of corners squared that is spent on a file's concave polygons, about 2 s; the rest are cut as fans."""


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
    flat = points[:, [(axis + 1) % 3, (axis + 2) % 3]] - points[0, [(axis + 1) % 3, (axis + 2) % 3]]
    x, y = flat[:, 0].tolist(), (flat[:, 1] * (1.0 if normal[axis] >= 0 else -1.0)).tolist()

    def side(p: int, q: int, r: int) -> float:
        return (x[q] - x[p]) * (y[r] - y[p]) - (y[q] - y[p]) * (x[r] - x[p])

    def is_ear(p: int, q: int, r: int) -> bool:
        return not any(
            side(p, q, k) >= 0 and side(q, r, k) >= 0 and side(r, p, k) >= 0
            for k in reflex
            if k not in (p, q, r)
        )

    left = list(range(len(points)))
    triangles = []
    while len(left) > 3:
        corners = list(zip([left[-1], *left[:-1]], left, [*left[1:], left[0]], strict=True))
        turns = [side(*corner) for corner in corners]
        reflex = [q for (_, q, _), turn in zip(corners, turns, strict=True) if turn <= 0]
        ears = (i for i, turn in enumerate(turns) if turn > 0 and is_ear(*corners[i]))
        # a polygon that crosses itself may have none: then its sharpest corner
        ear = next(ears, max(range(len(turns)), key=turns.__getitem__))
        triangles.append(corners[ear])
        del left[ear]
    triangles.append(tuple(left))
    return np.array(triangles, dtype=np.int64)
