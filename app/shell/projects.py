"""New, open, save, recover: what the window's project commands do, and the questions they ask."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.project.autosave import Autosave, recoverable
from app.project.file import SUFFIX
from app.project.places import state_folder
from app.project.session import Session, check_suffix
from methods.core import methods
from methods.core.errors import StudioloError

if TYPE_CHECKING:
    from app.window import MainWindow


class Projects:
    """Works on the window's session; every failure is told and leaves what is open as it was."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.session = Session()
        self.autosave = Autosave(self.session, state_folder())

    def new(self) -> None:
        if self.may_discard():
            self.session.new()
            self.autosave.remove()
            self._window.show_start()

    def open(self, path: Path) -> None:
        if self.may_discard() and self._load(self.session.open, path):
            self._window.settings.add_recent(path)
            self.autosave.remove()

    def recover(self, path: Path) -> None:
        """Take over an autosave, and write it under this run's own name before the old one goes."""
        if self._load(self.session.recover, path):
            self.autosave.flush()
            path.unlink(missing_ok=True)

    def offer_recovery(self) -> None:
        """Ask about work that a crashed run left behind."""
        found = recoverable(state_folder())
        if not found:
            return
        from app.shell.dialogs import RecoveryDialog

        dialog = RecoveryDialog(found, self._window)
        dialog.exec()
        if dialog.choice == "restore":
            self.recover(dialog.chosen().path)
        elif dialog.choice == "discard":
            dialog.chosen().path.unlink(missing_ok=True)

    def save(self) -> bool:
        return self.save_to(self.session.path) if self.session.path else self.save_as()

    def save_as(self) -> bool:
        chosen = self._window.save_file_dialog("Save project", (SUFFIX,))
        return self.save_to(Path(chosen)) if chosen else False

    def save_to(self, path: Path) -> bool:
        """Save; on failure the old file is intact and the work stays marked as unsaved."""
        try:
            path = check_suffix(path, SUFFIX)
            self.session.save(path)
        except (StudioloError, OSError) as error:
            self._window.tell(f"The project could not be saved. {in_words(error)}")
            return False
        self.autosave.remove()
        self._window.settings.add_recent(path)
        self._window.statusBar().showMessage(f"Saved {path.name}", 3000)
        return True

    def may_discard(self) -> bool:
        """Whether what is open may go: unchanged, saved now, or given up."""
        if not self.session.dirty:
            return True
        answer = self._window.ask_to_save(self.session.title)
        return answer == "discard" or (answer == "save" and self.save())

    def _load(self, load: Callable[[Path, Callable[[tuple[str, ...], str], None]], None], path: Path) -> bool:
        window, shown = self._window, self._window.panel

        def show(method_ids: tuple[str, ...], active: str) -> None:
            """Every panel must be there before anything changes: what one cannot read stays unopened.

            Read only when its panel is shown, a damaged member would be found when the project is already
            the one that Save writes to, and the next Save would put emptiness in its place.
            """
            known = [m.id for m in methods() if m.id in method_ids]
            for method_id in known:
                window.panel_of(method_id)
            if known:
                window.show_panel(active if active in known else known[0])

        try:
            load(path, show)
        except (StudioloError, OSError) as error:
            if window.panel is not shown and shown is None:
                window.show_start()
            elif shown is not None:
                window.show_panel(shown.method.id)
            window.tell(in_words(error))
            return False
        for panel in window.panels.values():
            panel.message_bar.clear()
        return True


def in_words(error: Exception) -> str:
    """An error for people: which file and what is wrong with it, without numbers of the system."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        name = Path(os.fsdecode(error.filename2 or error.filename)).name
        return f"{name}: {error.strerror[0].lower()}{error.strerror[1:]}."
    return str(error)
