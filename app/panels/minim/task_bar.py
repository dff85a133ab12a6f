"""The line above the views: what the agent is to do, examples of it, and the steps of a trace."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QToolButton, QWidget

from app.theme import Theme
from app.views.elided import ElidedLabel

LONGEST_EXAMPLE = 28


class TaskBar(QWidget):
    """A box to type the task in; every change is told at once."""

    task_edited = Signal(str)
    task_finished = Signal()
    example_chosen = Signal(str)
    step_requested = Signal(int)
    """-1 or +1."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "dock-title")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(6)
        label = QLabel("Task")
        label.setProperty("role", "muted")
        self.box = QLineEdit()
        self.box.setAccessibleName("Task")
        self.box.setPlaceholderText("What is the agent to do? For example: read the message from the bank")
        self.box.setClearButtonEnabled(True)
        self.box.setMinimumWidth(120)
        self.box.textEdited.connect(self.task_edited)
        self.box.editingFinished.connect(self.task_finished)
        label.setBuddy(self.box)
        row.addWidget(label)
        row.addWidget(self.box, 1)
        self.examples: list[QToolButton] = []
        self._row = row
        self._steps = QWidget()
        steps = QHBoxLayout(self._steps)
        steps.setContentsMargins(6, 0, 0, 0)
        steps.setSpacing(2)
        self.back = self._step_button("Previous step (Ctrl+Page Up)", -1)
        self.place = ElidedLabel()
        self.place.setProperty("role", "muted")
        self.forward = self._step_button("Next step (Ctrl+Page Down)", 1)
        for widget in (self.back, self.place, self.forward):
            steps.addWidget(widget)
        row.addWidget(self._steps)
        self._steps.hide()

    def _step_button(self, name: str, by: int) -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "flat")
        button.setToolTip(name)
        button.setAccessibleName(name)
        button.clicked.connect(lambda: self.step_requested.emit(by))
        return button

    def show_task(self, task: str) -> None:
        if self.box.text() != task:
            self.box.setText(task)
        for button in self.examples:
            button.setChecked(button.toolTip() == task)

    def show_examples(self, tasks: tuple[str, ...]) -> None:
        if [button.toolTip() for button in self.examples] == list(tasks):
            return
        for button in self.examples:
            button.hide()
            button.deleteLater()
        self.examples = []
        for index, task in enumerate(tasks):
            short = task if len(task) <= LONGEST_EXAMPLE else task[: LONGEST_EXAMPLE - 1].rstrip() + "…"
            button = QToolButton()
            button.setText(short)
            button.setCheckable(True)
            button.setToolTip(task)
            button.setAccessibleName(f"Example task: {task}")
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _=False, task=task: self.example_chosen.emit(task))
            self._row.insertWidget(2 + index, button)
            self.examples.append(button)
        self._fit()

    def show_steps(self, step: int, count: int) -> None:
        """Step ``step`` (from 0) of ``count``; no steps are shown for a file of its own."""
        self._steps.setVisible(count > 0)
        self.place.setText(f"step {step + 1} of {count}")
        self.back.setEnabled(step > 0)
        self.forward.setEnabled(step + 1 < count)

    def refresh_icons(self, theme: Theme) -> None:
        self.back.setIcon(theme.icon("mdi6.chevron-left"))
        self.forward.setIcon(theme.icon("mdi6.chevron-right"))

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()

    def _fit(self) -> None:
        """Examples make room for the box when the window is narrow; the last one goes first."""
        room = self.width() - 320
        for button in self.examples:
            room -= button.sizeHint().width() + 6
            button.setVisible(room >= 0)
