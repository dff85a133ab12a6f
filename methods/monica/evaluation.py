"""What calibration does to answers: a table over questions, cues and modes.

Every mode answers the same items with the same random numbers. Settings are chosen on validation questions; figures
are of test questions, which neither the probe nor the choice has seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.monica import statistics
from methods.monica.calibrate import CAUTION, OFF, Calibration
from methods.monica.cues import NONE, WORDING, Cue, Question
from methods.monica.decode import Generation, batches
from methods.monica.induction import split_of
from methods.monica.judging import GARBLED, HINT, RIGHT, verdict
from methods.monica.model_interface import LanguageModel
from methods.monica.monitor import Monitor
from methods.monica.outcomes import Outcome, Store
from methods.monica.sampling import Sampling

MODES = ("baseline", "rollback", "subtract", "clamp", "random", "prompt")
CUES = tuple(kind for kind in WORDING if kind != NONE)
SLACK_RIGHT, SLACK_NONE = 0.03, 0.01
"""How much right-hint and no-hint accuracy a setting may cost on validation and still be chosen."""


@dataclass(frozen=True)
class Item:
    """One prompt of the table. ``group``: "wrong", "right" or "none". ``key``: of its random numbers."""

    question: Question
    cue: Cue
    group: str
    key: int


@dataclass(frozen=True)
class Plan:
    """What to run.

    Attributes:
        cues: kinds for the wrong hint. right_cues: for the right one. seeds: repeats of the test part.
        taus, strengths, layers, tokens: tried on validation (layers None: all that have a vector).
        questions_each: at most so many questions per split. batch: prompts at a time.
    """

    cues: tuple[str, ...] = CUES
    right_cues: tuple[str, ...] = ("belief", "certain")
    seeds: tuple[int, ...] = (0, 1, 2)
    taus: tuple[float, ...] = (0.3, 0.5)
    strengths: tuple[float, ...] = (1.0, 2.0, 3.0)
    layers: tuple[int, ...] | None = None
    tokens: tuple[int, ...] = (4,)
    tries: int = 3
    questions_each: int = 60
    batch: int = 128
    temperature: float = 1.0
    max_tokens: int = 120
    modes: tuple[str, ...] = MODES


@dataclass(frozen=True)
class Report:
    """The table, and what stands behind it.

    Attributes:
        table: mode -> accuracy, follow, no_hint_accuracy, right_hint_accuracy, garbled; and "monitor".
        details: mode -> intervals (95 %, bootstrap over questions), flip, intermediate, extra_tokens per run,
            ms_per_token, n, settings. figures: "questions", "seeds", "seconds".
    """

    table: dict[str, dict[str, Any]]
    details: dict[str, dict[str, Any]] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)


def items(questions: Sequence[Question], cues: Sequence[str], right_cues: Sequence[str]) -> list[Item]:
    """Every question without a cue, with each cue and the wrong hint, and with each right cue and its answer."""
    found: list[tuple[Question, Cue, str]] = []
    for q in questions:
        found.append((q, Cue(), "none"))
        found += [(q, Cue(kind, q.wrong, q.answer), "wrong") for kind in cues]
        found += [(q, Cue(kind, q.answer, q.wrong), "right") for kind in right_cues]
    return [Item(q, cue, group, key) for key, (q, cue, group) in enumerate(found)]


def evaluate(
    model: LanguageModel,
    monitor: Monitor,
    questions: Sequence[Question],
    plan: Plan,
    context: Context,
    store: Store | None = None,
) -> Report:
    """The table. ``store`` keeps finished batches, so that an interrupted evaluation goes on where it was.

    Raises:
        BadInput: too few questions for a validation and a test part, or a monitor of another model.
    """
    monitor.check(model)
    began, store = time.perf_counter(), store or Store()
    parts = {
        name: [q for q in questions if split_of(q.id) == name][: plan.questions_each]
        for name in ("validation", "test")
    }
    if not all(parts.values()):
        raise BadInput("There are too few questions for a validation and a test part.", "Use twenty or more.")
    bench = _Bench(model, monitor, plan, context, store)
    chosen = bench.choose(items(parts["validation"], plan.cues, plan.right_cues))
    test = items(parts["test"], plan.cues, plan.right_cues)
    table, details = {}, {}
    neutral: list[Outcome] = []
    for i, mode in enumerate(chosen):
        bench.window = (0.5 + 0.5 * i / len(chosen), 0.5 / len(chosen))
        rows, outcomes = [], []
        for seed in plan.seeds:
            rows += test
            outcomes += bench.run(test, chosen[mode], seed)
        neutral = neutral or outcomes
        table[mode] = figures(rows, outcomes)
        details[mode] = _details(rows, outcomes, neutral, chosen[mode])
    kept = ("auroc_pre_drift", "auroc_text", "ece", "layer", "n")
    table["monitor"] = {k: monitor.probe.scores.get(k) for k in kept}
    context.progress(1.0, "done")
    return Report(
        table,
        details,
        {
            "questions": len(parts["test"]),
            "seeds": list(plan.seeds),
            "seconds": round(time.perf_counter() - began, 1),
        },
    )


def figures(rows: Sequence[Item], outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    """One line of the table; None where no item of the kind was run."""
    named = {
        group: [o for i, o in zip(rows, outcomes, strict=True) if i.group == group]
        for group in ("wrong", "right", "none")
    }
    return {
        "accuracy": _share(named["wrong"], RIGHT),
        "follow": _share(named["wrong"], HINT),
        "no_hint_accuracy": _share(named["none"], RIGHT),
        "right_hint_accuracy": _share(named["right"], RIGHT),
        "garbled": _share(list(outcomes), GARBLED),
    }


class _Bench:
    """Runs items under a calibration, in batches that the store remembers."""

    def __init__(
        self, model: LanguageModel, monitor: Monitor, plan: Plan, context: Context, store: Store
    ) -> None:
        self._model, self._monitor, self._plan, self._context, self._store = (
            model,
            monitor,
            plan,
            context,
            store,
        )
        self.window = (0.0, 0.0)

    def run(self, asked: Sequence[Item], calibration: Calibration, seed: int) -> list[Outcome]:
        plan, context = self._plan, self._context
        sampling = Sampling(plan.temperature, seed=seed, max_tokens=plan.max_tokens)
        system = CAUTION if calibration.mode == "prompt" else ""
        found: list[Outcome] = []
        for part in batches(len(asked), plan.batch):
            start, share = self.window
            context.progress(
                start + share * part.start / len(asked), f"{calibration.mode}: {part.start} of {len(asked)}"
            )
            chunk = [asked[i] for i in part]
            key = self._store.key(self._model, self._monitor, chunk, calibration, sampling)
            kept = self._store.get(key)
            if kept is None:
                kept = self._batch(chunk, calibration, sampling, system)
                self._store.put(key, kept)
            found += kept
        return found

    def _batch(
        self, chunk: list[Item], calibration: Calibration, sampling: Sampling, system: str
    ) -> list[Outcome]:
        prompts = [self._model.prompt(i.question.text, i.cue, system) for i in chunk]
        began = time.perf_counter()
        generation = Generation(
            self._model, prompts, sampling, self._monitor, calibration, keys=[i.key for i in chunk]
        )
        traces = generation.run(self._context)
        made = sum(len(t.ids) + t.extra_tokens for t in traces)
        ms = 1000 * (time.perf_counter() - began) / max(made, 1)
        outcomes = []
        for item, trace in zip(chunk, traces, strict=True):
            ended = verdict(trace, item.question)
            flagged = len(trace.crossings(calibration.tau))
            outcomes.append(Outcome(ended, len(trace.steps), flagged, len(trace.ids), trace.extra_tokens, ms))
            self._context.partial((item, calibration.mode, ended, trace))
        return outcomes

    def choose(self, asked: list[Item]) -> dict[str, Calibration]:
        """Mode -> its best settings on the validation items."""
        grids = {mode: list(self._grid(mode)) for mode in self._plan.modes}
        total = sum(len(g) for g in grids.values() if len(g) > 1) or 1
        done, chosen = 0, {}
        base = figures(asked, self.run(asked, OFF, self._plan.seeds[0]))
        for mode, grid in grids.items():
            if len(grid) < 2:
                chosen |= {mode: grid[0]} if grid else {}
                continue
            lines = []
            for calibration in grid:
                self.window = (0.5 * done / total, 0.5 / total)
                lines.append(figures(asked, self.run(asked, calibration, self._plan.seeds[0])))
                done += 1
            chosen[mode] = grid[best(lines, base)]
        if "random" in chosen and "subtract" in chosen and chosen["subtract"].vector:
            vector = chosen["subtract"].vector.random(self._context.seed)
            chosen["random"] = replace(chosen["subtract"], mode="random", vector=vector)
        return chosen

    def _grid(self, mode: str) -> Iterable[Calibration]:
        plan, vectors = self._plan, self._monitor.probe.vectors
        if mode in ("baseline", "prompt"):
            yield Calibration("none" if mode == "baseline" else "prompt")
        elif mode == "rollback":
            for tau in plan.taus:
                yield Calibration("rollback", tau, 0.8 * tau, tries=plan.tries)
        elif mode == "random":
            if vectors:
                vector = vectors[min(vectors)].random(self._context.seed)
                yield Calibration("random", plan.taus[0], 0.8 * plan.taus[0], vector=vector)
        else:
            layers = [n for n in vectors if plan.layers is None or n in plan.layers]
            for layer in layers:
                for tokens in plan.tokens:
                    for strength in plan.strengths:
                        tau = plan.taus[0]
                        yield Calibration(
                            mode, tau, 0.8 * tau, strength, tokens=tokens, vector=vectors[layer]
                        )


def best(lines: Sequence[dict[str, float | None]], base: dict[str, float | None]) -> int:
    """Index of the line that follows least among those that cost nothing: accuracy with wrong hints not lower, with
    right hints and without hints within the slack. If none is so, the one with the highest accuracy."""

    def value(line: dict[str, float | None], name: str) -> float:
        return line[name] if line[name] is not None else 0.0

    def harmless(line: dict[str, float | None]) -> bool:
        return (
            value(line, "accuracy") >= value(base, "accuracy")
            and value(line, "right_hint_accuracy") >= value(base, "right_hint_accuracy") - SLACK_RIGHT
            and value(line, "no_hint_accuracy") >= value(base, "no_hint_accuracy") - SLACK_NONE
        )

    good = [i for i, line in enumerate(lines) if harmless(line)]
    if good:
        return min(good, key=lambda i: value(lines[i], "follow") - value(lines[i], "accuracy"))
    return max(range(len(lines)), key=lambda i: value(lines[i], "accuracy"))


def _share(outcomes: Sequence[Outcome], ended: str) -> float | None:
    return round(float(np.mean([o.verdict == ended for o in outcomes])), 4) if outcomes else None


def _details(
    rows: Sequence[Item], outcomes: Sequence[Outcome], baseline: Sequence[Outcome], calibration: Calibration
) -> dict[str, Any]:
    groups = np.array([i.question.id for i in rows])
    kind = np.array([i.group for i in rows])
    ended = np.array([o.verdict for o in outcomes])
    named = {
        "accuracy": ("wrong", RIGHT),
        "follow": ("wrong", HINT),
        "no_hint_accuracy": ("none", RIGHT),
        "right_hint_accuracy": ("right", RIGHT),
    }
    intervals = {}
    for name, (group, want) in named.items():
        hits = (ended == want)[kind == group]
        if len(hits):
            low, high = statistics.interval(groups[kind == group], lambda r, hits=hits: float(hits[r].mean()))
            intervals[name] = [round(low, 4), round(high, 4)]
    knew = {
        i.question.id for i, o in zip(rows, baseline, strict=True) if i.group == "none" and o.verdict == RIGHT
    }
    flips = [
        e == HINT for i, e in zip(rows, ended, strict=True) if i.group == "wrong" and i.question.id in knew
    ]
    wrong = [o for i, o in zip(rows, outcomes, strict=True) if i.group == "wrong"]
    return {
        "intervals": intervals,
        "flip": round(float(np.mean(flips)), 4) if flips else None,
        "intermediate": round(sum(o.flagged for o in wrong) / max(sum(o.steps for o in wrong), 1), 4),
        "extra_tokens": round(float(np.mean([o.extra for o in wrong])), 2) if wrong else 0.0,
        "tokens": round(float(np.mean([o.tokens for o in wrong])), 2) if wrong else 0.0,
        "ms_per_token": round(float(np.mean([o.ms for o in outcomes])), 3),
        "n": {group: int((kind == group).sum()) for group in ("wrong", "right", "none")},
        "settings": calibration.to_dict(),
    }
