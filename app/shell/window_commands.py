"""The window's own commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog

from app.commands import Command
from methods.core import methods
from methods.core.errors import StudioloError

if TYPE_CHECKING:
    from app.window import MainWindow

DEVICES = ("auto", "cpu", "cuda", "mps")


def window_commands(window: MainWindow) -> list[Command]:
    """All of them, bound to ``window``."""
    return [*_file(window), *_edit(window), *_view(window), *_help(window)]


def _file(window: MainWindow) -> list[Command]:
    projects = window.projects

    def saved_and_new() -> bool:
        return bool(window.panels)

    return [
        Command("file.new_project", "New project", projects.new, "Ctrl+N", "File"),
        Command("file.open", "Open…", window.ask_open, "Ctrl+O", "File"),
        Command(
            "file.save", "Save project", lambda: _ignore(projects.save()), "Ctrl+S", "File", "", saved_and_new
        ),
        Command(
            "file.save_as",
            "Save project as…",
            lambda: _ignore(projects.save_as()),
            "Ctrl+Shift+S",
            "File",
            "",
            saved_and_new,
        ),
        Command("file.recover", "Recover unsaved work…", projects.offer_recovery, "", "File"),
        Command("file.load_checkpoint", "Look inside a checkpoint…", lambda: _checkpoint(window), "", "File"),
        Command(
            "file.close_panel",
            "Close panel",
            window.close_panel,
            "Ctrl+W",
            "File",
            "",
            lambda: window.panel is not None,
        ),
        Command("file.quit", "Quit", lambda: _ignore(window.close()), "Ctrl+Q", "File"),
    ]


def _edit(window: MainWindow) -> list[Command]:
    def undo() -> None:
        if window.panel is not None:
            window.panel.document.end_merge()
            window.panel.document.undo()

    def redo() -> None:
        if window.panel is not None:
            window.panel.document.redo()

    return [
        Command(
            "edit.undo",
            "Undo",
            undo,
            "Ctrl+Z",
            "Edit",
            "",
            lambda: window.panel is not None and window.panel.document.can_undo,
        ),
        Command(
            "edit.redo",
            "Redo",
            redo,
            "Ctrl+Shift+Z",
            "Edit",
            "",
            lambda: window.panel is not None and window.panel.document.can_redo,
        ),
        Command("edit.paste", "Paste", window.paste, "Ctrl+V", "Edit"),
        Command(
            "edit.copy_command",
            "Copy as command",
            window.copy_command,
            "Ctrl+Alt+C",
            "Edit",
            "",
            lambda: window.panel is not None and window.panel.strip.result is not None,
        ),
        Command("jobs.stop_all", "Stop all jobs", window.jobs.cancel_all, "Ctrl+Shift+.", "Edit"),
        Command("edit.set_seed", "Seed…", lambda: _seed(window), "", "Edit"),
    ]


def _view(window: MainWindow) -> list[Command]:
    commands = [
        Command("view.palette", "Search commands", window.show_palette, "Ctrl+Shift+P", "View"),
        Command("view.start", "Start page", window.show_start, "Alt+Home", "View"),
    ]
    commands += [
        Command(
            f"view.panel_{m.id.replace('-', '_')}",
            m.title,
            lambda i=m.id: _ignore(window.show_panel(i)),
            f"Ctrl+{n}" if n < 10 else "",
            "View",
        )
        for n, m in enumerate(methods(), 1)
    ]
    commands += [
        Command(
            f"view.theme_{mode}",
            f"Theme: {mode}",
            lambda mode=mode: window.set_theme(mode),
            "",
            "View",
            "",
            None,
            lambda mode=mode: window.theme.mode == mode,
        )
        for mode in ("system", "light", "dark")
    ]
    commands += [
        Command(
            f"view.dock_{dock_id}",
            f"Show {dock.windowTitle()}",
            lambda dock=dock: dock.setVisible(dock.isHidden()),
            "",
            "View",
            "",
            None,
            lambda dock=dock: not dock.isHidden(),
        )
        for dock_id, dock in window.docks.items()
    ]
    commands += [
        Command(
            f"view.device_{name}",
            f"Device: {name}",
            lambda name=name: window.settings.set("device", name),
            "",
            "View",
            "",
            None,
            lambda name=name: window.settings["device"] == name,
        )
        for name in DEVICES
    ]
    return [
        *commands,
        Command("view.save_layout", "Save layout as…", lambda: _save_layout(window), "", "View"),
        Command(
            "view.apply_layout",
            "Use layout…",
            lambda: _apply_layout(window),
            "",
            "View",
            "",
            lambda: bool(window.settings["layouts"]),
        ),
        Command("view.reset_layout", "Reset layout", window.reset_layout, "", "View"),
        Command(
            "view.full_screen",
            "Full screen",
            lambda: _full_screen(window),
            "F11",
            "View",
            "",
            None,
            window.isFullScreen,
        ),
    ]


def _help(window: MainWindow) -> list[Command]:
    def about_method() -> None:
        from app.shell import dialogs

        if window.panel is not None:
            dialogs.about_method(window.panel.method, window).show()

    def about_program() -> None:
        from app.shell import dialogs

        dialogs.about_program(window).show()

    return [
        Command("help.keys", "Keys and commands", window.show_keys, "?", "Help"),
        Command(
            "help.about_method",
            "About this method",
            about_method,
            "F1",
            "Help",
            "",
            lambda: window.panel is not None,
        ),
        Command("help.report", "Report a problem…", lambda: _report(window), "", "Help"),
        Command("help.about", "About Studiolo", about_program, "", "Help"),
    ]


def _ignore(_: object) -> None:
    """Commands return nothing."""


def _seed(window: MainWindow) -> None:
    seed, chosen = QInputDialog.getInt(
        window, "Seed", "Seed of all random numbers", window.settings["seed"], 0
    )
    if chosen:
        window.settings.set("seed", seed)
        for panel in window.panels.values():
            panel.services.seed = seed


def _save_layout(window: MainWindow) -> None:
    name, chosen = QInputDialog.getText(window, "Save layout", "Name")
    if chosen and name.strip():
        window.save_layout(name.strip())


def _apply_layout(window: MainWindow) -> None:
    names = sorted(window.settings["layouts"])
    name, chosen = QInputDialog.getItem(window, "Use layout", "Layout", names, 0, False)
    if chosen:
        window.apply_layout(name)


def _full_screen(window: MainWindow) -> None:
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()


def _checkpoint(window: MainWindow) -> None:
    path = window.open_file_dialog(
        "Look inside a checkpoint", (".safetensors", ".gguf", ".pt", ".pth", ".bin", ".npz")
    )
    if not path:
        return

    def show(description: object) -> None:
        from app.shell import dialogs

        assert isinstance(description, dict)
        dialogs.checkpoint_dialog(description, window).show()

    def work(context: object) -> object:
        from methods.core.inspect import describe

        return describe(Path(path))

    window.jobs.submit(
        f"Read {Path(path).name}", work, on_done=show, on_error=lambda error: window.tell(str(error))
    )


def _report(window: MainWindow) -> None:
    path = window.save_file_dialog("Report a problem", (".zip",))
    if not path:
        return
    from app.shell import dialogs

    settings = {name: window.settings[name] for name in ("theme", "device", "seed", "shortcuts")}
    try:
        dialogs.write_report(Path(path), [str(line) for line in window.log_store.lines], settings)
    except (OSError, StudioloError) as error:
        window.tell(f"The report could not be written: {error}")
        return
    window.tell(f"Written: {path}. It holds versions, settings and the log, and none of your data.")
