"""A column of sections beside the views: scrolls when the window is low, never sideways."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget


class SideColumn(QScrollArea):
    """Subclasses add their sections to ``column``, top to bottom."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        content = QWidget()
        self.column = QVBoxLayout(content)
        self.column.setContentsMargins(12, 8, 12, 12)
        self.column.setSpacing(6)
        self.setWidget(content)
