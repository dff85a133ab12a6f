"""Wavefront OBJ: vertices, faces of any size, objects and groups. Materials and curves are left alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from methods.core.errors import BadInput
from methods.superquadrics.loading.raw import MAX_FACES, MAX_VERTICES, Polygons, Raw, Source
from methods.superquadrics.loading.text import Lines, Rows, pieces, printable
from methods.superquadrics.loading.words import many

Integers = NDArray[np.int64]

MAX_NAMES = 10_000
_UNNAMED = "unnamed"


def read_obj(source: Source) -> Raw:
    """Read an OBJ file.

    Raises:
        BadInput: too large, or lines that are too long.
    """
    state = _State(source)
    for piece in pieces(source, join=b"\\"):
        state.take(Lines(piece))
    return state.finish()


class _State:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.vertices: list[NDArray[np.float64]] = []
        self.normals: list[NDArray[np.float64]] = []
        self.polygons: list[Polygons] = []
        self.labels: dict[str, list[Integers]] = {"o": [], "g": []}
        self.names: dict[str, dict[str, int]] = {"o": {}, "g": {}}
        self.current = {"o": -1, "g": -1}
        self.libraries: dict[str, None] = {}
        self.vertex_count = self.face_count = self.broken_faces = 0

    def take(self, lines: Lines) -> None:
        is_vertex, is_face = lines.starts_with("v"), lines.starts_with("f")
        vertices = lines.numbers(is_vertex, 1).columns(3)
        if is_face.any():
            self._faces(lines, is_vertex, is_face)
        self.vertices.append(vertices)
        self.vertex_count += len(vertices)
        if (normal := lines.starts_with("vn")).any():
            self.normals.append(lines.numbers(normal, 2).columns(3))
        for index in np.flatnonzero(lines.starts_with("mtllib")):
            if len(self.libraries) < 8:
                self.libraries[lines.text(index)[6:].strip()] = None
        self._parts(lines, is_face)
        if self.vertex_count > MAX_VERTICES or self.face_count > MAX_FACES:
            raise BadInput(
                f"{self.source.name} has more than {MAX_FACES:,} faces or {MAX_VERTICES:,} vertices.",
                "Simplify it first.",
            )

    def _faces(self, lines: Lines, is_vertex: NDArray[np.bool_], is_face: NDArray[np.bool_]) -> None:
        rows = lines.numbers(is_face, 1, first_of_each="/")
        # negative numbers count back from the vertices read before that line
        before = self.vertex_count + np.cumsum(is_vertex)[is_face]
        polygons, bad = _corners(rows, before)
        self.face_count += len(polygons)
        self.broken_faces += bad
        self.polygons.append(polygons)

    def _parts(self, lines: Lines, is_face: NDArray[np.bool_]) -> None:
        face_number = np.cumsum(is_face)
        total = int(face_number[-1]) if len(face_number) else 0
        for kind, names in self.names.items():
            label = np.full(total, self.current[kind], dtype=np.int64)
            for index in np.flatnonzero(lines.starts_with(kind)):
                if len(names) > MAX_NAMES:
                    break
                name = printable(lines.text(index)[1:]) or _UNNAMED
                self.current[kind] = names.setdefault(name, len(names))
                label[face_number[index] :] = self.current[kind]
            self.labels[kind].append(label)

    def finish(self) -> Raw:
        empty = np.empty((0, 3))
        vertices = np.concatenate([empty, *self.vertices])
        polygons = Polygons.joined(self.polygons) if self.face_count else None
        labels, names = self._named_parts() if polygons is not None else (None, [])
        normals = np.concatenate([empty, *self.normals])
        warnings = []
        if self.broken_faces:
            warnings.append(f"{many(self.broken_faces, 'face')} had a number that cannot be read.")
        missing = [name for name in self.libraries if not self._is_beside(name)]
        if missing:
            file = "Material file" if len(missing) == 1 else f"{len(missing)} material files"
            verb = "is" if len(missing) == 1 else "are"
            shown = ", ".join(printable(name, 60) for name in missing[:3])
            warnings.append(f"{file} {shown} {verb} missing; only the shape was read.")
        return Raw(
            "OBJ",
            vertices,
            polygons,
            labels,
            names,
            normals if polygons is None and len(normals) == len(vertices) else None,
            warnings=warnings,
        )

    def _named_parts(self) -> tuple[Integers | None, list[str]]:
        """Objects if there are several, else groups."""
        for kind in ("o", "g"):
            names = list(self.names[kind])
            if not 1 <= len(names) <= MAX_NAMES:
                continue
            labels = np.concatenate(self.labels[kind])
            used, labels = np.unique(labels, return_inverse=True)
            if len(used) > 1 or (kind == "g" and used[0] >= 0):
                return labels.reshape(-1), [names[i] if i >= 0 else _UNNAMED for i in used]
        return None, []

    def _is_beside(self, name: str) -> bool:
        try:
            return (self.source.path.parent / name).exists()
        except (OSError, ValueError):
            return False


def _corners(rows: Rows, before: Integers) -> tuple[Polygons, int]:
    """Faces with corners counted from 0; those with an unreadable number come out with corner -1.

    Returns the faces and how many had an unreadable number.
    """
    value = rows.values
    readable = np.isfinite(value) & (np.abs(value) < 2**53)
    number = np.where(readable, value, 0.0).astype(np.int64)
    back = np.repeat(before, rows.counts)
    corner = np.where(number > 0, number - 1, np.where((number < 0) & (-number <= back), back + number, -1))
    polygons = Polygons(corner, rows.counts)
    return polygons, int(polygons.any(~readable).sum())
