"""How the special cells of a tree table are painted: indented ones that fold, and chips."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.theme.tokens import LIGHT, Tokens
from app.views.marks import color_of, faded
from app.views.table import Index
from app.views.tree_model import CHIP, TREE, TreeModel

INDENT = 12
FOLD = 16
"""Width of the triangle that folds a row."""
DEEPEST = 12
"""Levels that are still indented; pages nest fifty deep, and a text at the far right helps nobody."""


class Cells(QStyledItemDelegate):
    """Paints every cell; chips show a letter and a name beside their colour."""

    def __init__(self, model: TreeModel, parent: Any) -> None:
        super().__init__(parent)
        self._model = model
        self.tokens: Tokens = LIGHT

    def fold_area(self, index: Index, cell: QRect) -> QRect:
        """Where a click folds; empty where there is nothing to fold."""
        row = int(self._model.shown[index.row()])
        is_tree = self._model.columns[index.column()].kind == TREE and self._model.is_tree
        if not is_tree or not self._model.tree.has_children[row]:
            return QRect()
        return QRect(cell.left() + self._indent(row), cell.top(), FOLD, cell.height())

    def _indent(self, row: int) -> int:
        return min(int(self._model.tree.depth[row]), DEEPEST) * INDENT if self._model.is_tree else 0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        kind = self._model.columns[index.column()].kind
        if kind not in (TREE, CHIP):
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style() if option.widget else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        painter.save()
        painter.setClipRect(option.rect)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = int(self._model.shown[index.row()])
        if kind == CHIP:
            self._chip(painter, option.rect, row)
        else:
            self._branch(painter, self.fold_area(index, option.rect), bool(self._model.collapsed[row]))
            left = self._indent(row) + (FOLD if self._model.is_tree else 4)
            room = option.rect.adjusted(left, 0, -4, -2)  # the line below each row is part of its cell
            painter.setPen(QColor(self.tokens.text))
            elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), elided)
        painter.restore()

    def _branch(self, painter: QPainter, area: QRect, collapsed: bool) -> None:
        if area.isEmpty():
            return
        at = QRectF(area).center()
        arrow = (
            [(-2, -4), (3, 0), (-2, 4)]
            if collapsed and self._model.found is None
            else [(-4, -2), (0, 3), (4, -2)]
        )
        painter.setPen(QPen(QColor(self.tokens.muted), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([at + QPointF(x, y) for x, y in arrow]))

    def _chip(self, painter: QPainter, cell: QRect, row: int) -> None:
        mark, name = self._model.chip(row)
        text = f"{mark.letter} {name}".strip()
        if not text:
            return
        metrics = painter.fontMetrics()
        height = min(metrics.height() + 2, cell.height() - 4)
        width = min(metrics.horizontalAdvance(text) + 14, cell.width() - 6)
        box = QRectF(cell.left() + 3, cell.center().y() - height / 2 + 0.5, width, height)
        color = color_of(mark.color, self.tokens)
        painter.setPen(QPen(color, 1.2))
        painter.setBrush(faded(color, 30))
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(QColor(self.tokens.text))
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(int(width) - 8, 8))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
