"""What can be exported, and what each kind asks for. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from methods.core.params import NoParams, Number
from methods.superquadrics.params import MeshParams, SampleParams


@dataclass(frozen=True)
class PictureParams:
    """A picture of the 3D view."""

    scale: Annotated[int, Number("Times the size on screen", ge=1, le=8)] = 2


@dataclass(frozen=True)
class TurntableParams:
    """An animated turn around the object."""

    frames: Annotated[int, Number("Pictures in one turn", ge=8, le=360)] = 60
    size: Annotated[int, Number("Width and height", ge=64, le=2048, unit="px")] = 480
    seconds: Annotated[float, Number("Length of one turn", ge=0.5, le=60, unit="s")] = 4.0


@dataclass(frozen=True)
class ExportChoice:
    """One kind of export: where its formats are listed, and the parameters it asks for."""

    id: str
    title: str
    explanation: str
    params: type


EXPORTS = (
    ExportChoice(
        "parts", "Parts", "The parameters themselves, as JSON or NPZ: exact and editable.", NoParams
    ),
    ExportChoice(
        "mesh", "Mesh", "Watertight triangles at any resolution, one object per part or a union.", MeshParams
    ),
    ExportChoice("points", "Point cloud", "Points on the visible surface with normals.", SampleParams),
    ExportChoice("picture", "Picture", "The 3D view as PNG.", PictureParams),
    ExportChoice("turntable", "Turntable", "One turn around the object as an animated GIF.", TurntableParams),
)
