"""How good a set of parts is: volume and surface explained, minus a price per part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from methods.superquadrics.primitive import Primitive, distance
from methods.superquadrics.solid_samples import Bools, Floats, Samples

SURFACE_POINTS = 3000
TOLERANCE = 0.012
"""Distance, as a share of the diagonal, at which a surface point is only half explained."""


SURFACE_SHARE = 0.35
"""Weight of the surface against the volume in what is explained."""


@dataclass(frozen=True)
class Row:
    """One part and what it does to the samples: ``held`` [N] points inside, ``distance`` [SURFACE_POINTS]."""

    part: Primitive
    held: Bools
    distance: Floats


def row(part: Primitive, samples: Samples) -> Row:
    return Row(part, samples.held_by(part), distance(part, samples.surface[:SURFACE_POINTS]))


def rows_of(parts: Sequence[Primitive], samples: Samples) -> list[Row]:
    return [row(part, samples) for part in parts]


def covered(rows: Sequence[Row], samples: Samples) -> Bools:
    """Which sample points some part holds [N]."""
    result = np.zeros(len(samples.points), bool)
    for r in rows:
        result |= r.held
    return result


def surface_distance(rows: Sequence[Row], samples: Samples) -> Floats:
    """Signed distance of the first surface samples to the union, in diagonals; 1 without parts."""
    result = np.ones(min(SURFACE_POINTS, len(samples.surface)))
    for r in rows:
        np.minimum(result, r.distance, out=result)
    return result


def overlap(rows: Sequence[Row], samples: Samples) -> float:
    """Intersection over union of parts and target, estimated on the samples."""
    held, w = covered(rows, samples), samples.weights
    union = float(w[held | samples.solid].sum())
    return float(w[held & samples.solid].sum()) / union if union else 0.0


def explained(rows: Sequence[Row], samples: Samples) -> float:
    """Weighted mean of IoU and the softly counted share of surface points near the union's surface, in [0, 1]."""
    d = surface_distance(rows, samples) / TOLERANCE
    return (1.0 - SURFACE_SHARE) * overlap(rows, samples) + SURFACE_SHARE * float(
        (1.0 / (1.0 + d * d)).mean()
    )


def score(rows: Sequence[Row], samples: Samples, part_cost: float) -> float:
    """What fitting maximises."""
    return explained(rows, samples) - part_cost * len(rows)
