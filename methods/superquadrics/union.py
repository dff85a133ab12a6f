"""A shape as one solid: points on its outer surface, its mesh, and what lies inside.

The solid is the union of the parts. A part's point is hidden when it lies inside another part; where two
parts share a face exactly, the part that comes first keeps it. ``visible_only`` leaves out parts that are not
shown; by default display flags change nothing here, so that hiding a part never changes a measurement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from methods.core.errors import BadInput, BadParameter, WorkFailed
from methods.superquadrics import geometry
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.surface import SurfaceSampler, part_mesh

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

COINCIDENT = 1e-6
"""A point whose gauge under another part differs from 1 by less lies on the surfaces of both."""
OVERSAMPLING = 4
"""Candidates per point for farthest point sampling."""
_CHUNK = 65_536
_MAX_ROUNDS = 64
_MAX_CANDIDATES = 1_000_000


# ---------------------------------------------------------------------------------------------- occupancy


def occupancy(shape: Shape, points: ArrayLike, *, visible_only: bool = False) -> NDArray[np.bool_]:
    """Whether each world point [N, 3] lies inside or on some part -> bool [N].

    Works through the points in pieces, so that the extra memory stays at a few MB for any N.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    parts = shape.visible_parts() if visible_only else shape.parts
    boxes = [part.bounds() for part in parts]
    inside = np.zeros(len(points), dtype=bool)
    for start in range(0, len(points), _CHUNK):
        piece = points[start : start + _CHUNK]
        found = inside[start : start + _CHUNK]  # a view
        columns = np.ascontiguousarray(piece.T)
        for part, box in zip(parts, boxes, strict=True):
            near = _in_box(columns, box)
            near = near[~found[near]]
            found[near] = _local_gauge(part, piece[near]) <= 1.0
    return inside


def _in_box(columns: Array, box: Array) -> Integers:
    """Indices of the points (as columns [3, N]) in a world box [2, 3], a little enlarged."""
    margin = 1e-3 * (box[1] - box[0])
    low, high = box[0] - margin, box[1] + margin
    near = np.flatnonzero((columns[0] >= low[0]) & (columns[0] <= high[0]))
    for axis in (1, 2):
        values = columns[axis, near]
        near = near[(values >= low[axis]) & (values <= high[axis])]
    return near


def _local_gauge(part: Superquadric, points: Array) -> Array:
    return geometry.gauge(part.to_local(points), part.size, part.exponents, part.taper)


# ------------------------------------------------------------------------------------------------- samples


def hidden(
    parts: Sequence[Superquadric], points: Array, normals: Array, owner: Integers
) -> NDArray[np.bool_]:
    """Which surface points [N, 3] of ``parts[owner]`` do not belong to the surface of the union.

    A point is hidden if another part holds it with gauge < 1 - 1e-6. On a face that two parts share, facing
    the same way, the earlier part keeps it; where they touch face to face it is inside the union for both.
    """
    result = np.zeros(len(points), dtype=bool)
    columns = np.ascontiguousarray(points.T)
    for index, part in enumerate(parts):
        near = _in_box(columns, part.bounds())
        near = near[~result[near] & (owner[near] != index)]
        value = _local_gauge(part, points[near])
        result[near[value < 1.0 - COINCIDENT]] = True
        touching = near[np.abs(value - 1.0) <= COINCIDENT]
        if len(touching):
            local = part.to_local(points[touching])
            other = geometry.normals(local, part.size, part.exponents, part.taper)
            facing = np.einsum("ij,ij->i", other @ part.rotation_matrix().T, normals[touching])
            same_face = (facing > 0) & (owner[touching] > index)
            face_to_face = facing < -0.999
            result[touching[same_face | face_to_face]] = True
    return result


def sample_union(
    shape: Shape,
    n: int,
    rng: np.random.Generator,
    method: Literal["area", "farthest"] = "area",
    *,
    visible_only: bool = False,
) -> tuple[Array, Array, Integers]:
    """Exactly ``n`` points on the outer surface of the union, spread uniformly by visible area.

    Args:
        method: ``area``: uniform by area, in random order; ``farthest``: evenly spaced, by farthest point
            sampling of four times as many (any leading part of the result is evenly spaced too).

    Returns:
        world points [n, 3], outward unit normals [n, 3] and each one's position in ``shape.parts`` [n].

    Raises:
        BadInput: the shape has no (visible) part. BadParameter: n is negative or the method unknown.
    """
    if n < 0:
        raise BadParameter(f"The number of points is {n}.", "Choose 0 or more.")
    if method not in ("area", "farthest"):
        raise BadParameter(f"The sampling method is {method!r}.", "Choose area or farthest.")
    if method == "farthest":
        candidates = sample_union(shape, OVERSAMPLING * n, rng, visible_only=visible_only)
        chosen = farthest_points(candidates[0], n, rng)
        return candidates[0][chosen], candidates[1][chosen], candidates[2][chosen]

    positions = _distinct(shape, _positions(shape, visible_only))
    parts = [shape.parts[i] for i in positions]
    samplers = [SurfaceSampler(part) for part in parts]
    areas = np.array([sampler.area for sampler in samplers])
    share = areas / areas.sum()
    found = [_draw(samplers, np.zeros(len(parts), dtype=np.int64), rng)]  # so that n = 0 has its shapes
    have, tried = 0, 0
    # every part is sampled at the same density, so what survives is uniform over the visible surface
    for _ in range(_MAX_ROUNDS):
        if have >= n:
            break
        keep_rate = (have + 1) / (tried + 1)
        ask = min(int((n - have) / keep_rate * 1.1) + 16, _MAX_CANDIDATES)
        batch = _draw(samplers, rng.multinomial(ask, share), rng)
        kept = ~hidden(parts, *batch)
        tried += ask
        have += int(kept.sum())
        found.append((batch[0][kept], batch[1][kept], batch[2][kept]))
    if have < n:
        raise WorkFailed(
            f"Only {have} of {n} points were found on the outer surface of the shape.",
            "Remove parts that lie inside other parts.",
        )
    points, normals, owner = (np.concatenate(column) for column in zip(*found, strict=True))
    chosen = rng.permutation(have)[:n]
    return points[chosen], normals[chosen], np.asarray(positions)[owner[chosen]]


def _positions(shape: Shape, visible_only: bool) -> list[int]:
    positions = [i for i, part in enumerate(shape.parts) if part.visible or not visible_only]
    if not positions:
        what = "All parts of the shape are hidden." if shape.parts else "The shape has no parts."
        raise BadInput(what, "Add or show a part first.")
    return positions


def _distinct(shape: Shape, positions: Sequence[int]) -> list[int]:
    """Without the exact copies of earlier parts: none of their points would survive the tie-break."""
    first: dict[tuple[object, ...], int] = {}
    for i in positions:
        part = shape.parts[i]
        key = (part.translation, part.rotation, part.size, part.exponents, part.taper)
        first.setdefault(key, i)
    return list(first.values())


def _draw(
    samplers: Sequence[SurfaceSampler], counts: Integers, rng: np.random.Generator
) -> tuple[Array, Array, Integers]:
    points, normals = np.empty((counts.sum(), 3)), np.empty((counts.sum(), 3))
    start = 0
    for sampler, count in zip(samplers, counts, strict=True):
        if count:
            points[start : start + count], normals[start : start + count] = sampler.draw(count, rng)
        start += count
    return points, normals, np.repeat(np.arange(len(samplers)), counts)


def farthest_points(points: ArrayLike, n: int, rng: np.random.Generator) -> Integers:
    """Indices [n] of farthest point sampling (Gonzalez 1985) from points [N, 3], starting at a random one.

    O(n N) time in float32 after centring. Fewer than n points give BadParameter.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    total = len(points)
    if not 0 <= n <= total:
        raise BadParameter(f"{n} points were asked of {total}.", "Ask for at most as many as there are.")
    chosen = np.empty(n, dtype=np.int64)
    if not n:
        return chosen
    centred = points - points.mean(axis=0)
    centred /= max(np.abs(centred).max(), np.finfo(float).tiny)
    x, y, z = (np.ascontiguousarray(column, dtype=np.float32) for column in centred.T)
    nearest = np.full(total, np.inf, dtype=np.float32)
    distance, square = np.empty_like(nearest), np.empty_like(nearest)
    current = int(rng.integers(total))
    for i in range(n):
        chosen[i] = current
        np.subtract(x, x[current], out=distance)
        np.multiply(distance, distance, out=distance)
        for axis in (y, z):
            np.subtract(axis, axis[current], out=square)
            np.multiply(square, square, out=square)
            np.add(distance, square, out=distance)
        np.minimum(nearest, distance, out=nearest)
        nearest[current] = -1.0  # never again, not even among coincident points
        current = int(nearest.argmax())
    return chosen


# ---------------------------------------------------------------------------------------------------- mesh


def concatenated_mesh(
    shape: Shape, resolution: int = 32, *, visible_only: bool = False
) -> tuple[Array, NDArray[np.int32], Integers]:
    """All part meshes side by side, each watertight, overlapping where the parts do.

    Returns:
        vertices [V, 3], faces [F, 3] and the position in ``shape.parts`` [F] of each face's part.
    """
    vertices, faces, owner, offset = [], [], [], 0
    for position in _positions(shape, visible_only):
        part_vertices, part_faces, _ = part_mesh(shape.parts[position], resolution)
        vertices.append(part_vertices)
        faces.append(part_faces + np.int32(offset))
        owner.append(np.full(len(part_faces), position, dtype=np.int64))
        offset += len(part_vertices)
    return np.concatenate(vertices), np.concatenate(faces), np.concatenate(owner)


def union_mesh(
    shape: Shape, resolution: int = 32, *, visible_only: bool = False
) -> tuple[Array, NDArray[np.int32]]:
    """One watertight, outward-facing mesh of the union of the part meshes: no inner walls.

    Returns:
        vertices [V, 3] in world coordinates and faces [F, 3].

    Raises:
        BadInput: the shape has no (visible) part. WorkFailed: the boolean union could not be built.
    """
    import manifold3d

    parts = [shape.parts[i] for i in _positions(shape, visible_only)]
    meshes = [part_mesh(part, resolution) for part in parts]
    low = np.min([vertices.min(axis=0) for vertices, _, _ in meshes], axis=0)
    high = np.max([vertices.max(axis=0) for vertices, _, _ in meshes], axis=0)
    centre, scale = 0.5 * (low + high), float((high - low).max())
    solids = []
    for vertices, faces, _ in meshes:
        mesh = manifold3d.Mesh64((vertices - centre) / scale, faces.astype(np.uint64))
        solids.append(manifold3d.Manifold(mesh))
    union = manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add)
    if union.status() != manifold3d.Error.NoError or union.is_empty():
        raise WorkFailed(
            f"The union of {len(parts)} parts could not be built ({union.status().name}).",
            "Export the parts separately, or change a part that is extremely thin.",
        )
    mesh = union.to_mesh64()
    vertices = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3] * scale + centre
    return vertices, np.asarray(mesh.tri_verts).astype(np.int32)
