"""Thin walls of revolution (lampshades, pots, tubes): found as a whole and covered with staves.

A superquadric cannot be hollow, so a conical wall takes a ring of flat, tapered planks. One plank explains
too little to be found by itself; the ring does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from methods.superquadrics.objective import Row, covered, explained, rows_of
from methods.superquadrics.primitive import Primitive
from methods.superquadrics.solid_samples import Floats, Samples

_TRIES = 400
_NEAR = 0.008
"""Distance, in diagonals, within which a point agrees with an axis or a cone."""
_LEAST_SHARE = 0.06
"""Share of the surface that the outer side of a wall must have."""
_THICKEST = 0.25
"""Wall thickness over radius up to which it counts as thin."""
_SECTORS = 24
_FEWEST = 6
_SECTIONS = ((0.05, 1.0), (0.4, 1.15), (0.8, 1.4))
"""Exponent of a stave's section, and its thickness over the wall's, to start from."""
_STAVE_COST = 0.001
"""What a further stave must explain; less than other parts, because a ring stands or falls as a whole."""
_LEAST_VOLUME = 0.04
_LEAST_RADIUS = 0.04
_WRONG = 0.6
"""Empty volume over solid volume in a ring from which it is no ring."""


@dataclass(frozen=True)
class Shell:
    """A conical wall: outer radius = ``radius + slope * h`` for heights ``low <= h <= high`` along ``axis``.

    How staves follow it: ``phase`` is their turn, as a share of one stave, ``spread`` their width over that of
    planks that just meet, ``roundness`` the exponent of their section (a lens follows an arc better).
    """

    axis: int
    centre: Floats
    radius: float
    slope: float
    low: float
    high: float
    thickness: float
    phase: float = 0.0
    spread: float = 1.0
    roundness: float = 0.05


def find_shell(samples: Samples, rng: np.random.Generator) -> Shell | None:
    """The conical wall about one of the main axes with the largest outer surface, or None."""
    best: tuple[float, Shell] | None = None
    for axis in range(3):
        found = _about(samples, axis, rng)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return None if best is None else best[1]


def _about(samples: Samples, axis: int, rng: np.random.Generator) -> tuple[float, Shell] | None:
    plane = [a for a in range(3) if a != axis]
    steep = np.abs(samples.normals[:, axis]) < 0.9
    q, height = samples.surface[steep][:, plane], samples.surface[steep][:, axis]
    m = samples.normals[steep][:, plane]
    m = m / np.linalg.norm(m, axis=1, keepdims=True)
    if len(q) < 50:
        return None
    side = np.stack([-m[:, 1], m[:, 0]], axis=1)
    level = (side * q).sum(axis=1)
    pick = rng.integers(len(q), size=(_TRIES, 2))
    system = side[pick]  # two normals' lines meet at the axis
    good = np.abs(np.linalg.det(system)) > 0.3
    if not good.any():
        return None
    centres = np.linalg.solve(system[good], level[pick[good]][..., None])[..., 0]
    few = slice(None, None, max(len(q) // 1500, 1))
    votes = (np.abs(centres @ side[few].T - level[few]) < _NEAR).sum(axis=1)
    centre = centres[votes.argmax()]
    for loose in (
        1.0,
        2.0,
        2.5,
        2.5,
    ):  # least squares over the lines that agree; a facet's may miss by half its width
        agree = np.abs(side @ centre - level) < loose * _NEAR
        centre = np.linalg.lstsq(side[agree], level[agree], rcond=None)[0]
    agree = np.abs(side @ centre - level) < 2 * _NEAR
    away = q - centre
    radius = np.linalg.norm(away, axis=1)
    facing = (away * m).sum(axis=1)
    outer = np.flatnonzero(agree & (facing > 0))
    inner = np.flatnonzero(agree & (facing < 0))
    if len(outer) < 20 or len(inner) < 20:
        return None
    pick = outer[rng.integers(len(outer), size=(_TRIES, 2))]
    rise = height[pick[:, 1]] - height[pick[:, 0]]
    good = np.abs(rise) > 0.05
    if not good.any():
        return None
    pick, rise = pick[good], rise[good]
    slope = (radius[pick[:, 1]] - radius[pick[:, 0]]) / rise
    start = radius[pick[:, 0]] - slope * height[pick[:, 0]]
    far = np.abs(start[:, None] + slope[:, None] * height[outer] - radius[outer]) < _NEAR
    hollow = np.array(
        [_gap(height[inner], radius[inner], a, b) is not None for a, b in zip(start, slope, strict=True)]
    )
    votes = np.where(hollow & (np.abs(slope) < 1.5), far.sum(axis=1), 0)
    winner = int(votes.argmax())
    members = outer[far[winner]]
    if votes[winner] < _LEAST_SHARE * len(samples.surface):
        return None
    b, a = np.polyfit(height[members], radius[members], 1)
    gap = _gap(height[inner], radius[inner], a, b)
    low, high = np.quantile(height[members], [0.005, 0.995])
    angle = np.arctan2(away[members, 1], away[members, 0])
    filled = np.histogram(angle, bins=_SECTORS, range=(-np.pi, np.pi))[0] > 0.2 * len(members) / _SECTORS
    middle = a + b * 0.5 * (low + high)
    if gap is None or not filled.all() or gap > _THICKEST * middle or middle < _LEAST_RADIUS:
        return None
    whole = np.zeros(3)
    whole[plane] = centre
    return float(len(members)), Shell(axis, whole, float(a), float(b), float(low), float(high), gap)


def _gap(height: Floats, radius: Floats, start: float, slope: float) -> float | None:
    """Usual radial distance from the outer cone to inner surface just below it, if there is enough of that."""
    below = start + slope * height - radius
    inside = (below > 0.001) & (below < _THICKEST * np.maximum(start + slope * height, 0.0))
    return float(np.median(below[inside])) if inside.sum() > 0.25 * len(height) else None


def staves(shell: Shell, count: int) -> list[Primitive]:
    """``count`` planks around the axis that follow the middle of the wall as closely as flat ones can."""
    height = np.array([shell.low, 0.5 * (shell.low + shell.high), shell.high])
    middle, length = height[1], 0.5 * (shell.high - shell.low)
    tilt = np.arctan(shell.slope)
    wall = shell.thickness * np.cos(tilt)
    ends = np.maximum(shell.radius + shell.slope * height - 0.5 * shell.thickness, 1e-3)
    half_angle = np.pi / count
    flat = np.sin(half_angle) / half_angle  # mean of cos over a plank: as much of the arc outside as inside
    width = shell.spread * ends * flat * np.tan(half_angle)
    taper = float(np.clip((width[2] - width[0]) / (width[2] + width[0]), -0.9, 0.9))
    up = np.eye(3)[shell.axis]
    right, ahead = np.eye(3)[(shell.axis + 1) % 3], np.eye(3)[(shell.axis + 2) % 3]
    result = []
    for k in range(count):
        angle = 2.0 * np.pi * (k + shell.phase) / count
        out = np.cos(angle) * right + np.sin(angle) * ahead
        z = np.cos(tilt) * up + np.sin(tilt) * out
        y = np.cos(tilt) * out - np.sin(tilt) * up
        result.append(
            Primitive(
                shell.centre + middle * up + flat * ends[1] * out,
                np.stack([np.cross(y, z), y, z], axis=1),
                np.array([width[1], 0.5 * wall, length / np.cos(tilt)]),
                np.array([0.05, shell.roundness]),
                np.array([taper, 0.0]),
            )
        )
    return result


def ring(samples: Samples, shell: Shell, most: int, check: Callable[[], None]) -> list[Row]:
    """The staves, at most ``most``, that explain the wall best; none if they would fill more than they should.

    All staves stay alike: what is searched are the wall's own few numbers.
    """

    def value(candidate: Shell, count: int) -> float:
        check()
        return explained(rows_of(staves(candidate, count), samples), samples)

    count = max(range(_FEWEST, most + 1), key=lambda n: value(shell, n) - _STAVE_COST * n)
    best = value(shell, count)
    shell = max((replace(shell, roundness=e, thickness=t * shell.thickness) for e, t in _SECTIONS),
                key=lambda one: value(one, count))  # fmt: skip
    best = value(shell, count)
    length = shell.high - shell.low
    steps = {"phase": 0.25, "radius": 0.003, "thickness": 0.15 * shell.thickness, "spread": 0.08,
             "roundness": 0.2, "high": 0.02 * length, "low": 0.02 * length}  # fmt: skip
    for shrink in (1.0, 0.5, 0.25):
        for field, step in steps.items():
            for sign in (-1.0, 1.0):
                moved = getattr(shell, field) + sign * shrink * step
                trial = replace(shell, **{field: max(moved, 0.03) if field == "roundness" else moved})
                new = value(trial, count)
                if new > best:
                    shell, best = trial, new
                    break
    rows = rows_of(staves(shell, count), samples)
    held, w = covered(rows, samples), samples.weights
    right, wrong = float(w[held & samples.solid].sum()), float(w[held & ~samples.solid].sum())
    return rows if wrong < _WRONG * right and right > _LEAST_VOLUME * samples.volume else []
