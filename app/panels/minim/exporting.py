"""Writes the minimised observation, the covered picture and the manifest; only what the checks let pass."""

from __future__ import annotations

import functools
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QFileDialog

from app.panels.minim import readings
from app.panels.minim.dialogs import NO_PICTURE, ExportChoice, ExportDialog
from app.panels.minim.document import Masking
from app.panels.minim.overrides import resolve
from app.panels.minim.readings import Outgoing, Page
from app.panels.minim.recipe import result_of
from methods.core.errors import BadInput
from methods.core.runner import sha256_of_file

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
            self.write(Path(folder), dialog.choice())

    def ask_folder(self, title: str) -> str:
        """A folder, or ""; tests replace it."""
        return QFileDialog.getExistingDirectory(self._panel, title)

    def write(self, folder: Path, choice: ExportChoice = NO_PICTURE) -> None:
        """Write to ``folder`` in a job."""
        panel, scoring = self._panel, self._panel.scoring
        page, state, outgoing = scoring.page, panel.document.state, scoring.outgoing
        assert page is not None and outgoing is not None
        started = time.perf_counter()

        def done(files: list[str]) -> None:
            panel.message("exported", path=str(folder), files=", ".join(files))
            seconds = time.perf_counter() - started
            result = result_of(panel.method, state, outgoing, seconds, panel.services.seed)
            if result is not None:
                panel.result_ready(result)

        panel.services.jobs.submit(
            "Export what leaves",
            lambda context: write_export(state, page, outgoing, folder, choice),
            owner=panel,
            on_done=done,
            on_error=panel.show_error,
            on_finished=lambda _: panel.idle.emit(),
        )


def write_export(
    state: Masking, page: Page, outgoing: Outgoing, folder: Path, choice: ExportChoice = NO_PICTURE
) -> list[str]:
    """Write one observation; returns the names of the files.

    Raises:
        WorkFailed: a check failed; nothing was written.
        BadInput: the picture cannot be read.
    """
    from methods.minim.export import export

    manifest = export(
        page.observation,
        outgoing.decisions,
        outgoing.redaction,
        readings.policy_of(state),
        folder,
        overrides=resolve(page, state.rulings),
        screenshot=Path(state.screenshot) if choice.picture and state.screenshot else None,
        weights_sha256=weights_hash(),
        accept_doubts=True,  # the picture is written only where a person ticked it, with the doubts before them
        blur=choice.blur,
    )
    return list(manifest.files)


@functools.cache
def weights_hash() -> str:
    """SHA-256 of the weights that scored; "" where there are none."""
    from methods.minim.scorer import SHIPPED

    return sha256_of_file(SHIPPED) if SHIPPED.is_file() else ""
