"""The panel's right-hand column: the selected element, the policy, this observation, the export check."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from app.panels.minim.element_section import ElementSection
from app.panels.minim.observation_section import ExportSection, ObservationSection
from app.panels.minim.policy_section import PolicySection
from app.theme.tokens import Tokens


class Inspector(QScrollArea):
    """Four sections, one below the other; scrolls when the window is low."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Inspector")
        content = QWidget()
        self._layout = QVBoxLayout(content)
        self._layout.setContentsMargins(12, 8, 12, 12)
        self._layout.setSpacing(6)
        self.setWidget(content)
        self.element, self.policy = ElementSection(), PolicySection()
        self.observation, self.export = ObservationSection(), ExportSection()
        self._element_head = self._add("Element", self.element)
        self._add("Policy", self.policy)
        self._add("This observation", self.observation)
        self._add("Export check", self.export)
        self._layout.addStretch(1)

    def _add(self, title: str, section: QWidget) -> QLabel:
        if self._layout.count():
            self._layout.addSpacing(10)
        head = QLabel(title.upper())
        head.setProperty("role", "section")
        self._layout.addWidget(head)
        self._layout.addWidget(section)
        return head

    def show_element_id(self, name: str) -> None:
        self._element_head.setText(f"ELEMENT {name}".strip().upper())

    def refresh_theme(self, tokens: Tokens) -> None:
        self.element.refresh_theme(tokens)
        self.export.leaks.refresh_theme(tokens)
        self.export.ids.refresh_theme(tokens)
