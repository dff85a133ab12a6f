"""How the triangles of a mesh hang together: welding, duplicates, components, and which side is outside.

Files often store a vertex once per face or per material, repeat faces, or turn single parts inside out. The
functions here look only at positions, never at how often a file repeats them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

WELD_LEVELS = 2**21
"""Positions are compared on a grid of this many steps along the longest side (5e-7 of it)."""
ALMOST_CLOSED = 0.3
"""An open patch whose area vectors add up to less than this share of its area still encloses a volume."""
_PROBES = 32
_MAX_NESTING_TESTS = 4096


def box(points: Floats) -> tuple[Floats, Floats]:
    """Lowest and highest corner [3] of points [N, 3]; by column, which is several times faster."""
    columns = points.T
    return np.array([c.min() for c in columns]), np.array([c.max() for c in columns])


def centres(vertices: Floats, faces: Integers) -> Floats:
    """Middles [F, 3] of triangles [F, 3]."""
    return (vertices[faces[:, 0]] + vertices[faces[:, 1]] + vertices[faces[:, 2]]) / 3.0


def weld(vertices: Floats) -> Integers:
    """Label [V] of each vertex [V, 3]; vertices at the same position (within 5e-7 of the size) share one."""
    low, high = box(vertices)
    step = float((high - low).max()) / (WELD_LEVELS - 1) or 1.0
    cell = ((vertices - low) / step + 0.5).astype(np.int64)
    key = (cell[:, 0] << 42) | (cell[:, 1] << 21) | cell[:, 2]
    return np.unique(key, return_inverse=True)[1].reshape(-1)


def degenerate(faces: Integers) -> Mask:
    """Faces [F, 3] that name a vertex twice."""
    a, b, c = faces.T
    return (a == b) | (b == c) | (c == a)


@dataclass(frozen=True)
class Repeats:
    """Which faces say the same thing again.

    ``extra`` [F]: copies facing the same way as an earlier face, and one side of double-sided faces; without
    them every triangle is there once. ``same`` counts the former, ``double_sided`` the latter.
    """

    extra: Mask
    same: int
    double_sided: int


def repeats(faces: Integers, area: Floats) -> Repeats:
    """Find repeated faces among welded ones [F, 3] of the given areas [F].

    Two faces back to back are either a wall between two solids, which must stay, or one side of a surface
    that is drawn double-sided. They count as the latter when most of their component is doubled.
    """
    count = len(faces)
    order = np.sort(faces, axis=1)
    odd = _parity(faces)
    # equal triangles become neighbours, the earliest face first
    rank = np.lexsort((np.arange(count), odd, order[:, 2], order[:, 1], order[:, 0]))
    ordered, side = order[rank], odd[rank]
    same_triangle = np.zeros(count, dtype=bool)
    a, b, c = (ordered[1:] == ordered[:-1]).T
    same_triangle[1:] = a & b & c
    same_side = same_triangle.copy()
    same_side[1:] &= side[1:] == side[:-1]
    extra = np.zeros(count, dtype=bool)
    extra[rank[same_side]] = True
    back = rank[same_triangle & ~same_side]
    if not len(back):
        return Repeats(extra, int(same_side.sum()), 0)
    kept = np.flatnonzero(~extra)
    component = np.zeros(count, dtype=np.int64)
    component[kept] = components(faces[kept])[1]
    size = np.bincount(component[kept], area[kept])
    doubled = 2.0 * np.bincount(component[back], area[back], minlength=len(size))
    back = back[(doubled > 0.5 * size)[component[back]]]
    extra[back] = True
    return Repeats(extra, int(same_side.sum()), len(back))


def _parity(faces: Integers) -> Mask:
    """True where sorting a face's vertices takes an odd number of exchanges, so turns it over."""
    a, b, c = faces.T
    return (a > b) ^ (b > c) ^ (a > c)


def components(faces: Integers) -> tuple[int, Integers]:
    """Number of components and the component [F] of each welded face [F, 3]; sharing a vertex connects."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    if not len(faces):
        return 0, np.empty(0, dtype=np.int64)
    size = int(faces.max()) + 1
    rows, columns = faces[:, [0, 1]].reshape(-1), faces[:, [1, 2]].reshape(-1)
    graph = coo_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(size, size))
    label = connected_components(graph, directed=False)[1][faces[:, 0]]
    names, label = np.unique(label, return_inverse=True)
    return len(names), label.reshape(-1)


@dataclass(frozen=True)
class Edges:
    """Undirected edges of welded faces.

    ``edge`` [F, 3]: the number of the edge from corner i to corner i + 1. Per edge: ``forward`` and
    ``backward`` count the faces that run along it in either direction.
    """

    edge: Integers
    forward: Integers
    backward: Integers

    @property
    def open(self) -> Mask:
        """Edges with more faces on one side than on the other: the rim of a hole, or a turned face."""
        return self.forward != self.backward

    @property
    def boundary(self) -> Mask:
        """Edges with an odd number of faces, whichever way those are turned."""
        return (self.forward + self.backward) % 2 == 1


def edges_of(faces: Integers) -> Edges:
    """Edges of welded faces [F, 3]."""
    start, end = faces, faces[:, [1, 2, 0]]
    size = int(faces.max()) + 1 if len(faces) else 1
    key = np.minimum(start, end) * size + np.maximum(start, end)
    names, edge = np.unique(key, return_inverse=True)
    edge = edge.reshape(-1, 3)
    up = start < end
    forward = np.bincount(edge[up], minlength=len(names))
    return Edges(edge, forward, np.bincount(edge[~up], minlength=len(names)))


def face_geometry(vertices: Floats, faces: Integers) -> tuple[Floats, Floats]:
    """Area [F] and area vector [F, 3] (length = area, anticlockwise side) of triangles."""
    corner = vertices[faces[:, 0]]
    vector = 0.5 * np.cross(vertices[faces[:, 1]] - corner, vertices[faces[:, 2]] - corner)
    return np.sqrt(np.einsum("ij,ij->i", vector, vector)), vector


@dataclass(frozen=True)
class Outward:
    """A mesh's surface, every triangle once and facing outwards.

    ``faces`` [G, 3] index the vertices given; ``source`` [G] says which face each came from; ``turned``
    counts those that had to be turned over; ``open_edges`` those with a face missing; ``volume`` is what the
    faces enclose, exact if no edge is open.
    """

    faces: Integers
    source: Integers
    turned: int
    open_edges: int
    volume: float


def outward(
    vertices: Floats, faces: Integers, winding: Callable[[Floats, Integers, Floats], Floats]
) -> Outward:
    """Orient the faces of a mesh so that normals point out of the solid.

    1. Repeated and degenerate faces go.
    2. Neighbours across a manifold edge are made to agree.
    3. Patches that enclose a volume and lie in no other patch are turned outwards; what lies inside one of
       these keeps its orientation relative to it, so that cavities stay cavities.
    4. Open sheets keep the file's orientation.

    Args:
        vertices: [V, 3], centred and of size about 1.
        faces: [F, 3].
        winding: ``winding(vertices, faces, points [N, 3])`` -> winding numbers [N].
    """
    label = weld(vertices)
    welded = label[faces]
    area, vector = face_geometry(vertices, faces)
    source = np.flatnonzero(~degenerate(welded) & (area > 0))
    source = source[~repeats(welded[source], area[source]).extra]
    faces, welded, area, vector = faces[source], welded[source], area[source], vector[source]
    if not len(faces):
        return Outward(faces, source, 0, 0, 0.0)

    edges = edges_of(welded)
    flip, patch = _agree(welded, edges)
    count = int(patch.max()) + 1
    # of the two ways to agree, the one that turns less area over
    against = np.bincount(patch, area * flip, minlength=count)
    flip ^= (against > 0.5 * np.bincount(patch, area, minlength=count))[patch]
    sign = np.where(flip, -1.0, 1.0)

    total = np.stack([np.bincount(patch, vector[:, i] * sign, minlength=count) for i in range(3)], axis=1)
    patch_area = np.bincount(patch, area, minlength=count)
    closed = np.linalg.norm(total, axis=1) < ALMOST_CLOSED * patch_area
    centre = centres(vertices, faces)
    middle = np.stack([np.bincount(patch, centre[:, i] * area, minlength=count) for i in range(3)], axis=1)
    middle /= patch_area[:, None]
    volume = np.einsum("ij,ij->i", centre - middle[patch], vector) * sign / 3.0
    volume = np.bincount(patch, volume, minlength=count)

    inverted = closed & (volume < 0)
    if inverted.any():
        turned_faces = np.where(flip[:, None], faces[:, ::-1], faces)
        root = _outermost(vertices, turned_faces, patch, closed, inverted, winding)
        inverted = closed & inverted[root]
    sheets = ~closed
    if sheets.any():
        # a solid made of loose sheets, all facing inwards
        on_sheet = sheets[patch]
        about = np.average(centre[on_sheet], axis=0, weights=area[on_sheet])
        signed = np.einsum("ij,ij->i", centre - about, vector)[on_sheet] * sign[on_sheet]
        if signed.sum() < -0.05 * np.sum(np.linalg.norm(centre - about, axis=1)[on_sheet] * area[on_sheet]):
            inverted |= sheets
    flip ^= inverted[patch]
    faces = np.where(flip[:, None], faces[:, ::-1], faces)
    signed = np.einsum("ij,ij->i", centre, vector) * np.where(flip, -1.0, 1.0)
    return Outward(faces, source, int(flip.sum()), int(edges.boundary.sum()), float(signed.sum()) / 3.0)


def _agree(welded: Integers, edges: Edges) -> tuple[Mask, Integers]:
    """Which faces to turn so that neighbours agree, and the patch [F] (joined by manifold edges) of each."""
    flip = np.zeros(len(welded), dtype=bool)
    manifold = edges.forward + edges.backward == 2
    if bool((manifold & edges.open).any()):
        import igl

        agreed, patch = igl.bfs_orient(np.ascontiguousarray(welded))
        return _parity(agreed) != _parity(welded), np.unique(patch, return_inverse=True)[1].reshape(-1)

    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    edge = edges.edge.reshape(-1)
    face = np.repeat(np.arange(len(welded)), 3)
    keep = manifold[edge]
    edge, face = edge[keep], face[keep]
    face = face[np.argsort(edge, kind="stable")].reshape(-1, 2)
    ones = np.ones(len(face), dtype=np.int8)
    graph = coo_matrix((ones, (face[:, 0], face[:, 1])), shape=(len(welded), len(welded)))
    return flip, connected_components(graph, directed=False)[1].astype(np.int64)


def _outermost(
    vertices: Floats,
    faces: Integers,
    patch: Integers,
    closed: Mask,
    inverted: Mask,
    winding: Callable[[Floats, Integers, Floats], Floats],
) -> Integers:
    """For each patch the outermost closed patch that holds all of it; itself if there is none."""
    count = len(closed)
    root = np.arange(count)
    corners = vertices[faces]
    order = np.argsort(patch, kind="stable")
    starts = np.searchsorted(patch[order], np.arange(count + 1))
    low = np.minimum.reduceat(corners.min(axis=1)[order], starts[:-1])
    high = np.maximum.reduceat(corners.max(axis=1)[order], starts[:-1])
    box = np.prod(high - low, axis=1)
    largest_first = np.flatnonzero(closed)[np.argsort(-box[closed], kind="stable")]
    tests = 0
    for container in largest_first:
        # only pairs of which one is inverted can need a decision
        inside = closed & (root == np.arange(count)) & (low >= low[container]).all(axis=1)
        inside &= (high <= high[container]).all(axis=1) & (box < box[container])
        if not inverted[container]:
            inside &= inverted
        candidates = np.flatnonzero(inside)
        if not len(candidates):
            continue
        tests += len(candidates)
        if tests > _MAX_NESTING_TESTS:
            break  # a soup of thousands of scraps: every one faces outwards
        shell = faces[order[starts[container] : starts[container + 1]]]
        probes = []
        for inner in candidates:
            mine = faces[order[starts[inner] : starts[inner + 1]]].reshape(-1)
            probes.append(mine[:: max(len(mine) // _PROBES, 1)][:_PROBES])
        lengths = np.array([len(p) for p in probes])
        held = np.abs(winding(vertices, shell, vertices[np.concatenate(probes)])) > 0.5
        held_all = np.logical_and.reduceat(held, np.concatenate([[0], np.cumsum(lengths)[:-1]]))
        root[candidates[held_all]] = root[container]
    return root
