"""A line for one number: typed with units, stepped with the arrow keys or the wheel."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.views.units import show


class NumberField(QLineEdit):
    """Emits ``committed`` when the person has entered another valid number.

    Wrong text is marked, explained in the tool tip, and put back when the field is left: the document
    never sees it.
    """

    committed = Signal(float)

    def __init__(
        self,
        name: str,
        parse: Callable[[str], float],
        low: float = -math.inf,
        high: float = math.inf,
        step: float = 0.0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumWidth(48)
        self._name, self.parse, self._low, self._high, self._step = name, parse, low, high, step
        self._value: float | None = None
        self.textEdited.connect(self._check)
        self.editingFinished.connect(self._commit)

    def set_value(self, value: float | None) -> None:
        """Show ``value``; None shows a dash, as for several parts that differ."""
        if value == self._value and not self.isModified():
            return
        self._value = value
        self._show()

    def value(self) -> float | None:
        return self._value

    def _show(self) -> None:
        # Four digits fit beside two neighbours; all of them are there while one edits.
        self.setText("–" if self._value is None else show(self._value, 12 if self.hasFocus() else 4))
        self.setModified(False)
        self.setCursorPosition(0)
        self._mark("")

    def _read(self) -> float:
        value = self.parse(self.text())
        if not self._low <= value <= self._high:
            raise ValueError(f"{self._name} must lie between {show(self._low)} and {show(self._high)}")
        return value

    def _check(self) -> None:
        try:
            self._read()
        except ValueError as error:
            self._mark(str(error))
        else:
            self._mark("")

    def _mark(self, problem: str) -> None:
        self.setToolTip(problem)
        if self.property("invalid") != bool(problem):
            self.setProperty("invalid", bool(problem))
            self.style().unpolish(self)
            self.style().polish(self)

    def _commit(self) -> None:
        if not self.isModified():
            return
        try:
            value = self._read()
        except ValueError:
            self._show()
            return
        self._set(value)

    def _set(self, value: float) -> None:
        changed = value != self._value
        self._value = value
        self._show()
        if changed:
            self.committed.emit(value)

    def _nudge(self, steps: float) -> None:
        if self._value is None:
            return
        step = self._step or 10 ** math.floor(math.log10(abs(self._value) or 1.0)) / 10
        self._set(min(max(self._value + steps * step, self._low), self._high))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.isModified():
            self._show()
            self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if not self.isModified():
            self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        direction = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()))
        if direction:
            self._nudge(direction * (0.1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1))
            return
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self._show()
            return
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Only with the focus: scrolling the inspector must not change numbers under the pointer.
        if self.hasFocus():
            self._nudge(event.angleDelta().y() / 120)
            event.accept()
        else:
            event.ignore()
