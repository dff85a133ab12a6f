"""The work behind each declared action: thin glue between the declaration and the modules that do it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from methods.core.context import Context
from methods.core.errors import BadInput, WorkFailed
from methods.core.results import Outcome
from methods.minim import batch as batches
from methods.minim import export, pipeline
from methods.minim import params as p
from methods.minim.export import Export
from methods.minim.format_titles import TITLES
from methods.minim.observation import Observation
from methods.minim.operators import Pseudonyms
from methods.minim.pipeline import Page, Scored
from methods.minim.policy import NAMES, Policy

if TYPE_CHECKING:
    from methods.minim.scorer import Scorer

NO_TASK = "No task was given: nothing counts as needed."
GRAPHLESS = "minim-graphless.safetensors"
"""Shipped weights of the same network without the graph, a baseline; used where they are there."""


def minimize(
    params: p.MinimizeParams, context: Context, observation: Observation, screenshot: Path | None = None
) -> Outcome:
    """What leaves of an observation. Value: :class:`~methods.minim.export.Export`, not yet written."""
    page, scored, policy = _scored(params, context, observation, params.operators)
    decisions = pipeline.decide(scored, policy)
    outgoing = pipeline.outgoing(page, policy, decisions, Pseudonyms())
    context.progress(0.7, "checking")
    made = export.prepare(
        observation, decisions, outgoing.redaction, policy, screenshot=screenshot,
        weights_sha256=pipeline.weights_sha256(context.checkpoint), accept_doubts=params.accept_doubts,
        blur=params.blur,
    )  # fmt: skip
    report, picture = made.report, made.manifest.picture
    facts: dict[str, Any] = {
        "decisions": made.manifest.decisions,
        "tokens": made.manifest.tokens,
        "leak_check": report.ok,
        "id_check": report.ids_ok,
        "leaks": [
            {"text": leak.text_masked, "where": leak.where, "form": leak.form} for leak in report.leaks
        ],
        "changed_ids": list(report.changed_ids),
        "dropped": made.manifest.dropped,
        "elements": len(observation.elements),
        "format": observation.format,
    }
    warnings = list(_warnings(page, params.task))
    if picture is not None:
        facts["screenshot"] = picture | {"doubts": list(picture["doubts"])}
        if not picture["written"]:
            warnings.append(
                "screenshot.png is not written, its boxes may not match the picture: "
                f"{' '.join(picture['doubts'])} --accept-doubts writes it all the same."
            )
        elif picture["blur"]:
            warnings.append("The picture is blurred: that is not safe, blurred text can often be read again.")
    context.progress(1.0, "done")
    return Outcome(made, facts, tuple(warnings), failed=_refusal(made))


def save_export(made: Export, folder: Path) -> None:
    """Write what :func:`minimize` made."""
    made.write(folder)


def score(params: p.ScoreParams, context: Context, observation: Observation) -> Outcome:
    """s, n and the decision of every element; no value. ``id`` is the element's own id, null where it has none."""
    page, scored, policy = _scored(params, context, observation)
    decisions = pipeline.decide(scored, policy)
    elements = [
        {
            "id": e.native_id or None,
            "index": e.uid,
            "role": e.role,
            "type": page.types[e.uid] or None,
            "s": round(float(scored.s[e.uid]), 3),
            "n": round(float(scored.n[e.uid]), 3),
            "decision": NAMES[decisions.codes[e.uid]],
            "by": decisions.by[e.uid],
            "why": decisions.why[e.uid],
        }
        for e in observation.elements
    ]
    facts = {
        "elements": elements,
        "decisions": decisions.counts(),
        "tau_n": policy.tau_n,
        "tau_s": policy.tau_s,
    }
    return Outcome(None, facts, _warnings(page, params.task))


def evaluate(
    params: p.EvaluateParams, context: Context, labelled: Path, graphless: Path | None = None
) -> Outcome:
    """Figures of the policy and of its baselines on the hand-labelled pairs of a folder; no value."""
    from methods.minim import evaluation
    from methods.minim.labelled import read
    from methods.minim.scorer import SHIPPED

    scorer = pipeline.scorer(context.checkpoint)
    data = read(labelled, weak=False)
    if not data.hand:
        raise BadInput(f"{labelled} has no hand-labelled pairs.", "Give a folder with gold.jsonl.")
    beside = SHIPPED.with_name(GRAPHLESS)
    graphless = graphless or (beside if beside.is_file() else None)
    other = pipeline.scorer(graphless) if graphless else None
    table = evaluation.evaluate(data, data.hand, scorer, _policy(params, scorer), context, other)
    context.progress(1.0, "done")
    used = Path(context.checkpoint) if context.checkpoint else SHIPPED
    return Outcome(None, table.to_dict(), _seen(used, {pair.screen.app for pair in data.hand}))


def batch(params: p.BatchParams, context: Context, out: Path, folder: Path) -> Outcome:
    """Minimise every observation of a folder into ``out``, one after the other. Value: the rows of the report."""
    files = batches.steps_in(folder)
    scorer = pipeline.scorer(context.checkpoint)
    policy = _policy(params, scorer, params.operators)
    settings = batches.Settings(
        params.task, policy, params.secret, pipeline.weights_sha256(context.checkpoint)
    )
    rows = batches.run(files, out, settings, scorer, context)
    context.progress(1.0, "done")
    count = {state: sum(row["state"] == state for row in rows) for state in ("written", "refused", "failed")}
    warnings = [f"{row['file']} was not written: {row['error']}" for row in rows if row["state"] != "written"]
    if not params.task.strip():
        warnings.append(NO_TASK)
    warnings += pipeline.short_secrets(params.secret)
    shown = [{name: value for name, value in row.items() if name != "key"} for row in rows]
    failed = ""
    if count["refused"]:
        failed = f"{count['refused']} of {len(rows)} steps failed the leak or id check and were not written."
    elif not count["written"]:
        failed = "None of the files could be minimised."
    return Outcome(rows, {"files": len(rows), **count, "steps": shown}, tuple(warnings), failed)


def train(
    params: p.TrainParams, context: Context, out: Path, data: Path, extra: Path | None = None
) -> Outcome:
    """Train on the weak labels of a folder and write the weights. Value: the network."""
    from methods.minim.fitting import fit

    return fit(params, context, out, data, extra)


def list_formats(params: Any, context: Context) -> Outcome:
    """The file formats that are read and, in place, written; no value."""
    rows = [
        {"id": id, "title": title, "files": files, "read": True, "written": True}
        for id, (title, files) in TITLES.items()
    ]
    return Outcome(None, {"formats": rows})


def _scored(
    params: p.ScoreParams, context: Context, observation: Observation, operators: tuple[str, ...] = ()
) -> tuple[Page, Scored, Policy]:
    scorer = pipeline.scorer(context.checkpoint)
    policy = _policy(params, scorer, operators)
    context.progress(0.1, "looking for private texts")
    page = pipeline.look(observation, params.secret)
    context.progress(0.4, "scoring")
    return page, pipeline.score(page, params.task, scorer), policy


def _policy(
    params: p.ScoreParams | p.EvaluateParams, scorer: Scorer, operators: tuple[str, ...] = ()
) -> Policy:
    """The policy of the parameters; thresholds that are not given are those of the weights."""
    tau_n = scorer.tau_n if params.tau_n is None else params.tau_n
    tau_s = scorer.tau_s if params.tau_s is None else params.tau_s
    return pipeline.policy_of(tau_n, tau_s, pipeline.operators_of(operators))


def _warnings(page: Page, task: str) -> tuple[str, ...]:
    task_warning = () if task.strip() else (NO_TASK,)
    return (*page.observation.warnings, *task_warning, *pipeline.short_secrets(page.secrets))


def _refusal(made: Export) -> str:
    """Why nothing may be written; "" when both checks passed."""
    try:
        export.refuse(made.report)
    except WorkFailed as error:
        return str(error)
    return ""


def _seen(checkpoint: Path, apps: set[str]) -> tuple[str, ...]:
    """A warning where figures are of apps that the network was trained on."""
    from methods.core.checkpoints import read_header

    seen = sorted(apps & set(read_header(checkpoint).training.get("apps", ())))
    if not seen:
        return ()
    return (f"The weights were trained on {', '.join(seen)}: these figures say little about other apps.",)
