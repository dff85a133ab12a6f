"""What lies on top of the 3D picture as ordinary widgets: labels and the colour bar."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.views.units import show

BAR_STOPS = 16


class OverlayLabel(QLabel):
    """Small text that lets the pointer through."""

    def __init__(self, parent: QWidget, role: str = "small") -> None:
        super().__init__(parent)
        self.setProperty("role", role)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_plate(self, ink: str, back: str) -> None:
        """Put the text on a plate of its own, where it lies over the picture's objects."""
        self.setStyleSheet(f"color: {ink}; background: {back}; border-radius: 4px; padding: 2px 6px;")

    def show_text(self, text: str) -> None:
        self.setText(text)
        self.adjustSize()
        self.setVisible(bool(text))


class ColorBar(QWidget):
    """Colours of an error map with their distances, and how often each occurs."""

    WIDTH, HEIGHT = 248, 92

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedSize(self.WIDTH, self.HEIGHT)
        self._colors: list[QColor] = []
        self._counts = np.zeros(0)
        self._texts = ("", "", "")
        self._label = ""
        self._ink, self._back = QColor("#e7e9ec"), QColor("#1e2127")
        self.hide()

    def show_scale(self, colors: Any, values: Any, high: float, unit: str, label: str) -> None:
        """Colours [N, 3] in [0, 1] from 0 to ``high``; ``values`` make the histogram."""
        self._colors = [QColor.fromRgbF(*map(float, c)) for c in colors]
        self._counts = np.histogram(np.clip(values, 0, high), 48, (0, high))[0].astype(float)
        suffix = f" {unit}" if unit else ""
        self._texts = ("0", f"{show(high / 2, 2)}{suffix}", f"≥ {show(high, 2)}{suffix}")
        self._label = label
        self.setAccessibleName(f"Colour scale: {label}, 0 to {show(high, 2)}{suffix}")
        self.show()
        self.update()

    def set_colors(self, ink: str, back: str) -> None:
        self._ink, self._back = QColor(ink), QColor(back)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        back = QColor(self._back)
        back.setAlphaF(0.88)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(self.rect(), 6, 6)
        font = painter.font()
        font.setPixelSize(11)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        painter.setPen(self._ink)
        painter.drawText(10, 8 + metrics.ascent(), self._label)
        bar = QRectF(10, self.HEIGHT - 30, self.WIDTH - 20, 10)
        painter.setPen(Qt.PenStyle.NoPen)
        if len(self._counts) and self._counts.max() > 0 and self._colors:
            width = bar.width() / len(self._counts)
            room = bar.top() - 28
            for i, count in enumerate(self._counts):
                share = float(np.sqrt(count / self._counts.max()))
                painter.setBrush(self._colors[i * len(self._colors) // len(self._counts)])
                painter.drawRect(
                    QRectF(bar.left() + i * width, bar.top() - 2 - room * share, width, room * share)
                )
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for i, color in enumerate(self._colors):
            gradient.setColorAt(i / max(len(self._colors) - 1, 1), color)
        painter.setBrush(gradient)
        painter.drawRect(bar)
        painter.setPen(self._ink)
        baseline = int(bar.bottom()) + metrics.ascent() + 3
        left, middle, right = self._texts
        painter.drawText(int(bar.left()), baseline, left)
        painter.drawText(int(bar.center().x()) - metrics.horizontalAdvance(middle) // 2, baseline, middle)
        painter.drawText(int(bar.right()) - metrics.horizontalAdvance(right), baseline, right)
        painter.end()


class RubberBand(QWidget):
    """The rectangle of a box selection."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.color = QColor("#5aa2ff")
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill = QColor(self.color)
        fill.setAlphaF(0.15)
        painter.setPen(self.color)
        painter.setBrush(fill)
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
