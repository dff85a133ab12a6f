"""Parts on disk: JSON and NPZ, both exact to the last bit, and the K x 11 arrays of earlier tools.

JSON: ``{"format": "studiolo-superquadrics", "version": 1, "unit": "m", "parts": [...]}`` and for each part
``{"translation": [x, y, z], "rotation": [w, x, y, z], "size": [a1, a2, a3], "exponents": [e1, e2],
"taper": [kx, ky], "name": "...", "color": "#RRGGBB", "visible": true, "locked": false, "id": 1, "group": "",
"mirror": null, "mirror_axis": "x", "mirror_offset": 0.0}``; its first four fields are required. NPZ: the same
fields as arrays with one row per part; ``mirror`` is -1 for none. What the numbers mean:
:mod:`methods.superquadrics.model`.

The reader is strict: whatever is wrong raises BadInput, which names the part by its position and the field.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import sys
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike

from methods.core.atomic import write_atomically
from methods.core.errors import BadInput
from methods.superquadrics.model import MAX_PARTS, Shape, Superquadric, palette_color

FORMAT = "studiolo-superquadrics"
VERSION = 1
MAX_BYTES = 16 * 1024 * 1024
"""256 parts need well under 1 MB; anything much larger is another kind of file."""

_VECTORS = {"translation": 3, "rotation": 4, "size": 3, "exponents": 2, "taper": 2}
_REQUIRED = ("translation", "rotation", "size", "exponents")
_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "name": (str, "text"),
    "color": (str, "text"),
    "visible": (bool, "true or false"),
    "locked": (bool, "true or false"),
    "id": (int, "a whole number"),
    "group": (str, "text"),
    "mirror": (int, "a part's id or null"),
    "mirror_axis": (str, "text"),
    "mirror_offset": ((int, float), "a number"),
}
_FIELDS = (*_VECTORS, *_KINDS)
_COLUMNS = "e1 e2 a1 a2 a3 euler_z euler_y euler_x tx ty tz"


# ---------------------------------------------------------------------------------------------------- JSON


def to_json(shape: Shape) -> dict[str, Any]:
    """The shape as plain data for :func:`json.dumps`; :func:`from_json` gives back an equal shape."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "unit": shape.unit,
        "parts": [
            {
                field: list(value) if isinstance(value := getattr(part, field), tuple) else value
                for field in _FIELDS
            }
            for part in shape.parts
        ],
    }


def from_json(data: Any, *, source: str = "The parts file", allow_empty: bool = False) -> Shape:
    """The shape that the decoded JSON ``data`` describes.

    Args:
        source: how error messages call the data.
        allow_empty: accept 0 parts: the empty document of a project.

    Raises:
        BadInput: anything that is not exactly as described in the module's text.
    """
    if not isinstance(data, dict):
        raise BadInput(f"{source} holds no parts: it is not a JSON object.", "Open a parts file.")
    if data.get("format") != FORMAT:
        what = f"its format is {data['format']!r:.60}" if "format" in data else "it names no format"
        raise BadInput(f"{source} is not a parts file: {what}.", f'Parts files say "format": "{FORMAT}".')
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise BadInput(f"{source}: version is {version!r:.60}.", f'Parts files say "version": {VERSION}.')
    if version > VERSION:
        raise BadInput(
            f"{source} has format version {version}; this program reads up to {VERSION}.",
            "Open it with a newer version of the program.",
        )
    rows = data.get("parts")
    if not isinstance(rows, list):
        raise BadInput(f"{source}: parts is missing or not a list.", "Export the parts again.")
    _check_count(len(rows), source, allow_empty)
    unit = data.get("unit", "")
    if not isinstance(unit, str):
        raise BadInput(f"{source}: unit is {unit!r:.60}.", 'Use text such as "m" or "mm", or "".')
    parts = tuple(_part_from(row, f"{source}: parts[{i}]") for i, row in enumerate(rows))
    try:
        shape = Shape(parts, unit)
    except BadInput as error:
        raise BadInput(f"{source}: {error.what}", error.remedy) from None
    for i, part in enumerate(parts):
        if part.mirror is not None and shape.parts[i].mirror is None:  # the model drops links to nowhere
            raise BadInput(
                f"{source}: parts[{i}].mirror is {part.mirror}, but no part has that id.",
                "Use the id of the partner, or null.",
            )
    return shape


def _part_from(row: Any, where: str) -> Superquadric:
    if not isinstance(row, dict):
        raise BadInput(f"{where} is {type(row).__name__}, not an object.", "Write each part as {...}.")
    for field in _REQUIRED:
        if field not in row:
            raise BadInput(f"{where}.{field} is missing.", f"Give its {_VECTORS[field]} numbers.")
    values: dict[str, Any] = {}
    for field, count in _VECTORS.items():
        if field not in row:
            continue
        vector = row[field]
        if not isinstance(vector, list) or any(
            isinstance(v, bool) or not isinstance(v, (int, float)) for v in vector
        ):
            raise BadInput(f"{where}.{field} is {vector!r:.60}.", f"It must be a list of {count} numbers.")
        values[field] = vector
    for field, (kind, words) in _KINDS.items():
        value = row.get(field)
        if field not in row or (field == "mirror" and value is None):
            continue
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise BadInput(f"{where}.{field} is {value!r:.60}.", f"It must be {words}.")
        values[field] = value
    try:
        return Superquadric(**values)
    except BadInput as error:
        raise BadInput(f"{where}.{error.what}", error.remedy) from None


def _check_count(count: int, source: str, allow_empty: bool = False) -> None:
    if count == 0 and not allow_empty:
        raise BadInput(f"{source} holds 0 parts.", "Export a shape with at least one part.")
    if count > MAX_PARTS:
        raise BadInput(f"{source} holds {count} parts.", f"Split it: at most {MAX_PARTS} parts are read.")


def _dumps(shape: Shape) -> str:
    """JSON text with one part per line, so that two versions compare line by line."""
    data = to_json(shape)
    lines = [json.dumps(part, ensure_ascii=False, allow_nan=False) for part in data.pop("parts")]
    head = json.dumps(data, ensure_ascii=False)[:-1]
    return f'{head}, "parts": [\n' + ",\n".join(lines) + "\n]}\n"


def _loads(content: bytes, source: str) -> Shape:
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadInput(f"{source} is not text in UTF-8.", "Open a parts file (.json, .npz).") from None
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadInput(f"{source} is not complete, valid JSON{where}.", "Export the parts again.") from None
    return from_json(data, source=source)


# ----------------------------------------------------------------------------------------------------- NPZ


def _to_npz(shape: Shape) -> bytes:
    columns: dict[str, Any] = {field: getattr(shape.parameters(), field) for field in _VECTORS}
    columns["rotation"] = np.array([part.rotation for part in shape.parts], dtype=np.float64)
    for field in _KINDS:
        values = [getattr(part, field) for part in shape.parts]
        columns[field] = np.array([-1 if value is None else value for value in values])
    buffer = io.BytesIO()
    np.savez(buffer, format=np.array(FORMAT), version=np.array(VERSION), unit=np.array(shape.unit), **columns)
    return buffer.getvalue()


def _from_npz(content: bytes, source: str) -> Shape:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MAX_BYTES:
            raise BadInput(f"{source} unpacks to {unpacked:,} bytes.", "Parts files stay below 16 MB.")
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: np.asarray(archive[name]) for name in archive.files}
        for array in arrays.values():
            if array.dtype.kind == "U" and array.size and _code_points(array).max() > sys.maxunicode:
                raise ValueError("text that is no Unicode")  # Python would fail on it later, with SystemError
    except BadInput:
        raise
    except Exception as error:  # zipfile and numpy raise a dozen kinds on damaged files
        raise BadInput(f"{source} is damaged or not an NPZ file.", "Export the parts again.") from error
    if "format" not in arrays:
        tables = [a for a in arrays.values() if a.ndim == 2 and a.shape[1] == 11]
        if len(tables) == 1:
            return from_rows(tables[0], source=source)
        raise BadInput(
            f"{source} holds no superquadric parts (arrays: {', '.join(arrays)[:80] or 'none'}).",
            "Open a parts file, or open this one as a point cloud.",
        )
    data: dict[str, Any] = {
        key: arrays[key].item()
        for key in ("format", "version", "unit")
        if key in arrays and arrays[key].ndim == 0
    }
    data["parts"] = _rows_from(arrays, source)
    return from_json(data, source=source)


def _code_points(text: Any) -> Any:
    return np.ascontiguousarray(text.astype(text.dtype.newbyteorder("="))).reshape(-1).view(np.uint32)


def _rows_from(arrays: dict[str, Any], source: str) -> list[dict[str, Any]]:
    for field in _REQUIRED:
        if field not in arrays:
            raise BadInput(f"{source}: the array {field} is missing.", "Export the parts again.")
    count = len(arrays["translation"]) if arrays["translation"].ndim else 0
    _check_count(count, source)
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for field in _FIELDS:
        if field not in arrays:
            continue
        array = arrays[field]
        shape = (count, _VECTORS[field]) if field in _VECTORS else (count,)
        if array.shape != shape:
            raise BadInput(f"{source}: the array {field} has shape {array.shape}.", f"It must be {shape}.")
        for row, value in zip(rows, array.tolist(), strict=True):
            row[field] = None if field == "mirror" and value == -1 else value
    return rows


# -------------------------------------------------------------------------------------------------- K x 11


def from_rows(rows: ArrayLike, *, source: str = "The table", unit: str = "") -> Shape:
    """Shape of a K x 11 array, the form that EMS and Marching-Primitives store.

    Columns: ``e1 e2 a1 a2 a3``, three angles in radians of intrinsic turns about z, then y, then x
    (R = Rz Ry Rx), and the translation. One row may come as 11 numbers.

    Raises:
        BadInput: wrong shape, or a value out of range in a row that the message names (from 0).
    """
    table = np.asarray(rows)
    if table.ndim == 1 and len(table):
        table = table[None]
    if table.dtype.kind not in "fiu" or table.ndim != 2 or (len(table) and table.shape[1] != 11):
        raise BadInput(
            f"{source} is an array of {table.dtype} with shape {table.shape}.",
            f"It must have 11 numeric columns: {_COLUMNS}.",
        )
    _check_count(len(table), source)
    parts = []
    for i, row in enumerate(table.astype(np.float64).tolist()):
        try:
            if not all(map(math.isfinite, row)):
                raise BadInput("it holds a number that is not finite.", "Remove the row.")
            parts.append(
                Superquadric(
                    translation=tuple(row[8:]),
                    rotation=_quaternion_from_zyx(*row[5:8]),
                    size=tuple(row[2:5]),
                    exponents=tuple(row[:2]),
                    name=f"part {i + 1}",
                    color=palette_color(i),
                )
            )
        except BadInput as error:
            raise BadInput(f"{source}: row {i}: {error.what}", error.remedy) from None
    return Shape(tuple(parts), unit)


def _quaternion_from_zyx(z: float, y: float, x: float) -> tuple[float, float, float, float]:
    """Quaternion of Rz(z) Ry(y) Rx(x)."""
    (cz, sz), (cy, sy), (cx, sx) = ((math.cos(0.5 * angle), math.sin(0.5 * angle)) for angle in (z, y, x))
    return (
        cx * cy * cz + sx * sy * sz,
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
    )


def _from_npy(content: bytes, source: str) -> Shape:
    try:
        table = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception as error:  # numpy raises several kinds on damaged files
        raise BadInput(f"{source} is damaged or not an NPY file of numbers.", "Save it again.") from error
    return from_rows(table, source=source)


def _from_text(content: bytes, source: str) -> Shape:
    rows: list[list[float]] = []
    for number, line in enumerate(content.decode("utf-8-sig", errors="replace").splitlines(), 1):
        words = re.split(r"[,;\s]+", line.split("#")[0].strip().strip(",;"))
        if words == [""]:
            continue
        try:
            values = [float(word) for word in words]
        except ValueError:
            if not rows:  # a header
                continue
            raise BadInput(f"{source}: line {number} is not numbers.", "Correct or remove it.") from None
        if len(values) != 11:
            raise BadInput(
                f"{source}: line {number} has {len(values)} numbers.", f"It must have 11: {_COLUMNS}."
            )
        rows.append(values)
        _check_count(len(rows), source)
    return from_rows(np.array(rows).reshape(-1, 11), source=source)


# --------------------------------------------------------------------------------------------------- files

_READERS = {".json": _loads, ".npz": _from_npz, ".npy": _from_npy, ".csv": _from_text, ".txt": _from_text}


def load(path: str | os.PathLike[str]) -> Shape:
    """Read parts from a file: .json or .npz, or a K x 11 table in .npz, .npy, .csv or .txt.

    Raises:
        BadInput: the file cannot be read or is not exactly what it should be; the message names the file.
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise BadInput(
            f"{path.name} is not a parts file: its ending is {path.suffix or 'missing'}.",
            f"Parts files end in {', '.join(_READERS)}.",
        )
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}.", "Check the path.") from None
    if len(content) > MAX_BYTES:
        raise BadInput(f"{path.name} is larger than 16 MB.", "Parts files are small; open a parts file.")
    if not content:
        raise BadInput(f"{path.name} is empty.", "Export the parts again.")
    return reader(content, path.name)


def save(shape: Shape, path: str | os.PathLike[str]) -> None:
    """Write parts to a .json or .npz file; the old file stays whole if that fails.

    Raises:
        BadInput: another ending, or a shape without parts. WorkFailed: the disk refused.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".json", ".npz"):
        raise BadInput(f"Parts cannot be saved as {path.name}.", "Choose a name ending in .json or .npz.")
    if not shape.parts:
        raise BadInput("The shape has no parts to save.", "Add a part first.")
    write_atomically(Path(path), _dumps(shape).encode() if suffix == ".json" else _to_npz(shape))


def is_parts_file(path: Path) -> bool:
    """Whether a file holds parts rather than points or triangles, by a look at its ending and its head.

    JSON always does; NPZ when it names the arrays of parts or holds one K x 11 table, NPY when it is such a
    table, and text when its first line names the columns e1, e2, a1, a2, a3.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".json":
            return True
        if suffix == ".npy":
            with path.open("rb") as file:
                return _is_table(_npy_shape(file))
        if suffix == ".npz":
            return _is_parts_npz(path)
        if suffix in (".csv", ".txt"):
            with path.open("rb") as file:
                head = file.readline(1000).decode("utf-8", errors="replace").lower()
            return re.findall(r"\w+", head)[:5] == ["e1", "e2", "a1", "a2", "a3"]
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        pass  # whoever opens it can tell best what is wrong
    return False


def _is_parts_npz(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        members = archive.namelist()
        names = {name.removesuffix(".npy") for name in members}
        if set(_REQUIRED) <= names or "format" in names:
            return True
        if len(members) != 1 or names & {"points", "vertices"}:
            return False
        with archive.open(members[0]) as file:
            return _is_table(_npy_shape(file))


def _npy_shape(file: IO[bytes]) -> tuple[int, ...]:
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return read(file)[0]


def _is_table(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 and 1 <= shape[0] <= MAX_PARTS and shape[1] == 11
