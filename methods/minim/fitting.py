"""The whole of training: read, split by app, train, choose the threshold on apps left out, write the weights."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.core.results import Outcome
from methods.minim import evaluation, metrics, training
from methods.minim.labelled import Labelled, Pair, read
from methods.minim.network import Network
from methods.minim.params import TrainParams
from methods.minim.policy import Policy
from methods.minim.scorer import Scorer

TAU_N = 1.0
"""The paper's threshold, for weights without any app left out."""
CANDIDATES = tuple(np.round(np.arange(0.1, 4.01, 0.1), 2).tolist())
"""Thresholds that are tried. The paper's own lies at 1."""
MOST_WEAK = 400
"""Weakly labelled pairs that the threshold is chosen on where there are no hand-labelled ones."""


def fit(params: TrainParams, context: Context, out: Path, data: Path, extra: Path | None) -> Outcome:
    """Train and write the weights to ``out``. Value: the network; facts: split, threshold, figures.

    Raises:
        BadInput: no weakly labelled pairs, or no such app.
    """
    labelled = read(data)
    held = held_out(params.held_out, labelled.apps, context.seed)
    pairs = [pair for pair in labelled.weak if pair.screen.app not in held]
    if extra is not None:
        pairs += read(extra).weak
    if not pairs:
        raise BadInput(
            f"{data} has no tasks to train on.", "Give a folder with tasks.jsonl, or hold out less."
        )
    resume = Path(params.resume) if params.resume else None
    schedule = training.Schedule(epochs=params.epochs)
    network = training.train(training.prepare(pairs, context), schedule, context, params.graph, resume)
    validation = validation_pairs(labelled, held, context.seed)
    tau_n, scores = TAU_N if params.tau_n is None else params.tau_n, {}
    if validation:
        if params.tau_n is None:
            tau_n = choose_tau_n(network, validation, params.tau_s, context)
        scores = figures(labelled, validation, Scorer(network, tau_n, params.tau_s), context)
    apps = sorted({pair.screen.app for pair in pairs})
    about = {
        "apps": apps, "held_out": sorted(held), "pairs": len(pairs), "epochs": params.epochs, "seed": context.seed,
        "graph": params.graph,
    }  # fmt: skip
    training.save(out, network, tau_n, params.tau_s, about, scores)
    context.progress(1.0, "done")
    warnings = (
        () if validation else ("No app was left out: the threshold was not chosen and nothing measured.",)
    )
    return Outcome(network, {**about, "tau_n": tau_n, "tau_s": params.tau_s, "scores": scores}, warnings)


def held_out(named: Sequence[str], apps: Sequence[str], seed: int) -> set[str]:
    """The apps to leave out: those named, nothing for ``none``, else a fifth of them drawn with the seed."""
    if list(named) == ["none"]:
        return set()
    if unknown := sorted(set(named) - set(apps)):
        raise BadInput(f'There is no app "{unknown[0]}" in the data.', f"There are {', '.join(apps)}.")
    if named:
        return set(named)
    return set(random.Random(seed).sample(list(apps), round(len(apps) / 5) or int(len(apps) > 1)))


def validation_pairs(labelled: Labelled, held: set[str], seed: int) -> list[Pair]:
    """Hand-labelled pairs of the apps left out; where there are none, some weakly labelled ones."""
    hand = [pair for pair in labelled.hand if pair.screen.app in held]
    weak = [pair for pair in labelled.weak if pair.screen.app in held]
    return hand or random.Random(seed).sample(weak, min(MOST_WEAK, len(weak)))


def choose_tau_n(network: Network, pairs: Sequence[Pair], tau_s: float, context: Context) -> float:
    """argmax of TCNP - 0.5 TISL over :data:`CANDIDATES` (MINIM, section 3.3); of equals the highest."""
    scored: dict[float, list[metrics.PairScore]] = {tau: [] for tau in CANDIDATES}
    for pair, s, n in scores_of(Scorer(network, TAU_N, tau_s), pairs, context):
        for tau, rows in scored.items():
            rows.append(metrics.score_pair(pair, np.where(n < tau, 2, np.where(s >= tau_s, 1, 0))))
    return max(scored, key=lambda tau: (_worth(scored[tau]), tau))


def _worth(scores: Sequence[metrics.PairScore]) -> float:
    return metrics.mean(scores, "tcnp") - 0.5 * float(np.nan_to_num(metrics.mean(scores, "tisl")))


def scores_of(
    scorer: Scorer, pairs: Sequence[Pair], context: Context
) -> list[tuple[Pair, np.ndarray, np.ndarray]]:
    """s and n of every pair; each screen is read once."""
    from methods.minim.findings import find

    pages, found = {}, []
    for i, pair in enumerate(pairs):
        context.check()
        context.progress(i / len(pairs), "choosing the threshold")
        if pair.screen.id not in pages:
            pages[pair.screen.id] = scorer.read(pair.screen.observation, find(pair.screen.observation))
        page = pages[pair.screen.id]
        found.append((pair, page.s, scorer.necessity(page, pair.task)))
    return found


def figures(labelled: Labelled, pairs: Sequence[Pair], scorer: Scorer, context: Context) -> dict:
    """The figures of the policy on the apps left out, with their intervals, for the header of the weights."""
    policy = Policy(scorer.tau_n, scorer.tau_s)
    table = evaluation.evaluate(labelled, pairs, scorer, policy, context)
    return table.to_dict()["minim"] | {"labels": "hand" if pairs[0].hand else "weak"}
