"""What the network should have said: the words of the evidence and the runs that spell the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from methods.evidence.answers import clean
from methods.evidence.questions import Question
from methods.evidence.words import Words


@dataclass(frozen=True)
class Gold:
    """Evidence of one question among N words.

    Attributes:
        evidence: (N,) bool; nothing when the page does not tell.
        spans: runs [first, last) any of which is right.
    """

    evidence: np.ndarray
    spans: tuple[tuple[int, int], ...]

    @property
    def answerable(self) -> bool:
        return bool(self.evidence.any())

    def within(self, window: slice) -> Gold:
        """As seen in a window of the page: a run that the window cuts off is no run."""
        spans = tuple(
            (a - window.start, b - window.start)
            for a, b in self.spans
            if window.start <= a and b <= window.stop
        )
        evidence = self.evidence[window]
        return Gold(evidence if spans or not self.spans else np.zeros_like(evidence), spans)


def gold(words: Words, question: Question) -> Gold:
    """Where a token holds more than the answer, only the answer's words are evidence."""
    held = np.isin(words.owner, question.evidence) & question.answerable
    spans = tuple(span for run in _runs(held) for span in _spelled(words, run, question.answer))
    evidence = np.zeros_like(held)
    for first, last in spans:
        evidence[first:last] = True
    return Gold(evidence, spans)


def _runs(held: np.ndarray) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], held, [False]]).astype(np.int8)))
    return zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _spelled(words: Words, run: tuple[int, int], answer: str) -> list[tuple[int, int]]:
    """The parts of a run that spell the answer; the whole run where none does."""
    wanted, size = _plain(answer), len(answer.split())
    first, last = run
    found = [
        (i, i + size)
        for i in range(first, last - size + 1)
        if size and _plain(" ".join(words.texts[i : i + size])) == wanted
    ]
    return found or [run]


def _plain(text: str) -> str:
    return clean(text).casefold()


def as_lines(words: Words, gap: float) -> Words:
    """The same words as if a reader of whole lines had found them.

    Readers differ in that; the network must not depend on it.

    Args:
        gap: in heights, up to which the next word of a row belongs to the same line.
    """
    boxes = words.boxes
    near = (boxes[1:, 0] - boxes[:-1, 2]) < gap * words.height
    joined = near & (boxes[1:, 0] >= boxes[:-1, 0]) & (words.rows[1:] == words.rows[:-1])
    owner = np.concatenate([[0], np.cumsum(~joined)]) if len(words) else words.owner
    return replace(words, owner=owner)


def stacked(golds: Sequence[Gold], words: int, span: int) -> tuple[np.ndarray, np.ndarray]:
    """Evidence (M, words + 1) with NULL last, and right runs (M, words, span), both bool."""
    evidence = np.zeros((len(golds), words + 1), bool)
    spans = np.zeros((len(golds), words, span), bool)
    for i, found in enumerate(golds):
        evidence[i, : len(found.evidence)] = found.evidence
        evidence[i, -1] = not found.answerable
        for first, last in found.spans:
            if last - first <= span:
                spans[i, first, last - first - 1] = True
    return evidence, spans
