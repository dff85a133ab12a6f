"""Write meshes (OBJ, PLY, STL, GLB), point clouds (PLY, XYZ, CSV, NPZ) and targets (NPZ).

Files appear complete or not at all. Coordinates keep their digits: where single precision would lose some,
because a small object lies far from the origin, PLY and STL change to double precision or text, and GLB puts
the offset into the node.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from methods.core.atomic import atomic_writer
from methods.core.errors import BadInput
from methods.core.version import __version__
from methods.superquadrics.model import Shape
from methods.superquadrics.surface import part_mesh
from methods.superquadrics.target import METRES, Target
from methods.superquadrics.union import union_mesh

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FAR = 1000.0
"""Coordinates this many times larger than the object itself lose visible digits in single precision."""
_ROWS = 20_000
_GREY = "#BBBBBB"


@dataclass(frozen=True, eq=False)
class MeshObject:
    """One object of a mesh file: vertices [V, 3], faces [F, 3], unit normals [V, 3] or None, ``#RRGGBB``."""

    name: str
    vertices: Floats
    faces: Integers
    normals: Floats | None = None
    color: str = _GREY
    unit: str = ""


def shape_mesh(
    shape: Shape, resolution: int = 32, *, union: bool = False, visible_only: bool = False
) -> list[MeshObject]:
    """The parts as watertight meshes, or one mesh of their union.

    Args:
        resolution: segments around each part; see :func:`methods.superquadrics.surface.part_mesh`.
        visible_only: leave out parts that are not shown.

    Raises:
        BadInput: there is no (shown) part. BadParameter: the resolution is out of range.
    """
    if not (shape.visible_parts() if visible_only else shape.parts):
        what = "All parts of the shape are hidden." if shape.parts else "The shape has no parts."
        raise BadInput(what, "Add or show a part first.")
    if union:
        vertices, faces = union_mesh(shape, resolution, visible_only=visible_only)
        return [MeshObject("union", vertices, faces.astype(np.int64), unit=shape.unit)]
    objects = []
    for number, part in enumerate(shape.parts, start=1):
        if part.visible or not visible_only:
            vertices, faces, normals = part_mesh(part, resolution)
            name = part.name or f"part {number}"
            objects.append(
                MeshObject(name, vertices, faces.astype(np.int64), normals, part.color, shape.unit)
            )
    return objects


def save_mesh(objects: Sequence[MeshObject], path: str | Path) -> None:
    """Write mesh objects; the suffix of ``path`` chooses the format.

    OBJ and GLB keep objects with their names and colours, PLY keeps colours, STL keeps triangles. GLB is in
    metres, as its standard asks, if the unit is known.

    Raises:
        BadInput: unknown suffix, or nothing to write. OSError: the place cannot be written to.
    """
    _write(objects, Path(path), {".obj": _obj, ".ply": _mesh_ply, ".stl": _stl, ".glb": _glb})


def save_points(cloud: tuple[Floats, Floats | None], path: str | Path) -> None:
    """Write points [N, 3] and unit normals [N, 3] (or None); the suffix of ``path`` chooses the format.

    Raises:
        BadInput: unknown suffix, or no points. OSError: the place cannot be written to.
    """
    points, normals = cloud
    columns = [np.asarray(points, dtype=np.float64).reshape(-1, 3)]
    if normals is not None:
        columns.append(np.asarray(normals, dtype=np.float64).reshape(-1, 3))
    writers = {".ply": _points_ply, ".xyz": _xyz, ".csv": _csv, ".npz": _points_npz}
    _write(np.concatenate(columns, axis=1), Path(path), writers)


def save_target(target: Target, path: str | Path) -> None:
    """Write a target as NPZ, from which ``load_target`` gives the same arrays, names and unit again."""
    arrays: dict[str, Any] = {"vertices" if target.faces is not None else "points": target.vertices}
    for name in ("faces", "normals", "part_labels"):
        if getattr(target, name) is not None:
            arrays[name] = getattr(target, name)
    if target.part_names:
        arrays["part_names"] = np.array(target.part_names, dtype=np.str_)
    if target.unit:
        arrays["unit"] = np.array(target.unit, dtype=np.str_)
    with atomic_writer(Path(path)) as stream:
        np.savez_compressed(stream, **arrays)


def _write(value: Any, path: Path, writers: dict[str, Callable[[Any, IO[bytes]], None]]) -> None:
    writer = writers.get(path.suffix.lower())
    if writer is None:
        what = f"{path.name}: {path.suffix or 'no suffix'} is not a format to write."
        raise BadInput(what, f"Use {', '.join(writers)}.")
    if not len(value):
        raise BadInput(f"There is nothing to write to {path.name}.", "Add a part or points first.")
    with atomic_writer(path) as stream:
        writer(value, stream)


# ------------------------------------------------------------------------------------------------ common


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _spread(points: Floats) -> tuple[float, float]:
    """Size of the cloud and its largest coordinate."""
    size = float((points.max(axis=0) - points.min(axis=0)).max())
    return size, float(np.abs(points).max())


def _is_far(points: Floats) -> bool:
    size, largest = _spread(points)
    return largest > FAR * size


def _digits(points: Floats) -> int:
    """Significant digits that give coordinates to 1e-9 of the object's size."""
    size, largest = _spread(points)
    if not size:
        return 17
    return int(min(max(9 + np.ceil(np.log10(max(largest / size, 1.0))), 9), 17))


def _lines(stream: IO[bytes], row: str, table: NDArray[Any]) -> None:
    """Write each row of ``table`` with the format ``row``, some thousand lines at a time."""
    for start in range(0, len(table), _ROWS):
        part = table[start : start + _ROWS]
        stream.write(((row * len(part)) % tuple(part.reshape(-1).tolist())).encode())


def _joined(objects: Sequence[MeshObject]) -> tuple[Floats, Integers]:
    starts = np.concatenate([[0], np.cumsum([len(o.vertices) for o in objects])])
    faces = [np.asarray(o.faces, dtype=np.int64) + start for o, start in zip(objects, starts, strict=False)]
    return np.concatenate([o.vertices for o in objects]), np.concatenate(faces)


def _plain(name: str) -> str:
    """A name on one line."""
    return " ".join(name.split()) or "part"


# ------------------------------------------------------------------------------------------------ meshes


def _obj(objects: Sequence[MeshObject], stream: IO[bytes]) -> None:
    digits = _digits(np.concatenate([o.vertices for o in objects]))
    stream.write(f"# Studiolo {__version__}\n".encode())
    start = normal_start = 1
    for item in objects:
        stream.write(f"o {_plain(item.name)}\n".encode())
        color = " ".join(f"{channel / 255:.4f}" for channel in _rgb(item.color))
        _lines(stream, f"v {' '.join([f'%.{digits}g'] * 3)} {color}\n", item.vertices)
        faces = np.asarray(item.faces, dtype=np.int64)
        if item.normals is None:
            _lines(stream, "f %d %d %d\n", faces + start)
        else:
            _lines(stream, "vn %.6g %.6g %.6g\n", item.normals)
            pairs = np.stack([faces + start, faces + normal_start], axis=2)
            _lines(stream, "f %d//%d %d//%d %d//%d\n", pairs)
            normal_start += len(item.normals)
        start += len(item.vertices)


def _mesh_ply(objects: Sequence[MeshObject], stream: IO[bytes]) -> None:
    vertices, faces = _joined(objects)
    with_normals = all(o.normals is not None for o in objects)
    kind = "double" if _is_far(vertices) else "float"
    names = ["x", "y", "z"] + (["nx", "ny", "nz"] if with_normals else [])
    fields = [(name, "<f8" if kind == "double" and name in "xyz" else "<f4") for name in names]
    table = np.zeros(len(vertices), dtype=[*fields, ("red", "u1"), ("green", "u1"), ("blue", "u1")])
    columns = [*vertices.T]
    if with_normals:
        columns += [*np.concatenate([o.normals for o in objects]).T]
    for name, column in zip(names, columns, strict=True):
        table[name] = column
    color = np.repeat([_rgb(o.color) for o in objects], [len(o.vertices) for o in objects], axis=0)
    for name, column in zip(("red", "green", "blue"), color.T, strict=True):
        table[name] = column
    lists = np.zeros(len(faces), dtype=[("n", "u1"), ("corners", "<i4", 3)])
    lists["n"], lists["corners"] = 3, faces
    comments = [f"comment object {_plain(o.name)}".encode("ascii", "replace").decode() for o in objects]
    header = [
        "ply", "format binary_little_endian 1.0", f"comment Studiolo {__version__}", *comments[:256],
        f"element vertex {len(table)}",
        *(f"property {kind if n in 'xyz' else 'float'} {n}" for n in names),
        "property uchar red", "property uchar green", "property uchar blue",
        f"element face {len(lists)}", "property list uchar int vertex_indices", "end_header", "",
    ]  # fmt: skip
    stream.write("\n".join(header).encode())
    _pieces(stream, table)
    _pieces(stream, lists)


def _pieces(stream: IO[bytes], table: NDArray[Any]) -> None:
    for start in range(0, len(table), _ROWS):
        stream.write(table[start : start + _ROWS].tobytes())


def _stl(objects: Sequence[MeshObject], stream: IO[bytes]) -> None:
    vertices, faces = _joined(objects)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(length > 0, length, 1.0)
    if _is_far(vertices):
        number = f"%.{_digits(vertices)}g"
        vertex = f"vertex {number} {number} {number}\n"
        row = f"facet normal %.6g %.6g %.6g\nouter loop\n{vertex * 3}endloop\nendfacet\n"
        stream.write(b"solid Studiolo\n")
        _lines(stream, row, np.concatenate([normals, corners.reshape(-1, 9)], axis=1))
        stream.write(b"endsolid Studiolo\n")
        return
    kind = [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]
    table = np.zeros(len(faces), dtype=kind)
    table["normal"], table["corners"] = normals, corners
    stream.write(f"Studiolo {__version__}".encode().ljust(80, b" ") + struct.pack("<I", len(table)))
    _pieces(stream, table)


def _glb(objects: Sequence[MeshObject], stream: IO[bytes]) -> None:
    parts: list[bytes] = []
    views: list[dict[str, Any]] = []
    accessors: list[dict[str, Any]] = []

    def add(array: NDArray[Any], component: int, kind: str, target: int, **more: Any) -> int:
        start = sum(map(len, parts))
        data = array.tobytes()
        parts.append(data + b"\0" * (-len(data) % 4))
        views.append({"buffer": 0, "byteOffset": start, "byteLength": len(data), "target": target})
        count = len(array) if array.ndim > 1 else array.size
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": component, "count": count, "type": kind, **more}
        )
        return len(accessors) - 1

    nodes, meshes, materials = [], [], []
    for item in objects:
        low, high = item.vertices.min(axis=0), item.vertices.max(axis=0)
        centre = 0.5 * (low + high)
        local = (item.vertices - centre).astype("<f4")
        low, high = local.min(axis=0).tolist(), local.max(axis=0).tolist()
        attributes = {"POSITION": add(local, 5126, "VEC3", 34962, min=low, max=high)}
        if item.normals is not None:
            attributes["NORMAL"] = add(np.asarray(item.normals, dtype="<f4"), 5126, "VEC3", 34962)
        indices = add(np.asarray(item.faces).astype("<u4").reshape(-1), 5125, "SCALAR", 34963)
        linear = [round(_linear(channel / 255), 5) for channel in _rgb(item.color)]
        materials.append({
            "name": item.color,
            "pbrMetallicRoughness": {
                "baseColorFactor": [*linear, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6
            },
        })  # fmt: skip
        primitive = {"attributes": attributes, "indices": indices, "material": len(materials) - 1}
        meshes.append({"name": _plain(item.name), "primitives": [primitive]})
        nodes.append({"name": _plain(item.name), "mesh": len(meshes) - 1, "translation": centre.tolist()})
    roots = list(range(len(nodes)))
    metres = METRES.get(objects[0].unit, 1.0)
    if metres != 1.0:
        nodes.append({"name": f"{objects[0].unit} to m", "scale": [metres] * 3, "children": roots})
        roots = [len(nodes) - 1]
    document = {
        "asset": {"version": "2.0", "generator": f"Studiolo {__version__}"},
        "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes, "meshes": meshes, "materials": materials,
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": sum(map(len, parts))}],
    }  # fmt: skip
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    size = sum(map(len, parts))
    stream.write(struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + 8 + size))
    stream.write(struct.pack("<I4s", len(text), b"JSON") + text)
    stream.write(struct.pack("<I4s", size, b"BIN\0"))
    stream.writelines(parts)


def _linear(channel: float) -> float:
    """Linear value of an sRGB channel in [0, 1] (IEC 61966-2-1)."""
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


# ------------------------------------------------------------------------------------------------ points


def _names(table: Floats) -> list[str]:
    return ["x", "y", "z", "nx", "ny", "nz"][: table.shape[1]]


def _points_ply(table: Floats, stream: IO[bytes]) -> None:
    kind = "double" if _is_far(table[:, :3]) else "float"
    names = _names(table)
    header = [
        "ply", "format binary_little_endian 1.0", f"comment Studiolo {__version__}",
        f"element vertex {len(table)}", *(f"property {kind} {n}" for n in names), "end_header", "",
    ]  # fmt: skip
    stream.write("\n".join(header).encode())
    _pieces(stream, table.astype("<f8" if kind == "double" else "<f4"))


def _row(table: Floats, separator: str) -> str:
    position = [f"%.{_digits(table[:, :3])}g"] * 3
    return separator.join(position + ["%.6g"] * (table.shape[1] - 3)) + "\n"


def _xyz(table: Floats, stream: IO[bytes]) -> None:
    _lines(stream, _row(table, " "), table)


def _csv(table: Floats, stream: IO[bytes]) -> None:
    stream.write((",".join(_names(table)) + "\n").encode())
    _lines(stream, _row(table, ","), table)


def _points_npz(table: Floats, stream: IO[bytes]) -> None:
    arrays = {"points": table[:, :3]}
    if table.shape[1] == 6:
        arrays["normals"] = table[:, 3:]
    np.savez_compressed(stream, **arrays)
