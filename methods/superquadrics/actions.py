"""The work behind each declared action: thin glue between the declaration and the modules that do it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.core.results import Outcome
from methods.superquadrics import params as p
from methods.superquadrics.model import Shape
from methods.superquadrics.target import Target


def fit(params: p.FitParams, context: Context, target: Target) -> Outcome:
    """Mesh or cloud -> the fewest parts that explain it. Value: :class:`Shape`."""
    from methods.superquadrics.fit_object import fit_object

    found = fit_object(
        target, context, max_parts=params.max_parts, part_cost=params.part_cost, taper=params.taper
    )
    warnings = (*target.warnings, *found.warnings)
    return Outcome(found.shape, _figures(found.shape, target, context), warnings)


def fit_one(params: p.FitOneParams, context: Context, target: Target) -> Outcome:
    """All points -> one part. Value: :class:`Shape` with a single part."""
    from methods.superquadrics.fit_one import fit_superquadric

    points, normals = target.sample(params.points, context.rng)
    context.check()
    found = fit_superquadric(
        points,
        normals=normals,
        taper=params.taper,
        axisymmetric=params.axisymmetric,
        partial_view=params.partial_view,
        outliers=params.outliers,
        rng=context.rng,
    )
    shape = Shape((found.part,), unit=target.unit)
    facts = {"residual_rms": found.residual_rms, "inlier_share": found.inlier_share}
    return Outcome(shape, _figures(shape, target, context) | facts, (*target.warnings, *found.warnings))


def refine(params: p.RefineParams, context: Context, parts: Shape, target: Target) -> Outcome:
    """Improve parts against the target; locked ones stay. Value: :class:`Shape`."""
    from methods.superquadrics.refine import refine as refine_shape

    chosen = None if params.only is None else _part_ids(params.only, parts)
    before = _figures(parts, target, context)
    refined = refine_shape(parts, target, context, part_ids=chosen)
    after = _figures(refined, target, context)
    was = {f"{name}_before": before[name] for name in ("iou", "chamfer_rel")}
    return Outcome(refined, after | was, target.warnings)


def evaluate(params: p.EvaluateParams, context: Context, parts: Shape, target: Target) -> Outcome:
    """Figures of a shape against a target; no value."""
    return Outcome(
        None, _figures(parts, target, context, params.points, params.threshold / 100), target.warnings
    )


def sample(params: p.SampleParams, context: Context, parts: Shape) -> Outcome:
    """Exactly N points with normals on the visible surface. Value: ``(points, normals)``."""
    from methods.superquadrics.union import sample_union

    points, normals, owner = sample_union(parts, params.points, context.rng, method=params.method)
    counts = [int((owner == i).sum()) for i in range(len(parts.parts))]
    return Outcome((points, normals), {"points": len(points), "points_per_part": counts})


def mesh(params: p.MeshParams, context: Context, parts: Shape) -> Outcome:
    """Watertight triangles of every part, or of their union. Value: what ``export.save_mesh`` takes."""
    from methods.superquadrics.export import shape_mesh

    made = shape_mesh(parts, params.resolution, union=params.union)
    facts = {"objects": len(made), "vertices": sum(len(m.vertices) for m in made)}
    return Outcome(made, facts | {"faces": sum(len(m.faces) for m in made)})


def info(params: Any, context: Context, file: Path) -> Outcome:
    """What a file holds; no value."""
    from methods.superquadrics import formats
    from methods.superquadrics.loading import describe

    if formats.is_parts_file(file):
        return _describe_parts(formats.load(file))
    facts = describe(file)
    return Outcome(None, facts, tuple(facts.pop("warnings", ())))


def _describe_parts(shape: Shape) -> Outcome:
    from methods.superquadrics.geometry import volume

    batch = shape.parameters()
    low, high = shape.bounds()
    facts = {
        "format": "superquadric parts",
        "parts": len(shape.parts),
        "size": [float(v) for v in high - low],
        "unit": shape.unit,
        "names": [part.name for part in shape.parts],
        "volume_sum": float(volume(batch.size, batch.exponents, batch.taper).sum()),
    }
    return Outcome(None, facts)


def _part_ids(text: str, shape: Shape) -> tuple[int, ...]:
    """Ids of the parts that ``"1,3,4"`` (counted from 1, in file order) names."""
    ids = []
    for word in text.split(","):
        number = int(word) if word.strip().isdecimal() else 0
        if not 1 <= number <= len(shape.parts):
            raise BadInput(f"--only: there is no part {word.strip()!r}.", f"Use 1 to {len(shape.parts)}.")
        ids.append(shape.parts[number - 1].id)
    return tuple(ids)


def _figures(
    shape: Shape, target: Target, context: Context, points: int = 20_000, threshold: float = 0.01
) -> dict[str, Any]:
    """The figures every result of this method carries, from the same generator seed every time."""
    import numpy as np

    from methods.superquadrics.metrics import evaluate as measure

    figures = measure(
        shape, target, np.random.default_rng(context.seed), points=points, threshold_rel=threshold
    )
    return {"parts": len(shape.parts)} | figures.to_dict()
