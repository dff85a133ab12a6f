"""Autosave and recovery: at most a few seconds of edits are lost, whatever happens. No Qt."""

from __future__ import annotations

import contextlib
import datetime
import functools
import logging
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from app.project.file import SUFFIX, read_project, write_project
from app.project.session import Session
from methods.core.errors import BadInput

INTERVAL = 2.0
"""Seconds between an edit and its autosave at the latest, plus the time of one write."""

log = logging.getLogger("studiolo.autosave")


@dataclass(frozen=True)
class Recovery:
    """An autosave whose program has died."""

    path: Path
    title: str
    saved: datetime.datetime


class Autosave:
    """Writes the session into the state folder while it differs from its file.

    Call :meth:`poll` about once a second on the main thread; writing happens on a thread of its own. The
    file's name holds the process and when it started, so a living instance is never taken for a dead one.
    """

    def __init__(self, session: Session, folder: Path) -> None:
        self._session = session
        self._folder = folder
        self._written: object = None
        self._changed_at: float | None = None
        self._seen: object = None
        self._writer: threading.Thread | None = None
        self.last: float | None = None
        self._failed = False

    @functools.cached_property
    def path(self) -> Path:
        """The file of this process, whether it exists or not."""
        import psutil

        started = int(psutil.Process().create_time() * 1000)
        return self._folder / f"autosave-{os.getpid()}-{started}{SUFFIX}"

    def poll(self) -> None:
        """Look for edits; starts a write when the oldest unwritten one is old enough."""
        revision = self._session.revision
        now = time.monotonic()
        if revision != self._seen:
            self._seen = revision
            self._changed_at = self._changed_at or now
        if not self._session.dirty:
            self._changed_at = None
            return
        if self._changed_at is not None and now - self._changed_at >= INTERVAL and not self.writing:
            self._changed_at = None
            self._start(revision)

    @property
    def writing(self) -> bool:
        return self._writer is not None and self._writer.is_alive()

    def flush(self) -> None:
        """Write now, on this thread, if anything is unsaved; for the moment of quitting."""
        self.wait()
        if self._session.dirty and self._session.revision != self._written:
            self._start(self._session.revision)
            self.wait()

    def wait(self) -> None:
        if self._writer is not None:
            self._writer.join()

    def remove(self) -> None:
        """The session was saved or given up: nothing is left to recover."""
        self.wait()
        if self._written is None:
            return
        self._written = None
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _start(self, revision: object) -> None:
        project = self._session.snapshot()

        def write() -> None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                write_project(self.path, project, durable=False)
                self._written, self.last, self._failed = revision, time.monotonic(), False
            except OSError as error:
                if not self._failed:  # once, not every two seconds
                    log.error("Autosave to %s failed: %s", self.path, error)
                self._failed = True

        self._writer = threading.Thread(target=write, name="studiolo-autosave", daemon=True)
        self._writer.start()


def recoverable(folder: Path) -> list[Recovery]:
    """Autosaves of processes that no longer live, newest first; unreadable ones are set aside."""
    found = []
    for path in folder.glob(f"autosave-*{SUFFIX}"):
        if _is_alive(path):
            continue
        try:
            about = read_project(path).about
        except (BadInput, OSError) as error:
            log.warning("%s cannot be recovered: %s", path, error)
            with contextlib.suppress(OSError):
                path.rename(path.with_suffix(".damaged"))
            continue
        origin = str(about.get("path") or "")
        saved = datetime.datetime.fromtimestamp(path.stat().st_mtime)
        found.append(Recovery(path, Path(origin).name or "untitled", saved))
    return sorted(found, key=lambda recovery: recovery.saved, reverse=True)


def _is_alive(path: Path) -> bool:
    """Whether the process that wrote ``path`` still runs (the same one, not another with its number)."""
    import psutil

    try:
        _, pid, started = path.stem.split("-")
        process = psutil.Process(int(pid))
        return abs(process.create_time() * 1000 - int(started)) < 2000
    except (ValueError, psutil.NoSuchProcess, psutil.AccessDenied):
        return False
