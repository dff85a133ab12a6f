"""Induction, then merge: runs of the same questions with and without a push, pooled into one set of steps.

The paper names the pipeline; the details are ours. Every question is asked neutrally and with cues that carry a wrong
answer. Runs that gave in (induced), held (resisted) or were not pushed (neutral) are pooled, and each of their steps
is labelled by how its run ended. The question is the group, so that no split shares one.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from methods.core.context import Context
from methods.monica.calibrate import Vector
from methods.monica.cues import NONE, Cue, Question
from methods.monica.decode import Generation, batches
from methods.monica.features import POOLS, windowed
from methods.monica.judging import HINT, drifted, verdict
from methods.monica.model_interface import LanguageModel
from methods.monica.sampling import Sampling
from methods.monica.trace import Trace

PUSHES = ("belief", "majority", "expert", "certain")
SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class Run:
    """One recorded run. ``states``: (S, layers, pools, D) float16, pooled per step."""

    question: Question
    cue: Cue
    trace: Trace
    verdict: str
    states: np.ndarray

    @property
    def followed(self) -> bool:
        return self.verdict == HINT and self.cue.kind != NONE

    @property
    def texts(self) -> list[str]:
        return [step.text for step in self.trace.steps]

    @property
    def before_drift(self) -> np.ndarray:
        """(S,) bool: steps up to which nothing in the text gives in yet."""
        shown = [drifted(t, self.cue, self.question.answer) for t in self.texts]
        return np.cumsum(shown) == 0


@dataclass(frozen=True)
class RunSet:
    """Recorded runs of one model for the layers ``layers``."""

    layers: tuple[int, ...]
    runs: list[Run] = field(default_factory=list)

    def split(self, name: str) -> RunSet:
        """The runs whose question falls into ``name``."""
        return RunSet(self.layers, [r for r in self.runs if split_of(r.question.id) == name])

    def features(self, layer: int, pool: str, window: int) -> list[np.ndarray]:
        """Per run (S, F) float32."""
        i, p = self.layers.index(layer), POOLS.index(pool)
        return [windowed(r.states[:, i, p].astype(np.float32), window) for r in self.runs]

    def labels(self) -> list[np.ndarray]:
        """Per run (S,): 1 in runs that ended with the hint."""
        return [np.full(len(r.states), float(r.followed)) for r in self.runs]

    def pushed(self) -> RunSet:
        """The runs with a cue."""
        return RunSet(self.layers, [r for r in self.runs if r.cue.kind != NONE])

    def vector(self, layer: int, pool: str = "mean") -> Vector | None:
        """Question-paired difference of means; None if no question both gave in and held.

        Pairing matters: unpaired means differ by topic as well.
        """
        by_question: dict[str, tuple[list, list]] = defaultdict(lambda: ([], []))
        for run, states in zip(self.runs, self.features(layer, pool, 1), strict=True):
            if run.cue.kind != NONE and len(states):
                by_question[run.question.id][run.followed].append(
                    states[:-1].mean(0) if len(states) > 1 else states[0]
                )
        pairs = [(np.mean(gave, 0), np.mean(held, 0)) for held, gave in by_question.values() if gave and held]
        if not pairs:
            return None
        gave, held = (np.mean([p[i] for p in pairs], 0) for i in (0, 1))
        direction = gave - held
        ceiling = float(held @ direction / max(np.linalg.norm(direction), 1e-8))
        return Vector(layer, torch.tensor(direction, dtype=torch.float32), ceiling)


def split_of(question: str) -> str:
    """Half of the questions train, a quarter validates, a quarter tests; decided by the question alone."""
    return SPLITS[(0, 0, 1, 2)[zlib.crc32(question.encode()) % 4]]


def induce(
    model: LanguageModel,
    questions: Sequence[Question],
    context: Context,
    cues: Sequence[str] = PUSHES,
    sampling: Sampling | None = None,
    layers: Sequence[int] | None = None,
    batch: int = 64,
    neutral: bool = True,
) -> RunSet:
    """Run every question neutrally and with each cue (wrong hint), and record the steps.

    Args:
        layers: default all. batch: prompts at a time.

    Raises:
        Cancelled, BadInput, WorkFailed.
    """
    sampling = sampling or Sampling(seed=context.seed)
    layers = tuple(range(model.layers) if layers is None else layers)
    asked = [(q, Cue()) for q in questions] if neutral else []
    asked += [(q, Cue(kind, q.wrong)) for kind in cues if kind != NONE for q in questions]
    found = RunSet(layers)
    for part in batches(len(asked), batch):
        context.progress(part.start / len(asked), f"run {part.start} of {len(asked)}")
        prompts = [model.prompt(q.text, cue) for q, cue in (asked[i] for i in part)]
        generation = Generation(model, prompts, sampling, keys=list(part), record=layers)
        traces = generation.run(context)
        for i, trace, states in zip(part, traces, generation.states, strict=True):
            question, cue = asked[i]
            if states:
                found.runs.append(
                    Run(
                        question,
                        cue,
                        trace,
                        verdict(trace, question),
                        np.clip(np.stack(states), -6e4, 6e4).astype(np.float16),
                    )
                )
    return found
