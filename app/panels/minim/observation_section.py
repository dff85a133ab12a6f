"""Inspector sections: figures of the open observation, and whether it may be exported."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.panels.minim.figures import Figures
from app.theme.tokens import LIGHT, Tokens

ROW_HEIGHT = 24
MOST_ROWS = 6
LONGEST = 60
ROWS = ("tokens", "leakage (TISL)", "controls kept", "elements")
TIPS = (
    "A quarter of the characters, before and after",
    "Private text beside the task that leaves, as a share of all of it, by the scores shown here",
    "Controls that the task needs and that stay usable",
    "Elements with text: kept, abstracted, removed",
)


class ObservationSection(QWidget):
    """Tokens, leakage, controls, and what a person cannot see but the agent could."""

    exposed_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        self._cells: dict[str, tuple[QLabel, QLabel]] = {}
        for row, (name, tip) in enumerate(zip(ROWS, TIPS, strict=True)):
            label, value, note = QLabel(name), QLabel("–"), QLabel()
            label.setProperty("role", "muted")
            note.setProperty("role", "muted")
            note.setAlignment(Qt.AlignmentFlag.AlignRight)
            label.setToolTip(tip)
            value.setAccessibleName(name)
            for column, widget in enumerate((label, value, note)):
                grid.addWidget(widget, row, column)
            self._cells[name] = (value, note)
        layout.addLayout(grid)
        self.exposed_head = QLabel("Invisible to you, visible to the agent")
        self.exposed_head.setProperty("role", "small")
        layout.addWidget(self.exposed_head)
        self.exposed = QListWidget()
        self.exposed.setAccessibleName("Invisible to you, visible to the agent")
        self.exposed.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.exposed.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.exposed.currentItemChanged.connect(self._chosen)
        layout.addWidget(self.exposed)
        self._rows: tuple[tuple[int, str], ...] = ()
        self.show_exposed(())

    def show_figures(self, figures: Figures | None) -> None:
        if figures is None:
            for value, note in self._cells.values():
                value.setText("–")
                note.clear()
            return
        kept, needed = figures.controls
        self._set("leakage (TISL)", f"{figures.tisl:.2f}", "of 1.00")
        self._set(
            "controls kept", f"{kept} of {needed}" if needed else "none needed", "needed" if needed else ""
        )
        self._set("elements", " · ".join(f"{n:,}" for n in figures.counts), "✓ · ≈ · ✕")

    def show_tokens(self, tokens: tuple[int, int] | None) -> None:
        if tokens is None:
            self._set("tokens", "–", "")
            return
        before, after = tokens
        saved = f"−{100 * (1 - after / before):.0f} %" if 0 < after <= before else ""
        self._set("tokens", f"{before:,} → {after:,}", saved)

    def show_exposed(self, rows: Sequence[tuple[int, str]]) -> None:
        """Rows of (uid, text)."""
        if tuple(rows) == self._rows and rows:
            return
        self._rows = tuple(rows)
        self.exposed.blockSignals(True)
        self.exposed.clear()
        for uid, text in rows:
            item = QListWidgetItem(text[:LONGEST])
            item.setData(Qt.ItemDataRole.UserRole, uid)
            item.setSizeHint(QSize(0, ROW_HEIGHT))
            item.setToolTip(text[:400])
            self.exposed.addItem(item)
        self.exposed.blockSignals(False)
        self.exposed.setFixedHeight(min(len(rows), MOST_ROWS) * ROW_HEIGHT + 4)
        self.exposed.setVisible(bool(rows))
        self.exposed_head.setVisible(bool(rows))
        self.exposed_head.setText(f"Invisible to you, visible to the agent: {len(rows)}")

    def select(self, uid: int) -> None:
        row = next((i for i, (u, _) in enumerate(self._rows) if u == uid), -1)
        self.exposed.blockSignals(True)
        self.exposed.setCurrentRow(row)
        self.exposed.blockSignals(False)

    def _chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.exposed_chosen.emit(item.data(Qt.ItemDataRole.UserRole))

    def _set(self, name: str, value: str, note: str) -> None:
        cell, beside = self._cells[name]
        cell.setText(value)
        beside.setText(note)

    def text_of(self, name: str) -> str:
        return self._cells[name][0].text()


class ExportSection(QWidget):
    """Two checks and the button that they unlock."""

    export_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        row = QHBoxLayout()
        row.setSpacing(6)
        self.leaks, self.ids = Chip("Leak check"), Chip("Id check")
        row.addWidget(self.leaks)
        row.addWidget(self.ids)
        row.addStretch(1)
        layout.addLayout(row)
        self.reason = QLabel()
        self.reason.setWordWrap(True)
        self.reason.setProperty("role", "small")
        layout.addWidget(self.reason)
        self.export = QPushButton("Export minimised…")
        self.export.setProperty("role", "primary")
        self.export.setAccessibleName("Export minimised")
        self.export.clicked.connect(self.export_requested)
        layout.addWidget(self.export, 0, Qt.AlignmentFlag.AlignLeft)
        self.show_check(None, None, "Nothing is open yet.")

    def show_check(self, leaks: bool | None, ids: bool | None, reason: str) -> None:
        """``leaks`` and ``ids``: whether each check passed, None while it is not known; ``reason``: why not yet."""
        self.leaks.show_state(leaks, "no residual leak", "something is left", "leaks")
        self.ids.show_state(ids, "ids intact", "ids changed", "ids")
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        self.export.setEnabled(not reason)
        self.export.setToolTip(reason or "Write the minimised observation, picture and manifest (Ctrl+E)")


class Chip(QLabel):
    """A check in a rounded frame: passed, failed, or not known yet."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._passed: bool | None = None
        self._tokens = LIGHT

    def show_state(self, passed: bool | None, good: str, bad: str, waiting: str) -> None:
        self._passed = passed
        self.setText({True: f"✓ {good}", False: f"✕ {bad}", None: f"… {waiting}"}[passed])
        self.refresh_theme(self._tokens)

    def refresh_theme(self, tokens: Tokens) -> None:
        self._tokens = tokens
        color = {True: tokens.good, False: tokens.bad, None: tokens.muted}[self._passed]
        sheet = f"color: {color}; border: 1px solid {color}; border-radius: 4px; padding: 1px 6px;"
        if self.styleSheet() != sheet:
            self.setStyleSheet(sheet)
