"""Fewer parts: pairs that one part explains as well, and parts that explain nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from methods.core.context import Context
from methods.superquadrics.model import Shape
from methods.superquadrics.objective import Row, covered, explained, overlap, row, rows_of, surface_distance
from methods.superquadrics.part_fit import fit_part
from methods.superquadrics.primitive import Primitive, box
from methods.superquadrics.refine import local_part, world_part
from methods.superquadrics.segmentation import oriented_box
from methods.superquadrics.solid_samples import Samples, sample_solid
from methods.superquadrics.target import Target

_ROOMIEST = 2.0
"""Pairs are not tried when a box around both has more than this times their volume."""


@dataclass(frozen=True)
class Proposal:
    """A smaller shape: ``part_ids`` were merged into the first of them, or pruned.

    ``delta_iou`` (None without an inside) and ``delta_chamfer_rel`` are after minus before; the second is the
    mean distance from the target's surface to the shape's, over the diagonal.
    """

    kind: Literal["merge", "prune"]
    part_ids: tuple[int, ...]
    result: Shape
    delta_iou: float | None
    delta_chamfer_rel: float


def reduce_rows(
    rows: list[Row],
    samples: Samples,
    ctx: Context,
    part_cost: float,
    taper: bool,
    *,
    kept: int = 0,
    most: int = 256,
) -> list[Row]:
    """Prune or merge, whatever loses least, while that saves more than it loses or there are too many parts.

    The first ``kept`` parts stay; pairs are only refitted when neither part can simply go.
    """
    rows = list(rows)
    tried: dict[tuple[int, int], Row] = {}
    alive = list(rows)  # keeps every row's id() unique
    while len(rows) > max(kept, 1):
        ctx.check()
        value = explained(rows, samples)
        gain, first, second, merged = -np.inf, -1, -1, None
        for i in range(kept, len(rows)):
            new = explained(rows[:i] + rows[i + 1 :], samples) - value + part_cost
            if new > gain:
                gain, first = new, i
        if gain <= 0:
            for i, j in _pairs(rows):
                if i < kept or j < kept:
                    continue
                key = (id(rows[i]), id(rows[j]))
                if key not in tried:
                    tried[key] = merged_row(rows, i, j, samples, ctx, taper)
                    alive.append(tried[key])
                rest = [r for n, r in enumerate(rows) if n not in (i, j)]
                new = explained([*rest, tried[key]], samples) - value + part_cost
                if new > gain:
                    gain, first, second, merged = new, i, j, tried[key]
        if first < 0 or (gain <= 0 and len(rows) <= most):
            break
        if merged is not None:
            rows[first] = merged
            del rows[second]
        else:
            del rows[first]
    return rows


def merged_row(rows: list[Row], i: int, j: int, samples: Samples, ctx: Context, taper: bool) -> Row:
    """One part in place of two: the best of several starts, fitted to what the other parts leave."""
    ctx.check()
    rest = [r for n, r in enumerate(rows) if n not in (i, j)]
    held = covered(rest, samples)
    best, best_value = None, -1.0
    for start in _starts(rows[i], rows[j], samples):
        for part in (start, fit_part(start, samples, held, [r.part for r in rest], ctx.check, taper=taper)):
            found = row(part, samples)
            value = explained([*rest, found], samples)
            if value > best_value:
                best, best_value = found, value
    assert best is not None
    return best


def _starts(a: Row, b: Row, samples: Samples) -> list[Primitive]:
    large, small = (a, b) if a.part.box_volume >= b.part.box_volume else (b, a)
    starts = [_around(large.part, small.part)]
    both = a.held | b.held
    if both.sum() > 20:
        starts.append(oriented_box(samples.points[both], samples.weights[both]))
    return starts


def _corners(part: Primitive) -> np.ndarray:
    signs = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), axis=-1).reshape(-1, 3)
    grown = signs * part.size
    grown[:, :2] *= 1.0 + part.taper * signs[:, 2:]
    return part.translation + grown @ part.rotation.T


def _around(large: Primitive, small: Primitive) -> Primitive:
    """Box in the larger one's frame around both."""
    corners = np.concatenate([_corners(large), _corners(small)])
    local = large.local(corners)
    low, high = local.min(axis=0), local.max(axis=0)
    centre = large.translation + large.rotation @ (0.5 * (low + high))
    return box(centre, large.rotation, 0.5 * (high - low))


def _pairs(rows: list[Row]) -> list[tuple[int, int]]:
    """Pairs that a single box could hold without much room to spare, tightest first."""
    found = []
    for i in range(len(rows)):
        for j in range(i + 1, len(rows)):
            a, b = rows[i].part, rows[j].part
            large, small = (a, b) if a.box_volume >= b.box_volume else (b, a)
            room = _around(large, small).box_volume / (a.box_volume + b.box_volume)
            if room < _ROOMIEST:
                found.append((room, i, j))
    return [(i, j) for _, i, j in sorted(found)]


# --------------------------------------------------------------------------------------------- proposals


def merge_proposals(shape: Shape, target: Target, ctx: Context) -> list[Proposal]:
    """Every sensible merge of two unlocked parts, the one that costs least first."""
    samples, rows = _prepared(shape, target, ctx)
    found = []
    pairs = [(i, j) for i, j in _pairs(rows) if not (shape.parts[i].locked or shape.parts[j].locked)]
    for n, (i, j) in enumerate(pairs):
        ctx.progress(n / len(pairs), f"Trying pair {n + 1} of {len(pairs)}")
        merged = merged_row(rows, i, j, samples, ctx, True)
        parts = list(shape.parts)
        parts[i] = world_part(merged.part, samples, parts[i])
        del parts[j]
        after = [r for m, r in enumerate(rows) if m not in (i, j)] + [merged]
        ids = (shape.parts[i].id, shape.parts[j].id)
        found.append(_proposal("merge", ids, shape.with_parts(parts), rows, after, samples, target))
    ctx.progress(1.0, f"{len(found)} proposals")
    return [p for _, p in sorted(found, key=lambda item: -item[0])]


def prune_proposals(shape: Shape, target: Target, ctx: Context) -> list[Proposal]:
    """Every shape with one unlocked part less, the one that loses least first."""
    if len(shape) < 2:
        return []
    samples, rows = _prepared(shape, target, ctx)
    found = []
    for i, part in enumerate(shape.parts):
        ctx.progress(i / len(shape), f"Without part {i + 1}")
        if part.locked:
            continue
        left = shape.with_parts([p for p in shape.parts if p is not part])
        found.append(_proposal("prune", (part.id,), left, rows, rows[:i] + rows[i + 1 :], samples, target))
    ctx.progress(1.0, f"{len(found)} proposals")
    return [p for _, p in sorted(found, key=lambda item: -item[0])]


def _prepared(shape: Shape, target: Target, ctx: Context) -> tuple[Samples, list[Row]]:
    ctx.progress(0.0, "Sampling the target")
    samples = sample_solid(target, np.random.default_rng(ctx.seed), ctx.check)
    return samples, rows_of([local_part(p, samples) for p in shape.parts], samples)


def _proposal(kind, ids, result, before, after, samples, target) -> tuple[float, Proposal]:
    delta_iou = overlap(after, samples) - overlap(before, samples) if target.is_solid else None
    reached = [float(np.abs(surface_distance(r, samples)).mean()) for r in (before, after)]
    value = explained(after, samples) - explained(before, samples)
    return value, Proposal(kind, ids, result, delta_iou, reached[1] - reached[0])
