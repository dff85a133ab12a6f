"""Levenberg-Marquardt fit of one part of a union, the others held: to what is solid, and to the surface.

Residuals: for points around the part that no other part holds, occupancy of the part, softened over a width,
minus occupancy of the target; for surface points near the part, their distance to it. Each is weighted so
that the sum is comparable to a volume. (Occupancy as in Marching Primitives, Liu et al. 2023, in spirit;
LM after Marquardt 1963.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from methods.superquadrics.primitive import PARAMETERS, Primitive, field, inside
from methods.superquadrics.solid_samples import Bools, Floats, Samples

MOST_POINTS = 2500
MOST_PROBES = 1200
MOST_SURFACE = 800


def fit_part(
    part: Primitive,
    samples: Samples,
    covered: Bools,
    others: Sequence[Primitive],
    check: Callable[[], None],
    *,
    iterations: int = 12,
    taper: bool = True,
    surface_weight: float = 1.0,
    margin: float = 2.0,
) -> Primitive:
    """The part after at most ``iterations`` accepted steps.

    Args:
        covered: which sample points other parts hold [N]; they have no say.
        others: those parts.
        margin: how far around the part points are looked at, in grid steps.
    """
    probes = samples.probes
    loose = np.flatnonzero(_in_box(part, probes, part.reach() + margin * samples.step))
    for other in others:
        if len(loose):
            loose = loose[~inside(other, probes[loose])]
    for stage in (0, 1):
        check()
        reach = part.reach() * 1.15 + margin * samples.step
        near = samples.block(part.translation, np.abs(part.rotation) @ reach)
        near = near[~covered[near]]
        near, stands_for = _thinned(near[_in_box(part, samples.points[near], reach)], MOST_POINTS)
        if len(near) < 8:
            return part
        points, solid = [samples.points[near]], [samples.solid[near]]
        weights = [samples.weights[near] * stands_for]
        reach = part.reach() + samples.step
        if len(loose):
            mine, stands_for = _thinned(loose[_in_box(part, probes[loose], reach)], MOST_PROBES)
            points.append(probes[mine])
            solid.append(samples.probes_solid[mine])
            weights.append(np.full(len(mine), stands_for * samples.probe_weight))
        close, stands_for = _thinned(np.flatnonzero(_in_box(part, samples.surface, reach)), MOST_SURFACE)
        volume = (np.concatenate(points), np.concatenate(solid), np.concatenate(weights))
        surface = (samples.surface[close], stands_for * samples.probe_weight * surface_weight)
        width = samples.step * (0.5 if stage == 0 else 0.2)
        width = min(width, (0.5 if stage == 0 else 0.2) * float(part.size.min())) + 1e-4
        part = _descend(part, volume, surface, width, iterations // 2, taper, check, _sticks_out(samples))
    return part


def _sticks_out(samples: Samples) -> Callable[[Primitive], float]:
    """How far beyond the sampled box a part reaches; no sample there could tell that it is too long."""
    low = np.array([plane[0] for plane in samples.planes])
    high = np.array([plane[-1] for plane in samples.planes])

    def measure(part: Primitive) -> float:
        # The box around a slanted part is too large by about its width.
        reach = part.world_reach() - float(part.size.min()) - samples.step
        return float(np.maximum(low - (part.translation - reach), part.translation + reach - high).max())

    return measure


def _thinned(indices: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], float]:
    """At most ``most`` of the indices, evenly, and how many each of them stands for."""
    if len(indices) <= most:
        return indices, 1.0
    ratio = len(indices) / most
    return indices[(np.arange(most) * ratio).astype(np.int64)], ratio


def _in_box(part: Primitive, points: Floats, reach: Floats) -> Bools:
    x, y, z = np.abs(part.rotation.T @ (points - part.translation).T)
    return (x <= reach[0]) & (y <= reach[1]) & (z <= reach[2])


def _descend(part, volume, surface, width, iterations, taper, check, sticks_out) -> Primitive:
    points = np.concatenate([volume[0], surface[0]])
    wanted = volume[1].astype(float)
    root = np.sqrt(volume[2])
    n = len(wanted)
    root_surface = np.sqrt(surface[1])

    def residuals(p: Primitive, jacobian: bool):
        d, by = field(p, points, jacobian, taper)
        z = np.clip(d[:n] / width, -30.0, 30.0)
        solid = 1.0 / (1.0 + np.exp(z))
        r = np.empty(len(points))
        r[:n] = root * (solid - wanted)
        ds = d[n:] / (2.0 * width)
        bell = 1.0 / np.sqrt(1.0 + ds * ds)  # Geman-McClure: far points lose their say
        r[n:] = root_surface * ds * bell
        if not jacobian:
            return r, None
        by[:, :n] *= -root * solid * (1.0 - solid) / width
        by[:, n:] *= root_surface * bell**3 / (2.0 * width)
        return r, by

    damping = 1e-2
    r, by = residuals(part, True)
    cost = float(r @ r)
    for _ in range(iterations):
        check()
        normal, pull = by @ by.T, by @ r
        scale = np.diag(normal) + 1e-3 * np.trace(normal) / PARAMETERS + 1e-12
        better = False
        for _ in range(5):
            step = -np.linalg.solve(normal + np.diag(damping * scale), pull)
            trial = part.moved(step)
            if sticks_out(trial) > max(sticks_out(part), 0.0):
                damping = max(damping * 6.0, 1e-4)
                continue
            new_r, _ = residuals(trial, False)
            new_cost = float(new_r @ new_r)
            if new_cost < cost:
                better = True
                break
            damping = max(damping * 6.0, 1e-4)
        if not better:
            break
        done = cost - new_cost < 1e-3 * cost
        part, cost, damping = trial, new_cost, max(damping * 0.3, 1e-6)
        if done:
            break
        r, by = residuals(part, True)
    return part
