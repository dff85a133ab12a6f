"""The 3D view: a picture that turns pointer and keys into wishes for its owner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.views.scene3d import gizmo, picking
from app.views.scene3d.delta import Delta
from app.views.scene3d.display import SceneDisplay
from app.views.scene3d.transform import Constraint, TransformDrag

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


class SceneView(SceneDisplay):
    """Never changes a document: it asks by signal, and shows what its owner sets."""

    selection_changed = Signal(object)  # tuple of ids that were asked for
    transform_started = Signal()
    transform_changed = Signal(object)  # Delta
    transform_finished = Signal(object)  # Delta
    transform_cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.gizmo_kind = "translate"
        self.local_axes = False
        self.flying = False
        self._drag: TransformDrag | None = None
        self._modal = False
        self._hovered: gizmo.Handle | None = None
        self._press: QPointF | None = None
        self._last: QPointF | None = None
        self._banding = self._band_next = False
        self._fly_keys: set[Qt.Key] = set()
        self._fly_clock = QTimer(self)
        self._fly_clock.setInterval(16)
        self._fly_clock.timeout.connect(self._fly)
        self._surface.setMouseTracking(True)
        self._surface.setFocusProxy(self)
        self._surface.installEventFilter(self)

    def set_selection(self, ids: tuple[int, ...]) -> None:
        if not ids:
            self._cancel_drag()
        super().set_selection(ids)

    def set_flying(self, on: bool) -> None:
        """Fly with W A S D, Q and E instead of orbiting."""
        self.flying = on
        self._fly_keys.clear()
        self._hint.show_text("Flying: W A S D, Q E, drag to look; Esc ends" if on else "")
        self._place_overlays()

    def close_canvas(self) -> None:
        self._fly_clock.stop()
        self._surface.removeEventFilter(self)
        super().close_canvas()

    def _handles(self) -> tuple[list[gizmo.Stroke], gizmo.Handle | None]:
        return self._strokes(), self._hovered

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
            self.forget_transform()
            self.transform_cancelled.emit()

    def forget_transform(self) -> None:
        """End a transform under way without a word: what it was moving has changed under it."""
        self._drag, self._modal = None, False
        self._press = self._last = None
        self._show_drag_text(None)

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
