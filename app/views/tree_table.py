"""A tree with columns for many thousand rows, with a search field and a chip per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.views.marks import as_codes, as_marks
from app.views.table import Index
from app.views.tree_cells import Cells
from app.views.tree_model import Column, TreeModel

__all__ = ["Column", "TreeTable"]

ROW_HEIGHT = 24
GAP = 8
NOTHING = -1


class TreeTable(QWidget):
    """Rows with parents; sorted by a click on a head, as a tree again by the third.

    Args:
        name: for screen readers.
        keys: letters that :attr:`key_pressed` reports while the table has the focus.
    """

    selected = Signal(int)
    """The id of the row that the person went to."""
    key_pressed = Signal(str)

    def __init__(self, name: str = "Tree", keys: str = "KAR", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._model = TreeModel()
        self._current = NOTHING
        self._titles: tuple[str, ...] = ()
        self.table = _Table(name, self._model, keys)
        self.table.row_chosen.connect(self._chosen)
        self.table.key_pressed.connect(self.key_pressed)
        self._model.modelReset.connect(self._restore)
        self._search = QLineEdit()
        self._search.setPlaceholderText("Filter rows")
        self._search.setClearButtonEnabled(True)
        self._search.setAccessibleName(f"{name}: filter rows")
        self._search.textChanged.connect(self._model.find)
        self._count = QLabel()
        self._count.setProperty("role", "small")
        head = QHBoxLayout()
        head.setContentsMargins(GAP, GAP // 2, GAP, GAP // 2)
        head.setSpacing(GAP)
        head.addWidget(self._search, 1)
        head.addWidget(self._count)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)
        self.setFocusProxy(self.table)

    # -------------------------------------------------------------------------------------- content

    def set_rows(self, columns: Sequence[Column], parents: ArrayLike, ids: ArrayLike | None = None) -> None:
        """Show other rows; the ones with ids that were there stay folded and selected.

        Args:
            parents: (N,) row of each row's parent, -1 for none.
            ids: (N,) whole numbers that :attr:`selected` and :meth:`select` use; 0, 1, 2, … where None.

        Raises:
            ValueError: columns or ids of another length.
        """
        self._model.replace(columns, parents, ids)
        titles = tuple(column.title for column in columns)
        if titles != self._titles:  # a person's own widths survive new values
            self._titles = titles
            for i, column in enumerate(columns):
                self.table.setColumnWidth(i, column.width)
        if self._search.text():
            self._model.find(self._search.text())

    def set_columns(self, columns: Sequence[Column]) -> None:
        """Show new values of the same rows, in the order in which they are."""
        self._model.set_columns(columns)
        self.table.viewport().update()

    def set_styles(
        self, codes: ArrayLike, styles: Sequence[tuple[str, str, str]], names: Sequence[str] = ()
    ) -> None:
        """Give row i the chip ``styles[codes[i]]`` (see :class:`Mark`) with ``names[codes[i]]``."""
        model = self._model
        model.codes = as_codes(codes, len(model.tree), len(styles))
        model.marks, model.names = as_marks(styles), tuple(names)
        self.table.viewport().update()

    def set_empty_text(self, text: str) -> None:
        """What to do next, shown while there is no row."""
        self.table.empty_text = text
        self.table.viewport().update()

    def refresh_theme(self, theme: Any) -> None:
        self.table.cells.tokens = theme.tokens
        self.table.viewport().update()

    # ------------------------------------------------------------------------------------- selection

    def select(self, row_id: int) -> None:
        """Go to a row, unfolding what hides it; an id that is not there selects none. Emits nothing."""
        rows = np.flatnonzero(self._model.ids == row_id)
        self._current = int(row_id) if len(rows) else NOTHING
        if len(rows):
            above = [r for r in self._model.tree.ancestors(int(rows[0])) if self._model.collapsed[r]]
            if above:
                self._model.fold(above, False)
        self._restore()
        index = self.table.currentIndex()
        if index.isValid():
            self.table.scrollTo(index.siblingAtColumn(0))

    def set_filter(self, words: str) -> None:
        """Show only rows that contain all of these words, and the rows they lie in."""
        self._search.setText(words)

    def _chosen(self, row: int) -> None:
        self._current = int(self._model.ids[row])
        self.selected.emit(self._current)

    def _restore(self) -> None:
        """After a change of the rows: the same one is current, silently, where it is still shown."""
        model = self._model
        self.table.go_to(np.flatnonzero(model.ids[model.shown] == self._current))
        total, found = len(model.tree), model.found
        self._count.setText(f"{total:,}" if found is None else f"{int(found.sum()):,} of {total:,}")


class _Table(QTableView):
    """The view of a :class:`TreeModel`; folds rows and passes on keys."""

    row_chosen = Signal(int)
    key_pressed = Signal(str)

    def __init__(self, name: str, model: TreeModel, keys: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.empty_text = "Nothing to show yet."
        self._keys = keys.upper()
        self._tree = model
        self._silent = False
        self.cells = Cells(model, self)
        self.setItemDelegate(self.cells)
        self.setModel(model)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table, as everywhere else
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setSortingEnabled(True)
        header = self.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setHighlightSections(False)
        header.setStretchLastSection(True)

    def go_to(self, rows: np.ndarray) -> None:
        """Make the first of these rows of the list current without telling anyone; none where it is empty."""
        self._silent = True
        if len(rows):
            bar = self.verticalScrollBar().value()
            self.setCurrentIndex(self._tree.index(int(rows[0]), 0))
            self.verticalScrollBar().setValue(bar)
        else:
            self.clearSelection()
            self.selectionModel().clearCurrentIndex()
        self._silent = False

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and not self._silent:
            self.row_chosen.emit(int(self._tree.shown[current.row()]))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self._tree.found is None:
            area = self.cells.fold_area(index, self.visualRect(index))
            if area.contains(event.position().toPoint()):
                row = int(self._tree.shown[index.row()])
                self._fold(row, not self._tree.collapsed[row])
                return
        super().mousePressEvent(event)

    def _fold(self, row: int, collapsed: bool) -> None:
        top = self.verticalScrollBar().value()
        self._tree.fold([row], collapsed)
        self.verticalScrollBar().setValue(top)

    def event(self, event: QEvent) -> bool:
        # The window may have a command on these keys; inside a table they mean the table.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
            ours = plain and event.text().upper() in tuple(self._keys)
            if ours or event.matches(QKeySequence.StandardKey.Copy):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        key, index = Qt.Key(event.key()), self.currentIndex()
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        elif plain and event.text() and event.text().upper() in self._keys:
            self.key_pressed.emit(event.text().upper())
        elif plain and index.isValid() and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._fold_or_walk(int(self._tree.shown[index.row()]), key == Qt.Key.Key_Left)
        else:
            super().keyPressEvent(event)

    def _fold_or_walk(self, row: int, left: bool) -> None:
        """As in every tree: left folds, then goes to the parent; right unfolds, then goes to the first child."""
        tree = self._tree
        if not tree.is_tree:
            return
        folds = bool(tree.tree.has_children[row]) and tree.found is None
        if folds and bool(tree.collapsed[row]) != left:
            self._fold(row, left)
        else:
            target = int(tree.tree.parents[row]) if left else NOTHING
            if not left and tree.tree.has_children[row]:
                target = int(tree.tree.order[tree.tree.place[row] + 1])
            places = np.flatnonzero(tree.shown == target)
            if len(places):
                self.setCurrentIndex(tree.index(int(places[0]), 0))

    def _copy(self) -> None:
        row = self.currentIndex().row()
        if row >= 0:
            cells = [self._tree.index(row, i).data() or "" for i in range(self._tree.columnCount())]
            QGuiApplication.clipboard().setText("\t".join(cells))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._tree.rowCount():
            return
        painter = QPainter(self.viewport())
        painter.setPen(self.palette().placeholderText().color())
        area = self.viewport().rect().adjusted(GAP, GAP, -GAP, -GAP)
        text = "No row contains that." if len(self._tree.tree) else self.empty_text
        painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), text)
        painter.end()
