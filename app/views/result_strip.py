"""One line under a panel's views: the last result, and how to get it again."""

from __future__ import annotations

import json

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from methods.core.recipe import as_command, as_python
from methods.core.results import Result


class ResultStrip(QFrame):
    """Copies the latest result as a command, as Python or as JSON."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "strip")
        self.result: Result | None = None
        self._label = QLabel()
        self._label.setProperty("role", "muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 4)
        layout.addWidget(self._label, 1)
        for text, copy in (
            ("Copy as command", self.copy_command),
            ("Copy as Python", self.copy_python),
            ("Copy JSON", self.copy_json),
        ):
            button = QPushButton(text)
            button.setProperty("role", "flat")
            button.clicked.connect(copy)
            layout.addWidget(button)
        self.hide()

    def show_result(self, result: Result, title: str) -> None:
        self.result = result
        p = result.provenance
        self._label.setText(f"{title} · {p.seconds:.2f} s · seed {p.seed} · {p.device}")
        self._label.setAccessibleName("Latest result")
        self.show()

    def copy_command(self) -> str:
        return self._copy(as_command(self.result.provenance) if self.result else "")

    def copy_python(self) -> str:
        return self._copy(as_python(self.result.provenance) if self.result else "")

    def copy_json(self) -> str:
        return self._copy(json.dumps(self.result.to_dict(), indent=2) if self.result else "")

    def _copy(self, text: str) -> str:
        if text:
            QGuiApplication.clipboard().setText(text)
        return text
