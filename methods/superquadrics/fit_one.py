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
from methods.superquadrics.fit_starts import inward_of, moved_inside, spread_starts
from methods.superquadrics.least_squares import SHARPEST, Batch, Floats, Freedom, Weigh, distances, fit_batch
from methods.superquadrics.model import Superquadric, matrix_to_quaternion

MOST_POINTS = 1500
SCOUTS = 144
"""Points on which all starts are tried."""
SURVIVORS = 2
LEAST_POINTS = 6
SMALLEST, LARGEST = 1e-290, 1e290
"""Coordinates whose sizes and volumes can still be told from zero and infinity."""
FLAT = 1e-4
"""Thickness over width below which a cloud counts as a plane or a line."""
SHRINK = 0.04
OVERHANG = 0.15
"""Share of a semi-axis without points beyond which a smaller part is looked for."""
SAME = 3e-4
"""Distance below which two descriptions show the same surface."""
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
        rng: chooses the points when there are more than ``MOST_POINTS``.

    Raises:
        BadInput: fewer than six different points, not [N, 3], or ``outliers`` out of range.
    """
    cloud, sides, warnings = _checked(points, normals, outliers, rng or np.random.default_rng(0))
    # A power of two changes no digit and keeps squares within the range of numbers.
    power = int(np.frexp(np.abs(cloud).max())[1])
    cloud = np.ldexp(cloud, -power)
    core = _densest(cloud, 1 - outliers) if outliers > 0 else np.arange(len(cloud))
    center = cloud[core].mean(axis=0)
    scale = float(np.sqrt(np.mean(((cloud[core] - center) ** 2).sum(axis=1))))
    unit = (cloud - center) / scale
    axes, variances = _principal_axes(unit[core])
    unit = unit @ axes
    facing = None if sides is None else sides[core] @ axes
    freedom = Freedom(taper, axisymmetric)
    spread = np.sqrt(np.maximum(variances, 0))
    if spread[2] < FLAT * spread[0]:
        straight = bool(spread[1] < FLAT * spread[0])
        warnings.append(
            "All points lie on a line; the part is a thin rod."
            if straight
            else "All points lie in a plane; the part is a thin plate."
        )
        best = freedom.impose(flat_part(unit[core], straight))
        rms, share = _quality(flat_distances(best, unit), _weights(outliers), outliers)
        part = _to_input(best, axes, center, scale, power)
        return OneFit(part, float(np.ldexp(rms * scale, power)), share, 0, tuple(warnings))
    best, rms, share, iterations = _search(
        unit,
        core,
        _starts(unit[core], variances, freedom, partial_view, facing),
        freedom,
        partial_view,
        outliers,
    )
    if not partial_view and _overhang(best, unit[core]) > OVERHANG:
        smaller, its_rms, its_share, more = _search(
            unit, core, _starts(unit[core], variances, freedom, True, facing), freedom, True, outliers
        )
        iterations += more
        lighter = float(np.prod(smaller.size) / np.prod(best.size))
        if lighter < 0.8 and (its_rms**2 + SHARPEST**2) * lighter**SHRINK < rms**2 + SHARPEST**2:
            best, rms, share = smaller, its_rms, its_share
            warnings.append("The points leave one side open; of the parts that fit, a smaller one was taken.")
    part = _to_input(best, axes, center, scale, power)
    return OneFit(part, float(np.ldexp(rms * scale, power)), share, iterations, tuple(warnings))


# ------------------------------------------------------------------------------------------------- search


def _starts(
    points: Floats, variances: Floats, freedom: Freedom, partial_view: bool, normals: Floats | None
) -> Batch:
    starts = spread_starts(points, variances, freedom.round, partial_view)
    if not partial_view:
        return starts
    return Batch.stack([starts, moved_inside(starts, inward_of(points, normals))])


def _search(
    points: Floats,
    core: NDArray[np.intp],
    starts: Batch,
    freedom: Freedom,
    partial_view: bool,
    outliers: float,
) -> tuple[Batch, float, float, int]:
    """Scout all starts on few points, polish the best on all, then try the other descriptions."""
    shrink = SHRINK if partial_view else 0.0
    weigh = _weights(outliers)
    scouts = points[core[:: max(1, len(core) // SCOUTS)]]
    found, cost, first = fit_batch(
        scouts, starts, freedom=freedom, iterations=10, weigh=_weights(0.0), shrink=shrink, tolerance=3e-2
    )
    found = found.take(_distinct(found, cost)[: 2 * SURVIVORS if partial_view else SURVIVORS])
    if partial_view:
        found = Batch.stack([found, _tightened(found, scouts)])
    found, cost, second = fit_batch(
        points, found, freedom=freedom, iterations=15, weigh=weigh, shrink=shrink, tolerance=1e-2
    )
    best = found.take(np.argsort(cost, kind="stable")[:1])
    others, other_cost, third = fit_batch(
        scouts,
        Batch.stack([best, _other_descriptions(best), *([_tightened(best, scouts)] if partial_view else [])]),
        freedom=freedom,
        iterations=8,
        weigh=weigh,
        shrink=shrink,
        tolerance=3e-2,
    )
    # On the scouts another description must win clearly before it is worth all points.
    rivals = np.flatnonzero(other_cost < 0.95 * other_cost[0])
    rivals = rivals[np.argsort(other_cost[rivals], kind="stable")][:1]
    last, cost, fourth = fit_batch(
        points,
        Batch.stack([best, others.take(rivals)]),
        freedom=freedom,
        iterations=30,
        weigh=weigh,
        shrink=shrink,
        tolerance=1e-5,
    )
    best = last.take(np.argsort(cost, kind="stable")[:1])
    rms, share = _quality(distances(best, points), weigh, outliers)
    fifth = 0
    if best.exponents[0, 1] > 1.7 and abs(best.size[0, 0] / best.size[0, 1] - 1) < 0.05:
        # A square drawn as a diamond (e2 = 2) is hard to edit; the same square along its sides is preferred.
        upright, _, fifth = fit_batch(
            points, _dual(best), freedom=freedom, iterations=15, weigh=weigh, shrink=shrink, tolerance=1e-4
        )
        its_rms, its_share = _quality(distances(upright, points), weigh, outliers)
        if its_rms <= 1.02 * rms + SAME and its_share >= share - 0.01:
            best, rms, share = upright, its_rms, its_share
    return best, rms, share, first + second + third + fourth + fifth


def _quality(residual: Floats, weigh: Weigh, outliers: float) -> tuple[float, float]:
    """Root mean square of the inliers' distances [1, N], and their share."""
    weight = weigh(residual)[0]
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


def _other_descriptions(best: Batch) -> Batch:
    """The same part with other axes called z, and its dual: e2 against 2 - e2 turned by 45 degrees."""
    made = []
    for order in ((1, 2, 0), (2, 0, 1)):
        made.append(_relabelled(best, order))
    dual = _dual(best)
    made += [dual, *(_relabelled(dual, order) for order in ((1, 2, 0), (2, 0, 1)))]
    return Batch.stack(made)


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
    """Axes taken in another (cyclic) order; the exponents are exchanged where that is the nearer shape."""
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
    everything = cloud
    if len(cloud) > MOST_POINTS:
        chosen = np.sort(rng.choice(len(cloud), MOST_POINTS, replace=False))
        cloud, sides = cloud[chosen], None if sides is None else sides[chosen]
    if _different(cloud) < LEAST_POINTS:
        raise BadInput(
            f"There are {_different(everything)} different points.", f"At least {LEAST_POINTS} are needed."
        )
    reach = float(np.abs(cloud).max())
    if not SMALLEST < reach < LARGEST:
        raise BadInput(
            f"The coordinates reach {reach:.3g}.",
            f"Use a unit in which they lie between {SMALLEST:g} and {LARGEST:g}.",
        )
    if sides is not None:
        sides = np.where(np.isfinite(sides).all(axis=1, keepdims=True), sides, 0.0)
    return cloud, sides, warnings


def _different(cloud: Floats) -> int:
    return len(np.unique(cloud, axis=0)) if len(cloud) else 0


def _densest(cloud: Floats, share: float) -> NDArray[np.intp]:
    """Indices of the points whose neighbours are nearest: a surface is denser than what fills space."""
    from scipy.spatial import cKDTree

    distance = cKDTree(cloud).query(cloud, k=min(NEIGHBOURS, len(cloud)))[0].mean(axis=1)
    return np.sort(np.argsort(distance, kind="stable")[: max(LEAST_POINTS, round(0.9 * share * len(cloud)))])


def _principal_axes(points: Floats) -> tuple[Floats, Floats]:
    """Axes [3, 3] as columns, a proper rotation, largest variance first; with its variances."""
    centered = points - points.mean(axis=0)
    variances, axes = np.linalg.eigh(centered.T @ centered / len(centered))
    axes = axes[:, ::-1]
    # The sign of an eigenvector is arbitrary; the third moment fixes it by the data.
    skew = ((centered @ axes) ** 3).sum(axis=0)
    axes = axes * np.where(skew < 0, -1.0, 1.0)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    return axes, variances[::-1]


def _to_input(best: Batch, axes: Floats, center: Floats, scale: float, power: int) -> Superquadric:
    rotation = axes @ best.rotation[0]
    translation = np.ldexp(center + scale * (axes @ best.translation[0]), power)
    return Superquadric(
        translation=tuple(float(v) for v in translation),
        rotation=matrix_to_quaternion(rotation),
        size=tuple(float(v) for v in np.ldexp(best.size[0] * scale, power)),
        exponents=tuple(float(v) for v in best.exponents[0]),
        taper=tuple(float(v) for v in best.taper[0]),
    )
