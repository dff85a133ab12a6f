"""Figures of a result, the entries behind a figure, and how the values of an array are spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.views.histogram import Histogram
from app.views.table import Table, plain
from methods.core.declaration import Method, Sample

HIDDEN = ("provenance", "warnings")
MOST_ARRAYS = 50


class FiguresView(QStackedWidget):
    """A row per fact; before there is one, what to do next."""

    entries_chosen = Signal(str, object)  # fact name, its value
    sample_requested = Signal(object)

    def __init__(self, method: Method, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = Table("Figures", sortable=False)
        self.table.horizontalHeader().setStretchLastSection(False)
        self.table.row_chosen.connect(lambda row: self.entries_chosen.emit(row[0], self._facts.get(row[2])))
        self._facts: dict[str, Any] = {}
        self.addWidget(self._empty(method))
        self.addWidget(self.table)

    def show_result(self, result: Mapping[str, Any]) -> None:
        """Show a result as ``--json`` prints it; an empty one shows the first steps."""
        self._facts = {name: value for name, value in result.items() if name not in HIDDEN}
        self.setCurrentIndex(1 if self._facts else 0)
        rows = [(name.replace("_", " "), _short(value), name) for name, value in self._facts.items()]
        self.table.set_rows(("figure", "value", "name"), rows)
        self.table.setColumnHidden(2, True)
        self.table.setColumnWidth(0, 200)
        self.table.setColumnWidth(1, 160)
        nested = next((row for row, fact in enumerate(self._facts.values()) if table_of(fact)), None)
        if nested is not None:
            self.table.selectRow(nested)
        else:
            self.entries_chosen.emit("", None)

    def _empty(self, method: Method) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout.setSpacing(8)
        text = QLabel("Open a file or a sample, choose what to do, and run it.")
        text.setProperty("role", "muted")
        layout.addWidget(text, 0, Qt.AlignmentFlag.AlignHCenter)
        for sample in method.samples[:4]:
            layout.addWidget(self._sample_button(sample), 0, Qt.AlignmentFlag.AlignHCenter)
        return page

    def _sample_button(self, sample: Sample) -> QPushButton:
        button = QPushButton(f"Open sample: {sample.title}")
        button.setToolTip(sample.summary)
        button.clicked.connect(lambda: self.sample_requested.emit(sample))
        return button


class EntriesView(QWidget):
    """The list behind one figure as a table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head = QLabel("Select a figure that is a list to see its entries.")
        self._head.setProperty("role", "muted")
        self._head.setContentsMargins(12, 4, 12, 4)
        self.table = Table("Entries")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self.table, 1)

    def show_entries(self, name: str, value: Any) -> None:
        table = table_of(value)
        if table is None:
            self._head.setText("Select a figure that is a list to see its entries.")
            self.table.set_rows((), ())
            return
        columns, rows = table
        self._head.setText(f"{name}: {len(rows):,} {'entry' if len(rows) == 1 else 'entries'}")
        self.table.set_rows(columns, rows)


class ArraysView(QWidget):
    """A histogram of one of the result's arrays."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._arrays: dict[str, Any] = {}
        self._choice = QComboBox()
        self._choice.setAccessibleName("Array")
        self._choice.currentTextChanged.connect(self._show_one)
        self._text = QLabel()
        self._text.setProperty("role", "muted")
        self._text.setWordWrap(True)
        self.histogram = Histogram()
        self.histogram.setAccessibleName("Distribution of the array's values")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 8)
        layout.addWidget(self._choice)
        layout.addWidget(self._text)
        layout.addWidget(self.histogram, 1)
        layout.addStretch(0)
        self.show_value(None)

    def show_value(self, value: Any) -> None:
        self._arrays = arrays_in(value)
        self._choice.blockSignals(True)
        self._choice.clear()
        self._choice.addItems(list(self._arrays))
        self._choice.blockSignals(False)
        self._choice.setVisible(len(self._arrays) > 1)
        self._show_one(self._choice.currentText())

    def _show_one(self, name: str) -> None:
        array = self._arrays.get(name)
        self.histogram.setVisible(array is not None)
        if array is None:
            self._text.setText("A result that holds arrays shows here how their values are spread.")
            return
        shape = " × ".join(f"{n:,}" for n in array.shape) or "scalar"
        self._text.setText(f"{name} · {shape} · {array.dtype}")
        self.histogram.set_values(array, name)


def table_of(value: Any) -> tuple[tuple[str, ...], list[tuple[Any, ...]]] | None:
    """Columns and rows of a nested fact: a list of objects, a list of lists, a list, or an object."""
    value = plain(value)
    if isinstance(value, Mapping):
        return ("name", "value"), list(value.items())
    if not isinstance(value, (list, tuple)) or not value:
        return None
    if all(isinstance(entry, Mapping) for entry in value):
        columns = tuple(dict.fromkeys(str(key) for entry in value for key in entry))
        return columns, [tuple(entry.get(column) for column in columns) for entry in value]
    if all(isinstance(entry, (list, tuple)) for entry in value):
        width = max(len(entry) for entry in value)
        return tuple(map(str, range(1, width + 1))), [tuple(entry) for entry in value]
    return ("#", "value"), list(enumerate(value, 1))


def arrays_in(value: Any) -> dict[str, Any]:
    """Numeric arrays of a result's value: itself, or what a mapping or dataclass holds directly."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        named = [(str(name), entry) for name, entry in value.items()]
    elif is_dataclass(value) and not isinstance(value, type):
        named = [(field.name, getattr(value, field.name)) for field in fields(value)]
    else:
        named = [("value", value)]
    found = [(name, array) for name, array in named if _is_numeric(array)]
    return dict(found[:MOST_ARRAYS])


def _is_numeric(value: Any) -> bool:
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind is not None and kind in "biuf" and value.size > 0


def _short(value: Any) -> Any:
    """Nested facts by their count; they are shown in full beside."""
    value = plain(value)
    if isinstance(value, Mapping) or (isinstance(value, (list, tuple)) and len(value) > 4):
        return f"{len(value):,} {'entry' if len(value) == 1 else 'entries'}"
    return value
