"""Writes the minimised observation, the covered picture and the manifest; only what the checks let pass."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QDialog, QFileDialog

from app.panels.minim import readings
from app.panels.minim.dialogs import ExportDialog
from app.panels.minim.document import Masking
from app.panels.minim.readings import Outgoing, Page
from methods.core.errors import BadInput

if TYPE_CHECKING:
    from app.panels.minim.panel import MinimPanel


class Exporter:
    """Asks what to write and where; errors go to the panel's message bar."""

    def __init__(self, panel: MinimPanel) -> None:
        self._panel = panel

    def obstacle(self) -> str:
        """Why nothing can be exported now; "" when it can."""
        scoring = self._panel.scoring
        if self._panel.document.state.observation is None:
            return "Nothing is open yet."
        if scoring.problem is not None:
            return f"The check could not be made: {getattr(scoring.problem, 'what', scoring.problem)}"
        if not scoring.current or scoring.outgoing is None:
            return "Checking what leaves…"
        leaks = scoring.outgoing.leaks
        if not leaks.ok:
            where = "; ".join(
                dict.fromkeys(f"{leak.text_masked} in {leak.where}" for leak in leaks.leaks[:3])
            )
            return f"Something private is left: {where}."
        if not leaks.ids_ok:
            return "Ids of elements that stay would change."
        return ""

    def ask(self) -> None:
        """The dialog, the folder, the writing."""
        panel = self._panel
        obstacle = self.obstacle()
        if obstacle:
            panel.show_error(BadInput(obstacle, "Export works when both checks pass."))
            return
        dialog = ExportDialog(bool(panel.document.state.screenshot), panel.doubts(), panel)
        if dialog.exec() != QDialog.DialogCode.Accepted:
            return
        folder = self.ask_folder("Folder for what leaves")
        if folder:
            choice = dialog.choice()
            self.write(Path(folder), choice.picture, choice.blur)

    def ask_folder(self, title: str) -> str:
        """A folder, or ""; tests replace it."""
        return QFileDialog.getExistingDirectory(self._panel, title)

    def write(self, folder: Path, picture: bool = False, blur: bool = False) -> None:
        """Write to ``folder`` in a job."""
        panel, scoring = self._panel, self._panel.scoring
        page, state, outgoing = scoring.page, panel.document.state, scoring.outgoing
        assert page is not None and outgoing is not None
        pseudonyms = scoring.pseudonyms()

        def work(context: Any) -> list[str]:
            return write_export(page, state, outgoing.decisions, outgoing, pseudonyms, folder, picture, blur)

        panel.services.jobs.submit(
            "Export what leaves",
            work,
            owner=panel,
            on_done=lambda files: panel.message("exported", path=str(folder), files=", ".join(files)),
            on_error=panel.show_error,
            on_finished=lambda _: panel.idle.emit(),
        )


def write_export(
    page: Page,
    state: Masking,
    decisions: Any,
    outgoing: Outgoing,
    pseudonyms: Any,
    folder: Path,
    picture: bool,
    blur: bool,
) -> list[str]:
    """Write one observation; returns the names of the files.

    Raises:
        WorkFailed: a check of the written files failed; nothing is left in ``folder``.
    """
    from methods.minim.export import export

    raise NotImplementedError(export, readings.policy_of(state))
