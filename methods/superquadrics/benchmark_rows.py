"""The nine synthetic rows on which single fits are compared, and EMS's figures on them.

EMS's figures (time, median and worst IoU; 12 superquadrics per row, 1,000 area-uniform points each) were
measured with the authors' Python code on the same kind of machine; see docs/superquadrics.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from methods.superquadrics.fit_one import fit_superquadric
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.surface import sample_surface
from methods.superquadrics.union import occupancy

POINTS = 1000


@dataclass(frozen=True)
class Row:
    """One kind of superquadric; exponents are drawn from ``exponents``, sizes by ``kind``."""

    name: str
    exponents: tuple[float, float] = (0.1, 1.9)
    noise: float = 0.0
    kind: str = "plain"
    scale: float = 1.0
    offset: float = 0.0
    ems: tuple[float, float, float] = (0.0, 0.0, 0.0)


ROWS = (
    Row("clean", ems=(0.08, 1.000, 0.996)),
    Row("noise 2 %", noise=0.02, ems=(0.20, 0.990, 0.938)),
    Row("boxy", exponents=(0.02, 0.15), ems=(0.07, 0.999, 0.955)),
    Row("octahedral", exponents=(1.7, 2.0), ems=(0.08, 1.000, 0.996)),
    Row("thin 1:50", kind="thin", ems=(0.09, 1.000, 1.000)),
    Row("millimetres x1000", scale=1000.0, ems=(0.07, 1.000, 0.996)),
    Row("tiny x1e-4", scale=1e-4, ems=(0.18, 1.000, 0.996)),
    Row("cube", exponents=(0.1, 0.1), kind="cube", ems=(0.31, 0.996, 0.761)),
    Row("offset 1e6", offset=1e6, ems=(0.05, 1.000, 0.996)),
)


def draw(row: Row, rng: np.random.Generator) -> Superquadric:
    """A random superquadric of this row."""
    size = rng.uniform(0.3, 1.0, 3)
    if row.kind == "thin":
        size = np.array([1.0, rng.uniform(0.5, 1.0), 0.02])
    elif row.kind == "cube":
        size = np.full(3, rng.uniform(0.5, 1.0))
    return Superquadric(
        translation=tuple(rng.uniform(-1, 1, 3) * row.scale + row.offset),
        rotation=tuple(rng.normal(size=4)),
        size=tuple(size * row.scale),
        exponents=tuple(rng.uniform(*row.exponents, 2)),
    )


def cloud(row: Row, part: Superquadric, rng: np.random.Generator, points: int = POINTS) -> np.ndarray:
    """Area-uniform points of its surface, with the row's noise (as a share of the mean semi-axis)."""
    found, _ = sample_surface(part, points, rng)
    return found + row.noise * float(np.mean(part.size)) * rng.normal(size=found.shape)


def solid_iou(a: Superquadric, b: Superquadric, rng: np.random.Generator, points: int = 40_000) -> float:
    """Intersection over union of two untapered solids, by random points inside each."""
    shares = []
    for one, other in ((a, b), (b, a)):
        # Points in each one's own box: thin parts would fill next to nothing of a box along the axes.
        world = one.to_world(rng.uniform(-1.02, 1.02, (points, 3)) * one.size)
        inside = occupancy(Shape((one,)), world)
        volume = float(inside.mean()) * float(np.prod(one.size))
        shared = float(occupancy(Shape((other,)), world[inside]).mean()) if inside.any() else 0.0
        shares.append((volume, volume * shared))
    shared = 0.5 * (shares[0][1] + shares[1][1])
    return shared / (shares[0][0] + shares[1][0] - shared)


def rows(count: int = 24, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Measure every row: CPU seconds per fit, median and worst IoU, beside EMS's."""
    for row in ROWS:
        rng = np.random.default_rng(seed)
        times, ious = [], []
        for _ in range(count):
            part = draw(row, rng)
            points = cloud(row, part, rng)
            clock = time.process_time()
            found = fit_superquadric(points)
            times.append(time.process_time() - clock)
            ious.append(solid_iou(part, found.part, rng))
        yield {
            "row": row.name,
            "n": count,
            "seconds": float(np.median(times)),
            "seconds_p95": float(np.percentile(times, 95)),
            "iou": float(np.median(ious)),
            "iou_min": float(np.min(ious)),
            "ems": row.ems,
        }
