"""Inspector section: the selected element, why it is decided so, and the buttons that overrule."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.panels.minim.overrides import SCOPES, WORDS
from app.theme.tokens import Tokens

MARKS = ("✓", "≈", "✕")
KEYS = ("K", "A", "R")
DECIDERS = {
    "model": "decided by the model",
    "floor": "decided by the floor: this kind never leaves as it is",
    "hidden": "decided because a person cannot see it",
    "you": "decided by you",
}


class ScoreRow:
    """A named score in [0, 10] as a bar and a number, in one row of a grid."""

    def __init__(self, grid: QGridLayout, row: int, name: str, tip: str) -> None:
        label = QLabel(name)
        label.setProperty("role", "muted")
        label.setToolTip(tip)
        self._bar = QProgressBar()
        self._bar.setRange(0, 100)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(name)
        self._number = QLabel("–")
        self._number.setAlignment(Qt.AlignmentFlag.AlignRight)
        grid.addWidget(label, row, 0)
        grid.addWidget(self._bar, row, 1)
        grid.addWidget(self._number, row, 2)

    def show(self, score: float | None) -> None:
        self._bar.setValue(0 if score is None else round(10 * score))
        self._number.setText("–" if score is None else f"{score:.1f}")


class ElementSection(QWidget):
    """Emits what the person decides; what an element is and why comes from outside."""

    ruled = Signal(str, int)
    """Scope, decision."""
    lock_requested = Signal(bool)
    withdrawn = Signal()
    why_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setAccessibleName("Why")
        layout.addWidget(self.sentence)
        self._body = QWidget()
        body = QVBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(6)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(2, 28)
        self._s = ScoreRow(grid, 0, "sensitivity", "How private it is, whatever the task")
        self._n = ScoreRow(grid, 1, "necessity", "How much this task needs it")
        body.addLayout(grid)
        body.addLayout(self._decision_row())
        body.addLayout(self._scope_row())
        self._decider = QLabel()
        self._decider.setProperty("role", "small")
        self._decider.setWordWrap(True)
        body.addWidget(self._decider)
        layout.addWidget(self._body)
        self.show_nothing("Click an element to see why it stays or goes.")

    def _decision_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(4)
        self._group = QButtonGroup(self)
        self.buttons: list[QToolButton] = []
        for code, (word, mark, key) in enumerate(zip(WORDS, MARKS, KEYS, strict=True)):
            button = QToolButton()
            button.setText(f"{mark} {word}")
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.setCheckable(True)
            button.setToolTip(f"{word} ({key})")
            button.setAccessibleName(f"{word} ({key})")
            button.clicked.connect(lambda _=False, code=code: self._rule(code))
            self._group.addButton(button, code)
            self.buttons.append(button)
            row.addWidget(button, 1)
        self.lock = QToolButton()
        self.lock.setText("Lock")
        self.lock.setCheckable(True)
        self.lock.setToolTip("Keep this decision whatever else changes (L)")
        self.lock.setAccessibleName("Lock (L)")
        self.lock.clicked.connect(self.lock_requested)
        row.addWidget(self.lock)
        return row

    def _scope_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(4)
        self.scope = QComboBox()
        self.scope.setAccessibleName("Apply to")
        self.scope.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.scope.setMinimumContentsLength(8)
        for scope, words in SCOPES.items():
            self.scope.addItem(f"for {words}", scope)
        self.why = QPushButton("Why…")
        self.why.setToolTip("All the evidence (W)")
        self.why.setAccessibleName("Why (W)")
        self.why.clicked.connect(self.why_requested)
        self.undo = QPushButton("Withdraw")
        self.undo.setToolTip("Take your decision back: the model decides again")
        self.undo.setAccessibleName("Withdraw your decision")
        self.undo.clicked.connect(self.withdrawn)
        row.addWidget(self.scope, 1)
        row.addWidget(self.undo)
        row.addWidget(self.why)
        return row

    def _rule(self, code: int) -> None:
        self.ruled.emit(self.scope.currentData(), code)

    def show_nothing(self, text: str) -> None:
        self.sentence.setText(text)
        self.sentence.setProperty("role", "muted")
        self._repolish(self.sentence)
        self._body.hide()

    def show_element(
        self, sentence: str, s: float, n: float, code: int, by: str, locked: bool, has_type: bool
    ) -> None:
        """The element's scores in [0, 10] and its decision."""
        self.sentence.setText(sentence)
        self.sentence.setProperty("role", "")
        self._repolish(self.sentence)
        self._body.show()
        self._s.show(s)
        self._n.show(n)
        self.buttons[code].setChecked(True)
        for button in self.buttons:
            button.setEnabled(not locked or self.scope.currentData() != "element")
        self.lock.setChecked(locked)
        self.lock.setText("Locked" if locked else "Lock")
        self.undo.setVisible(by == "you")
        self._decider.setText(DECIDERS.get(by, by))
        item = self.scope.model().item(list(SCOPES).index("type"))  # type: ignore[attr-defined]
        item.setEnabled(has_type)
        if not has_type and self.scope.currentData() == "type":
            self.scope.setCurrentIndex(0)

    def refresh_theme(self, tokens: Tokens) -> None:
        """The chosen decision has the colour that the views give it."""
        self.lock.setStyleSheet("QToolButton { padding: 4px 6px; }")
        for button, color in zip(self.buttons, (tokens.good, tokens.warn, tokens.bad), strict=True):
            button.setStyleSheet(
                "QToolButton { padding: 4px 2px; }"
                f"QToolButton:checked {{ border-color: {color}; color: {color}; font-weight: 600; }}"
            )

    @staticmethod
    def _repolish(widget: QWidget) -> None:
        widget.style().unpolish(widget)
        widget.style().polish(widget)
