"""A folder of steps: open it, step through it, run all of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.panels.minim import batch, readings
from methods.core.errors import BadInput

if TYPE_CHECKING:
    from app.panels.minim.panel import MinimPanel


class Traces:
    """The steps of the document's trace; each is opened as an edit that can be undone."""

    def __init__(self, panel: MinimPanel) -> None:
        self._panel = panel

    def ask_open(self) -> None:
        folder = self._panel.exporter.ask_folder("Folder with the steps of a trace")
        if folder:
            self.open(Path(folder))

    def open(self, folder: Path) -> None:
        """Show the first step of the trace in ``folder``."""
        panel = self._panel
        suffixes = {s for kind in panel.method.kinds if kind.load for s in kind.suffixes}
        try:
            trace = batch.steps_in(folder, sorted(suffixes))
        except (BadInput, OSError) as error:
            panel.show_error(error)
            return
        panel.message("trace-opened", count=len(trace), path=folder.name)
        self._show(trace, 0, f"Open the trace {folder.name}")

    def step(self, by: int) -> None:
        """Go to another step; the task, the locked decisions and the tokens go along."""
        state = self._panel.document.state
        to = state.step + by
        if 0 <= to < len(state.trace):
            self._show(state.trace, to, f"Step {to + 1} of the trace")

    def can_step(self, by: int) -> bool:
        state = self._panel.document.state
        return 0 <= state.step + by < len(state.trace)

    def ask_run(self) -> None:
        folder = self._panel.exporter.ask_folder("Folder for the minimised trace")
        if folder:
            self.run(Path(folder))

    def run(self, out: Path) -> None:
        """Minimise every step into ``out``."""
        panel, state = self._panel, self._panel.document.state

        def done(rows: list[dict[str, Any]]) -> None:
            written = sum(row["state"] == "written" for row in rows)
            bad = [f"{row['file']}: {row['error']}" for row in rows if row["state"] != "written"]
            failed = "" if not bad else f"Not written: {'; '.join(bad[:3])}"
            panel.message("batch-done", done=written, count=len(rows), path=str(out), failed=failed)

        panel.services.jobs.submit(
            "Minimise the trace",
            lambda context: batch.run(state, out, context),
            owner=panel,
            on_done=done,
            on_error=panel.show_error,
            on_finished=lambda _: panel.idle.emit(),
        )

    def _show(self, trace: tuple[str, ...], step: int, title: str) -> None:
        before = self._panel.document.state
        self._panel.opening.run(
            title, lambda: readings.read(Path(trace[step]), trace, step, before), coalesce="step"
        )
