"""Draws the scene with vispy's gloo. Holds buffers, decides nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from app.views.scene3d import shaders
from app.views.scene3d.camera import Camera
from app.views.scene3d.objects import rgb

Floats = NDArray[np.float64]

OUTLINE_PIXELS, OUTLINE_GAP = 3.5, 1.5
NO_CLIP = (0.0, 0.0, 0.0, 1.0)


def edges_of(faces: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Every edge once, [E, 2]."""
    pairs = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return np.unique(pairs, axis=0).astype(np.uint32)


class SurfaceBuffers:
    """A mesh on the graphics card: as triangles, edges and points."""

    def __init__(self, vertices: Any, faces: NDArray[np.uint32], normals: Any) -> None:
        self.count = len(vertices)
        self._faces = faces
        self.position = gloo.VertexBuffer(np.ascontiguousarray(vertices, np.float32))
        self.normal = gloo.VertexBuffer(np.ascontiguousarray(normals, np.float32))
        self.color = gloo.VertexBuffer(np.zeros((max(self.count, 1), 3), np.float32))
        self.has_colors = False
        self.triangles = gloo.IndexBuffer(np.ascontiguousarray(faces, np.uint32))
        self._edges: gloo.IndexBuffer | None = None

    @property
    def edges(self) -> gloo.IndexBuffer:
        if self._edges is None:
            self._edges = gloo.IndexBuffer(edges_of(self._faces))
        return self._edges

    def set_colors(self, colors: Any) -> None:
        """Colours per vertex [V, 3], or None for the plain colour."""
        self.has_colors = colors is not None
        if colors is not None:
            self.color.set_data(np.ascontiguousarray(colors, np.float32))


class PointBuffers:
    """A point cloud on the graphics card."""

    def __init__(self, points: Any) -> None:
        self.count = len(points)
        self.position = gloo.VertexBuffer(np.ascontiguousarray(points, np.float32))
        self.color = gloo.VertexBuffer(np.zeros((max(self.count, 1), 3), np.float32))
        self.has_colors = False

    def set_colors(self, colors: Any) -> None:
        self.has_colors = colors is not None
        if colors is not None:
            self.color.set_data(np.ascontiguousarray(colors, np.float32))


@dataclass
class Look:
    """How a frame is drawn: colours of the theme, display mode, clip plane."""

    background: str = "#14161a"
    line: str = "#343943"
    accent: str = "#5aa2ff"
    display: str = "solid"
    clip: tuple[float, float, float, float] = NO_CLIP
    rim: float = 0.08


class Renderer:
    """One set of programs; every call draws into the current canvas."""

    def __init__(self) -> None:
        self._surface = gloo.Program(shaders.SURFACE_VERTEX, shaders.SURFACE_FRAGMENT)
        self._points = gloo.Program(shaders.POINT_VERTEX, shaders.POINT_FRAGMENT)
        self._lines = gloo.Program(shaders.LINE_VERTEX, shaders.LINE_FRAGMENT)
        self.look = Look()
        self._size = (1.0, 1.0)

    def begin(
        self, camera: Camera, width: float, height: float, reach: float = 4.0, ratio: float = 1.0
    ) -> None:
        """Clear the picture and set what holds for all of it. Sizes in device-independent pixels."""
        self._size = (width, height)
        gloo.set_state(depth_test=True, blend=True, cull_face=False)
        gloo.set_state(blend_func=("src_alpha", "one_minus_src_alpha"))
        gloo.set_depth_mask(True)
        gloo.clear(color=(*rgb(self.look.background), 1.0), depth=True)
        view = camera.view().T.astype(np.float32)
        projection = camera.projection(width / height, reach).T.astype(np.float32)
        for program in (self._surface, self._points, self._lines):
            program["u_view"], program["u_projection"] = view, projection
        right, up, back = camera.axes()
        key = 0.35 * right + 0.55 * up + 0.75 * back
        self._surface["u_eye"] = tuple(camera.eye if not camera.parallel else camera.eye + 50 * back)
        self._surface["u_key"] = tuple(key / np.linalg.norm(key))
        self._surface["u_rim"] = self.look.rim
        self._surface["u_size"] = 2.0 * ratio
        # What is the same for every mesh is set once: each uniform costs time again for each of the parts.
        self._surface["u_clip"] = self.look.clip
        self._surface["u_inflate"] = 0.0
        self._flat: float | None = None

    def surface(
        self, buffers: SurfaceBuffers, model: Floats, color: str, alpha: float = 1.0, selected: bool = False
    ) -> None:
        """Draw a mesh in the present display mode."""
        if buffers.count == 0:
            return
        self._bind(buffers, model)
        program = self._surface
        program["u_use_vertex_color"] = float(buffers.has_colors)
        program["u_color"] = (*rgb(color), alpha)
        self._set_flat(self.look.display != "solid")
        if alpha < 1:
            gloo.set_depth_mask(False)
        if self.look.display == "solid":
            program.draw("triangles", buffers.triangles)
        else:
            if selected:
                program["u_color"] = (*rgb(self.look.accent), alpha)
            if self.look.display == "wireframe":
                program.draw("lines", buffers.edges)
            else:
                program.draw("points")
        if alpha < 1:
            gloo.set_depth_mask(True)

    def _set_flat(self, flat: bool) -> None:
        if self._flat != flat:
            self._flat = flat
            self._surface["u_flat"] = float(flat)

    def outline(self, buffers: SurfaceBuffers, model: Floats) -> None:
        """The mesh once more, swollen on the screen, from behind: what sticks out is the outline.

        Drawn after all surfaces, so that none covers it; a gap in the background's colour sets the accent off
        from parts that have nearly the same colour.
        """
        if buffers.count == 0 or self.look.display != "solid":
            return
        self._bind(buffers, model)
        program = self._surface
        program["u_use_vertex_color"] = 0.0
        self._set_flat(True)
        gloo.set_state(cull_face="front")
        gloo.set_state(cull_face=True)
        gloo.set_depth_mask(False)
        for pixels, color in ((OUTLINE_PIXELS, self.look.accent), (OUTLINE_GAP, self.look.background)):
            program["u_inflate"] = 2 * pixels / self._size[1]
            program["u_color"] = (*rgb(color), 1.0)
            program.draw("triangles", buffers.triangles)
        program["u_inflate"] = 0.0
        gloo.set_depth_mask(True)
        gloo.set_state(cull_face=False)

    def _bind(self, buffers: SurfaceBuffers, model: Floats) -> None:
        program = self._surface
        program["a_position"] = buffers.position
        program["a_normal"] = buffers.normal
        program["a_color"] = buffers.color
        program["u_model"] = model.T.astype(np.float32)
        normal = model[:3, :3] / (np.abs(model[:3, :3]).max() or 1.0)
        program["u_normal"] = normal.T.astype(np.float32)

    def points(self, buffers: PointBuffers, color: str, alpha: float, size: float) -> None:
        if buffers.count == 0:
            return
        program = self._points
        program["a_position"], program["a_color"] = buffers.position, buffers.color
        program["u_clip"] = self.look.clip
        program["u_use_vertex_color"] = float(buffers.has_colors)
        program["u_color"] = (*rgb(color), alpha)
        program["u_size"] = size
        gloo.set_depth_mask(alpha >= 1)
        program.draw("points")
        gloo.set_depth_mask(True)

    def lines(self, points: Any, colors: Any, depth_test: bool = True, mode: str = "lines") -> None:
        """Segments (or triangles) between points [N, 3] with colours [N, 4]."""
        if len(points) == 0:
            return
        gloo.set_state(depth_test=depth_test)
        self._lines["a_position"] = np.ascontiguousarray(points, np.float32)
        self._lines["a_color"] = np.ascontiguousarray(colors, np.float32)
        self._lines.draw(mode)
        gloo.set_state(depth_test=True)
