"""A picture with thousands of labelled boxes: hover, click, wheel to zoom, drag to move."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPalette,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

from app.theme.tokens import LIGHT, Tokens
from app.views.box_layer import BoxLayer
from app.views.marks import as_codes, as_marks, color_of

LIMIT = 100_000.0
"""Pixels from the origin beyond which a box is cut; scroll bars of a scene further out break."""
CLICK = 4
"""Pixels the mouse may move between press and release of a click."""
ZOOMS = (0.02, 32.0)
STEP = 1.2
MARGIN = 12
NOTHING = -1


class BoxesView(QGraphicsView):
    """Boxes over a picture, or over an empty page where there is none.

    A restyle of 5,000 boxes takes less than a frame: the picture lies in the view's cached background, and the
    boxes are painted in batches (:class:`BoxLayer`), again only when something about them changes.
    """

    selected = Signal(int)
    """The id of the box that was clicked."""

    def __init__(self, name: str = "Picture with boxes", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.viewport().setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setScene(QGraphicsScene(self))
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheBackground)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self._tokens: Tokens = LIGHT
        self._picture, self._half = QImage(), QImage()
        self._scale = 1.0
        self._empty_text = "Nothing to show yet."
        self._rects = np.zeros((0, 4))
        self._ids = np.zeros(0, np.int64)
        self._labels: Sequence[str] = ()
        self._layer = BoxLayer()
        self._selected, self._hovered = NOTHING, NOTHING
        self._pressed = QPoint()
        self._fits = True
        self.refresh_theme(None)

    # -------------------------------------------------------------------------------------- content

    def set_picture(self, image: QImage | None, scale: float = 1.0) -> None:
        """Show ``image``, of which ``scale`` pixels make one unit of the boxes; None shows an empty page."""
        self._picture = QImage() if image is None else image
        self._scale = scale if np.isfinite(scale) and scale > 0 else 1.0
        # Bilinear scaling drops lines of text below one half; it starts from a picture halved properly.
        self._half = self._picture
        if min(self._picture.width(), self._picture.height()) > 1:
            half = self._picture.size() / 2
            self._half = self._picture.scaled(half, mode=Qt.TransformationMode.SmoothTransformation)
        self._place()

    def set_boxes(
        self, rects: ArrayLike, ids: ArrayLike | None = None, labels: Sequence[str] | None = None
    ) -> None:
        """Show boxes, styled with the first style until :meth:`set_styles` says otherwise.

        Args:
            rects: (N, 4) left, top, width, height in pixels; not-a-number or no size means no box.
            ids: (N,) whole numbers that :attr:`selected` and :meth:`select` use; 0, 1, 2, … where None.
            labels: N short texts; they are shown where no picture does.
        """
        boxes = np.array(rects, float).reshape(-1, 4)
        ends = np.clip(boxes[:, :2] + boxes[:, 2:], -LIMIT, LIMIT)
        boxes[:, :2] = np.clip(boxes[:, :2], -LIMIT, LIMIT)
        boxes[:, 2:] = ends - boxes[:, :2]
        boxes[~(np.isfinite(boxes).all(1) & (boxes[:, 2] > 0) & (boxes[:, 3] > 0))] = np.nan
        self._rects = boxes
        self._ids = np.arange(len(boxes)) if ids is None else np.asarray(ids, np.int64).ravel()
        if len(self._ids) != len(boxes):
            raise ValueError(f"{len(boxes)} boxes have {len(self._ids)} ids")
        self._labels = tuple(labels or ())
        self._selected = self._hovered = NOTHING
        self._layer.set_boxes(boxes, self._labels)
        self._place()

    def set_styles(self, codes: ArrayLike, styles: Sequence[tuple[str, str, str]]) -> None:
        """Give box i the style ``styles[codes[i]]``: (colour, pattern, letter), see :class:`Mark`."""
        self._layer.set_styles(as_codes(codes, len(self._rects), len(styles)), as_marks(styles))
        self.viewport().update()

    def set_preview(self, filled: Collection[int] | None) -> None:
        """Show the picture as it is exported, the boxes of these codes black; None shows every box."""
        self._layer.set_filled(filled)
        self.viewport().update()

    def set_empty_text(self, text: str) -> None:
        """What to do next, shown while there is neither picture nor box."""
        self._empty_text = text
        self.viewport().update()

    def refresh_theme(self, theme: Any) -> None:
        self._tokens = LIGHT if theme is None else theme.tokens
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, color_of("view", self._tokens))
        self.setPalette(palette)
        self._layer.set_tokens(self._tokens)
        self.resetCachedContent()
        self.viewport().update()

    # ------------------------------------------------------------------------------------ selection

    def select(self, box_id: int) -> None:
        """Mark a box and bring it into view; an id that is not there marks none. Emits nothing."""
        rows = np.flatnonzero(self._ids == box_id)
        self._mark(int(rows[0]) if len(rows) else NOTHING)
        if self._selected != NOTHING and np.isfinite(self._rects[self._selected]).all():
            x, y, w, h = self._rects[self._selected]
            self.ensureVisible(QRectF(x, y, w, h), MARGIN, MARGIN)

    def boxes_at(self, point: QPointF) -> np.ndarray:
        """Rows of the boxes that contain a point (in boxes' pixels), the smallest first."""
        x, y, w, h = self._rects.T
        inside = (x <= point.x()) & (point.x() < x + w) & (y <= point.y()) & (point.y() < y + h)
        rows = np.flatnonzero(inside)
        return rows[np.argsort((w * h)[rows], kind="stable")]

    def _mark(self, row: int) -> None:
        self._selected = row
        label = self._labels[row] if 0 <= row < len(self._labels) else ""
        self.setAccessibleDescription(label)
        self.viewport().update()

    # ------------------------------------------------------------------------------------- geometry

    def fit(self) -> None:
        """Show everything."""
        self._fits = True
        area = self.sceneRect().adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
        if not self._is_empty():
            self.fitInView(area, Qt.AspectRatioMode.KeepAspectRatio)

    def zoom(self, factor: float) -> None:
        """Magnify by ``factor``, within reason."""
        now = self.transform().m11()
        factor = float(np.clip(now * factor, *ZOOMS)) / now
        self._fits = False
        self.scale(factor, factor)

    def _is_empty(self) -> bool:
        return self._picture.isNull() and not np.isfinite(self._rects).any()

    def _place(self) -> None:
        """The scene is the picture, or the page that holds every box."""
        if not self._picture.isNull():
            page = QRectF(0, 0, self._picture.width() / self._scale, self._picture.height() / self._scale)
        else:
            boxes = self._rects[np.isfinite(self._rects).all(1)]
            low = np.minimum(boxes[:, :2].min(0, initial=0), 0)
            high = (boxes[:, :2] + boxes[:, 2:]).max(0, initial=1)
            page = QRectF(QPointF(*low), QPointF(*high))
        self.setSceneRect(page)
        self.resetCachedContent()
        if self._fits:
            self.fit()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fits:
            self.fit()

    # -------------------------------------------------------------------------------------- drawing

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        painter.fillRect(rect, color_of("panel", self._tokens))
        if self._is_empty():
            return
        page = self.sceneRect()
        painter.fillRect(page, color_of("view", self._tokens))
        if self._picture.isNull():
            pen = QPen(color_of("border", self._tokens), 1)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawRect(page)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        zoom = self.transform().m11() * self.devicePixelRatioF() / self._scale
        painter.drawImage(page, self._half if zoom <= 0.5 else self._picture)

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        painter.save()
        painter.resetTransform()
        if self._is_empty():
            painter.setPen(color_of("muted", self._tokens))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            area = self.viewport().rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
            painter.drawText(area, int(flags), self._empty_text)
        else:
            font = QFont(self.font())
            font.setPixelSize(11)
            self._layer.draw(
                painter, self.viewportTransform(), self.viewport().size(), self.devicePixelRatioF(), font,
                with_labels=self._picture.isNull(),
            )  # fmt: skip
            self._outline(painter, self._hovered, "text", 1)
            self._outline(painter, self._selected, "accent", 2)
        painter.restore()

    def _outline(self, painter: QPainter, row: int, color: str, width: int) -> None:
        if row == NOTHING or not np.isfinite(self._rects[row]).all():
            return
        x, y, w, h = self._rects[row]
        box = self.viewportTransform().mapRect(QRectF(x, y, w, h)).toAlignedRect()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for grown, name in ((width + 1, "view"), (0, color)):  # a halo, for dark pictures and light ones
            painter.setPen(QPen(color_of(name, self._tokens), width + grown))
            painter.drawRect(box.adjusted(-1, -1, 0, 0))

    # ---------------------------------------------------------------------------------------- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        moved = (event.position().toPoint() - self._pressed).manhattanLength()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if moved > CLICK:
            self._fits = False
            return
        rows = self.boxes_at(self.mapToScene(event.position().toPoint()))
        if not len(rows):
            return
        # A click on the selected box goes on to the next larger one below it, and around.
        at = np.flatnonzero(rows == self._selected)
        row = int(rows[(at[0] + 1) % len(rows)] if len(at) else rows[0])
        self._mark(row)
        self.selected.emit(int(self._ids[row]))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if event.buttons() == Qt.MouseButton.NoButton:
            rows = self.boxes_at(self.mapToScene(event.position().toPoint()))
            self._hover(int(rows[0]) if len(rows) else NOTHING)

    def leaveEvent(self, event: Any) -> None:
        self._hover(NOTHING)
        super().leaveEvent(event)

    def _hover(self, row: int) -> None:
        if row != self._hovered:
            self._hovered = row
            self.viewport().setToolTip(self._labels[row][:200] if 0 <= row < len(self._labels) else "")
            self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        actions = {
            Qt.Key.Key_Plus: lambda: self.zoom(STEP),
            Qt.Key.Key_Equal: lambda: self.zoom(STEP),
            Qt.Key.Key_Minus: lambda: self.zoom(1 / STEP),
            Qt.Key.Key_0: self.fit,
        }
        act = actions.get(Qt.Key(event.key()))
        if act is None:
            super().keyPressEvent(event)
        else:
            act()
