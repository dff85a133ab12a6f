"""The ground grid, and the gizmo's strokes as triangles. No Qt, no OpenGL."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from app.views.scene3d import gizmo
from app.views.scene3d.camera import Camera
from app.views.scene3d.objects import Frame, rgb

Floats = NDArray[np.float64]

GRID_LINES = 20


def grid_step(reach: float) -> float:
    """A round step (1, 2 or 5 times a power of ten) so that about ten fit into ``reach``."""
    raw = max(reach, 1e-300) / 10
    power = 10.0 ** math.floor(math.log10(raw))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= raw * 0.999)


def grid(box: Floats, frame: Frame, color: str, up: int) -> tuple[Floats, Floats, float]:
    """Lines [N, 3] in scene coordinates with colours [N, 4], and the step in world units.

    The ground lies under the box; lines fade towards the edge.
    """
    low, high = np.asarray(box, float)
    flat = [axis for axis in range(3) if axis != up]
    step = grid_step(float(np.linalg.norm(high - low)))
    middle = np.round((low + high) / 2 / step) * step
    offsets = np.arange(-GRID_LINES, GRID_LINES + 1) * step
    reach = GRID_LINES * step
    pieces = np.linspace(-reach, reach, 9)
    points, alphas = [], []
    for along, across in (flat, flat[::-1]):
        for offset in offsets:
            for start, end in itertools.pairwise(pieces):
                for value in (start, end):
                    point = np.zeros(3)
                    point[up], point[along] = low[up], middle[along] + value
                    point[across] = middle[across] + offset
                    points.append(point)
                    alphas.append(max(0.0, 1 - math.hypot(value, offset) / reach) ** 1.5)
    colors = np.tile(np.array([*rgb(color), 1.0]), (len(points), 1))
    colors[:, 3] = np.array(alphas) * 0.9
    return frame.to_scene(np.array(points)), colors, step


def gizmo_triangles(
    strokes: list[gizmo.Stroke], hovered: gizmo.Handle | None, camera: Camera, height: float
) -> tuple[Floats, Floats]:
    """Triangles [N, 3] and colours [N, 4] of the handles."""
    points, colors = [], []
    for stroke in strokes:
        color = gizmo.HOVER_COLOR if stroke.handle == hovered else stroke.handle.color
        made = [ribbon(stroke.points, camera, stroke.width, height), _mark(stroke, camera, height)]
        for triangles in made:
            points.append(triangles)
            colors.append(np.tile([*rgb(color), 1.0], (len(triangles), 1)))
    return np.concatenate(points), np.concatenate(colors)


def _mark(stroke: gizmo.Stroke, camera: Camera, height: float) -> Floats:
    """The end of a stroke as flat triangles that face the eye."""
    tip = stroke.points[-1]
    size = camera.pixel_size(tip, height)
    right, up, _ = camera.axes()
    if stroke.end == "arrow":
        along = tip - stroke.points[0]
        screen = np.array([along @ right, along @ up])
        length = float(np.linalg.norm(screen))
        if length < 2 * size:
            return _disc(tip, right, up, 5 * size)
        forward = (screen[0] * right + screen[1] * up) / length
        side = (-screen[1] * right + screen[0] * up) / length
        return np.array([tip + 14 * size * forward, tip + 5.5 * size * side, tip - 5.5 * size * side])
    if stroke.end == "box":
        half = 5 * size
        a, b, c, d = (tip + half * (i * right + j * up) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
        return np.array([a, b, c, a, c, d])
    if stroke.end == "dot":
        return _disc(tip, right, up, 5 * size)
    return np.zeros((0, 3))


def _disc(center: Floats, right: Floats, up: Floats, radius: float, steps: int = 16) -> Floats:
    angles = np.linspace(0, 2 * math.pi, steps + 1)
    rim = center + radius * (np.cos(angles)[:, None] * right + np.sin(angles)[:, None] * up)
    return np.stack([np.broadcast_to(center, (steps, 3)), rim[:-1], rim[1:]], axis=1).reshape(-1, 3)


def ribbon(points: Floats, camera: Camera, pixels: float, height: float) -> Floats:
    """Triangles [N, 3] of a polyline as wide as ``pixels``: OpenGL lines are one pixel wide on most cards."""
    back, eye = camera.axes()[2], camera.eye
    a, b = points[:-1], points[1:]
    along = b - a
    middle = (a + b) / 2
    side = np.cross(along, back if camera.parallel else eye - middle)
    length, norm = np.linalg.norm(along, axis=1, keepdims=True), np.linalg.norm(side, axis=1, keepdims=True)
    drawn = (length > 0)[:, 0] & (norm > 0)[:, 0]
    a, b, along, middle, side, length, norm = (v[drawn] for v in (a, b, along, middle, side, length, norm))
    depth = np.full(norm.shape, camera.distance) if camera.parallel else ((eye - middle) @ back)[:, None]
    size = 2 * math.tan(math.radians(camera.fov) / 2) * np.maximum(depth, 1e-6) / height
    side *= pixels / 2 * size / norm
    overlap = along / length * np.linalg.norm(side, axis=1, keepdims=True) * 0.5
    a, b = a - overlap, b + overlap
    return np.stack([a - side, b - side, b + side, a - side, b + side, a + side], axis=1).reshape(-1, 3)
