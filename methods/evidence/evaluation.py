"""Measure localisers on pages with known evidence, the model and the rules alike, and compare them pair by pair."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from methods.core.context import Context
from methods.evidence.metrics import Score, auroc, interval, score, union
from methods.evidence.page import Box, Page
from methods.evidence.questions import Question, TrainingPage
from methods.evidence.samples import Asked, SamplePage

if TYPE_CHECKING:
    from methods.evidence.flow import Schedule
    from methods.evidence.localiser import Localiser

SIZES = ((0.0005, "under .05 %"), (0.005, ".05 to .5 %"), (math.inf, "over .5 %"))
"""(share of the page that the evidence stays below, name)."""
DECOYS = ((1, "none"), (3, "1 or 2"), (math.inf, "3 and more"))
"""(number that the decoys stay below, name)."""
FIGURES = tuple(f.name for f in fields(Score))
ABLATIONS: dict[str, dict[str, object]] = {
    "one-step softmax": {"flow": "softmax", "steps": 1},
    "re-scored, no transport": {"flow": "rescore"},
    "fixed gamma": {"flow": "fixed", "last": 0.03},
    **{f"K = {k}": {"steps": k} for k in (1, 2, 3, 8)},
}
"""Changes to :class:`methods.evidence.network.Config` that make the baselines with the same encoder."""


@dataclass(frozen=True)
class Found:
    """What a method says: the words it looked at, their masses (N,), that of NULL, and the answer."""

    page: Page
    masses: np.ndarray
    null_mass: float
    box: Box | None
    text: str


Ask = Callable[[str], Found]
Method = Callable[[Page, np.ndarray | None], Ask]
"""Reads a page with its grey picture, or None, and gives back what answers questions about it."""


@dataclass(frozen=True)
class Judged:
    """One question with its figures.

    Attributes:
        score: None when the page does not tell.
        area: of the evidence as a share of the page.
        seconds: for the question alone, the page being read.
    """

    page: str
    asked: Asked
    score: Score | None
    null_mass: float
    area: float
    seconds: float


def by_rule(rule: Callable[[Page, str], np.ndarray]) -> Method:
    """A method of a rule without a model; it never says "no evidence"."""

    def read(page: Page, picture: np.ndarray | None) -> Ask:
        def ask(question: str) -> Found:
            scores = rule(page, question)
            if not len(scores):
                return Found(page, scores, 1.0, None, "")
            best = page.tokens[int(scores.argmax())]
            flat = np.ones_like(scores) / len(scores)
            return Found(page, scores / scores.sum() if scores.sum() > 0 else flat, 0.0, best.box, best.text)

        return ask

    return read


def by_model(localiser: Localiser, schedule: Schedule | None = None) -> Method:
    """A method of a localiser, with another schedule than its own if given."""

    def read(page: Page, picture: np.ndarray | None) -> Ask:
        ready = localiser.read(page, picture)

        def ask(question: str) -> Found:
            answer = localiser.ask(ready, question, schedule=schedule)
            return Found(ready.words.page, answer.steps[-1], answer.null_mass, answer.box, answer.text)

        return ask

    return read


def judge(
    pages: Sequence[SamplePage],
    method: Method,
    context: Context,
    look: Callable[[SamplePage], tuple[Page, np.ndarray | None]] = lambda sample: (sample.page, None),
) -> list[Judged]:
    """Ask every question of every page.

    Args:
        look: gives a page's words and its grey picture or None; the given words without the picture by default. With
            an OCR engine behind it, all is measured from the picture on.
    """
    judged = []
    for i, sample in enumerate(pages):
        context.progress(i / len(pages), f"page {i + 1} of {len(pages)}")
        ask = method(*look(sample))
        for asked in sample.questions:
            start = time.perf_counter()
            found = ask(asked.text)
            seconds = time.perf_counter() - start
            told = score(asked, found.page, found.masses, found.box, found.text) if asked.boxes else None
            judged.append(Judged(sample.id, asked, told, found.null_mass, _area(sample.page, asked), seconds))
    context.progress(1.0)
    return judged


def _area(page: Page, asked: Asked) -> float:
    """Of one evidence box where any will do, of all of them where all are needed."""
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in asked.boxes]
    if not areas:
        return 0.0
    return (sum(areas) if asked.mode == "all_of" else float(np.mean(areas))) / max(
        page.width * page.height, 1
    )


def summary(judged: Sequence[Judged]) -> dict[str, object]:
    """JSON-able: each figure as mean with its 95 % interval, "no evidence" AUROC, seconds, and n of either sort."""
    told = [j for j in judged if j.score is not None]
    report: dict[str, object] = {"n": len(told), "unanswerable": len(judged) - len(told)}
    for name in FIGURES:
        values = [v for j in told if not math.isnan(v := getattr(j.score, name))]
        low, high = interval(values)
        report[name] = {
            "mean": _number(np.mean(values) if values else math.nan),
            "low": _number(low),
            "high": _number(high),
        }
    report["auroc"] = _number(auroc([j.null_mass for j in judged], [j.score is None for j in judged]))
    report["seconds"] = _number(np.median([j.seconds for j in judged]) if judged else math.nan)
    return report


def groups(judged: Sequence[Judged]) -> dict[str, dict[str, object]]:
    """:func:`summary` of the answerable questions by size of the evidence and by number of decoys."""
    told = [j for j in judged if j.score is not None]
    found: dict[str, list[Judged]] = {}
    for j in told:
        found.setdefault(f"evidence {_class(j.area, SIZES)}", []).append(j)
        found.setdefault(f"decoys {_class(j.asked.decoys, DECOYS)}", []).append(j)
    names = [f"evidence {name}" for _, name in SIZES] + [f"decoys {name}" for _, name in DECOYS]
    return {name: summary(found[name]) for name in names if name in found}


def _class(value: float, limits: Sequence[tuple[float, str]]) -> str:
    return next(name for limit, name in limits if value < limit)


def compared(
    a: Sequence[Judged],
    b: Sequence[Judged],
    figure: str = "pointing",
    only: Callable[[Judged], bool] = lambda judged: True,
) -> dict[str, float | int | None]:
    """How much better ``a`` is than ``b`` on the same questions: mean of the differences with its paired interval.

    Args:
        a, b: of the same pages in the same order. only: which questions count, e.g. those with small evidence.
    """
    pairs = [
        (getattr(x.score, figure), getattr(y.score, figure))
        for x, y in zip(a, b, strict=True)
        if x.score is not None and y.score is not None and only(x)
    ]
    gaps = [x - y for x, y in pairs if not math.isnan(x - y)]
    low, high = interval(gaps)
    mean = float(np.mean(gaps)) if gaps else math.nan
    return {"mean": _number(mean), "low": _number(low), "high": _number(high), "n": len(gaps)}


def best_threshold(judged: Sequence[Judged]) -> float:
    """The mass on NULL from which on "no evidence" should be said: half of sensitivity plus specificity is greatest.

    0.5 when there are not both sorts of questions. Judge pages that were not trained on.
    """
    masses = np.array([j.null_mass for j in judged])
    absent = np.array([j.score is None for j in judged], bool)
    if not absent.any() or absent.all():
        return 0.5
    values = np.unique(masses)
    # Between two neighbours any value does the same; the middle is the farthest from both.
    cuts = np.concatenate([[values[0] / 2], (values[1:] + values[:-1]) / 2, [(values[-1] + 1) / 2]])
    gains = [(masses[absent] >= cut).mean() + (masses[~absent] < cut).mean() for cut in cuts]
    return float(cuts[int(np.argmax(gains))])


def is_hard(judged: Judged) -> bool:
    """Small evidence or at least one decoy: where a progressive localiser ought to help."""
    return judged.area < SIZES[0][0] or judged.asked.decoys > 0


def table(summaries: dict[str, dict[str, object]]) -> str:
    """A table for people, one line per method or group."""
    width = max([6, *(len(name) for name in summaries)])
    head = ("pointing", "mass", "iou50", "iou", "distance", "anls", "exact")
    lines = [" ".join([" " * width, *(f"{h:>8}" for h in head), f"{'auroc':>8}", f"{'n':>5}"])]
    for name, report in summaries.items():
        cells = [report[h]["mean"] for h in head] + [report["auroc"]]
        lines.append(" ".join([f"{name:<{width}}", *(_cell(c) for c in cells), f"{report['n']:>5}"]))
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    return f"{'-':>8}" if value is None else f"{value:8.3f}"


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return None if math.isnan(value) else round(float(value), 6)


def as_samples(pages: Iterable[TrainingPage]) -> list[SamplePage]:
    """Pages with known tokens of evidence, to be measured like pages with known boxes."""
    return [
        SamplePage(
            f"{page.template}_{i}",
            Path(),
            page.template,
            page.page,
            tuple(_asked(page.page, q) for q in page.questions),
        )
        for i, page in enumerate(pages)
    ]


def _asked(page: Page, question: Question) -> Asked:
    runs: list[list[Box]] = []
    for previous, i in zip([-2, *question.evidence], question.evidence, strict=False):
        if i != previous + 1 or _spells(page, previous, question):
            runs.append([])
        runs[-1].append(page.tokens[i].box)
    boxes = tuple(union(run) for run in runs) if question.answerable else ()
    mode = "any_of" if len(boxes) > 1 else "single"
    return Asked(question.text, question.answer, boxes, mode, question.kind, question.decoys)


def _spells(page: Page, token: int, question: Question) -> bool:
    """Whether a token alone is the whole answer, so that the next one is the same value again."""
    return page.tokens[token].text.casefold() == question.answer.casefold()
