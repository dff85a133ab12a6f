"""The text that leaves, with what was masked or removed in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.views.diff_text import DiffText, Edit, apply
from app.views.text_area import TextArea

GAP = 8


class TextDiffView(QWidget):
    """The outgoing text with its changes, a switch for the removed parts, and a button that copies."""

    selected = Signal(int)
    """A click: the position in the text before, in characters."""

    def __init__(self, name: str = "Outgoing text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._before, self._after = "", ""
        self._edits: Sequence[Edit] = ()
        self._fits = True
        self.area = TextArea(name)
        self.area.clicked.connect(self.selected)
        self._removed = QCheckBox("Show removed")
        self._removed.setChecked(True)
        self._removed.setAccessibleName(f"{name}: show removed parts")
        self._removed.toggled.connect(lambda on: self._show())
        self._summary = QLabel()
        self._summary.setProperty("role", "small")
        self._summary.setMinimumWidth(1)
        copy = QPushButton("Copy")
        copy.setProperty("role", "flat")
        copy.setAccessibleName(f"{name}: copy all of it")
        copy.setToolTip("Copy the outgoing text; removed parts are never copied")
        copy.clicked.connect(self.copy)
        head = QHBoxLayout()
        head.setContentsMargins(GAP, 2, GAP, 2)
        head.setSpacing(GAP)
        head.addWidget(self._removed)
        head.addWidget(self._summary, 1)
        head.addWidget(copy)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.area, 1)
        self.setFocusProxy(self.area)

    @property
    def show_removed(self) -> bool:
        return self._removed.isChecked()

    def set_show_removed(self, on: bool) -> None:
        self._removed.setChecked(on)

    def set_texts(self, before: str, after: str, edits: Sequence[Edit]) -> None:
        """Show ``after`` and how it came from ``before``.

        Args:
            edits: (start, end, replacement) in characters of ``before``, ordered and not overlapping; an empty
                replacement removes. Where they do not lead to ``after``, it is shown without its changes.
        """
        self._fits = apply(before, edits) == after
        if before != self._before:
            self.area.unmark()
        self._before, self._after, self._edits = before, after, tuple(edits)
        self._show()

    def scroll_to(self, start: int, end: int | None = None) -> None:
        """Bring a position of the text before into view and mark it up to ``end``, or to its line's end."""
        self.area.reveal(start, end)

    def copy(self) -> None:
        """Copy all of the outgoing text."""
        QGuiApplication.clipboard().setText(self._after)

    def set_empty_text(self, text: str) -> None:
        """What to do next, shown while there is no text."""
        self.area.set_empty_text(text)

    def refresh_theme(self, theme: Any) -> None:
        self.area.set_tokens(theme.tokens)

    def _show(self) -> None:
        if self._fits:
            shown = DiffText(self._before, self._edits, self.show_removed)
        else:
            shown = DiffText(self._after, (), False)
        self.area.set_text(shown)
        masked = sum(bool(new) for _, _, new in self._edits)
        removed = len(self._edits) - masked
        told = f"{masked:,} masked · {removed:,} removed" if self._fits else "changes cannot be shown"
        self._summary.setText(told if self._after or self._before else "")
        self.area.setAccessibleDescription(told)
