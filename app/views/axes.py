"""A plotting area with two axes, drawn with QPainter: scales, ticks and their labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.theme.tokens import SMALL_PX, Tokens
from app.views.units import show

TICKS = 5
GAP = 4


@dataclass(frozen=True)
class Axis:
    """What lies along one side: its label with the unit, and its range (low < high)."""

    label: str = ""
    low: float = 0.0
    high: float = 10.0

    @property
    def span(self) -> float:
        return self.high - self.low

    def ticks(self) -> list[float]:
        """Round numbers inside the range, about :data:`TICKS` of them."""
        rough = self.span / TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * 0.999)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [i * step for i in range(first, last + 1)]


@dataclass
class Axes:
    """Maps values of two axes to the pixels of ``area``, with room of ``margin`` pixels inside the frame."""

    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    margin: float = 12.0
    area: QRectF = field(default_factory=lambda: QRectF(0, 0, 1, 1))

    def place(self, width: float, height: float, font: QFont) -> None:
        """Fit the frame into a widget, beside the tick texts and the axes' labels."""
        metrics = QFontMetricsF(font)
        widest = max((metrics.horizontalAdvance(show(t, 3)) for t in self.y.ticks()), default=0.0)
        left = widest + 3 * GAP + (metrics.height() if self.y.label else 0)
        bottom = metrics.height() + 2 * GAP + (metrics.height() if self.x.label else 0)
        self.area = QRectF(left, 2 * GAP, max(width - left - 3 * GAP, 1), max(height - bottom - 3 * GAP, 1))

    @property
    def inner(self) -> QRectF:
        """Where low and high of both axes lie."""
        shrink = min(self.margin, self.area.width() / 4, self.area.height() / 4)
        return self.area.adjusted(shrink, shrink, -shrink, -shrink)

    def to_x(self, value: float) -> float:
        return self.inner.left() + (value - self.x.low) / self.x.span * self.inner.width()

    def to_y(self, value: float) -> float:
        return self.inner.bottom() - (value - self.y.low) / self.y.span * self.inner.height()

    def from_x(self, pixel: float) -> float:
        return self.x.low + (pixel - self.inner.left()) / self.inner.width() * self.x.span

    def from_y(self, pixel: float) -> float:
        return self.y.low + (self.inner.bottom() - pixel) / self.inner.height() * self.y.span

    def draw(self, painter: QPainter, tokens: Tokens) -> None:
        """The frame, ticks and labels; ticks whose texts would touch are left out."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.drawRect(self.area)
        painter.setPen(QColor(tokens.muted))
        metrics = QFontMetricsF(painter.font())
        high, bottom = metrics.height(), self.area.bottom()
        free = -math.inf
        for tick in self.x.ticks():
            text = show(tick, 3)
            width, at = metrics.horizontalAdvance(text), self.to_x(tick)
            if at - width / 2 > free:
                painter.drawText(QPointF(at - width / 2, bottom + GAP + metrics.ascent()), text)
                free = at + width / 2 + 2 * GAP
        free = math.inf
        for tick in self.y.ticks():
            text, at = show(tick, 3), self.to_y(tick)
            if at + high / 2 < free:
                right = self.area.left() - GAP - metrics.horizontalAdvance(text)
                painter.drawText(QPointF(right, at + metrics.capHeight() / 2), text)
                free = at - high / 2
        wide = QRectF(self.area.left(), bottom + GAP + high, self.area.width(), high + GAP)
        painter.drawText(wide, int(Qt.AlignmentFlag.AlignCenter), _fit(metrics, self.x.label, wide.width()))
        painter.save()
        painter.translate(GAP / 2, self.area.bottom())
        painter.rotate(-90)
        tall = QRectF(0, 0, self.area.height(), high)
        painter.drawText(tall, int(Qt.AlignmentFlag.AlignCenter), _fit(metrics, self.y.label, tall.width()))
        painter.restore()


def _fit(metrics: QFontMetricsF, text: str, width: float) -> str:
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)


def small(font: QFont) -> QFont:
    """The same font in the small size of the panels."""
    font = QFont(font)
    font.setPixelSize(SMALL_PX)
    return font
