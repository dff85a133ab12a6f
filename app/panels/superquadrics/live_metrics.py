"""The figures beside the view, kept up to date while parts move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs import JobQueue
from app.panels.superquadrics.document import Studio
from methods.core.context import Context

SETTLE_MS = 150
"""Pause after the last change before the fine figures are computed."""

FINE_POINTS = 20_000


@dataclass(frozen=True)
class Reading:
    """Figures of one state of the document.

    Attributes:
        evaluation: :class:`methods.superquadrics.metrics.Evaluation`.
        fine: computed with the full number of points; coarse ones carry more noise.
    """

    evaluation: Any
    fine: bool


class LiveMetrics(QObject):
    """Measures the document against its target: coarse at once, fine when it has settled."""

    changed = Signal(object)  # Reading, or None when there is nothing to measure

    def __init__(
        self, jobs: JobQueue, state: Callable[[], Studio], owner: object, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs, self._state, self._owner = jobs, state, owner
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(lambda: self._measure(fine=True))

    def update(self, dragging: bool = False) -> None:
        """The document has changed."""
        state = self._state()
        if state.target is None or not any(part.visible for part in state.shape.parts):
            self._settle.stop()
            self.changed.emit(None)
            return
        if dragging:
            self._measure(fine=False)
        self._settle.start()

    def stop(self) -> None:
        """The panel closes."""
        self._settle.stop()

    def _measure(self, fine: bool) -> None:
        state = self._state()
        if state.target is None or not state.shape.parts:
            return
        self._jobs.submit(
            "Figures against the target" if fine else "Figures while dragging",
            lambda context: measure(state, context, fine),
            lane="preview",
            owner=self._owner,
            long=False,
            coalesce="metrics",
            on_done=self._done,
        )

    def _done(self, reading: Reading) -> None:
        # A later edit may have emptied the document while this was measured.
        if self._state().target is not None and self._state().shape.parts:
            self.changed.emit(reading)


def measure(state: Studio, context: Context, fine: bool) -> Reading:
    """The figures of ``state``; the same generator seed each time, so that they do not flicker."""
    from methods.superquadrics.metrics import evaluate
    from methods.superquadrics.quick_metrics import evaluate_quickly

    assert state.target is not None
    if not fine:
        return Reading(evaluate_quickly(state.shape, state.target), False)
    rng = np.random.default_rng(context.seed)
    figures = evaluate(state.shape, state.target, rng, points=FINE_POINTS, check=context.check)
    return Reading(figures, True)
