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
from methods.superquadrics.least_squares import Batch, Floats, Freedom, Weigh, distances, fit_batch
from methods.superquadrics.model import Superquadric, matrix_to_quaternion

MOST_POINTS = 1500
SCOUTS = 144
"""Points on which all starts are tried."""
SURVIVORS = 2
NEAR_EQUAL = 1.35
"""Principal variances closer than this ratio do not fix the axes between them."""
EXPONENTS = (0.25, 1.0, 1.75)
STARTS = 12
LEAST_POINTS = 6
FLAT = 1e-4
"""Thickness over width below which a cloud counts as a plane or a line."""
SHRINK = 0.04
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
    cloud, sides, warnings = _checked(points, normals, outliers)
    if len(cloud) > MOST_POINTS:
        chosen = np.sort((rng or np.random.default_rng(0)).choice(len(cloud), MOST_POINTS, replace=False))
        cloud, sides = cloud[chosen], None if sides is None else sides[chosen]
    core = _densest(cloud, 1 - outliers) if outliers > 0 else np.arange(len(cloud))
    center = cloud[core].mean(axis=0)
    scale = float(np.sqrt(np.mean(((cloud[core] - center) ** 2).sum(axis=1))))
    unit = (cloud - center) / scale
    axes, variances = _principal_axes(unit[core])
    unit = unit @ axes
    spread = np.sqrt(np.maximum(variances, 0))
    if spread[2] < FLAT * spread[0]:
        warnings.append(
            "All points lie on a line; the part is a thin rod."
            if spread[1] < FLAT * spread[0]
            else "All points lie in a plane; the part is a thin plate."
        )
    freedom = Freedom(taper, axisymmetric)
    shrink = SHRINK if partial_view else 0.0
    starts = _starts(unit[core], variances, axisymmetric, partial_view)
    if partial_view:
        inward = _inward(unit[core], None if sides is None else sides[core] @ axes)
        starts = Batch.stack([starts, _moved_inside(starts, inward)])
    best, rms, share, iterations = _search(unit, core, starts, freedom, shrink, outliers)
    part = _to_input(best, axes, center, scale)
    return OneFit(part, rms * scale, share, iterations, tuple(warnings))


# ------------------------------------------------------------------------------------------------- search


def _search(
    points: Floats, core: NDArray[np.intp], starts: Batch, freedom: Freedom, shrink: float, outliers: float
) -> tuple[Batch, float, float, int]:
    """Scout all starts on few points, polish the best on all, then try the other descriptions."""
    weigh = _weights(outliers)
    scouts = points[core[:: max(1, len(core) // SCOUTS)]]
    found, cost, first = fit_batch(
        scouts, starts, freedom=freedom, iterations=10, weigh=_weights(0.0), shrink=shrink, tolerance=3e-2
    )
    found = found.take(_distinct(found, cost)[: 2 * SURVIVORS if shrink else SURVIVORS])
    if shrink:
        found = Batch.stack([found, _tightened(found, scouts)])
    found, cost, second = fit_batch(
        points, found, freedom=freedom, iterations=15, weigh=weigh, shrink=shrink, tolerance=1e-2
    )
    best = found.take(np.argsort(cost, kind="stable")[:1])
    others, other_cost, third = fit_batch(
        scouts,
        Batch.stack([best, _other_descriptions(best), *([_tightened(best, scouts)] if shrink else [])]),
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
    residual = distances(best, points)
    inlier = weigh(residual)[0] > 0.5 if outliers > 0 else np.ones(len(points), bool)
    rms = float(np.sqrt(np.mean(residual[0][inlier] ** 2))) if inlier.any() else float("nan")
    return best, rms, float(inlier.mean()), first + second + third + fourth


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
    e2 = best.exponents[:, 1:]
    smaller = best.size[:, :2].min(axis=1, keepdims=True)
    factor = np.where(
        e2 <= 1, (1 - np.sqrt(2)) * e2 + np.sqrt(2), (np.sqrt(2) / 2 - 1) * e2 + 2 - np.sqrt(2) / 2
    )
    c = np.sqrt(0.5)
    turn = np.array([[c, -c, 0], [c, c, 0], [0, 0, 1.0]])
    size = np.concatenate([smaller * factor, smaller * factor, best.size[:, 2:]], axis=1)
    exponents = np.concatenate([best.exponents[:, :1], np.clip(2 - e2, 0.05, 2)], axis=1)
    dual = replace(best, rotation=best.rotation @ turn, size=size, exponents=exponents)
    made += [dual, *(_relabelled(dual, order) for order in ((1, 2, 0), (2, 0, 1)))]
    return Batch.stack(made)


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


# ------------------------------------------------------------------------------------------------- starts


def _starts(points: Floats, variances: Floats, axisymmetric: bool, partial_view: bool) -> Batch:
    """The most promising of many orientations and exponents, judged by the fit before any step."""
    rotations = _orientations(np.ones(3) if partial_view else variances)
    scouts = points[:: max(1, len(points) // 120)]
    exponents = np.array([(a, b) for a in EXPONENTS for b in ((1.0,) if axisymmetric else EXPONENTS)])
    count = len(rotations) * len(exponents)
    turned = np.einsum("ni,rij->rnj", scouts, rotations)
    low, high = turned.min(axis=1), turned.max(axis=1)
    middle = np.einsum("rij,rj->ri", rotations, (low + high) / 2)
    size = np.maximum((high - low) / 2, 2e-3)

    def spread(values: Floats) -> Floats:
        return np.repeat(values, len(exponents), axis=0)

    batch = Batch(
        spread(middle),
        spread(rotations),
        spread(size),
        np.tile(exponents, (len(rotations), 1)),
        np.zeros((count, 2)),
    )
    # The mean absolute distance once each start has been scaled to its best: a box around an ellipsoid is
    # no worse a start than a box in a box.
    residual = distances(batch, scouts)
    cost = np.abs(residual - np.median(residual, axis=1, keepdims=True)).mean(axis=1)
    # Every way to choose z keeps its best start: which one leads to the optimum shows only later.
    order = np.argsort(cost, kind="stable")
    first_of = {int(i) // len(exponents): int(i) for i in order[::-1]}
    leading = list(first_of.values())[:9] if len(rotations) <= 9 else []
    chosen = list(dict.fromkeys([*leading, *map(int, order)]))[
        : STARTS if len(rotations) <= 12 else STARTS + 4
    ]
    return batch.take(np.array(chosen, np.intp))


def _orientations(variances: Floats) -> Floats:
    """Rotations [R, 3, 3] relative to the principal axes: each axis as z, turned where axes are ambiguous."""
    cyclic = [np.eye(3)[:, list(order)] for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]
    ratio = [float(variances[i] / max(variances[i + 1], 1e-300)) for i in range(2)]
    turns = [np.eye(3)]
    if max(ratio) < NEAR_EQUAL:
        turns = _spread_turns()
    else:
        for i, axis in ((0, 2), (1, 0)):
            if ratio[i] < NEAR_EQUAL:
                turns += [_about(axis, angle) for angle in (22.5, 45.0, 67.5)]
    # Where no two axes are alike the 45-degree turns still matter: an octahedral outline is a turned box.
    if len(turns) == 1:
        turns += [_about(axis, 45.0) for axis in range(3)]
    return np.array([turn @ order for turn in turns for order in cyclic])


def _about(axis: int, degrees: float) -> Floats:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[i, i] = turn[j, j] = c
    turn[i, j], turn[j, i] = -s, s
    return turn


def _spread_turns() -> list[Floats]:
    """Rotations spread over all that a cube can be told apart by, in a fixed order (Shoemake's sampling)."""
    turns = [np.eye(3)]
    for i in range(1, 14):
        u = np.array([(i * 0.8191725134) % 1, (i * 0.6710436067) % 1, (i * 0.5497004779) % 1])
        a, b = np.sqrt(1 - u[0]), np.sqrt(u[0])
        x, y = a * np.sin(2 * np.pi * u[1]), a * np.cos(2 * np.pi * u[1])
        z, w = b * np.sin(2 * np.pi * u[2]), b * np.cos(2 * np.pi * u[2])
        turns.append(
            np.array(
                [
                    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
                ]
            )
        )
    return turns


def _inward(points: Floats, normals: Floats | None) -> Floats:
    """Unit vector from the middle of a one-sided view to the unseen side, or zero if nothing tells.

    Without normals it points to the centre of the sphere nearest to the points (linear least squares).
    """
    if normals is not None:
        inward = -normals.mean(axis=0)
    else:
        system = np.concatenate([2 * points, np.ones((len(points), 1))], axis=1)
        inward = np.linalg.lstsq(system, (points**2).sum(axis=1), rcond=None)[0][:3] - points.mean(axis=0)
    depth = float(np.linalg.norm(inward))
    return inward / depth if depth > 0.1 else np.zeros(3)


def _moved_inside(starts: Batch, inward: Floats) -> Batch:
    """One-sided views: the middle of the points lies on the surface, so the centre goes behind it."""
    behind = np.abs(np.einsum("sij,i->sj", starts.rotation, inward))
    reach = (behind * starts.size).max(axis=1)
    return replace(starts, translation=starts.translation + 0.5 * reach[:, None] * inward)


# ------------------------------------------------------------------------------------------- in and out


def _checked(
    points: ArrayLike, normals: ArrayLike | None, outliers: float
) -> tuple[Floats, Floats | None, list[str]]:
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
    different = len(np.unique(cloud, axis=0)) if len(cloud) else 0
    if different < LEAST_POINTS:
        raise BadInput(f"There are {different} different points.", f"At least {LEAST_POINTS} are needed.")
    return cloud, sides, warnings


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


def _to_input(best: Batch, axes: Floats, center: Floats, scale: float) -> Superquadric:
    rotation = axes @ best.rotation[0]
    return Superquadric(
        translation=tuple(float(v) for v in center + scale * (axes @ best.translation[0])),
        rotation=matrix_to_quaternion(rotation),
        size=tuple(float(v) for v in best.size[0] * scale),
        exponents=tuple(float(v) for v in best.exponents[0]),
        taper=tuple(float(v) for v in best.taper[0]),
    )
