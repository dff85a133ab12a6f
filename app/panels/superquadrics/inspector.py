"""The panel's right-hand column: parts, the selected part, the fit, and the figures against the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QWidget

from app.forms import ParamForm
from app.panels.superquadrics.document import Studio
from app.panels.superquadrics.error_map import MODES
from app.panels.superquadrics.figures import Figures
from app.panels.superquadrics.part_editor import PartEditor
from app.panels.superquadrics.part_tree import PartTree
from app.views.side_column import SideColumn
from methods.core.declaration import Method
from methods.core.errors import BadParameter
from methods.superquadrics.model import Shape

if TYPE_CHECKING:
    from app.panels.superquadrics.live_metrics import Reading
    from app.theme import Theme

RUNNABLE = ("fit", "fit-one", "refine")


class Inspector(SideColumn):
    """Four sections, one below the other; scrolls when the window is low."""

    run_requested = Signal(str, object)
    reduce_requested = Signal()
    open_requested = Signal()
    stop_requested = Signal()
    error_mode_requested = Signal(str)
    problem_found = Signal(object)

    def __init__(self, method: Method, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Inspector", parent)
        self._method = method

        self._parts_head = self._head("Parts")
        self.tree = PartTree(theme.icon)
        self.tree.setMinimumHeight(168)
        self.column.addWidget(self.tree, 1)
        self._part_head = self._head("Selected part")
        self.editor = PartEditor()
        self.column.addWidget(self.editor)
        self._head("Fit")
        self._add_fit_section()
        self._head("Against the target")
        self.figures = Figures()
        self.column.addWidget(self.figures)
        self._error_mode = QComboBox()
        self._error_mode.setAccessibleName("Error map")
        self._error_mode.addItems([f"error map: {mode}" for mode in MODES])
        self._error_mode.currentIndexChanged.connect(lambda i: self.error_mode_requested.emit(MODES[i]))
        self.column.addWidget(self._error_mode)

    def _head(self, text: str) -> QLabel:
        label = QLabel(text.upper())
        label.setProperty("role", "section")
        if self.column.count():
            self.column.addSpacing(8)
        self.column.addWidget(label)
        return label

    def _add_fit_section(self) -> None:
        self._target = QLabel()
        self._target.setWordWrap(True)
        self._target.setProperty("role", "muted")
        self._open = QPushButton("Open a mesh or cloud…")
        self._open.clicked.connect(self.open_requested)
        self._action = QComboBox()
        self._action.setAccessibleName("What to run")
        self._forms: dict[str, ParamForm] = {}
        for action_id in RUNNABLE:
            action = self._method.action(action_id)
            self._action.addItem(action.title, action_id)
            self._action.setItemData(self._action.count() - 1, action.summary, Qt.ItemDataRole.ToolTipRole)
            self._forms[action_id] = ParamForm(action.params)
        self._action.currentIndexChanged.connect(self._show_form)
        self._run = QPushButton("Run")
        self._run.setProperty("role", "primary")
        self._run.clicked.connect(self.run_chosen)
        self._stop = QPushButton("Stop")
        self._stop.clicked.connect(self.stop_requested)
        self._stop.hide()
        self._reduce = QPushButton("Merge and drop…")
        self._reduce.clicked.connect(self.reduce_requested)
        for widget in (self._target, self._open, self._action, *self._forms.values()):
            self.column.addWidget(widget)
        row = QHBoxLayout()
        row.addWidget(self._run)
        row.addWidget(self._stop)
        row.addWidget(self._reduce)
        row.addStretch(1)
        self.column.addLayout(row)
        self._show_form()

    def _show_form(self) -> None:
        chosen = self._action.currentData()
        for action_id, form in self._forms.items():
            form.setVisible(action_id == chosen)
        self._run.setText(self._action.currentText())

    def run_chosen(self) -> None:
        """Run what the combo box names with the values of its form."""
        action_id = self._action.currentData()
        try:
            params = self._forms[action_id].value()
        except BadParameter as error:
            self.problem_found.emit(error)
            return
        self.run_requested.emit(action_id, params)

    def form(self, action_id: str) -> ParamForm:
        return self._forms[action_id]

    def set_running(self, running: bool) -> None:
        self._stop.setVisible(running)
        self._run.setEnabled(not running)
        self._reduce.setEnabled(not running)

    def next_error_mode(self) -> None:
        self._error_mode.setCurrentIndex((self._error_mode.currentIndex() + 1) % len(MODES))

    def show_state(self, state: Studio, reading: Reading | None) -> None:
        """Rows of the list, target line and head counts."""
        self._show_rows(state, reading)
        shown = sum(part.visible for part in state.shape.parts)
        self._parts_head.setText(f"PARTS  {shown} of {len(state.shape.parts)}")
        target = state.target
        self._open.setVisible(target is None)
        self._target.setVisible(target is not None)
        if target is not None:
            what = f"{len(target.vertices):,} points" if target.is_cloud else f"{len(target.faces):,} faces"
            self._target.setText(f"{target.name} · {what} · {target.size_text}")

    def show_selection(self, shape: Shape, ids: tuple[int, ...]) -> None:
        self.tree.select(ids)
        self.editor.show_parts(shape, ids)
        name = shape.part(ids[0]).name if len(ids) == 1 else f"{len(ids)} parts" if ids else "Selected part"
        self._part_head.setText(name.upper())

    def show_reading(self, state: Studio, reading: Reading | None) -> None:
        """Figures, and the residual of every part in the list."""
        self.figures.show_reading(state, reading)
        self._show_rows(state, reading)

    def _show_rows(self, state: Studio, reading: Reading | None) -> None:
        residuals: dict[int, str] = {}
        if reading is not None and state.target is not None:
            for part_id, distance in reading.evaluation.residual_per_part.items():
                residuals[part_id] = f"{100 * distance / state.target.diagonal:.1f} %"
        self.tree.show_shape(state.shape, residuals)

    def refresh_theme(self, theme: Any) -> None:
        self.tree.refresh_icons()
        self.figures.refresh_theme(theme)
