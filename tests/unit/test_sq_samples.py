"""The bundled samples are what their generator makes, and load without a word."""

import numpy as np
import pytest

from methods.superquadrics import samples
from methods.superquadrics.loading import describe, load_target


def test_the_generator_makes_the_bundled_files(tmp_path):
    for made in samples.write_all(tmp_path):
        bundled = samples.FOLDER / made.name
        one, two = load_target(made), load_target(bundled)
        np.testing.assert_allclose(one.vertices, two.vertices, rtol=1e-5, atol=1e-6 * one.diagonal)
        np.testing.assert_array_equal(one.faces, two.faces)
        assert one.part_names == two.part_names


@pytest.mark.parametrize("name", samples.FILES)
def test_every_sample_is_small_and_clean(name):
    facts = describe(samples.FOLDER / name)
    assert facts["warnings"] == []
    assert facts["kind"] == ("point cloud" if "scan" in name else "mesh")
    assert facts.get("watertight", True) and facts.get("solid", True)
    assert (samples.FOLDER / name).stat().st_size < 300_000
    assert facts["unit_guess"] == {"side_table.obj": "mm", "toy_plane.stl": "mm"}.get(name, "m")


@pytest.mark.parametrize("make", [samples.stool, samples.side_table, samples.toy_plane, samples.chair])
def test_parts_are_closed_and_face_outwards(make):
    for item in make():
        corners = item.vertices[item.faces]
        volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
        edges = item.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        both_ways = {tuple(e) for e in edges.tolist()}
        assert volume > 0, item.name
        assert len(both_ways) == len(edges) and {(b, a) for a, b in both_ways} == both_ways, item.name


def test_the_scan_misses_a_side():
    whole, scan = samples.chair(), load_target(samples.FOLDER / "chair_scan.ply")
    vertices = np.concatenate([o.vertices for o in whole])
    below = np.array([[0.0, 0.0, 0.43], [0.1, 0.1, 0.43], [-0.1, -0.05, 0.43]])  # under the seat
    above = below + np.array([0, 0, 0.04])
    assert scan.distance(below).min() > 0.015 > scan.distance(above).max()
    assert np.abs(np.mean(vertices, axis=0) - scan.vertices.mean(axis=0)).max() < 0.2
