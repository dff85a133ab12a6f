"""Where the next part could lie: boxes that hold much of the solid not yet explained and little else.

A box's worth is the uncovered solid volume in it minus ``OUTSIDE_COST`` times the empty volume in it. Along
one axis, with the section fixed, the best box is the maximum-sum run of a profile (Kadane), which a summed
volume table gives in four look-ups per cell; the axes take turns until nothing changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from methods.superquadrics.primitive import Primitive, box
from methods.superquadrics.solid_samples import Bools, Floats, Samples

Integers = NDArray[np.int64]

OUTSIDE_COST = 1.5
_COVERED_COST = 0.03
"""Cost of volume that other parts hold already: small, so that parts may join but not spread for nothing."""
_SEEDS = 60
_ROUNDS = 6


def candidates(samples: Samples, covered: Bools, rng: np.random.Generator, most: int = 10) -> list[Primitive]:
    """Up to ``most`` grid-aligned boxes and ``most`` oriented ones, each kind best first."""
    open_solid = samples.solid & ~covered
    if not open_solid.any() or samples.weights[open_solid].sum() <= 0:
        return []
    value = np.where(open_solid, 1.0, np.where(covered | samples.solid, -_COVERED_COST, -OUTSIDE_COST))
    return [
        *_aligned(samples, value * samples.weights, open_solid, rng, most),
        *_oriented(samples, open_solid, most),
    ]


def worth(part: Primitive, samples: Samples, covered: Bools) -> float:
    """Uncovered solid volume inside the part minus the cost of the empty volume inside."""
    hit = samples.held_by(part) & ~covered
    w = samples.weights
    return float(w[hit & samples.solid].sum() - OUTSIDE_COST * w[hit & ~samples.solid].sum())


def _aligned(
    samples: Samples, value: Floats, open_solid: Bools, rng: np.random.Generator, most: int
) -> list[Primitive]:
    table = np.zeros(tuple(n + 1 for n in samples.cells))
    table[1:, 1:, 1:] = value.reshape(samples.cells).cumsum(0).cumsum(1).cumsum(2)
    chance = np.where(open_solid, samples.weights, 0.0)
    seeds = rng.choice(
        len(chance), size=min(_SEEDS, int(open_solid.sum())), replace=False, p=chance / chance.sum()
    )
    cell = np.stack(np.unravel_index(np.sort(seeds), samples.cells), axis=1)
    found: dict[tuple[int, ...], float] = {}
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0)):
        low, high = cell.copy(), cell + 1
        best = _grow(table, low, high, order)
        for key, v in zip(np.concatenate([low, high], axis=1).tolist(), best.tolist(), strict=True):
            found[tuple(key)] = v
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    chosen: list[tuple[Floats, Floats]] = []
    for key, v in ranked:
        if v <= 0 or len(chosen) >= most:
            break
        low = np.array([samples.planes[a][key[a]] for a in range(3)])
        high = np.array([samples.planes[a][key[3 + a]] for a in range(3)])
        if all(_overlap(low, high, *other) < 0.6 for other in chosen):
            chosen.append((low, high))
    return [box(0.5 * (a + b), np.eye(3), 0.5 * (b - a)) for a, b in chosen]


def _overlap(low: Floats, high: Floats, other_low: Floats, other_high: Floats) -> float:
    common = np.maximum(np.minimum(high, other_high) - np.maximum(low, other_low), 0.0).prod()
    return float(common / min((high - low).prod(), (other_high - other_low).prod()))


def _grow(table: Floats, low: Integers, high: Integers, order: tuple[int, ...]) -> Floats:
    """Improve boxes [B, 3] in place, axis after axis; returns their values [B]."""
    last = np.full(len(low), -np.inf)
    for _ in range(_ROUNDS):
        for axis in order:
            b, c = [a for a in range(3) if a != axis]
            lines = np.moveaxis(table, (b, c, axis), (0, 1, 2))
            profile = (
                lines[high[:, b], high[:, c]] - lines[low[:, b], high[:, c]]
                - lines[high[:, b], low[:, c]] + lines[low[:, b], low[:, c]]
            )  # fmt: skip
            gain = profile - np.minimum.accumulate(profile, axis=1)
            end = gain.argmax(axis=1)
            rows = np.arange(len(low))
            before = np.where(np.arange(profile.shape[1]) < end[:, None], profile, np.inf)
            start = profile.shape[1] - 1 - before[:, ::-1].argmin(axis=1)
            value = gain[rows, end]
            good = value > 0
            low[good, axis], high[good, axis] = start[good], end[good]
        if np.all(value <= last + 1e-12):
            break
        last = value
    return value


def _oriented(samples: Samples, open_solid: Bools, most: int) -> list[Primitive]:
    """A box along the principal axes of each of the largest connected pieces of uncovered solid."""
    from scipy.ndimage import label

    pieces, count = label(open_solid.reshape(samples.cells))
    if not count:
        return []
    flat = pieces.reshape(-1)
    volume = np.bincount(flat, samples.weights, minlength=count + 1)
    volume[0] = 0.0
    result = []
    for piece in np.argsort(-volume, kind="stable")[:most]:
        mine = flat == piece
        if volume[piece] < 1e-3 * samples.volume or mine.sum() < 8:
            break
        result.append(oriented_box(samples.points[mine], samples.weights[mine]))
    return result


def oriented_box(points: Floats, weights: Floats) -> Primitive:
    """The box with the same centre, axes and second moments as weighted points [N, 3]."""
    share = weights / weights.sum()
    centre = share @ points
    away = points - centre
    variance, axes = np.linalg.eigh((away * share[:, None]).T @ away)
    return box(centre, axes, np.sqrt(3.0 * np.maximum(variance, 1e-8)))
