"""Parts for clouds without a third dimension, where distances alone do not bound a part's extent."""

from __future__ import annotations

import numpy as np

from methods.superquadrics.least_squares import Batch, Floats, distances

THIN = 1e-3
"""Semi-axis of a plate or rod where it has no extent of its own, in units of the cloud."""
SQUARE = 0.1
"""Exponent of its edges."""


def flat_part(points: Floats, straight: bool) -> Batch:
    """The plate (or rod, if ``straight``) that covers points [N, 3], flat in their principal axes.

    Args:
        points: unit size, largest variance along x, least along z.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, THIN)
    if straight:
        # z along the rod.
        rotation = np.eye(3)[:, [1, 2, 0]]
        return _batch(middle, rotation, half[[1, 2, 0]], (SQUARE, 1.0))
    angle, center, sides, filled = _least_rectangle(points[:, :2])
    c, s = np.cos(angle), np.sin(angle)
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    size = np.array([*np.maximum(sides, THIN), half[2]])
    return _batch(np.array([*center, middle[2]]), rotation, size, (SQUARE, _exponent(filled)))


def flat_distances(part: Batch, points: Floats) -> Floats:
    """Distances [1, N] of points [N, 3]; inside, to the nearest of the bounding planes.

    The first-order distance of a point in the middle plane is that to the rim, however near the faces are.
    """
    distance = distances(part, points)
    local = (points - part.translation[:, None]) @ part.rotation
    depth = (part.size[:, None] - np.abs(local)).min(axis=-1)
    return np.where(distance < 0, np.maximum(distance, -np.abs(depth)), distance)


def _batch(center: Floats, rotation: Floats, size: Floats, exponents: tuple[float, float]) -> Batch:
    return Batch(center[None], rotation[None], size[None], np.array([exponents]), np.zeros((1, 2)))


def _least_rectangle(points: Floats) -> tuple[float, Floats, Floats, float]:
    """Angle, centre and half sides of the least rectangle around points [N, 2]; the share their hull fills.

    One of its sides lies along a side of the hull (Freeman and Shapira, CACM 18(7), 1975).
    """
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    corners = points[hull.vertices]
    edges = np.roll(corners, -1, axis=0) - corners
    angles = np.arctan2(edges[:, 1], edges[:, 0]) % (np.pi / 2)
    c, s = np.cos(angles), np.sin(angles)
    turns = np.array([[c, -s], [s, c]]).transpose(2, 0, 1)
    turned = corners @ turns
    low, high = turned.min(axis=1), turned.max(axis=1)
    areas = np.prod(high - low, axis=1)
    best = int(np.argmin(areas))
    center = turns[best] @ (low[best] + high[best]) / 2
    # In two dimensions a hull's "volume" is its area.
    return float(angles[best]), center, (high[best] - low[best]) / 2, float(hull.volume / areas[best])


def _exponent(filled: float) -> float:
    """The exponent of the superellipse that fills this share of its bounding rectangle."""
    from scipy.optimize import brentq
    from scipy.special import gammaln

    def excess(e: float) -> float:
        return float(np.exp(2 * gammaln(1 + e / 2) - gammaln(1 + e))) - filled

    low, high = SQUARE, 2 - SQUARE
    if excess(low) <= 0:
        return low
    return high if excess(high) >= 0 else float(brentq(excess, low, high, xtol=1e-6))
