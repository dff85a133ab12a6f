"""The single fit: accuracy on the nine rows, equivariance, options, and bad clouds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.superquadrics import geometry
from methods.superquadrics.benchmark_rows import ROWS, cloud, draw, solid_iou
from methods.superquadrics.fit_one import fit_superquadric
from methods.superquadrics.least_squares import WIDTH, Batch, _evaluate, _moved, fit_batch
from methods.superquadrics.model import Shape, Superquadric, quaternion_to_matrix
from methods.superquadrics.surface import sample_surface


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_is_at_least_as_good_as_ems(row):
    random = rng(11)
    ious = []
    for _ in range(12):
        part = draw(row, random)
        ious.append(solid_iou(part, fit_superquadric(cloud(row, part, random)).part, random))
    _, median, worst = row.ems
    assert np.median(ious) >= median - 1e-4
    assert min(ious) >= max(worst - 1e-4, 0.98 if row.name == "cube" else 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_on_many_seeds(row):
    _, median, worst = row.ems
    for seed in range(20, 24):
        random = rng(seed)
        ious = []
        for _ in range(24):
            part = draw(row, random)
            ious.append(solid_iou(part, fit_superquadric(cloud(row, part, random)).part, random))
        assert np.median(ious) >= median - 1e-4
        assert min(ious) >= max(worst - 1e-4, 0.98 if row.noise == 0 else 0.0)


def batch_of(part):
    return Batch(
        np.array([part.translation]),
        part.rotation_matrix()[None],
        np.array([part.size]),
        np.array([part.exponents]),
        np.array([part.taper]),
    )


PART = Superquadric((0.1, -0.2, 0.3), (0.9, 0.1, -0.3, 0.2), (0.8, 0.5, 0.3), (0.4, 1.3), (0.3, -0.4))


def test_residuals_are_the_first_order_distance_of_the_geometry():
    points = rng(1).normal(size=(300, 3))
    local = PART.to_local(points)
    before_the_tip = np.abs(local[:, 2]) < 1.5 * PART.size[2]
    points, local = points[before_the_tip], local[before_the_tip]
    residual, _ = _evaluate(batch_of(PART), points, jacobian=False)
    expected = geometry.first_order_distance(
        local, np.array(PART.size), np.array(PART.exponents), np.array(PART.taper)
    )
    np.testing.assert_allclose(residual[0], expected, rtol=1e-6)


def test_the_jacobian_agrees_with_finite_differences_on_the_surface():
    points, _ = sample_surface(PART, 60, rng(2))
    batch = batch_of(PART)
    _, jacobian = _evaluate(batch, points, jacobian=True)
    for column in range(WIDTH):
        step = np.zeros((1, WIDTH))
        step[0, column] = 1e-6
        ahead, _ = _evaluate(_moved(batch, step), points, jacobian=False)
        behind, _ = _evaluate(_moved(batch, -step), points, jacobian=False)
        slope = (ahead - behind)[0] / 2e-6
        np.testing.assert_allclose(jacobian[0, :, column], slope, atol=2e-4 * (1 + np.abs(slope).max()))


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_turns_moves_and_scales_with_the_cloud(seed):
    random = rng(seed)
    part = draw(ROWS[0], random)
    points = cloud(ROWS[0], part, random)
    turn = quaternion_to_matrix(random.normal(size=4))
    factor, shift = random.uniform(0.01, 100), random.normal(size=3) * 50
    plain = fit_superquadric(points).part
    moved = fit_superquadric(factor * points @ turn.T + shift).part
    back = geometry.world_gauge((points * 1.2) @ turn.T * factor + shift, Shape((moved,)).parameters())
    here = geometry.world_gauge(points * 1.2, Shape((plain,)).parameters())
    np.testing.assert_allclose(back, here, rtol=1e-3, atol=1e-3)


def test_outliers_are_told_apart_and_counted():
    random = rng(5)
    part = draw(ROWS[0], random)
    surface, _ = sample_surface(part, 700, random)
    low, high = part.bounds()
    noise = random.uniform(low - (high - low) / 2, high + (high - low) / 2, (300, 3))
    found = fit_superquadric(np.vstack([surface, noise]), outliers=0.3)
    assert solid_iou(part, found.part, random) > 0.98
    assert found.inlier_share == pytest.approx(0.7, abs=0.04)


@pytest.mark.parametrize(("row", "share"), [(ROWS[4], 0.3), (ROWS[2], 0.5), (ROWS[7], 0.6)])
def test_outliers_in_every_kind_of_part(row, share):
    random = rng(100)
    for _ in range(6):
        part = draw(row, random)
        count = round(1000 * (1 - share))
        low, high = part.bounds()
        noise = random.uniform(low - (high - low) / 2, high + (high - low) / 2, (1000 - count, 3))
        points = np.vstack([sample_surface(part, count, random)[0], noise])
        found = fit_superquadric(points, outliers=share)
        assert solid_iou(part, found.part, random) > 0.98
        assert found.inlier_share == pytest.approx(1 - share, abs=0.04)


def test_a_taper_is_found_only_when_asked_for():
    part = replace(PART, taper=(0.5, 0.5), exponents=(0.3, 0.4))
    points, _ = sample_surface(part, 1000, rng(6))
    assert fit_superquadric(points).part.taper == (0, 0)
    tapered = fit_superquadric(points, taper=True)
    assert tapered.residual_rms < 0.003
    assert np.abs(tapered.part.taper).max() == pytest.approx(0.5, abs=0.02)


def test_a_round_part_stays_round():
    part = Superquadric(size=(0.4, 0.4, 1.0), exponents=(0.2, 1.0), rotation=(0.7, 0.2, 0.5, 0.1))
    points, normals = sample_surface(part, 4000, rng(7))
    front = normals @ np.array([0.3, 0.9, 0.1]) > 0
    found = fit_superquadric(points[front], normals=normals[front], axisymmetric=True, partial_view=True).part
    assert found.size[0] == pytest.approx(found.size[1])
    assert found.exponents[1] == 1.0
    assert solid_iou(part, found, rng()) > 0.95


def half_view(row, random):
    part = draw(row, random)
    points, normals = sample_surface(part, 2000, random)
    seen = normals @ random.normal(size=3) > 0
    return part, points[seen], normals[seen]


@pytest.mark.parametrize("told", ["with normals", "without"])
@pytest.mark.parametrize("row", [ROWS[0], ROWS[2]], ids=lambda row: row.name)
def test_half_a_view_is_completed(row, told):
    random = rng(8)
    ious = []
    for _ in range(8):
        part, points, normals = half_view(row, random)
        found = fit_superquadric(
            points, normals=normals if told == "with normals" else None, partial_view=True
        )
        ious.append(solid_iou(part, found.part, random))
    assert np.median(ious) > 0.99
    assert min(ious) > 0.9


def test_a_side_left_open_does_not_grow_without_being_told():
    random = rng(100)
    ious = []
    for _ in range(6):
        part, points, _ = half_view(ROWS[0], random)
        ious.append(solid_iou(part, fit_superquadric(points).part, random))
    assert min(ious) > 0.9
    walls = rng(1).uniform(-1, 1, (800, 3))
    walls[:400, 2], walls[400:, 0] = -1, 1
    found = fit_superquadric(walls + 0.004 * rng(2).normal(size=walls.shape))
    assert max(found.part.size) < 1.6
    assert any("leave one side open" in warning for warning in found.warnings)


def test_normals_that_are_not_numbers_are_not_used():
    _, points, normals = half_view(ROWS[0], rng(9))
    whole = fit_superquadric(points, normals=normals, partial_view=True)
    normals[::9] = np.nan
    holed = fit_superquadric(points, normals=normals, partial_view=True)
    np.testing.assert_allclose(sorted(holed.part.size), sorted(whole.part.size), rtol=0.02)


def test_the_volume_takes_part_in_the_descent():
    _, points, _ = half_view(ROWS[2], rng(10))
    start = batch_of(Superquadric(size=(2, 2, 2)))
    before = fit_batch(points, start, iterations=0, shrink=0.1)
    after = fit_batch(points, start, iterations=20, shrink=0.1)
    free = fit_batch(points, start, iterations=20)
    assert after[1][0] < before[1][0]
    assert np.prod(after[0].size) < np.prod(free[0].size)


def on_a_box(half, count, random):
    half = np.array(half)
    faces = np.array([half[1] * half[2], half[0] * half[2], half[0] * half[1]])
    axis = random.choice(3, count, p=faces / faces.sum())
    points = random.uniform(-1, 1, (count, 3)) * half
    points[np.arange(count), axis] = np.sign(random.normal(size=count)) * half[axis]
    return points


@pytest.mark.parametrize("half", [(1, 1, 1), (0.1, 0.1, 1), (1, 1, 0.05), (0.9, 0.5, 0.3)])
def test_boxes_with_sharp_edges_come_back_along_their_sides(half):
    found = fit_superquadric(on_a_box(half, 1000, rng(12))).part
    np.testing.assert_allclose(sorted(found.size), sorted(half), rtol=0.01)
    assert max(found.exponents) < 0.1


def test_the_order_of_the_points_does_not_matter():
    random = rng(13)
    points = cloud(ROWS[1], part := draw(ROWS[1], random), random)
    one, other = (fit_superquadric(p).part for p in (points, random.permutation(points)))
    assert solid_iou(one, other, random) > 0.995
    assert solid_iou(one, part, random) > 0.97


def test_large_clouds_are_thinned_and_the_rng_decides_how():
    points, _ = sample_surface(PART, 50_000, rng(9))
    first, second = (fit_superquadric(points, taper=True, rng=rng(1)).part for _ in range(2))
    assert first == second


def test_non_finite_points_are_dropped_and_counted():
    points, _ = sample_surface(Superquadric(size=(1, 0.6, 0.4)), 500, rng(3))
    points[[3, 77]] = np.nan
    found = fit_superquadric(points)
    assert found.warnings == ("2 points are not finite numbers and were dropped.",)


@pytest.mark.parametrize("partial_view", [False, True])
def test_a_flat_cloud_gives_a_plate_of_its_own_extent(partial_view):
    random = rng(4)
    sheet = random.uniform(-1, 1, (1500, 3)) * (3, 2, 0)
    turn = quaternion_to_matrix(random.normal(size=4))
    found = fit_superquadric(sheet @ turn.T + 1000, partial_view=partial_view)
    assert found.warnings == ("All points lie in a plane; the part is a thin plate.",)
    thin, narrow, wide = sorted(found.part.size)
    assert thin < 0.01
    assert (narrow, wide) == (pytest.approx(2, rel=0.02), pytest.approx(3, rel=0.02))
    assert found.part.exponents[1] < 0.5
    assert found.residual_rms < 0.05
    across = found.part.rotation_matrix()[:, int(np.argmin(found.part.size))]
    assert abs(across @ turn[:, 2]) == pytest.approx(1, abs=1e-6)


def test_a_flat_disc_is_round():
    random = rng(5)
    angle, radius = random.uniform(0, 2 * np.pi, 1500), np.sqrt(random.uniform(0, 1, 1500))
    found = fit_superquadric(np.stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle], 1)).part
    assert sorted(found.size)[1:] == [pytest.approx(1, rel=0.02)] * 2
    assert found.exponents[1] == pytest.approx(1, abs=0.1)


def test_a_straight_cloud_gives_a_rod_of_its_own_length():
    along = np.array([2.0, -1.0, 2.0]) / 3
    found = fit_superquadric(np.outer(np.linspace(-4, 4, 50), along) + 7)
    assert found.warnings == ("All points lie on a line; the part is a thin rod.",)
    assert max(found.part.size) == pytest.approx(4, rel=0.01)
    assert sorted(found.part.size)[1] < 0.02
    assert abs(found.part.rotation_matrix()[:, 2] @ along) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("unit", [1e-90, 1e28])
def test_no_unit_is_too_small_or_too_large(unit):
    part = Superquadric(size=(1, 0.6, 0.4), exponents=(0.3, 0.7))
    points, _ = sample_surface(part, 500, rng(3))
    with np.errstate(all="raise", under="ignore"):
        found = fit_superquadric(points * unit).part
    np.testing.assert_allclose(sorted(found.size), np.array([0.4, 0.6, 1]) * unit, rtol=1e-4)


@pytest.mark.parametrize("unit", [1e-100, 1e30])
def test_numbers_at_the_end_of_the_range_are_bad_input(unit):
    with pytest.raises(BadInput, match="Use a unit"):
        fit_superquadric(rng(1).normal(size=(50, 3)) * unit)


def test_a_few_points_among_many_copies_of_one_are_found():
    rare = sample_surface(Superquadric(size=(1, 0.6, 0.4)), 40, rng(3))[0]
    found = fit_superquadric(np.vstack([np.repeat(rare[:1], 500_000, axis=0), rare])).part
    np.testing.assert_allclose(sorted(found.size), (0.4, 0.6, 1), rtol=1e-3)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((0, 3)),
        np.zeros((100, 3)),
        np.zeros((10, 2)),
        np.eye(3),
        np.array([["a"] * 3] * 9),
        np.zeros(9),
    ],
    ids=["none", "all the same", "flat array", "three", "text", "one dimension"],
)
def test_too_little_is_bad_input(points):
    with pytest.raises(BadInput):
        fit_superquadric(points)


def test_the_share_of_outliers_has_a_range():
    with pytest.raises(BadInput):
        fit_superquadric(np.eye(3), outliers=0.9)


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(6, 60),
    seed=st.integers(0, 10_000),
    size=st.sampled_from([1e-6, 1.0, 1e6]),
    squash=st.sampled_from([0.0, 1e-9, 1e-3, 1.0]),
    copies=st.integers(1, 3),
    taper=st.booleans(),
    axisymmetric=st.booleans(),
    partial_view=st.booleans(),
    outliers=st.sampled_from([0.0, 0.3, 0.6]),
)
def test_any_cloud_gives_finite_numbers(count, seed, size, squash, copies, outliers, **options):
    points = np.repeat(rng(seed).normal(size=(count, 3)) * size * (1, rng(seed).uniform(), squash), copies, 0)
    found = fit_superquadric(points, outliers=outliers, **options)
    part = found.part
    values = [*part.translation, *part.rotation, *part.size, *part.exponents, *part.taper, found.residual_rms]
    assert np.isfinite(values).all()
    assert min(part.size) > 0
    assert 0 < found.inlier_share <= 1
