"""Points at one place, drawn apart a little, always in the same way."""

from __future__ import annotations

import numpy as np

GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
CELL = 0.01
"""Points closer than this part of an axis count as being at one place."""
LARGEST = 0.015
"""Radius of the disc over which many points are spread, as part of an axis."""


def spread(points: np.ndarray, span: np.ndarray) -> np.ndarray:
    """The points with those that coincide spread evenly over a small disc, in their order.

    The k-th of n lies at radius sqrt(k / n) and k golden angles round (a sunflower: H. Vogel, Mathematical
    Biosciences 44, 1979), so the first one stays and nothing depends on chance.

    Args:
        points: (N, 2) values; rows with a value that is not a number stay as they are.
        span: (2,) lengths of the axes.

    Returns:
        (N, 2), each row at most ``LARGEST * span`` away from where it was.
    """
    known = np.flatnonzero(np.isfinite(points).all(1))
    cells = np.round(points[known] / (span * CELL)).astype(np.int64)
    _, group, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(group.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else np.zeros(0, np.int64)
    rank = np.empty(len(known))
    rank[order] = np.arange(len(known)) - np.repeat(starts, counts)
    size = counts[group.ravel()]
    radius = np.minimum(LARGEST, 0.004 * np.sqrt(size)) * np.sqrt(rank / size)
    angle = rank * GOLDEN_ANGLE
    moved = points.copy()
    moved[known] += np.stack([np.cos(angle), np.sin(angle)], 1) * radius[:, None] * span
    return moved
