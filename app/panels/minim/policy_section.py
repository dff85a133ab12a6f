"""Inspector section: the two thresholds, how each type is abstracted, and the person's own secrets."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from app.panels.minim.document import SCORE
from app.views.number_field import NumberField

STEPS = 200
"""Slider steps over 0 to 10: fine near zero, where the threshold of necessity lies."""
OPERATOR_WORDS = {
    "token": "a typed token",
    "numbered": "a numbered token",
    "last-four": "the last four",
    "fake": "a fake of the same form",
    "generalise": "something general",
    "state": "filled or empty",
}


class Threshold:
    """A slider with its number; quadratic, so that half of its way lies below 2.5."""

    def __init__(self, section: PolicySection, grid: QGridLayout, row: int, axis: str, name: str) -> None:
        self._section, self._axis = section, axis
        label = QLabel(name)
        label.setProperty("role", "muted")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setAccessibleName(f"{name} (slider)")
        self.number = NumberField(name, float, 0.0, SCORE, 0.1)
        self.number.setFixedWidth(56)
        self.slider.valueChanged.connect(self._slid)
        self.slider.sliderReleased.connect(lambda: section.threshold_moved.emit(axis, self._value(), True))
        self.number.committed.connect(lambda value: section.threshold_moved.emit(axis, value, True))
        grid.addWidget(label, row, 0)
        grid.addWidget(self.slider, row, 1)
        grid.addWidget(self.number, row, 2)

    def show(self, value: float) -> None:
        self.slider.blockSignals(True)
        self.slider.setValue(round(STEPS * (value / SCORE) ** 0.5))
        self.slider.blockSignals(False)
        self.number.set_value(value)

    def _value(self) -> float:
        return round(SCORE * (self.slider.value() / STEPS) ** 2, 2)

    def _slid(self) -> None:
        self._section.threshold_moved.emit(self._axis, self._value(), not self.slider.isSliderDown())


class PolicySection(QWidget):
    """Thresholds and operators; emits what is asked for and shows what the document says."""

    threshold_moved = Signal(str, float, bool)
    """Axis ``n`` or ``s``, value in [0, 10], whether the move has ended."""
    operator_chosen = Signal(str, str)
    secrets_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        self.tau_n = Threshold(self, grid, 0, "n", "τ necessity")
        self.tau_s = Threshold(self, grid, 1, "s", "τ sensitivity")
        layout.addLayout(grid)
        self._operators = QGridLayout()
        self._operators.setHorizontalSpacing(8)
        self._operators.setVerticalSpacing(4)
        self._operators.setColumnStretch(1, 1)
        layout.addLayout(self._operators)
        self._combos: dict[str, QComboBox] = {}
        self.secrets = QPushButton("My secrets…")
        self.secrets.setToolTip("Texts of your own that must never leave")
        self.secrets.setAccessibleName("My secrets")
        self.secrets.clicked.connect(self.secrets_requested)
        layout.addWidget(self.secrets, 0, Qt.AlignmentFlag.AlignLeft)

    def show_thresholds(self, tau_n: float, tau_s: float, secrets: int) -> None:
        self.tau_n.show(tau_n)
        self.tau_s.show(tau_s)
        self.secrets.setText(f"My secrets ({secrets})…" if secrets else "My secrets…")

    def show_operators(self, types: Mapping[str, tuple[str, str]], choices: tuple[str, ...]) -> None:
        """One row per type on the page: id -> (title, chosen operator)."""
        if list(types) != list(self._combos):
            self._rebuild(types, choices)
        for type_id, (_, operator) in types.items():
            combo = self._combos[type_id]
            combo.blockSignals(True)
            combo.setCurrentIndex(max(combo.findData(operator), 0))
            combo.blockSignals(False)

    def operator_box(self, type_id: str) -> QComboBox:
        return self._combos[type_id]

    def _rebuild(self, types: Mapping[str, tuple[str, str]], choices: tuple[str, ...]) -> None:
        while (item := self._operators.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._combos = {}
        for row, (type_id, (title, _)) in enumerate(types.items()):
            label = QLabel(title)
            label.setProperty("role", "muted")
            combo = QComboBox()
            combo.setAccessibleName(f"How {title} is abstracted")
            for operator in choices:
                combo.addItem(OPERATOR_WORDS.get(operator, operator), operator)
            combo.activated.connect(
                lambda _, t=type_id, c=combo: self.operator_chosen.emit(t, c.currentData())
            )
            self._operators.addWidget(label, row, 0)
            self._operators.addWidget(combo, row, 1)
            self._combos[type_id] = combo
