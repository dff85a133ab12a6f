"""A table of plain values: sorted by a click on its head, copied and written as CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from app.views.units import show

LONGEST_TEXT = 120
"""Characters a cell shows; the tool tip and the CSV have all of them."""

ROOT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


def cell_text(value: Any, digits: int = 6) -> str:
    """How a value reads in one line."""
    value = plain(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return show(value, digits)
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return " ".join(text.split())


def plain(value: Any) -> Any:
    """numpy's scalars and arrays as Python's own; anything else unchanged."""
    to_list = getattr(value, "tolist", None)
    return to_list() if callable(to_list) else value


def _sort_key(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then texts; nothing and not-a-number last."""
    value = plain(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return (2, 0.0, "")
    if isinstance(value, (int, float)):
        return (0, float(value) if abs(value) < 1e300 else math.copysign(math.inf, value), "")
    return (1, 0.0, cell_text(value).lower())


class _Model(QAbstractTableModel):
    """Turns values into text only where they are on screen."""

    def __init__(self) -> None:
        super().__init__()
        self.columns: tuple[str, ...] = ()
        self.rows: list[Sequence[Any]] = []

    def replace(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self.beginResetModel()
        self.columns, self.rows = tuple(columns), list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        value = row[index.column()] if index.column() < len(row) else None
        if role == Qt.ItemDataRole.DisplayRole:
            text = cell_text(value)
            return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell_text(value, 17)[:4000]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            number = isinstance(plain(value), (int, float)) and not isinstance(plain(value), bool)
            side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            first = next((plain(r[section]) for r in self.rows if section < len(r)), None)
            number = isinstance(first, (int, float)) and not isinstance(first, bool)
            return Qt.AlignmentFlag.AlignVCenter | (
                Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
            )
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(self.columns):
            return
        self.beginResetModel()
        self.rows.sort(
            key=lambda row: _sort_key(row[column] if column < len(row) else None),
            reverse=order == Qt.SortOrder.DescendingOrder,
        )
        self.endResetModel()


class Table(QTableView):
    """Rows of plain values; :attr:`row_chosen` carries the row under the cursor."""

    row_chosen = Signal(object)

    def __init__(self, name: str, sortable: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._model = _Model()
        self.setModel(self._model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(24)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setStretchLastSection(True)
        self.setTabKeyNavigation(False)  # Tab leaves the table, as everywhere else
        if sortable:
            self.setSortingEnabled(True)
            self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._model.columns

    @property
    def rows(self) -> list[Sequence[Any]]:
        """The rows in the order shown."""
        return self._model.rows

    def set_rows(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Show ``rows``; short ones are filled up with nothing. The order is the given one."""
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._model.replace(columns, rows)
        self.resizeColumnsToContents()
        for column in range(len(self._model.columns)):
            self.setColumnWidth(column, min(max(self.columnWidth(column) + 12, 56), 320))

    def csv(self) -> str:
        """Everything, every digit, with a head; nested values as JSON."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:
            cells = [plain(value) for value in row]
            writer.writerow(
                [json.dumps(c, default=str) if isinstance(c, (list, dict, tuple)) else c for c in cells]
            )
        return stream.getvalue()

    def copy_selection(self) -> None:
        """Copy the selected rows (or all), tab-separated, as spreadsheets like it."""
        chosen = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows = [self.rows[i] for i in chosen] or self.rows
        lines = ["\t".join(cell_text(value, 17) for value in row) for row in rows]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid():
            self.row_chosen.emit(self.rows[current.row()])

    def event(self, event: QEvent) -> bool:
        # The window may have a command on Ctrl+C; inside a table it means the table.
        override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if override and event.matches(QKeySequence.StandardKey.Copy):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selection()
            return
        super().keyPressEvent(event)
