"""The generic panel's right-hand column: what to do, on which files, with which parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.forms import ParamForm
from app.panels.generic.document import Setup
from app.views.elided import ElidedLabel
from app.views.side_column import SideColumn
from methods.core import params as parameters
from methods.core.declaration import Action, Method
from methods.core.errors import BadParameter

NO_FILE = "none yet"


class Inspector(SideColumn):
    """Shows a :class:`Setup` and asks for changes by signal; it never changes one itself."""

    action_chosen = Signal(str)
    file_requested = Signal(str)  # input name
    parameters_changed = Signal(str, object)  # action id, what differs from the defaults
    run_requested = Signal()
    stop_requested = Signal()
    export_requested = Signal()

    def __init__(self, method: Method, parent: QWidget | None = None) -> None:
        super().__init__("Inspector", parent)
        self._method = method
        self._forms: dict[str, ParamForm] = {}
        self._input_rows: dict[str, tuple[QWidget, ElidedLabel, QWidget]] = {}
        self._showing = False
        self._add_action()
        self._add_inputs()
        self._head("Parameters")
        self._no_parameters = self._muted("This action has no parameters.")
        self.column.addWidget(self._no_parameters)
        self._form_place = QVBoxLayout()
        self.column.addLayout(self._form_place)
        self._add_run()
        self.column.addStretch(1)

    # ------------------------------------------------------------------------------------------- show

    def show_state(self, state: Setup, action: Action) -> None:
        """Bring every field in line with the document."""
        self._showing = True
        self._action.setCurrentIndex(self._action.findData(action.id))
        self._summary.setText(action.summary)
        self._run.setText(action.title)
        wanted = {declared.name for declared in action.inputs}
        self._inputs_head.setVisible(bool(wanted))
        for name, widgets in self._input_rows.items():
            path = state.file(name)
            widgets[1].setText(Path(path).name if path else NO_FILE)
            widgets[1].setToolTip(path)
            for widget in widgets:
                widget.setVisible(name in wanted)
        self._show_form(state, action)
        self._export.setVisible(bool(action.output))
        self._showing = False

    def set_running(self, running: bool) -> None:
        self._run.setEnabled(not running)
        self._stop.setVisible(running)
        self._bar.setVisible(running)
        self._doing.setVisible(running)
        self.show_progress(0.0, "")

    def show_progress(self, fraction: float, text: str) -> None:
        self._bar.setValue(round(1000 * fraction))
        self._doing.setText(text)

    def set_can_export(self, can: bool) -> None:
        self._export.setEnabled(can)

    def form(self, action: Action) -> ParamForm:
        """The form of an action, made when it is first needed."""
        if action.id not in self._forms:
            form = ParamForm(action.params)
            form.changed.connect(lambda: self._form_changed(action, form))
            self._forms[action.id] = form
            self._form_place.addWidget(form)
        return self._forms[action.id]

    def _show_form(self, state: Setup, action: Action) -> None:
        form = self.form(action)
        for other in self._forms.values():
            other.setVisible(other is form)
        self._no_parameters.setVisible(not parameters.params_of(action.params))
        wanted = built(action, state.changed_parameters(action.id))
        if not form.valid or form.value() != wanted:
            form.set_value(wanted)

    def _form_changed(self, action: Action, form: ParamForm) -> None:
        if self._showing:
            return
        try:
            value = form.value()
        except BadParameter:
            return  # said under the field; the document keeps the last good value
        self.parameters_changed.emit(action.id, parameters.changed(value))

    # ------------------------------------------------------------------------------------------ build

    def _add_action(self) -> None:
        self._head("Action")
        self._action = QComboBox()
        self._action.setAccessibleName("What to run")
        for action in self._method.actions:
            self._action.addItem(action.title, action.id)
        self._action.activated.connect(lambda _: self.action_chosen.emit(self._action.currentData()))
        self._summary = self._muted("")
        self.column.addWidget(self._action)
        self.column.addWidget(self._summary)

    def _add_inputs(self) -> None:
        self._inputs_head = self._head("Inputs")
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        declared = {i.name: i for action in self._method.actions for i in action.inputs}
        for row, (name, entry) in enumerate(declared.items()):
            label, file, button = QLabel(name.replace("_", " ")), ElidedLabel(NO_FILE), QPushButton("Choose…")
            file.setAccessibleName(f"File for {name}")
            file.setProperty("role", "muted")
            button.setAccessibleName(f"Choose a file for {name}")
            button.clicked.connect(lambda _=False, n=name: self.file_requested.emit(n))
            for column, widget in enumerate((label, file, button)):
                widget.setToolTip(entry.help)
                grid.addWidget(widget, row, column)
            self._input_rows[name] = (label, file, button)
        self.column.addLayout(grid)

    def _add_run(self) -> None:
        self.column.addSpacing(4)
        self._run = QPushButton("Run")
        self._run.setProperty("role", "primary")
        self._run.clicked.connect(self.run_requested)
        self._stop = QPushButton("Stop")
        self._stop.clicked.connect(self.stop_requested)
        self._export = QPushButton("Export…")
        self._export.setAccessibleName("Export the result")
        self._export.clicked.connect(self.export_requested)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self._run, self._stop, self._export):
            row.addWidget(button)
        row.addStretch(1)
        self.column.addLayout(row)
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress")
        self._doing = self._muted("")
        self.column.addWidget(self._bar)
        self.column.addWidget(self._doing)
        self.set_running(False)
        self.set_can_export(False)

    def _head(self, text: str) -> QLabel:
        label = QLabel(text.upper())
        label.setProperty("role", "section")
        if self.column.count():
            self.column.addSpacing(8)
        self.column.addWidget(label)
        return label

    @staticmethod
    def _muted(text: str) -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        label.setProperty("role", "muted")
        return label


def built(action: Action, changed: dict[str, Any]) -> Any:
    """Parameters of a project that may be older than the declaration: what no longer fits is left out."""
    known = {param.name: param for param in parameters.params_of(action.params)}
    kept = {}
    for name, value in changed.items():
        try:
            kept[name] = known[name].check(value)
        except (KeyError, BadParameter):
            continue
    return parameters.build(action.params, kept)
