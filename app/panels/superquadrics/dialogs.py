"""The panel's questions: how to mirror, what to export, which parts to merge or drop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.forms import ParamForm
from app.panels.superquadrics.exports import EXPORTS, ExportChoice
from app.views.number_field import NumberField
from app.views.units import parse_length


@dataclass(frozen=True)
class MirrorPlan:
    """Across which plane, and whether the copies stay linked."""

    axis: str
    offset: float
    link: bool


class MirrorDialog(QDialog):
    """Asks for the mirror plane; offers the middle of the object, the world origin or a typed place."""

    def __init__(self, middle: Sequence[float], unit: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Mirror parts")
        self._middle = middle
        self._axis = QComboBox()
        self._axis.addItems(["x", "y", "z"])
        self._axis.setAccessibleName("Axis that changes sign")
        self._place = QComboBox()
        self._place.addItems(["middle of the object", "world origin", "at"])
        self._place.setAccessibleName("Where the mirror plane lies")
        self._offset = NumberField("place of the plane", lambda text: parse_length(text, unit))
        self._link = QCheckBox("Keep the pair symmetric from now on")
        self._link.setChecked(True)
        form = QFormLayout()
        form.addRow("axis", self._axis)
        form.addRow("plane", self._place)
        form.addRow("", self._offset)
        form.addRow("", self._link)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(_buttons(self, "Mirror"))
        self._axis.currentIndexChanged.connect(self._update)
        self._place.currentIndexChanged.connect(self._update)
        self._update()

    def _update(self) -> None:
        place = self._place.currentIndex()
        self._offset.setEnabled(place == 2)
        if place < 2:
            self._offset.set_value(float(self._middle[self._axis.currentIndex()]) if place == 0 else 0.0)

    def plan(self) -> MirrorPlan:
        return MirrorPlan(self._axis.currentText(), self._offset.value() or 0.0, self._link.isChecked())


class ExportDialog(QDialog):
    """Asks what to export and how; the file is chosen afterwards."""

    def __init__(self, first: str = "parts", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self.setMinimumWidth(420)
        self._kind = QComboBox()
        self._kind.setAccessibleName("What to export")
        self._pages = QStackedWidget()
        self._forms: list[ParamForm] = []
        for choice in EXPORTS:
            self._kind.addItem(choice.title, choice.id)
            page = QWidget()
            layout = QVBoxLayout(page)
            layout.setContentsMargins(0, 0, 0, 0)
            about = QLabel(choice.explanation)
            about.setWordWrap(True)
            about.setProperty("role", "muted")
            form = ParamForm(choice.params)
            layout.addWidget(about)
            layout.addWidget(form)
            layout.addStretch(1)
            self._forms.append(form)
            self._pages.addWidget(page)
        self._kind.currentIndexChanged.connect(self._pages.setCurrentIndex)
        self._kind.setCurrentIndex([c.id for c in EXPORTS].index(first))
        layout = QVBoxLayout(self)
        layout.addWidget(self._kind)
        layout.addWidget(self._pages)
        layout.addWidget(_buttons(self, "Export…"))

    def choice(self) -> tuple[ExportChoice, Any]:
        """What was chosen, and its parameters.

        Raises:
            BadParameter: a field of the form is out of range.
        """
        index = self._kind.currentIndex()
        return EXPORTS[index], self._forms[index].value()


class ReduceDialog(QDialog):
    """Shows what merging or dropping parts would cost, before anything is done."""

    def __init__(
        self, proposals: Sequence[Any], names: dict[int, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Merge and drop parts")
        self.resize(560, 360)
        self._proposals = list(proposals)
        table = QTableWidget(len(self._proposals), 4)
        table.setAccessibleName("Proposals, cheapest first")
        table.setHorizontalHeaderLabels(["do", "parts", "IoU", "Chamfer / diagonal"])
        table.verticalHeader().hide()
        table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        for row, proposal in enumerate(self._proposals):
            iou = "–" if proposal.delta_iou is None else f"{proposal.delta_iou:+.4f}"
            cells = (
                "merge" if proposal.kind == "merge" else "drop",
                ", ".join(names.get(i, "?") for i in proposal.part_ids),
                iou,
                f"{100 * proposal.delta_chamfer_rel:+.3f} %",
            )
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                if column >= 2:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                table.setItem(row, column, item)
        table.resizeColumnsToContents()
        table.horizontalHeader().setSectionResizeMode(1, table.horizontalHeader().ResizeMode.Stretch)
        table.selectRow(0)
        table.doubleClicked.connect(self.accept)
        self._table = table
        layout = QVBoxLayout(self)
        about = QLabel("Each row shows how the figures would change. Nothing is done until you choose one.")
        about.setWordWrap(True)
        about.setProperty("role", "muted")
        layout.addWidget(about)
        layout.addWidget(table)
        layout.addWidget(_buttons(self, "Do it"))

    def chosen(self) -> Any:
        """The selected proposal, or None."""
        row = self._table.currentRow()
        return self._proposals[row] if 0 <= row < len(self._proposals) else None


def _buttons(dialog: QDialog, accept: str) -> QDialogButtonBox:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
    box.button(QDialogButtonBox.StandardButton.Ok).setText(accept)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box
