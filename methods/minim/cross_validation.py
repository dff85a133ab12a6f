"""What the method reaches on apps it has not seen: each app is scored by a network trained on the others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from methods.core.context import Context
from methods.minim import evaluation, threshold, training
from methods.minim.calibration import Calibration
from methods.minim.evaluation import Table
from methods.minim.findings import find
from methods.minim.labelled import Labelled, Pair
from methods.minim.network import Committee, Network
from methods.minim.policy import Policy
from methods.minim.scorer import Scorer
from methods.minim.threshold import Heard
from methods.minim.training import Prepared, Schedule

MOST_WEAK = 300
"""Weakly labelled pairs of a fold that are scored where there are no hand-labelled ones."""


@dataclass(frozen=True)
class Fold:
    """Apps left out, the networks trained without them, and their pairs to be scored."""

    apps: tuple[str, ...]
    members: tuple[Network, ...]
    pairs: tuple[Pair, ...]

    def of(self, *members: int) -> Fold:
        """The same with some of the networks only."""
        return replace(self, members=tuple(self.members[i] for i in members))

    def scorer(self, policy: Policy, calibration: Calibration | None = None) -> Scorer:
        return Scorer(committee(self.members), policy.tau_n, policy.tau_s, calibration)

    def hear(self) -> list[Heard]:
        """What the networks say of the fold's pairs; each screen is read once."""
        scorer, pages, heard = self.scorer(Policy()), {}, []
        for pair in self.pairs:
            observation = pair.screen.observation
            if pair.screen.id not in pages:
                findings = find(observation)
                pages[pair.screen.id] = findings, scorer.read(observation, findings)
            findings, page = pages[pair.screen.id]
            logit = scorer.logits(page, pair.task)
            heard.append(Heard(pair, findings, page.s, logit, page.counted, page.bonds))
        return heard


def committee(members: Sequence[Network]) -> Network | Committee:
    return members[0] if len(members) == 1 else Committee(members)


def folds(
    labelled: Labelled,
    prepared: Sequence[Prepared],
    count: int,
    schedule: Schedule,
    context: Context,
    members: Sequence[str] = ("graph",),
    state: Path | None = None,
) -> list[Fold]:
    """Train ``count`` times, each time without every ``count``-th app.

    Args:
        prepared: screens to train on; those of apps that ``labelled`` does not hold are in every fold.
        state: file name beside which each network keeps its state after an epoch.
    """
    found = []
    for i in range(min(count, len(labelled.apps))):
        apps = tuple(labelled.apps[i::count])
        kept = [p for p in prepared if p.screen.app not in apps]
        networks = training.train_members(kept, schedule, context, members, state, f"fold{i}")
        found.append(Fold(apps, tuple(networks), _pairs(labelled, apps, context.seed)))
    return found


def _pairs(labelled: Labelled, apps: Sequence[str], seed: int) -> tuple[Pair, ...]:
    """Hand-labelled pairs of the apps; where the folder has none, some weakly labelled ones."""
    if labelled.hand:
        return tuple(pair for pair in labelled.hand if pair.screen.app in apps)
    weak = [pair for pair in labelled.weak if pair.screen.app in apps]
    return tuple(random.Random(seed).sample(weak, min(MOST_WEAK, len(weak))))


def table(
    labelled: Labelled, found: Sequence[Fold], calibration: Calibration, policy: Policy, context: Context
) -> Table:
    """The evaluation table over the pairs of all folds, each scored by networks that have not seen its app."""
    whole = Table([pair for fold in found for pair in fold.pairs])
    for fold in found:
        scorer = fold.scorer(policy, calibration)
        part = evaluation.evaluate(labelled, fold.pairs, scorer, policy, context)
        for name, rows in part.rows.items():
            whole.rows[name] += rows
            whole.leaks[name] += part.leaks[name]
    return whole


def calibrated(found: Sequence[Fold], tau_s: float) -> Calibration:
    """The calibration chosen on the pairs of all folds."""
    return threshold.choose([heard for fold in found for heard in fold.hear()], tau_s)
