"""Train a monitor on recorded runs and say what it is worth, beside what the text alone and chance are worth.

Layer and pooling are chosen on the validation questions; the figures are of the test questions. "Before the drift"
means: steps up to which nothing in the text gives in, of runs with a push.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.monica import overlap, probes, statistics
from methods.monica.features import POOLS
from methods.monica.induction import RunSet
from methods.monica.model_interface import LanguageModel
from methods.monica.monitor import Monitor
from methods.monica.probes import Probe

SHUFFLES = 12
"""Probes trained on shuffled labels."""


@dataclass(frozen=True)
class Choice:
    """One candidate and its AUROC before the drift on the validation questions."""

    layer: int
    pool: str
    auroc: float


@dataclass(frozen=True)
class Workshop:
    """What training gave.

    Attributes:
        choices: every candidate, for the bar chart of layers.
        figures: of the test questions: "auroc_pre_drift", "auroc_text", "auroc_shuffled", "auroc_all", "ece", "layer",
            "n" (steps), "runs", "questions", "interval" and "interval_text" (95 %), "pool", "kind", "tau" (from
            validation, Youden).
        scores, labels: (n,) of the test steps before the drift, for ROC and reliability curves. text_scores: (n,).
        warnings: what a person must know.
    """

    monitor: Monitor
    choices: tuple[Choice, ...]
    figures: dict[str, Any]
    scores: np.ndarray
    text_scores: np.ndarray
    labels: np.ndarray
    warnings: tuple[str, ...]


def train(
    model: LanguageModel,
    runs: RunSet,
    context: Context,
    kind: str = "logistic",
    window: int = 2,
    pools: Sequence[str] = POOLS,
    penalty: float = 1e-2,
) -> Workshop:
    """Train one probe per layer and pooling, keep the best.

    Args:
        kind: "logistic" or "mlp". window: steps that a feature covers. penalty: of the squared weights.

    Raises:
        BadInput: too few questions, or all runs ended alike.
    """
    parts = {name: runs.split(name) for name in ("train", "validation", "test")}
    empty = [name for name, part in parts.items() if not part.pushed().runs]
    if empty:
        raise BadInput(f"No question falls into the {empty[0]} part.", "Use more questions (twenty or more).")
    candidates = [(layer, pool) for layer in runs.layers for pool in pools]
    fitted: list[tuple[float, Probe]] = []
    choices = []
    for i, (layer, pool) in enumerate(candidates):
        context.progress(i / len(candidates), f"probe of layer {layer}, {pool}")
        probe = _fit(parts["train"], layer, pool, window, model, kind, penalty, context.seed)
        scores, labels, _ = _before_drift(probe, parts["validation"])
        value = statistics.auroc(scores, labels)
        choices.append(Choice(layer, pool, value))
        fitted.append((value if np.isfinite(value) else 0.0, probe))
    best = max(fitted, key=lambda f: f[0])[1]
    shuffled = _shuffled(parts, best, window, model, kind, penalty, context)
    vectors = {v.layer: v for layer in runs.layers if (v := parts["train"].vector(layer)) is not None}
    scores, labels, groups = _before_drift(best, parts["test"])
    text_scores = _text(parts)
    figures = _figures(best, parts, scores, text_scores, labels, groups, shuffled)
    best = replace(best, model=model.name, sha256=model.sha256, vectors=vectors, scores=figures)
    return Workshop(
        Monitor(best), tuple(choices), figures, scores, text_scores, labels, _warnings(figures, bool(vectors))
    )


def _fit(
    part: RunSet, layer: int, pool: str, window: int, model: LanguageModel, kind: str, penalty: float, seed: int,
    labels: Sequence[np.ndarray] | None = None,
) -> Probe:  # fmt: skip
    features = np.concatenate(part.features(layer, pool, window))
    return probes.fit(
        features, np.concatenate(labels or part.labels()), layer=layer, pool=pool, window=window, width=model.width,
        kind=kind, penalty=penalty, seed=seed,
    )  # fmt: skip


def _before_drift(probe: Probe, part: RunSet) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, labels and questions (n,) of the steps before the drift in runs with a push."""
    part = part.pushed()
    keep = [run.before_drift for run in part.runs]
    features = [f[k] for f, k in zip(part.features(probe.layer, probe.pool, probe.window), keep, strict=True)]
    labels = [y[k] for y, k in zip(part.labels(), keep, strict=True)]
    groups = [r.question.id for r, k in zip(part.runs, keep, strict=True) for _ in range(int(k.sum()))]
    return probe.probabilities_of(np.concatenate(features)), np.concatenate(labels), np.array(groups)


def _text(parts: dict[str, RunSet]) -> np.ndarray:
    """What the text baseline, trained on the same runs, says of the same test steps."""
    learn, test = parts["train"], parts["test"].pushed()
    every = [np.ones(len(run.states), bool) for run in learn.runs]
    baseline = overlap.fit([(r.texts, r.cue) for r in learn.runs], learn.labels(), every)
    return np.concatenate([baseline.scores(r.texts, r.cue)[r.before_drift] for r in test.runs])


def _shuffled(
    parts: dict[str, RunSet],
    best: Probe,
    window: int,
    model: LanguageModel,
    kind: str,
    penalty: float,
    context: Context,
) -> float:
    """Mean AUROC of probes trained on labels dealt out anew among the runs: near 0.5 unless something leaks.

    A mean, because one such probe may by chance point along the true direction or against it.
    """
    part = parts["train"]
    rng = np.random.default_rng(context.seed)
    areas = []
    for _ in range(SHUFFLES):
        context.check()
        ends = rng.permutation([float(run.followed) for run in part.runs])
        labels = [np.full(len(run.states), end) for run, end in zip(part.runs, ends, strict=True)]
        probe = _fit(part, best.layer, best.pool, window, model, kind, penalty, context.seed, labels)
        scores, true, _ = _before_drift(probe, parts["test"])
        areas.append(statistics.auroc(scores, true))
    return float(np.mean(areas))


def _figures(
    probe: Probe, parts: dict[str, RunSet], scores: np.ndarray, text: np.ndarray, labels: np.ndarray,
    groups: np.ndarray, shuffled: float,
) -> dict[str, Any]:  # fmt: skip
    test = parts["test"].pushed()
    features = np.concatenate(test.features(probe.layer, probe.pool, probe.window))
    every = statistics.auroc(probe.probabilities_of(features), np.concatenate(test.labels()))
    valid, valid_labels, _ = _before_drift(probe, parts["validation"])
    return {
        "auroc_pre_drift": _round(statistics.auroc(scores, labels)),
        "auroc_text": _round(statistics.auroc(text, labels)),
        "auroc_shuffled": _round(shuffled),
        "auroc_all": _round(every),
        "ece": _round(statistics.ece(scores, labels)),
        "layer": probe.layer,
        "n": len(labels),
        "runs": len(test.runs),
        "questions": len({r.question.id for r in test.runs}),
        "interval": _interval(scores, labels, groups),
        "interval_text": _interval(text, labels, groups),
        "pool": probe.pool,
        "kind": probe.summary()["kind"],
        "tau": _round(statistics.youden(valid, valid_labels)),
    }


def _interval(scores: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> list[float | None]:
    low, high = statistics.interval(groups, lambda rows: statistics.auroc(scores[rows], labels[rows]))
    return [_round(low), _round(high)]


def _round(value: float) -> float | None:
    return round(float(value), 4) if np.isfinite(value) else None


def _warnings(figures: dict[str, Any], steerable: bool) -> tuple[str, ...]:
    found = []
    area, text = figures["auroc_pre_drift"], figures["auroc_text"]
    if area is None:
        found.append("The test questions all ended alike: the monitor could not be judged.")
    elif area < 0.5:
        found.append(f"The monitor points the wrong way on test questions (AUROC {area:.2f}): do not use it.")
    elif text is not None and area <= text:
        found.append(f"The text alone tells as much (AUROC {text:.2f}) as the monitor ({area:.2f}).")
    if not steerable:
        found.append("No question both gave in and held, so there is no vector to subtract.")
    return tuple(found)
