"""Turning quaternions (w, x, y, z) by one another, and the three angles that the inspector shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from methods.superquadrics.model import quaternion_to_matrix

Floats = NDArray[np.float64]


def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """Hamilton product: rotate by ``b`` first, then by ``a``."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a, float), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, float), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        -1,
    )


def quaternion_from_euler_xyz(degrees: ArrayLike) -> Floats:
    """Fixed-axis turns about x, then y, then z, in degrees: what the inspector's three fields mean."""
    half = np.radians(np.asarray(degrees, float)) / 2
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for axis in range(3):
        turn = np.zeros(4)
        turn[0], turn[1 + axis] = np.cos(half[axis]), np.sin(half[axis])
        q = multiply(turn, q)
    return q


def euler_xyz_from_quaternion(quaternion: ArrayLike) -> Floats:
    """Inverse of :func:`quaternion_from_euler_xyz`; at the gimbal (y = +-90 degrees) x carries the turn."""
    m = quaternion_to_matrix(quaternion)
    sin_y = float(np.clip(-m[2, 0], -1, 1))
    y = np.arcsin(sin_y)
    if abs(sin_y) > 1 - 1e-10:
        x, z = np.arctan2(-m[1, 2], m[1, 1]), 0.0
    else:
        x, z = np.arctan2(m[2, 1], m[2, 2]), np.arctan2(m[1, 0], m[0, 0])
    return np.degrees([x, y, z])
