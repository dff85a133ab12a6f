"""Choose the calibration and the threshold from pairs of apps that the network has not seen.

The paper takes the threshold that makes TCNP - 0.5 TISL largest on validation data. On pages where little is
private that alone would keep nearly everything, so the share of elements kept bounds the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from methods.minim import metrics
from methods.minim.bonds import bind
from methods.minim.calibration import Calibration
from methods.minim.findings import Finding
from methods.minim.labelled import Pair
from methods.minim.metrics import PairScore
from methods.minim.policy import Policy, decide

TAU_N = 1.0
"""Where the chosen threshold is put on the scale of n: the paper's own."""
MOST_KEPT = 0.2
BLEND, SHARE = 0.5, 0.1
"""Of the calibration: the best of a few on weakly labelled pairs of apps left out, which are many."""
STEPS = np.arange(-4.0, 3.01, 0.1)
"""Levels (logits of n / 10 after calibration) that are tried as threshold."""


@dataclass(frozen=True)
class Heard:
    """What a network says of one pair, before calibration: ``s`` and ``logit`` are (N,)."""

    pair: Pair
    findings: tuple[Finding, ...]
    s: np.ndarray
    logit: np.ndarray
    counted: np.ndarray
    bonds: np.ndarray


def scores(heard: Sequence[Heard], calibration: Calibration, tau_n: float, tau_s: float) -> list[PairScore]:
    """The figures of every pair under the whole policy with two thresholds."""
    policy, found = Policy(tau_n, tau_s), []
    for h in heard:
        n = bind(calibration.necessity(h.logit, h.counted), h.bonds)
        decisions = decide(h.pair.screen.observation, h.s, n, h.findings, policy)
        found.append(metrics.score_pair(h.pair, decisions.codes))
    return found


def choose(heard: Sequence[Heard], tau_s: float, most_kept: float = MOST_KEPT) -> Calibration:
    """The calibration under which :data:`TAU_N` is the best threshold: worth most, of equals the highest."""
    start = np.log(TAU_N / (10 - TAU_N))
    best, best_worth = Calibration(), (-np.inf, 0.0)
    for step in STEPS:
        tried = Calibration(BLEND, SHARE, shift=float(np.round(start - step, 3)))
        figures = scores(heard, tried, TAU_N, tau_s)
        if metrics.mean(figures, "keep") <= most_kept:
            tisl = float(np.nan_to_num(metrics.mean(figures, "tisl")))
            worth = (metrics.mean(figures, "tcnp") - 0.5 * tisl, float(step))
            if worth > best_worth:
                best, best_worth = tried, worth
    return best
