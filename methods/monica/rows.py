"""One row of a batch under way: its tokens, text and steps, and what rolls back with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from methods.monica.steps import Segmenter, Span, StepSpan
from methods.monica.text_stream import TextStream
from methods.monica.trace import Intervention, Step


class Row:
    """Grows by :meth:`push`; at the end of a step either :meth:`end_step` or :meth:`drop_step` follows.

    Args:
        decode: ids -> text. forced: tokens that are given, not drawn.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], forced: Sequence[int] = ()) -> None:
        self.ids: list[int] = []
        self.finish = ""
        self.extra = 0
        self.step_ended = False
        self._forced = tuple(forced)
        self._stream, self._segmenter = TextStream(decode), Segmenter()
        self._pieces: list[str] = []
        self._steps: list[Step] = []
        self._scores: list[float | None] = []
        self._strengths: list[float] = []
        self._notes: list[Intervention] = []
        self._mark = self._stream.mark()
        self._began = time.perf_counter()

    @property
    def forced_next(self) -> int | None:
        """The given token that comes next, None once they are used up."""
        return self._forced[len(self.ids)] if len(self.ids) < len(self._forced) else None

    @property
    def in_forced(self) -> bool:
        """Whether the open step began with given tokens."""
        return self._segmenter.open.tokens.start < len(self._forced)

    @property
    def next_index(self) -> int:
        """Index of the step that the next token belongs to."""
        return len(self._steps)

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def push(self, token: int, score: float | None, strength: float) -> str:
        """Take in a token; what became readable with it."""
        self.ids.append(token)
        piece = self._stream.push(token)
        self._pieces.append(piece)
        self._scores.append(score)
        self._strengths.append(strength)
        self._closed = self._segmenter.push(piece)
        self.step_ended = self._closed is not None
        return piece

    def note(self, intervention: Intervention) -> None:
        """Something was done about the open step."""
        self._notes.append(intervention)

    def end_step(self, smooth: Callable[[Sequence[float]], float] | None) -> Step:
        """Close the step under way and keep it."""
        if self.finish:
            self._pieces[-1] += self._flush()
        step = self._step(self._closed or self._segmenter.finish() or self._segmenter.open, smooth)
        self._steps.append(step)
        self._notes, self._scores, self._strengths, self._closed = [], [], [], None
        self._mark, self._began = self._stream.mark(), time.perf_counter()
        return step

    def drop_step(self, score: float) -> Step:
        """Take the step under way back; it is noted in the one that replaces it."""
        step = self._step(self._closed or self._segmenter.open, None)
        del self.ids[step.tokens.start :], self._pieces[step.tokens.start :]
        self._stream.rewind(self._mark)
        self._segmenter.rewind(StepSpan(step.tokens, step.span))
        self.extra += len(step.tokens)
        self.finish, self._scores, self._strengths, self._closed = "", [], [], None
        self.note(Intervention("rollback", score, dropped=step.text, tokens=len(step.tokens)))
        return step

    def all_steps(self) -> tuple[Step, ...]:
        """The steps kept, and the open one if it has a token."""
        open_ = self._segmenter.open
        return (*self._steps, self._step(open_, None)) if len(open_.tokens) else tuple(self._steps)

    def _flush(self) -> str:
        rest = self._stream.finish()
        if rest and self._closed is None:
            self._segmenter.extend(rest)
        return rest

    def _step(self, span: StepSpan, smooth: Callable[[Sequence[float]], float] | None) -> Step:
        scores = [s for s in self._scores if s is not None]
        score = scores[-1] if scores else None
        history = [s.score for s in self._steps if s.score is not None]
        return Step(
            index=len(self._steps),
            text=self.text[span.text.start : span.text.end],
            tokens=Span(span.tokens.start, span.tokens.end),
            span=span.text,
            score=score,
            ema=smooth([*history, score]) if smooth and score is not None else score,
            token_scores=tuple(scores),
            strength=max(self._strengths, default=0.0),
            ms=1000 * (time.perf_counter() - self._began),
            interventions=tuple(self._notes),
        )
