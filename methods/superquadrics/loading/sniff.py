"""Which format a file has: its first bytes decide, its suffix only where they cannot."""

from __future__ import annotations

import re

import numpy as np

from methods.core.errors import BadInput
from methods.superquadrics.loading import npz, off, stl
from methods.superquadrics.loading.raw import Source
from methods.superquadrics.loading.text import Lines

HEAD_BYTES = 4096

_OTHERS = (
    (b"\x1f\x8b", "gzip-compressed", "Unpack it first."),
    (b"BZh", "bzip2-compressed", "Unpack it first."),
    (b"\xfd7zXZ", "xz-compressed", "Unpack it first."),
    (b"7z\xbc\xaf", "a 7-Zip archive", "Unpack it first."),
    (b"Kaydara FBX", "an FBX file", "Export it as GLB or OBJ."),
    (b"BLENDER", "a Blender file", "Export it as GLB or OBJ."),
    (b"# .PCD", "a PCD point cloud", "Convert it to PLY."),
    (b"LASF", "a LAS point cloud", "Convert it to PLY or XYZ."),
    (b"\xff\xfe", "UTF-16 text", "Save it as UTF-8 text."),
    (b"\xfe\xff", "UTF-16 text", "Save it as UTF-8 text."),
    (b"\x89PNG", "a picture", "Choose a mesh or point cloud."),
    (b"\xff\xd8\xff", "a picture", "Choose a mesh or point cloud."),
    (b"GIF8", "a picture", "Choose a mesh or point cloud."),
    (b"%PDF", "a PDF document", "Choose a mesh or point cloud."),
    (b"ISO-10303-21", "a STEP file", "Export it as STL or OBJ."),
    (b"<", "XML or HTML, not a mesh", "Export it as GLB, OBJ, PLY or STL."),
)
_SUFFIXES = {
    ".obj": "obj", ".ply": "ply", ".stl": "stl", ".off": "off", ".glb": "glb", ".npz": "npz", ".npy": "npz",
    ".xyz": "xyz", ".csv": "xyz", ".txt": "xyz", ".pts": "xyz", ".asc": "xyz", ".tsv": "xyz",
}  # fmt: skip
_OBJ_WORDS = ("v", "vn", "vt", "vp", "f", "o", "g", "s", "mtllib", "usemtl", "l", "p")


def format_of(source: Source) -> tuple[str, bool]:
    """Format ("obj", "ply", "stl", "off", "glb", "xyz" or "npz") and whether the suffix says another.

    Raises:
        BadInput: an empty file, a known format that is not read here, or no format at all.
    """
    if not source.size:
        raise BadInput(f"{source.name} is empty (0 bytes).", "Copy or export the file again.")
    with source.open() as stream:
        head = stream.read(HEAD_BYTES)
    suffix = _SUFFIXES.get(source.path.suffix.lower(), "")
    found = _by_content(source, head, suffix) or suffix
    if not found:
        raise BadInput(
            f"{source.name} is of no known format.", "Use OBJ, PLY, STL, OFF, GLB, XYZ, CSV or NPZ."
        )
    return found, bool(suffix) and found != suffix


def _by_content(source: Source, head: bytes, suffix: str) -> str:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:4] in (b"ply\n", b"ply\r"):
        return "ply"
    if head[:4] == b"glTF":
        return "glb"
    if head[:6] == b"\x93NUMPY":
        return "npz"
    if head[:2] == b"PK":
        if npz.is_array_archive(head) or suffix == "npz":
            return "npz"
        raise BadInput(f"{source.name} is a zip archive (or 3MF).", "Unpack or export it as a mesh first.")
    is_solid = text[:5].lower() == b"solid"
    if suffix == "stl" and (is_solid or (b"\0" in head and stl.is_binary(head, source.size))):
        return "stl"
    if (is_solid and b"facet" in head.lower()) or _is_exact_stl(head, source.size):
        return "stl"
    for magic, what, remedy in _OTHERS:
        if text.startswith(magic):
            raise BadInput(f"{source.name} is {what}.", remedy)
    if text[:1] in (b"{", b"["):
        raise _json_error(source, head)
    if off.HEADER.match(_without_comments(text)):
        return "off"
    if b"\0" in head:
        return suffix if suffix in ("ply", "stl", "glb", "npz") else ""
    return _by_lines(text, suffix)


def _is_exact_stl(head: bytes, size: int) -> bool:
    announced = int.from_bytes(head[80:84], "little")
    return b"\0" in head and size == stl.HEADER_BYTES + stl.FACE_BYTES * announced


def _without_comments(text: bytes) -> bytes:
    while text.startswith(b"#"):
        text = text.partition(b"\n")[2].lstrip()
    return text


def _by_lines(text: bytes, suffix: str) -> str:
    """OBJ or points, told by how most lines begin."""
    lines = Lines(text.replace(b"\r", b"\n") + b"\n")
    if not len(lines):
        return suffix
    obj = np.zeros(len(lines), dtype=bool)
    for word in _OBJ_WORDS:
        obj |= lines.starts_with(word)
    if obj.any() and suffix != "xyz":
        return "obj"
    if suffix in ("obj", "xyz"):
        return suffix
    digits = sum(bool(re.match(r"[-+.\d]", lines.text(i))) for i in range(len(lines)))
    return "xyz" if digits > len(lines) // 2 else suffix


def _json_error(source: Source, head: bytes) -> BadInput:
    if b'"studiolo-superquadrics"' in head:
        return BadInput(
            f"{source.name} holds superquadric parts, not a mesh or points.", "Open it as a parts file."
        )
    if b'"asset"' in head or source.path.suffix.lower() == ".gltf":
        return BadInput(f"{source.name} is glTF as text.", "Export it as one GLB file.")
    what = f"{source.name} is JSON, not a mesh or points."
    return BadInput(what, "Use OBJ, PLY, STL, OFF, GLB, XYZ or NPZ.")
