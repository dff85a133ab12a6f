"""A small histogram with its axis text; drawn with QPainter, so that no plotting library is loaded for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.views.units import show

BINS = 32


class Histogram(QWidget):
    """Bars of how often values occur; bar colours follow a colour map when one is given."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._counts = np.zeros(0)
        self._low, self._high = 0.0, 1.0
        self._label = ""
        self._bar, self._muted = QColor("#5aa2ff"), QColor("#98a0ab")

    def set_values(
        self, values: Any, label: str, low: float | None = None, high: float | None = None
    ) -> None:
        """Show ``values``; the range ends at their 99th percentile unless ``high`` is given."""
        array = np.asarray(values, float).ravel()
        array = array[np.isfinite(array)]
        self._label = label
        if len(array) == 0:
            self._counts = np.zeros(0)
            self.update()
            return
        self._low = float(array.min()) if low is None else low
        self._high = float(np.percentile(array, 99)) if high is None else high
        if self._high <= self._low:
            self._high = self._low + max(abs(self._low), 1e-12)
        clipped = np.clip(array, self._low, self._high)
        self._counts = np.histogram(clipped, BINS, (self._low, self._high))[0].astype(float)
        self.setToolTip(
            f"{label}: median {show(float(np.median(array)), 3)}, "
            f"95 % below {show(float(np.percentile(array, 95)), 3)}, largest {show(float(array.max()), 3)}"
        )
        self.update()

    def refresh_theme(self, theme: Any) -> None:
        self._bar, self._muted = QColor(theme.tokens.accent), QColor(theme.tokens.muted)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, 72)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = painter.font()
        font.setPixelSize(11)
        painter.setFont(font)
        text_height = painter.fontMetrics().height()
        area = QRectF(0, 2, self.width(), self.height() - text_height - 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._bar)
        if len(self._counts) and self._counts.max() > 0:
            width = area.width() / len(self._counts)
            for i, count in enumerate(self._counts):
                # The square root keeps the rare large distances visible beside the many small ones.
                height = area.height() * float(np.sqrt(count / self._counts.max()))
                painter.drawRect(QRectF(i * width + 0.5, area.bottom() - height, max(width - 1, 1), height))
        painter.setPen(self._muted)
        baseline = self.height() - painter.fontMetrics().descent() - 1
        metrics = painter.fontMetrics()
        high = show(self._high, 2)
        painter.drawText(0, baseline, show(self._low, 2))
        painter.drawText(self.width() - metrics.horizontalAdvance(high), baseline, high)
        room = self.width() - 2 * metrics.horizontalAdvance(high) - 24
        label = metrics.elidedText(self._label, Qt.TextElideMode.ElideRight, max(room, 0))
        painter.drawText((self.width() - metrics.horizontalAdvance(label)) // 2, baseline, label)
        painter.end()
