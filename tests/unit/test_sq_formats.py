"""Parts files: exact round-trips, every fault named, damaged files harmless, one convention everywhere."""

import copy
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from methods.core.errors import BadInput, StudioloError, WorkFailed
from methods.superquadrics import formats, geometry
from methods.superquadrics.limits import FARTHEST, THINNEST
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.surface import part_mesh

number = st.floats(allow_nan=False, allow_infinity=False)
length = st.floats(-FARTHEST, FARTHEST, exclude_min=True, exclude_max=True)
text = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=30)
parts = st.builds(
    Superquadric,
    translation=st.tuples(length, length, length),
    rotation=st.tuples(number, number, number, number).filter(any),
    size=st.tuples(*[st.floats(THINNEST, FARTHEST, exclude_max=True)] * 3),
    exponents=st.tuples(st.floats(0, 2), st.floats(0, 2)),
    taper=st.tuples(*[st.floats(-1, 1, exclude_min=True, exclude_max=True)] * 2),
    name=text,
    color=st.from_regex(r"#[0-9A-Fa-f]{6}", fullmatch=True),
    visible=st.booleans(),
    locked=st.booleans(),
    group=text,
    mirror=st.none() | st.integers(0, 5),
    mirror_axis=st.sampled_from("xyz"),
    mirror_offset=length,
)
shapes = st.builds(Shape, st.lists(parts, min_size=1, max_size=6).map(tuple), text)


def example():
    return Shape(
        (
            Superquadric(
                (1, 2, 3),
                (0.5, 0.5, -0.5, 0.5),
                (0.1, 0.2, 0.3),
                (0.13, 0.89),
                (0.5, -0.25),
                "leg",
                "#009E73",
                id=4,
                mirror=9,
                group="legs",
            ),
            Superquadric(
                (-1, 2, 3),
                (2, 0, 0, 0),
                (1e-9, 1e9, 1),
                (0, 2),
                name="Bein ß 脚",
                visible=False,
                locked=True,
                id=9,
                mirror=4,
                mirror_axis="z",
                mirror_offset=-0.5,
            ),
        ),
        unit="mm",
    )


def bits(shape):
    """Every number of the shape as bytes, so that -0.0 and 0.0 differ."""
    fields = ("translation", "rotation", "size", "exponents", "taper")
    return [np.array(getattr(part, f)).tobytes() for part in shape.parts for f in fields]


# ------------------------------------------------------------------------------------------ round-trips


@settings(max_examples=40)
@given(shape=shapes)
def test_json_and_npz_round_trip_to_the_last_bit(shape, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp()
    for name in ("shape.json", "shape.npz"):
        formats.save(shape, folder / name)
        back = formats.load(folder / name)
        assert back == shape and bits(back) == bits(shape)
        formats.save(back, folder / f"again-{name}")
        assert (folder / f"again-{name}").read_bytes() == (folder / name).read_bytes()
    assert formats.from_json(json.loads(json.dumps(formats.to_json(shape)))) == shape


def test_the_json_is_what_the_documentation_shows(tmp_path):
    formats.save(example(), tmp_path / "a.json")
    data = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert data["format"] == "studiolo-superquadrics" and data["version"] == 1 and data["unit"] == "mm"
    first = data["parts"][0]
    assert first["translation"] == [1, 2, 3] and first["rotation"] == [0.5, 0.5, -0.5, 0.5]
    assert first["size"] == [0.1, 0.2, 0.3] and first["exponents"] == [0.13, 0.89]
    assert first["taper"] == [0.5, -0.25] and first["name"] == "leg" and first["color"] == "#009E73"
    assert len((tmp_path / "a.json").read_text(encoding="utf-8").splitlines()) == 4  # a part per line


def test_a_minimal_file_by_another_program_is_read():
    part = {"translation": [0, 0, 0], "rotation": [1, 0, 0, 0], "size": [1, 2, 3], "exponents": [1, 0.5]}
    data = {"format": formats.FORMAT, "version": 1, "parts": [part, part], "made by": "someone else"}
    shape = formats.from_json(data)
    assert shape.parts[1].size == (1.0, 2.0, 3.0) and shape.parts[1].taper == (0.0, 0.0)
    assert [p.id for p in shape.parts] == [1, 2] and shape.unit == ""


def test_the_empty_document_is_read_only_where_it_is_meant():
    data = formats.to_json(Shape(unit="m"))
    assert formats.from_json(data, allow_empty=True) == Shape(unit="m")
    with pytest.raises(BadInput, match="0 parts"):
        formats.from_json(data)


# ----------------------------------------------------------------------------------------------- faults

DROP = object()


def faulty(*path, value):
    data = copy.deepcopy(formats.to_json(example()))
    target = data
    for key in path[:-1]:
        target = target[key]
    if value is DROP:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "not a JSON object"),
        ({}, "names no format"),
        (faulty("format", value="superquadrics"), "its format is 'superquadrics'"),
        (faulty("format", value=DROP), "names no format"),
        (faulty("version", value=2), "format version 2; this program reads up to 1"),
        (faulty("version", value="1"), "version is '1'"),
        (faulty("version", value=True), "version is True"),
        (faulty("version", value=0), "version is 0"),
        (faulty("version", value=DROP), "version is None"),
        (faulty("unit", value=3), "unit is 3"),
        (faulty("parts", value=DROP), "parts is missing"),
        (faulty("parts", value={}), "parts is missing or not a list"),
        (faulty("parts", value=[]), "0 parts"),
        (faulty("parts", value=formats.to_json(example())["parts"] * 129), "258 parts"),
        (faulty("parts", 1, value="leg"), "parts[1] is str"),
        (faulty("parts", 0, "size", value=DROP), "parts[0].size is missing"),
        (faulty("parts", 1, "translation", value=DROP), "parts[1].translation is missing"),
        (faulty("parts", 1, "rotation", value=DROP), "parts[1].rotation is missing"),
        (faulty("parts", 1, "exponents", value=DROP), "parts[1].exponents is missing"),
        (faulty("parts", 1, "size", value=[1, 0, 1]), "parts[1].size is [1, 0, 1]"),
        (faulty("parts", 1, "size", value=[1, 1]), "parts[1].size has 2 numbers"),
        (faulty("parts", 1, "size", value=[1, 1, 1, 1]), "parts[1].size has 4 numbers"),
        (faulty("parts", 1, "size", value=5), "parts[1].size is 5"),
        (faulty("parts", 1, "size", value=[1, None, 1]), "parts[1].size is [1, None, 1]"),
        (faulty("parts", 1, "size", value=[1, "2", 1]), "parts[1].size is [1, '2', 1]"),
        (faulty("parts", 1, "size", value=[1, True, 1]), "parts[1].size is [1, True, 1]"),
        (faulty("parts", 1, "size", value=[1, float("nan"), 1]), "parts[1].size is [1, nan, 1]"),
        (faulty("parts", 0, "size", value=[float("inf"), 1, 1]), "parts[0].size is [inf, 1, 1]"),
        (faulty("parts", 0, "translation", value=[10**400, 0, 0]), "parts[0].translation is"),
        (faulty("parts", 0, "rotation", value=[0, 0, 0, 0]), "parts[0].rotation is the zero quaternion"),
        (faulty("parts", 0, "rotation", value=[1, 0, 0]), "parts[0].rotation has 3 numbers"),
        (faulty("parts", 0, "exponents", value=[1, 2.5]), "parts[0].exponents is [1, 2.5]"),
        (faulty("parts", 0, "exponents", value=[-0.1, 1]), "parts[0].exponents is [-0.1, 1]"),
        (faulty("parts", 0, "taper", value=[1, 0]), "parts[0].taper is [1, 0]"),
        (faulty("parts", 0, "taper", value=None), "parts[0].taper is None"),
        (faulty("parts", 0, "name", value=3), "parts[0].name is 3"),
        (faulty("parts", 0, "name", value="a\nb"), "parts[0].name holds a control character"),
        (faulty("parts", 0, "color", value="blue"), "parts[0].color is 'blue'"),
        (faulty("parts", 0, "visible", value=1), "parts[0].visible is 1"),
        (faulty("parts", 0, "locked", value="no"), "parts[0].locked is 'no'"),
        (faulty("parts", 0, "id", value=1.5), "parts[0].id is 1.5"),
        (faulty("parts", 0, "id", value=2**40), "parts[0].id is 1099511627776"),
        (faulty("parts", 0, "id", value=9), "Two parts have the id 9"),
        (faulty("parts", 0, "mirror", value=77), "parts[0].mirror is 77, but no part has that id"),
        (faulty("parts", 0, "mirror_axis", value="q"), "parts[0].mirror_axis is 'q'"),
        (faulty("parts", 0, "mirror_offset", value=True), "parts[0].mirror_offset is True"),
    ],
)
def test_every_fault_is_one_clear_line_with_part_field_and_remedy(data, message):
    with pytest.raises(BadInput) as caught:
        formats.from_json(data, source="chair.json")
    assert message in caught.value.what
    assert caught.value.what.startswith("chair.json")
    assert caught.value.remedy
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b"", "a.json is empty"),
        ("a.json", b"{", "not complete, valid JSON at line 1"),
        ("a.json", b"\xff\xfe\x00", "not text in UTF-8"),
        ("a.json", b"[" * 200_000, "not complete, valid JSON"),
        ("a.json", b'{"format": ' + b"9" * 5000 + b"}", "not complete, valid JSON"),
        ("a.json", b" " * (formats.MAX_BYTES + 1), "larger than 16 MB"),
        ("a.npz", b"PK\x03\x04 nonsense", "damaged or not an NPZ file"),
        ("a.npy", b"\x93NUMPY", "damaged or not an NPY file"),
        ("a.obj", b"v 0 0 0", "its ending is .obj"),
        ("a", b"v 0 0 0", "its ending is missing"),
        ("a.csv", b"1,2,3\n", "line 1 has 3 numbers"),
        ("a.csv", b"", "a.csv is empty"),
        ("a.csv", b"# nothing\n", "0 parts"),
        ("a.txt", b"1 1 1 1 1 0 0 0 0 0 0\n1 1 x 1 1 0 0 0 0 0 0\n", "line 2 is not numbers"),
        ("a.txt", b"1 1 1 1 1 0 0 0 0 0 0\n1 1 -1 1 1 0 0 0 0 0 0\n", "row 1: size is [-1, 1, 1]"),
        ("a.txt", b"1 1 1 1 1 nan 0 0 0 0 0\n", "row 0: it holds a number that is not finite"),
        ("a.txt", b"1 1 1 1 1 0 0 0 0 0 0\n" * 257, "257 parts"),
    ],
)
def test_unreadable_files_are_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput) as caught:
        formats.load(tmp_path / name)
    assert message in caught.value.what and name in caught.value.what and "\n" not in str(caught.value)


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(BadInput, match=r"none\.json cannot be read: No such file"):
        formats.load(tmp_path / "none.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(BadInput, match=r"folder\.json cannot be read"):
        formats.load(tmp_path / "folder.json")


def npz(path, **changes):
    formats.save(example(), path)
    with np.load(path) as archive:
        arrays = {k: archive[k] for k in archive.files}
    arrays |= changes
    np.savez(path, **{k: v for k, v in arrays.items() if v is not None})
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": None}, "the array size is missing"),
        ({"size": np.ones((3, 3))}, "the array size has shape (3, 3)"),
        ({"size": np.array([[1, 1, 1], [1, -1, 1.0]])}, "parts[1].size is [1, -1, 1]"),
        ({"size": np.array([["1"] * 3] * 2)}, "parts[0].size is ['1', '1', '1']"),
        ({"size": np.ones((2, 3), dtype=complex)}, "parts[0].size is"),
        ({"exponents": np.array([[1, 1], [1, np.nan]])}, "parts[1].exponents is [1, nan]"),
        ({"translation": np.zeros((0, 3))}, "0 parts"),
        ({"translation": np.zeros((300, 3))}, "300 parts"),
        ({"translation": np.float64(3)}, "0 parts"),
        ({"format": np.array("other")}, "its format is 'other'"),
        ({"version": np.array(2)}, "format version 2"),
        ({"version": np.array([1])}, "version is None"),
        ({"format": None}, "holds no superquadric parts"),
    ],
)
def test_faults_in_npz_files_are_named(tmp_path, changes, message):
    with pytest.raises(BadInput) as caught:
        formats.load(npz(tmp_path / "a.npz", **changes))
    assert message in caught.value.what


def test_single_precision_npz_arrays_are_accepted(tmp_path):
    shape = formats.load(npz(tmp_path / "a.npz", size=np.float32([[0.1, 0.2, 0.3], [1, 1, 1]])))
    assert shape.parts[0].size == tuple(np.float32([0.1, 0.2, 0.3]).tolist())


def test_pickles_and_zip_bombs_are_refused(tmp_path):
    np.savez(tmp_path / "pickle.npz", allow_pickle=True, format=np.array([{"x": 1}], dtype=object))
    with pytest.raises(BadInput, match="damaged"):
        formats.load(tmp_path / "pickle.npz")
    np.save(tmp_path / "pickle.npy", np.array([{"x": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(BadInput, match="damaged"):
        formats.load(tmp_path / "pickle.npy")
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("size.npy", b"\0" * (formats.MAX_BYTES + 1))
    with pytest.raises(BadInput, match="unpacks to"):
        formats.load(tmp_path / "bomb.npz")


@pytest.mark.parametrize("name", ["a.json", "a.npz"])
def test_damaged_files_raise_only_errors_for_people(tmp_path, name):
    """Truncations and random changes: an error in words or a valid shape, never anything else."""
    formats.save(example(), tmp_path / name)
    content = (tmp_path / name).read_bytes()
    rng = np.random.default_rng(0)
    broken = tmp_path / f"broken-{name}"
    variants = [content[: int(k)] for k in np.linspace(0, len(content) - 1, 60)]
    for _ in range(240):
        changed = bytearray(content)
        for at in rng.integers(len(content), size=rng.integers(1, 6)):
            changed[at] = rng.integers(256)
        variants.append(bytes(changed))
    refused = 0
    for variant in variants:
        broken.write_bytes(variant)
        try:
            assert 1 <= len(formats.load(broken)) <= 256
        except BadInput as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused >= 60


# ---------------------------------------------------------------------------------------------- K x 11


def rows(rng, count):
    exponents, sizes = rng.uniform(0, 2, (count, 2)), rng.uniform(0.1, 2, (count, 3))
    return np.hstack([exponents, sizes, rng.uniform(-4, 4, (count, 6))])


def test_parts_are_told_from_points_by_a_look_inside(tmp_path):
    table, cloud = np.full((5, 11), 0.5), np.random.default_rng(0).random((400, 11))
    formats.save(example(), tmp_path / "saved.npz")
    formats.save(example(), tmp_path / "saved.json")
    np.save(tmp_path / "table.npy", table)
    np.savez(tmp_path / "table.npz", anything=table)
    (tmp_path / "table.csv").write_text("e1,e2,a1,a2,a3,z,y,x,tx,ty,tz\n" + ",".join(["0.5"] * 11))
    for path in tmp_path.iterdir():
        assert formats.is_parts_file(path), path.name
        assert formats.load(path).parts, path.name
    others = tmp_path / "others"
    others.mkdir()
    np.save(others / "cloud.npy", cloud)
    np.savez(others / "cloud.npz", points=cloud[:5])
    np.savez(others / "mesh.npz", vertices=cloud[:5, :3], faces=[[0, 1, 2]])
    (others / "cloud.csv").write_text("x,y,z\n1,2,3\n")
    for suffix in ("npy", "npz", "csv", "txt", "obj"):
        (others / f"garbage.{suffix}").write_bytes(b"\x93NUMPY\x01\x00\xff\xff garbage")
    for path in others.iterdir():
        assert not formats.is_parts_file(path), path.name


def test_k_by_11_rows_mean_what_earlier_tools_mean():
    table = rows(np.random.default_rng(1), 50)
    shape = formats.from_rows(table, unit="m")
    assert shape.unit == "m" and len(shape) == 50
    for row, part in zip(table, shape.parts, strict=True):
        expected = Rotation.from_euler("ZYX", row[5:8]).as_matrix()  # capitals: intrinsic turns
        np.testing.assert_allclose(part.rotation_matrix(), expected, atol=1e-12)
        assert part.exponents == tuple(row[:2]) and part.size == tuple(row[2:5])
        assert part.translation == tuple(row[8:])


def test_k_by_11_is_read_from_every_kind_of_file(tmp_path):
    table = rows(np.random.default_rng(2), 4)
    expected = formats.from_rows(table)
    np.save(tmp_path / "a.npy", table)
    np.savez(tmp_path / "a.npz", primitives=table)
    np.savetxt(tmp_path / "a.txt", table, fmt="%.17g")
    np.savetxt(tmp_path / "a.csv", table, fmt="%.17g", delimiter=",", header="e1,e2,a1", comments="")
    np.savetxt(tmp_path / "b.csv", table, fmt="%.17g", delimiter="; ", header="comment")
    for name in ("a.npy", "a.npz", "a.txt", "a.csv", "b.csv"):
        assert formats.load(tmp_path / name) == expected, name
    assert formats.from_rows(table[0]).parts[0].size == expected.parts[0].size
    np.savez(tmp_path / "cloud.npz", points=np.zeros((9, 3)))
    with pytest.raises(BadInput, match="no superquadric parts \\(arrays: points\\)"):
        formats.load(tmp_path / "cloud.npz")


@pytest.mark.parametrize(
    "table", [np.zeros((2, 12)), np.zeros((2, 2, 11)), np.array(5.0), np.array(["a"] * 11), np.zeros((0, 11))]
)
def test_other_tables_are_refused(table):
    with pytest.raises(BadInput):
        formats.from_rows(table)


# ----------------------------------------------------------------------------------------------- saving


@pytest.mark.parametrize("name", ["a.json", "a.npz"])
def test_a_failed_save_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch, name):
    formats.save(example(), tmp_path / name)
    before = (tmp_path / name).read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(WorkFailed, match="could not be saved: No space left"):
        formats.save(Shape((Superquadric(),)), tmp_path / name)
    assert (tmp_path / name).read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_saving_keeps_links_and_permissions(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("{}")
    real.chmod(0o640)
    link.symlink_to(real)
    formats.save(example(), link)
    assert link.is_symlink() and formats.load(real) == example()
    assert real.stat().st_mode & 0o777 == 0o640


def test_saving_refuses_other_endings_empty_shapes_and_missing_folders(tmp_path):
    with pytest.raises(BadInput, match=r"cannot be saved as a\.obj"):
        formats.save(example(), tmp_path / "a.obj")
    with pytest.raises(BadInput, match="no parts to save"):
        formats.save(Shape(), tmp_path / "a.json")
    with pytest.raises(StudioloError, match="could not be saved"):
        formats.save(example(), tmp_path / "none" / "a.json")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------ one convention


def test_picture_export_import_and_gauge_agree_on_which_exponent_belongs_to_which_axis(tmp_path):
    """e = (0.13, 0.89): a program that swaps the exponents, or their axes, misses by far."""
    row = [0.13, 0.89, 1.0, 0.7, 0.4, 0.3, -0.5, 0.9, 1.0, 2.0, 3.0]
    np.savetxt(tmp_path / "row.txt", [row])
    part = formats.load(tmp_path / "row.txt").parts[0]
    formats.save(Shape((part,)), tmp_path / "a.json")
    formats.save(Shape((part,)), tmp_path / "a.npz")
    # the definition, written once more and independently: angles, signed powers, scipy's rotation
    eta, omega = np.meshgrid(np.linspace(-1.5, 1.5, 41), np.linspace(-3, 3, 41))

    def signed(v, e):
        return np.sign(v) * np.abs(v) ** e

    local = np.stack(
        [
            1.0 * signed(np.cos(eta), 0.13) * signed(np.cos(omega), 0.89),
            0.7 * signed(np.cos(eta), 0.13) * signed(np.sin(omega), 0.89),
            0.4 * signed(np.sin(eta), 0.13),
        ],
        axis=-1,
    ).reshape(-1, 3)
    world = Rotation.from_euler("ZYX", row[5:8]).apply(local) + np.array([1, 2, 3])
    for source in (part, *(formats.load(tmp_path / n).parts[0] for n in ("a.json", "a.npz"))):
        value = geometry.gauge(source.to_local(world), source.size, source.exponents)
        np.testing.assert_allclose(value, 1, atol=1e-9)
        swapped = geometry.gauge(source.to_local(world), source.size, source.exponents[::-1])
        assert np.abs(swapped - 1).max() > 0.2
        vertices, _, _ = part_mesh(source, 64)
        back = Rotation.from_euler("ZYX", row[5:8]).apply(vertices - [1, 2, 3], inverse=True) / [1, 0.7, 0.4]
        ring = (np.abs(back[:, 0]) ** (2 / 0.89) + np.abs(back[:, 1]) ** (2 / 0.89)) ** (0.89 / 0.13)
        np.testing.assert_allclose(ring + np.abs(back[:, 2]) ** (2 / 0.13), 1, atol=1e-7)


def test_a_fit_agrees_with_the_picture():
    fit_one = pytest.importorskip("methods.superquadrics.fit_one", reason="the fitter is not there yet")
    from methods.superquadrics.surface import sample_surface

    part = Superquadric(size=(1, 0.7, 0.4), exponents=(0.13, 0.89))
    points, _ = sample_surface(part, 1000, np.random.default_rng(3))
    found = fit_one.fit_superquadric(points, rng=np.random.default_rng(4)).part
    value = geometry.gauge(found.to_local(points), found.size, found.exponents)
    assert np.abs(value - 1).mean() < 0.02


def test_no_pickle_reaches_the_reader():
    source = Path(formats.__file__).read_text(encoding="utf-8")
    assert "allow_pickle=True" not in source and "import pickle" not in source
    assert source.count("np.load(") == source.count("allow_pickle=False")
