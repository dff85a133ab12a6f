"""The 3D view: shows objects and a target, and turns pointer and keys into wishes for its owner."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QImage, QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QLabel, QStackedLayout, QWidget

from app.theme.tokens import DARK, LIGHT, Tokens
from app.views.scene3d import decorations, gizmo, picking
from app.views.scene3d.camera import Camera
from app.views.scene3d.contents import Drawn, SceneContents, TargetData
from app.views.scene3d.delta import Delta
from app.views.scene3d.objects import SceneObject
from app.views.scene3d.overlays import ColorBar, OverlayLabel, RubberBand
from app.views.scene3d.transform import Constraint, TransformDrag
from app.views.units import show

log = logging.getLogger("studiolo.scene")

Floats = NDArray[np.float64]

UNKNOWN_DISTANCE = (0.5, 0.5, 0.5)
"""Grey: no distance must not look like a distance of nothing."""

LARGEST_BUFFER = 8192
"""Pixels along a side that any graphics card can draw into."""

CLICK_PIXELS = 4
"""Movement below this is a click and not a drag."""

AXIS_KEYS = {Qt.Key.Key_X: 0, Qt.Key.Key_Y: 1, Qt.Key.Key_Z: 2}
FLY_KEYS = {
    Qt.Key.Key_W: (1, 0, 0),
    Qt.Key.Key_S: (-1, 0, 0),
    Qt.Key.Key_A: (0, -1, 0),
    Qt.Key.Key_D: (0, 1, 0),
    Qt.Key.Key_Q: (0, 0, -1),
    Qt.Key.Key_E: (0, 0, 1),
}


class SceneView(QWidget):
    """Never changes a document: it asks by signal, and shows what its owner sets."""

    selection_changed = Signal(object)  # tuple of ids that were asked for
    transform_started = Signal()
    transform_changed = Signal(object)  # Delta
    transform_finished = Signal(object)  # Delta
    transform_cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("3D view")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 90)
        self.camera = Camera()
        self.display = "solid"
        self.target_opacity = 0.25
        self.target_visible = True
        self.gizmo_kind = "translate"
        self.local_axes = False
        self.flying = False
        self._dark = True
        self._unit = ""
        self.contents = SceneContents()
        self._drag: TransformDrag | None = None
        self._modal = False
        self._hovered: gizmo.Handle | None = None
        self._press: QPointF | None = None
        self._last: QPointF | None = None
        self._banding = self._band_next = False
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
            surface.setMouseTracking(True)
            surface.setFocusProxy(self)
            surface.installEventFilter(self)
            surface.setAccessibleName("3D picture")
            layout.addWidget(surface)
        self._surface = surface
        self._status = OverlayLabel(self)
        self._hint = OverlayLabel(self, "title")
        self._scale_label, self._count = OverlayLabel(self), OverlayLabel(self)
        self._bar = ColorBar(self)
        self._band = RubberBand(self)
        self._fly_keys: set[Qt.Key] = set()
        self._fly_clock = QTimer(self)
        self._fly_clock.setInterval(16)
        self._fly_clock.timeout.connect(self._fly)
        self.set_theme(True)

    def _make_canvas(self) -> Any:
        """A vispy canvas, or None where Qt's platform cannot draw OpenGL."""
        if QGuiApplication.platformName() in ("offscreen", "minimal", "vnc"):
            return None
        try:
            from vispy import app as vispy_app

            vispy_app.use_app("pyside6")
            canvas = vispy_app.Canvas(
                keys=None, show=False, parent=self, config={"depth_size": 24, "samples": 4}, autoswap=False
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
            if not ids:
                self._cancel_drag()
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

    def set_flying(self, on: bool) -> None:
        """Fly with W A S D, Q and E instead of orbiting."""
        self.flying = on
        self._fly_keys.clear()
        self._hint.show_text("Flying: W A S D, Q E, drag to look; Esc ends" if on else "")
        self._place_overlays()

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

    def close_canvas(self) -> None:
        """Give the OpenGL context back; the view is not used after this."""
        self._fly_clock.stop()
        canvas, self._canvas = self._canvas, None
        if canvas is not None:
            self._surface.removeEventFilter(self)
            native = canvas.native
            canvas.close()
            native.deleteLater()

    # ----------------------------------------------------------------------------------------- transforms

    def begin_transform(self, kind: str) -> None:
        """Start a keyboard transform of the selection: ``translate``, ``rotate`` or ``scale``."""
        if not self.contents.movable() or self._drag is not None:
            return
        self.setFocus()
        self.gizmo_kind = kind
        local = self._surface.mapFromGlobal(self.cursor().pos())
        inside = self._surface.rect().contains(local)
        start = (local.x(), local.y()) if inside else (self.width() * 0.6, self.height() * 0.4)
        self._start_drag(kind, (float(start[0]), float(start[1])), Constraint())
        self._modal = True
        self._show_drag_text(self._drag.delta() if self._drag else None)

    def _start_drag(self, kind: str, start: tuple[float, float], constraint: Constraint) -> None:
        pivot, axes = self.contents.selection_place()
        step = self._grid[2] / 10 if self._grid else 0.01 / self.contents.frame.scale
        self._drag = TransformDrag(
            kind,
            replace(self.camera),
            self.contents.frame,
            pivot,
            axes,
            self._size(),
            start,
            constraint,
            self._unit,
            step,
        )
        self.transform_started.emit()

    def _drag_moved(self, modifiers: Qt.KeyboardModifier) -> Delta:
        assert self._drag is not None
        delta = self._drag.delta(snap=bool(modifiers & Qt.KeyboardModifier.ControlModifier))
        self._show_drag_text(delta)
        return delta

    def _finish_drag(self, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        if self._drag is None:
            return
        delta = self._drag_moved(modifiers)
        self._drag, self._modal = None, False
        self._show_drag_text(None)
        self.transform_finished.emit(delta)

    def _cancel_drag(self) -> None:
        if self._drag is not None:
            self._drag, self._modal = None, False
            self._show_drag_text(None)
            self.transform_cancelled.emit()

    def _show_drag_text(self, delta: Delta | None) -> None:
        self._status.show_text(delta.text if delta else "")
        if delta is not None:
            pivot, _ = self.contents.selection_place()
            x, y, _ = self.camera.project(pivot, *self._size())
            if np.isfinite(x) and np.isfinite(y):
                self._status.move(int(x) + 16, int(y) - 28)
            typed = f"   [{self._drag.typed}]" if self._drag and self._drag.typed else ""
            keys = "X Y Z lock · type a number · Enter keeps · Esc drops"
            self._hint.show_text(f"{delta.kind.title()}: {delta.text}{typed}   {keys if self._modal else ''}")
        else:
            self._hint.show_text("")
        self._place_overlays()

    def _strokes(self) -> list[gizmo.Stroke]:
        if not self.contents.movable() or (self._drag is not None and self._modal):
            return []
        pivot, axes = self.contents.selection_place()
        local = self.local_axes or self.gizmo_kind == "scale"
        return gizmo.strokes(
            self.gizmo_kind, pivot, axes if local else np.eye(3), local, self.camera, self._size()[1]
        )

    # --------------------------------------------------------------------------------- pointer and keyboard

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pointer events of the OpenGL surface come here before vispy sees them."""
        kind = event.type()
        if isinstance(event, QMouseEvent):
            handler = {
                QEvent.Type.MouseButtonPress: self._pressed,
                QEvent.Type.MouseMove: self._moved,
                QEvent.Type.MouseButtonRelease: self._released,
            }.get(kind)
            if handler is not None:
                handler(event)
            return handler is not None or kind == QEvent.Type.MouseButtonDblClick
        if isinstance(event, QWheelEvent):
            if self._drag is not None:
                return True  # the transform was begun with this camera
            place = event.position()
            self.camera.zoom(event.angleDelta().y() / 120, place.x(), place.y(), *self._size())
            self.redraw()
            return True
        return super().eventFilter(watched, event)

    def _pressed(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if self._drag is not None:
            if event.button() == Qt.MouseButton.LeftButton and self._modal:
                self._finish_drag(event.modifiers())
            elif event.button() == Qt.MouseButton.RightButton:
                self._cancel_drag()
            return
        self._press = self._last = event.position()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        handle = self._handle_at(event.position())
        if handle is not None and not event.modifiers():
            place = (event.position().x(), event.position().y())
            self._start_drag(self.gizmo_kind, place, handle.constraint)
        elif self._band_next or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._banding, self._band_next = True, False
            self._surface.unsetCursor()

    def _moved(self, event: QMouseEvent) -> None:
        place = event.position()
        if self._drag is not None:
            self._drag.move(place.x(), place.y(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            self.transform_changed.emit(self._drag_moved(event.modifiers()))
            return
        if self._press is None or self._last is None:
            hovered = self._handle_at(place)
            if hovered != self._hovered:
                self._hovered = hovered
                self._surface.setCursor(
                    Qt.CursorShape.PointingHandCursor if hovered else Qt.CursorShape.ArrowCursor
                )
                self.redraw()
            return
        if self._banding:
            self._show_band(place)
            return
        dx, dy = place.x() - self._last.x(), place.y() - self._last.y()
        self._last = place
        if (place - self._press).manhattanLength() < CLICK_PIXELS:
            return
        if event.buttons() & Qt.MouseButton.LeftButton and not event.modifiers():
            self.camera.orbit(dx, dy)
        elif event.buttons():
            self.camera.pan(dx, dy, self._size()[1])
        self.redraw()

    def _released(self, event: QMouseEvent) -> None:
        press, self._press, self._last = self._press, None, None
        if self._drag is not None:
            if not self._modal:
                self._finish_drag(event.modifiers())
            return
        banding, self._banding = self._banding, False
        self._band.hide()
        if press is None or event.button() != Qt.MouseButton.LeftButton:
            return
        place = event.position()
        if (place - press).manhattanLength() < CLICK_PIXELS:
            self._click(place, adding=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif banding:
            found = picking.inside_rectangle(
                self.contents.pickables(),
                self.camera,
                *self._size(),
                (press.x(), press.y(), place.x(), place.y()),
            )
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            kept = self.contents.selection if shift else ()
            self.selection_changed.emit((*kept, *(i for i in found if i not in kept)))

    def _click(self, place: QPointF, adding: bool) -> None:
        found = self.pick(place.x(), place.y())
        if adding and found is not None:
            before = self.contents.selection
            chosen = tuple(i for i in before if i != found)
            self.selection_changed.emit(chosen if found in before else (*chosen, found))
        elif not adding:
            self.selection_changed.emit(() if found is None else (found,))

    def pick(self, x: float, y: float) -> int | None:
        """Id of the object under a pixel, or None."""
        ray = self.camera.ray(x, y, *self._size())
        hit = picking.pick(self.contents.pickables(), *ray, self.contents.clip_plane())
        return hit[0] if hit else None

    def _show_band(self, place: QPointF) -> None:
        assert self._press is not None
        x0, x1 = sorted((int(self._press.x()), int(place.x())))
        y0, y1 = sorted((int(self._press.y()), int(place.y())))
        self._band.setGeometry(x0, y0, max(x1 - x0, 1), max(y1 - y0, 1))
        self._band.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if self._drag is not None:
            self._drag_key(key, event)
        elif self.flying and key in FLY_KEYS:
            self._fly_keys.add(key)
            self._fly_clock.start()
        elif self.flying and key == Qt.Key.Key_Escape:
            self.set_flying(False)
        elif key == Qt.Key.Key_B and not event.modifiers():
            self._band_next = True
            self._surface.setCursor(Qt.CursorShape.CrossCursor)
        elif key == Qt.Key.Key_Escape and self._band_next:
            self._band_next = False
            self._surface.unsetCursor()
        elif key == Qt.Key.Key_Escape and self.contents.selection:
            self.selection_changed.emit(())
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = {Qt.Key.Key_Left: (-20, 0), Qt.Key.Key_Right: (20, 0), Qt.Key.Key_Up: (0, -20)}.get(
                key, (0, 20)
            )
            self.camera.orbit(*step)
            self.redraw()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            width, height = self._size()
            self.camera.zoom(1 if key == Qt.Key.Key_Plus else -1, width / 2, height / 2, width, height)
            self.redraw()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # During a transform, and while flying, letters belong to it and not to the window's shortcuts.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            flying = self.flying and Qt.Key(event.key()) in (*FLY_KEYS, Qt.Key.Key_Escape)
            if self._drag is not None or flying:
                event.accept()
                return True
        return super().event(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat():
            self._fly_keys.discard(Qt.Key(event.key()))
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: Any) -> None:
        self._fly_keys.clear()
        # Another window in front keeps the transform; a click elsewhere in this one drops it.
        if self._modal and event.reason() != Qt.FocusReason.ActiveWindowFocusReason:
            self._cancel_drag()
        super().focusOutEvent(event)

    def _drag_key(self, key: Qt.Key, event: QKeyEvent) -> None:
        assert self._drag is not None
        if key == Qt.Key.Key_Escape:
            self._cancel_drag()
            return
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._finish_drag()
            return
        if key in AXIS_KEYS:
            self._drag.lock(AXIS_KEYS[key], plane=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif key == Qt.Key.Key_Backspace:
            self._drag.key("\b")
        elif not self._drag.key(event.text()):
            return
        self.transform_changed.emit(self._drag_moved(Qt.KeyboardModifier.NoModifier))

    def _fly(self) -> None:
        if not self._fly_keys:
            self._fly_clock.stop()
            return
        step = 0.012 * max(self.camera.distance, 0.2)
        forward, sideways, upward = np.sum([FLY_KEYS[key] for key in self._fly_keys], axis=0) * step
        self.camera.fly(float(forward), float(sideways), float(upward))
        self.redraw()

    def _handle_at(self, place: QPointF) -> gizmo.Handle | None:
        return gizmo.handle_at(self._strokes(), self.camera, place.x(), place.y(), *self._size())

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
            self._painter.draw_handles(self._strokes(), self._hovered, self.camera, height)

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
