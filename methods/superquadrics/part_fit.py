"""Levenberg-Marquardt fit of one part of a union, the others held: to what is solid, and to the surface.

Residuals: for points around the part that no other part holds, occupancy of the part, softened over a width,
minus occupancy of the target; for surface points near the part, their distance to it. Each is weighted so
that the sum is comparable to a volume. (Occupancy as in Marching Primitives, Liu et al. 2023, in spirit;
LM after Marquardt 1963.)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from methods.superquadrics.primitive import PARAMETERS, Primitive, field
from methods.superquadrics.solid_samples import Bools, Floats, Samples

MOST_POINTS = 2500
MOST_SURFACE = 800
_PRIOR = np.array([1.0] * 3 + [0.3] * 3 + [0.3] * 3 + [0.02] * 2 + [0.05] * 2)


def fit_part(
    part: Primitive,
    samples: Samples,
    covered: Bools,
    check: Callable[[], None],
    *,
    iterations: int = 12,
    taper: bool = True,
    surface_covered: Bools | None = None,
    surface_weight: float = 1.0,
    margin: float = 2.0,
) -> Primitive:
    """The part after at most ``iterations`` accepted steps.

    Args:
        covered: which sample points other parts hold [N]; they have no say.
        surface_covered: which surface points other parts explain [S]; they have no say either.
        margin: how far around the part points are looked at, in grid steps.
    """
    for stage in (0, 1):
        check()
        chosen, kept, surface = _around(part, samples, covered, surface_covered, margin)
        if len(chosen) < 8:
            return part
        width = samples.step * (0.5 if stage == 0 else 0.25)
        width = min(width, 0.5 * float(part.size.min())) + 1e-4
        part = _descend(part, samples, chosen, kept, surface, width, iterations // 2, taper, surface_weight, check)
    return part


def _around(part, samples, covered, surface_covered, margin):
    reach = part.reach() * 1.15 + margin * samples.step
    near = samples.block(part.translation, np.abs(part.rotation) @ reach)
    near = near[~covered[near]]
    near = near[_in_box(part, samples.points[near], reach)]
    keep = 1.0
    if len(near) > MOST_POINTS:
        keep = len(near) / MOST_POINTS
        near = near[(np.arange(MOST_POINTS) * keep).astype(np.int64)]
    free = slice(None) if surface_covered is None else ~surface_covered
    surface = samples.surface[free]
    close = np.flatnonzero(_in_box(part, surface, part.reach() + samples.step))
    if len(close) > MOST_SURFACE:
        close = close[(np.arange(MOST_SURFACE) * (len(close) / MOST_SURFACE)).astype(np.int64)]
    normals = samples.normals[free][close]
    return near, keep, (surface[close], normals)


def _in_box(part: Primitive, points: Floats, reach: Floats) -> Bools:
    x, y, z = np.abs(part.rotation.T @ (points - part.translation).T)
    return (x <= reach[0]) & (y <= reach[1]) & (z <= reach[2])


def _descend(part, samples, chosen, keep, surface, width, iterations, taper, surface_weight, check) -> Primitive:
    points = np.concatenate([samples.points[chosen], surface[0]])
    wanted = samples.solid[chosen].astype(float)
    root = np.sqrt(samples.weights[chosen] * keep)
    n = len(chosen)
    # a surface point that is off by one width counts like a wrong layer of that width over its share of area
    area = 1.0 / len(samples.surface) * 2.0
    root_surface = np.sqrt(surface_weight * area * width) * 0.7

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
