"""A curve with the point where one stands on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.theme.tokens import LIGHT, Tokens
from app.views.axes import Axes, Axis, small
from app.views.units import show


class CurveView(QWidget):
    """A line through points in their order, such as a trade-off over a threshold, and the present one."""

    def __init__(self, name: str = "Curve", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumSize(120, 100)
        self._tokens: Tokens = LIGHT
        self._axes = Axes(Axis("", 0, 1), Axis("", 0, 1))
        self._points = np.zeros((0, 2))
        self._current: tuple[float, float] | None = None
        self._empty_text = "Nothing to show yet."

    def set_axes(self, x: Axis, y: Axis) -> None:
        """Labels with units, and ranges."""
        self._axes.x, self._axes.y = x, y
        self.update()

    def set_curve(self, x: ArrayLike, y: ArrayLike, current: tuple[float, float] | None) -> None:
        """Show a line through (x[i], y[i]) and the point ``current``; not-a-numbers are left out."""
        points = np.column_stack([np.asarray(x, float).ravel(), np.asarray(y, float).ravel()])
        self._points = points[np.isfinite(points).all(1)]
        self._current = current if current is not None and np.isfinite(current).all() else None
        where = (
            "" if self._current is None else f"now {show(self._current[0], 3)}, {show(self._current[1], 3)}"
        )
        self.setAccessibleDescription(where)
        self.setToolTip(
            f"{self._axes.x.label} {show(self._current[0], 3)}\n{self._axes.y.label} {show(self._current[1], 3)}"
            if self._current
            else ""
        )
        self.update()

    def set_empty_text(self, text: str) -> None:
        self._empty_text = text
        self.update()

    def refresh_theme(self, theme: Any) -> None:
        self._tokens = theme.tokens
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(280, 200)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(small(self.font()))
        axes = self._axes
        axes.place(self.width(), self.height(), painter.font())
        painter.fillRect(axes.area, QColor(self._tokens.view))
        axes.draw(painter, self._tokens)
        if not len(self._points) and self._current is None:
            painter.setPen(QColor(self._tokens.muted))
            flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(axes.inner, flags, self._empty_text)
        painter.setClipRect(axes.area)
        painter.setPen(QPen(QColor(self._tokens.accent), 2))
        line = QPolygonF([QPointF(axes.to_x(x), axes.to_y(y)) for x, y in self._points.tolist()])
        painter.drawPolyline(line)
        if self._current is not None:
            at = QPointF(axes.to_x(self._current[0]), axes.to_y(self._current[1]))
            painter.setPen(QPen(QColor(self._tokens.view), 2))
            painter.setBrush(QColor(self._tokens.accent))
            painter.drawEllipse(at, 6, 6)
        painter.end()
