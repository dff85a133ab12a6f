"""Asking for files; the folder of the last answer is where the next question starts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.shell.settings import Settings


def ask_open(parent: QWidget, settings: Settings, title: str, suffixes: tuple[str, ...]) -> str | None:
    """A file to read, or None."""
    patterns = " ".join(f"*{suffix}" for suffix in suffixes)
    filters = f"Files ({patterns});;All files (*)" if suffixes else "All files (*)"
    path, _ = QFileDialog.getOpenFileName(parent, title, settings["last_folder"], filters)
    return _remembered(settings, path)


def ask_save(parent: QWidget, settings: Settings, title: str, suffixes: tuple[str, ...]) -> str | None:
    """A file to write, with the chosen format's suffix added where none was typed; or None."""
    filters = ";;".join(f"{suffix[1:].upper()} (*{suffix})" for suffix in suffixes)
    path, chosen = QFileDialog.getSaveFileName(parent, title, settings["last_folder"], filters)
    if path and not Path(path).suffix and chosen:
        path += chosen[chosen.index("*") + 1 : -1]
    return _remembered(settings, path)


def _remembered(settings: Settings, path: str) -> str | None:
    if path:
        settings.set("last_folder", str(Path(path).parent))
    return path or None
