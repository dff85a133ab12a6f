"""Keeps scores, decisions and the outgoing text in step with the document; slow parts in a lane of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs import JobQueue
from app.panels.minim import readings
from app.panels.minim.document import Masking, TraceTokens
from app.panels.minim.overrides import resolve
from app.panels.minim.readings import Outgoing, Page, Scored
from methods.core.errors import StudioloError

if TYPE_CHECKING:
    from methods.minim.explain import Explanation
    from methods.minim.observation import Observation
    from methods.minim.operators import Pseudonyms
    from methods.minim.policy import Decisions, Override

LANE = "privacy"
SETTLE_MS = 120
"""The outgoing text is made when a drag has rested this long; decisions follow at once."""


class Scoring(QObject):
    """Follows the document: rules when the file changes, scores when the task does, decisions always.

    A job that runs is finished and of those that wait only the newest is kept, so that typing never queues up.
    """

    decided = Signal()
    """Page, scores or decisions are new."""
    checked = Signal()
    """The outgoing text is new, or has become out of date."""
    failed = Signal(object)

    def __init__(
        self, jobs: JobQueue, state: Callable[[], Masking], owner: object, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs, self._state, self._owner = jobs, state, owner
        self.page: Page | None = None
        self.scored: Scored | None = None
        self.decisions: Decisions | None = None
        self.overrides: dict[int, Override] = {}
        self.outgoing: Outgoing | None = None
        self.problem: BaseException | None = None
        self._asked: tuple[Observation, tuple[str, ...], str] | None = None
        self._resolved: tuple[Any, ...] = ()
        self.tokens = TraceTokens()
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._make_outgoing)

    def take(self, page: Page) -> None:
        """A file was opened and looked at already; the document is about to hold it."""
        self.page = page

    def update(self) -> None:
        """The document has changed."""
        state = self._state()
        if state.observation is None:
            self._clear()
            return
        fresh = self.page is not None and self.page.observation is state.observation
        if not fresh or self.page.secrets != state.secrets:
            self.page = self.page if fresh else None
            self.scored = self.scored if fresh else None
            self._score(state)
        elif self.scored is None or self.scored.page is not self.page or self.scored.task != state.task:
            self._score(state)
        self._decide(state)

    @property
    def current(self) -> bool:
        """Whether what leaves is made from the document as it is now, and checked."""
        return self.outgoing is not None and self.outgoing.decisions is self.decisions and not self.scoring

    @property
    def scoring(self) -> bool:
        """Whether scores for the present file, secrets and task are still to come."""
        state, scored = self._state(), self.scored
        return scored is None or scored.task != state.task or scored.page.secrets != state.secrets

    def ask_evidence(self, uid: int, then: Callable[[Scored, Explanation], None]) -> None:
        """Find out what moved the necessity of an element; ``then`` is called if the scorer can say."""
        scored = self.scored
        if scored is None:
            return
        self._jobs.submit(
            "Explain an element",
            lambda context: readings.evidence(scored, uid),
            lane=LANE,
            owner=self._owner,
            long=False,
            coalesce="evidence",
            on_done=lambda found: then(scored, found) if found is not None else None,
            on_error=self.failed.emit,
        )

    def stop(self) -> None:
        """The panel closes."""
        self._settle.stop()

    def pseudonyms(self) -> Pseudonyms:
        """Tokens given so far: those of the earlier steps of a trace, none for a file of its own.

        Without them the numbering depends on the document alone, not on where a slider has been.
        """
        from methods.minim.operators import Pseudonyms

        trace = self._state().trace
        return Pseudonyms(dict(self.tokens.numbers) if trace and trace == self.tokens.trace else {})

    def _clear(self) -> None:
        self.page = self.scored = self.decisions = self.outgoing = self._asked = self.problem = None
        self.overrides = {}
        self._settle.stop()
        self.decided.emit()
        self.checked.emit()

    def _score(self, state: Masking) -> None:
        assert state.observation is not None
        observation, secrets, task, page = state.observation, state.secrets, state.task, self.page
        if self._asked is not None and self._asked[0] is observation and self._asked[1:] == (secrets, task):
            return
        self._asked = (observation, secrets, task)

        def work(context: Any) -> Scored:
            known = page is not None and page.secrets == secrets
            return readings.score(page if known else readings.look(observation, secrets), task)

        self._jobs.submit(
            "Score the elements",
            work,
            lane=LANE,
            owner=self._owner,
            long=False,
            coalesce="score",
            on_done=self._scores_came,
            on_error=self._score_failed,
        )

    def _scores_came(self, scored: Scored) -> None:
        state = self._state()
        page = scored.page
        if state.observation is not page.observation:
            return
        self.page, self.scored, self.problem = page, scored, None
        if self._asked is not None and self._asked[1:] == (page.secrets, scored.task):
            self._asked = None
        self.update()  # asks again if the task has moved on

    def _score_failed(self, error: BaseException) -> None:
        self.problem, self._asked = error, None
        self.failed.emit(error)
        self.checked.emit()

    def _decide(self, state: Masking) -> None:
        if self.page is None or self.scored is None:
            self.decisions = self.outgoing = None
            self.overrides = {}
        else:
            key = (self.page, state.rulings)
            if not self._resolved or self._resolved[0] is not key[0] or self._resolved[1] != key[1]:
                self._resolved = key
                self.overrides = resolve(self.page, state.rulings)
            try:
                self.decisions = readings.decide(self.scored, state, self.overrides)
            except StudioloError as error:  # closed rather than open: nothing leaves without decisions
                self.decisions = self.outgoing = None
                self._score_failed(error)
            else:
                self._settle.start()
        self.decided.emit()
        self.checked.emit()

    def _make_outgoing(self) -> None:
        if self.page is None or self.decisions is None:
            return
        page, state, decisions = self.page, self._state(), self.decisions
        tokens = self.pseudonyms()
        self._jobs.submit(
            "Check what leaves",
            lambda context: (readings.outgoing(page, state, decisions, tokens), tokens),
            lane=LANE,
            owner=self._owner,
            long=False,
            coalesce="outgoing",
            on_done=lambda done: self._outgoing_came(*done, state.trace),
            on_error=self._score_failed,
        )

    def _outgoing_came(self, outgoing: Outgoing, tokens: Pseudonyms, trace: tuple[str, ...]) -> None:
        if outgoing.decisions is not self.decisions:
            return
        self.outgoing = outgoing
        if trace:
            self.tokens.trace, self.tokens.numbers = trace, tokens.numbers
        self.checked.emit()
