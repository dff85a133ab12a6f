"""From logits of spans to answers: the likeliest runs of words that do not overlap, with text and box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from methods.evidence.flow import Schedule
from methods.evidence.page import Box
from methods.evidence.words import Words, union

MOST = 5
"""Candidates that are kept."""


@dataclass(frozen=True)
class Candidate:
    """A run of words [first, last) of the page's words, with its share of the probability of all runs."""

    text: str
    score: float
    box: Box
    span: tuple[int, int]


@dataclass(frozen=True)
class Answer:
    """What a question found on a page of N words.

    Attributes:
        text: "" when there is no evidence.
        score: probability in [0, 1] that the page tells and that this is the run of words.
        no_evidence: the mass on NULL reached the model's threshold, or the page has no words.
        null_mass: last mass on NULL, in [0, 1].
        box, span: of the answer, in pixels and in words [first, last); None when there is no evidence.
        candidates: the likeliest runs, best first, also when there is no evidence.
        steps: (K + 1, N) float32 mass of each word, from the uniform start to the last step.
        null: (K + 1,) float32 mass of NULL; each step adds up to 1 with it.
        potential: (N,) float32 w, where NULL has 0; mass flows to low values.
        energy: (K + 1,) <w, p_k>. entropy: (K + 1,) in nats, NULL included.
        schedule: gamma and tau of the K steps.
    """

    text: str
    score: float
    no_evidence: bool
    null_mass: float
    box: Box | None
    span: tuple[int, int] | None
    candidates: tuple[Candidate, ...]
    steps: np.ndarray
    null: np.ndarray
    potential: np.ndarray
    energy: np.ndarray
    entropy: np.ndarray
    schedule: Schedule

    @property
    def gammas(self) -> tuple[float, ...]:
        return self.schedule.gammas

    @property
    def taus(self) -> tuple[float, ...]:
        return self.schedule.taus


def candidates(words: Words, logits: np.ndarray, most: int = MOST) -> tuple[Candidate, ...]:
    """The likeliest runs that share no word.

    Args:
        logits: (N, L), of the run of l + 1 words from word i; runs below the others by 1e3 do not exist.
    """
    if not logits.size:
        return ()
    share = np.exp(logits - logits.max())
    share /= share.sum()
    flat = share.ravel()
    found: list[Candidate] = []
    # Runs around the best ones come next to them in the order, so many must be looked at to find others.
    for at in np.argsort(-flat, kind="stable")[:2000]:
        first, last = int(at // logits.shape[1]), int(at // logits.shape[1] + at % logits.shape[1] + 1)
        if flat[at] <= 0 or len(found) == most:
            break
        if all(last <= c.span[0] or first >= c.span[1] for c in found):
            text = clean(" ".join(words.texts[first:last]))
            found.append(Candidate(text, float(flat[at]), union(words.boxes[first:last]), (first, last)))
    return tuple(found)


def clean(text: str) -> str:
    """Without the marks that join an answer to its surroundings."""
    return text.strip(" :;,") or text


def nothing(schedule: Schedule) -> Answer:
    """The answer of a page without words."""
    steps, null = np.zeros((schedule.steps + 1, 0), np.float32), np.ones(schedule.steps + 1, np.float32)
    flat = np.zeros(schedule.steps + 1, np.float32)
    return Answer("", 0.0, True, 1.0, None, None, (), steps, null, steps[0], flat, flat, schedule)
