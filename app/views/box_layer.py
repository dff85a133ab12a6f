"""Paints thousands of boxes in few calls, onto an image that is kept until something changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QTransform

from app.theme.tokens import LIGHT, Tokens
from app.views.marks import SOLID, Mark, color_of, fill_brush, letter_sprite

TEXTS = 400
"""Boxes with a letter or label at most; more could not be read."""
LINE = 14
"""Height of a label's line, and the grid on which labels keep clear of each other."""
LETTER = 14
"""Width kept for the letter."""
FULL_EDGE = 6
"""Boxes that are lower or narrower on screen have no fill beside their edge."""


class BoxLayer:
    """The boxes of a view, drawn in the view's pixels so that their lines stay sharp at every zoom.

    Larger boxes are painted first: whatever lies inside another box stays visible. Sorting into a few sizes
    instead of strictly keeps the number of batches small.
    """

    def __init__(self) -> None:
        self._rects = np.zeros((0, 4))
        self._size_class = np.zeros(0, np.int64)
        self._codes = np.zeros(0, np.int64)
        self._marks: tuple[Mark, ...] = (Mark("accent"),)
        self._labels: Sequence[str] = ()
        self._tokens: Tokens = LIGHT
        self._filled: frozenset[int] | None = None
        self._image = QImage()
        self._place: tuple[object, ...] = ()
        self._rows = np.zeros(0, np.int64)
        self._view = np.zeros((0, 4), np.int64)
        self._fills = self._edges = np.zeros(0, object)
        self._texts: list[tuple[int, QPoint, str]] = []
        self._fresh = False

    def set_boxes(self, rects: np.ndarray, labels: Sequence[str]) -> None:
        """(N, 4) left, top, width, height; NaN where there is no box."""
        self._rects, self._labels = rects, labels
        area = np.nan_to_num(rects[:, 2] * rects[:, 3], nan=1.0)
        self._size_class = -np.floor(np.log2(np.maximum(area, 1)) / 2).astype(np.int64)
        self._codes = np.zeros(len(rects), np.int64)
        self._place = ()

    def set_styles(self, codes: np.ndarray, marks: tuple[Mark, ...]) -> None:
        self._codes, self._marks, self._fresh = codes, marks, False

    def set_filled(self, codes: Collection[int] | None) -> None:
        self._filled = None if codes is None else frozenset(codes)
        self._fresh = False

    def set_tokens(self, tokens: Tokens) -> None:
        self._tokens, self._fresh = tokens, False

    def draw(
        self,
        painter: QPainter,
        transform: QTransform,
        size: QSize,
        ratio: float,
        font: QFont,
        with_labels: bool,
    ) -> None:
        """Paint the boxes where ``transform`` puts them, onto a view of ``size`` (logical pixels)."""
        place = (transform, size, ratio, with_labels)
        if place != self._place:
            self._place, self._fresh = place, False
            self._lay_out(transform, size, QFontMetrics(font), with_labels)
        if not self._fresh:
            self._image = QImage(size * ratio, QImage.Format.Format_ARGB32_Premultiplied)
            self._image.setDevicePixelRatio(ratio)
            self._image.fill(Qt.GlobalColor.transparent)
            onto = QPainter(self._image)
            onto.setFont(font)
            self._paint(onto, ratio, with_labels)
            onto.end()
            self._fresh = True
        painter.drawImage(0, 0, self._image)

    def _lay_out(self, transform: QTransform, size: QSize, metrics: QFontMetrics, with_labels: bool) -> None:
        """Whole-pixel rectangles of the boxes that can be seen, kept as Qt's objects until the view moves."""
        zoom, shift = transform.m11(), np.array([transform.dx(), transform.dy()])
        low = self._rects[:, :2] * zoom + shift
        high = low + self._rects[:, 2:] * zoom
        with np.errstate(invalid="ignore"):
            seen = (high > 0).all(1) & (low < [size.width(), size.height()]).all(1)
        self._rows = np.flatnonzero(seen)
        # Cut just outside the view: Qt's raster engine is slow with boxes far larger than the image.
        low = np.floor(np.maximum(low[self._rows], -16)).astype(np.int64)
        high = np.ceil(np.minimum(high[self._rows], [size.width() + 16, size.height() + 16])).astype(np.int64)
        self._view = np.hstack([low, np.maximum(high - low, 2)])
        self._fills = _objects([QRect(*box) for box in self._view.tolist()])
        # Four thin fills are twice as fast as an outline with a pen.
        x, y, w, h = self._view.T
        one = np.ones_like(x)
        sides = ((x, y, w, one), (x, y + h - 1, w, one), (x, y, one, h), (x + w - 1, y, one, h))
        lines = [_objects([QRect(*line) for line in np.stack(side, 1).tolist()]) for side in sides]
        self._edges = np.stack(lines, 1)
        self._texts = list(self._place_texts(metrics, with_labels))

    def _place_texts(self, metrics: QFontMetrics, with_labels: bool) -> Iterator[tuple[int, QPoint, str]]:
        """(position among the seen boxes, top left, label) of the boxes with room; smallest boxes first."""
        room = np.flatnonzero((self._view[:, 2] >= LINE) & (self._view[:, 3] >= LINE))
        smallest = room[np.argsort(self._view[room, 2] * self._view[room, 3], kind="stable")]
        taken: set[tuple[int, int]] = set()
        texts = 0
        for i, (x, y, w, h), row in zip(
            smallest.tolist(), self._view[smallest].tolist(), self._rows[smallest].tolist(), strict=True
        ):
            top = y + min((h - LINE) // 2, LINE // 2)
            label = self._labels[row][:120] if with_labels and row < len(self._labels) else ""
            if label:
                label = metrics.elidedText(label, Qt.TextElideMode.ElideRight, w - LETTER - 4)
            reach = x + LETTER + metrics.horizontalAdvance(label)
            cells = {
                (c, r) for c in range(x // LINE, reach // LINE + 1) for r in (top // LINE, (top + 11) // LINE)
            }
            if not taken.isdisjoint(cells):
                continue
            taken |= cells
            yield i, QPoint(x + 2, top), label
            texts += 1
            if texts == TEXTS:
                return

    def _batches(self) -> Iterator[tuple[int, np.ndarray]]:
        """(code, positions among the seen boxes), large boxes first."""
        codes = self._codes[self._rows]
        key = self._size_class[self._rows] * (len(self._marks) + 1) + codes
        order = np.argsort(key, kind="stable")
        cuts = np.flatnonzero(np.diff(key[order])) + 1
        for batch in np.split(order, cuts):
            if len(batch):
                yield int(codes[batch[0]]), batch

    def _paint(self, painter: QPainter, ratio: float, with_labels: bool) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if self._filled is not None:
            for code, batch in self._batches():
                if code in self._filled:
                    painter.setBrush(QColor(0, 0, 0))
                    painter.drawRects(self._fills[batch].tolist())
            return
        # Replacing instead of blending: nested tints do not add up, and it is three times as fast.
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        brushes = [fill_brush(mark, self._tokens, ratio) for mark in self._marks]
        colors = [color_of(mark.color, self._tokens) for mark in self._marks]
        large = (self._view[:, 2:] >= FULL_EDGE).all(1)
        for code, batch in self._batches():
            painter.setBrush(brushes[code])
            painter.drawRects(self._fills[batch].tolist())
            painter.setBrush(colors[code])
            painter.drawRects(self._edges[batch[large[batch]]].ravel().tolist())
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        self._write(painter, ratio, with_labels)

    def _write(self, painter: QPainter, ratio: float, with_labels: bool) -> None:
        """Letters, and labels where no picture shows them."""
        inks = [QColor("#ffffff") if m.pattern == SOLID else QColor(self._tokens.text) for m in self._marks]
        # A letter stands on a ground of its own where it must be read on any picture.
        ground = None if with_labels else QColor(self._tokens.view)
        letters = [
            letter_sprite(
                mark.letter,
                ink,
                None if mark.pattern == SOLID else ground,
                painter.font(),
                LETTER,
                LINE,
                ratio,
            )
            for mark, ink in zip(self._marks, inks, strict=True)
        ]
        baseline = QPoint(LETTER + 1, (LINE + painter.fontMetrics().capHeight()) // 2)
        codes = self._codes[self._rows].tolist()
        for i, corner, label in self._texts:
            code = codes[i]
            painter.drawPixmap(corner, letters[code])
            if label:
                painter.setPen(inks[code])
                painter.drawText(corner + baseline, label)


def _objects(items: list[QRect]) -> np.ndarray:
    """Qt's objects as an array, so that index arrays select among them."""
    return np.fromiter(items, object, len(items))
