"""Ways an observation gets in: a file, a folder, a paste, a page of this machine; and its screenshot."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog

from app.panels.minim import readings
from app.panels.minim.companions import PICTURES
from app.panels.minim.document import Masking
from app.panels.minim.readings import Page
from app.project.places import state_folder

if TYPE_CHECKING:
    from app.panels.minim.panel import MinimPanel

Read = Callable[[], tuple[Masking, Page]]


class Opening:
    """Reads in a job; what is open stays until the new one has been read."""

    def __init__(self, panel: MinimPanel) -> None:
        self._panel = panel

    def path(self, path: Path) -> None:
        """A folder is a trace, a picture belongs to what is open, anything else is an observation."""
        if path.is_dir():
            self._panel.traces.open(path)
        elif path.suffix.lower() in PICTURES:
            self.picture(path)
        else:
            before = self._panel.document.state
            self.run(f"Open {path.name}", lambda: readings.read(path, before=before))

    def text(self, text: str) -> bool:
        """A pasted observation; False when it can be none."""
        if len(text.split()) < 2:
            return False
        before = self._panel.document.state
        self.run("Paste an observation", lambda: readings.parse(text, before))
        return True

    def ask_page(self) -> None:
        target, ok = QInputDialog.getText(
            self._panel, "Capture a page", "An HTML file, or an address of this machine (http://localhost…):"
        )
        if ok and target.strip():
            self.page(target.strip())

    def page(self, target: str) -> None:
        """Capture a local page with an installed Chromium; tree and picture are kept beside each other."""
        before = self._panel.document.state

        def read() -> tuple[Masking, Page]:
            from methods.minim.capture.page import capture_page

            captured = capture_page(target)
            folder = state_folder() / "captures"
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"page-{time.strftime('%Y%m%d-%H%M%S')}.json"
            path.write_text(json.dumps(captured.document), encoding="utf-8")
            path.with_suffix(".png").write_bytes(captured.png)
            return readings.read(path, before=before)

        self.run("Capture a page", read)

    def run(self, title: str, read: Read, coalesce: str | None = None) -> None:
        """Read in a job, then show."""
        panel = self._panel
        panel.services.jobs.submit(
            title,
            lambda context: read(),
            owner=panel,
            coalesce=coalesce,
            on_done=lambda opened: self._opened(title, *opened),
            on_error=panel.show_error,
            on_finished=lambda _: panel.idle.emit(),
        )

    def _opened(self, title: str, state: Masking, page: Page) -> None:
        panel = self._panel
        if not state.trace:
            panel.message_bar.clear()
        panel.selected = None
        panel.scoring.take(page)
        panel.document.edit(title, state)
        observation = page.observation
        if observation.warnings:
            panel.message(
                "input-warnings", name=observation.name, warnings=" ".join(observation.warnings[:3])
            )
        panel.showing.say_doubts()

    def picture(self, path: Path) -> None:
        """Show the boxes over this screenshot."""
        panel = self._panel
        if panel.document.state.observation is None:
            panel.message("nothing-open")
            return
        panel.document.edit(f"Screenshot {path.name}", replace(panel.document.state, screenshot=str(path)))
        panel.showing.say_doubts()

    def ask_picture(self) -> None:
        chosen = self._panel.services.open_file_dialog("Screenshot", PICTURES)
        if chosen:
            self.picture(Path(chosen))
