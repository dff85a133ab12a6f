"""Log records for the Log dock and for a rotating file; warnings of libraries come here too. No Qt."""

from __future__ import annotations

import collections
import logging
import logging.handlers
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

KEPT = 5000


@dataclass(frozen=True)
class Line:
    """One record."""

    time: str
    level: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.time} {self.level:<7} {self.name}: {self.text}"


class LogStore(logging.Handler):
    """Remembers the latest records and passes each new one to a listener (which must be thread-safe)."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: collections.deque[Line] = collections.deque(maxlen=KEPT)
        self.listener: Callable[[Line], None] | None = None
        self.setFormatter(logging.Formatter(datefmt="%H:%M:%S"))

    def emit(self, record: logging.LogRecord) -> None:
        formatter = self.formatter or logging.Formatter()
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + formatter.formatException(record.exc_info)
        line = Line(
            formatter.formatTime(record, formatter.datefmt),
            record.levelname,
            record.name.removeprefix("studiolo."),
            text,
        )
        self.lines.append(line)
        if self.listener is not None:
            self.listener(line)


def install(folder: Path) -> LogStore:
    """Send the program's log and Python's warnings to a store, and to a file if one can be written."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    store = LogStore()
    root.addHandler(store)
    logging.captureWarnings(True)
    for noisy in ("OpenGL", "vispy", "PIL", "trimesh"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    try:
        file = logging.handlers.RotatingFileHandler(
            folder / "studiolo.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8", delay=True
        )
        file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root.addHandler(file)
    except OSError:
        pass  # a read-only home must not stop the program
    return store
