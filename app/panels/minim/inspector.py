"""The panel's right-hand column: the selected element, the policy, this observation, the export check."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.panels.minim.element_section import ElementSection
from app.panels.minim.observation_section import ExportSection, ObservationSection
from app.panels.minim.policy_section import PolicySection
from app.theme.tokens import Tokens
from app.views.side_column import SideColumn


class Inspector(SideColumn):
    """Four sections, one below the other; scrolls when the window is low."""

    sample_requested = Signal()
    open_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Inspector", parent)
        self.element, self.policy = ElementSection(), PolicySection()
        self.observation, self.export = ObservationSection(), ExportSection()
        self._element_head = self._add("Element", self.element)
        self._add_start()
        self._add("Policy", self.policy)
        self._add("This observation", self.observation)
        self._add("Export check", self.export)
        self.column.addStretch(1)

    def _add(self, title: str, section: QWidget) -> QLabel:
        if self.column.count():
            self.column.addSpacing(10)
        head = QLabel(title.upper())
        head.setProperty("role", "section")
        self.column.addWidget(head)
        self.column.addWidget(section)
        return head

    def _add_start(self) -> None:
        """What to do while nothing is open."""
        self._start = QWidget()
        row = QHBoxLayout(self._start)
        row.setContentsMargins(0, 4, 0, 0)
        self.sample = QPushButton("Open the sample")
        self.sample.setProperty("role", "primary")
        self.sample.clicked.connect(self.sample_requested)
        opener = QPushButton("Open a file…")
        opener.clicked.connect(self.open_requested)
        row.addWidget(self.sample)
        row.addWidget(opener)
        row.addStretch(1)
        self.column.addWidget(self._start)

    def show_start(self, empty: bool, sample: bool) -> None:
        """Offer files, and the sample if there is one, while nothing is open."""
        self._start.setVisible(empty)
        self.sample.setVisible(sample)

    def show_element_id(self, name: str) -> None:
        self._element_head.setText(f"ELEMENT {name}".strip().upper())

    def refresh_theme(self, tokens: Tokens) -> None:
        self.element.refresh_theme(tokens)
        self.export.leaks.refresh_theme(tokens)
        self.export.ids.refresh_theme(tokens)
