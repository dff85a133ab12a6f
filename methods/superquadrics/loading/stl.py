"""STL, binary and text. Corners at the same place become one vertex again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from methods.core.errors import BadInput
from methods.superquadrics.loading.raw import MAX_FACES, Polygons, Raw, Source
from methods.superquadrics.loading.text import Lines, pieces, printable
from methods.superquadrics.loading.words import bytes_text, many

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

HEADER_BYTES, FACE_BYTES = 84, 50
_FACE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def is_binary(head: bytes, size: int) -> bool:
    """Whether a file of ``size`` bytes is binary STL; some begin with "solid" like text ones."""
    if len(head) < HEADER_BYTES:
        return False
    announced = int.from_bytes(head[80:84], "little")
    if size == HEADER_BYTES + FACE_BYTES * announced:
        return True
    is_text = head.lstrip()[:5].lower() == b"solid" and b"\0" not in head[:512]
    return not is_text


def read_stl(source: Source) -> Raw:
    """Read an STL file; several solids of a text file become parts.

    Raises:
        BadInput: fewer faces than announced, or a text file without its end.
    """
    with source.open() as stream:
        binary = is_binary(stream.read(1024), source.size)
    return _read_binary(source) if binary else _read_text(source)


def _read_binary(source: Source) -> Raw:
    with source.open() as stream:
        announced = int.from_bytes(stream.read(HEADER_BYTES)[80:84], "little")
        there = (source.size - HEADER_BYTES) // FACE_BYTES
        if announced > there:
            raise source.cut_off(there, announced, "face")
        _limit(source, announced)
        faces = np.frombuffer(stream.read(announced * FACE_BYTES), dtype=_FACE)
    warnings = []
    extra = source.size - HEADER_BYTES - FACE_BYTES * announced
    if extra:
        warnings.append(f"{bytes_text(extra)} after the last face were ignored.")
    vertices, numbers = _welded(faces["corners"].reshape(-1, 3))
    return Raw("STL", vertices, Polygons.of_triangles(numbers), warnings=warnings)


def _read_text(source: Source) -> Raw:
    corners, facets, ends, solids = [np.empty((0, 3))], 0, 0, 0
    names: list[str] = []
    starts: list[int] = []
    for piece in pieces(source):
        lines = Lines(piece)
        facet = lines.starts_with("facet", any_case=True)
        for index in np.flatnonzero(lines.starts_with("solid", any_case=True)):
            starts.append(facets + int(facet[:index].sum()))
            names.append(printable(lines.text(index)[5:]) or f"solid {len(names) + 1}")
            if len(names) > 10_000:
                raise source.damaged("it holds more than 10,000 solids")
        corners.append(lines.numbers(lines.starts_with("vertex", any_case=True), 6).columns(3))
        facets += int(facet.sum())
        ends += int(lines.starts_with("endfacet", any_case=True).sum())
        solids += int(lines.starts_with("endsolid", any_case=True).sum())
        _limit(source, facets)
    points = np.concatenate(corners)
    if facets > ends or (facets and not solids):
        raise BadInput(
            f"{source.name} is cut off: it ends after {many(ends, 'face')}, without 'endsolid'.",
            "Copy or export the file again.",
        )
    if len(points) != 3 * facets:
        raise source.damaged(f"{many(facets, 'face')} have {len(points):,} corners instead of {3 * facets:,}")
    vertices, numbers = _welded(points)
    raw = Raw("STL", vertices, Polygons.of_triangles(numbers))
    label = np.searchsorted(np.array(starts, dtype=np.int64), np.arange(facets), side="right") - 1
    used, label = np.unique(np.maximum(label, 0), return_inverse=True)
    if len(used) > 1:
        raw.labels, raw.names = label.reshape(-1), [names[i] for i in used]
    return raw


def _limit(source: Source, faces: int) -> None:
    if faces > MAX_FACES:
        raise BadInput(
            f"{source.name} has {faces:,} faces or more; at most {MAX_FACES:,} can be read.",
            "Simplify it first.",
        )


def _welded(points: NDArray[np.floating]) -> tuple[Floats, Integers]:
    """Distinct positions [V, 3] of points [N, 3], and which one each point is [N]."""
    points = np.asarray(points, dtype=np.float64) + 0.0  # -0.0 is 0.0
    if not len(points):
        return points.reshape(-1, 3), np.empty(0, dtype=np.int64)
    # points are compared by a 64-bit hash, which sorts ten times faster than rows do; then checked
    bits = np.ascontiguousarray(points).view(np.uint64)
    mix = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)
    key = bits * mix
    key ^= key >> np.uint64(29)
    key = (key * mix[::-1]).sum(axis=1, dtype=np.uint64)
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    number = number.reshape(-1)
    vertices = points[first]
    if not np.array_equal(vertices[number], points, equal_nan=True):
        vertices, number = np.unique(points, axis=0, return_inverse=True)
    return vertices, number.reshape(-1).astype(np.int64)
