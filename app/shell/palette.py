"""The command palette and the sheet of shortcuts; both read the registry."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.commands import Command, CommandRegistry
from app.shell.settings import Settings

COMMAND_ID = Qt.ItemDataRole.UserRole


class CommandPalette(QDialog):
    """Type a few letters, press Enter."""

    def __init__(self, registry: CommandRegistry, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._registry = registry
        self.setAccessibleName("Command palette")
        self.setFixedSize(520, 360)
        self._query = QLineEdit()
        self._query.setPlaceholderText("Search commands")
        self._query.setAccessibleName("Search commands")
        self._list = QListWidget()
        self._list.setAccessibleName("Commands")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self._query)
        layout.addWidget(self._list)
        self._query.textChanged.connect(self._fill)
        self._query.installEventFilter(self)
        self._list.itemActivated.connect(self._run)
        self._list.itemClicked.connect(self._run)
        self._fill("")
        corner = parent.mapToGlobal(parent.rect().center())
        self.move(corner.x() - self.width() // 2, parent.mapToGlobal(parent.rect().topLeft()).y() + 48)

    def _fill(self, query: str) -> None:
        self._list.clear()
        for command in self._registry.find(query):
            self._list.addItem(self._item(command))
        self._list.setCurrentRow(0)

    @staticmethod
    def _item(command: Command) -> QListWidgetItem:
        keys = QKeySequence(command.shortcut).toString(QKeySequence.SequenceFormat.NativeText)
        place = f"{command.menu}: " if command.menu else ""
        item = QListWidgetItem(f"{place}{command.title}" + (f"    {keys}" if keys else ""))
        item.setData(COMMAND_ID, command.id)
        if not command.is_enabled:
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
        return item

    def _run(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.flags() & Qt.ItemFlag.ItemIsEnabled:
            self.close()
            self._registry.run(item.data(COMMAND_ID))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}.get(
                Qt.Key(event.key())
            )
            if step:
                row = min(max(self._list.currentRow() + step, 0), self._list.count() - 1)
                self._list.setCurrentRow(row)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run(self._list.currentItem())
                return True
        return super().eventFilter(watched, event)


class ShortcutSheet(QDialog):
    """Every command with its keys; a double click changes them."""

    def __init__(self, registry: CommandRegistry, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._registry, self._settings = registry, settings
        self.setWindowTitle("Keys and commands")
        self.resize(560, 640)
        self._table = QTreeWidget()
        self._table.setAccessibleName("Commands and their keys")
        self._table.setHeaderLabels(["command", "keys"])
        self._table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._table.itemDoubleClicked.connect(lambda item, _: self._edit(item))
        self._problem = QLabel("Double-click a command to give it other keys.")
        self._problem.setProperty("role", "muted")
        self._problem.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        reset = buttons.addButton("Default keys", QDialogButtonBox.ButtonRole.ResetRole)
        reset.clicked.connect(lambda: self._apply({}))
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self._table)
        layout.addWidget(self._problem)
        layout.addWidget(buttons)
        self._fill()

    def _fill(self) -> None:
        self._table.clear()
        groups: dict[str, QTreeWidgetItem] = {}
        for command in self._registry.all():
            title = command.menu or "Other"
            if title not in groups:
                groups[title] = QTreeWidgetItem(self._table, [title])
            keys = QKeySequence(command.shortcut).toString(QKeySequence.SequenceFormat.NativeText)
            item = QTreeWidgetItem(groups[title], [command.title, keys])
            item.setData(0, COMMAND_ID, command.id)
        self._table.expandAll()
        for keys, ids in self._registry.conflicts().items():
            self._problem.setText(f"{keys} is claimed by {' and '.join(ids)}; neither will work.")

    def _edit(self, item: QTreeWidgetItem) -> None:
        command_id = item.data(0, COMMAND_ID)
        if not command_id:
            return
        dialog = QDialog(self)
        dialog.setWindowTitle(item.text(0))
        keys = QKeySequenceEdit(QKeySequence(item.text(1)))
        keys.setMaximumSequenceLength(1)
        keys.setClearButtonEnabled(True)
        keys.setAccessibleName(f"Keys for {item.text(0)}")
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        box.accepted.connect(dialog.accept)
        box.rejected.connect(dialog.reject)
        layout = QVBoxLayout(dialog)
        layout.addWidget(keys)
        layout.addWidget(box)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            text = keys.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
            self.assign(command_id, text)

    def assign(self, command_id: str, keys: str) -> bool:
        """Give a command other keys; refused (with the reason shown) when another one has them."""
        owner = next((c for c in self._registry.all() if keys and c.shortcut.lower() == keys.lower()), None)
        if owner is not None and owner.id != command_id:
            self._problem.setText(f"{keys} already belongs to {owner.title}.")
            return False
        self._apply({**self._settings["shortcuts"], command_id: keys})
        return True

    def _apply(self, shortcuts: dict[str, str]) -> None:
        self._settings.set("shortcuts", shortcuts)
        self._registry.set_shortcuts(shortcuts)
        self._problem.setText("Double-click a command to give it other keys.")
        self._fill()
