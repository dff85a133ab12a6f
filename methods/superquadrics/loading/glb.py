"""Binary glTF 2.0: every mesh of the scene with its transform, each named node a part.

Source: Khronos glTF 2.0 specification. Only geometry is read: no images, materials, skins or animations, and
nothing outside the file.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.core.errors import BadInput
from methods.superquadrics.loading.raw import MAX_FACES, MAX_VERTICES, Polygons, Raw, Source
from methods.superquadrics.loading.text import printable
from methods.superquadrics.loading.words import many, was

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_JSON_BYTES = 64 * 2**20
MAX_NODES = 100_000
MAX_PRIMITIVES = 100_000
_JSON, _BIN = 0x4E4F534A, 0x004E4942
_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_COMPRESSED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")


def read_glb(source: Source) -> Raw:
    """Read a GLB file. Coordinates are metres, as the format prescribes.

    Raises:
        BadInput: damaged, cut off, compressed geometry, references outside the file, or too large.
    """
    document, binary = _chunks(source)
    try:
        return _Scene(source, document, binary).raw()
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise source.damaged(f"its scene description is inconsistent ({type(error).__name__})") from error


def _chunks(source: Source) -> tuple[dict[str, Any], memoryview]:
    data = source.read()
    if len(data) < 20:
        raise source.cut_off(len(data), 20, "byte")
    _, version, length = struct.unpack_from("<4sII", data)
    if version != 2:
        raise BadInput(f"{source.name} is glTF version {version}; only 2 is read.", "Export it as glTF 2.0.")
    if length > len(data):
        raise source.cut_off(len(data), length, "byte")
    document, binary, at = None, memoryview(b""), 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        at += 8
        if size > length - at:
            raise source.damaged("a chunk is longer than the file")
        if kind == _JSON and document is None:
            if size > MAX_JSON_BYTES:
                raise source.damaged("its scene description is unreasonably long")
            try:
                document = json.loads(data[at : at + size].decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise source.damaged("its scene description cannot be read") from error
        elif kind == _BIN and not binary:
            binary = memoryview(data)[at : at + size]
        at += size
    if not isinstance(document, dict):
        raise source.damaged("it has no scene description")
    return document, binary


class _Scene:
    def __init__(self, source: Source, document: dict[str, Any], binary: memoryview) -> None:
        self.source, self.binary = source, binary
        self.lists = {
            name: _list(document.get(name, []))
            for name in ("nodes", "meshes", "accessors", "bufferViews", "buffers", "scenes")
        }
        used = [*_list(document.get("extensionsRequired", [])), *_list(document.get("extensionsUsed", []))]
        compressed = [name for name in _COMPRESSED if name in used]
        if compressed:
            raise BadInput(
                f"{source.name} is compressed ({compressed[0]}), which is not read here.",
                "Export it without compression.",
            )
        self.scene = document.get("scene", 0)
        self.vertices: list[Floats] = []
        self.polygons: list[Polygons] = []
        self.labels: list[Integers] = []
        self.names: list[str] = []
        self.taken: dict[str, int] = {}
        self.vertex_count = self.face_count = self.lines = 0
        self.cache: dict[tuple[int, bool], NDArray] = {}

    def raw(self) -> Raw:
        instances = self._instances()
        # counted before anything is built: a small file may repeat a mesh any number of times
        primitives = sum(len(_list(self._mesh(node)["primitives"])) for node, _ in instances)
        if primitives > MAX_PRIMITIVES:
            raise BadInput(
                f"{self.source.name} repeats its meshes {primitives:,} times.", "Simplify it first."
            )
        for node, matrix in instances:
            self.source.check()
            self._add(node, matrix)
        vertices = np.concatenate([np.empty((0, 3)), *self.vertices])
        polygons = Polygons.joined(self.polygons) if self.polygons else None
        raw = Raw("GLB", vertices, polygons, unit="m")
        if self.labels and len(self.names) > 1:
            raw.labels, raw.names = np.concatenate(self.labels), self.names
        if self.lines:
            raw.warnings.append(f"{many(self.lines, 'set')} of lines {was(self.lines)} left out.")
        return raw

    # ------------------------------------------------------------------------------------------ nodes

    def _instances(self) -> list[tuple[dict[str, Any], Floats]]:
        """Nodes with a mesh and their world matrices [4, 4], parents before children."""
        nodes = self.lists["nodes"]
        if self.lists["scenes"]:
            roots = _list(self.lists["scenes"][_index(self.scene, self.lists["scenes"])].get("nodes", []))
        else:
            held = {c for node in nodes for c in _list(node.get("children", []))}
            roots = [i for i in range(len(nodes)) if i not in held]
        found = []
        pending = [(_index(root, nodes), np.eye(4)) for root in reversed(roots)]
        visited: set[int] = set()
        while pending:
            number, above = pending.pop()
            if number in visited or len(visited) > MAX_NODES:
                raise self.source.damaged("its nodes are no tree")
            visited.add(number)
            node = nodes[number]
            matrix = above @ _local_matrix(node)
            if not np.isfinite(matrix).all():
                raise self.source.damaged("a node has a transform that is not finite")
            if "mesh" in node:
                found.append((node, matrix))
            children = _list(node.get("children", []))
            pending += [(_index(child, nodes), matrix) for child in reversed(children)]
        return found

    def _mesh(self, node: dict[str, Any]) -> dict[str, Any]:
        return self.lists["meshes"][_index(node["mesh"], self.lists["meshes"])]

    def _add(self, node: dict[str, Any], matrix: Floats) -> None:
        mesh = self._mesh(node)
        part = -1
        for primitive in _list(mesh["primitives"]):
            mode = primitive.get("mode", 4)
            if mode in (1, 2, 3):
                self.lines += 1
                continue
            if mode not in (0, 4, 5, 6):
                raise self.source.damaged(f"a primitive has the unknown mode {mode}")
            positions = self._accessor(primitive["attributes"]["POSITION"], 3)
            indices = None
            if "indices" in primitive:
                indices = self._accessor(primitive["indices"], 1).reshape(-1)
                if indices.dtype.kind != "u":
                    raise self.source.damaged("vertex numbers are not whole numbers")
                indices = indices.astype(np.int64)
            corners = np.arange(len(positions)) if indices is None else indices
            triangles = _triangles(corners, mode)
            # a corner beyond this primitive's vertices must not fall on the next primitive's
            triangles = np.where(triangles < len(positions), triangles + self.vertex_count, -1)
            self.vertex_count += len(positions)
            self.face_count += len(triangles)
            if self.vertex_count > MAX_VERTICES or self.face_count > MAX_FACES:
                raise BadInput(
                    f"{self.source.name} has more than {MAX_FACES:,} faces or {MAX_VERTICES:,} vertices.",
                    "Simplify it first.",
                )
            self.vertices.append(positions @ matrix[:3, :3].T + matrix[:3, 3])
            if mode == 0:
                continue
            if np.linalg.det(matrix[:3, :3]) < 0:
                triangles = triangles[:, ::-1]  # a mirrored instance
            if part < 0:
                part = self._part_name(node, mesh)
            self.polygons.append(Polygons.of_triangles(triangles))
            self.labels.append(np.full(len(triangles), part, dtype=np.int64))

    def _part_name(self, node: dict[str, Any], mesh: dict[str, Any]) -> int:
        name = printable(str(node.get("name") or mesh.get("name") or "")) or f"part {len(self.names) + 1}"
        self.taken[name] = self.taken.get(name, 0) + 1
        self.names.append(name if self.taken[name] == 1 else f"{name} {self.taken[name]}")
        return len(self.names) - 1

    # -------------------------------------------------------------------------------------- accessors

    def _accessor(self, number: Any, width: int) -> NDArray:
        """Values [count, width] as float64 (normalised integers scaled) or, for width 1, as stored."""
        key = (_index(number, self.lists["accessors"]), width == 1)
        if key in self.cache:
            return self.cache[key]
        accessor = self.lists["accessors"][key[0]]
        if _WIDTHS.get(accessor["type"]) != width:
            raise self.source.damaged(f"an accessor has the type {accessor['type']!r:.20}")
        dtype = np.dtype(_COMPONENTS[accessor["componentType"]])
        count = _size(accessor["count"])
        if count > MAX_VERTICES * 3:
            raise self.source.damaged(f"an accessor says it has {count:,} values")
        if "bufferView" in accessor:
            values = self._view(accessor["bufferView"], accessor.get("byteOffset", 0), dtype, width, count)
        else:
            if "sparse" not in accessor:
                raise self.source.damaged("an accessor has no data")
            values = np.zeros((count, width), dtype=dtype)
        if "sparse" in accessor:
            values = self._sparse(values.copy(), accessor["sparse"], dtype, width)
        if width > 1:
            values = values.astype(np.float64)
            if accessor.get("normalized") and dtype.kind != "f":
                values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        self.cache[key] = values
        return values

    def _sparse(self, values: NDArray, sparse: dict[str, Any], dtype: np.dtype, width: int) -> NDArray:
        count = _size(sparse["count"])
        where, what = sparse["indices"], sparse["values"]
        kind = np.dtype(_COMPONENTS[where["componentType"]])
        index = self._view(where["bufferView"], where.get("byteOffset", 0), kind, 1, count).reshape(-1)
        replaced = self._view(what["bufferView"], what.get("byteOffset", 0), dtype, width, count)
        values[index.astype(np.int64)] = replaced
        return values

    def _view(self, number: Any, offset: Any, dtype: np.dtype, width: int, count: int) -> NDArray:
        view = self.lists["bufferViews"][_index(number, self.lists["bufferViews"])]
        buffer = _index(view.get("buffer", 0), self.lists["buffers"])
        if buffer != 0 or "uri" in self.lists["buffers"][buffer]:
            raise BadInput(f"{self.source.name} keeps data outside the file.", "Export it as one GLB file.")
        start = _size(view.get("byteOffset", 0)) + _size(offset)
        row = dtype.itemsize * width
        stride = _size(view.get("byteStride", 0)) or row
        end = _size(view.get("byteOffset", 0)) + _size(view["byteLength"])
        needed = start + stride * (count - 1) + row if count else start
        if needed > end or end > len(self.binary) or stride < row:
            raise self.source.cut_off(max(min(end, len(self.binary)) - start, 0), needed - start, "byte")
        if not count:
            return np.empty((0, width), dtype=dtype)
        table = np.ndarray((count, row), np.uint8, self.binary, start, (stride, 1))
        return np.ascontiguousarray(table).view(dtype).reshape(count, width)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value


def _index(value: Any, items: list[Any]) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < len(items):
        raise IndexError(value)
    return value


def _size(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise ValueError(value)
    return value


def _local_matrix(node: dict[str, Any]) -> Floats:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    matrix = np.eye(4)
    x, y, z, w = np.array(node.get("rotation", (0, 0, 0, 1)), dtype=np.float64).reshape(4)
    length = x * x + y * y + z * z + w * w
    if length > 0:
        s = 2.0 / length
        matrix[:3, :3] = [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
    matrix[:3, :3] *= np.array(node.get("scale", (1, 1, 1)), dtype=np.float64).reshape(3)
    matrix[:3, 3] = np.array(node.get("translation", (0, 0, 0)), dtype=np.float64).reshape(3)
    return matrix


def _triangles(corners: Integers, mode: int) -> Integers:
    """Corners of triangles (4), a strip (5) or a fan (6) as [F, 3]; of points (0) none."""
    count = len(corners)
    if mode == 4:
        return corners[: count - count % 3].reshape(-1, 3)
    if mode == 0 or count < 3:
        return np.empty((0, 3), dtype=np.int64)
    if mode == 6:
        return np.stack([np.full(count - 2, corners[0]), corners[1:-1], corners[2:]], axis=1)
    triangles = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    triangles[1::2] = triangles[1::2][:, [1, 0, 2]]
    return triangles
