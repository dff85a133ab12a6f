"""Figures of what leaves, from the scores alone: there are no labels for a person's own screen. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from methods.minim.metrics import ABSTRACT_TOKENS, LEAST_S, token_count
from methods.minim.policy import ABSTRACT, KEEP, REMOVE

if TYPE_CHECKING:
    from app.panels.minim.readings import Scored

IRRELEVANT, CRITICAL = 3.0, 5.0
"""n at or below which an element is beside the task, and from which on the task cannot do without it."""


@dataclass(frozen=True)
class Figures:
    """What the strip says.

    Attributes:
        tisl: sensitivity-weighted tokens of irrelevant elements that leave, over those of the whole page.
        controls: interactive elements that the task needs: (kept or abstracted, all).
        counts: elements with text that are (kept, abstracted, removed).
        exposed: uids of what a person cannot see but the agent could.
    """

    tisl: float
    controls: tuple[int, int]
    counts: tuple[int, int, int]
    exposed: tuple[int, ...]


class Sums:
    """What figures need of a page, gathered once; every threshold after that is a few array operations."""

    def __init__(self, scored: Scored) -> None:
        elements = scored.page.observation.elements
        self.s, self.n = scored.s, scored.n
        self.tokens = np.array([token_count(e.text) for e in elements], np.float32)
        self.filled = np.array([bool(e.text) for e in elements], bool)
        self.interactive = np.array([e.interactive for e in elements], bool)
        hidden = scored.page.observation.hidden
        self.exposed = tuple(e.uid for e in elements if e.exposed and e.uid in hidden and e.text)

    def tisl(self, codes: np.ndarray) -> float:
        beside = (self.n <= IRRELEVANT) & (self.s >= LEAST_S) & self.filled
        given = np.where(codes == KEEP, self.tokens, np.where(codes == REMOVE, 0.0, ABSTRACT_TOKENS))
        whole = float((self.s * self.tokens)[beside].sum())
        return float((self.s * given)[beside].sum()) / whole if whole else 0.0

    def tcnp(self, codes: np.ndarray) -> float:
        """Share of what the task cannot do without that leaves."""
        critical = self.n >= CRITICAL
        return float((codes[critical] != REMOVE).mean()) if critical.any() else 1.0

    def figures(self, codes: np.ndarray) -> Figures:
        needed = self.interactive & (self.n >= CRITICAL)
        counts = np.bincount(codes[self.filled], minlength=3)
        return Figures(
            self.tisl(codes),
            (int((codes[needed] != REMOVE).sum()), int(needed.sum())),
            (int(counts[0]), int(counts[1]), int(counts[2])),
            self.exposed,
        )

    def curve(self, tau_s: float, steps: int = 41) -> list[tuple[float, float, float]]:
        """(tau_n, TISL, TCNP) for tau_n from 0 to 10 by the thresholds alone, without overrides and floor."""
        points = []
        for tau_n in np.linspace(0, 10, steps):
            codes = np.where(self.n < tau_n, REMOVE, np.where(self.s >= tau_s, ABSTRACT, KEEP))
            points.append((float(tau_n), self.tisl(codes), self.tcnp(codes)))
        return points
