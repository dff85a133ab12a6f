"""The generic panel's commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from app.commands import Command
from methods.core.declaration import Action

if TYPE_CHECKING:
    from app.panels.generic.panel import GenericPanel


def panel_commands(panel: GenericPanel) -> list[Command]:
    """All commands, bound to one panel."""

    def idle() -> bool:
        return not panel.running

    def has_result() -> bool:
        return bool(panel.document.state.result)

    def copy_table() -> None:
        QGuiApplication.clipboard().setText(panel.csv())

    def choice(action: Action) -> Command:
        return Command(
            f"generic.choose_{action.id.replace('-', '_')}",
            f"Choose: {action.title}",
            lambda: panel.choose_action(action.id),
            menu="Action",
            enabled=idle,
            checked=lambda: panel.action is action,
        )

    return [
        Command("generic.run", "Run", panel.run_default, "Ctrl+Return", "Action", "mdi6.play", idle),
        Command("generic.stop", "Stop", panel.stop, "Ctrl+.", "Action", "mdi6.stop", lambda: panel.running),
        *map(choice, panel.method.actions),
        Command(
            "export.any", "Export result…", panel.ask_export, "Ctrl+E", "File", "mdi6.export", has_result
        ),
        Command("export.table", "Export figures…", panel.ask_export_table, "", "Export", "", has_result),
        Command("edit.copy_table", "Copy figures as CSV", copy_table, "", "Edit", "", has_result),
    ]
