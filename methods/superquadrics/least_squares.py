"""Batched Levenberg-Marquardt: many superquadrics, each from its own start, to the same points at once.

The residual is Taubin's first-order distance ``(G - 1) / |grad G|`` to the surface (PAMI 13(11), 1991), close
to the Euclidean distance on thin and on boxy parts alike. Its Jacobian leaves out the change of ``|grad G|``,
which is multiplied by ``G - 1`` and so vanishes where it matters; steps are accepted by the true cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LOWEST_EXPONENT, HIGHEST_EXPONENT = 0.01, 2.0
MOST_TAPER = 0.95
LEAST_SIZE = 1e-4
"""Smallest semi-axis; callers work in coordinates of unit size."""
SHARPEST = 1e-3
"""Distance below which fits count as equally good where the volume has a say."""
TINY = 1e-12

T, R, A, E, K = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 11), slice(11, 13)
"""Where translation, rotation, log sizes, exponents and tapers stand among the 13 parameters of a step."""
WIDTH = 13


@dataclass(frozen=True, eq=False)
class Batch:
    """S superquadrics: translation [S, 3], rotation [S, 3, 3], size [S, 3], exponents, taper [S, 2]."""

    translation: Floats
    rotation: Floats
    size: Floats
    exponents: Floats
    taper: Floats

    def __len__(self) -> int:
        return len(self.size)

    def take(self, index: NDArray[np.intp]) -> Batch:
        """Those of the batch that ``index`` names, in its order."""
        return Batch(*(getattr(self, name)[index] for name in self.__dataclass_fields__))

    def where(self, chosen: NDArray[np.bool_], other: Batch) -> Batch:
        """``other``'s entries where ``chosen`` [S], this one's elsewhere."""

        def pick(name: str) -> Floats:
            mine, theirs = getattr(self, name), getattr(other, name)
            return np.where(chosen.reshape(-1, *[1] * (mine.ndim - 1)), theirs, mine)

        return Batch(*(pick(name) for name in self.__dataclass_fields__))

    @staticmethod
    def stack(batches: list[Batch]) -> Batch:
        names = Batch.__dataclass_fields__
        return Batch(*(np.concatenate([getattr(b, name) for b in batches]) for name in names))


@dataclass(frozen=True)
class Freedom:
    """What may change. ``round`` keeps a1 = a2, e2 = 1 and kx = ky."""

    taper: bool = False
    round: bool = False

    def basis(self) -> Floats:
        """Columns of free directions [13, F]."""
        eye = np.eye(WIDTH)
        if not self.round:
            return eye if self.taper else eye[:, : K.start]
        columns = [*eye.T[:6], eye[6] + eye[7], eye[8], eye[9]]
        if self.taper:
            columns.append(eye[11] + eye[12])
        return np.stack(columns, axis=1)

    def impose(self, batch: Batch) -> Batch:
        """The nearest batch that keeps to it."""
        taper = batch.taper if self.taper else np.zeros_like(batch.taper)
        if not self.round:
            return replace(batch, taper=taper)
        size, exponents = batch.size.copy(), batch.exponents.copy()
        size[:, :2] = np.sqrt(size[:, :1] * size[:, 1:2])
        exponents[:, 1] = 1.0
        taper = np.repeat(taper.mean(axis=1, keepdims=True), 2, axis=1)
        return replace(batch, size=size, exponents=exponents, taper=taper)


def distances(batch: Batch, points: Floats) -> Floats:
    """First-order distances [S, N] of points [N, 3], negative inside."""
    return _evaluate(batch, points, jacobian=False)[0]


def _evaluate(batch: Batch, points: Floats, jacobian: bool) -> tuple[Floats, Floats]:
    """Residuals [S, N] and, if asked, their Jacobian [S, N, 13]."""
    p = (points - batch.translation[:, None]) @ batch.rotation
    p = np.where(np.abs(p) < TINY, TINY, p)
    a = batch.size[:, None]
    e1, e2 = (np.maximum(batch.exponents[:, None, i], LOWEST_EXPONENT) for i in range(2))
    height = p[..., 2] / a[..., 2]
    widen = np.maximum(1 + batch.taper[:, None] * height[..., None], 0.02)
    log_u = np.log(np.abs(p)) - np.log(a)
    log_u[..., :2] -= np.log(widen)

    # log-sum-exp twice: first around the equator, then from pole to pole.
    top = np.maximum(log_u[..., 0], log_u[..., 1])
    x1, x2 = (np.exp(2 / e2 * (log_u[..., i] - top)) for i in range(2))
    log_g = top + e2 / 2 * np.log(x1 + x2)
    share1 = x1 / (x1 + x2)
    top = np.maximum(log_g, log_u[..., 2])
    y1, y2 = np.exp(2 / e1 * (log_g - top)), np.exp(2 / e1 * (log_u[..., 2] - top))
    log_gauge = top + e1 / 2 * np.log(y1 + y2)
    around = y1 / (y1 + y2)
    gauge = np.exp(np.minimum(log_gauge, 50.0))

    by_log_u = np.stack([around * share1, around * (1 - share1), 1 - around], axis=-1)
    slope = gauge[..., None] * by_log_u / p
    lean = by_log_u[..., :2] * batch.taper[:, None] / (a[..., 2:] * widen)
    slope[..., 2] -= gauge * lean.sum(axis=-1)
    steep = np.sqrt((slope * slope).sum(axis=-1)) + TINY
    residual = (gauge - 1) / steep
    if not jacobian:
        return residual, residual
    j = np.empty((*residual.shape, WIDTH))
    j[..., T] = -slope
    j[..., R] = -np.cross(p, slope)
    j[..., A] = -gauge[..., None] * by_log_u
    j[..., A.stop - 1] += gauge * (lean.sum(axis=-1) * p[..., 2])
    j[..., E.start] = gauge / e1 * (log_gauge - around * log_g - (1 - around) * log_u[..., 2])
    mixed = share1 * log_u[..., 0] + (1 - share1) * log_u[..., 1]
    j[..., E.start + 1] = gauge * around / e2 * (log_g - mixed)
    j[..., K] = -gauge[..., None] * by_log_u[..., :2] * height[..., None] / widen
    return residual, j / steep[..., None]


def _moved(batch: Batch, step: Floats) -> Batch:
    """The batch after steps [S, 13] in each one's own frame, kept inside its bounds."""
    turn = _rotations(step[:, R])
    return Batch(
        batch.translation + np.einsum("sij,sj->si", batch.rotation, step[:, T]),
        batch.rotation @ turn,
        np.maximum(batch.size * np.exp(np.clip(step[:, A], -0.8, 0.8)), LEAST_SIZE),
        np.clip(batch.exponents + np.clip(step[:, E], -0.5, 0.5), LOWEST_EXPONENT, HIGHEST_EXPONENT),
        np.clip(batch.taper + np.clip(step[:, K], -0.4, 0.4), -MOST_TAPER, MOST_TAPER),
    )


def _rotations(vectors: Floats) -> Floats:
    """Rotation matrices [S, 3, 3] of rotation vectors [S, 3] (Rodrigues)."""
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    x, y, z = (vectors / np.where(angle[:, :, 0] > 0, angle[:, :, 0], 1)).T
    zero = np.zeros_like(x)
    k = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
    angle = np.minimum(angle, 0.7)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


Weigh = Callable[[Floats], Floats]
"""Residuals [S, N] to weights [S, N] in [0, 1]."""


def fit_batch(
    points: Floats,
    start: Batch,
    *,
    freedom: Freedom = Freedom(),
    iterations: int = 20,
    weigh: Weigh | None = None,
    shrink: float = 0.0,
    tolerance: float = 1e-5,
) -> tuple[Batch, Floats, int]:
    """Every superquadric of ``start`` after at most ``iterations`` steps, its cost [S], and the steps taken.

    Args:
        points: [N, 3], centred and of about unit size.
        weigh: robust weights; called before each step. None counts all points alike.
        shrink: doublings of the squared distance that a doubled volume is worth: what decides for one-sided
            views, which a larger part on the unseen side would explain as well.
        tolerance: stop when no cost falls by more than this share.

    The cost is the mean squared weighted distance, times ``volume ** shrink`` of the box around the part (after
    Solina and Bajcsy, PAMI 12(2), 1990, who multiply by its square root). Its logarithm is what descends:
    per point, and near the present distance s, that is ``distance**2 / (2 s**2) + shrink / 2 * log(volume)``.
    """
    basis = freedom.basis()
    of_volume = np.zeros(WIDTH)
    of_volume[A] = 1.0

    def misfit(residual: Floats, weights: Floats) -> Floats:
        return 0.5 * (weights * residual**2).sum(axis=1)

    def log_volume(parts: Batch) -> Floats:
        return np.log(parts.size).sum(axis=1)

    floor = 0.5 * len(points) * SHARPEST**2

    done = freedom.impose(start)
    going = np.arange(len(done))
    batch, damping = done, np.full(len(done), 1e-2)
    residual, jacobian = _evaluate(batch, points, jacobian=True)
    taken = 0
    while len(going) and taken < iterations:
        taken += 1
        weights = np.ones_like(residual) if weigh is None else weigh(residual)
        before = misfit(residual, weights)
        pull = shrink * (before + floor)
        downhill = pull[:, None] * (of_volume @ basis)
        step = _step(residual, weights, jacobian @ basis, downhill, damping) @ basis.T
        tried = freedom.impose(_moved(batch, step))
        tried_residual, tried_jacobian = _evaluate(tried, points, jacobian=True)
        gain = before - misfit(tried_residual, weights) + pull * (log_volume(batch) - log_volume(tried))
        better = gain > 0
        batch = batch.where(better, tried)
        residual = np.where(better[:, None], tried_residual, residual)
        jacobian = np.where(better[:, None, None], tried_jacobian, jacobian)
        damping = np.clip(np.where(better, damping * 0.2, damping * 6), 1e-8, 1e6)
        # A tiny gain ends it; so does a step that had to be damped to almost nothing.
        ended = (better & (gain <= tolerance * (before + pull) + 1e-15)) | (damping > 1e3)
        done = _put(done, going[better], batch.take(np.flatnonzero(better)))
        if ended.any():
            left = np.flatnonzero(~ended)
            going, batch, damping = going[left], batch.take(left), damping[left]
            residual, jacobian = residual[left], jacobian[left]
    residual = distances(done, points)
    weights = np.ones_like(residual) if weigh is None else weigh(residual)
    cost = 2 / len(points) * (misfit(residual, weights) + (floor if shrink else 0.0))
    return done, cost * np.exp(shrink * log_volume(done)), taken


def _step(residual: Floats, weights: Floats, free: Floats, pull: Floats, damping: Floats) -> Floats:
    """Damped Gauss-Newton steps [S, F] (Marquardt's scaling)."""
    weighted = free * weights[..., None]
    normal = np.swapaxes(weighted, 1, 2) @ free
    gradient = (weighted * residual[..., None]).sum(axis=1) + pull
    diagonal = np.einsum("sii->si", normal)
    ridge = damping[:, None] * diagonal + 1e-9 * (1 + diagonal.max(axis=1, keepdims=True))
    normal = normal + ridge[:, :, None] * np.eye(normal.shape[1])
    return -np.linalg.solve(normal, gradient[..., None])[..., 0]


def _put(batch: Batch, index: NDArray[np.intp], entries: Batch) -> Batch:
    def placed(name: str) -> Floats:
        array = getattr(batch, name).copy()
        array[index] = getattr(entries, name)
        return array

    return Batch(*(placed(name) for name in Batch.__dataclass_fields__))
