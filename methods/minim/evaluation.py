"""The table of policies on labelled pairs: ours beside the baselines, every figure with its interval."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from methods.core.context import Context
from methods.minim import baselines, metrics
from methods.minim.findings import TYPES, Finding, find
from methods.minim.labelled import Labelled, Pair
from methods.minim.metrics import PairScore, score_pair
from methods.minim.policy import Policy, decide
from methods.minim.scorer import Page, Scorer

FIGURES = ("tcnp", "tcnp_i", "tisl", "keep")


@dataclass
class Table:
    """Scores by policy, in the order of the pairs."""

    pairs: Sequence[Pair]
    rows: dict[str, list[PairScore]] = field(default_factory=lambda: defaultdict(list))

    def to_dict(self) -> dict[str, Any]:
        """For each policy the mean figures, their 95 % intervals and the number of pairs."""
        return {
            name: {f: metrics.mean(scores, f) for f in FIGURES}
            | {"intervals": {f: metrics.interval(scores, f) for f in FIGURES}, "n": len(scores)}
            for name, scores in self.rows.items()
        }

    def by_kind(self, name: str) -> dict[str, dict[str, float]]:
        """The figures of one policy per kind of task."""
        groups = defaultdict(list)
        for pair, score in zip(self.pairs, self.rows[name], strict=True):
            groups[pair.kind].append(score)
        return {kind: {f: metrics.mean(scores, f) for f in FIGURES} for kind, scores in groups.items()}


def evaluate(
    labelled: Labelled,
    pairs: Sequence[Pair],
    scorer: Scorer,
    policy: Policy,
    context: Context,
    without_graph: Scorer | None = None,
) -> Table:
    """Score ``pairs`` under our policy and under every baseline."""
    table = Table(pairs)
    weigh = baselines.rarity(labelled.screens.values())
    pages: dict[str, tuple[tuple[Finding, ...], Page, Page | None]] = {}
    for i, pair in enumerate(pairs):
        context.progress(i / len(pairs), "scoring pairs")
        observation = pair.screen.observation
        if pair.screen.id not in pages:
            found = find(observation)
            alone = without_graph.read(observation, found) if without_graph else None
            pages[pair.screen.id] = found, scorer.read(observation, found), alone
        found, page, alone = pages[pair.screen.id]
        n = scorer.necessity(page, pair.task)
        private = np.zeros(len(n), bool)
        private[[f.uid for f in found if TYPES[f.type].s >= policy.tau_s]] = True
        codes = {
            "minim": decide(observation, page.s, n, found, policy).codes,
            "full": baselines.full(pair),
            "random20": baselines.chance(pair, i),
            "lexical20": baselines.lexical(pair, weigh),
            "lexical_rules": baselines.lexical_rules(pair, weigh, private),
            "necessity_only": baselines.necessity_only(pair, n),
            "sensitivity_only": baselines.sensitivity_only(pair, page.s),
        }
        if without_graph and alone:
            codes["no_graph"] = decide(
                observation, alone.s, without_graph.necessity(alone, pair.task), found, policy
            ).codes
        for name, decision in codes.items():
            table.rows[name].append(score_pair(pair, decision))
    return table
