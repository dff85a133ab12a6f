"""The rows of a tree table: values are turned into text only where they are on screen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QAbstractTableModel, Qt

from app.views.marks import Mark
from app.views.table import LONGEST_TEXT, ROOT, Index
from app.views.tree_order import TreeOrder

TEXT, NUMBER, TREE, CHIP = "text", "number", "tree", "chip"


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        title: its head.
        values: N values, or a function from the row (0 to N - 1) to its value; None for the chip.
        kind: ``text``, ``number``, ``tree`` (text that is indented and folds) or ``chip`` (the row's style).
        format: how a number is written, as in :func:`format`.
        width: in pixels at first.
    """

    title: str
    values: Sequence[Any] | np.ndarray | Callable[[int], Any] | None = None
    kind: str = TEXT
    format: str = ".1f"
    width: int = 120

    def value(self, row: int) -> Any:
        if self.values is None:
            return None
        return self.values(row) if callable(self.values) else self.values[row]

    def text(self, row: int) -> str:
        """The value in one line; a dash for a number that is not known."""
        value = self.value(row)
        if value is None or (isinstance(value, (float, np.floating)) and math.isnan(value)):
            return "–" if self.kind == NUMBER else ""
        return format(value, self.format) if self.kind == NUMBER else " ".join(str(value).split())


class TreeModel(QAbstractTableModel):
    """A tree shown as a plain list of the rows that are unfolded: 100,000 rows take milliseconds.

    (Qt's own tree view asks a model several times for every row: one second for as many.)
    """

    def __init__(self) -> None:
        super().__init__()
        self.columns: tuple[Column, ...] = ()
        self.tree = TreeOrder(())
        self.ids = np.zeros(0, np.int64)
        self.shown = np.zeros(0, np.int64)
        self.collapsed = np.zeros(0, bool)
        self.codes = np.zeros(0, np.int64)
        self.marks: tuple[Mark, ...] = (Mark("muted"),)
        self.names: Sequence[str] = ()
        self.found: np.ndarray | None = None
        self._sorted_by = -1
        self._descending = False
        self._haystack: list[str] | None = None

    # -------------------------------------------------------------------------------------- content

    def replace(self, columns: Sequence[Column], parents: ArrayLike, ids: ArrayLike | None) -> None:
        """Other rows; those with the same ids stay folded."""
        tree = TreeOrder(parents)
        new_ids = np.arange(len(tree)) if ids is None else np.asarray(ids, np.int64).ravel()
        if len(new_ids) != len(tree):
            raise ValueError(f"{len(tree)} rows have {len(new_ids)} ids")
        for column in columns:
            if column.values is not None and not callable(column.values) and len(column.values) != len(tree):
                raise ValueError(f"{len(tree)} rows have {len(column.values)} values of {column.title}")
        folded = self.ids[self.collapsed]
        self.beginResetModel()
        self.columns, self.tree, self.ids = tuple(columns), tree, new_ids
        self.collapsed = np.isin(new_ids, folded)
        self.codes = np.zeros(len(tree), np.int64)
        self.found, self._haystack = None, None
        self._arrange()
        self.endResetModel()

    def set_columns(self, columns: Sequence[Column]) -> None:
        """New values of the same rows; what is found and sorted stays as it is."""
        self.columns, self._haystack = tuple(columns), None

    def find(self, words: str) -> None:
        """Show only rows whose texts contain all of these words, and what they lie in; "" shows all."""
        wanted = words.casefold().split()
        self.beginResetModel()
        self.found = None
        if wanted:
            if self._haystack is None:
                texts = [c for c in self.columns if c.kind in (TEXT, TREE)]
                self._haystack = [
                    "\n".join(column.text(row) for column in texts).casefold()
                    for row in range(len(self.tree))
                ]
            self.found = np.array([all(word in text for word in wanted) for text in self._haystack], bool)
        self._arrange()
        self.endResetModel()

    def fold(self, rows: Sequence[int], collapsed: bool) -> None:
        self.beginResetModel()
        self.collapsed[list(rows)] = collapsed
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By one column, as a list without levels; by none (-1), as a tree."""
        self._sorted_by = column if column < len(self.columns) else -1
        self._descending = order == Qt.SortOrder.DescendingOrder
        self.beginResetModel()
        self._arrange()
        self.endResetModel()

    @property
    def is_tree(self) -> bool:
        """Whether the levels are shown."""
        return self._sorted_by < 0

    def _arrange(self) -> None:
        if self.is_tree:
            tree = self.tree
            self.shown = (
                tree.unfolded(self.collapsed) if self.found is None else tree.with_ancestors(self.found)
            )
            return
        rows = self.tree.order if self.found is None else self.tree.order[self.found[self.tree.order]]
        keys = self._keys(rows)
        unknown = np.isnan(keys)  # last in both directions
        ranks = np.argsort(np.where(unknown, np.inf, -keys if self._descending else keys), kind="stable")
        self.shown = rows[ranks]

    def _keys(self, rows: np.ndarray) -> np.ndarray:
        """Numbers that sort like the chosen column."""
        column = self.columns[self._sorted_by]
        if column.kind == CHIP:
            return self.codes[rows].astype(float)
        if column.kind == NUMBER:
            return np.array([column.value(row) for row in rows.tolist()], float)
        texts = np.array([column.text(row).casefold() for row in rows.tolist()], object)
        keys = np.unique(texts, return_inverse=True)[1].astype(float)
        keys[texts == ""] = np.nan
        return keys

    # ------------------------------------------------------------------------------------ Qt's model

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.kind == NUMBER else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.ToolTipRole,
            Qt.ItemDataRole.AccessibleTextRole,
        ):
            return None
        row = int(self.shown[index.row()])
        text = self.chip(row)[1] if column.kind == CHIP else column.text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return text[:4000]
        text = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            level = f", level {int(self.tree.depth[row]) + 1}" if column.kind == TREE else ""
            return f"{column.title}: {text}{level}"
        return text

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            number = self.columns[section].kind == NUMBER
            side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def chip(self, row: int) -> tuple[Mark, str]:
        """A row's style and the style's name."""
        code = int(self.codes[row])
        return self.marks[code], self.names[code] if code < len(self.names) else ""
