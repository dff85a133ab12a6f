"""The panel's right-hand column: the selected element, the policy, this observation, the export check."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.panels.minim.element_section import ElementSection
from app.panels.minim.observation_section import ExportSection, ObservationSection
from app.panels.minim.policy_section import PolicySection
from app.theme.tokens import Tokens


class Inspector(QScrollArea):
    """Four sections, one below the other; scrolls when the window is low."""

    sample_requested = Signal()
    open_requested = Signal()

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
        self._add_start()
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
        self._layout.addWidget(self._start)

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
