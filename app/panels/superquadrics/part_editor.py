"""The selected part's numbers: position, rotation, size, exponents, taper, symmetric partner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from app.views.number_field import NumberField
from app.views.units import parse_length, parse_number
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.rotations import euler_xyz_from_quaternion, quaternion_from_euler_xyz

Edit = Callable[[Superquadric], Superquadric]

SHARPEST = 0.02
"""Smallest exponent that evaluation tells apart from a box; the model stores smaller ones as they are."""

AXIS_NAMES = "xyz"


class PartEditor(QWidget):
    """Fields for one part, or for what several selected parts have in common.

    Asks for edits by signal: ``edit_requested(title, edit, merge)``, where edits with the same non-empty
    ``merge`` key belong to one drag that ``drag_finished`` closes.
    """

    edit_requested = Signal(str, object, str)
    drag_finished = Signal()
    unlink_requested = Signal()
    mirror_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unit = ""
        self._parts: tuple[Superquadric, ...] = ()
        self._titles: dict[str, QLabel] = {}
        self._empty = QLabel("Select a part in the list or in the view to see its numbers.")
        self._empty.setWordWrap(True)
        self._empty.setProperty("role", "muted")
        self._fields = QWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._empty)
        layout.addWidget(self._fields)
        grid = QGridLayout(self._fields)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(6)
        for column in (1, 2, 3):
            grid.setColumnStretch(column, 1)
        self._position = self._triple(grid, 0, "position", "translation", self._length, -np.inf)
        self._rotation = self._triple(grid, 1, "rotation, °", "rotation", parse_number, -360.0, 360.0, 5.0)
        self._size = self._triple(grid, 2, "half size", "size", self._length, 1e-12)
        self._exponents = [
            self._slider(
                grid, 3 + i, f"exponent {'ε₁ε₂'[2 * i : 2 * i + 2]}", "exponents", i, SHARPEST, 2.0, tip
            )
            for i, tip in enumerate(("Profile from pole to pole", "Outline seen along the part's z axis"))
        ]
        self._taper = [
            self._slider(
                grid, 5 + i, f"taper {'xy'[i]}", "taper", i, -0.95, 0.95, f"Widening of {'xy'[i]} along z"
            )
            for i in range(2)
        ]
        self._mirror = QLabel()
        self._mirror.setProperty("role", "muted")
        self._unlink = QPushButton("Unlink")
        self._unlink.setAccessibleName("Unlink from the mirror image")
        self._unlink.clicked.connect(self.unlink_requested)
        self._make_mirror = QPushButton("Mirror…")
        self._make_mirror.setAccessibleName("Mirror the selected parts")
        self._make_mirror.clicked.connect(self.mirror_requested)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._mirror, 1)
        row.addWidget(self._unlink)
        row.addWidget(self._make_mirror)
        grid.addWidget(QLabel("mirror of"), 7, 0)
        grid.addLayout(row, 7, 1, 1, 3)
        self.show_parts(Shape(), ())

    def show_parts(self, shape: Shape, ids: tuple[int, ...]) -> None:
        """Show the parts ``ids`` of ``shape``."""
        self._unit = shape.unit
        self._parts = tuple(part for part in shape.parts if part.id in ids)
        self._empty.setVisible(not self._parts)
        self._fields.setVisible(bool(self._parts))
        if not self._parts:
            return
        # isEnabled per field would lose the focus while typing; one switch for the whole block is enough.
        self._fields.setEnabled(any(not part.locked for part in self._parts))
        for name, title in (("position", self._titles["position"]), ("half size", self._titles["half size"])):
            title.setText(f"{name}, {self._unit}" if self._unit else name)
        self._show(self._position, [p.translation for p in self._parts])
        self._show(self._rotation, [euler_xyz_from_quaternion(p.rotation) for p in self._parts])
        self._show(self._size, [p.size for p in self._parts])
        for index in range(2):
            self._show_slider(self._exponents[index], [p.exponents[index] for p in self._parts])
            self._show_slider(self._taper[index], [p.taper[index] for p in self._parts])
        self._show_mirror(shape)

    def _show_mirror(self, shape: Shape) -> None:
        linked = [p for p in self._parts if p.mirror is not None]
        names = {p.id: p.name for p in shape.parts}
        self._mirror.setText(
            names.get(linked[0].mirror, "–") if len(linked) == 1 else f"{len(linked)} linked"
        )
        self._mirror.setVisible(bool(linked))
        self._unlink.setVisible(bool(linked))

    @property
    def dragging(self) -> bool:
        """Whether a slider is held down."""
        return any(slider.isSliderDown() for slider, _ in (*self._exponents, *self._taper))

    @staticmethod
    def _show(fields: list[NumberField], rows: list[object]) -> None:
        values = np.asarray(rows, float)
        # What is far smaller than its neighbours is rounding: 1.4e-9 beside 0.08 is a zero.
        noise = 1e-6 * float(np.abs(values).max())
        for axis, field in enumerate(fields):
            column = values[:, axis]
            same = np.ptp(column) <= max(noise, 1e-9 * float(np.abs(column).max()))
            field.set_value((float(column[0]) if abs(column[0]) > noise else 0.0) if same else None)

    @staticmethod
    def _show_slider(pair: tuple[QSlider, NumberField], values: list[float]) -> None:
        slider, field = pair
        same = max(values) == min(values)
        field.set_value(values[0] if same else None)
        if not slider.isSliderDown():
            slider.blockSignals(True)
            slider.setValue(round(values[0] * 100))
            slider.blockSignals(False)

    def _length(self, text: str) -> float:
        return parse_length(text, self._unit)

    def _triple(
        self,
        grid: QGridLayout,
        row: int,
        label: str,
        attribute: str,
        parse: Callable[[str], float],
        low: float,
        high: float = np.inf,
        step: float = 0.0,
    ) -> list[NumberField]:
        title = self._titles[label] = QLabel(label)
        grid.addWidget(title, row, 0)
        fields = []
        for axis in range(3):
            field = NumberField(f"{label} {AXIS_NAMES[axis]}", parse, low, high, step)
            field.committed.connect(
                lambda value, axis=axis: self.edit_requested.emit(
                    f"Set {label} {AXIS_NAMES[axis]}", _setter(attribute, axis, value), ""
                )
            )
            grid.addWidget(field, row, 1 + axis)
            fields.append(field)
        title.setBuddy(fields[0])
        return fields

    def _slider(
        self,
        grid: QGridLayout,
        row: int,
        label: str,
        attribute: str,
        index: int,
        low: float,
        high: float,
        tip: str,
    ) -> tuple[QSlider, NumberField]:
        title = QLabel(label)
        title.setToolTip(tip)
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setAccessibleName(label)
        slider.setToolTip(tip)
        slider.setRange(round(low * 100), round(high * 100))
        slider.setSingleStep(1)
        slider.setPageStep(10)
        least = 0.0 if attribute == "exponents" else -0.99
        field = NumberField(label, parse_number, least, 2.0 if attribute == "exponents" else 0.99, 0.05)
        field.setFixedWidth(76)
        name = f"Set {label}"
        slider.valueChanged.connect(
            lambda value: self.edit_requested.emit(
                name, _setter(attribute, index, value / 100), attribute + str(index)
            )
        )
        slider.sliderReleased.connect(self.drag_finished)
        field.committed.connect(
            lambda value: self.edit_requested.emit(name, _setter(attribute, index, value), "")
        )
        grid.addWidget(title, row, 0)
        grid.addWidget(slider, row, 1, 1, 2)
        grid.addWidget(field, row, 3)
        title.setBuddy(slider)
        return slider, field


def _setter(attribute: str, index: int, value: float) -> Edit:
    """The edit that sets one number of one attribute."""

    def edit(part: Superquadric) -> Superquadric:
        if attribute == "rotation":
            degrees = euler_xyz_from_quaternion(part.rotation)
            degrees[index] = value
            return replace(part, rotation=tuple(float(v) for v in quaternion_from_euler_xyz(degrees)))
        values = list(getattr(part, attribute))
        values[index] = value
        return replace(part, **{attribute: tuple(values)})

    return edit
