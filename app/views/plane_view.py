"""Thousands of points in a plane that two draggable lines cut into labelled regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from app.theme.tokens import LIGHT, Tokens
from app.views.axes import Axes, Axis, small
from app.views.marks import as_codes, as_marks, color_of, faded
from app.views.point_layer import NOTHING, RADIUS, PointLayer
from app.views.units import show

REACH = 6.0
"""Pixels from a line or a point within which it is meant."""
NUDGE = 0.1
"""What an arrow key moves a threshold by."""


class Region(NamedTuple):
    """A part of the plane.

    Attributes:
        label: what it is called.
        color: a colour's name among the tokens, or ``#rrggbb``.
        x, y: -1 below the threshold of that axis, +1 above it, 0 on both sides.
    """

    label: str
    color: str
    x: int
    y: int


class PlaneView(QWidget):
    """A scatter of N points, marked by colour and shape, and one threshold on each axis."""

    threshold_moved = Signal(str, float, bool)
    """Axis (``x`` or ``y``), value, and whether the move has ended."""
    selected = Signal(int)

    def __init__(self, name: str = "Points in a plane", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumSize(120, 100)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._tokens: Tokens = LIGHT
        self._axes = Axes()
        self._thresholds = {"x": 0.0, "y": 0.0}
        self._regions: tuple[Region, ...] = ()
        self._points = PointLayer()
        self._ids = np.zeros(0, np.int64)
        self._labels: Sequence[str] = ()
        self._selected = NOTHING
        self._dragged = ""
        self._empty_text = "Nothing to show yet."

    # -------------------------------------------------------------------------------------- content

    def set_axes(self, x: Axis, y: Axis) -> None:
        """Labels with units, and ranges; points outside are shown at the nearest end."""
        self._axes.x, self._axes.y = x, y
        self._points.place()
        self.update()

    def set_regions(self, regions: Sequence[tuple[str, str, int, int]]) -> None:
        """Names of the parts, as :class:`Region`."""
        self._regions = tuple(Region(*region) for region in regions)
        self.update()

    def set_points(
        self, x: ArrayLike, y: ArrayLike, ids: ArrayLike | None = None, labels: Sequence[str] | None = None
    ) -> None:
        """Show N points; one with a value that is not a number is not shown.

        Args:
            x, y: (N,) values on the two axes.
            ids: (N,) whole numbers that :attr:`selected` and :meth:`select` use; 0, 1, 2, … where None.
            labels: N short texts for the tool tip.
        """
        values = np.column_stack([np.asarray(x, float).ravel(), np.asarray(y, float).ravel()])
        self._ids = np.arange(len(values)) if ids is None else np.asarray(ids, np.int64).ravel()
        if len(self._ids) != len(values):
            raise ValueError(f"{len(values)} points have {len(self._ids)} ids")
        self._points.set_values(values)
        self._labels = tuple(labels or ())
        self._selected = NOTHING
        self.update()

    def set_styles(self, codes: ArrayLike, styles: Sequence[tuple[str, str, str]]) -> None:
        """Give point i the style ``styles[codes[i]]``: (colour, pattern, letter), see :class:`Mark`."""
        self._points.set_styles(as_codes(codes, len(self._points), len(styles)), as_marks(styles))
        self.update()

    def set_thresholds(self, x: float, y: float) -> None:
        """Move the lines; emits nothing."""
        self._thresholds = {"x": float(x), "y": float(y)}
        self.setAccessibleDescription(f"Thresholds: {show(x, 3)} and {show(y, 3)}. Arrow keys move them.")
        self.update()

    def set_empty_text(self, text: str) -> None:
        """What to do next, shown while there is no point."""
        self._empty_text = text
        self.update()

    def refresh_theme(self, theme: Any) -> None:
        self._tokens = theme.tokens
        self._points.set_tokens(theme.tokens)
        self.update()

    # ------------------------------------------------------------------------------------ selection

    def select(self, point_id: int) -> None:
        """Mark a point; an id that is not there marks none. Emits nothing."""
        rows = np.flatnonzero(self._ids == point_id)
        self._selected = int(rows[0]) if len(rows) else NOTHING
        self.update()

    # ------------------------------------------------------------------------------------- geometry

    def _line_at(self, at: QPointF) -> str:
        """The axis whose threshold line is under the mouse, the nearer one where they cross."""
        if not self._axes.area.contains(at):
            return ""
        away = {"x": abs(self._axes.to_x(self._thresholds["x"]) - at.x())}
        left, right = self._horizontal()
        if left - REACH <= at.x() <= right + REACH:
            away["y"] = abs(self._axes.to_y(self._thresholds["y"]) - at.y())
        axis = min(away, key=away.__getitem__)
        return axis if away[axis] <= REACH else ""

    def _horizontal(self) -> tuple[float, float]:
        """Ends of the horizontal line: it is drawn only beside regions that it separates."""
        area, middle = self._axes.area, self._axes.to_x(self._thresholds["x"])
        sides = {region.x for region in self._regions if region.y}
        return (
            middle if sides == {1} else area.left(),
            middle if sides == {-1} else area.right(),
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._points.place()
        super().resizeEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(420, 320)

    # -------------------------------------------------------------------------------------- drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(small(self.font()))
        self._axes.place(self.width(), self.height(), painter.font())
        painter.fillRect(self._axes.area, color_of("view", self._tokens))
        self._draw_regions(painter)
        self._axes.draw(painter, self._tokens)
        if not len(self._points):
            painter.setPen(QColor(self._tokens.muted))
            flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(self._axes.inner, flags, self._empty_text)
        painter.drawPixmap(0, 0, self._points.picture(self._axes, self.size(), self.devicePixelRatioF()))
        self._draw_lines(painter)
        self._draw_names(painter)
        self._draw_selected(painter)
        painter.end()

    def _region_area(self, region: Region) -> QRectF:
        area = QRectF(self._axes.area)
        x = min(max(self._axes.to_x(self._thresholds["x"]), area.left()), area.right())
        y = min(max(self._axes.to_y(self._thresholds["y"]), area.top()), area.bottom())
        if region.x:
            area.setRight(x) if region.x < 0 else area.setLeft(x)
        if region.y:
            area.setTop(y) if region.y < 0 else area.setBottom(y)
        return area

    def _draw_regions(self, painter: QPainter) -> None:
        for region in self._regions:
            painter.fillRect(self._region_area(region), faded(color_of(region.color, self._tokens), 22))

    def _draw_names(self, painter: QPainter) -> None:
        """Each region's name in its top left corner, on a ground that keeps it readable over points."""
        metrics = painter.fontMetrics()
        for region in self._regions:
            area = self._region_area(region)
            width, height = metrics.horizontalAdvance(region.label) + 8, metrics.height() + 2
            # A strip that is too narrow for its name lends it its neighbour's room, one line further down.
            narrow = area.width() < width + 4
            corner = area.topLeft() + QPointF(3, 3 if not narrow else height + 6)
            if area.height() < height + 6 or area.width() < 2:
                continue
            ground = QRectF(corner.x(), corner.y(), width, height)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(faded(QColor(self._tokens.view), 215))
            painter.drawRoundedRect(ground, 3, 3)
            painter.setPen(QColor(self._tokens.text))
            painter.drawText(ground, int(Qt.AlignmentFlag.AlignCenter), region.label)

    def _draw_lines(self, painter: QPainter) -> None:
        area = self._axes.area
        for axis in ("x", "y"):
            painter.setPen(QPen(QColor(self._tokens.accent), 3 if axis == self._dragged else 2))
            if axis == "x":
                x = self._axes.to_x(self._thresholds["x"])
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            else:
                y = self._axes.to_y(self._thresholds["y"])
                left, right = self._horizontal()
                painter.drawLine(QPointF(left, y), QPointF(right, y))

    def _draw_selected(self, painter: QPainter) -> None:
        if self._selected == NOTHING:
            return
        x, y = self._points.pixels(self._axes)[self._selected].tolist()
        if x != x or y != y:  # not a number: it is not shown
            return
        center = QPointF(x, y)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for width, color in ((5, self._tokens.view), (2.5, self._tokens.accent)):
            painter.setPen(QPen(QColor(color), width))
            painter.drawEllipse(center, RADIUS + 4, RADIUS + 4)

    # --------------------------------------------------------------------------------------- acting

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._dragged = self._line_at(event.position())
        if not self._dragged:
            row = self._points.nearest(event.position(), self._axes, REACH)
            if row != NOTHING:
                self._selected = row
                self.selected.emit(int(self._ids[row]))
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._dragged:
            self._move_line(self._dragged, at, final=False)
            return
        line = self._line_at(at)
        shapes = {"x": Qt.CursorShape.SplitHCursor, "y": Qt.CursorShape.SplitVCursor}
        self.setCursor(shapes.get(line, Qt.CursorShape.ArrowCursor))
        row = NOTHING if line else self._points.nearest(at, self._axes, REACH)
        if row == NOTHING:
            QToolTip.hideText()
        else:
            x, y = self._points.values[row]
            label = self._labels[row][:80] if row < len(self._labels) else ""
            text = f"{label}\n{self._axes.x.label} {show(x, 3)}\n{self._axes.y.label} {show(y, 3)}"
            QToolTip.showText(event.globalPosition().toPoint(), text.strip(), self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            axis, self._dragged = self._dragged, ""
            self._move_line(axis, event.position(), final=True)

    def _move_line(self, axis: str, at: QPointF, final: bool) -> None:
        value = self._axes.from_x(at.x()) if axis == "x" else self._axes.from_y(at.y())
        self._set_threshold(axis, value, final)

    def _set_threshold(self, axis: str, value: float, final: bool) -> None:
        limits = self._axes.x if axis == "x" else self._axes.y
        value = min(max(round(value, 2), limits.low), limits.high)
        self.set_thresholds(**{**self._thresholds, axis: value})
        self.threshold_moved.emit(axis, value, final)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {
            Qt.Key.Key_Left: ("x", -NUDGE),
            Qt.Key.Key_Right: ("x", NUDGE),
            Qt.Key.Key_Down: ("y", -NUDGE),
            Qt.Key.Key_Up: ("y", NUDGE),
        }
        move = keys.get(Qt.Key(event.key()))
        if move is None:
            super().keyPressEvent(event)
            return
        axis, step = move
        self._set_threshold(axis, self._thresholds[axis] + step, final=True)
