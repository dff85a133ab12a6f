"""Exports read back by our own readers and by an independent library."""

import dataclasses

import numpy as np
import pytest
import trimesh

from methods.core.errors import BadInput
from methods.superquadrics.export import MeshObject, save_mesh, save_points, save_target, shape_mesh
from methods.superquadrics.loading import load_target
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.target import Target
from methods.superquadrics.union import sample_union, union_mesh

PARTS = (
    Superquadric((0, 0, 1), size=(1, 0.6, 0.1), exponents=(0.1, 0.2), name="top", color="#E69F00"),
    Superquadric((0.7, 0.3, 0.4), (0.9, 0.1, 0.2, 0), (0.1, 0.1, 0.6), (0.2, 1), name="leg é"),
    Superquadric((-0.7, 0.3, 0.4), size=(0.1, 0.1, 0.6), exponents=(0.02, 1.9), taper=(0.5, 0.5)),
)
SHAPE = Shape(PARTS)


def moved(offset, unit=""):
    return Shape(
        tuple(dataclasses.replace(p, translation=tuple(np.array(p.translation) + offset)) for p in PARTS),
        unit,
    )


@pytest.mark.parametrize("suffix", [".obj", ".ply", ".stl", ".glb"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("union", [False, True])
def test_meshes_come_back(tmp_path, suffix, offset, union):
    path = tmp_path / f"shape{suffix}"
    objects = shape_mesh(moved(offset), 24, union=union)
    save_mesh(objects, path)
    target = load_target(path)
    triangles = np.concatenate([o.vertices[o.faces] for o in objects])
    assert len(target.faces) == len(triangles)
    read = target.vertices[target.faces]
    np.testing.assert_allclose(np.sort(read.sum(axis=1), axis=0), np.sort(triangles.sum(axis=1), axis=0),
                               atol=3e-6)  # fmt: skip
    assert target.warnings == ()
    assert target.is_solid
    if suffix in (".obj", ".glb") and not union:
        assert target.part_names == ("top", "leg é", "part 3")
        np.testing.assert_array_equal(np.bincount(target.part_labels), [len(o.faces) for o in objects])


@pytest.mark.parametrize("suffix", [".obj", ".ply", ".stl", ".glb"])
def test_another_library_sees_watertight_parts_and_colours(tmp_path, suffix):
    path = tmp_path / f"shape{suffix}"
    objects = shape_mesh(SHAPE, 24)
    save_mesh(objects, path)
    scene = trimesh.load_scene(path)
    whole = scene.to_mesh()
    expected = sum(trimesh.Trimesh(o.vertices, o.faces).volume for o in objects)
    whole.merge_vertices(merge_norm=True, merge_tex=True)
    assert whole.is_watertight
    assert whole.volume == pytest.approx(expected, rel=1e-4)
    if suffix == ".glb":
        assert set(scene.graph.nodes_geometry) == {"top", "leg é", "part 3"}
        material = scene.geometry["top"].visual.material
        assert material.baseColorFactor is not None
        normals = scene.geometry["top"].vertex_normals
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)
    if suffix == ".ply":
        assert {tuple(c[:3]) for c in whole.visual.vertex_colors} == {(0xE6, 0x9F, 0), (0x56, 0xB4, 0xE9)}


def test_the_union_has_no_inner_walls(tmp_path):
    save_mesh(shape_mesh(SHAPE, 24, union=True), tmp_path / "u.stl")
    vertices, faces = union_mesh(SHAPE, 24)
    expected = trimesh.Trimesh(vertices, faces).volume
    assert trimesh.load_mesh(tmp_path / "u.stl").volume == pytest.approx(expected, rel=1e-4)


def test_glb_is_in_metres(tmp_path):
    save_mesh(shape_mesh(moved(0, "mm"), 16), tmp_path / "mm.glb")
    target = load_target(tmp_path / "mm.glb")
    assert target.unit == "m"
    assert target.diagonal == pytest.approx(1e-3 * np.linalg.norm(np.diff(SHAPE.bounds(), axis=0)), rel=0.01)


def test_hidden_parts_can_be_left_out():
    hidden = dataclasses.replace(PARTS[1], visible=False)
    shape = Shape((PARTS[0], hidden))
    assert [o.name for o in shape_mesh(shape)] == ["top", "leg é"]
    assert [o.name for o in shape_mesh(shape, visible_only=True)] == ["top"]
    with pytest.raises(BadInput, match="hidden"):
        shape_mesh(Shape((hidden,)), visible_only=True)
    with pytest.raises(BadInput, match="no parts"):
        shape_mesh(Shape(()))


@pytest.mark.parametrize("suffix", [".ply", ".xyz", ".csv", ".npz"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("with_normals", [True, False])
def test_points_come_back_with_normals(tmp_path, suffix, offset, with_normals):
    path = tmp_path / f"cloud{suffix}"
    points, normals, _ = sample_union(moved(offset), 1234, np.random.default_rng(0))
    save_points((points, normals if with_normals else None), path)
    target = load_target(path)
    assert target.is_cloud and target.warnings == ()
    np.testing.assert_allclose(target.vertices, points, atol=1e-6)
    if with_normals:
        np.testing.assert_allclose(target.normals, normals, atol=1e-5)
    else:
        assert target.normals is None


def test_a_target_comes_back_unchanged(tmp_path):
    shape = moved(1e5)
    objects = shape_mesh(shape, 16)
    save_mesh(objects, tmp_path / "a.glb")
    first = load_target(tmp_path / "a.glb")
    save_target(first, tmp_path / "b.npz")
    second = load_target(tmp_path / "b.npz")
    assert second.digest == first.digest
    assert (
        (second.part_names, second.unit)
        == (first.part_names, first.unit)
        == (("top", "leg é", "part 3"), "m")
    )
    cloud = Target("c", first.vertices, normals=np.tile([0, 0, 1.0], (len(first.vertices), 1)), unit="mm")
    save_target(cloud, tmp_path / "c.npz")
    again = load_target(tmp_path / "c.npz")
    assert (again.digest, again.unit) == (cloud.digest, "mm")


@pytest.mark.parametrize("save", [save_mesh, save_points])
def test_unknown_formats_and_nothing_are_refused(tmp_path, save):
    value = [MeshObject("a", np.eye(3), np.array([[0, 1, 2]]))] if save is save_mesh else (np.eye(3), None)
    with pytest.raises(BadInput, match="not a format"):
        save(value, tmp_path / "a.fbx")
    with pytest.raises(BadInput, match="nothing to write"):
        save([] if save is save_mesh else (np.empty((0, 3)), None), tmp_path / "a.ply")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.obj"
    path.write_text("old")
    broken = [MeshObject("a", np.eye(3), np.array([[0, 1, 2]]), color="#ZZZZZZ")]
    with pytest.raises(ValueError, match="invalid literal"):
        save_mesh(broken, path)
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(OSError, match=r"No such file|not exist"):
        save_mesh(shape_mesh(SHAPE, 8), tmp_path / "nowhere" / "a.obj")
