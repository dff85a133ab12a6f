"""New, open, save, recover: what the window's project commands do, and the questions they ask."""

from __future__ import annotations

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
        if self.may_discard() and self._load(lambda: self.session.open(path)):
            self._window.settings.add_recent(path)
            self.autosave.remove()

    def recover(self, path: Path) -> None:
        """Take over an autosave, and write it under this run's own name before the old one goes."""
        if self._load(lambda: self.session.recover(path)):
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
            self._window.tell(f"The project could not be saved. {error}")
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

    def _load(self, load: Callable[[], None]) -> bool:
        window = self._window
        try:
            load()
            waiting = (*self.session.methods_in_file(), *self.session.entries)
            known = [m.id for m in methods() if m.id in waiting]
            active = self.session.active if self.session.active in known else (known[0] if known else "")
            if active:
                window.show_panel(active)
        except (StudioloError, OSError) as error:
            window.tell(str(error))
            return False
        for panel in window.panels.values():
            panel.message_bar.clear()
        return True
