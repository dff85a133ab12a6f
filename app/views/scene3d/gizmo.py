"""The handles to move, turn and scale: their shapes, and which one is under the pointer. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.views.scene3d.camera import Camera
from app.views.scene3d.transform import Constraint

Floats = NDArray[np.float64]

PIXELS = 84
"""Length of an arm on the screen, whatever the zoom."""

REACH = 9
"""Pixels around a handle that still count as it."""

COLORS = ("#E5484D", "#4CB782", "#4C8DFF")
FREE_COLOR = "#C9CED6"
HOVER_COLOR = "#FFD24A"
PLANE_AT = 0.36
RING_STEPS = 48


@dataclass(frozen=True)
class Handle:
    """One thing to grab."""

    constraint: Constraint
    color: str


@dataclass(frozen=True, eq=False)
class Stroke:
    """A polyline [N, 3] in scene coordinates, drawn with a width in pixels; ``end`` is drawn as a mark."""

    handle: Handle
    points: Floats
    width: float
    end: str = ""


AXIS_HANDLES = tuple(Handle(Constraint("axis", i), COLORS[i]) for i in range(3))
PLANE_HANDLES = tuple(Handle(Constraint("plane", i), COLORS[i]) for i in range(3))
FREE_HANDLE = Handle(Constraint(), FREE_COLOR)


def strokes(
    kind: str, pivot: Floats, axes: Floats, local: bool, camera: Camera, height: float
) -> list[Stroke]:
    """The handles for a ``kind`` of transform at ``pivot``, along the columns of ``axes``."""
    arm = PIXELS * camera.pixel_size(pivot, height)

    def handle(base: Handle) -> Handle:
        c = base.constraint
        return Handle(Constraint(c.kind, c.axis, local), base.color)

    if kind == "rotate":
        return [_ring(handle(AXIS_HANDLES[i]), pivot, axes, i, arm, camera) for i in range(3)]
    found = [
        Stroke(
            handle(AXIS_HANDLES[i]),
            np.stack([pivot, pivot + arm * axes[:, i]]),
            3.0,
            "arrow" if kind == "translate" else "box",
        )
        for i in range(3)
    ]
    if kind == "translate":
        found += [_square(handle(PLANE_HANDLES[i]), pivot, axes, i, arm) for i in range(3)]
    found.append(Stroke(FREE_HANDLE, np.stack([pivot, pivot]), 4.0, "dot"))
    return found


def _ring(handle: Handle, pivot: Floats, axes: Floats, axis: int, radius: float, camera: Camera) -> Stroke:
    """The half of a circle that faces the eye: the other half would only be in the way."""
    u, v = axes[:, (axis + 1) % 3], axes[:, (axis + 2) % 3]
    back = camera.axes()[2]
    middle = math.atan2(float(back @ v), float(back @ u))
    angles = middle + np.linspace(-math.pi / 2, math.pi / 2, RING_STEPS)
    points = pivot + radius * (np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * v)
    return Stroke(handle, points, 3.0)


def _square(handle: Handle, pivot: Floats, axes: Floats, axis: int, arm: float) -> Stroke:
    u, v = axes[:, (axis + 1) % 3], axes[:, (axis + 2) % 3]
    near, far = PLANE_AT * arm, (PLANE_AT + 0.16) * arm
    corners = [
        near * u + near * v,
        far * u + near * v,
        far * u + far * v,
        near * u + far * v,
        near * u + near * v,
    ]
    return Stroke(handle, pivot + np.array(corners), 2.0)


def handle_at(
    found: list[Stroke], camera: Camera, x: float, y: float, width: float, height: float
) -> Handle | None:
    """The handle under a pixel: the nearest, and of equally near ones the later drawn."""
    best: tuple[float, Handle] | None = None
    for stroke in found:
        pixels = camera.project(stroke.points, width, height)[:, :2]
        if np.isnan(pixels).any():
            continue
        distance = _distance_to_polyline(np.array([x, y]), pixels)
        if distance <= REACH and (best is None or distance <= best[0]):
            best = (distance, stroke.handle)
    return best[1] if best else None


def _distance_to_polyline(point: Floats, line: Floats) -> float:
    a, b = line[:-1], line[1:]
    along = b - a
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    t = np.clip(((point - a) * along).sum(axis=1) / length, 0, 1)
    return float(np.linalg.norm(a + t[:, None] * along - point, axis=1).min())
