"""Small healthy files of every format, to be damaged."""

from __future__ import annotations

import io
import json
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from methods.evidence.synthesis import pdf
from methods.evidence.synthesis.pages import fill
from methods.superquadrics.export import save_mesh, save_points, shape_mesh
from methods.superquadrics.formats import save, to_json
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.union import sample_union

TARGETS = ("obj", "ply", "stl", "off", "glb", "xyz", "npz")
PARTS = ("parts-json", "parts-npz")
PICTURES = ("png", "jpg", "tif", "webp", "bmp")
DOCUMENTS = ("pdf", *PICTURES)
FORMATS = (*TARGETS, *PARTS, *DOCUMENTS)
SUFFIXES = {"parts-json": ".json", "parts-npz": ".npz"}

SHAPE = Shape(
    (
        Superquadric((0, 0, 1), size=(1, 0.6, 0.1), exponents=(0.1, 0.2), name="top"),
        Superquadric((0.7, 0.3, 0.4), (0.9, 0.1, 0.2, 0), (0.1, 0.1, 0.6), (0.2, 1), (0.3, 0.1), name="leg"),
    ),
    unit="m",
)

_OBJ = """# by hand
mtllib a.mtl
o first
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1 0.5 0.5 0.5
v 1 0 1
vn 0 0 1
vt 0 0
usemtl x
g one
f 1/1/1 2/1/1 3/1/1 4/1/1
f -6//1 -5//1 -1//1 \\
  -2//1
g two
f 3 4 5 6 2
l 1 2
f 1 4 5
"""
_OFF = "COFF\n# colours\n5 6 0\n0 0 0 255 0 0 255\n1 0 0 1 2 3 4\n1 1 0 1 2 3 4\n0 1 0 1 2 3 4\n"
_OFF += ".5 .5 1 1 2 3 4\n"
_OFF += "4 0 3 2 1\n3 0 1 4 0.1 0.2 0.3\n3 1 2 4\n3 2 3 4 255 0 0\n3 3 0 4\n3 0 1 4\n"
_TEXT_PLY = """ply
format ascii 1.0
comment by hand
element vertex 5
property float x
property float y
property float z
property uchar red
element face 5
property uchar flag
property list uchar int vertex_indices
element edge 1
property int a
property int b
end_header
0 0 0 9
1 0 0 9
1 1 0 9
0 1 0 9
.5 .5 1 9
1 4 0 3 2 1
1 3 0 1 4
1 3 1 2 4
1 3 2 3 4
1 3 3 0 4
0 1
"""


def files(kind: str, folder: Path) -> list[bytes]:
    """Healthy files of one format."""
    if kind in DOCUMENTS:
        return documents(kind, folder)
    meshes = [shape_mesh(SHAPE, 4), shape_mesh(SHAPE, 4, union=True)]
    points, normals, _ = sample_union(SHAPE, 60, np.random.default_rng(0))

    def written(suffix: str, write, *values) -> list[bytes]:
        found = []
        for value in values:
            path = folder / f"seed{suffix}"
            write(value, path)
            found.append(path.read_bytes())
        return found

    match kind:
        case "obj":
            return [_OBJ.encode(), *written(".obj", save_mesh, meshes[0])]
        case "ply":
            cloud = written(".ply", save_points, (points, normals))
            big_endian = _big_endian_ply()
            return [_TEXT_PLY.encode(), big_endian, *cloud, *written(".ply", save_mesh, *meshes)]
        case "stl":
            vertices, faces = meshes[0][0].vertices, meshes[0][0].faces
            rows = "".join(
                "facet normal 0 0 0\nouter loop\n"
                + "".join(f"vertex {x:.4g} {y:.4g} {z:.4g}\n" for x, y, z in t)
                + "endloop\nendfacet\n"
                for t in vertices[faces].tolist()
            )
            return [f"solid a\n{rows}endsolid a\n".encode(), *written(".stl", save_mesh, *meshes)]
        case "off":
            plain = _OFF.replace("COFF", "OFF").replace(" 255 0 0 255", "").replace(" 1 2 3 4\n", "\n")
            return [_OFF.encode(), plain.encode(), plain.replace("OFF\n", "OFF", 1).encode()]
        case "glb":
            return written(".glb", save_mesh, *meshes)
        case "xyz":
            pts = f"{len(points)}\n" + "".join(
                f"{x:.4g} {y:.4g} {z:.4g} 9 1 2 3\n" for x, y, z in points.tolist()
            )
            texts = written(".xyz", save_points, (points, normals)) + written(
                ".csv", save_points, (points, None)
            )
            return [*texts, pts.encode()]
        case "npz":
            buffer = io.BytesIO()
            np.savez(buffer, vertices=meshes[0][0].vertices, faces=meshes[0][0].faces)
            single = io.BytesIO()
            np.save(single, points)
            return [buffer.getvalue(), single.getvalue(), *written(".npz", save_points, (points, normals))]
        case "parts-json":
            return [json.dumps(to_json(SHAPE)).encode()]
        case "parts-npz":
            return written(".npz", save, SHAPE)
    raise ValueError(kind)


def _big_endian_ply() -> bytes:
    header = (
        "ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty double x\nproperty double y\n"
        "property double z\nelement face 4\nproperty list ushort uint vertex_index\nproperty float quality\n"
        "end_header\n"
    )
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=">f8")
    faces = np.zeros(4, dtype=[("n", ">u2"), ("v", ">u4", 3), ("q", ">f4")])
    faces["n"], faces["v"] = 3, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    return header.encode() + corners.tobytes() + faces.tobytes()


def documents(kind: str, folder: Path) -> list[bytes]:
    """A PDF of two pages with text, or a small picture in a usual and an unusual mode."""
    if kind == "pdf":
        path = folder / "healthy-pages.pdf"
        pdf.write([fill("receipt", 0, Random(1)), fill("notice", 1, Random(2))], path)
        return [path.read_bytes()]
    grey = Image.fromarray((np.indices((40, 60)).sum(0) * 2 % 256).astype(np.uint8))
    found = []
    for mode in {"png": ("RGB", "P", "RGBA"), "jpg": ("L", "CMYK"), "tif": ("1", "RGB")}.get(kind, ("RGB",)):
        buffer = io.BytesIO()
        image = grey.convert("RGB").convert(mode)
        more = {"save_all": True, "append_images": [image]} if kind == "tif" else {}
        image.save(buffer, {"jpg": "JPEG", "tif": "TIFF"}.get(kind, kind.upper()), **more)
        found.append(buffer.getvalue())
    return found
