"""A form for a parameter class: one field per parameter, with its range, unit and help."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from methods.core import params as parameters
from methods.core.errors import BadParameter
from methods.core.params import Choice, Flag, Number, Param

SLIDER_STEPS = 1000


class ParamForm(QWidget):
    """Shows and reads the parameters of ``params_type``.

    A value outside its range is explained under its field; :meth:`value` refuses it.
    """

    changed = Signal()

    def __init__(self, params_type: type, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._type = params_type
        self._fields: dict[str, _Field] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        declared = parameters.params_of(params_type)
        plain = [p for p in declared if not p.spec.advanced]
        advanced = [p for p in declared if p.spec.advanced]
        layout.addWidget(self._grid(plain))
        if advanced:
            fold = QToolButton()
            fold.setText("More options")
            fold.setCheckable(True)
            fold.setProperty("role", "flat")
            more = self._grid(advanced)
            more.hide()
            fold.toggled.connect(more.setVisible)
            layout.addWidget(fold)
            layout.addWidget(more)

    def value(self) -> Any:
        """A checked instance of the parameter class.

        Raises:
            BadParameter: a field holds something it may not; the text names it.
        """
        return parameters.build(self._type, {name: field.value() for name, field in self._fields.items()})

    def set_value(self, params: Any) -> None:
        for name, value in parameters.as_dict(params).items():
            self._fields[name].set_value(value)

    @property
    def valid(self) -> bool:
        try:
            self.value()
        except BadParameter:
            return False
        return True

    def _grid(self, params: list[Param]) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for row, param in enumerate(params):
            field = _Field(param, self.changed.emit)
            self._fields[param.name] = field
            field.add_to(grid, row)
        return box


class _Field:
    """The widgets of one parameter, and the text between them and its value."""

    def __init__(self, param: Param, changed: Any) -> None:
        self.param = param
        self._changed = changed
        self._problem = QLabel()
        self._problem.setProperty("role", "problem")
        self._problem.setWordWrap(True)
        self._problem.hide()
        self._slider: QSlider | None = None
        self._editor = self._make_editor()
        self._editor.setAccessibleName(param.label)
        self._editor.setToolTip(param.spec.help)
        self.set_value(param.default)

    def add_to(self, grid: QGridLayout, row: int) -> None:
        if isinstance(self._editor, QCheckBox):
            grid.addWidget(self._editor, 2 * row, 0, 1, 3)
        else:
            label = QLabel(self.param.label)
            label.setToolTip(self.param.spec.help)
            label.setBuddy(self._editor)
            grid.addWidget(label, 2 * row, 0)
            if self._slider is not None:
                grid.addWidget(self._slider, 2 * row, 1)
                grid.addWidget(self._editor, 2 * row, 2)
            else:
                grid.addWidget(self._editor, 2 * row, 1, 1, 2)
        grid.addWidget(self._problem, 2 * row + 1, 0, 1, 3)

    def value(self) -> Any:
        if isinstance(self._editor, QCheckBox):
            return self._editor.isChecked()
        if isinstance(self._editor, QComboBox):
            return self._editor.currentText()
        text = self._editor.text().strip()
        unit = getattr(self.param.spec, "unit", "")
        return self.param.parse(text.removesuffix(unit).strip() if unit else text)

    def set_value(self, value: Any) -> None:
        if isinstance(self._editor, QCheckBox):
            self._editor.setChecked(bool(value))
        elif isinstance(self._editor, QComboBox):
            self._editor.setCurrentText(value)
        else:
            unit = getattr(self.param.spec, "unit", "")
            shown = f"{value:.6g}" if isinstance(value, float) else self.param.show(value)
            self._editor.setText(f"{shown} {unit}".rstrip() if shown else "")
            self._move_slider()

    def _make_editor(self) -> QCheckBox | QComboBox | QLineEdit:
        spec = self.param.spec
        if isinstance(spec, Flag):
            box = QCheckBox(self.param.label)
            box.toggled.connect(lambda _: self._changed())
            return box
        if isinstance(spec, Choice):
            combo = QComboBox()
            combo.addItems(spec.options)
            combo.currentIndexChanged.connect(lambda _: self._changed())
            return combo
        line = QLineEdit()
        line.setPlaceholderText("auto" if self.param.nullable else "")
        line.textChanged.connect(self._text_changed)
        if (
            isinstance(spec, Number)
            and spec.ge is not None
            and spec.le is not None
            and not self.param.nullable
        ):
            line.setFixedWidth(72)
            self._slider = QSlider(Qt.Orientation.Horizontal)
            self._slider.setRange(0, SLIDER_STEPS)
            self._slider.setAccessibleName(f"{self.param.label} slider")
            self._slider.setToolTip(spec.help)
            self._slider.valueChanged.connect(self._slid)
        return line

    def _text_changed(self) -> None:
        try:
            self.value()
            problem = ""
        except BadParameter as error:
            problem = str(error).removeprefix(self.param.option).strip()
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self._editor.setProperty("invalid", bool(problem))
        self._editor.style().unpolish(self._editor)
        self._editor.style().polish(self._editor)
        if not problem:
            self._move_slider()
        self._changed()

    def _move_slider(self) -> None:
        if self._slider is None:
            return
        low, high, log = self._range()
        value = float(self.value())
        share = (math.log(value / low) / math.log(high / low)) if log else (value - low) / (high - low)
        self._slider.blockSignals(True)
        self._slider.setValue(round(share * SLIDER_STEPS))
        self._slider.blockSignals(False)

    def _slid(self, position: int) -> None:
        low, high, log = self._range()
        share = position / SLIDER_STEPS
        value = low * (high / low) ** share if log else low + share * (high - low)
        if self.param.type is int:
            self.set_value(round(value))
        else:
            step = getattr(self.param.spec, "step", None)
            self.set_value(round(value / step) * step if step else float(f"{value:.3g}"))

    def _range(self) -> tuple[float, float, bool]:
        spec = self.param.spec
        assert isinstance(spec, Number) and spec.ge is not None and spec.le is not None
        return float(spec.ge), float(spec.le), spec.log
