"""The whole of training: cross-validate over apps, choose the calibration there, then train on every app."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.core.results import Outcome
from methods.minim import cross_validation, training
from methods.minim.calibration import Calibration
from methods.minim.cross_validation import Fold
from methods.minim.labelled import Labelled, read
from methods.minim.params import TrainParams
from methods.minim.policy import Policy
from methods.minim.threshold import TAU_N


def fit(params: TrainParams, context: Context, out: Path, data: Path, extra: Path | None) -> Outcome:
    """Train and write the weights to ``out``. Value: the network; facts: calibration and figures of unseen apps.

    Raises:
        BadInput: no weakly labelled pairs.
    """
    labelled = read(data)
    pairs = labelled.weak + (read(extra).weak if extra is not None else [])
    if not pairs:
        raise BadInput(f"{data} has no tasks to train on.", "Give a folder with tasks.jsonl.")
    prepared = training.prepare(pairs, context)
    schedule = training.Schedule(epochs=params.epochs)
    state = Path(params.resume) if params.resume else None
    members = ("graph", "alone") if params.members == "both" else (params.members,)
    policy, calibration, scores = Policy(TAU_N, params.tau_s), Calibration(), {}
    count = min(params.folds, len(labelled.apps)) if len(labelled.apps) > 1 else 0
    if count:
        folds = cross_validation.folds(labelled, prepared, count, schedule, context, members, state)
        calibration = cross_validation.calibrated(folds, params.tau_s)
        scores = cross_validation.table(labelled, folds, calibration, policy, context).to_dict()
        if len(members) > 1:
            scores |= {
                member: _alone(labelled, folds, i, policy, context) for i, member in enumerate(members)
            }
    networks = training.train_members(prepared, schedule, context, members, state)
    about = {
        "apps": sorted({pair.screen.app for pair in pairs}), "pairs": len(pairs), "epochs": params.epochs,
        "seed": context.seed, "members": list(members), "folds": count,
        "labels": "hand" if labelled.hand else "weak",
    }  # fmt: skip
    network = cross_validation.committee(networks)
    training.save(out, network, TAU_N, params.tau_s, about, scores.get("minim", {}), calibration)
    context.progress(1.0, "done")
    warnings = () if count else ("No app was left out: the calibration was not chosen and nothing measured.",)
    facts = {**about, "tau_n": TAU_N, "tau_s": params.tau_s, "calibration": calibration.to_dict()}
    return Outcome(network, {**facts, "scores": scores}, warnings)


def _alone(
    labelled: Labelled, folds: Sequence[Fold], member: int, policy: Policy, context: Context
) -> dict[str, Any]:
    """The figures of one member by itself, under a calibration of its own."""
    own = [fold.of(member) for fold in folds]
    calibration = cross_validation.calibrated(own, policy.tau_s)
    return cross_validation.table(labelled, own, calibration, policy, context).to_dict()["minim"]
