"""One superquadric to a point cloud: several starts, batched least squares, and moves out of local optima.

Everything happens in coordinates of the data's own making (centred, unit size, principal axes), so the result
turns, moves and scales with the cloud. The moves follow the idea of EMS (Liu et al., CVPR 2022): the same
surface has several near-equal descriptions, and the optimiser may sit in the wrong one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from methods.core.errors import BadInput
from methods.superquadrics.fit_flat import flat_distances, flat_part
from methods.superquadrics.fit_starts import completed, inward_of, principal_axes, spread_starts
from methods.superquadrics.least_squares import SHARPEST, Batch, Floats, Freedom, Weigh, distances, fit_batch
from methods.superquadrics.limits import FARTHEST, THINNEST
from methods.superquadrics.model import Superquadric, matrix_to_quaternion

MOST_POINTS = 1500
SCOUTS = 144
"""Points on which all starts are tried."""
SURVIVORS = 2
LEAST_POINTS = 6
SMALLEST, LARGEST = 1e8 * THINNEST, 0.1 * FARTHEST
"""Coordinates around which a part, however thin, stays within what a part may be."""
FLAT = 1e-4
"""Thickness over width below which a cloud counts as a plane or a line."""
SHRINK = 0.04
"""For one-sided views: see ``fit_batch``; from 0.01 to 0.15 the figures hardly change."""
OVERHANG = 0.15
"""Share of a semi-axis without points beyond which a smaller part is looked for."""
CLEARLY_SMALLER = 0.8
"""Share of the volume that makes the smaller part worth having."""
SAME = 3e-4
"""Distance below which two descriptions show the same surface."""
DOUBTFUL = 0.015
"""Distance of the inliers beyond which, as with too few of them, a fit among outliers is tried again."""
NEIGHBOURS = 8


@dataclass(frozen=True)
class OneFit:
    """A fitted part.

    Attributes:
        residual_rms: root mean square distance of the inliers to the surface, in input units.
        inlier_share: share of the points that belong to the surface, in [0, 1].
    """

    part: Superquadric
    residual_rms: float
    inlier_share: float
    iterations: int
    warnings: tuple[str, ...]


def fit_superquadric(
    points: ArrayLike,
    *,
    normals: ArrayLike | None = None,
    taper: bool = False,
    axisymmetric: bool = False,
    partial_view: bool = False,
    outliers: float = 0.0,
    rng: np.random.Generator | None = None,
) -> OneFit:
    """Fit one superquadric to points [N, 3] in any unit.

    Args:
        normals: outward unit normals [N, 3]; with ``partial_view`` they tell which side is inside.
        taper: also fit a linear taper.
        axisymmetric: keep the part round about its z axis.
        partial_view: the points show one side only; of equal explanations the smaller one is taken.
        outliers: expected share in [0, 0.6] of points that belong to nothing.
        rng: orders the points, of which at most ``MOST_POINTS`` are used; by default always the same way.

    Raises:
        BadInput: fewer than six different points, not [N, 3], coordinates beyond 1e29, or ``outliers`` out
            of range.
    """
    cloud, sides, warnings = _checked(points, normals, outliers, rng or np.random.default_rng(0))
    # A power of two changes no digit and keeps squares within the range of numbers.
    power = int(np.frexp(np.abs(cloud).max())[1])
    cloud = np.ldexp(cloud, -power)
    core = _densest(cloud, 1 - outliers) if outliers > 0 else np.arange(len(cloud))
    center = cloud[core].mean(axis=0)
    scale = float(np.sqrt(np.mean(((cloud[core] - center) ** 2).sum(axis=1))))
    unit = (cloud - center) / scale
    axes, variances = principal_axes(unit[core])
    unit = unit @ axes
    task = _Task(
        unit,
        core,
        None if sides is None else sides[core] @ axes,
        variances,
        Freedom(taper, axisymmetric),
        outliers,
    )
    found = _flat(task, warnings) or _solid(task, partial_view, warnings)
    part = _to_input(found.part, axes, center, scale, power)
    return OneFit(
        part, float(np.ldexp(found.rms * scale, power)), found.share, found.iterations, tuple(warnings)
    )


@dataclass(frozen=True, eq=False)
class _Task:
    """Points [N, 3] of unit size in their principal axes, with what is known about them.

    Attributes:
        core: indices of those that are likely to lie on the surface.
        normals: theirs, or None.
        variances: along the axes, largest first.
    """

    points: Floats
    core: NDArray[np.intp]
    normals: Floats | None
    variances: Floats
    freedom: Freedom
    outliers: float


@dataclass(frozen=True, eq=False)
class _Found:
    part: Batch
    rms: float
    share: float
    iterations: int


def _flat(task: _Task, warnings: list[str]) -> _Found | None:
    """A plate or rod if the points have no third dimension."""
    long, middle, short = np.sqrt(np.maximum(task.variances, 0))
    if short >= FLAT * long:
        return None
    straight = bool(middle < FLAT * long)
    warnings.append(
        "All points lie on a line; the part is a thin rod."
        if straight
        else "All points lie in a plane; the part is a thin plate."
    )
    part = task.freedom.impose(flat_part(task.points[task.core], straight))
    return _Found(part, *_quality(flat_distances(part, task.points), task.outliers), 0)


def _solid(task: _Task, partial_view: bool, warnings: list[str]) -> _Found:
    """The best part; where the points leave it open, a smaller one that fits as well."""
    found = _search(task, partial_view)
    if task.outliers > 0 and (found.rms > DOUBTFUL or found.share < 0.9 * (1 - task.outliers)):
        # Outliers among the scouts may have misled it: other scouts, all orientations.
        again = _search(replace(task, core=np.roll(task.core, -SCOUTS), variances=np.ones(3)), partial_view)
        found = min(found, again, key=lambda it: _typical(it.part, task))
    if partial_view or _overhang(found.part, task.points[task.core]) <= OVERHANG:
        return found
    smaller = _search(task, True)
    iterations = found.iterations + smaller.iterations
    share_of_volume = float(np.prod(smaller.part.size) / np.prod(found.part.size))
    was, now = (it.rms**2 + SHARPEST**2 for it in (found, smaller))
    if share_of_volume < CLEARLY_SMALLER and now * share_of_volume**SHRINK < was:
        warnings.append("The points leave one side open; of the parts that fit, a smaller one was taken.")
        found = smaller
    return replace(found, iterations=iterations)


# ------------------------------------------------------------------------------------------------- search


def _typical(part: Batch, task: _Task) -> float:
    """The distance within which most of the expected inliers lie."""
    return float(np.quantile(np.abs(distances(part, task.points)), 0.8 * (1 - task.outliers)))


def _starts(task: _Task, partial_view: bool) -> Batch:
    points = task.points[task.core]
    starts = spread_starts(points, task.variances, task.freedom.round, partial_view)
    if not partial_view:
        return starts
    inward = inward_of(points, task.normals)
    if not inward.any():
        return starts
    whole = completed(points, inward)
    middle = whole.mean(axis=0)
    axes, variances = principal_axes(whole)
    more = spread_starts((whole - middle) @ axes, variances, task.freedom.round, False)
    more = replace(more, translation=middle + more.translation @ axes.T, rotation=axes @ more.rotation)
    return Batch.stack([starts, more])


def _search(task: _Task, partial_view: bool) -> _Found:
    """Scout all starts on few points, polish the best on all, then try the other descriptions."""
    points, weigh = task.points, _weights(task.outliers)
    scouts = points[task.core[:SCOUTS]]
    iterations = 0

    def fit(cloud: Floats, start: Batch, most: int, tolerance: float, weigh: Weigh) -> tuple[Batch, Floats]:
        nonlocal iterations
        found, cost, taken = fit_batch(
            cloud,
            start,
            freedom=task.freedom,
            iterations=most,
            weigh=weigh,
            shrink=SHRINK if partial_view else 0.0,
            tolerance=tolerance,
        )
        iterations += taken
        return found, cost

    def cheapest(found: Batch, cost: Floats) -> Batch:
        return found.take(np.argsort(cost, kind="stable")[:1])

    found, cost = fit(scouts, _starts(task, partial_view), 10, 3e-2, _weights(0.0))
    found = found.take(_distinct(found, cost)[: 2 * SURVIVORS if partial_view else SURVIVORS])
    if partial_view:
        found = Batch.stack([found, _tightened(found, scouts)])
    best = cheapest(*fit(points, found, 15, 1e-2, weigh))

    others = [best, *_other_descriptions(best), *([_tightened(best, scouts)] if partial_view else [])]
    found, cost = fit(scouts, Batch.stack(others), 8, 3e-2, weigh)
    # On the scouts another description must win clearly before it is worth all points.
    rivals = np.flatnonzero(cost < 0.95 * cost[0])
    rivals = rivals[np.argsort(cost[rivals], kind="stable")][:1]
    best = cheapest(*fit(points, Batch.stack([best, found.take(rivals)]), 30, 1e-5, weigh))
    rms, share = _quality(distances(best, points), task.outliers)

    if best.exponents[0, 1] > 1.7 and abs(best.size[0, 0] / best.size[0, 1] - 1) < 0.05:
        # A square drawn as a diamond (e2 = 2) is hard to edit; the same square along its sides is preferred.
        upright, _ = fit(points, _dual(best), 15, 1e-4, weigh)
        its_rms, its_share = _quality(distances(upright, points), task.outliers)
        if its_rms <= 1.02 * rms + SAME and its_share >= share - 0.01:
            best, rms, share = upright, its_rms, its_share
    return _Found(best, rms, share, iterations)


def _quality(residual: Floats, outliers: float) -> tuple[float, float]:
    """Root mean square of the inliers' distances [1, N], and their share."""
    weight = _weights(outliers)(residual)[0]
    inlier = weight >= min(0.5, weight.max()) if outliers > 0 else np.ones(len(weight), bool)
    return float(np.sqrt(np.mean(residual[0][inlier] ** 2))), float(inlier.mean())


def _overhang(best: Batch, points: Floats) -> float:
    """How far the part reaches beyond the points, along the worst of its axes, over the semi-axis."""
    local = ((points - best.translation[0]) @ best.rotation[0]) / best.size[0]
    local[:, :2] /= np.maximum(1 + best.taper * local[:, 2:], 0.05)
    return float(max((local.min(axis=0) + 1).max(), (1 - local.max(axis=0)).max()))


def _weights(outliers: float) -> Weigh:
    """Weights of a Gaussian on the surface, with a uniform background if outliers are expected."""

    def huber(residual: Floats) -> Floats:
        size = np.abs(residual)
        width = 2.5 * 1.4826 * np.median(size, axis=1, keepdims=True) + 1e-9
        return np.minimum(1.0, width / np.maximum(size, 1e-300))

    def mixture(residual: Floats) -> Floats:
        # Half the inliers' distances, taken from the ranks that outliers cannot reach, give the width.
        rank = 0.5 * (1 - outliers)
        sigma = 1.4826 * np.quantile(np.abs(residual), rank, axis=1, keepdims=True) + 1e-4
        background = outliers / (1 - outliers) * np.sqrt(2 * np.pi) * sigma / 4.0
        with np.errstate(over="ignore"):
            return 1 / (1 + background * np.exp(np.minimum(residual**2 / (2 * sigma**2), 700)))

    return mixture if outliers > 0 else huber


def _distinct(batch: Batch, cost: Floats) -> NDArray[np.intp]:
    """Order by cost, without those that ended in the same place as a better one."""
    order = np.argsort(cost, kind="stable")
    kept: list[int] = []
    for i in order:
        same = [
            j
            for j in kept
            if abs(cost[i] - cost[j]) <= 1e-3 * cost[j] + 1e-15
            and np.allclose(np.sort(batch.size[i]), np.sort(batch.size[j]), rtol=0.02)
        ]
        if not same:
            kept.append(int(i))
    return np.array(kept, np.intp)


def _other_descriptions(best: Batch) -> list[Batch]:
    """The same part with other axes called z, and its dual in the same ways."""
    dual = _dual(best)
    cyclic = ((1, 2, 0), (2, 0, 1))
    return [*(_relabelled(best, order) for order in cyclic), dual, *(_relabelled(dual, o) for o in cyclic)]


def _dual(batch: Batch) -> Batch:
    """Square sections (a1 = a2) said the other way: e2 against 2 - e2, turned by 45 degrees about z."""
    e2 = batch.exponents[:, 1:]
    smaller = batch.size[:, :2].min(axis=1, keepdims=True)
    factor = np.where(
        e2 <= 1, (1 - np.sqrt(2)) * e2 + np.sqrt(2), (np.sqrt(2) / 2 - 1) * e2 + 2 - np.sqrt(2) / 2
    )
    c = np.sqrt(0.5)
    turn = np.array([[c, -c, 0], [c, c, 0], [0, 0, 1.0]])
    size = np.concatenate([smaller * factor, smaller * factor, batch.size[:, 2:]], axis=1)
    exponents = np.concatenate([batch.exponents[:, :1], np.clip(2 - e2, 0.02, 2)], axis=1)
    return replace(batch, rotation=batch.rotation @ turn, size=size, exponents=exponents)


def _tightened(batch: Batch, points: Floats) -> Batch:
    """Each part cut down to the extent of the points, along every one of its axes."""
    local = (points - batch.translation[:, None]) @ batch.rotation
    low = np.maximum(local.min(axis=1), -batch.size)
    high = np.minimum(local.max(axis=1), batch.size)
    middle = np.einsum("sij,sj->si", batch.rotation, (low + high) / 2)
    size = np.maximum((high - low) / 2, 0.05 * batch.size)
    return replace(batch, translation=batch.translation + middle, size=size)


def _relabelled(batch: Batch, order: Sequence[int]) -> Batch:
    """Axes taken in another (cyclic) order, with the mean of both exponents for a start."""
    index = list(order)
    mean = batch.exponents.mean(axis=1, keepdims=True)
    return replace(
        batch,
        rotation=batch.rotation[:, :, index],
        size=batch.size[:, index],
        exponents=np.repeat(mean, 2, axis=1),
        taper=np.zeros_like(batch.taper),
    )


# ------------------------------------------------------------------------------------------- in and out


def _checked(
    points: ArrayLike, normals: ArrayLike | None, outliers: float, rng: np.random.Generator
) -> tuple[Floats, Floats | None, list[str]]:
    """At most ``MOST_POINTS`` finite points, their normals (zero where unknown), and warnings."""
    cloud = np.asarray(points)
    if cloud.ndim != 2 or cloud.shape[1] != 3 or cloud.dtype.kind not in "fiu":
        raise BadInput(f"Points must be numbers [N, 3], not {cloud.dtype} {list(cloud.shape)}.")
    if not 0 <= outliers <= 0.6:
        raise BadInput(f"The share of outliers is {outliers:g}.", "Give a number from 0 to 0.6.")
    cloud = cloud.astype(np.float64)
    sides = None if normals is None else np.asarray(normals, np.float64)
    if sides is not None and sides.shape != cloud.shape:
        raise BadInput(
            f"There are {len(cloud)} points and normals of shape {list(sides.shape)}.", "Give one each."
        )
    warnings = []
    finite = np.isfinite(cloud).all(axis=1)
    if not finite.all():
        warnings.append(f"{int((~finite).sum())} points are not finite numbers and were dropped.")
        cloud, sides = cloud[finite], None if sides is None else sides[finite]
    # Shuffled, so that the first few points are a fair sample of clouds in scanning order too.
    chosen = rng.permutation(len(cloud))[:MOST_POINTS]
    if len(np.unique(cloud[chosen], axis=0)) < LEAST_POINTS:
        # Few different points in a sample; among all of them there may be enough.
        chosen = np.unique(cloud, axis=0, return_index=True)[1][:MOST_POINTS]
        if len(chosen) < LEAST_POINTS:
            raise BadInput(
                f"There are {len(chosen)} different points.", f"At least {LEAST_POINTS} are needed."
            )
    cloud, sides = cloud[chosen], None if sides is None else sides[chosen]
    reach = float(np.abs(cloud).max())
    if not SMALLEST < reach < LARGEST:
        raise BadInput(
            f"The coordinates reach {reach:.3g}.",
            f"Use a unit in which they lie between {SMALLEST:g} and {LARGEST:g}.",
        )
    if sides is not None:
        sides = np.where(np.isfinite(sides).all(axis=1, keepdims=True), sides, 0.0)
    return cloud, sides, warnings


def _densest(cloud: Floats, share: float) -> NDArray[np.intp]:
    """Indices of the points whose neighbours are nearest: a surface is denser than what fills space."""
    from scipy.spatial import cKDTree

    distance = cKDTree(cloud).query(cloud, k=min(NEIGHBOURS, len(cloud)))[0].mean(axis=1)
    # Sorted back into the (shuffled) order of the cloud.
    return np.sort(np.argsort(distance, kind="stable")[: max(LEAST_POINTS, round(0.9 * share * len(cloud)))])


def _to_input(best: Batch, axes: Floats, center: Floats, scale: float, power: int) -> Superquadric:
    x, y, z = np.ldexp(center + scale * (axes @ best.translation[0]), power).tolist()
    a1, a2, a3 = np.ldexp(best.size[0] * scale, power).tolist()
    e1, e2 = best.exponents[0].tolist()
    kx, ky = best.taper[0].tolist()
    rotation = matrix_to_quaternion(axes @ best.rotation[0])
    return Superquadric((x, y, z), rotation, (a1, a2, a3), (e1, e2), (kx, ky))
