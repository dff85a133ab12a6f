"""The one step every file goes through after its reader: drop what cannot be used, count it, say so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from methods.core.errors import BadInput
from methods.superquadrics import topology
from methods.superquadrics.loading.polygons import triangulate
from methods.superquadrics.loading.raw import MAX_FACES, Polygons, Raw, Reservoir, Source, is_usable
from methods.superquadrics.loading.words import many, was
from methods.superquadrics.target import Target

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

SLIVER = 1e-12
"""A triangle whose area is less than this share of its longest edge squared is a line."""
SMALLEST = 1e-30
"""Objects smaller than this underflow when squared."""
PRECISION = 1e-13
"""Objects smaller than this share of their distance from the origin have lost their shape in float64."""


def checked(raw: Raw, source: Source) -> Target:
    """A :class:`Target` with only finite, referenced, distinct content.

    Raises:
        BadInput: nothing usable is left; the text says what there was.
    """
    warnings = list(raw.warnings)
    polygons = raw.polygons if raw.polygons is not None and len(raw.polygons) else None
    if polygons is None:
        return _cloud(raw, source, warnings)
    return _mesh(raw, polygons, source, warnings)


# ------------------------------------------------------------------------------------------------ clouds


def _cloud(raw: Raw, source: Source, warnings: list[str]) -> Target:
    reservoir = Reservoir()
    has_normals = raw.normals is not None
    table = np.concatenate([raw.vertices, raw.normals], axis=1) if has_normals else raw.vertices
    reservoir.add(table)
    rows = reservoir.rows()
    total = raw.total if raw.total is not None else reservoir.total
    dropped = raw.dropped + reservoir.dropped
    if not total:
        raise BadInput(f"{source.name} holds no vertices and no faces.", "Export it again.")
    if not len(rows):
        raise BadInput(
            f"{source.name} has {many(total, 'point')}, none of them with finite coordinates.",
            "Export it again.",
        )
    if not raw.is_cloud_format:
        vertices = many(total, "vertex", "vertices")
        warnings.append(f"It has no faces; its {vertices} are read as a point cloud.")
    if dropped:
        warnings.append(f"{_not_finite(dropped, 'point')} and {was(dropped)} left out.")
    _must_have_extent(rows[:, :3], source)
    normals = _usable_normals(rows[:, 3:]) if has_normals else None
    left = total - dropped
    shown_of = None
    if left > len(rows):
        shown_of = left
        warnings.append(
            f"It has {many(left, 'point')}; a random {len(rows):,} of them are used, "
            f"1 of {round(left / len(rows), 1):g}."
        )
    return Target(source.name, rows[:, :3], normals=normals, unit=raw.unit, warnings=tuple(warnings),
                  shown_of=shown_of)  # fmt: skip


def _usable_normals(normals: Floats) -> Floats | None:
    """Normals of length 1, or None if one is not finite or zero."""
    length = np.linalg.norm(normals, axis=1)
    if not (np.isfinite(length) & (length > SMALLEST)).all():
        return None
    return normals / length[:, None]


def _must_have_extent(points: Floats, source: Source) -> None:
    if len(points) == 1:
        raise BadInput(f"{source.name} holds a single point.", "Give a mesh or a cloud of many points.")
    low, high = topology.box(points)
    extent = high - low
    if extent.max() < max(SMALLEST, PRECISION * float(np.abs(points).max())):
        raise BadInput(
            f"All {len(points):,} points of {source.name} lie at the same place.",
            "Export it with a smaller offset, or check the file.",
        )


def _not_finite(count: int, one: str, more: str = "") -> str:
    return f"{many(count, one, more)} {'is' if count == 1 else 'are'} not finite"


# ------------------------------------------------------------------------------------------------ meshes


def _mesh(raw: Raw, polygons: Polygons, source: Source, warnings: list[str]) -> Target:
    labels = raw.labels if raw.labels is not None and len(raw.labels) == len(polygons) else None
    if not len(raw.vertices):
        what = f"{source.name} has {many(len(polygons), 'face')} but no vertices."
        raise BadInput(what, "Export it again.")

    def keep(mask: Mask) -> None:
        nonlocal polygons, labels
        polygons = polygons.keep(mask)
        labels = labels[mask] if labels is not None else None

    outside = polygons.any((polygons.corners < 0) | (polygons.corners >= len(raw.vertices)))
    beyond = int(outside.sum())
    if beyond:
        keep(~outside)
        if not len(polygons):
            raise BadInput(
                f"Every face of {source.name} ({beyond:,}) names a vertex that is not there; it has "
                f"{many(len(raw.vertices), 'vertex', 'vertices')}.",
                "Export it again.",
            )
        verb = "names" if beyond == 1 else "name"
        missing = f"{many(beyond, 'face')} {verb} a vertex that is not there"
        warnings.append(f"{missing} and {was(beyond)} dropped.")

    finite = is_usable(raw.vertices)
    lost = len(finite) - int(finite.sum())
    if lost:
        broken = polygons.any(~finite[polygons.corners])
        keep(~broken)
        lost_faces = int(broken.sum())
        what = _not_finite(lost, "vertex", "vertices")
        if not len(polygons):
            raise BadInput(f"{source.name}: {what}, and no face is left without one.", "Export it again.")
        them = "it" if lost == 1 else "they"
        rest = (
            f"{them} and {many(lost_faces, 'face')} were dropped"
            if lost_faces
            else f"{them} {was(lost)} dropped"
        )
        warnings.append(f"{what}; {rest}.")

    vertices = np.where(finite[:, None], raw.vertices, 0.0) if lost else raw.vertices
    vertices, faces, owner = _triangles(vertices, polygons, source, warnings)
    labels = labels[owner] if labels is not None else None
    faces, labels, open_edges = _distinct(vertices, faces, labels, source, warnings)

    used = np.zeros(len(vertices), dtype=bool)
    used[faces] = True
    number = np.cumsum(used) - 1
    names = tuple(raw.names)
    if labels is not None:
        present, labels = np.unique(labels, return_inverse=True)
        labels, names = labels.reshape(-1), tuple(names[i] for i in present)
    target = Target(
        source.name, vertices[used], number[faces], part_labels=labels,
        part_names=names if labels is not None else (), unit=raw.unit,
    )  # fmt: skip
    return target.with_warnings(warnings + _about_inside(target, open_edges))


def _triangles(
    vertices: Floats, polygons: Polygons, source: Source, warnings: list[str]
) -> tuple[Floats, Integers, Integers]:
    lines = polygons.counts < 3
    owner = np.flatnonzero(~lines)
    if not len(owner):
        raise BadInput(f"Every face of {source.name} ({len(polygons):,}) has fewer than 3 corners.",
                       "Export it again.")  # fmt: skip
    count = int(lines.sum())
    if count:
        warnings.append(f"{many(count, 'face')} with fewer than 3 corners {was(count)} dropped.")
    polygons = polygons.keep(~lines)
    if int((polygons.counts - 2).sum()) > MAX_FACES:
        raise BadInput(f"{source.name} has more than {MAX_FACES:,} triangles.", "Simplify it first.")
    centre = vertices[polygons.corners].mean(axis=0)
    faces, source_polygon = triangulate(vertices - centre, polygons)
    return vertices, faces, owner[source_polygon]


def _distinct(
    vertices: Floats, faces: Integers, labels: Integers | None, source: Source, warnings: list[str]
) -> tuple[Integers, Integers | None, int]:
    """Faces without lines, points and repeats, their labels, and the number of open edges."""
    named = np.zeros(len(vertices), dtype=bool)
    named[faces] = True
    corners = vertices[named]
    _must_have_extent(corners, source)
    low, high = topology.box(corners)
    local = (vertices - low) / float((high - low).max())
    local[~named] = 0.0  # what no face names must not decide the grid that positions are compared on
    welded = topology.weld(local)[faces]
    longest = np.zeros(len(faces))
    for i, k in ((0, 1), (1, 2), (2, 0)):
        edge = local[faces[:, i]] - local[faces[:, k]]
        np.maximum(longest, np.einsum("ij,ij->i", edge, edge), out=longest)
    area = topology.face_geometry(local, faces)[0]
    flat = topology.degenerate(faces) | (area <= SLIVER * longest)
    count = int(flat.sum())
    if count == len(faces):
        raise BadInput(f"Every face of {source.name} ({count:,}) is degenerate: it has no area.",
                       "Export it again.")  # fmt: skip
    if count:
        verb = "has" if count == 1 else "have"
        warnings.append(f"{many(count, 'face')} {verb} no area and {was(count)} dropped.")
    # faces without area still close the seams between the others, so edges are counted with them
    sealing = welded[~topology.degenerate(welded)]
    open_edges = int(topology.edges_of(sealing).boundary.sum()) if len(sealing) else 0

    solid = np.flatnonzero(~flat & ~topology.degenerate(welded))
    again = topology.repeats(welded[solid], area[solid])
    tiny = np.flatnonzero(~flat & topology.degenerate(welded))
    kept = np.sort(np.concatenate([solid[~again.extra], tiny]))
    if again.same:
        verb = "is" if again.same == 1 else "are"
        warnings.append(f"{many(again.same, 'face')} {verb} there twice; the copies were dropped.")
    if again.double_sided:
        backs = many(again.double_sided, "face")
        warnings.append(
            f"The surface is double-sided; {backs} at the back {was(again.double_sided)} dropped."
        )
    if again.same or again.double_sided:
        solid_welded = welded[solid[~again.extra]]
        open_edges = int(topology.edges_of(solid_welded).boundary.sum())
    return faces[kept], labels[kept] if labels is not None else None, open_edges


def _about_inside(target: Target, open_edges: int) -> list[str]:
    notes, edges = [], many(open_edges, "open edge")
    turned = target.turned_faces
    if turned:
        notes.append(f"{many(turned, 'face')} pointed inwards and {was(turned)} turned.")
    if not target.is_solid:
        notes.append(f"It is an open surface ({edges}) that encloses no volume, so there is no IoU.")
    elif open_edges:
        notes.append(f"It is not watertight ({edges}); what lies inside is estimated.")
    return notes
