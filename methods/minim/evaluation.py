"""The table of policies on labelled pairs: ours beside the baselines, every figure with its interval.

**Span leaks** of a policy: for each pair, the labelled private texts of its screen (planted ones included) with
s >= 7 or of a type that never leaves, that still stand in what is released in any form the leak check knows (other
case, digits alone, URL-encoded, spaced, split over neighbours), although no element that is labelled with them was
kept. Of a type that never leaves (:data:`FLOOR`) a text counts also where the policy itself kept it. What is
released is the minimised file for our policy; for baselines, which write no file, the texts of the elements kept.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from methods.core.context import Context
from methods.minim import baselines, metrics
from methods.minim.findings import TYPES, Finding, find
from methods.minim.labelled import Labelled, LabelledScreen, Pair
from methods.minim.leakcheck import check
from methods.minim.metrics import PairScore, score_pair
from methods.minim.operators import Pseudonyms
from methods.minim.policy import KEEP, Policy, decide
from methods.minim.redact import Redaction, redact
from methods.minim.scorer import Page, Scorer

FIGURES = ("tcnp", "tcnp_i", "tisl", "keep")
PLANTED_S = 7.0
"""Sensitivity from which a labelled text counts as a secret that must not survive."""
FLOOR = frozenset("password otp card_number secret_token".split())
"""Types of the labels that never leave as they are."""


@dataclass
class Table:
    """Scores and span leaks by policy, in the order of the pairs."""

    pairs: Sequence[Pair]
    rows: dict[str, list[PairScore]] = field(default_factory=lambda: defaultdict(list))
    leaks: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def to_dict(self) -> dict[str, Any]:
        """For each policy the figures, their 95 % intervals and the same per kind of task, JSON-able.

        ``span_leaks`` is a sum over the pairs, ``tokens`` are means before and after; a figure that no pair
        defines is None.
        """
        return {name: self._entry(name) for name in self.rows}

    def _entry(self, name: str) -> dict[str, Any]:
        scores = self.rows[name]
        tokens = np.array([score.tokens for score in scores]).mean(0)
        return {
            **_means(scores),
            "span_leaks": sum(self.leaks[name]),
            "n": len(scores),
            "tokens_before": float(tokens[0]),
            "tokens_after": float(tokens[1]),
            "intervals": {f: [_number(v) for v in metrics.interval(scores, f)] for f in FIGURES},
            "by_kind": self.by_kind(name),
        }

    def by_kind(self, name: str) -> dict[str, dict[str, Any]]:
        """The figures of one policy per kind of task."""
        groups = defaultdict(list)
        for pair, score in zip(self.pairs, self.rows[name], strict=True):
            groups[pair.kind].append(score)
        return {kind: _means(scores) | {"n": len(scores)} for kind, scores in groups.items()}


def _means(scores: Sequence[PairScore]) -> dict[str, float | None]:
    return {f: _number(metrics.mean(scores, f)) for f in FIGURES}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


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
        context.check()
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
        decisions = decide(observation, page.s, n, found, policy)
        codes = {
            "minim": decisions.codes,
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
            released = (
                None if name != "minim" else redact(observation, decisions, found, policy, Pseudonyms())
            )
            table.leaks[name].append(span_leaks(pair, decision, released))
    return table


def _planted(screen: LabelledScreen) -> Iterator[tuple[None, str, str, float]]:
    """Texts that were put into the page and may stand in its file alone, outside the tree."""
    for item in json.loads(screen.observation.source).get("injected", ()):
        for planted in item["texts"]:
            yield None, planted["text"], planted["type"], float(planted["s"])


def span_leaks(pair: Pair, codes: np.ndarray, released: Redaction | None = None) -> int:
    """How many labelled private texts of a screen leak, as this module defines it.

    Args:
        codes: (N,) the decisions.
        released: the minimised file; None: the texts of the elements kept.
    """
    elements = pair.screen.observation.elements
    holders: dict[str, set[int]] = defaultdict(set)
    floor = set()
    for uid, text, kind, s in (*pair.screen.secrets, *_planted(pair.screen)):
        if (s >= PLANTED_S or kind in FLOOR) and any(c.isalnum() for c in text):
            holders[text] |= {uid} if uid is not None else set()
            floor |= {text} if kind in FLOOR else set()
    wanted = [t for t, uids in holders.items() if t in floor or not any(codes[u] == KEEP for u in uids)]
    if released is None:
        texts = "\n".join(
            t.text for e in elements if codes[e.uid] == KEEP for t in e.texts if t.field != "copy"
        )
        outputs, released = {"texts": texts}, Redaction("", {}, frozenset(range(len(elements))), ())
    else:
        outputs = {}

    def survive(originals: Sequence[str]) -> bool:
        report = check(pair.screen.observation, replace(released, originals=tuple(originals)), outputs)
        return not report.ok

    return sum(survive([text]) for text in wanted) if wanted and survive(wanted) else 0
