"""Inspector section: the two thresholds, how each type is abstracted, and the person's own secrets."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from app.panels.minim.document import SCORE
from app.views.number_field import NumberField

STEPS = 200
OPERATOR_WORDS = {
    "token": "a typed token",
    "numbered": "a numbered token",
    "last-four": "the last four",
    "fake": "a fake of the same form",
    "generalise": "something general",
    "state": "filled or empty",
}


class Threshold:
    """A slider with its number.

    Args:
        power: 2 gives half of the slider's way to values below 2.5, where the threshold of necessity lies.
    """

    def __init__(
        self, section: PolicySection, grid: QGridLayout, row: int, axis: str, name: str, power: int
    ) -> None:
        self._section, self._axis, self._power = section, axis, power
        label = QLabel(name)
        label.setProperty("role", "muted")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setMinimumWidth(60)
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
        self.slider.setValue(round(STEPS * (value / SCORE) ** (1 / self._power)))
        self.slider.blockSignals(False)
        self.number.set_value(value)

    def _value(self) -> float:
        return round(SCORE * (self.slider.value() / STEPS) ** self._power, 2)

    def _slid(self) -> None:
        self._section.threshold_moved.emit(self._axis, self._value(), not self.slider.isSliderDown())


class PolicySection(QWidget):
    """Thresholds and operators; emits what is asked for and shows what the document says."""

    threshold_moved = Signal(str, float, bool)
    """Axis ``n`` or ``s``, value in [0, 10], whether the move has ended."""
    operator_chosen = Signal(tuple, str)
    """Ids of types, and how they are abstracted from now on."""
    secrets_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        grid = _grid()
        self.tau_n = Threshold(self, grid, 0, "n", "τ necessity", 2)
        self.tau_s = Threshold(self, grid, 1, "s", "τ sensitivity", 1)
        self.every = self._operator_box("How everything is abstracted")
        self.every.activated.connect(lambda _: self._choose(tuple(self._combos), self.every))
        label = QLabel("abstract as")
        label.setProperty("role", "muted")
        grid.addWidget(label, 2, 0)
        grid.addWidget(self.every, 2, 1, 1, 2)
        layout.addLayout(grid)
        self._each = QWidget()
        self._operators = _grid()
        self._operators.setContentsMargins(12, 0, 0, 0)
        self._each.setLayout(self._operators)
        layout.addWidget(self._each)
        self._combos: dict[str, QComboBox] = {}
        row = QHBoxLayout()
        row.setSpacing(6)
        self.more = QPushButton("Per type")
        self.more.setCheckable(True)
        self.more.setAccessibleName("Choose per type how it is abstracted")
        self.more.toggled.connect(self._each.setVisible)
        self.secrets = QPushButton("My secrets…")
        self.secrets.setToolTip("Texts of your own that must never leave")
        self.secrets.setAccessibleName("My secrets")
        self.secrets.clicked.connect(self.secrets_requested)
        row.addWidget(self.more)
        row.addWidget(self.secrets)
        row.addStretch(1)
        layout.addLayout(row)
        self._each.hide()

    def show_thresholds(self, tau_n: float, tau_s: float, secrets: int) -> None:
        self.tau_n.show(tau_n)
        self.tau_s.show(tau_s)
        self.secrets.setText(f"My secrets ({secrets})…" if secrets else "My secrets…")

    def show_operators(self, types: Mapping[str, tuple[str, str]], choices: tuple[str, ...]) -> None:
        """One row per type on the page: id -> (title, chosen operator)."""
        if list(types) != list(self._combos):
            self._rebuild(types, choices)
        for type_id, (_, operator) in types.items():
            self._combos[type_id].setCurrentIndex(max(self._combos[type_id].findData(operator), 0))
        used = {operator for _, operator in types.values()}
        self.every.setCurrentIndex(self.every.findData(next(iter(used))) if len(used) == 1 else -1)
        self.every.setPlaceholderText("different by type" if types else "nothing private yet")
        self.every.setEnabled(bool(types))
        self.more.setEnabled(bool(types))

    def operator_box(self, type_id: str) -> QComboBox:
        return self._combos[type_id]

    def _choose(self, types: tuple[str, ...], combo: QComboBox) -> None:
        self.operator_chosen.emit(types, combo.currentData())

    def _rebuild(self, types: Mapping[str, tuple[str, str]], choices: tuple[str, ...]) -> None:
        while (item := self._operators.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._combos = {}
        _fill(self.every, choices)
        for row, (type_id, (title, _)) in enumerate(types.items()):
            label = QLabel(title)
            label.setProperty("role", "muted")
            combo = self._operator_box(f"How {title} is abstracted")
            _fill(combo, choices)
            combo.activated.connect(lambda _, t=type_id, c=combo: self._choose((t,), c))
            self._operators.addWidget(label, row, 0)
            self._operators.addWidget(combo, row, 1)
            self._combos[type_id] = combo

    @staticmethod
    def _operator_box(name: str) -> QComboBox:
        combo = QComboBox()
        combo.setAccessibleName(name)
        combo.setPlaceholderText("different by type")
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(8)
        return combo


def _grid() -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(4)
    grid.setColumnStretch(1, 1)
    return grid


def _fill(combo: QComboBox, choices: tuple[str, ...]) -> None:
    combo.clear()
    for operator in choices:
        combo.addItem(OPERATOR_WORDS.get(operator, operator), operator)
