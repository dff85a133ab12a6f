"""What a policy keeps for the task and what it gives away, as defined with the labelled screens.

All figures are means over pairs; a pair without the needed set is left out of that mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from methods.minim.labelled import LabelledScreen, Pair
from methods.minim.policy import ABSTRACT, KEEP, REMOVE

ABSTRACT_TOKENS = 6.0 * 0.05
"""What an abstracted element still leaks: a placeholder of 6 tokens, read with probability 0.05 (MINIM, section 4)."""
LEAST_S = 2.0
"""Below this an element does not count as private."""


@dataclass(frozen=True)
class PairScore:
    """The figures of one pair; None where a set is empty.

    Attributes:
        tcnp: share of the critical elements that are released (kept or abstracted).
        tcnp_i: the same among interactive ones.
        tisl: released sensitivity times tokens of irrelevant elements, over that of the full page.
        keep: share of the candidates that are released.
        tokens: tokens (a quarter of the characters, rounded up) before and after.
    """

    tcnp: float | None
    tcnp_i: float | None
    tisl: float | None
    keep: float
    tokens: tuple[float, float]


def token_count(text: str) -> int:
    """Tokens of an element's text: a quarter of its characters, rounded up, at least one."""
    return max(1, math.ceil(len(text) / 4))


def token_counts(screen: LabelledScreen) -> np.ndarray:
    """:func:`token_count` of each element, (N,) float32."""
    return np.maximum(1, np.ceil(screen.lengths / 4))


def score_pair(pair: Pair, codes: np.ndarray) -> PairScore:
    """Figures of one decision vector ``codes`` (N,) on one pair."""
    screen = pair.screen
    candidates = screen.candidates
    released = (codes != REMOVE) & candidates
    tokens = token_counts(screen)
    irrelevant = candidates & ~pair.relevant & (pair.s >= LEAST_S)
    given = np.where(codes == KEEP, tokens, np.where(codes == ABSTRACT, ABSTRACT_TOKENS, 0.0))
    return PairScore(
        _share(pair.critical, released),
        _share(pair.critical & screen.interactive, released),
        _ratio((pair.s * given)[irrelevant & released].sum(), (pair.s * tokens)[irrelevant].sum()),
        float(released.sum() / max(candidates.sum(), 1)),
        (
            float(tokens[candidates].sum()),
            float(tokens[released & (codes == KEEP)].sum() + 6 * (released & (codes == ABSTRACT)).sum()),
        ),
    )


def _share(wanted: np.ndarray, released: np.ndarray) -> float | None:
    return _ratio((wanted & released).sum(), wanted.sum())


def _ratio(part: float, whole: float) -> float | None:
    return float(part / whole) if whole else None


def mean(scores: Sequence[PairScore], name: str) -> float:
    """Mean of one figure over the pairs that have it; NaN when none has."""
    values = [v for s in scores if (v := getattr(s, name)) is not None]
    return float(np.mean(values)) if values else math.nan


def interval(scores: Sequence[PairScore], name: str, seed: int = 0, draws: int = 1000) -> tuple[float, float]:
    """95 % bootstrap interval of :func:`mean`, pairs drawn with replacement."""
    values = np.array([v for s in scores if (v := getattr(s, name)) is not None])
    if not len(values):
        return math.nan, math.nan
    drawn = np.random.default_rng(seed).choice(values, (draws, len(values))).mean(1)
    return float(np.quantile(drawn, 0.025)), float(np.quantile(drawn, 0.975))
