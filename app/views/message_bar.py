"""Messages above a panel's views: what is wrong, what to do, details on demand; one line each."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

SEVERITIES = ("error", "warning", "information")
SHOWN = 3
"""Older messages make room; all of them stay in the log."""


@dataclass(frozen=True)
class Message:
    """A message a panel may show; ``text`` and ``remedy`` may have ``{fields}``."""

    id: str
    severity: str
    text: str
    remedy: str = ""


class MessageBar(QWidget):
    """Shows the latest messages; an equal one is not shown twice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(1)
        self._rows: list[tuple[str, QFrame]] = []
        self.hide()

    @property
    def texts(self) -> list[str]:
        """What is shown now, newest last."""
        return [text for text, _ in self._rows]

    def show_message(self, message: Message, fields: dict[str, object]) -> str:
        """Show a message with its fields filled in; returns the whole text."""
        text = message.text.format(**fields)
        remedy = message.remedy.format(**fields)
        whole = f"{text} {remedy}".strip()
        self.dismiss(whole)
        while len(self._rows) >= SHOWN:
            self.dismiss(self._rows[0][0])
        row = self._row(message.severity, text, remedy, whole)
        self._rows.append((whole, row))
        self._layout.addWidget(row)
        self.show()
        return whole

    def dismiss(self, text: str) -> None:
        for entry in [row for row in self._rows if row[0] == text]:
            self._rows.remove(entry)
            entry[1].setParent(None)
            entry[1].deleteLater()
        self.setVisible(bool(self._rows))

    def clear(self) -> None:
        for text in self.texts:
            self.dismiss(text)

    def _row(self, severity: str, text: str, remedy: str, whole: str) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "message")
        frame.setProperty("severity", severity)
        layout = QHBoxLayout(frame)
        layout.setContentsMargins(12, 6, 6, 6)
        mark = QLabel({"error": "Error", "warning": "Warning"}.get(severity, "Note"))
        mark.setProperty("role", "small")
        said = QLabel(text)
        said.setWordWrap(True)
        said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        said.setAccessibleName(f"{severity}: {whole}")
        todo = QLabel(remedy)
        todo.setWordWrap(True)
        todo.setProperty("role", "muted")
        todo.setVisible(bool(remedy))
        close = QToolButton()
        close.setText("×")
        close.setProperty("role", "flat")
        close.setAccessibleName("Dismiss this message")
        close.clicked.connect(lambda: self.dismiss(whole))
        layout.addWidget(mark)
        layout.addWidget(said, 3)
        layout.addWidget(todo, 2)
        layout.addWidget(close)
        return frame
