"""One part while it is being fitted: plain arrays, its distance field, and that field's Jacobian.

Fitting works in centred coordinates where the object's diagonal is 1. The field is Taubin's first-order
distance d = (G - 1) / |grad G|; its derivatives by the parameters leave out the change of |grad G|, which is
multiplied by G - 1 and so vanishes on the surface, where the derivatives matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LOWEST_EXPONENT, HIGHEST_EXPONENT = 0.03, 2.0
LOWEST_SIZE = 5e-4
"""Smallest semi-axis, as a share of the object's diagonal."""
HIGHEST_TAPER = 0.95
PARAMETERS = 13
"""Translation 3, rotation 3, log size 3, exponents 2, taper 2."""
_TINY = 1e-12
_LEAST_SECTION = 0.02


@dataclass(frozen=True)
class Primitive:
    """translation [3], rotation [3, 3] (columns = own axes), size [3], exponents [2], taper [2]."""

    translation: Floats
    rotation: Floats
    size: Floats
    exponents: Floats
    taper: Floats

    @property
    def box_volume(self) -> float:
        return float(8.0 * self.size.prod())

    def local(self, points: Floats) -> Floats:
        return (points - self.translation) @ self.rotation

    def reach(self) -> Floats:
        """Half extents [3] of the canonical box around the tapered part."""
        return self.size * np.array([1.0 + abs(self.taper[0]), 1.0 + abs(self.taper[1]), 1.0])

    def world_reach(self) -> Floats:
        """Half extents [3] of an axis-aligned box that holds the part."""
        return np.abs(self.rotation) @ self.reach()

    def moved(self, step: Floats) -> Primitive:
        """The part after a step [13] in its own frame, every value kept inside its range."""
        size = np.maximum(self.size * np.exp(np.clip(step[6:9], -0.7, 0.7)), LOWEST_SIZE)
        return Primitive(
            self.translation + self.rotation @ step[:3],
            self.rotation @ rotation_of(step[3:6]),
            size,
            np.clip(self.exponents + np.clip(step[9:11], -0.4, 0.4), LOWEST_EXPONENT, HIGHEST_EXPONENT),
            np.clip(self.taper + step[11:13], -HIGHEST_TAPER, HIGHEST_TAPER),
        )


def box(centre: Floats, rotation: Floats, half: Floats, exponent: float = 0.1) -> Primitive:
    """A nearly sharp box; z is the axis that its section changes along least: the longest one."""
    order = np.argsort(half, kind="stable")
    axes = rotation[:, order].copy()
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1.0
    return Primitive(
        np.asarray(centre, float),
        axes,
        np.maximum(half[order], LOWEST_SIZE),
        np.full(2, exponent),
        np.zeros(2),
    )


def variants(part: Primitive) -> list[Primitive]:
    """Other starts for a fit that the exponents alone cannot reach from ``part``.

    A boxy part: the same with another axis as z, along which it may taper, as a cylinder about each axis with
    a nearly square section and, if nearly cubic, as an ellipsoid. An octahedral section: a square turned by
    45 degrees. A bulging meridian: sharp ends and half the taper.
    """
    found = []
    if part.exponents.max() < 0.6 and np.abs(part.taper).max() < 0.3:
        for turn in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            rotation, size = part.rotation[:, turn], part.size[list(turn)]
            if turn != (0, 1, 2):
                found.append(Primitive(part.translation, rotation, size, part.exponents, np.zeros(2)))
            if 0.75 < size[0] / size[1] < 1.33:
                found.append(Primitive(part.translation, rotation, size, np.array([0.1, 1.0]), np.zeros(2)))
        if part.size.min() > 0.75 * part.size.max():
            found.append(Primitive(part.translation, part.rotation, part.size, np.ones(2), np.zeros(2)))
    elif part.exponents[1] > 1.4 and 0.6 < part.size[0] / part.size[1] < 1.6:
        half = float(np.sqrt(part.size[0] * part.size[1] / 2.0))
        size = np.array([half, half, part.size[2]])
        exponents = np.array([part.exponents[0], max(HIGHEST_EXPONENT - part.exponents[1], 0.1)])
        turned = part.rotation @ rotation_of(np.array([0.0, 0.0, np.pi / 4]))
        found.append(Primitive(part.translation, turned, size, exponents, part.taper))
    if part.exponents[0] > 0.3:  # a bulge may stand for a sharp end that the fit could not cut off
        sharp = np.array([0.1, part.exponents[1]])
        found.append(Primitive(part.translation, part.rotation, part.size, sharp, 0.5 * part.taper))
    return found


def rotation_of(vector: Floats) -> Floats:
    """Rotation matrix of a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


def _join(a: Floats, b: Floats, e: float, derivatives: bool) -> tuple[Floats, ...]:
    """f = (a^(2/e) + b^(2/e))^(e/2) for a, b >= 0; if asked also df/da, df/db and d log f / de."""
    large, small = np.maximum(a, b), np.minimum(a, b)
    ratio = np.maximum(small / np.maximum(large, _TINY), _TINY)
    log_ratio = np.log(ratio)
    power = np.exp((2.0 / e) * log_ratio)
    log_sum = np.log1p(power)
    grown = np.exp((0.5 * e) * log_sum)
    value = large * grown
    if not derivatives:
        return (value,)
    by_large = grown / (1.0 + power)
    by_small = by_large * power / ratio
    by_e = 0.5 * log_sum - log_ratio * power / (e * (1.0 + power))
    first = a >= b
    return value, np.where(first, by_large, by_small), np.where(first, by_small, by_large), by_e


def field(
    part: Primitive, points: Floats, jacobian: bool = False, taper: bool = True
) -> tuple[Floats, Floats | None]:
    """Signed distance [N] of points [N, 3] (first order) and, if asked, its Jacobian [13, N]."""
    local = part.rotation.T @ (points - part.translation).T  # [3, N]: rows are contiguous
    x, y, z = local
    height = z / part.size[2]
    sx = np.maximum(1.0 + part.taper[0] * height, _LEAST_SECTION)
    sy = np.maximum(1.0 + part.taper[1] * height, _LEAST_SECTION)
    ax, ay = part.size[0] * sx, part.size[1] * sy
    ring, ru, rv, ring_e = _join(np.abs(x) / ax, np.abs(y) / ay, float(part.exponents[1]), True)
    g, gr, gw, g_e = _join(ring, np.abs(height), float(part.exponents[0]), True)
    gx, gy = gr * ru * np.sign(x) / ax, gr * rv * np.sign(y) / ay
    gz = gw * np.sign(z) / part.size[2]
    if part.taper.any():
        pull = np.where(sx > _LEAST_SECTION, gx * x * part.taper[0] / sx, 0.0)
        pull += np.where(sy > _LEAST_SECTION, gy * y * part.taper[1] / sy, 0.0)
        gz -= pull / part.size[2]
    slope = np.maximum(np.sqrt(gx * gx + gy * gy + gz * gz), _TINY)
    distance = np.maximum((g - 1.0) / slope, -float(part.size.min()))
    if not jacobian:
        return distance, None
    ux, uy, uz = gx / slope, gy / slope, gz / slope
    by = np.zeros((PARAMETERS, len(points)))
    by[0], by[1], by[2] = -ux, -uy, -uz
    by[3], by[4], by[5] = uy * z - uz * y, uz * x - ux * z, ux * y - uy * x  # a turn by w turns points by -w
    by[6], by[7], by[8] = -ux * x, -uy * y, -uz * z
    by[9] = g * g_e / slope
    by[10] = gr * ring * ring_e / slope
    if taper:
        by[11], by[12] = by[6] * height / sx, by[7] * height / sy
    return distance, by


def distance(part: Primitive, points: Floats) -> Floats:
    """Signed distance [N] for points at any distance: first order near the part, never less than to its box.

    Far from a tapered part, where its section would vanish, the first order alone is far too small.
    """
    away = np.abs(part.rotation.T @ (points - part.translation).T) - part.reach()[:, None]
    return np.maximum(field(part, points)[0], away.max(axis=0))


def inside(part: Primitive, points: Floats) -> NDArray[np.bool_]:
    """Whether points [N, 3] lie in the part."""
    x, y, z = np.abs(local := part.rotation.T @ (points - part.translation).T)
    reach = part.reach()
    found = (x <= reach[0]) & (y <= reach[1]) & (z <= reach[2])
    near = np.flatnonzero(found)
    x, y, z = x[near], y[near], z[near]
    height = local[2, near] / part.size[2]
    sx = np.maximum(1.0 + part.taper[0] * height, 1e-6)
    sy = np.maximum(1.0 + part.taper[1] * height, 1e-6)
    (ring,) = _join(x / (part.size[0] * sx), y / (part.size[1] * sy), float(part.exponents[1]), False)
    (g,) = _join(ring, np.abs(height), float(part.exponents[0]), False)
    found[near] = g <= 1.0
    return found
