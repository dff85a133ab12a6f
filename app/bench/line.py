"""A row of the table, and waiting for a window between two measurements."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Line:
    """One row of the table. ``budget`` is None where a figure only informs."""

    subject: str
    what: str
    value: float
    unit: str
    budget: float | None = None
    note: str = ""

    @property
    def within(self) -> bool | None:
        return None if self.budget is None else self.value <= self.budget

    def __str__(self) -> str:
        verdict = {None: "", True: "ok", False: "OVER"}[self.within]
        budget = "" if self.budget is None else f"{self.budget:g} {self.unit}"
        measured = f"{self.value:>10.4g} {self.unit:<4}"
        return f"{self.what:<46} {measured} {budget:>12} {verdict:<5} {self.note}".rstrip()


def pump(app: Any, seconds: float, until: Callable[[], bool] | None = None) -> None:
    """Let the window work for ``seconds``, or ``until`` something holds."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end and not (until is not None and until()):
        app.processEvents()
        time.sleep(0.005)
