"""OFF and its relatives (COFF, NOFF, CNOFF, STOFF): geometry with optional colours and normals per vertex."""

from __future__ import annotations

import re

import numpy as np

from methods.core.errors import BadInput
from methods.superquadrics.loading.raw import MAX_FACES, MAX_VERTICES, Polygons, Raw, Source
from methods.superquadrics.loading.text import Lines, Rows, pieces
from methods.superquadrics.loading.words import many

HEADER = re.compile(rb"(ST)?(C)?(N)?(4)?(n)?OFF(?![A-Za-z])")


def read_off(source: Source) -> Raw:
    """Read a text OFF file; counts may stand on the line of the word OFF, as in ModelNet's files.

    Raises:
        BadInput: no usable header, another dimension than 3, binary OFF, or fewer lines than the header says.
    """
    rows, has_normals = _all_rows(source)
    filled = np.flatnonzero(rows.counts)
    if not len(filled) or rows.counts[filled[0]] < 2:
        raise source.damaged("the numbers of vertices and faces are missing after OFF")
    starts = rows.starts[filled]
    counts = rows.counts[filled]
    sizes = rows.values[starts[0] : starts[0] + 2]
    if not ((sizes >= 0) & (sizes < 2**53) & (sizes == np.floor(sizes))).all():
        raise source.damaged("the numbers of vertices and faces after OFF are no whole numbers")
    if sizes[0] > MAX_VERTICES or sizes[1] > MAX_FACES:
        raise BadInput(
            f"{source.name} says it has {sizes[0]:,.0f} vertices and {sizes[1]:,.0f} faces; at most "
            f"{MAX_VERTICES:,} and {MAX_FACES:,} can be read.",
            "Simplify it first.",
        )
    vertex_count, face_count = int(sizes[0]), int(sizes[1])
    lines = len(filled) - 1
    if lines < vertex_count:
        raise source.cut_off(lines, vertex_count, "vertex", "vertices")
    if lines < vertex_count + face_count:
        raise source.cut_off(lines - vertex_count, face_count, "face")

    first = slice(1, 1 + vertex_count)
    begin = int(starts[1]) if lines else 0
    stop = begin + int(counts[first].sum())
    columns = Rows(rows.values[begin:stop], counts[first]).columns(6 if has_normals else 3)
    faces = slice(1 + vertex_count, 1 + vertex_count + face_count)
    polygons, broken = _faces(rows.values, starts[faces], counts[faces])
    warnings = [f"{many(broken, 'face')} had fewer vertices than announced."] if broken else []
    normals = columns[:, 3:] if has_normals and not face_count else None
    return Raw("OFF", columns[:, :3], polygons, normals=normals, warnings=warnings)


def _all_rows(source: Source) -> tuple[Rows, bool]:
    """All numbers after the header word, line by line, and whether vertices carry normals."""
    values, counts, header = [], [], None
    for piece in pieces(source):
        lines = Lines(piece)
        comment = lines.starts_with("#", whole=False)
        chosen = ~comment
        if header is None and chosen.any():
            index = int(np.flatnonzero(chosen)[0])
            text = lines.text(index).encode()
            header = HEADER.match(text)
            if header is None:
                raise source.damaged("it does not begin with OFF")
            if text[header.end() :].split()[:1] == [b"BINARY"]:
                raise BadInput(f"{source.name} is a binary OFF file.", "Export it as text OFF, PLY or OBJ.")
            if header[4] or header[5]:
                raise BadInput(f"{source.name} is not three-dimensional.", "Export it with x, y and z only.")
            first = lines.numbers(_only(index, len(lines)), header.end())
            values.append(first.values)
            counts.append(first.counts)
            chosen[index] = False
        rows = lines.numbers(chosen, 0)
        values.append(rows.values)
        counts.append(rows.counts)
    if header is None:
        raise source.damaged("it holds only comments")
    return Rows(np.concatenate(values), np.concatenate(counts)), bool(header[3])


def _only(index: int, length: int) -> np.ndarray:
    mask = np.zeros(length, dtype=bool)
    mask[index] = True
    return mask


def _faces(values: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> tuple[Polygons | None, int]:
    """Faces from lines ``n i1 ... in [colour]``; a line that is too short becomes a face with corner -1."""
    if not len(starts):
        return None, 0
    size = values[starts]
    fits = np.isfinite(size) & (size >= 0) & (size < counts)
    size = np.where(fits, size, 1).astype(np.int64)
    offset = np.concatenate([[0], np.cumsum(size)[:-1]])
    at = np.repeat(starts + 1 - offset, size) + np.arange(size.sum())
    corner = values[np.minimum(at, len(values) - 1)]
    good = np.isfinite(corner) & (np.abs(corner) < 2**53) & np.repeat(fits, size)
    return Polygons(np.where(good, corner, -1.0).astype(np.int64), size), int((~fits).sum())
