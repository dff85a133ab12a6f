"""Draws the contents of a scene: which things, in which order, in which colours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.theme.tokens import Tokens
from app.views.scene3d import decorations, gizmo
from app.views.scene3d.camera import Camera
from app.views.scene3d.contents import SceneContents, TargetData
from app.views.scene3d.renderer import NO_CLIP, PointBuffers, Renderer, SurfaceBuffers

TARGET_COLOR = {True: "#c8ced8", False: "#6b7380"}
"""By whether the look is dark."""

MANY_POINTS = 200_000
LEAST_POINT_ALPHA = 0.6

Grid = tuple[NDArray[np.float64], NDArray[np.float64], float]


class Painter:
    """Keeps the renderer and the grid of one view."""

    def __init__(self) -> None:
        self._renderer = Renderer()

    def draw(
        self,
        contents: SceneContents,
        camera: Camera,
        size: tuple[float, float],
        tokens: Tokens,
        display: str,
        grid: Grid | None,
        target_opacity: float | None,
        outlines: bool = True,
        ratio: float = 1.0,
    ) -> None:
        """One picture without handles; with ``outlines`` around what is selected.

        Args:
            target_opacity: None when the target is switched off.
            ratio: pixels of the picture per pixel of ``size``.
        """
        renderer = self._renderer
        look = renderer.look
        look.background, look.line, look.accent = tokens.view, tokens.border, tokens.accent
        look.display = display
        look.clip = contents.clip_plane() or NO_CLIP
        renderer.begin(camera, *size, contents.reach(camera.center), ratio)
        if grid is not None:
            renderer.lines(grid[0], grid[1])
        target = contents.target if target_opacity is not None else None
        # Painted with distances, the target is what one looks at; the objects would only cover it.
        if target is None or target.colors is None:
            self._draw_objects(contents, set(contents.selection) if outlines else set())
        if target is not None:
            self._draw_target(contents, target, tokens.dark, target_opacity or 0.0)

    def draw_handles(
        self, strokes: list[gizmo.Stroke], hovered: gizmo.Handle | None, camera: Camera, height: float
    ) -> None:
        if strokes:
            points, colors = decorations.gizmo_triangles(strokes, hovered, camera, height)
            self._renderer.lines(points, colors, depth_test=False, mode="triangles")

    def _draw_objects(self, contents: SceneContents, outlined: set[int]) -> None:
        for item in contents.drawn.values():
            if not item.object.visible:
                continue
            if item.buffers is None:
                item.buffers = SurfaceBuffers(item.vertices, item.faces, item.normals)
                item.buffers.set_colors(item.colors)
            matrix = contents.frame.matrix(item.object.transform)
            selected = item.object.id in outlined
            self._renderer.surface(item.buffers, matrix, item.object.color, selected=selected)
        # After all surfaces, so that no later one covers an outline.
        for item in contents.selected():
            if item.object.visible and item.object.id in outlined:
                self._renderer.outline(item.buffers, contents.frame.matrix(item.object.transform))

    def _draw_target(self, contents: SceneContents, target: TargetData, dark: bool, opacity: float) -> None:
        if target.buffers is None:
            target.buffers = _upload(target, contents)
            target.buffers.set_colors(target.colors)
        alone = not any(item.object.visible for item in contents.drawn.values())
        alpha = 1.0 if alone or target.colors is not None else opacity
        color = TARGET_COLOR[dark]
        if target.faces is None:
            size = 2.0 if target.total > MANY_POINTS else 3.0
            self._renderer.points(target.buffers, color, max(alpha, LEAST_POINT_ALPHA), size)
        else:
            self._renderer.look.display = "solid"
            self._renderer.surface(target.buffers, np.eye(4), color, alpha)


def _upload(target: TargetData, contents: SceneContents) -> Any:
    points = contents.frame.to_scene(target.vertices)
    if target.faces is None:
        return PointBuffers(points)
    return SurfaceBuffers(points, target.faces, target.normals)
