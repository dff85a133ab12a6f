"""Parameters of the superquadric actions: ranges, units and help, light enough to list at start-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from methods.core.params import Choice, Flag, Number, Text


@dataclass(frozen=True)
class FitParams:
    """Whole-object fit: mesh or cloud to the fewest parts that explain it."""

    max_parts: Annotated[int, Number("Most parts to use", ge=1, le=64, label="max parts")] = 16
    part_cost: Annotated[
        float,
        Number(
            "Share of the object a part must explain to be worth having; higher gives fewer parts",
            ge=0.0005,
            le=0.1,
            log=True,
            label="part cost",
        ),
    ] = 0.004
    taper: Annotated[bool, Flag("Let parts taper along their own z axis")] = True


@dataclass(frozen=True)
class FitOneParams:
    """Single fit: one superquadric to all points."""

    points: Annotated[int, Number("Points sampled from the target", ge=50, le=20000)] = 1000
    taper: Annotated[bool, Flag("Fit a linear taper as well")] = False
    axisymmetric: Annotated[bool, Flag("Keep the part round about its z axis (a1 = a2, e2 = 1)")] = False
    partial_view: Annotated[
        bool, Flag("Points show one side only: prefer the smaller volume", label="partial view")
    ] = False
    outliers: Annotated[
        float, Number("Share of points that belong to nothing", ge=0.0, le=0.6, step=0.05)
    ] = 0.0


@dataclass(frozen=True)
class RefineParams:
    """Least-squares refinement of an existing shape against a target."""

    only: Annotated[
        str | None,
        Text("Numbers of the parts to refine, as in 1,3,4; none means all unlocked ones"),
    ] = None


@dataclass(frozen=True)
class EvaluateParams:
    """Figures of a shape against a target."""

    points: Annotated[int, Number("Surface points for distances", ge=1000, le=500_000)] = 20_000
    threshold: Annotated[
        float, Number("Distance that counts as a hit, of the diagonal", ge=0.05, le=20, unit="%")
    ] = 1.0


@dataclass(frozen=True)
class SampleParams:
    """Points on the visible surface of the union."""

    points: Annotated[int, Number("Exact number of points", ge=1, le=2_000_000)] = 2048
    method: Annotated[
        str, Choice("Area-uniform random points, or farthest-point sampling", options=("area", "farthest"))
    ] = "area"


@dataclass(frozen=True)
class MeshParams:
    """Triangles of the parts."""

    resolution: Annotated[int, Number("Quads per quarter turn decide the triangle count", ge=3, le=512)] = 32
    union: Annotated[bool, Flag("One watertight union instead of a mesh per part")] = False
