"""What the method reaches on apps it has not seen: each app is scored by a network trained on the others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from methods.core.context import Context
from methods.minim import evaluation, threshold, training
from methods.minim.calibration import Calibration
from methods.minim.evaluation import Table
from methods.minim.findings import find
from methods.minim.labelled import Labelled, Pair
from methods.minim.policy import Policy
from methods.minim.scorer import Scorer
from methods.minim.threshold import Heard
from methods.minim.training import Prepared, Schedule

MOST_WEAK = 300
"""Weakly labelled pairs of a fold that are scored where there are no hand-labelled ones."""


@dataclass(frozen=True)
class Fold:
    """Apps left out, the network trained without them, and their pairs to be scored."""

    apps: tuple[str, ...]
    scorer: Scorer
    pairs: tuple[Pair, ...]

    def hear(self) -> list[Heard]:
        """What the network says of the fold's pairs; each screen is read once."""
        pages, heard = {}, []
        for pair in self.pairs:
            observation = pair.screen.observation
            if pair.screen.id not in pages:
                findings = find(observation)
                pages[pair.screen.id] = findings, self.scorer.read(observation, findings)
            findings, page = pages[pair.screen.id]
            logit = self.scorer.logits(page, pair.task)
            heard.append(Heard(pair, findings, page.s, logit, page.counted, page.bonds))
        return heard


def folds(
    labelled: Labelled,
    prepared: Sequence[Prepared],
    count: int,
    schedule: Schedule,
    context: Context,
    graph: bool = True,
    state: Path | None = None,
) -> list[Fold]:
    """Train ``count`` networks, each without every ``count``-th app.

    Args:
        prepared: screens to train on; those of apps that ``labelled`` does not hold are in every fold.
        state: file name beside which each fold keeps its state after an epoch.
    """
    found = []
    for i in range(min(count, len(labelled.apps))):
        apps = tuple(labelled.apps[i::count])
        kept = [p for p in prepared if p.screen.app not in apps]
        resume = state and state.with_name(f"{state.name}.fold{i}")
        network = training.train(kept, schedule, context, graph, resume)
        found.append(Fold(apps, Scorer(network, threshold.TAU_N, 5.0), _pairs(labelled, apps, context.seed)))
    return found


def _pairs(labelled: Labelled, apps: Sequence[str], seed: int) -> tuple[Pair, ...]:
    """Hand-labelled pairs of the apps; where the folder has none, some weakly labelled ones."""
    if labelled.hand:
        return tuple(pair for pair in labelled.hand if pair.screen.app in apps)
    weak = [pair for pair in labelled.weak if pair.screen.app in apps]
    return tuple(random.Random(seed).sample(weak, min(MOST_WEAK, len(weak))))


def table(
    labelled: Labelled,
    found: Sequence[Fold],
    calibration: Calibration,
    policy: Policy,
    context: Context,
    graphless: Sequence[Fold] = (),
    graphless_calibration: Calibration | None = None,
) -> Table:
    """The evaluation table over the pairs of all folds, each scored by the network that has not seen its app."""
    pairs = [pair for fold in found for pair in fold.pairs]
    whole = Table(pairs)
    for i, fold in enumerate(found):
        scorer = Scorer(fold.scorer.network, policy.tau_n, policy.tau_s, calibration)
        alone = (
            Scorer(graphless[i].scorer.network, policy.tau_n, policy.tau_s, graphless_calibration)
            if graphless
            else None
        )
        part = evaluation.evaluate(labelled, fold.pairs, scorer, policy, context, alone)
        for name, rows in part.rows.items():
            whole.rows[name] += rows
            whole.leaks[name] += part.leaks[name]
    return whole


def calibrated(found: Sequence[Fold], tau_s: float) -> Calibration:
    """The calibration chosen on the pairs of all folds."""
    return threshold.choose([heard for fold in found for heard in fold.hear()], tau_s)
