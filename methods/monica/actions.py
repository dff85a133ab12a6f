"""The work behind each declared action of the drift monitor: thin glue to the modules that do it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from methods.core.context import Context
from methods.core.declaration import ASSETS
from methods.core.errors import BadInput
from methods.core.results import Outcome
from methods.monica import params as p
from methods.monica.cues import Cue, Question

if TYPE_CHECKING:
    from methods.monica.calibrate import Calibration
    from methods.monica.model_interface import LanguageModel
    from methods.monica.monitor import Monitor

TOY_PROBE = ASSETS / "checkpoints" / "monica-toy-probe.safetensors"
TOY_TRAINING, TOY_TEST = 1, 2
"""Seeds of the built-in questions: the monitor is trained on the one, evaluated on the other."""
NO_CUE = "A hint without a cue is not said: choose a cue."


def generate(params: p.GenerateParams, context: Context, probe: Path | None = None) -> Outcome:
    """One run, step by step with its drift scores. Value: the :class:`~methods.monica.trace.Trace`."""
    from methods.monica.decode import Generation
    from methods.monica.sampling import Sampling

    model = _model(params.model, context)
    monitor = _monitor(params.model, model, probe)
    calibration = _calibration(params, monitor)
    cue = Cue(params.cue, params.hint if params.cue != "none" else "")
    system = params.system
    if params.calibrate == "prompt":
        from methods.monica.calibrate import CAUTION

        system = f"{system} {CAUTION}".strip()
    sampling = Sampling(params.temperature, params.top_p, context.seed, params.max_tokens)
    run = Generation(model, [model.prompt(params.question, cue, system)], sampling, monitor, calibration)
    (trace,) = run.run(context)
    context.progress(1.0, "done")
    steps = [
        {
            "index": s.index,
            "text": s.text.strip("\n"),
            "score": s.score,
            "ema": s.ema,
            "strength": s.strength,
            "tokens": len(s.tokens),
            "ms": round(s.ms, 2),
            "intervention": s.interventions[-1].action if s.interventions else None,
            "interventions": [vars(i) for i in s.interventions],
        }
        for s in trace.steps
    ]
    facts = {
        "answer": trace.text.strip().splitlines()[-1] if trace.text.strip() else "",
        "text": trace.text,
        "prompt": trace.prompt,
        "finish": trace.finish,
        "steps": steps,
        "crossings": trace.crossings(params.tau),
        "tokens": len(trace.ids),
        "extra_tokens": trace.extra_tokens,
    }
    warnings = (NO_CUE,) if params.hint.strip() and params.cue == "none" else ()
    if monitor is None:
        warnings += ("There is no monitor for this model: steps have no score.",)
    return Outcome(trace, facts, warnings)


def train_monitor(
    params: p.TrainMonitorParams, context: Context, out: Path, questions: Path | None = None
) -> Outcome:
    """Run the questions with and without a push, train a probe on the steps, write it. Value: the workshop."""
    from methods.monica import monitor_training, probes
    from methods.monica.induction import induce
    from methods.monica.sampling import Sampling

    model = _model(params.model, context)
    asked, warnings = _questions(params.model, questions, TOY_TRAINING, params.questions_most)
    sampling = Sampling(seed=context.seed, max_tokens=params.max_tokens)
    runs = induce(model, asked, context, sampling=sampling, batch=params.batch)
    made = monitor_training.train(model, runs, context, params.kind, params.window)
    probes.save(out, made.monitor.probe)
    context.progress(1.0, "done")
    layers = [{"layer": c.layer, "pool": c.pool, "auroc": c.auroc} for c in made.choices]
    return Outcome(made, {**made.figures, "choices": layers}, warnings + made.warnings)


def evaluate(
    params: p.EvaluateParams, context: Context, probe: Path | None = None, questions: Path | None = None
) -> Outcome:
    """Accuracy, hint-following and costs of every calibrator. Value: the report."""
    from methods.monica import evaluation
    from methods.monica.outcomes import Store

    model = _model(params.model, context)
    monitor = _monitor(params.model, model, probe)
    if monitor is None:
        raise BadInput(
            f"There is no monitor for {model.name}.",
            "Train one with: studiolo monica train-monitor, give it as --probe.",
        )
    asked, warnings = _questions(params.model, questions, TOY_TEST, 10 * params.questions_each)
    plan = evaluation.Plan(
        seeds=tuple(range(context.seed, context.seed + params.seeds)),
        questions_each=params.questions_each,
        batch=params.batch,
        max_tokens=params.max_tokens,
    )
    store = Store(Path(params.resume)) if params.resume else None
    report = evaluation.evaluate(model, monitor, asked, plan, context, store)
    return Outcome(report, {**report.table, "details": report.details, "run": report.figures}, warnings)


def train_toy(params: p.TrainToyParams, context: Context, out: Path) -> Outcome:
    """Train the built-in reasoner and write its weights. Value: the network."""
    from methods.monica.toy.training import Schedule, save, train

    state = Path(params.resume) if params.resume else None
    network, record = train(Schedule(steps=params.steps), context, resume=state)
    save(out, network, record, {})
    context.progress(1.0, "done")
    return Outcome(network, dict(record))


def list_models(params: Any, context: Context) -> Outcome:
    """The models with a name and whether they are here; no value."""
    from methods.monica.models.catalogue import models

    rows = [{"id": m.id, "title": m.title, "installed": m.installed, "remedy": m.remedy} for m in models()]
    return Outcome(None, {"models": rows})


def save_trace(trace: Any, path: Path) -> None:
    """Write a run as JSON; it opens again to the same plot."""
    from methods.core.atomic import atomic_writer

    with atomic_writer(path) as stream:
        stream.write(trace.to_json().encode())


def _model(name: str, context: Context) -> LanguageModel:
    import torch

    from methods.monica.models import catalogue

    # Two threads on a busy machine were several times slower than one.
    torch.set_num_threads(1)
    context.progress(0.0, f"loading {name}")
    return catalogue.load(name, str(context.device), progress=context.progress)


def _monitor(name: str, model: LanguageModel, probe: Path | None) -> Monitor | None:
    from methods.monica import probes
    from methods.monica.monitor import Monitor

    if probe is None and name == "toy" and TOY_PROBE.is_file():
        probe = TOY_PROBE
    if probe is None:
        return None
    monitor = Monitor(probes.load(probe))
    monitor.check(model)
    return monitor


def _calibration(params: p.GenerateParams, monitor: Monitor | None) -> Calibration:
    from methods.monica.calibrate import Calibration

    vector = None
    if params.calibrate in ("subtract", "clamp", "random") and monitor is not None:
        # The middle of the layers with a vector, which also won on the validation questions of the built-in model.
        vectors = monitor.probe.vectors
        vector = vectors[sorted(vectors)[len(vectors) // 2]] if vectors else None
    return Calibration(
        params.calibrate, params.tau, 0.8 * params.tau, params.strength, tries=params.tries, vector=vector
    )


def _questions(
    model: str, path: Path | None, seed: int, most: int
) -> tuple[Sequence[Question], tuple[str, ...]]:
    if path is not None:
        from methods.monica.questions import read

        found, warnings = read(path)
        return found[:most], warnings
    if model != "toy":
        raise BadInput(
            "This model needs a file of questions.", "Give --questions with question, answer and wrong."
        )
    from methods.monica.toy.task import questions

    return questions(most, seed), ()
