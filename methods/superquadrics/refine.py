"""Refinement of a whole shape: every part in turn is fitted to what the others leave, while the score rises."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.superquadrics.model import Shape, Superquadric, matrix_to_quaternion
from methods.superquadrics.objective import Row, covered, explained, row, rows_of
from methods.superquadrics.part_fit import fit_part
from methods.superquadrics.primitive import Primitive, variants
from methods.superquadrics.solid_samples import Bools, Samples, sample_solid
from methods.superquadrics.target import Target

_SWEEPS = 4
_SMALLEST_GAIN = 2e-4
_GOOD_ENOUGH = 0.04
"""Misfit of a part below which no other start is tried for it."""


def refine(shape: Shape, target: Target, ctx: Context, *, part_ids: Collection[int] | None = None) -> Shape:
    """The shape with its parts fitted to the target; never worse by the objective.

    Args:
        part_ids: which parts may move; None = all. Locked parts never move.

    Raises:
        BadInput: an id that the shape does not have, or nothing left that may move.
    """
    wanted = {p.id for p in shape.parts} if part_ids is None else set(part_ids)
    if unknown := sorted(wanted - {p.id for p in shape.parts}):
        raise BadInput(f"The shape has no part {unknown[0]}.", "Choose one of its parts.")
    free = [i for i, p in enumerate(shape.parts) if p.id in wanted and not p.locked]
    if not free:
        raise BadInput("No part may be changed: all that were chosen are locked.", "Unlock or choose a part.")
    ctx.progress(0.0, "Sampling the target")
    samples = sample_solid(target, np.random.default_rng(ctx.seed), ctx.check)
    rows = rows_of([local_part(p, samples) for p in shape.parts], samples)
    before = explained(rows, samples)

    def shown(current: list[Row]) -> None:
        ctx.partial(_updated(shape, current, free, samples))

    result = sweep(rows, samples, ctx, free=free, sweeps=_SWEEPS, shown=shown, span=(0.1, 1.0))
    ctx.progress(1.0, "Refined")
    if explained(result, samples) <= before:
        return shape
    return _updated(shape, result, free, samples)


def sweep(
    rows,
    samples: Samples,
    ctx: Context,
    *,
    free=None,
    sweeps: int = 2,
    taper: bool = True,
    shown=None,
    span: tuple[float, float] = (0.0, 1.0),
    text: str = "Refining",
) -> list[Row]:
    """``rows`` with the parts numbered in ``free`` refitted in turn, as long as what is explained grows."""
    rows = list(rows)
    free = list(range(len(rows))) if free is None else list(free)
    value = explained(rows, samples)
    active = set(free)
    for turn in range(sweeps):
        start = value
        for n, i in enumerate(free):
            ctx.progress(
                span[0] + (span[1] - span[0]) * (turn + n / len(free)) / sweeps, f"{text} part {i + 1}"
            )
            if i not in active:
                continue
            others = rows[:i] + rows[i + 1 :]
            held = covered(others, samples)
            best, best_value = rows[i], value
            starts = [rows[i].part]
            if turn == 0 and _misfit(rows[i], held, samples) > _GOOD_ENOUGH:
                starts += variants(rows[i].part)
            for begin in starts:
                ctx.check()
                part = fit_part(begin, samples, held, [r.part for r in others], ctx.check, taper=taper)
                found = row(part, samples)
                new = explained([*rows[:i], found, *rows[i + 1 :]], samples)
                if new > best_value:
                    best, best_value = found, new
            if best_value > value + _SMALLEST_GAIN / 10:
                rows[i], value = best, best_value
                if shown is not None:
                    shown(rows)
            else:
                active.discard(i)
        if value < start + _SMALLEST_GAIN:
            break
        active |= set(free)
    return rows


def _misfit(one: Row, held: Bools, samples: Samples) -> float:
    """Volume that a part holds wrongly or leaves open right beside it, over its own."""
    part, w = one.part, samples.weights
    beside = samples.block(part.translation, part.world_reach() + samples.step)
    missing = w[beside] @ (samples.solid & ~held & ~one.held)[beside]
    wrong = w[beside] @ (one.held & ~held & ~samples.solid)[beside]
    return float(missing + wrong) / max(float(w[beside] @ one.held[beside]), 1e-12)


def local_part(part: Superquadric, samples: Samples) -> Primitive:
    """A part in the samples' coordinates."""
    return samples.local_part(part.translation, part.rotation_matrix(), part.size, part.exponents, part.taper)


def world_part(part: Primitive, samples: Samples, like: Superquadric) -> Superquadric:
    """``like`` with the geometry of a part in the samples' coordinates."""
    translation = samples.centre + samples.scale * (samples.frame @ part.translation)
    return replace(
        like,
        translation=tuple(translation.tolist()),
        rotation=matrix_to_quaternion(samples.frame @ part.rotation),
        size=tuple((samples.scale * part.size).tolist()),
        exponents=tuple(part.exponents.tolist()),
        taper=tuple(part.taper.tolist()),
    )


def _updated(shape: Shape, rows: list[Row], free: list[int], samples: Samples) -> Shape:
    parts = list(shape.parts)
    for i in free:
        parts[i] = world_part(rows[i].part, samples, parts[i])
    return shape.with_parts(parts)
