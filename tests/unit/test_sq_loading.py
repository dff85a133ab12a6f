"""Reading files: dialects come out right, and whatever cannot be used is counted and named."""

import io
import json
import struct
import zipfile

import numpy as np
import pytest
import trimesh

from methods.core.errors import BadInput
from methods.superquadrics.loading import describe, load_target, raw
from methods.superquadrics.loading.polygons import triangulate
from methods.superquadrics.loading.raw import Polygons, Reservoir
from methods.superquadrics.loading.text import PIECE_BYTES
from tests.shared import shared_path

BOX = trimesh.creation.box()
V, F = np.asarray(BOX.vertices), np.asarray(BOX.faces)


@pytest.fixture
def put(tmp_path):
    """Write a file and give its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def obj(vertices=V, faces=F, start=1, newline="\n"):
    lines = ["v " + " ".join(f"{c:.9g}" for c in v) for v in vertices]
    lines += ["f " + " ".join(str(i + start) for i in f) for f in faces]
    return newline.join(lines) + newline


def assert_is_box(target, warnings=()):
    assert target.warnings == tuple(warnings)
    np.testing.assert_allclose(target.bounds, [[-0.5] * 3, [0.5] * 3], atol=1e-6)
    assert target.area == pytest.approx(6)
    assert target.occupancy([[0, 0, 0], [0.4, 0.4, 0.4], [0.6, 0, 0]]).tolist() == [True, True, False]


def refused(path, *words):
    """The one clear line with which a file is refused."""
    with pytest.raises(BadInput) as caught:
        load_target(path)
    text = str(caught.value)
    assert "\n" not in text and caught.value.remedy
    for word in words:
        assert word in text
    return text


# ----------------------------------------------------------------------------- public troubles, one by one


def test_nan_vertices_are_counted_with_their_faces(put):
    vertices = V.copy()
    vertices[3, 1] = np.nan
    vertices[6, 0] = np.inf
    gone = np.isin(F, [3, 6]).any(axis=1).sum()
    target = load_target(put("nan.obj", obj(vertices)))
    assert target.warnings[0] == f"2 vertices are not finite; they and {gone} faces were dropped."
    assert len(target.faces) == 12 - gone and np.isfinite(target.vertices).all()


def test_one_nan_vertex_is_one_in_words(put):
    extra = [*F, [0, 1, 8]]
    target = load_target(put("nan.obj", obj([*V, [np.nan, 0, 0]], extra)))
    assert_is_box(target, ["1 vertex is not finite; it and 1 face were dropped."])


def test_an_object_of_nothing_but_nan_is_refused():
    text = refused(shared_path("data", "meshes", "broken", "nan_vertices.obj"))
    assert text == (
        "nan_vertices.obj: 35 vertices are not finite, and no face is left without one. Export it again."
    )


def test_absurdly_large_coordinates_count_as_not_finite(put):
    target = load_target(put("far.obj", obj([*V, [1e200, 0, 0]], [*F, [0, 1, 8]])))
    assert_is_box(target, ["1 vertex is not finite; it and 1 face were dropped."])


def test_vertices_only_become_a_cloud(put):
    target = load_target(put("three.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"))
    assert target.is_cloud and len(target.vertices) == 3
    assert target.warnings == ("It has no faces; its 3 vertices are read as a point cloud.",)


@pytest.mark.parametrize(
    "suffix", ["obj", "ply", "stl", "off", "glb", "xyz", "csv", "txt", "pts", "npz", "abc"]
)
def test_an_empty_file_is_said_to_be_empty(put, suffix):
    refused(put(f"nothing.{suffix}", b""), "is empty (0 bytes)")


@pytest.mark.parametrize("content", ["# only a comment\n", "\n\n \n", "mtllib a.mtl\n", "g a\ns 1\n"])
def test_an_obj_without_geometry_is_refused(put, content):
    refused(put("a.obj", content), "no vertices and no faces")


def test_a_missing_material_is_named_and_does_not_matter(put):
    text = "mtllib nope.mtl\nusemtl x\n" + obj()
    assert_is_box(
        load_target(put("a.obj", text)), ["Material file nope.mtl is missing; only the shape was read."]
    )
    put("nope.mtl", "newmtl x\n")
    assert_is_box(load_target(put("a.obj", text)))


def test_materials_do_not_split_the_mesh(put):
    lines = obj().splitlines()
    lines[10:10] = ["usemtl a"]
    lines[15:15] = ["usemtl b"]
    assert_is_box(load_target(put("a.obj", "\n".join(lines))))


def test_duplicate_faces_are_counted(put):
    faces = np.vstack([F, F, [[0, 0, 1]]])
    target = load_target(put("a.obj", obj(faces=faces)))
    assert_is_box(
        target, ["1 face has no area and was dropped.", "12 faces are there twice; the copies were dropped."]
    )


def test_inverted_faces_are_counted(put):
    assert_is_box(
        load_target(put("a.obj", obj(faces=F[:, ::-1]))), ["12 faces pointed inwards and were turned."]
    )


def test_a_mesh_with_a_hole_is_named_and_still_has_an_inside(put):
    target = load_target(put("a.obj", obj(faces=F[2:])))
    assert target.warnings == ("It is not watertight (4 open edges); what lies inside is estimated.",)
    assert target.occupancy([[0, 0, 0]]).all()


def test_a_sheet_is_named(put):
    target = load_target(put("a.obj", obj([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])))
    assert target.warnings == (
        "It is an open surface (4 open edges) that encloses no volume, so there is no IoU.",
    )


def test_a_double_sided_surface_is_halved(put):
    target = load_target(put("a.obj", obj(faces=np.vstack([F, F[:, ::-1]]))))
    assert target.warnings[0] == "The surface is double-sided; 12 faces at the back were dropped."
    assert target.area == pytest.approx(6)


def test_degenerate_faces_only_are_refused(put):
    refused(put("a.obj", obj(V, [[0, 0, 1], [2, 2, 2]])), "Every face of a.obj (2) is degenerate")
    line = [[0, 0, 0], [1, 1, 1], [2, 2, 2], [5, 0, 0]]
    refused(put("b.obj", obj(line, [[0, 1, 2]])), "Every face of b.obj (1) is degenerate")


def test_negative_obj_indices_count_back(put):
    quad = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n"
    target = load_target(put("a.obj", quad + "v 0 0 2\nv 1 0 2\nv 1 1 2\nf -3 -2 -1\n"))
    assert len(target.faces) == 3 and target.area == pytest.approx(1.5)


def test_faces_that_name_missing_vertices_are_counted(put):
    assert_is_box(
        load_target(put("a.obj", obj() + "f 1 2 99\nf 0 1 2\nf -9 1 2\n")),
        ["3 faces name a vertex that is not there and were dropped."],
    )
    refused(put("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"), "Every face of b.obj (1)", "3 vertices")


@pytest.mark.parametrize("scale", [1e3, 1e-4, 1e-12, 1e12])
def test_any_unit_is_read_alike(put, scale):
    target = load_target(put("a.obj", obj(V * scale)))
    assert target.warnings == () and target.is_solid
    assert target.occupancy([[0, 0, 0]]).all()
    assert target.diagonal == pytest.approx(np.sqrt(3) * scale)


def test_far_offsets_lose_nothing_and_say_nothing(put):
    offset = np.array([7.6e5, 6.3e6, 280])
    lines = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in (V * 0.01 + offset).tolist())
    target = load_target(put("utm.obj", lines + obj().split("\n", 8)[8]))
    assert target.warnings == ()
    inside = offset + np.array([[0.0049, 0, 0], [0.0051, 0, 0]])
    assert target.occupancy(inside).tolist() == [True, False]


def test_a_large_cloud_is_thinned_and_says_one_of_how_many(put, monkeypatch):
    monkeypatch.setattr(raw, "MAX_CLOUD", 1000)
    points = np.random.default_rng(0).random((15_000, 3)).astype(np.float32)
    buffer = io.BytesIO()
    np.savez(buffer, points=points)
    path = put("big.npz", buffer.getvalue())
    target = load_target(path)
    assert target.warnings == ("It has 15,000 points; a random 1,000 of them are used, 1 of 15.",)
    assert target.shown_of == 15_000 and len(target.vertices) == 1000
    np.testing.assert_allclose(target.vertices.mean(axis=0), 0.5, atol=0.04)
    assert load_target(path).digest == target.digest
    assert describe(path)["points_in_file"] == 15_000


def test_the_reservoir_is_uniform_over_the_stream():
    reservoir = Reservoir(500)
    for start in range(0, 20_000, 1000):
        reservoir.add(np.tile(np.arange(start, start + 1000)[:, None], (1, 3)).astype(float))
    kept = reservoir.rows()[:, 0]
    assert len(kept) == 500 and reservoir.total == 20_000 and (np.diff(kept) > 0).all()
    counts = np.histogram(kept, bins=10, range=(0, 20_000))[0]
    assert ((counts - 50) ** 2 / 50).sum() < 28  # chi-square, 9 degrees of freedom, p = 0.001


@pytest.mark.slow
def test_thirty_million_points_are_shown_as_one_of_fifteen(put, tmp_path):
    path = tmp_path / "huge.npz"
    np.savez(path, points=np.random.default_rng(0).random((30_000_000, 3), dtype=np.float32))
    target = load_target(path)
    assert target.shown_of == 30_000_000 and len(target.vertices) == 2_000_000


def test_one_point_and_equal_points_are_refused(put):
    refused(put("one.xyz", "1 2 3\n"), "one.xyz holds a single point")
    refused(put("same.xyz", "1 2 3\n" * 50), "All 50 points of same.xyz lie at the same place")
    refused(put("one.obj", "v 1 2 3\n"), "single point")
    refused(put("same.obj", "v 1 2 3\n" * 3 + "f 1 2 3\n"), "lie at the same place")


def test_missing_files_and_folders_are_refused(tmp_path):
    refused(tmp_path / "nowhere.obj", "does not exist")
    refused(tmp_path, "is a folder")


# --------------------------------------------------------------------------------------------------- OBJ


def test_obj_dialects(put):
    text = obj(newline="\r\n")
    assert_is_box(load_target(put("crlf.obj", text)))
    assert_is_box(load_target(put("mac.obj", obj(newline="\r"))))
    assert_is_box(load_target(put("bom.obj", b"\xef\xbb\xbf" + obj().encode())))
    assert_is_box(load_target(put("tabs.obj", obj().replace(" ", "\t"))))
    assert_is_box(load_target(put("noeol.obj", obj().rstrip())))
    assert_is_box(load_target(put("comments.obj", "# a\\\n" + obj().replace("\n", " # note 7 8\n"))))
    vertices, faces = obj().split("f", 1)
    assert_is_box(load_target(put("colors.obj", vertices.replace("\n", " 0.1 0.2 0.3\n") + "f" + faces)))
    slashes = "".join(f"f {a}/1/1 {b}//2 {c}/2\n" for a, b, c in (F + 1).tolist())
    assert_is_box(load_target(put("slashes.obj", vertices + slashes + "vn 0 0 1\nvt 0 0\nvt 0 0\n")))


def test_obj_lines_can_be_continued(put):
    text = obj().replace("f ", "f \\\n").replace("v ", "v \\\r\n ")
    assert_is_box(load_target(put("a.obj", text)))


def test_obj_unreadable_numbers_are_counted(put):
    text = obj().replace("f 1", "f x", 1)
    target = load_target(put("a.obj", text + "v 1 oops 2\n"))
    assert "1 face had a number that cannot be read." in target.warnings
    assert "1 vertex is not finite; it was dropped." in target.warnings


def test_obj_objects_become_parts(put):
    text = obj() + "o second\n" + obj(V + 2, start=9)
    target = load_target(put("a.obj", "o first thing\n" + text))
    assert target.part_names == ("first thing", "second")
    np.testing.assert_array_equal(target.part_labels, np.repeat([0, 1], 12))


def test_obj_groups_become_parts_where_there_is_one_object(put):
    text = "o all\ng a\n" + obj() + "g b#2\n" + obj(V + 2, start=9) + "g a\n" + obj(V + 4, start=17)
    target = load_target(put("a.obj", text))
    assert target.part_names == ("a", "b#2")
    np.testing.assert_array_equal(np.bincount(target.part_labels), [24, 12])


def test_obj_pieces_do_not_matter(put):
    ball = trimesh.creation.icosphere(subdivisions=5)
    text = "".join(f"o part {i}\n" + obj(ball.vertices + 3 * i, ball.faces, 1 + i * len(ball.vertices))
                   for i in range(3))  # fmt: skip
    assert len(text) > 2 * PIECE_BYTES
    target = load_target(put("a.obj", text))
    assert target.warnings == () and len(target.faces) == 3 * len(ball.faces)
    assert target.part_names == ("part 0", "part 1", "part 2")
    middle = [target.vertices[target.faces[target.part_labels == i]].mean(axis=(0, 1)) for i in range(3)]
    np.testing.assert_allclose(middle, [[0] * 3, [3] * 3, [6] * 3], atol=1e-3)


def test_the_furniture_objects_agree_with_another_library():
    for path in sorted(shared_path("data", "meshes", "random_parts").glob("*.obj"))[:12]:
        mine, other = load_target(path), trimesh.load(path, force="mesh", process=False)
        np.testing.assert_allclose(mine.bounds, other.bounds)
        assert mine.area == pytest.approx(other.area, rel=0.02)  # copies are counted once here
        groups = {line.split()[1] for line in path.read_text().splitlines() if line.startswith(("o ", "g "))}
        assert set(mine.part_names) == groups or len(groups) < 2


def test_polygons_keep_their_area(put):
    angle = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    radius = np.where(np.arange(12) % 2, 1, 0.4)
    star = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], axis=1)
    target = load_target(put("star.obj", obj(star, [list(range(12))])))
    x, y = star[:, 0], star[:, 1]
    area = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    assert target.area == pytest.approx(area) and len(target.faces) == 10
    arrow = [[0, 0, 0], [1, 0, 0], [0.2, 0.2, 0], [0, 1, 0]]  # concave at corner 2
    for turn in range(4):
        faces = [[(i + turn) % 4 for i in range(4)]]
        assert load_target(put("arrow.obj", obj(arrow, faces))).area == pytest.approx(0.2)


def test_triangulation_of_random_simple_polygons():
    rng = np.random.default_rng(0)
    for count in (5, 8, 23):
        for _ in range(20):
            angle = np.sort(rng.random(count)) * 2 * np.pi
            ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) * rng.uniform(0.2, 1, (count, 1))
            basis = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
            points = ring @ basis
            x, y = ring.T
            area = 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
            if np.diff(angle, append=angle[0] + 2 * np.pi).max() > np.pi:
                continue  # does not contain its centre, so it may cross itself
            faces, owner = triangulate(points, Polygons(np.arange(count), np.array([count])))
            corners = points[faces]
            areas = (
                np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) @ np.cross(*basis) / 2
            )
            assert len(faces) == count - 2 and (owner == 0).all()
            assert areas.sum() == pytest.approx(area) and areas.min() > -1e-9


# --------------------------------------------------------------------------------------------------- PLY


def ply_header(form, vertex, face="list uchar int vertex_indices", newline="\n", counts=(8, 12)):
    lines = ["ply", f"format {form} 1.0", "comment x", f"element vertex {counts[0]}"]
    lines += [f"property {p}" for p in vertex]
    lines += [f"element face {counts[1]}", f"property {face}", "end_header", ""]
    return newline.join(lines).encode()


def binary_ply(order="<", kind="f4", newline="\n", extra=False, count_kind="u1", index_kind="i4"):
    names = {"f4": "float", "f8": "double", "u1": "uchar", "u2": "ushort", "i4": "int", "u4": "uint"}
    names |= {"i2": "int16", "u8": "uint64"}
    vertex = [(axis, order + kind) for axis in "xyz"]
    if extra:
        vertex = [("quality", order + "f4"), *vertex, ("red", "u1")]
    table = np.zeros(8, dtype=vertex)
    for axis, column in zip("xyz", V.T, strict=True):
        table[axis] = column
    lists = np.zeros(12, dtype=[("n", order + count_kind), ("v", order + index_kind, 3)])
    lists["n"], lists["v"] = 3, F
    form = "binary_little_endian" if order == "<" else "binary_big_endian"
    props = [f"{names[np.dtype(t).str[1:]]} {n}" for n, t in vertex]
    face = f"list {names[count_kind]} {names[index_kind]} vertex_indices"
    return ply_header(form, props, face, newline) + table.tobytes() + lists.tobytes()


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("extra", [False, True])
def test_ply_binary_dialects(put, order, kind, newline, extra):
    assert_is_box(load_target(put("a.ply", binary_ply(order, kind, newline, extra))))


@pytest.mark.parametrize("count_kind", ["u1", "u2", "i4"])
@pytest.mark.parametrize("index_kind", ["i4", "u4", "i2", "u8"])
def test_ply_list_types(put, count_kind, index_kind):
    assert_is_box(load_target(put("a.ply", binary_ply(count_kind=count_kind, index_kind=index_kind))))


def test_ply_extra_lists_and_elements_are_stepped_over(put):
    header = (
        b"ply\nformat binary_little_endian 1.0\nelement camera 1\nproperty float a\n"
        b"property list uchar short b\nelement vertex 8\nproperty double x\nproperty double y\n"
        b"property double z\nelement face 12\nproperty uchar flag\nproperty list uchar float uv\n"
        b"property list uchar int vertex_index\nelement edge 2\nproperty int v1\nproperty int v2\n"
        b"end_header\n"
    )
    body = struct.pack("<fBhh", 1, 2, 5, 6) + V.astype("<f8").tobytes()
    for i, face in enumerate(F):  # uv lists of changing length
        body += (
            struct.pack("<BB", 7, i % 3) + np.zeros(i % 3, "<f4").tobytes() + struct.pack("<B3i", 3, *face)
        )
    assert_is_box(load_target(put("a.ply", header + body + struct.pack("<4i", 0, 1, 1, 2))))


def mixed_faces(count):
    """Fans of triangles and quads in random order over a ring of points."""
    rng = np.random.default_rng(0)
    return [rng.choice(count, size, replace=False).tolist() for size in rng.integers(3, 6, count)]


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_ply_lists_of_changing_length(put, form):
    points = np.random.default_rng(1).normal(size=(3000, 3)).round(3)
    faces = mixed_faces(3000)
    header = ply_header(form, ["float x", "float y", "float z"], counts=(3000, 3000))
    if form == "ascii":
        body = "".join(f"{x} {y} {z}\n" for x, y, z in points.tolist())
        body += "".join(f"{len(f)} {' '.join(map(str, f))}\n" for f in faces)
        data = header + body.encode()
    else:
        order = "<" if "little" in form else ">"
        data = header + points.astype(order + "f4").tobytes()
        data += b"".join(struct.pack(f"{order}B{len(f)}i", len(f), *f) for f in faces)
    target = load_target(put("a.ply", data))
    assert len(target.faces) == sum(len(f) - 2 for f in faces)
    first = target.vertices[target.faces[: len(faces[0]) - 2]].reshape(-1, 3)
    assert {tuple(p) for p in first.round(3)} == {tuple(points[i]) for i in faces[0]}


def test_ply_text_with_nan(put):
    text = ply_header("ascii", ["float x", "float y", "float z"], counts=(9, 13)).decode()
    text += "".join(f"{x} {y} {z}\n" for x, y, z in [*V.tolist(), ("nan", "0", "-1.#IND")])
    text += "".join(f"3 {a} {b} {c}\n" for a, b, c in [*F.tolist(), (0, 1, 8)])
    assert_is_box(load_target(put("a.ply", text)), ["1 vertex is not finite; it and 1 face were dropped."])


@pytest.mark.parametrize("data", [binary_ply(), binary_ply(">", "f8", extra=True)])
def test_a_cut_ply_says_how_much_is_there(put, data):
    assert refused(put("a.ply", data[:-53]), "a.ply is cut off: 7 of 12 faces are there.")
    assert refused(put("a.ply", data[: data.index(b"end_header") + 11 + 40]), "of 8 vertices are there")


def test_a_cut_text_ply_says_how_much_is_there(put):
    text = ply_header("ascii", ["float x", "float y", "float z"]).decode()
    text += "".join(f"{x} {y} {z}\n" for x, y, z in V.tolist()) + "3 0 1 2\n3 0 2 3\n3 1"
    refused(put("a.ply", text), "a.ply is cut off: 2 of 12 faces are there.")


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n", "no line 'end_header'"),
        ("ply\nelement vertex 3\nend_header\n", "no line 'format'"),
        ("ply\nformat ascii 1.0\nelement vertex many\nend_header\n", "'element vertex many'"),
        ("ply\nformat ascii 1.0\nelement face 0\nend_header\n", "no vertices with x, y and z"),
        ("ply\nformat ascii 1.0\nelement vertex 1\nproperty quux x\nend_header\n", "quux"),
        ("ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int x\nproperty float y\n"
         "property float z\nend_header\n", "lists among its vertices"),
    ],
)  # fmt: skip
def test_ply_headers_that_mean_nothing(put, header, words):
    refused(put("a.ply", header), words)


def test_a_ply_header_that_lies_is_found_before_memory_is_asked_for(put):
    for form in ("ascii", "binary_little_endian"):
        for counts in ((10**12, 0), (8, 10**9), (8, 10**15), (59_000_000, 9_000_000)):
            data = ply_header(form, ["float x", "float y", "float z"], counts=counts) + b"\0" * 100
            refused(put("a.ply", data))


def test_a_ply_cloud_keeps_its_normals(put):
    header = "ply\nformat ascii 1.0\nelement vertex 3\n"
    header += "".join(f"property float {n}\n" for n in ("nx", "ny", "nz", "x", "y", "z")) + "end_header\n"
    target = load_target(put("a.ply", header + "0 0 2 1 2 3\n0 1 0 4 5 6\n1 0 0 7 8 10\n"))
    assert target.is_cloud and target.warnings == ()
    np.testing.assert_allclose(target.normals, [[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    np.testing.assert_allclose(target.vertices[2], [7, 8, 10])


def test_ply_triangle_strips(put):
    header = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    header += "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
    body = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 0 1 3\n"
    target = load_target(put("a.ply", header + body))
    assert len(target.faces) == 3
    normals = np.cross(
        *(target.vertices[target.faces[:, k]] - target.vertices[target.faces[:, 0]] for k in (1, 2))
    )
    assert (normals[:, 2] > 0).all()  # every second triangle of a strip is turned


# --------------------------------------------------------------------------------------------------- STL


def binary_stl(triangles, header=b"", announced=None):
    table = np.zeros(len(triangles), dtype=[("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")])
    table["c"] = triangles
    count = len(triangles) if announced is None else announced
    return header.ljust(80, b" ") + struct.pack("<I", count) + table.tobytes()


def text_stl(triangles, name="a"):
    rows = "".join(
        "facet normal 0 0 0\n outer loop\n"
        + "".join(f"  vertex {x} {y} {z}\n" for x, y, z in t)
        + " endloop\nendfacet\n"
        for t in triangles.tolist()
    )
    return f"solid {name}\n{rows}endsolid {name}\n"


def test_stl_dialects(put):
    for header in (b"", b"solid but binary", b"solid\0facet"):
        target = load_target(put("a.stl", binary_stl(V[F], header)))
        assert_is_box(target)
        assert len(target.vertices) == 8
    assert_is_box(load_target(put("a.stl", text_stl(V[F]))))
    assert_is_box(load_target(put("a.stl", text_stl(V[F]).upper())))
    assert_is_box(load_target(put("a.stl", text_stl(V[F]).replace("\n", "\r\n"))))
    extra = load_target(put("a.stl", binary_stl(V[F]) + b"tail"))
    assert_is_box(extra, ["4 bytes after the last face were ignored."])


def test_text_stl_solids_become_parts(put):
    target = load_target(put("a.stl", text_stl(V[F], "one") + text_stl(V[F] + 2, "two")))
    assert target.part_names == ("one", "two") and np.bincount(target.part_labels).tolist() == [12, 12]


def test_a_cut_stl_says_how_much_is_there(put):
    refused(put("a.stl", binary_stl(V[F])[:-60]), "a.stl is cut off: 10 of 12 faces are there.")
    refused(put("a.stl", text_stl(V[F])[:-100]), "cut off: it ends after 11 faces")
    refused(
        put("a.stl", text_stl(V[F]).replace("vertex", "vortex", 1)), "12 faces have 35 corners instead of 36"
    )
    refused(put("a.stl", binary_stl(V[F], announced=4_000_000_000)), "cut off: 12 of 4,000,000,000 faces")


# --------------------------------------------------------------------------------------------------- OFF


def off(header="OFF\n8 12 0\n", vertex="", face=""):
    return (
        header
        + "".join(f"{x} {y} {z}{vertex}\n" for x, y, z in V.tolist())
        + "".join(f"3 {a} {b} {c}{face}\n" for a, b, c in F.tolist())
    )


def test_off_dialects(put):
    for text in (
        off(),
        off("OFF 8 12 0\n"),
        off("OFF8 12 0\n"),  # as in ModelNet
        off("# a comment\n\nOFF\n# more\n8 12\n\n"),
        off("COFF\n8 12 18\n", vertex=" 255 0 0 255"),
        off(face=" 0.1 0.2 0.3"),
        off(vertex=" # last"),
        off("NOFF\n8 12 0\n", vertex=" 0 0 1"),
        off().replace("\n", "\r\n"),
        off() + "trailing words\n",
    ):
        assert_is_box(load_target(put("a.off", text)))


def test_off_troubles(put):
    refused(put("a.off", off()[:-10]), "cut off")
    refused(put("a.off", "OFF\n8 12 0\n0 0 0\n"), "a.off is cut off: 1 of 8 vertices are there.")
    refused(put("a.off", "OFF\n"), "numbers of vertices and faces are missing")
    refused(put("a.off", "OFF BINARY\n"), "binary OFF")
    refused(put("a.off", "4OFF\n1 1 1\n"), "not three-dimensional")
    refused(put("a.off", "OFF\n1e9 1e9 0\n"), "at most")
    refused(put("a.off", "OFF\n-3 2 0\n"), "no whole numbers")
    target = load_target(put("a.off", off().replace("3 1 3 0", "9 1 3 0", 1)))
    assert "1 face had fewer vertices than announced." in target.warnings


# --------------------------------------------------------------------------------------------------- GLB


def glb(document, binary=b"", version=2):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if binary:
        chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", version, 12 + len(chunks)) + chunks


def box_document(**node):
    positions, indices = V.astype("<f4").tobytes(), F.astype("<u2").tobytes()
    return {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "box", **node}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(positions)},
            {"buffer": 0, "byteOffset": len(positions), "byteLength": len(indices)},
        ],
        "buffers": [{"byteLength": len(positions) + len(indices)}],
    }, positions + indices


def test_glb_transforms_and_instances(put):
    quarter = [0, 0, np.sin(np.pi / 4), np.cos(np.pi / 4)]
    document, binary = box_document(translation=[5, 0, 0], rotation=quarter, scale=[1, 2, 3])
    target = load_target(put("a.glb", glb(document, binary)))
    np.testing.assert_allclose(target.bounds, [[4, -0.5, -1.5], [6, 0.5, 1.5]], atol=1e-6)
    assert target.unit == "m" and target.warnings == ()
    document["nodes"] = [
        {"children": [1, 2], "translation": [0, 0, 10]},
        {"mesh": 0, "name": "leg"},
        {"mesh": 0, "name": "leg", "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1]},
    ]
    target = load_target(put("b.glb", glb(document, binary)))
    assert target.part_names == ("leg", "leg 2") and target.warnings == ()  # the mirrored one faces outwards
    np.testing.assert_allclose(target.bounds, [[-0.5, -0.5, 9.5], [3.5, 0.5, 10.5]], atol=1e-6)


def test_glb_strips_fans_sparse_and_interleaved(put):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "<f4")
    interleaved = np.concatenate([points, np.zeros((4, 3), "<f4")], axis=1).astype("<f4").tobytes()
    moved = np.array([3], "<u2").tobytes() + b"\0\0" + np.array([2, 2, 0], "<f4").tobytes()
    for mode, area in ((5, 1.0), (6, 1.0)):
        order = np.array([0, 1, 2, 3] if mode == 5 else [0, 1, 3, 2], "<u1").tobytes()
        document = {
            "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"mode": mode, "attributes": {"POSITION": 0}, "indices": 1}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                {"bufferView": 1, "componentType": 5121, "count": 4, "type": "SCALAR"},
            ],
            "bufferViews": [
                {"buffer": 0, "byteLength": 96, "byteStride": 24},
                {"buffer": 0, "byteOffset": 96, "byteLength": 4},
                {"buffer": 0, "byteOffset": 100, "byteLength": 16},
            ],
            "buffers": [{"byteLength": 116}],
        }  # fmt: skip
        binary = interleaved + order + moved
        assert load_target(put("a.glb", glb(document, binary))).area == pytest.approx(area)
        document["accessors"][0]["sparse"] = {
            "count": 1, "indices": {"bufferView": 2, "componentType": 5123},
            "values": {"bufferView": 2, "byteOffset": 4},
        }  # fmt: skip
        np.testing.assert_allclose(load_target(put("b.glb", glb(document, binary))).bounds[1], [2, 2, 0])


def test_glb_quantised_positions(put):
    document, _ = box_document()
    positions = np.zeros((8, 4), "<i2")
    positions[:, :3] = np.round(V * 2 * 32767)
    document["accessors"][0] |= {"componentType": 5122, "normalized": True}
    document["bufferViews"][0] = {"buffer": 0, "byteLength": 64, "byteStride": 8}
    document["bufferViews"][1]["byteOffset"] = 64
    document["nodes"][0]["scale"] = [0.5] * 3
    binary = positions.tobytes() + F.astype("<u2").tobytes()
    assert_is_box(load_target(put("a.glb", glb(document, binary))))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["nodes"][0].update(children=[0]), "no tree"),
        (lambda d: d["nodes"][0].update(mesh=7), "inconsistent"),
        (lambda d: d["accessors"][0].update(count=10**9), "damaged"),
        (lambda d: d["accessors"][0].update(count=9), "cut off: 96 of 108 bytes"),
        (lambda d: d["accessors"][0].update(count=-1), "inconsistent"),
        (lambda d: d["accessors"][0].update(type="VEC2"), "VEC2"),
        (lambda d: d["accessors"][1].update(componentType=5122), "damaged"),
        (lambda d: d["buffers"][0].update(uri="other.bin"), "outside the file"),
        (lambda d: d.update(extensionsRequired=["KHR_draco_mesh_compression"]), "compressed"),
        (lambda d: d.update(meshes={}), "inconsistent"),
        (lambda d: d["nodes"][0].update(scale=[0, 0, 0]), "same place"),
        (lambda d: d["nodes"][0].update(translation=[float("nan"), 0, 0]), "not finite"),
        (lambda d: d.update(scene=3), "inconsistent"),
        (lambda d: d["meshes"][0]["primitives"][0].update(mode=9), "unknown mode"),
    ],
)
def test_glb_damage_is_named(put, change, words):
    document, binary = box_document()
    change(document)
    refused(put("a.glb", glb(document, binary)), words)


def test_glb_files_that_are_no_files(put):
    data = glb(*box_document())
    refused(put("a.glb", data[:-30]), "cut off")
    refused(put("a.glb", data[:15]), "cut off")
    refused(put("a.glb", glb(*box_document(), version=1)), "version 1")
    refused(put("a.glb", data[:20] + b"x" + data[21:]), "cannot be read")
    refused(put("a.glb", glb("[" * 5000)), "no scene description")
    deep = b"[" * 200_000
    chunk = struct.pack("<I4s", len(deep), b"JSON") + deep
    refused(put("a.glb", struct.pack("<4sII", b"glTF", 2, 12 + len(chunk)) + chunk), "cannot be read")


def test_a_glb_that_multiplies_its_meshes_is_stopped(put):
    document, binary = box_document()
    document["meshes"][0]["primitives"] *= 500
    document["nodes"] = [{"mesh": 0} for _ in range(5000)]
    document["scenes"][0]["nodes"] = list(range(5000))
    refused(put("bomb.glb", glb(document, binary)), "repeats its meshes 2,500,000 times")
    document["meshes"][0]["primitives"] = document["meshes"][0]["primitives"][:1]
    document["accessors"][1]["count"] = 36 * 3000
    document["bufferViews"][1]["byteLength"] *= 3000
    document["buffers"][0]["byteLength"] = 96 + 72 * 3000
    refused(put("heavy.glb", glb(document, binary[:96] + binary[96:] * 3000)), "more than 10,000,000 faces")


def test_the_furniture_agrees_with_another_library():
    for name in ("desk", "lamp"):
        path = shared_path("data", "meshes", f"{name}.glb")
        mine, scene = load_target(path), trimesh.load_scene(path)
        other = scene.to_mesh()
        np.testing.assert_allclose(mine.bounds, other.bounds, atol=1e-7)
        assert mine.area == pytest.approx(other.area, rel=1e-6)
        assert set(mine.part_names) == set(scene.geometry)
        assert mine.warnings == () and describe(path)["watertight"]


# ---------------------------------------------------------------------------------------- points as text

POINTS = np.array([[0, 0, 0], [1, 0.5, 0], [0.25, 1, -2], [3, 1e-3, 1e2]])


@pytest.mark.parametrize(
    "text",
    [
        "{0} {1} {2}\n",
        "{0},{1},{2}\n",
        "{0}, {1}, {2}\r\n",
        "{0};{1};{2}\n",
        "{0}\t{1}\t{2}\n",
        "  {0}   {1} {2}  \n",
        "{0} {1} {2} 255 0 10\n",
        "{0} {1} {2} 0.5\n",
        "{0},{1},{2},chair\n",
        '"{0}","{1}","{2}"\n',
    ],
)
@pytest.mark.parametrize("header", ["", "x y z\n", "# a comment\n", "//X Y Z\n", "4\n", "\n\n"])
def test_text_dialects(put, text, header):
    body = "".join(text.format(*row) for row in POINTS.tolist())
    for suffix in ("xyz", "csv", "txt", "pts"):
        target = load_target(put(f"a.{suffix}", header + body))
        np.testing.assert_allclose(target.vertices, POINTS)
        assert target.warnings == () and target.normals is None


def test_text_columns_by_name(put):
    rows = "".join(f"{i},{z},{y},{x},0,0,1\n" for i, (x, y, z) in enumerate(POINTS.tolist()))
    target = load_target(put("a.csv", "id,z,y,x,nx,ny,nz\n" + rows))
    np.testing.assert_allclose(target.vertices, POINTS)
    np.testing.assert_allclose(target.normals, [[0, 0, 1]] * 4)
    pandas = ",X [m],Y [m],Z [m]\n" + "".join(
        f"{i},{x},{y},{z}\n" for i, (x, y, z) in enumerate(POINTS.tolist())
    )
    np.testing.assert_allclose(load_target(put("b.csv", pandas)).vertices, POINTS)


def test_text_with_decimal_commas(put):
    rows = "".join(f"{x:.3f};{y:.3f};{z:.3f}\n".replace(".", ",") for x, y, z in POINTS.tolist())
    np.testing.assert_allclose(load_target(put("a.csv", rows)).vertices, POINTS)
    np.testing.assert_allclose(load_target(put("b.xyz", rows.replace(";", "\t"))).vertices, POINTS)


def test_text_normals_by_their_length(put):
    rows = "".join(f"{x} {y} {z} 0 0.6 -0.8\n" for x, y, z in POINTS.tolist())
    np.testing.assert_allclose(load_target(put("a.xyz", rows)).normals, [[0, 0.6, -0.8]] * 4)
    assert load_target(put("b.xyz", rows.replace("0.6", "0.1"))).normals is None


def test_text_lines_that_cannot_be_read_are_counted(put):
    rows = [f"{x} {y} {z}\n" for x, y, z in POINTS.tolist()]
    text = rows[0] + "hello there you\n" + rows[1] + "1 2\n" + "".join(rows[2:]) + "nan 1 2\n"
    target = load_target(put("a.xyz", text))
    assert target.warnings == (
        "2 lines without x, y and z were skipped.",
        "1 point is not finite and was left out.",
    )
    np.testing.assert_allclose(target.vertices, POINTS)
    empty_cell = load_target(put("b.csv", "x,y,z,w\n0,,1,5\n1,2,3,4\n5,6,7,8\n9,9,9,9\n"))
    assert empty_cell.warnings == ("1 point is not finite and was left out.",)


def test_text_that_is_no_cloud(put):
    refused(put("a.xyz", "Dear Sir,\nI write to you\nabout a chair.\n"), "does not look like points")
    refused(put("a.csv", "1,2\n3,4\n"), "does not look like points")
    refused(put("a.pts", "9\n0 0 0\n1 1 1\n"), "a.pts is cut off: 2 of 9 points are there.")
    refused(put("a.txt", b"\0\1\2\3"), "not a text file")


# --------------------------------------------------------------------------------------------------- NPZ


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def test_npz_meshes(put):
    for arrays in (
        {"vertices": V, "faces": F},
        {"v": V.astype("f4"), "f": F.astype("u1")},
        {"verts": V, "triangles": F.astype(float)},
        {"Vertices": V, "Faces": F.astype(">i4"), "other": np.arange(5)},
        {"vertices": np.asfortranarray(V), "faces": F},
    ):
        assert_is_box(load_target(put("a.npz", npz(**arrays))))
    quads = BOX.vertices[[0, 1, 3, 2, 4, 5, 7, 6]]
    faces = [[0, 1, 2, 3], [7, 6, 5, 4], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0]]
    target = load_target(put("a.npz", npz(vertices=quads, faces=faces)))
    assert target.area == pytest.approx(6)


@pytest.mark.parametrize("name", ["points", "xyz", "pc", "pos", "arr_0", "whatever"])
def test_npz_clouds(put, name):
    points = np.random.default_rng(0).normal(size=(50, 3))
    target = load_target(put("a.npz", npz(**{name: points})))
    np.testing.assert_array_equal(target.vertices, points)
    assert target.is_cloud and target.warnings == ()


def test_npz_shapes_of_clouds(put):
    points = np.random.default_rng(0).normal(size=(50, 3))
    normals = points / np.linalg.norm(points, axis=1, keepdims=True)
    six = np.concatenate([points, normals], axis=1)
    np.testing.assert_allclose(load_target(put("a.npz", npz(points=six))).normals, normals)
    np.testing.assert_allclose(
        load_target(put("a.npz", npz(points=points, normals=normals))).normals, normals
    )
    np.testing.assert_array_equal(load_target(put("a.npz", npz(points=points.T))).vertices, points)
    batch = load_target(put("a.npz", npz(points=np.stack([points, points + 1]))))
    assert batch.warnings == ("It holds 2 clouds; the first one was read.",)
    buffer = io.BytesIO()
    np.save(buffer, points)
    np.testing.assert_array_equal(load_target(put("a.npy", buffer.getvalue())).vertices, points)


def test_npz_troubles(put):
    refused(put("a.npz", npz(a=np.eye(3), b=np.eye(3))), "a, b", "no vertices and faces")
    refused(put("a.npz", npz(points=np.arange(9))), "shape [9]")
    refused(put("a.npz", npz(vertices=V, faces=F[:, :2])), "shape [12, 2]")
    refused(put("a.npz", npz(points=np.array(["a", "b"]))), "not numbers")
    refused(put("a.npz", npz(points=np.ones((4, 3), complex))), "not numbers")
    refused(put("a.npz", npz(exponents=np.ones((2, 2)), size=np.ones((2, 3)))), "superquadric parts")
    data = npz(points=np.random.default_rng(0).normal(size=(500, 3)))
    refused(put("a.npz", data[:-200]), "damaged")
    refused(put("a.npz", data[:300] + bytes(200) + data[500:]), "damaged")


def test_pickled_arrays_are_never_opened(put):
    class Trap:
        def __reduce__(self):
            return (exec, ("raise SystemExit('unpickled')",))

    buffer = io.BytesIO()
    np.savez(buffer, points=np.array([Trap()], dtype=object))
    refused(put("a.npz", buffer.getvalue()), "holds object")


def test_an_array_bomb_is_refused_before_memory_is_asked_for(put):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        header = io.BytesIO()
        about = {"descr": "<f8", "fortran_order": False, "shape": (10**11, 3)}
        np.lib.format.write_array_header_1_0(header, about)
        archive.writestr("points.npy", header.getvalue() + bytes(10_000_000))
    refused(put("bomb.npz", buffer.getvalue()), "cut off")


# ------------------------------------------------------------------------------------- which format is it


def test_content_beats_the_suffix(put):
    said = "Its name ends in {}, but it holds {}."
    assert_is_box(load_target(put("a.stl", obj())), [said.format(".stl", "OBJ")])
    assert_is_box(load_target(put("a.obj", binary_ply())), [said.format(".obj", "PLY")])
    assert_is_box(load_target(put("a.ply", off())), [said.format(".ply", "OFF")])
    assert_is_box(load_target(put("a.xyz", binary_stl(V[F]))), [said.format(".xyz", "STL")])
    assert_is_box(load_target(put("a.off", npz(vertices=V, faces=F))), [said.format(".off", "NPZ")])
    assert_is_box(load_target(put("a.bin", glb(*box_document()))))
    assert load_target(put("noname", "0 0 0\n1 1 1\n2 3 4\n")).is_cloud


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.ply", b"\x1f\x8b\x08\x00abc", "gzip-compressed"),
        ("a.fbx", b"Kaydara FBX Binary  \x00", "FBX"),
        ("a.blend", b"BLENDER-v300", "Blender"),
        ("a.pcd", b"# .PCD v0.7\n", "PCD"),
        ("a.las", b"LASF\0\0", "LAS"),
        ("a.obj", "v 0 0 0\n".encode("utf-16"), "UTF-16"),
        ("a.png", b"\x89PNG\r\n", "picture"),
        ("a.step", b"ISO-10303-21;\n", "STEP"),
        ("a.dae", b"<?xml version='1.0'?>\n<COLLADA>", "XML"),
        ("a.3mf", b"PK\x03\x04" + bytes(40), "zip archive"),
        ("a.gltf", b'{"asset": {"version": "2.0"}}', "glTF as text"),
        ("a.json", b'{"format": "studiolo-superquadrics", "parts": []}', "superquadric parts"),
        ("a.json", b"[1, 2]", "JSON"),
        ("a.xyz2", b"\x00\x01\x02", "no known format"),
    ],
)
def test_other_formats_are_known_by_name(put, name, content, words):
    refused(put(name, content), words)


def test_descriptions_are_plain_facts(put):
    facts = describe(put("a.obj", "o one\n" + obj() + "o two\n" + obj(V * 0.1 + 2, start=9)))
    assert json.loads(json.dumps(facts)) == facts
    assert facts["format"] == "OBJ" and facts["kind"] == "mesh"
    assert (facts["vertices"], facts["faces"], facts["components"], facts["parts"]) == (16, 24, 2, 2)
    assert facts["watertight"] and facts["solid"] and facts["open_edges"] == 0
    assert facts["names"] == ["one", "two"] and facts["unit"] == "" and facts["unit_guess"] == "m"
    np.testing.assert_allclose(facts["size"], [2.55] * 3, rtol=1e-6)
    cloud = describe(put("a.xyz", "0 0 0\n1 1 1\n2 3 4\n"))
    assert cloud["kind"] == "point cloud" and cloud["points_in_file"] == 3 and "faces" not in cloud


def test_reading_can_be_stopped(put):
    class Stop(BaseException):
        pass

    def check():
        raise Stop

    for path in (
        put("a.obj", obj()),
        put("a.ply", binary_ply()),
        put("a.npz", npz(points=V)),
        put("a.off", off()),
    ):
        with pytest.raises(Stop):
            load_target(path, check=check)
