"""Where a reasoning step ends, decided while the text streams in.

The paper's rule is not public. Ours: a step ends at a line break, at the end of a sentence that is long enough, at
``</think>``, or when it has grown to the limit. A full stop after a digit ends nothing, for it may belong to "3.14".
"""

from __future__ import annotations

from dataclasses import dataclass

LEAST = 6
"""Characters that a step has at least."""
SENTENCE = 12
"""Characters after which the end of a sentence ends the step."""
LIMIT = 96
"""Tokens at which a step ends whatever it says."""
CLOSE = "</think>"


@dataclass(frozen=True)
class Span:
    """From ``start`` up to and without ``end``."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class StepSpan:
    """One step: ``tokens`` counts generated tokens, ``text`` characters of the generated text."""

    tokens: Span
    text: Span


class Segmenter:
    """Fed with the text that each token adds; it may be empty while a character is incomplete."""

    def __init__(self) -> None:
        self._token = self._place = 0
        self._start = StepSpan(Span(0, 0), Span(0, 0))
        self._step = ""

    def push(self, piece: str) -> StepSpan | None:
        """Take in one token's text; the step that it ends, or None."""
        self._token += 1
        self._place += len(piece)
        self._step += piece
        return self._cut() if self._ends(piece) else None

    def extend(self, rest: str) -> None:
        """Text that belongs to the tokens already taken in: the end of the run set it free."""
        self._place += len(rest)
        self._step += rest

    def finish(self) -> StepSpan | None:
        """The step that the end of the text leaves open; None if nothing is left."""
        return self._cut() if self._token > self._start.tokens.end else None

    def rewind(self, to: StepSpan) -> None:
        """Forget everything from the start of ``to`` on."""
        self._token, self._place, self._step = to.tokens.start, to.text.start, ""
        self._start = StepSpan(Span(self._token, self._token), Span(self._place, self._place))

    @property
    def open(self) -> StepSpan:
        """The step under way so far."""
        return StepSpan(Span(self._start.tokens.end, self._token), Span(self._start.text.end, self._place))

    def _cut(self) -> StepSpan:
        found, self._step = self.open, ""
        self._start = found
        return found

    def _ends(self, piece: str) -> bool:
        if self._token - self._start.tokens.end >= LIMIT or CLOSE in self._step:
            return True
        text = self._step.strip()
        if len(text) < LEAST or not piece:
            return False
        if "\n" in piece:
            return True
        return len(text) > SENTENCE and text[-1] in ".?!:" and not (text[-1] == "." and text[-2].isdigit())


def segment(pieces: list[str]) -> list[StepSpan]:
    """The steps of a finished text, given what each token added. Their spans meet and cover everything."""
    segmenter = Segmenter()
    found = [span for piece in pieces if (span := segmenter.push(piece)) is not None]
    rest = segmenter.finish()
    return [*found, rest] if rest else found
