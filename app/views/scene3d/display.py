"""The 3D picture: what is shown, from where, and how; it takes no input."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QResizeEvent
from PySide6.QtWidgets import QLabel, QStackedLayout, QWidget

from app.theme.tokens import DARK, LIGHT, Tokens
from app.views.scene3d import decorations, gizmo
from app.views.scene3d.camera import Camera
from app.views.scene3d.contents import Drawn, SceneContents, TargetData
from app.views.scene3d.objects import SceneObject
from app.views.scene3d.overlays import ColorBar, OverlayLabel, RubberBand
from app.views.units import show

log = logging.getLogger("studiolo.scene")

Floats = NDArray[np.float64]

UNKNOWN_DISTANCE = (0.5, 0.5, 0.5)
"""Grey: no distance must not look like a distance of nothing."""

LARGEST_BUFFER = 8192
"""Pixels along a side that any graphics card can draw into."""


def drawn_by_processor() -> bool:
    """Whether there is no graphics card to draw with: smooth edges would then double the time of a frame."""
    return sys.platform.startswith("linux") and not any(Path("/dev/dri").glob("render*"))


class SceneDisplay(QWidget):
    """Draws a :class:`SceneContents` through a :class:`Camera`; an owner sets both."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("3D view")
        self.setMinimumSize(120, 90)
        self.camera = Camera()
        self.display = "solid"
        self.target_opacity = 0.25
        self.target_visible = True
        self._dark = True
        self._unit = ""
        self.contents = SceneContents()
        self._painter: Any = None
        self._draw_failed = False
        self._grid: tuple[Any, Any, float] | None = None

        layout = QStackedLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self._canvas = self._make_canvas()
        if self._canvas is None:
            note = QLabel(
                "The 3D view needs OpenGL, which this screen does not offer.\nEverything else works."
            )
            note.setAlignment(Qt.AlignmentFlag.AlignCenter)
            note.setProperty("role", "muted")
            layout.addWidget(note)
            surface: QWidget = note
        else:
            surface = self._canvas.native
            surface.setAccessibleName("3D picture")
            layout.addWidget(surface)
        self._surface = surface
        self._status = OverlayLabel(self)
        self._hint = OverlayLabel(self, "title")
        self._scale_label, self._count = OverlayLabel(self), OverlayLabel(self)
        self._bar = ColorBar(self)
        self._band = RubberBand(self)
        self.set_theme(True)

    def _make_canvas(self) -> Any:
        """A vispy canvas, or None where Qt's platform cannot draw OpenGL."""
        if QGuiApplication.platformName() in ("offscreen", "minimal", "vnc"):
            return None
        try:
            from vispy import app as vispy_app

            vispy_app.use_app("pyside6")
            samples = 0 if drawn_by_processor() else 4
            canvas = vispy_app.Canvas(
                keys=None,
                show=False,
                parent=self,
                config={"depth_size": 24, "samples": samples},
                autoswap=False,
            )
        except Exception as error:  # vispy raises many kinds; all of them mean: no picture
            log.warning("No 3D view: %s", error)
            return None
        canvas.events.draw.connect(lambda _: self._paint())
        return canvas

    # ------------------------------------------------------------------------------------------- content

    @property
    def has_picture(self) -> bool:
        """Whether this screen can draw the scene at all."""
        return self._canvas is not None

    def set_objects(self, objects: list[SceneObject]) -> None:
        """Show exactly these objects."""
        self.contents.set_objects(objects)
        if not self.contents.selection:
            self._cancel_drag()
        if self.contents.box is None:
            self._reframe()
        self.redraw()

    def update_object(self, item: SceneObject) -> None:
        """Show one object's new mesh, colour or place; an unchanged mesh costs only a matrix."""
        self.contents.update_object(item)
        self.redraw()

    def set_target(
        self,
        vertices: ArrayLike,
        faces: ArrayLike | None,
        normals: ArrayLike | None = None,
        total: int | None = None,
    ) -> None:
        """Show a mesh, or with ``faces`` None a cloud, to compare with.

        Args:
            total: how many points the file has, when ``vertices`` are only some of them.

        Raises:
            ValueError: not arrays of numbers of the right shape.
        """
        self.contents.set_target(vertices, faces, normals, total)
        self._reframe()
        self._show_count()

    def clear_target(self) -> None:
        self.contents.target = None
        self.clear_error()
        self._reframe()
        self._show_count()

    def set_unit(self, unit: str) -> None:
        self._unit = unit

    def set_selection(self, ids: tuple[int, ...]) -> None:
        """Mark these objects; the owner calls this, also after ``selection_changed``."""
        if ids != self.contents.selection:
            self.contents.selection = ids
            self.setAccessibleDescription(self.contents.describe())
            self.redraw()

    def set_target_error(self, values: ArrayLike, unit: str, label: str, diagonal: float) -> None:
        """Colour the target by ``values`` (one per vertex or point that was set)."""
        target = self.contents.target
        if target is None:
            return
        distances = np.asarray(values, float)[target.chosen]
        target.colors = self._show_scale(distances, distances, unit, label, diagonal)
        self._push_colors(target)
        self.redraw()

    def set_object_error(
        self, values: Mapping[int, ArrayLike], unit: str, label: str, diagonal: float
    ) -> None:
        """Colour objects by distances per vertex, by object id."""
        drawn = self.contents.drawn
        fitting = (i for i, v in values.items() if i in drawn and len(v) == len(drawn[i].vertices))
        arrays = {i: np.asarray(values[i], float) for i in fitting}
        if not arrays:
            return
        every = np.concatenate(list(arrays.values()))
        for i, distances in arrays.items():
            drawn[i].colors = self._show_scale(distances, every, unit, label, diagonal)
            self._push_colors(drawn[i])
        self.redraw()

    def clear_error(self) -> None:
        """Back to plain colours."""
        self._bar.hide()
        target = self.contents.target
        for item in [*self.contents.drawn.values(), *([target] if target else [])]:
            if item.colors is not None:
                item.colors = None
                self._push_colors(item)
        self.redraw()

    def set_display(self, display: str) -> None:
        """``solid``, ``wireframe`` or ``points``."""
        self.display = display
        self.redraw()

    def set_target_look(self, visible: bool, opacity: float) -> None:
        self.target_visible, self.target_opacity = visible, opacity
        self.redraw()

    def set_clip(self, axis: int | None, position: float = 0.5, flipped: bool = False) -> None:
        """Hide one side of a plane across ``axis``, ``position`` (0 to 1) of the way through."""
        self.contents.clip = None if axis is None else (axis, position, flipped)
        self.redraw()

    def set_theme(self, dark: bool) -> None:
        self._dark = dark
        tokens = DARK if dark else LIGHT
        self._bar.set_colors(tokens.text, tokens.panel)
        self._band.color = QColor(tokens.accent)
        self._status.set_plate(tokens.text, tokens.raised)
        self._grid = None
        self.redraw()

    # ------------------------------------------------------------------------------------------- looking

    def frame_all(self) -> None:
        """Show everything that is visible."""
        self._reframe()
        self._look_at(self.contents.box)

    def frame_selection(self) -> None:
        """Show what is selected, or everything if nothing is."""
        chosen = self.contents.selected()
        if chosen:
            self._look_at(self.contents.box_of(chosen, with_target=False))
        else:
            self.frame_all()

    def look_from(self, name: str) -> None:
        self.camera.look_from(name)
        self.redraw()

    def toggle_projection(self) -> None:
        self.camera.parallel = not self.camera.parallel
        self.redraw()

    def set_up_axis(self, axis: int) -> None:
        self.camera.up = axis
        self._grid = None
        self.frame_all()

    def screenshot(self, scale: float = 1.0) -> QImage:
        """The picture without overlays, ``scale`` times as large as on the screen."""
        width, height = max(1, round(self.width() * scale)), max(1, round(self.height() * scale))
        pixels = self.render(width, height) if self._canvas is not None else None
        if pixels is None:
            return self.grab().toImage()
        image = QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888)
        return image.copy()  # QImage does not keep the array alive

    def render_turntable(self, frames: int, size: tuple[int, int]) -> Iterator[NDArray[np.uint8]]:
        """Pictures [height, width, 3] of one turn around the scene."""
        azimuth = self.camera.azimuth
        try:
            for i in range(frames):
                self.camera.azimuth = azimuth + 360 * i / frames
                picture = self.render(*size)
                if picture is not None:
                    yield picture
        finally:
            self.camera.azimuth = azimuth

    def render(self, width: int, height: int) -> NDArray[np.uint8] | None:
        """One picture [height, width, 3], or None where nothing can be drawn."""
        if self._canvas is None:
            return None
        from vispy import gloo

        self._canvas.set_current()
        # A frame buffer of our own has no antialiasing: draw finer and average, where that fits.
        fine = 2 if 2 * max(width, height) <= LARGEST_BUFFER else 1
        buffer = gloo.FrameBuffer(
            gloo.Texture2D((fine * height, fine * width, 4), format="rgba"),
            gloo.RenderBuffer((fine * height, fine * width), "depth"),
        )
        with buffer:
            gloo.set_viewport(0, 0, fine * width, fine * height)
            self._draw(width, height, overlays=False, ratio=fine)
            picture = gloo.read_pixels((0, 0, fine * width, fine * height), alpha=False)
        buffer.delete()
        self.redraw()
        blocks = picture[..., :3].reshape(height, fine, width, fine, 3)
        return np.ascontiguousarray(blocks.mean(axis=(1, 3)).round().astype(np.uint8))

    def redraw(self) -> None:
        if self._canvas is not None:
            self._canvas.update()

    def draw_now(self) -> None:
        """Draw without waiting for the event loop; for measuring."""
        if self._canvas is not None:
            from vispy import gloo

            self._canvas.set_current()
            self._paint()
            gloo.flush()

    def close_canvas(self) -> None:
        """Give the OpenGL context back; the view is not used after this."""
        canvas, self._canvas = self._canvas, None
        if canvas is not None:
            native = canvas.native
            canvas.close()
            native.deleteLater()

    # --------------------------------------------------------------------------------------------- drawing

    def _paint(self) -> None:
        """Called by vispy. An error is logged once and the view goes quiet, instead of raising each frame."""
        if self._draw_failed or self._canvas is None:
            return
        try:
            from vispy import gloo

            ratio = self._surface.devicePixelRatioF()
            width, height = self._size()
            gloo.set_viewport(0, 0, round(width * ratio), round(height * ratio))
            self._draw(width, height, overlays=True, ratio=ratio)
        except Exception:
            self._draw_failed = True
            log.exception("Drawing failed; the 3D view is off until the panel is opened again")
            self._hint.show_text("The picture cannot be drawn (see the log). Open the panel again to retry.")

    def _draw(self, width: float, height: float, overlays: bool, ratio: float = 1.0) -> None:
        from app.views.scene3d.painter import Painter

        if self._painter is None:
            self._painter = Painter()
        tokens = DARK if self._dark else LIGHT
        opacity = self.target_opacity if self.target_visible else None
        size, ground = (width, height), self._ground(tokens)
        # Without overlays the picture shows the thing, and not what one is about to do with it.
        self._painter.draw(
            self.contents,
            self.camera,
            size,
            tokens,
            self.display,
            ground,
            opacity,
            outlines=overlays,
            ratio=ratio,
        )
        if overlays:
            self._painter.draw_handles(*self._handles(), self.camera, height)

    def _handles(self) -> tuple[list[gizmo.Stroke], gizmo.Handle | None]:
        """What to draw on top for the pointer, and which of it is under the pointer."""
        return [], None

    def _ground(self, tokens: Tokens) -> Any:
        """The grid, made anew when the data or the look has changed; its step is said in the corner."""
        contents = self.contents
        if self._grid is None and contents.box is not None:
            self._grid = decorations.grid(contents.box, contents.frame, tokens.border, self.camera.up)
            unit = f" {self._unit}" if self._unit else ""
            self._scale_label.show_text(f"grid {show(self._grid[2], 3)}{unit}")
            self._place_overlays()
        return self._grid

    @staticmethod
    def _push_colors(item: Drawn | TargetData) -> None:
        if item.buffers is not None:
            item.buffers.set_colors(item.colors)

    # --------------------------------------------------------------------------------------------- helpers

    def _reframe(self) -> None:
        known, before = self.contents.box is not None, self.contents.frame
        self.contents.reframe()
        if known:
            self.camera.carry_over(before, self.contents.frame)
        self._grid = None
        self.redraw()

    def _look_at(self, box: Floats | None) -> None:
        if box is not None:
            width, height = self._size()
            self.camera.frame(self.contents.frame.to_scene(box), width / height)
            self.redraw()

    def _show_scale(self, distances: Any, every: Any, unit: str, label: str, diagonal: float) -> Any:
        """Colours [N, 3] of ``distances``; the scale ends at 3 % of the diagonal or the 98th percentile."""
        from vispy.color import get_colormap

        finite = every[np.isfinite(every)]
        high = min(0.03 * diagonal, float(np.percentile(finite, 98))) if len(finite) else diagonal
        high = max(high, 1e-4 * diagonal, 1e-300)
        colormap = get_colormap("viridis")
        self._bar.show_scale(colormap.map(np.linspace(0, 1, 16))[:, :3], finite, high, unit, label)
        self._place_overlays()
        table = colormap.map(np.linspace(0, 1, 256))[:, :3].astype(np.float32)
        known = np.isfinite(distances)
        share = np.clip(np.where(known, distances, 0.0) / high, 0, 1)
        colors = table[(255 * share).astype(np.intp)]
        colors[~known] = UNKNOWN_DISTANCE
        return colors

    def _show_count(self) -> None:
        target = self.contents.target
        self._count.show_text(target.summary if target is not None else "")
        self.setAccessibleDescription(self.contents.describe())
        self._place_overlays()

    def _size(self) -> tuple[float, float]:
        return float(max(self._surface.width(), 1)), float(max(self._surface.height(), 1))

    def _place_overlays(self) -> None:
        margin = 12
        self._hint.move(margin, margin)
        bottom = self.height() - margin
        self._scale_label.move(margin, bottom - self._scale_label.height())
        self._count.move(margin, bottom - self._scale_label.height() - self._count.height() - 2)
        self._bar.move(self.width() - self._bar.width() - margin, bottom - self._bar.height())
        for widget in (self._hint, self._scale_label, self._bar, self._status):
            widget.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_overlays()
