"""Qt actions and menus made from the registry."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from app.commands import Command, CommandRegistry
from app.theme import Theme

MENU_ORDER = ("File", "Edit", "Parts", "Fit", "Action", "Export", "3D view", "View", "Help")


class Actions:
    """Keeps one QAction per command on the window, and the menu bar in line with them."""

    def __init__(self, window: QMainWindow, registry: CommandRegistry, theme: Theme) -> None:
        self._window, self._registry, self._theme = window, registry, theme
        self._actions: dict[str, QAction] = {}
        self._menus: list[QMenu] = []
        registry.subscribe(self.rebuild)

    def rebuild(self) -> None:
        """Commands have come or gone."""
        for action in self._actions.values():
            self._window.removeAction(action)
            action.deleteLater()
        self._actions = {}
        taken: set[str] = set()
        for command in self._registry.all():
            action = QAction(command.title, self._window)
            # The first to claim a shortcut keeps it: Qt would run neither of two.
            if command.shortcut and command.shortcut.lower() not in taken:
                action.setShortcut(QKeySequence(command.shortcut))
                taken.add(command.shortcut.lower())
            action.setCheckable(command.checked is not None)
            action.triggered.connect(lambda _=False, i=command.id: self._run(i))
            self._actions[command.id] = action
            self._window.addAction(action)
        self._rebuild_menus()
        self.update()

    def update(self) -> None:
        """Ask every command again whether it is enabled and checked."""
        for command in self._registry.all():
            action = self._actions.get(command.id)
            if action is None:
                continue
            action.setEnabled(command.is_enabled)
            if command.checked is not None:
                action.setChecked(command.checked())

    def menu(self, title: str, parent: QWidget) -> QMenu:
        """A menu with the commands of ``title``; it goes away when it closes."""
        menu = QMenu(title, parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for command in self._of_menu(title):
            menu.addAction(self._actions[command.id])
        return menu

    def _run(self, command_id: str) -> None:
        self._registry.run(command_id)
        self.update()

    def _of_menu(self, title: str) -> list[Command]:
        return [command for command in self._registry.all() if command.menu == title]

    def _rebuild_menus(self) -> None:
        bar = self._window.menuBar()
        bar.clear()
        for menu in self._menus:
            menu.deleteLater()  # clear() takes them off the bar and keeps them
        self._menus = []
        titles = dict.fromkeys(command.menu for command in self._registry.all() if command.menu)
        for title in sorted(
            titles, key=lambda t: MENU_ORDER.index(t) if t in MENU_ORDER else len(MENU_ORDER) - 2
        ):
            menu = bar.addMenu(title)
            self._menus.append(menu)
            menu.aboutToShow.connect(self.update)
            for command in self._of_menu(title):
                menu.addAction(self._actions[command.id])
