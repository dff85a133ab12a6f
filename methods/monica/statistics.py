"""Figures with their uncertainty: ROC, calibration error, bootstrap over questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.stats import rankdata


def auroc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Chance that a positive scores above a negative, ties counting half; NaN if one kind is missing."""
    positive = labels > 0.5
    p, n = int(positive.sum()), int((~positive).sum())
    if not p or not n:
        return float("nan")
    return float((rankdata(scores)[positive].sum() - p * (p + 1) / 2) / (p * n))


def roc(scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """False and true positive rates, and their thresholds from high to low; starts at (0, 0)."""
    order = np.argsort(-scores, kind="stable")
    s, y = scores[order], labels[order] > 0.5
    edge = np.r_[np.diff(s) != 0, True] if len(s) else np.zeros(0, bool)
    true, false = np.cumsum(y)[edge], np.cumsum(~y)[edge]
    rates = [np.r_[0.0, c / max(c[-1] if len(c) else 0, 1)] for c in (false, true)]
    return rates[0], rates[1], np.r_[np.inf, s[edge]]


def reliability(
    scores: np.ndarray, labels: np.ndarray, bins: int = 10
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per bin of equal width over [0, 1]: mean score, share of positives (both NaN if empty), count."""
    place = np.clip((scores * bins).astype(int), 0, bins - 1)
    count = np.bincount(place, minlength=bins)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(place, scores, bins) / np.where(count, count, np.nan)
        share = np.bincount(place, labels, bins) / np.where(count, count, np.nan)
    return mean, share, count


def ece(scores: np.ndarray, labels: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error in [0, 1]: mean gap between score and share of positives, weighted by count.

    Source: Naeini, Cooper, Hauskrecht: Obtaining well calibrated probabilities using Bayesian binning, AAAI 2015.
    """
    if not len(scores):
        return float("nan")
    mean, share, count = reliability(scores, labels, bins)
    return float(np.nansum(np.abs(mean - share) * count) / count.sum())


def youden(scores: np.ndarray, labels: np.ndarray) -> float:
    """The threshold with the largest true minus false positive rate."""
    false, true, at = roc(scores, labels)
    best = int(np.argmax(true - false))
    return float(np.clip(at[best], 0.0, 1.0)) if np.isfinite(at[best]) else 1.0


def interval(
    groups: Sequence[str], figure: Callable[[np.ndarray], float], rounds: int = 200, seed: int = 0
) -> tuple[float, float]:
    """95 % bootstrap interval of ``figure(rows)``, drawing whole groups (questions) with replacement."""
    rng = np.random.default_rng(seed)
    names, place = np.unique(np.asarray(groups), return_inverse=True)
    members = [np.flatnonzero(place == g) for g in range(len(names))]
    values = []
    for _ in range(rounds):
        value = figure(np.concatenate([members[g] for g in rng.integers(0, len(names), len(names))]))
        if np.isfinite(value):
            values.append(value)
    if not values:
        return float("nan"), float("nan")
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)
