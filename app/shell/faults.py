"""Errors nobody caught: one dialog however often they come, and a trace of crashes for the next start."""

from __future__ import annotations

import collections
import faulthandler
import logging
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import IO

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QMessageBox

log = logging.getLogger("studiolo.fault")

SHOWN_ONCE = 64
"""Different errors remembered; an equal one is only counted."""


class Faults(QObject):
    """Takes over ``sys.excepthook`` and ``threading.excepthook``."""

    _raised = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.counts: collections.Counter[str] = collections.Counter()
        self._boxes: list[QMessageBox] = []
        self._raised.connect(self._show, Qt.ConnectionType.QueuedConnection)
        sys.excepthook = self.handle
        threading.excepthook = lambda args: self.handle(args.exc_type, args.exc_value, args.exc_traceback)

    def handle(
        self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Log an error, and show it the first time it comes from its place."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        last = traceback.extract_tb(trace)[-1:] if trace is not None else []
        key = f"{kind.__name__}: {error} at {last[0].filename}:{last[0].lineno}" if last else kind.__name__
        self.counts[key] += 1
        if self.counts[key] > 1 or len(self.counts) > SHOWN_ONCE:
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        log.error("%s", text)
        self._raised.emit(f"{kind.__name__}: {error}", text)

    def _show(self, summary: str, text: str) -> None:
        box = QMessageBox(QMessageBox.Icon.Warning, "Something went wrong", "An unexpected error happened.")
        box.setInformativeText(
            f"{summary}\n\nYour work is kept; save it under another name to be safe. "
            "Help → Report a problem… collects what is needed to mend this."
        )
        box.setDetailedText(text)
        self._boxes.append(box)  # nobody else holds it
        box.finished.connect(lambda _: self._boxes.remove(box))
        box.open()


def watch_crashes(folder: Path) -> tuple[str, IO[str] | None]:
    """Write native crashes to a file from now on; returns what the last run left there."""
    path = folder / "crash.txt"
    try:
        last = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        stream = path.open("w", encoding="utf-8")
    except OSError:
        return "", None
    faulthandler.enable(stream)
    return last.strip(), stream
