"""Distance of points to the outer surface of a shape: exact enough to measure with, and quick enough to drag.

Both take the surface from either side and without the walls that lie inside other parts.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from methods.core.errors import BadInput
from methods.superquadrics import geometry
from methods.superquadrics.mesh_tree import MeshTree
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.surface import part_mesh
from methods.superquadrics.topology import weld

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Check = Callable[[], None]

_WELD_FROM = 0.9
"""Points are welded first if that leaves less than this share of them."""

_CLOSE = 0.05
"""In smallest semi-axes of the part."""


def distances_to_shape(points: ArrayLike, shape: Shape, *, check: Check | None = None) -> Floats:
    """Distance [N] of points [N, 3] to the outer surface of the shape.

    The nearest point of a mesh of the union is moved along the normal on to the true surface; what remains is
    an error of less than 1 % of the distance. Points at the same place are measured once.

    Raises:
        BadInput: the shape has no parts.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    low, high = shape.bounds()
    if not len(points):
        return np.empty(0)
    centre, scale = 0.5 * (low + high), float(np.linalg.norm(high - low))
    label = weld((points - centre) / scale)
    first = np.unique(label, return_index=True)[1]
    distinct = points[first] if len(first) < _WELD_FROM * len(points) else points

    vertices, faces, owner = outer_mesh(shape, check=check)
    tree = MeshTree((vertices - centre) / scale, faces, check)
    _, face, foot = tree.nearest((distinct - centre) / scale, check)
    foot = foot * scale + centre
    distance = np.empty(len(distinct))
    part_of = owner[face]
    for position in np.unique(part_of):
        mine = np.flatnonzero(part_of == position)
        distance[mine] = _from_foot(shape.parts[position], distinct[mine], foot[mine])
    return distance if distinct is points else distance[label]


def _from_foot(part: Superquadric, points: Floats, near: Floats) -> Floats:
    """Distance [N] of points [N, 3] to the part's surface, whose nearest point lies close to ``near`` [N, 3].

    ``near`` goes on to the surface along the normal. For points close by, a second foot is tried, moved along
    the surface by what the first is off the perpendicular; farther out that could slide into another part.
    """
    local, foot = part.to_local(points), part.to_local(near)
    form = part.size, part.exponents, part.taper
    normal = geometry.normals(foot, *form)
    foot = foot - geometry.first_order_distance(foot, *form)[:, None] * normal
    gap = local - foot
    distance = np.linalg.norm(gap, axis=1)
    close = np.flatnonzero(distance < _CLOSE * min(part.size))
    normal, gap = normal[close], gap[close]
    foot = foot[close] + gap - np.einsum("ij,ij->i", gap, normal)[:, None] * normal
    foot -= geometry.first_order_distance(foot, *form)[:, None] * geometry.normals(foot, *form)
    distance[close] = np.minimum(distance[close], np.linalg.norm(local[close] - foot, axis=1))
    return distance


def outer_mesh(shape: Shape, *, check: Check | None = None) -> tuple[Floats, Integers, Integers]:
    """Triangles of the union, coarser the more parts there are, with the part each belongs to.

    Parts are joined two by two: one large boolean operation would hold Python's lock for its whole length.

    Returns:
        vertices [V, 3], faces [F, 3] and the position in ``shape.parts`` [F] of each face's part.

    Raises:
        BadInput: the shape has no parts.
    """
    import manifold3d

    if not shape.parts:
        raise BadInput("The shape has no parts.", "Add a part first.")
    count = len(shape.parts)
    resolution = 32 if count <= 8 else 24 if count <= 24 else 16
    low, high = shape.bounds()
    centre, scale = 0.5 * (low + high), float((high - low).max())
    first = manifold3d.Manifold.reserve_ids(count)
    pending = []
    for i, part in enumerate(shape.parts):
        vertices, faces, _ = part_mesh(part, resolution)
        mesh = manifold3d.Mesh64(
            (vertices - centre) / scale,
            faces.astype(np.uint64),
            run_original_id=np.array([first + i], dtype=np.uint32),
            run_index=np.array([0, faces.size], dtype=np.uint64),
        )
        pending.append(manifold3d.Manifold(mesh))
    while len(pending) > 1:
        if check is not None:
            check()
        joined = pending.pop(0) + pending.pop(0)
        joined.num_tri()  # evaluated now, not all at once at the end
        pending.append(joined)
    mesh = pending[0].to_mesh64()
    faces = np.asarray(mesh.tri_verts).astype(np.int64)
    if not len(faces):  # parts thinner than the precision of the boolean operation
        return _side_by_side(shape, resolution)
    vertices = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3] * scale + centre
    length = np.diff(np.asarray(mesh.run_index, dtype=np.int64)) // 3
    owner = np.repeat(np.asarray(mesh.run_original_id, dtype=np.int64) - first, length)
    return vertices, faces, owner


def _side_by_side(shape: Shape, resolution: int) -> tuple[Floats, Integers, Integers]:
    from methods.superquadrics.union import concatenated_mesh

    vertices, faces, owner = concatenated_mesh(shape, resolution)
    return vertices, faces.astype(np.int64), owner


def part_distances(points: Floats, part: Superquadric) -> Floats:
    """Approximate signed distance [N] of points [N, 3] to one part, negative inside, without any tree.

    A step along the gradient and one along the ray give a point of the surface near the foot. Inside thin
    parts that can be far off, so there the way along each of the part's axes counts as well. All of these end
    on the surface, so the distance is never too small; it is exact on flat and round sides.
    """
    local = part.to_local(points)
    form = part.size, part.exponents, part.taper
    signed = geometry.first_order_distance(local, *form)
    foot = geometry.project(local - signed[:, None] * geometry.normals(local, *form), *form)
    distance = np.linalg.norm(local - foot, axis=1)
    inside = np.flatnonzero(signed < 0)
    distance[inside] = -np.minimum(distance[inside], _axis_distances(local[inside], part).min(axis=0))
    return distance


def _axis_distances(local: Floats, part: Superquadric) -> Floats:
    """Distance [3, N] to the surface along x, y and z from points [N, 3] inside; taper along z is ignored."""
    e1, e2 = (max(e, geometry.MIN_EXPONENT) for e in part.exponents)
    height = local[:, 2] / part.size[2]
    scale = np.stack([1.0 + k * height for k in part.taper] + [np.ones(len(local))])
    half = scale * np.asarray(part.size)[:, None]
    u, v, w = np.minimum(np.abs(local.T) / half, 1.0)
    ring = np.minimum((u ** (2 / e2) + v ** (2 / e2)) ** (e2 / 2), 1.0)
    section = np.maximum((1.0 - w ** (2 / e1)) ** (e1 / 2), 1e-12)
    reach_x = section * (1.0 - np.minimum(v / section, 1.0) ** (2 / e2)) ** (e2 / 2)
    reach_y = section * (1.0 - np.minimum(u / section, 1.0) ** (2 / e2)) ** (e2 / 2)
    reach_z = (1.0 - ring ** (2 / e1)) ** (e1 / 2)
    return np.maximum(np.stack([reach_x - u, reach_y - v, reach_z - w]), 0.0) * half
