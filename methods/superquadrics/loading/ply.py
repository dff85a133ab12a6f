"""PLY: text, little and big endian, any properties and elements.

Source: Turk 1994, The PLY polygon file format. What a file holds besides positions, normals, faces and
triangle strips is stepped over, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
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
from methods.superquadrics.loading.text import Lines, pieces
from methods.superquadrics.loading.words import many

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_HEADER_BYTES = 65_536
_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
    "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
    "double": "f8", "float64": "f8", "int64": "i8", "uint64": "u8",
}  # fmt: skip
_CHUNK_ROWS = 200_000
_CORNERS = ("vertex_indices", "vertex_index")
_NOUNS = {"vertex": "vertices", "face": "faces"}


@dataclass
class Property:
    """One property; ``count`` is the type of a list's length, "" for a single number."""

    name: str
    type: str
    count: str = ""


@dataclass
class Element:
    """One element: how many rows, and their properties."""

    name: str
    rows: int
    properties: list[Property] = field(default_factory=list)

    def column(self, name: str) -> int | None:
        return next((i for i, p in enumerate(self.properties) if p.name == name), None)

    @property
    def least_bytes(self) -> int:
        return sum(np.dtype(p.count or p.type).itemsize for p in self.properties)


@dataclass
class Header:
    order: str
    """``<``, ``>``, or "" for text."""
    elements: list[Element]
    size: int

    def element(self, name: str) -> Element | None:
        return next((e for e in self.elements if e.name == name), None)


def read_ply(source: Source) -> Raw:
    """Read a PLY file; without faces its points are thinned to what can be shown.

    Raises:
        BadInput: an unusable header, fewer rows than announced, or no x, y, z.
    """
    header = _read_header(source)
    vertex = header.element("vertex")
    if vertex is None or any(vertex.column(axis) is None for axis in "xyz"):
        what = f"{source.name} has no vertices with x, y and z."
        raise BadInput(what, "Export it as a mesh or point cloud.")
    if any(p.count for p in vertex.properties):
        raise BadInput(f"{source.name} has lists among its vertices.", "Export it without them.")
    faces = header.element("face")
    strips = header.element("tristrips")
    has_faces = bool((faces and faces.rows) or (strips and strips.rows))
    if (faces is not None and faces.rows > MAX_FACES) or (has_faces and vertex.rows > MAX_VERTICES):
        raise BadInput(
            f"{source.name} has {many(vertex.rows, 'vertex', 'vertices')} and "
            f"{faces.rows if faces else 0:,} faces; at most {MAX_VERTICES:,} and {MAX_FACES:,} can be read.",
            "Simplify it first.",
        )
    columns = ["x", "y", "z"]
    if not has_faces and all(vertex.column(n) is not None for n in ("nx", "ny", "nz")):
        columns += ["nx", "ny", "nz"]
    taken = _Taken(columns, cloud=not has_faces)
    if header.order:
        _read_binary(source, header, taken)
    else:
        _read_text(source, header, taken)
    return taken.raw()


class _Taken:
    """What is kept of the elements while they pass by."""

    def __init__(self, columns: list[str], cloud: bool) -> None:
        self.columns = columns
        self.reservoir = Reservoir() if cloud else None
        self.vertices: list[Floats] = []
        self.polygons: list[Polygons] = []

    def add_vertices(self, rows: Floats) -> None:
        if self.reservoir is not None:
            self.reservoir.add(rows)
        else:
            self.vertices.append(np.array(rows, dtype=np.float64))

    def add_lists(self, element: str, values: NDArray, counts: Integers) -> None:
        good = np.isfinite(values) & (np.abs(values) < 2**53)
        corners = np.where(good, values, -1).astype(np.int64)
        if element == "face":
            self.polygons.append(Polygons(corners, counts))
        else:
            start = 0
            for count in counts.tolist():
                self.polygons.append(_strip(corners[start : start + count]))
                start += count

    def raw(self) -> Raw:
        if self.reservoir is None:
            vertices = np.concatenate([np.empty((0, 3)), *self.vertices])
            return Raw("PLY", vertices, Polygons.joined(self.polygons))
        rows = self.reservoir.rows()
        normals = rows[:, 3:] if rows.shape[1] == 6 else None
        cloud = self.reservoir
        return Raw("PLY", rows[:, :3], normals=normals, total=cloud.total, dropped=cloud.dropped,
                   is_cloud_format=True)  # fmt: skip


def _strip(corners: Integers) -> Polygons:
    """Triangles of strips that are separated by -1; every second one is turned."""
    if len(corners) < 3:
        return Polygons.of_triangles(np.empty((0, 3)))
    triangles = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    position = np.arange(len(corners))
    begin = np.maximum.accumulate(np.where(corners == -1, position + 1, 0))[: len(triangles)]
    odd = (np.arange(len(triangles)) - begin) % 2 == 1
    triangles[odd] = triangles[odd][:, [1, 0, 2]]
    return Polygons.of_triangles(triangles[(triangles != -1).all(axis=1)])


# ------------------------------------------------------------------------------------------------ header


def _read_header(source: Source) -> Header:
    with source.open() as stream:
        head = stream.read(MAX_HEADER_BYTES)
    newline = b"\r\n" if head[3:5] == b"\r\n" else head[3:4]
    if head[:3] != b"ply" or newline not in (b"\n", b"\r", b"\r\n"):
        raise source.damaged("it does not begin with a line 'ply'")
    text, end, _ = head.partition(b"end_header" + newline)
    if not end:
        raise source.damaged("its header has no line 'end_header'")
    order: str | None = None
    elements: list[Element] = []
    for line in text.split(newline)[1:]:
        words = line.decode("ascii", errors="replace").split()
        match words:
            case [] | ["comment" | "obj_info", *_]:
                continue
            case ["format", name, _] if name in _FORMATS:
                order = _FORMATS[name]
            case ["element", name, rows] if rows.isascii() and rows.isdigit() and len(rows) < 16:
                elements.append(Element(name, int(rows)))
            case ["property", "list", count, type_, name] if elements and _integer(count) and type_ in _TYPES:
                elements[-1].properties.append(Property(name, _TYPES[type_], _TYPES[count]))
            case ["property", type_, name] if elements and type_ in _TYPES:
                elements[-1].properties.append(Property(name, _TYPES[type_]))
            case _:
                shown = " ".join(words)[:60]
                raise source.damaged(f"its header has the line {shown!r}, which means nothing in PLY")
        if len(elements) > 64 or (elements and len(elements[-1].properties) > 256):
            raise source.damaged("its header names too many elements or properties")
    if order is None:
        raise source.damaged("its header has no line 'format'")
    names = [element.name for element in elements]
    if len(set(names)) < len(names):
        raise source.damaged("its header names an element twice")
    return Header(order, elements, len(text) + len(end))


_FORMATS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


def _integer(type_: str) -> bool:
    return type_ in _TYPES and _TYPES[type_][0] != "f"


def _cut_off(source: Source, element: Element, there: int) -> BadInput:
    noun = element.name if element.name in _NOUNS else f"{element.name} row"
    return source.cut_off(there, element.rows, noun, _NOUNS.get(element.name, f"{element.name} rows"))


# ------------------------------------------------------------------------------------------------ binary


def _read_binary(source: Source, header: Header, taken: _Taken) -> None:
    with source.open() as stream:
        stream.seek(header.size)
        left = source.size - header.size
        for element in header.elements:
            if not element.properties:
                continue
            if element.least_bytes * element.rows > left:
                # rows of fixed size: how many fit is known before anything is read
                if not any(p.count for p in element.properties):
                    raise _cut_off(source, element, left // element.least_bytes)
                if element.least_bytes * element.rows > MAX_ARRAY_BYTES:
                    raise _cut_off(source, element, left // element.least_bytes)
            if any(p.count for p in element.properties):
                left -= _lists(source, stream, left, element, header.order, taken)
            else:
                left -= _fixed_rows(source, stream, element, header.order, taken)


def _dtype(properties: list[Property], order: str) -> np.dtype:
    return np.dtype([(f"{i}", order + p.type) for i, p in enumerate(properties)])


def _fixed_rows(source: Source, stream: BinaryIO, element: Element, order: str, taken: _Taken) -> int:
    dtype = _dtype(element.properties, order)
    if element.name != "vertex":
        stream.seek(dtype.itemsize * element.rows, 1)
        return dtype.itemsize * element.rows
    names = [str(element.column(name)) for name in taken.columns]
    for start in range(0, element.rows, _CHUNK_ROWS):
        source.check()
        rows = min(_CHUNK_ROWS, element.rows - start)
        data = stream.read(rows * dtype.itemsize)
        if len(data) < rows * dtype.itemsize:
            raise _cut_off(source, element, start + len(data) // dtype.itemsize)
        table = np.frombuffer(data, dtype=dtype)
        taken.add_vertices(np.stack([table[name].astype(np.float64) for name in names], axis=1))
    return dtype.itemsize * element.rows


def _lists(source: Source, stream: BinaryIO, left: int, element: Element, order: str, taken: _Taken) -> int:
    """Read an element with lists, whose rows have different sizes -> bytes used."""
    wanted = _wanted_list(element)
    if left > MAX_ARRAY_BYTES:
        raise BadInput(f"{source.name} is too large to be read.", "Simplify it first.")
    data = stream.read(left)
    used = 0
    row = 0
    while row < element.rows:
        source.check()
        rows, values, count, size = _equal_rows(data, used, element, row, order, wanted)
        if not rows:
            raise _cut_off(source, element, row)
        if wanted is not None:
            taken.add_lists(element.name, values, np.full(rows, count, dtype=np.int64))
        row += rows
        used += size
        if rows < _SHORT_RUN and row < element.rows:
            # sizes change all the time: one row after another
            block = min(element.rows - row, _CHUNK_ROWS)
            values, counts, size = _single_rows(data, used, element, block, order, wanted)
            if len(counts) < block:
                raise _cut_off(source, element, row + len(counts))
            if wanted is not None:
                taken.add_lists(element.name, values, counts)
            row += block
            used += size
    stream.seek(used - len(data), 1)
    return used


_SHORT_RUN = 32


def _wanted_list(element: Element) -> int | None:
    names = _CORNERS if element.name in ("face", "tristrips") else ()
    return next((i for i, p in enumerate(element.properties) if p.count and p.name in names), None)


def _equal_rows(
    data: bytes, at: int, element: Element, row: int, order: str, wanted: int | None
) -> tuple[int, NDArray, int, int]:
    """Rows from ``at`` on whose lists are as long as those of the first -> rows, values, count, bytes."""
    fields: list[tuple] = []
    expected: dict[str, int] = {}
    position = at
    for i, prop in enumerate(element.properties):
        if prop.count:
            kind = np.dtype(order + prop.count)
            if position + kind.itemsize > len(data):
                return 0, np.empty(0), 0, 0
            count = int(np.frombuffer(data, kind, 1, position)[0])
            if count < 0 or count * np.dtype(prop.type).itemsize > len(data) - position:
                return 0, np.empty(0), 0, 0
            fields += [(f"n{i}", kind), (f"{i}", order + prop.type, (count,))]
            expected[f"n{i}"] = count
            position += kind.itemsize + count * np.dtype(prop.type).itemsize
        else:
            fields.append((f"{i}", order + prop.type))
            position += np.dtype(prop.type).itemsize
    dtype = np.dtype(fields)
    most = min(element.rows - row, (len(data) - at) // dtype.itemsize, _CHUNK_ROWS)
    if most <= 0:
        return 0, np.empty(0), 0, 0
    table = np.frombuffer(data, dtype, most, at)
    same = np.ones(most, dtype=bool)
    for name, count in expected.items():
        same &= table[name] == count
    rows = most if same.all() else int(np.argmin(same))
    values = np.empty(0) if wanted is None else _plain(table[str(wanted)][:rows].reshape(-1))
    return rows, values, expected.get(f"n{wanted}", 0), rows * dtype.itemsize


def _plain(values: NDArray) -> NDArray:
    """Native numbers that hold any vertex number."""
    return values.astype(np.float64 if values.dtype.kind == "f" else np.int64)


def _single_rows(
    data: bytes, at: int, element: Element, rows: int, order: str, wanted: int | None
) -> tuple[NDArray, Integers, int]:
    begin = at
    counts: list[int] = []
    values: list[NDArray] = [np.empty(0, dtype=np.int64)]
    byte_order = "little" if order == "<" else "big"
    plan = [
        (p.count and np.dtype(p.count).itemsize, np.dtype(order + p.type), i == wanted)
        for i, p in enumerate(element.properties)
    ]
    signed = [p.count[:1] == "i" for p in element.properties]
    for _ in range(rows):
        position, found = at, 0
        for (count_bytes, kind, is_wanted), is_signed in zip(plan, signed, strict=True):
            count = 1
            if count_bytes:
                count = int.from_bytes(data[position : position + count_bytes], byte_order, signed=is_signed)
                position += count_bytes
            size = count * kind.itemsize
            if count < 0 or position + size > len(data):
                return _joined(values), np.array(counts, dtype=np.int64), at - begin
            if is_wanted:
                values.append(np.frombuffer(data, kind, count, position))
                found = count
            position += size
        at = position
        counts.append(found)
    return _joined(values), np.array(counts, dtype=np.int64), at - begin


def _joined(values: list[NDArray]) -> NDArray:
    return _plain(np.concatenate([v.astype(v.dtype.newbyteorder("=")) for v in values]))


# -------------------------------------------------------------------------------------------------- text


def _read_text(source: Source, header: Header, taken: _Taken) -> None:
    stream = _numbers(source, header.size)
    rest = np.empty(0)
    for element in header.elements:
        if not element.properties:
            continue
        row = 0
        while row < element.rows:
            values, counts, used, rows = _text_rows(source, rest, element, element.rows - row)
            if rows:
                _keep(element, values, counts, taken)
                row += rows
                rest = rest[used:]
            if row < element.rows and (not rows or not len(rest)):
                more = next(stream, None)
                if more is None:
                    raise _cut_off(source, element, row)
                rest = np.concatenate([rest, more])
        source.check()


def _numbers(source: Source, start: int):
    """The numbers after the header, a piece of the file at a time; words that are none are NaN."""
    for piece in pieces(source, start=start):
        lines = Lines(piece)
        yield lines.numbers(np.ones(len(lines), dtype=bool), 0, comment="").values


def _text_rows(
    source: Source, values: Floats, element: Element, rows: int
) -> tuple[NDArray, Integers | None, int, int]:
    """Complete rows at the beginning of ``values`` -> kept values, list lengths, numbers used, rows."""
    width = len(element.properties)
    if not any(p.count for p in element.properties):
        rows = min(rows, len(values) // width)
        return values[: rows * width].reshape(rows, width), None, rows * width, rows
    wanted = _wanted_list(element)
    kept: list[Floats] = []
    counts: list[Integers] = []
    at = done = 0
    while done < rows:
        run, part, count, used = _equal_text_rows(source, values, at, element, rows - done, wanted)
        if not run:
            break
        kept.append(part)
        counts.append(np.full(run, count, dtype=np.int64))
        at += used
        done += run
        if run < _SHORT_RUN and done < rows:
            part, several, used = _single_text_rows(values, at, element, rows - done, wanted)
            kept.append(part)
            counts.append(several)
            at += used
            done += len(several)
    empty = np.empty(0)
    return np.concatenate([empty, *kept]), np.concatenate([empty.astype(np.int64), *counts]), at, done


def _equal_text_rows(
    source: Source, values: Floats, at: int, element: Element, rows: int, wanted: int | None
) -> tuple[int, Floats, int, int]:
    """Rows from ``at`` on whose lists are as long as those of the first -> rows, values, count, numbers."""
    position, places, begin, wanted_count = at, [], 0, 0
    for i, prop in enumerate(element.properties):
        if not prop.count:
            position += 1
            continue
        if position >= len(values):
            return 0, values[:0], 0, 0
        count = values[position]
        if not (0 <= count <= source.size and count == np.floor(count)):
            raise source.damaged(f"a {element.name} has a list of {count:g} numbers")
        places.append((position - at, values[position]))
        if i == wanted:
            begin, wanted_count = position + 1 - at, int(count)
        position += 1 + int(count)
    width = position - at
    most = min(rows, (len(values) - at) // width)
    if most <= 0:
        return 0, values[:0], 0, 0
    probe = min(most, 64)  # mostly short runs must not look at everything again and again
    while True:
        table = values[at : at + probe * width].reshape(probe, width)
        same = np.ones(probe, dtype=bool)
        same[1:] = np.all([table[1:, place] == count for place, count in places], axis=0)
        if not same.all():
            run = int(np.argmin(same))
            break
        if probe == most:
            run = most
            break
        probe = min(most, probe * 8)
    return run, table[:run, begin : begin + wanted_count].reshape(-1), wanted_count, run * width


def _single_text_rows(
    values: Floats, at: int, element: Element, rows: int, wanted: int | None
) -> tuple[Floats, Integers, int]:
    """At most 20,000 rows whose lists have changing lengths -> values, lengths, numbers used."""
    rows = min(rows, 20_000)
    ahead = values[at : at + 16 * rows].tolist()
    is_list = [bool(p.count) for p in element.properties]
    starts, counts, position = [], [], 0
    for _ in range(rows):
        here, start, count = position, 0, 0
        for i, several in enumerate(is_list):
            if several and here < len(ahead):
                length = ahead[here]
                if not (0 <= length < len(ahead)):  # left to the careful reader above
                    here = len(ahead)
                elif i == wanted:
                    start, count = here + 1, int(length)
                    here += count
                else:
                    here += int(length)
            here += 1
        if here > len(ahead):
            break
        starts.append(start)
        counts.append(count)
        position = here
    lengths = np.array(counts, dtype=np.int64)
    first = np.array(starts, dtype=np.int64) - np.concatenate([[0], np.cumsum(lengths)[:-1]])[: len(lengths)]
    where = np.repeat(first, lengths) + np.arange(lengths.sum())
    return values[at + where.astype(np.int64)], lengths, position


def _keep(element: Element, values: NDArray, counts: Integers | None, taken: _Taken) -> None:
    if element.name == "vertex" and counts is None:
        taken.add_vertices(values[:, [element.column(name) for name in taken.columns]])
    elif counts is not None and _wanted_list(element) is not None:
        taken.add_lists(element.name, values, counts)
