"""The whole of training: cross-validate over apps, choose the calibration there, then train on every app."""

from __future__ import annotations

from pathlib import Path

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.core.results import Outcome
from methods.minim import cross_validation, training
from methods.minim.calibration import Calibration
from methods.minim.labelled import read
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
    calibration, scores = Calibration(), {}
    count = min(params.folds, len(labelled.apps)) if len(labelled.apps) > 1 else 0
    if count:
        folds = cross_validation.folds(labelled, prepared, count, schedule, context, params.graph, state)
        calibration = cross_validation.calibrated(folds, params.tau_s)
        table = cross_validation.table(labelled, folds, calibration, Policy(TAU_N, params.tau_s), context)
        scores = table.to_dict() | {"labels": "hand" if labelled.hand else "weak"}
    network = training.train(prepared, schedule, context, params.graph, state)
    about = {
        "apps": sorted({pair.screen.app for pair in pairs}), "pairs": len(pairs), "epochs": params.epochs,
        "seed": context.seed, "graph": params.graph, "folds": count,
    }  # fmt: skip
    kept = scores.get("minim", {})
    training.save(out, network, TAU_N, params.tau_s, about, kept, calibration)
    context.progress(1.0, "done")
    warnings = () if count else ("No app was left out: the calibration was not chosen and nothing measured.",)
    facts = {**about, "tau_n": TAU_N, "tau_s": params.tau_s, "calibration": calibration.to_dict()}
    return Outcome(network, {**facts, "scores": scores}, warnings)
