"""The surface of one part: welded watertight meshes and area-uniform samples.

A superquadric is the spherical product of two superellipses (Barr 1981): the equator (a1, a2, e2) and
the meridian (1, a3, e1). Each quadrant of a superellipse is parametrised by its polar angle, never by
signed powers of sines, so that no exponent crowds or tears the points: with t = tan(angle), ``x = (1 +
t^(2/e))^(-e/2)`` and ``y = t x``. Knots are spread evenly over a half-and-half mix of arc length and of
the turning of the normal: smooth curves get equal arcs, boxy ones have half of their knots in the
rounded corners, which keeps the shading of a coarse mesh crisp.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from methods.core.errors import BadParameter
from methods.superquadrics import geometry
from methods.superquadrics.model import Superquadric

Array = NDArray[np.float64]

MIN_RESOLUTION, MAX_RESOLUTION = 3, 2048
SAMPLING_RESOLUTION = 64
"""Fine enough that triangle areas follow the true area to about 0.1 % of the whole."""

_DENSE = 65
"""Points per octant, once by angle and once by normal, from which knots are interpolated."""
_TURNING = 0.5
"""Share of the knots that follows the turning of the normal rather than arc length."""
_MIN_GAP = 0.004
"""Smallest knot distance as a share of the quadrant: ridges sharper than this become a bevel this wide."""


def part_mesh(part: Superquadric, resolution: int = 32) -> tuple[Array, NDArray[np.int32], Array]:
    """Watertight, outward-facing triangle mesh of one part in the world frame.

    Args:
        resolution: segments around the equator, 3 to 2048, rounded up to a multiple of 8 so that all
            quadrants are mirror images; half as many run from pole to pole.

    Returns:
        vertices [V, 3] on the exact surface, each pole and seam vertex once; faces [F, 3], anticlockwise from
        outside, an array shared between calls and read-only; exact unit normals [V, 3].

    Raises:
        BadParameter: the resolution is out of range.
    """
    vertices, normals = _local_grid(part, _steps(resolution))
    rotation = part.rotation_matrix().T
    return vertices @ rotation + part.translation, grid_faces(resolution), normals @ rotation


class SurfaceSampler:
    """Draws points uniformly by area over the exact surface of one part.

    Triangles of a fine mesh are drawn in proportion to their area (stratified, so that coverage is even), and
    the points on them are moved on to the surface. ``area`` is that of the mesh: the true area, which has no
    closed form, from below.
    """

    def __init__(self, part: Superquadric, resolution: int = SAMPLING_RESOLUTION) -> None:
        vertices, _ = _local_grid(part, _steps(resolution))
        faces = grid_faces(resolution)
        self.part = part
        self._corner = vertices[faces[:, 0]]
        self._edges = vertices[faces[:, 1]] - self._corner, vertices[faces[:, 2]] - self._corner
        (ax, ay, az), (bx, by, bz) = (edge.T for edge in self._edges)
        x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        self._cumulative = np.cumsum(0.5 * np.sqrt(x * x + y * y + z * z))
        self.area = float(self._cumulative[-1])

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """World points [n, 3] in random order and outward unit normals [n, 3]."""
        part = self.part
        level = rng.permutation(np.arange(n) + rng.random(n)) * (self.area / max(n, 1))
        triangle = np.searchsorted(self._cumulative, level, side="right")
        triangle = np.minimum(triangle, len(self._cumulative) - 1)
        u, v = np.sqrt(rng.random(n))[:, None], rng.random(n)[:, None]
        first, second = self._edges
        local = self._corner[triangle] + u * (1.0 - v) * first[triangle] + u * v * second[triangle]
        local = geometry.project(local, part.size, part.exponents, part.taper)
        normals = geometry.normals(local, part.size, part.exponents, part.taper)
        rotation = part.rotation_matrix().T
        return local @ rotation + part.translation, normals @ rotation


def sample_surface(part: Superquadric, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """``n`` points uniform by area on one part: world points [n, 3] and outward unit normals [n, 3]."""
    return SurfaceSampler(part).draw(n, rng)


def surface_area(part: Superquadric) -> float:
    """Area of the part's surface, from a fine inscribed mesh: about 0.5 % low at most."""
    return SurfaceSampler(part).area


def grid_faces(resolution: int) -> NDArray[np.int32]:
    """Faces [F, 3] of every part's mesh at this resolution (read-only, shared)."""
    return _faces(_steps(resolution))


# --------------------------------------------------------------------------------------------- the grid


def _steps(resolution: int) -> int:
    """Knots per quadrant: even, so that a coarse box still has its corners."""
    if not MIN_RESOLUTION <= resolution <= MAX_RESOLUTION:
        raise BadParameter(
            f"The mesh resolution is {resolution}.", f"Choose {MIN_RESOLUTION} to {MAX_RESOLUTION}."
        )
    return 2 * math.ceil(resolution / 8)


def _local_grid(part: Superquadric, steps: int) -> tuple[Array, Array]:
    """Vertices [V, 3] (south pole, rings going north, north pole) and unit normals in the canonical frame."""
    a1, a2, a3 = part.size
    e1, e2 = (max(e, geometry.MIN_EXPONENT) for e in part.exponents)
    equator = _closed_curve(e2, _ratio_key(a1, a2), steps)
    meridian = _open_curve(e1, _ratio_key(math.sqrt(a1) * math.sqrt(a2), a3), steps)
    ring, height, ring_slope, height_slope = (column[:, None] for column in meridian)
    cosine, sine, cosine_slope, sine_slope = equator

    # the gradient of the gauge is separable on this grid: (ring_slope cos_slope/a1, ..., height_slope/a3)
    unit = min(part.size)
    x, y = ring * (a1 * cosine), ring * (a2 * sine)
    gx, gy = ring_slope * (unit / a1 * cosine_slope), ring_slope * (unit / a2 * sine_slope)
    gz = np.broadcast_to(unit / a3 * height_slope, gx.shape)
    kx, ky = part.taper
    if kx or ky:
        scale_x, scale_y = 1.0 + kx * height, 1.0 + ky * height
        gx, gy = gx / scale_x, gy / scale_y
        gz = gz - (gx * x * kx + gy * y * ky) / a3
        x, y = x * scale_x, y * scale_y

    count = x.size + 2
    vertices, normals = np.empty((count, 3)), np.zeros((count, 3))
    vertices[0], vertices[-1] = (0.0, 0.0, -a3), (0.0, 0.0, a3)
    normals[0, 2], normals[-1, 2] = -1.0, 1.0
    z = np.broadcast_to(a3 * height, x.shape)
    length = np.sqrt(gx * gx + gy * gy + gz * gz)
    for axis, (position, gradient) in enumerate(((x, gx), (y, gy), (z, gz))):
        vertices[1:-1, axis] = position.ravel()
        normals[1:-1, axis] = (gradient / length).ravel()
    return vertices, normals


@lru_cache(maxsize=32)
def _faces(steps: int) -> NDArray[np.int32]:
    around, rings = 4 * steps, 2 * steps - 1
    column = np.arange(around)
    following = (column + 1) % around
    row = np.arange(rings - 1)[:, None]
    a, b = 1 + row * around + column, 1 + row * around + following  # lower edge of a quad
    d, c = a + around, b + around  # upper edge
    # diagonals are mirrored from quadrant to quadrant, so that a symmetric part has a symmetric mesh
    flip = (column // steps + (row >= steps - 1)) % 2 == 1
    first = np.where(flip[..., None], np.stack([a, b, d], -1), np.stack([a, b, c], -1))
    second = np.where(flip[..., None], np.stack([b, c, d], -1), np.stack([a, c, d], -1))
    top = 1 + (rings - 1) * around
    south = np.stack([np.zeros_like(column), 1 + following, 1 + column], -1)
    north = np.stack([np.full_like(column, top + around), top + column, top + following], -1)
    quads = np.stack([first, second], axis=2).reshape(-1, 3)
    faces = np.concatenate([south, quads, north]).astype(np.int32)
    faces.flags.writeable = False
    return faces


# ------------------------------------------------------------------------------------ superellipse knots


def _ratio_key(a: float, b: float) -> float:
    """log2 of a ratio of semi-axes in quarter steps: while a size is dragged the knots mostly come cached."""
    return min(max(round(4.0 * math.log2(a / b)), -80), 80) / 4.0


@lru_cache(maxsize=1024)
def _quadrant(exponent: float, ratio_key: float, steps: int) -> Array:
    """Knots of |x|^(2/e) + |y|^(2/e) = 1 from (1, 0) to (0, 1), spread for x stretched by 2^ratio_key.

    Returns:
        [4, steps + 1]: x, y and the slopes x^(2/e - 1), y^(2/e - 1), to which the normal is proportional.
    """
    a, b = 2.0 ** (0.5 * ratio_key), 2.0 ** (-0.5 * ratio_key)
    angle = np.linspace(0.0, 0.25 * math.pi, _DENSE)
    # the normal's tangent is t^(2/e - 1): dense by angle resolves flat sides, dense by normal the corners
    by_normal = np.tan(angle[1:-1]) ** (exponent / max(2.0 - exponent, 1e-9))
    t = np.unique(np.concatenate([np.tan(angle[:-1]), by_normal, [1.0]]))
    x = (1.0 + t ** (2.0 / exponent)) ** (-0.5 * exponent)
    y = t * x
    slope = t ** (2.0 / exponent - 1.0)
    slope[0] = 0.0  # on the axes the normal is the axis, also for e = 2, where 0^0 would say 1
    halves = []
    for along, across, turn in (
        (a * x, b * y, np.arctan2(slope * a, b)),  # from (1, 0) to the corner x = y
        (a * y, b * x, 0.5 * math.pi - np.arctan2(slope * b, a)),  # from (0, 1) to the corner
    ):
        arc = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(along), np.diff(across)))])
        halves.append((arc, np.abs(turn - turn[0])))
    total_arc = halves[0][0][-1] + halves[1][0][-1]
    total_turn = halves[0][1][-1] + halves[1][1][-1]
    mixes = [(1 - _TURNING) * arc / total_arc + _TURNING * turn / total_turn for arc, turn in halves]
    share = mixes[0][-1] / (mixes[0][-1] + mixes[1][-1])
    first = min(max(round(steps * share), 1), steps - 1)
    knots = []
    for (arc, _), mix, count in zip(halves, mixes, (first, steps - first), strict=True):
        even = np.interp(np.linspace(0.0, mix[-1], count + 1), mix, arc)
        gap = min(_MIN_GAP * total_arc, 0.25 * arc[-1] / count)
        even = gap * np.arange(count + 1) + even * (1.0 - gap * count / arc[-1])
        knots.append(np.interp(even, arc, t))
        knots[-1][[0, -1]] = 0.0, 1.0
    t = np.concatenate([knots[0], knots[1][-2::-1]])
    swap = np.arange(steps + 1) > first
    x = (1.0 + t ** (2.0 / exponent)) ** (-0.5 * exponent)
    power = 2.0 / exponent - 1.0
    table = np.stack([x, t * x, x**power, (t * x) ** power])
    table[:, swap] = table[:, swap][[1, 0, 3, 2]]
    table[3, 0] = table[2, -1] = 0.0
    table.flags.writeable = False
    return table


@lru_cache(maxsize=512)
def _closed_curve(exponent: float, ratio_key: float, steps: int) -> Array:
    """The whole superellipse anticlockwise from (1, 0): x, y and their slopes [4, 4 steps]."""
    first = _quadrant(exponent, ratio_key, steps)
    back = first[:, ::-1]
    left, right = np.array([-1.0, 1.0, -1.0, 1.0]), np.array([1.0, -1.0, 1.0, -1.0])
    curve = np.concatenate(
        [
            first[:, :-1],
            back[:, :-1] * left[:, None],
            -first[:, :-1],
            back[:, :-1] * right[:, None],
        ],
        axis=1,
    )
    curve += 0.0  # no negative zeros
    curve.flags.writeable = False
    return curve


@lru_cache(maxsize=512)
def _open_curve(exponent: float, ratio_key: float, steps: int) -> Array:
    """The half superellipse x > 0 from south to north without its poles: x, y and slopes [4, 2 steps - 1]."""
    north = _quadrant(exponent, ratio_key, steps)[:, :-1]
    south = north[:, :0:-1] * np.array([1.0, -1.0, 1.0, -1.0])[:, None]
    curve = np.concatenate([south, north], axis=1)
    curve.flags.writeable = False
    return curve
