"""A mesh or cloud to the fewest parts that explain it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from methods.core.context import Context
from methods.superquadrics.model import (
    MAX_PARTS,
    Shape,
    Superquadric,
    canonical,
    matrix_to_quaternion,
    palette_color,
)
from methods.superquadrics.objective import (
    SURFACE_SHARE,
    TOLERANCE,
    Row,
    covered,
    explained,
    row,
    score,
    surface_distance,
)
from methods.superquadrics.part_fit import fit_part
from methods.superquadrics.primitive import Primitive, inside, variants
from methods.superquadrics.reduce import reduce_rows
from methods.superquadrics.refine import sweep, world_part
from methods.superquadrics.segmentation import candidates, oriented_box, worth
from methods.superquadrics.shells import find_shell, ring
from methods.superquadrics.solid_samples import Samples, sample_solid
from methods.superquadrics.target import Target

_FEW = 12
"""With fewer different points nothing can be told about parts."""
_ROOM_FOR_STAVES = 10
_STAVES_SHARE = 0.7
"""Most staves of a wall of revolution, as a share of all parts."""
_TOO_MANY = 3
"""Parts beyond the limit that may be found before the least useful ones are given up."""
_TRIED = 3
"""Candidates that are fitted for each new part."""


@dataclass(frozen=True)
class ObjectFit:
    """The parts found and what the person should know about them."""

    shape: Shape
    warnings: tuple[str, ...] = ()


def fit_object(
    target: Target, ctx: Context, *, max_parts: int = 16, part_cost: float = 0.004, taper: bool = True
) -> ObjectFit:
    """Parts for a whole object; the same result for the same seed.

    Parts are added where most of the solid is left, for as long as each explains more than ``part_cost`` of
    the object (mean of volume and surface share); then they are refined together, merged and pruned.
    ``ctx.partial`` gets the shape so far whenever it changes.

    Args:
        max_parts: at most this many parts, 1 to 256.
        part_cost: share of the object a part must explain to be worth having.
        taper: whether parts may taper.
    """
    max_parts = min(max(int(max_parts), 1), MAX_PARTS)
    ctx.progress(0.0, "Sampling the target")
    rng = np.random.default_rng(ctx.seed)
    if len(few := np.unique(target.vertices[: 10 * _FEW], axis=0)) < _FEW and target.is_cloud:
        return _around_few(few, target)
    samples = sample_solid(target, rng, ctx.check)

    def shown(rows: list[Row]) -> None:
        ctx.partial(_shape(rows, samples, target.unit))

    shell = find_shell(samples, rng) if taper and max_parts >= _ROOM_FOR_STAVES else None
    fixed = ring(samples, shell, int(_STAVES_SHARE * max_parts), ctx.check) if shell is not None else []
    rows = list(fixed)
    room = max_parts + _TOO_MANY
    rows = _add(rows, samples, ctx, rng, room, part_cost, taper, shown, (0.1, 0.4))
    for turn in range(2):
        start = 0.4 + 0.3 * turn
        before = score(rows, samples, part_cost)
        free = range(len(fixed), len(rows))
        rows = sweep(
            rows, samples, ctx, free=free, sweeps=2, taper=taper, shown=shown, span=(start, start + 0.15)
        )
        rows = reduce_rows(rows, samples, ctx, part_cost, taper, kept=len(fixed), most=max_parts)
        shown(rows)
        if turn == 0:
            rows = _add(rows, samples, ctx, rng, room, part_cost, taper, shown, (start + 0.2, start + 0.3))
        if turn == 0 and len(rows) <= max_parts and score(rows, samples, part_cost) < before + 1e-4:
            break
    warnings = samples.warnings
    if not rows:
        rows = [row(oriented_box(samples.surface, np.ones(len(samples.surface))), samples)]
        warnings = (*warnings, "Too little to tell parts apart; one part was put around everything.")
    shape = _shape(rows, samples, target.unit)
    ctx.partial(shape)
    ctx.progress(1.0, f"{len(shape)} parts")
    return ObjectFit(shape, warnings)


def _around_few(points: np.ndarray, target: Target) -> ObjectFit:
    """One part around a handful of points."""
    away = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(away.T @ away)
    half = np.maximum(0.5 * np.ptp(points @ axes, axis=0), 0.005 * target.diagonal)
    middle = axes @ (0.5 * ((points @ axes).min(axis=0) + (points @ axes).max(axis=0)))
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1.0
    part = Superquadric(
        tuple(middle), matrix_to_quaternion(axes), tuple(half), (0.1, 0.1), name="part 1", id=1
    )
    count = f"{len(points)} different point{'s' * (len(points) != 1)}"
    return ObjectFit(
        Shape((part,), target.unit), (f"{count} cannot show parts; one box was put around all.",)
    )


def _add(rows, samples: Samples, ctx: Context, rng, max_parts, part_cost, taper, shown, span) -> list[Row]:
    """``rows`` and new parts, each the best of a few candidates, while they are worth their cost."""
    rows = list(rows)
    value = explained(rows, samples)
    while len(rows) < max_parts:
        ctx.progress(
            span[0] + (span[1] - span[0]) * len(rows) / max_parts, f"Looking for part {len(rows) + 1}"
        )
        held = covered(rows, samples)
        far = np.abs(surface_distance(rows, samples)) > TOLERANCE
        found = candidates(samples, held, rng)
        found.sort(key=lambda part: -_promise(part, samples, held, far))
        best, best_value, least = None, -np.inf, value + part_cost if rows else -1.0
        for part in found[:_TRIED]:
            ctx.check()
            round_ = [v for v in variants(part) if v.exponents[1] == 1.0]
            starts = [
                part,
                *(v for v in round_ if worth(v, samples, held) > 0.9 * worth(part, samples, held)),
            ]
            for fitted in (
                part,
                *(
                    fit_part(start, samples, held, [r.part for r in rows], ctx.check, taper=taper)
                    for start in starts
                ),
            ):
                new = row(fitted, samples)
                new_value = explained([*rows, new], samples)
                waste = float(samples.weights[new.held & ~held & ~samples.solid].sum()) / samples.volume
                if new_value > least and new_value - waste > best_value:
                    best, best_value, value_then = new, new_value - waste, new_value
        if best is None:
            break
        rows.append(best)
        value = value_then
        shown(rows)
    return rows


def _promise(part: Primitive, samples: Samples, held: np.ndarray, far: np.ndarray) -> float:
    """What a candidate may explain: uncovered volume, and surface that is ``far`` from all parts."""
    nearby = samples.surface[: len(far)][far]
    grown = replace(part, size=part.size + 0.3 * samples.step)
    surface = float(inside(grown, nearby).sum()) / max(len(far), 1)
    volume = worth(part, samples, held) / samples.volume
    return (1.0 - SURFACE_SHARE) * volume + SURFACE_SHARE * surface


def _shape(rows: list[Row], samples: Samples, unit: str) -> Shape:
    parts = []
    for n, r in enumerate(rows):
        blank = Superquadric(name=f"part {n + 1}", color=palette_color(n), id=n + 1)
        parts.append(canonical(world_part(r.part, samples, blank)))
    return Shape(tuple(parts), unit=unit)
