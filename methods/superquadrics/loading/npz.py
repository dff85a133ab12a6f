"""NPZ and NPY: arrays of vertices and faces, or of points. Never unpickles."""

from __future__ import annotations

import ast
import struct
import sys
import zipfile
import zlib
from typing import IO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from methods.core.errors import BadInput
from methods.superquadrics.loading.raw import (
    MAX_ARRAY_BYTES,
    MAX_FACES,
    MAX_VERTICES,
    Polygons,
    Raw,
    Reservoir,
    Source,
)
from methods.superquadrics.loading.text import printable
from methods.superquadrics.loading.words import bytes_text
from methods.superquadrics.loading.xyz import unit_normals
from methods.superquadrics.target import METRES

VERTICES = ("vertices", "verts", "v", "vertex")
FACES = ("faces", "f", "triangles", "tris", "face")
POINTS = ("points", "xyz", "pc", "pos", "positions", "point_cloud", "pointcloud", "cloud", "arr_0")
NORMALS = ("normals", "normal", "vertex_normals", "n")
PARTS = "exponents"
"""An array that only files of superquadric parts have."""

MAX_MEMBERS = 1000
MAX_NAMES = 10_000
_ROWS = 500_000
_MAX_HEADER = 10_000
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, KeyError, TypeError, SyntaxError,
    NotImplementedError, RuntimeError, OSError, OverflowError, MemoryError,
)  # fmt: skip
"""What zipfile, zlib and numpy raise for damaged archives."""


class _Array:
    """One stored array: its header is read first, its numbers in pieces."""

    def __init__(
        self, source: Source, name: str, stream: IO[bytes], size: int, *, text: bool = False
    ) -> None:
        self.source, self.name, self._stream = source, name, stream
        try:
            self.shape, self._fortran, self.dtype = _header(stream)
        except _DAMAGE as error:
            raise source.damaged(f"the array {name!r} has no readable header") from error
        if self.dtype.hasobject or self.dtype.kind not in ("U" if text else "fiu"):
            raise BadInput(
                f"{source.name}: the array {name!r} holds {self.dtype}, not numbers.",
                "Save plain arrays of numbers.",
            )
        count = 1
        for extent in self.shape:
            count *= int(extent)
        self.bytes = count * self.dtype.itemsize
        if self.bytes > size:
            raise source.cut_off(size, self.bytes, "byte")
        if self.bytes > MAX_ARRAY_BYTES:
            raise BadInput(
                f"{source.name}: the array {name!r} unpacks to {bytes_text(self.bytes)}; "
                f"at most {bytes_text(MAX_ARRAY_BYTES)} can be read.",
                "Save fewer points, or float32.",
            )

    def _read(self, count: int) -> NDArray:
        wanted = count * self.dtype.itemsize
        parts = []
        while wanted:
            self.source.check()
            try:
                data = self._stream.read(min(wanted, 2**22))
            except _DAMAGE as error:
                raise self.source.damaged(f"the array {self.name!r} cannot be unpacked") from error
            if not data:
                raise self.source.damaged(f"the array {self.name!r} ends too early")
            parts.append(data)
            wanted -= len(data)
        return np.frombuffer(b"".join(parts), dtype=self.dtype)

    def all(self) -> NDArray:
        """The whole array."""
        count = self.bytes // self.dtype.itemsize
        return self._read(count).reshape(self.shape, order="F" if self._fortran else "C")

    def rows(self):
        """Rows of a two-dimensional array in pieces of at most 500,000."""
        if self._fortran or len(self.shape) != 2:
            table = self.all()
            for start in range(0, len(table), _ROWS):
                yield table[start : start + _ROWS]
            return
        rows, width = self.shape
        for start in range(0, rows, _ROWS):
            yield self._read(min(_ROWS, rows - start) * width).reshape(-1, width)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, Fortran order and type of an array, as numpy writes them (NEP 1); ValueError if unreadable.

    numpy's own reader also tries to repair headers that Python 2 wrote, with errors of other kinds.
    """
    major, _ = npy.read_magic(stream)
    size = int.from_bytes(stream.read(2 if major == 1 else 4), "little")
    if size > _MAX_HEADER:
        raise ValueError("long header")
    header = ast.literal_eval(stream.read(size).decode("utf-8").strip())
    shape, dtype = header["shape"], npy.descr_to_dtype(header["descr"])
    if not (isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)):
        raise ValueError("shape")
    return shape, header["fortran_order"] is True, dtype


def read_npz(source: Source) -> Raw:
    """Read an NPZ archive (or NPY file) with vertices and faces, or points.

    Points may be [N, 3 or more] (normals in columns 4 to 6, if they have length 1) or [B, N, 3 or more], of
    which the first cloud is taken.

    Raises:
        BadInput: no such arrays, or arrays of another shape, damaged, unreasonably large, or of objects.
    """
    with source.open() as stream:
        if stream.read(6) == b"\x93NUMPY":
            stream.seek(0)
            return _points(source, _Array(source, "points", stream, source.size), None)
    try:
        archive = zipfile.ZipFile(source.path)
    except _DAMAGE as error:
        raise source.damaged("it is no readable archive of arrays") from error
    with archive:
        listed = archive.infolist()
        members = {m.filename.removesuffix(".npy"): m for m in listed if m.filename.endswith(".npy")}
        if not members or len(listed) > MAX_MEMBERS:
            raise BadInput(f"{source.name} is a zip archive without arrays.", "Save it with numpy.savez.")
        if PARTS in members:
            raise BadInput(
                f"{source.name} holds superquadric parts, not a mesh or points.", "Open it as a parts file."
            )
        return _read_members(source, archive, members)


def _read_members(source: Source, archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo]) -> Raw:
    by_name = {name.lower(): name for name in members}

    def find(names: tuple[str, ...]) -> str | None:
        return next((by_name[name] for name in names if name in by_name), None)

    def open_array(name: str, *, text: bool = False) -> _Array:
        try:
            stream = archive.open(members[name])
        except _DAMAGE as error:
            raise source.damaged(f"the array {name!r} cannot be unpacked") from error
        return _Array(source, name, stream, members[name].file_size, text=text)

    vertices, faces, points = find(VERTICES), find(FACES), find(POINTS)
    normals = find(NORMALS)
    unit = _words(open_array("unit", text=True), 1) if "unit" in members else []
    if vertices and faces:
        raw = _mesh(source, open_array(vertices), open_array(faces))
        if "part_labels" in members and "part_names" in members:
            raw.names = _words(open_array("part_names", text=True), MAX_NAMES)
            raw.labels = _labels(open_array("part_labels"), len(raw.polygons or ()), len(raw.names))
        raw.unit = unit[0] if unit and unit[0] in METRES else ""
        return raw
    points = points or vertices or (next(iter(members)) if len(members) == 1 else None)
    if points is None:
        raise BadInput(
            f"{source.name} holds {', '.join(sorted(members)[:8])}; no vertices and faces, and no points.",
            "Name the arrays vertices and faces, or points.",
        )
    raw = _points(source, open_array(points), open_array(normals) if normals else None)
    raw.unit = unit[0] if unit and unit[0] in METRES else ""
    return raw


def _words(array: _Array, most: int) -> list[str]:
    """At most ``most`` words of an array of text; none if it is larger than such an array can be."""
    if not 0 < array.bytes <= 4 * 200 * most or len(array.shape) > 1:
        return []
    words = array.all().reshape(-1)[:most]
    words = np.ascontiguousarray(words.astype(words.dtype.newbyteorder("=")))
    if words.view(np.uint32).max() > sys.maxunicode:
        return []  # no text; Python would raise SystemError
    return [printable(str(word)) for word in words]


def _labels(array: _Array, faces: int, names: int) -> NDArray[np.int64] | None:
    """Part of each face, or None if the array does not fit."""
    if array.shape != (faces,) or array.dtype.kind not in "iu":
        return None
    labels = array.all()
    return labels.astype(np.int64) if len(labels) and labels.min() >= 0 and labels.max() < names else None


def _mesh(source: Source, vertices: _Array, faces: _Array) -> Raw:
    for array, width, most in ((vertices, 3, MAX_VERTICES), (faces, 3, MAX_FACES)):
        _must_have(source, array, len(array.shape) == 2 and width <= array.shape[1] <= 4, "[rows, 3]")
        if array.shape[0] > most:
            raise BadInput(
                f"{source.name}: {array.name} has {array.shape[0]:,} rows; at most {most:,} can be read.",
                "Simplify it first.",
            )
    corners = faces.all()
    if corners.dtype.kind == "f":
        whole = np.isfinite(corners) & (np.abs(corners) < 2**53) & (corners == np.floor(corners))
        corners = np.where(whole, corners, -1)
    elif corners.dtype == np.uint64:
        corners = np.minimum(corners, np.uint64(2**62))
    corners = corners.astype(np.int64)
    size = corners.shape[1]
    polygons = Polygons(corners.reshape(-1), np.full(len(corners), size, dtype=np.int64))
    points = vertices.all()[:, :3].astype(np.float64)
    return Raw("NPZ", points, polygons)


def _points(source: Source, points: _Array, normals: _Array | None) -> Raw:
    warnings = []
    shape = points.shape
    _must_have(source, points, len(shape) in (2, 3) and min(shape, default=0) > 0, "[points, 3]")
    if len(shape) == 3:
        table = points.all()[0]
        pieces = [table]
        if shape[0] > 1:
            warnings.append(f"It holds {shape[0]:,} clouds; the first one was read.")
        shape = shape[1:]
    else:
        pieces = points.rows()
    if shape[0] == 3 and shape[1] > 9:
        pieces, shape = [np.concatenate(list(pieces)).T], shape[::-1]  # stored as [3, points]
    _must_have(source, points, 3 <= shape[1] <= 64, "[points, 3]")
    reservoir = Reservoir()
    extra = None
    if normals is not None and normals.shape == (shape[0], 3):
        extra = normals.rows()
    for rows in pieces:
        columns = rows[:, : 6 if shape[1] >= 6 else 3].astype(np.float64)
        if extra is not None:
            more = next(extra)
            columns = np.concatenate([columns[:, :3], more.astype(np.float64)[: len(columns)]], axis=1)
        reservoir.add(columns)
    table = reservoir.rows()
    return Raw("NPZ", table[:, :3], normals=unit_normals(table), warnings=warnings, total=reservoir.total,
               dropped=reservoir.dropped, is_cloud_format=True)  # fmt: skip


def _must_have(source: Source, array: _Array, good: bool, wanted: str) -> None:
    if not good:
        raise BadInput(
            f"{source.name}: the array {array.name!r} has the shape {list(array.shape)}, expected {wanted}.",
            "Save it in that shape.",
        )


def is_array_archive(head: bytes) -> bool:
    """Whether a zip archive's first bytes look like one of numpy's."""
    name_length = int.from_bytes(head[26:28], "little")
    return head[:4] == b"PK\x03\x04" and head[30 : 30 + name_length].endswith(b".npy")
