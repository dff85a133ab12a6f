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
_STEP = 1e-3


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
        np.asarray(centre, float), axes, np.maximum(half[order], LOWEST_SIZE), np.full(2, exponent), np.zeros(2)
    )


def rotation_of(vector: Floats) -> Floats:
    """Rotation matrix of a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


def _join(a: Floats, b: Floats, e: float) -> tuple[Floats, Floats, Floats]:
    """(a^(2/e) + b^(2/e))^(e/2) and its derivatives by a and b, for a, b >= 0."""
    large, small = np.maximum(a, b), np.minimum(a, b)
    ratio = np.maximum(small / np.maximum(large, _TINY), _TINY)
    log_ratio = np.log(ratio)
    power = np.exp((2.0 / e) * log_ratio)
    value = large * (1.0 + power) ** (0.5 * e)
    by_large = (1.0 + power) ** (0.5 * e - 1.0)
    by_small = by_large * power / ratio
    first = a >= b
    return value, np.where(first, by_large, by_small), np.where(first, by_small, by_large)


def field(part: Primitive, points: Floats, jacobian: bool = False, taper: bool = True) -> tuple[Floats, Floats | None]:
    """Signed distance [N] of points [N, 3] (first order) and, if asked, its Jacobian [N, 13]."""
    local = part.local(points)
    return field_local(part, local, jacobian, taper)


def _gauge(part: Primitive, local: Floats, e: Floats) -> tuple[Floats, Floats]:
    x, y, z = local.T
    height = z / part.size[2]
    sx = np.maximum(1.0 + part.taper[0] * height, 0.02)
    sy = np.maximum(1.0 + part.taper[1] * height, 0.02)
    ax, ay = part.size[0] * sx, part.size[1] * sy
    ring, ru, rv = _join(np.abs(x) / ax, np.abs(y) / ay, float(e[1]))
    g, gr, gw = _join(ring, np.abs(height), float(e[0]))
    grad = np.empty_like(local)
    grad[:, 0] = gr * ru * np.sign(x) / ax
    grad[:, 1] = gr * rv * np.sign(y) / ay
    grad[:, 2] = gw * np.sign(z) / part.size[2]
    if part.taper.any():
        pull = grad[:, 0] * x * part.taper[0] / sx + grad[:, 1] * y * part.taper[1] / sy
        grad[:, 2] -= pull / part.size[2]
    return g, grad


def field_local(part: Primitive, local: Floats, jacobian: bool = False, taper: bool = True) -> tuple[Floats, Floats | None]:
    """As :func:`field` for points in the part's frame."""
    g, grad = _gauge(part, local, part.exponents)
    slope = np.maximum(np.sqrt(np.einsum("ij,ij->i", grad, grad)), _TINY)
    distance = np.maximum((g - 1.0) / slope, -float(part.size.min()))
    if not jacobian:
        return distance, None
    by = np.empty((len(local), PARAMETERS))
    unit = grad / slope[:, None]
    by[:, :3] = -unit
    by[:, 3:6] = np.cross(unit, local)  # moving the part by w turns the point by -w
    by[:, 6:9] = -unit * local
    for i in range(2):
        e = part.exponents.copy()
        step = _STEP if e[i] < 1.0 else -_STEP
        e[i] += step
        by[:, 9 + i] = (_gauge(part, local, e)[0] - g) / (step * slope)
    if taper:
        height = local[:, 2] / part.size[2]
        for i in range(2):
            by[:, 11 + i] = -unit[:, i] * local[:, i] * height / np.maximum(1.0 + part.taper[i] * height, 0.02)
    else:
        by[:, 11:] = 0.0
    return distance, by


def inside(part: Primitive, points: Floats) -> NDArray[np.bool_]:
    """Whether points [N, 3] lie in the part."""
    found = np.zeros(len(points), bool)
    near = np.flatnonzero((np.abs(points - part.translation) <= part.world_reach()).all(axis=1))
    local = part.local(points[near])
    x, y, z = local.T
    height = z / part.size[2]
    sx = np.maximum(1.0 + part.taper[0] * height, 1e-6)
    sy = np.maximum(1.0 + part.taper[1] * height, 1e-6)
    ring = _join_value(np.abs(x) / (part.size[0] * sx), np.abs(y) / (part.size[1] * sy), float(part.exponents[1]))
    found[near] = _join_value(ring, np.abs(height), float(part.exponents[0])) <= 1.0
    return found


def _join_value(a: Floats, b: Floats, e: float) -> Floats:
    large, small = np.maximum(a, b), np.minimum(a, b)
    ratio = np.maximum(small / np.maximum(large, _TINY), _TINY)
    return large * (1.0 + ratio ** (2.0 / e)) ** (0.5 * e)
