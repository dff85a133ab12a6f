"""The work behind each declared action: thin glue to the modules that do it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.core.results import Outcome
from methods.evidence import params as p

if TYPE_CHECKING:
    from methods.evidence.localiser import Localiser
    from methods.evidence.reading.reader import Reading

LONGEST_QUESTION = 10_000


def ask(params: p.AskParams, context: Context, document: Path, tokens: Path | None = None) -> Outcome:
    """Answer a question about one page. Value: :class:`~methods.evidence.export.Asked`."""
    from methods.evidence import export

    question = _question(params.question)
    reading, points = _read(document, params, context, tokens)
    localiser = _localiser(context)
    ready = localiser.read(reading.page)
    gamma = params.gamma
    schedule = localiser.schedule.one_step() if params.one_step else None
    if params.one_step and (params.steps not in (None, 1) or gamma is not None):
        raise BadInput("One step has no course of its own.", "Leave out --steps and --gamma, or --one-step.")
    tau = None if params.tau == 1.0 else params.tau
    answer = localiser.ask(ready, question, gamma=gamma, tau=tau, steps=params.steps, schedule=schedule)
    if params.step is not None and params.step > answer.schedule.steps:
        raise BadInput(f"There is no step {params.step}.", f"Choose 0 to {answer.schedule.steps}.")
    asked = export.Asked(question, params.page, reading, ready.words, answer, points)
    if params.heatmap:
        export.save_heatmap(asked, Path(params.heatmap), params.step)
    context.progress(1.0, "done")
    return Outcome(asked, export.facts(asked), reading.warnings)


def read(params: p.ReadParams, context: Context, document: Path) -> Outcome:
    """The words of one page. Value: the reading."""
    from methods.evidence import export

    reading, _ = _read(document, params, context, None)
    context.progress(1.0, "done")
    return Outcome(reading, export.reading_facts(reading), reading.warnings)


def evaluate(params: p.EvaluateParams, context: Context, pages: Path) -> Outcome:
    """Every method on the same pages; no value."""
    from methods.evidence import evaluation as ev
    from methods.evidence import samples
    from methods.evidence.rules import RULES

    found = samples.read(pages)
    localiser = _localiser(context)
    look = functools.partial(_look, context=context) if params.ocr else (lambda sample: (sample.page, None))
    cache: dict[str, Any] = {}

    def once(sample: samples.SamplePage) -> Any:
        if sample.id not in cache:
            cache[sample.id] = look(sample)
        return cache[sample.id]

    quiet = _quiet(context)
    judged = ev.judge(found, ev.by_model(localiser), context, once)
    one = ev.judge(found, ev.by_model(localiser, localiser.schedule.one_step()), quiet, once)
    summaries = {"progressive": ev.summary(judged), "one step, same encoder": ev.summary(one)}
    for name, rule in RULES.items():
        summaries[name] = ev.summary(ev.judge(found, ev.by_rule(rule), quiet, once))
    best = summaries["progressive"]
    report = {name: best[name]["mean"] for name in ("pointing", "iou50", "anls")}  # type: ignore[index]
    return Outcome(
        judged,
        {
            **report,
            "n": best["n"],
            "auroc": best["auroc"],
            "words": "rapidocr" if params.ocr else "given",
            "methods": summaries,
            "groups": ev.groups(judged),
            "progressive_minus_one_step": {
                "all": ev.compared(judged, one),
                "small evidence or decoys": ev.compared(judged, one, only=ev.is_hard),
            },
            "table": ev.table({**summaries, **ev.groups(judged)}).splitlines(),
        },
    )


def batch(params: p.BatchParams, context: Context, document: Path, questions: Path) -> Outcome:
    """Every question on every page. Value: rows."""
    from methods.evidence.documents.document import open_document
    from methods.evidence.reading.reader import read_page

    try:
        asked = [line.strip() for line in questions.read_text("utf-8").splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise BadInput(f"{questions.name} is not text in UTF-8.", "Save it as UTF-8.") from error
    if not asked:
        raise BadInput(f"{questions.name} has no question.", "Write one question per line.")
    localiser = _localiser(context)
    opened = open_document(document, params.password, params.dpi)
    rows: list[dict[str, Any]] = []
    warnings: list[str] = []
    for number in range(len(opened)):
        context.check()
        context.progress(number / len(opened), f"page {number + 1} of {len(opened)}")
        reading = read_page(opened, number, _quiet(context), params.engine)
        warnings += [f"Page {number + 1}: {text}" for text in reading.warnings]
        ready = localiser.read(reading.page)
        for question in asked:
            answer = localiser.ask(ready, _question(question))
            box = answer.box or ("",) * 4
            rows.append(
                {
                    "page": number + 1, "question": question, "answer": answer.text, "score": round(answer.score, 6),
                    "no_evidence": answer.no_evidence, "null_mass": round(answer.null_mass, 6),
                    **dict(zip(("x0", "y0", "x1", "y1"), box, strict=True)), "source": reading.page.source,
                }
            )  # fmt: skip
    context.progress(1.0, "done")
    return Outcome(rows, {"pages": len(opened), "questions": len(asked), "rows": rows}, tuple(warnings))


def synthesize(params: p.SynthesizeParams, context: Context, out: Path) -> Outcome:
    """Write made pages: pictures and ``samples.json``. Value: the folder."""
    from methods.evidence.synthesis import writing

    found = writing.write(out, params.count, context, params.held_out, params.degraded)
    return Outcome(out, found)


def train(params: p.TrainParams, context: Context, out: Path) -> Outcome:
    """Train the localiser and write its weights. Value: the localiser."""
    from methods.evidence import fitting

    resume = Path(params.resume) if params.resume else None
    localiser, facts = fitting.fit(params.pages, params.dim, context, out, resume)
    return Outcome(localiser, facts)


def _question(text: str) -> str:
    question = " ".join(text.split())
    if not question:
        raise BadInput("The question is empty.", "Ask for something, for example: What is the total?")
    if len(question) > LONGEST_QUESTION:
        raise BadInput(
            f"The question has {len(question)} letters.", f"Ask with at most {LONGEST_QUESTION} letters."
        )
    return question


def _read(document: Path, params: Any, context: Context, tokens: Path | None) -> tuple[Reading, Any]:
    """The page's reading, and what turns its boxes into PDF points."""
    from methods.evidence.documents.document import open_document
    from methods.evidence.reading import reader, tokens_file

    opened = open_document(document, params.password, params.dpi)
    number = params.page - 1
    if tokens is not None:
        reading = tokens_file.reading(tokens, opened, number)
    else:
        reading = reader.read_page(opened, number, context, params.engine)
    return reading, functools.partial(opened.points, number)


def _look(sample: Any, context: Context) -> tuple[Any, None]:
    from methods.evidence.documents.document import open_document
    from methods.evidence.reading.reader import read_page

    return read_page(open_document(sample.picture), 0, _quiet(context), "rapidocr").page, None


def _quiet(context: Context) -> Context:
    """The same work without its progress."""
    return Context(seed=context.seed, device=context.device, token=context.token)


def _localiser(context: Context) -> Localiser:
    return _loaded(str(context.checkpoint) if context.checkpoint else "")


@functools.lru_cache(2)
def _loaded(checkpoint: str) -> Localiser:
    import torch

    from methods.evidence.localiser import Localiser

    # Two threads on a busy machine were several times slower than one.
    torch.set_num_threads(1)
    return Localiser.load(checkpoint or None)
