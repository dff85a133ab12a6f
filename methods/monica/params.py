"""Parameters of the drift monitor's actions: ranges and help, light enough to list at start-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from methods.core.params import Choice, Number, Text
from methods.monica.cues import NONE, WORDING

_Model = Annotated[str, Text("toy (built in), smollm2, or the path of a model folder or GGUF file")]
_Tau = Annotated[
    float, Number("Drift score above which the calibrator acts", ge=0.0, le=1.0, label="threshold τ")
]


@dataclass(frozen=True)
class GenerateParams:
    """One run."""

    model: _Model = "toy"
    question: Annotated[str, Text("What is asked; the built-in reasoner adds five digits")] = "Add 3 8 1 9 4."
    cue: Annotated[str, Choice("How the person leans on the model", tuple(WORDING))] = NONE
    hint: Annotated[str, Text("The answer that the person suggests")] = ""
    system: Annotated[str, Text("System prompt, for models that have one")] = ""
    calibrate: Annotated[
        str,
        Choice(
            "What is done when the score crosses τ: the step is drawn again, the drift vector subtracted or clamped",
            ("none", "rollback", "subtract", "clamp", "random", "prompt"),
        ),
    ] = "none"
    tau: _Tau = 0.3
    strength: Annotated[float, Number("Multiple of the drift vector at score 1", ge=0.0, le=20.0)] = 3.0
    tries: Annotated[int, Number("How often a step may be drawn again", ge=0, le=50)] = 3
    temperature: Annotated[float, Number("0 takes the likeliest token", ge=0.0, le=10.0)] = 1.0
    top_p: Annotated[
        float, Number("Likeliest share of the tokens that is kept", ge=0.01, le=1.0, label="top-p")
    ] = 1.0
    max_tokens: Annotated[int, Number("Most tokens to generate", ge=1, le=8192)] = 120


@dataclass(frozen=True)
class TrainMonitorParams:
    """Training of a drift monitor."""

    model: _Model = "toy"
    kind: Annotated[str, Choice("Probe on the hidden state of a step", ("logistic", "mlp"))] = "logistic"
    window: Annotated[int, Number("Steps that a feature covers", ge=1, le=8)] = 2
    questions_most: Annotated[int, Number("Most questions to run", ge=8, le=100_000)] = 400
    batch: Annotated[int, Number("Prompts at a time", ge=1, le=1024)] = 128
    max_tokens: Annotated[int, Number("Most tokens per run", ge=1, le=2048)] = 120


@dataclass(frozen=True)
class EvaluateParams:
    """The table of calibrators."""

    model: _Model = "toy"
    questions_each: Annotated[
        int, Number("Most questions for validation, and as many for the test", ge=2, le=10_000)
    ] = 40
    seeds: Annotated[int, Number("Repeats of the test part", ge=1, le=20)] = 3
    batch: Annotated[int, Number("Prompts at a time", ge=1, le=1024)] = 128
    max_tokens: Annotated[int, Number("Most tokens per run", ge=1, le=2048)] = 120
    resume: Annotated[str | None, Text("File that keeps finished batches, so that it can go on")] = None


@dataclass(frozen=True)
class TrainToyParams:
    """Training of the built-in reasoner."""

    steps: Annotated[int, Number("Optimisation steps", ge=1, le=100_000)] = 1500
    resume: Annotated[str | None, Text("File that keeps the state; where it is there, training goes on")] = (
        None
    )
