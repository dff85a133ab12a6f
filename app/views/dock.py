"""Docks with a quiet title line of our own."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QLabel, QToolButton, QWidget


class DockTitle(QWidget):
    """Small caps title; buttons to float and to close."""

    def __init__(self, dock: QDockWidget, icon: Callable[[str], QIcon]) -> None:
        super().__init__(dock)
        self.setProperty("role", "dock-title")
        self._icon = icon
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 4, 2)
        layout.setSpacing(2)
        self._label = QLabel(dock.windowTitle().upper())
        self._label.setProperty("role", "section")
        layout.addWidget(self._label, 1)
        self._float = self._button("Float or dock", lambda: dock.setFloating(not dock.isFloating()))
        self._close = self._button("Close", dock.close)
        layout.addWidget(self._float)
        layout.addWidget(self._close)
        dock.windowTitleChanged.connect(lambda title: self._label.setText(title.upper()))
        name = dock.windowTitle()
        self._float.setAccessibleName(f"Float or dock {name}")
        self._close.setAccessibleName(f"Close {name}")

    def refresh_icons(self) -> None:
        self._float.setIcon(self._icon("mdi6.dock-window"))
        self._close.setIcon(self._icon("mdi6.close"))

    @staticmethod
    def _button(tip: str, act: Callable[[], object]) -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "flat")
        button.setFixedSize(20, 20)
        button.setToolTip(tip)
        button.clicked.connect(lambda: act())
        return button


def make_dock(dock_id: str, title: str, widget: QWidget, icon: Callable[[str], QIcon]) -> QDockWidget:
    """A dock named ``dock_id`` (for layouts) that can shrink to a sliver and grow again."""
    dock = QDockWidget(title)
    dock.setObjectName(dock_id)
    dock.setAccessibleName(title)
    widget.setAttribute(
        Qt.WidgetAttribute.WA_StyledBackground
    )  # else a plain QWidget shows the window's colour
    dock.setWidget(widget)
    dock.setTitleBarWidget(DockTitle(dock, icon))
    dock.setMinimumSize(120, 60)
    return dock
