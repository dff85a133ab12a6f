"""The fixed parts of the window: the rail of methods and the bar on top."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.theme import Theme
from methods.core.declaration import Method

RAIL_WIDTH = 68
BAR_HEIGHT = 40


class Rail(QWidget):
    """One button per method, and the start page on top."""

    chosen = Signal(str)  # method id, "" for the start page

    def __init__(self, methods: tuple[Method, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(RAIL_WIDTH)
        self._group = QButtonGroup(self)
        self._icons = {"": "mdi6.home-outline"} | {m.id: m.icon for m in methods}
        self._buttons: dict[str, QToolButton] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 8, 6, 8)
        layout.setSpacing(4)
        for method_id, title, tip in [
            ("", "Start", "Start page"),
            *((m.id, m.short, m.title) for m in methods),
        ]:
            button = QToolButton()
            button.setText(title)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setCheckable(True)
            button.setFixedSize(RAIL_WIDTH - 12, 52)
            button.setIconSize(QSize(22, 22))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.clicked.connect(lambda _=False, i=method_id: self.chosen.emit(i))
            self._group.addButton(button)
            self._buttons[method_id] = button
            layout.addWidget(button)
        layout.addStretch(1)

    def show_chosen(self, method_id: str) -> None:
        self._buttons[method_id].setChecked(True)

    def refresh_icons(self, theme: Theme) -> None:
        for method_id, button in self._buttons.items():
            button.setIcon(theme.icon(self._icons[method_id]))


class TopBar(QWidget):
    """Program, method and project on the left; search and the three usual things on the right."""

    search_requested = Signal()
    open_requested = Signal()
    export_requested = Signal()
    copy_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "topbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(BAR_HEIGHT)
        name = QLabel("Studiolo")
        name.setProperty("role", "title")
        self._method, self._project = QLabel(), QLabel()
        self._method.setProperty("role", "muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 0, 8, 0)
        layout.setSpacing(10)
        for label in (name, self._method, self._project):
            layout.addWidget(label)
        layout.addStretch(1)
        search = QPushButton("Search commands    Ctrl+Shift+P")
        search.setProperty("role", "search")
        self.open, self.export, self.copy = (
            QPushButton("Open…"),
            QPushButton("Export…"),
            QPushButton("Copy as command"),
        )
        for button, signal in (
            (search, self.search_requested),
            (self.open, self.open_requested),
            (self.export, self.export_requested),
            (self.copy, self.copy_requested),
        ):
            button.clicked.connect(signal)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            layout.addWidget(button)
        self._search = search

    def show_place(self, method: str, project: str, dirty: bool) -> None:
        self._method.setText(method)
        self._method.setVisible(bool(method))
        self._project.setText(f"{project} {'•' if dirty else ''}".rstrip())
        self._project.setToolTip("Not saved" if dirty else "")
        self._project.setAccessibleName(f"Project {project}{', not saved' if dirty else ''}")

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._search.setVisible(self.width() > 820)
        self._method.setVisible(bool(self._method.text()) and self.width() > 640)
