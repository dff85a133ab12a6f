"""Carries callables from worker threads to Qt's main thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot


class MainThread(QObject):
    """``deliver(callable)`` from any thread runs it on the thread this object was made on.

    The signal is declared with ``object``: dictionaries and lists would be copied on the way.
    """

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def deliver(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the window has gone; nobody is left to be told
            self._posted.emit(call)

    @Slot(object)
    def _run(self, call: Callable[[], None]) -> None:
        call()
