"""Parameters of the privacy actions: ranges and help, light enough to list at start-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from methods.core.params import Choice, Flag, Number, Text, Texts

_Task = Annotated[
    str, Text("What the agent is to do, in a sentence; without a task nothing counts as needed")
]
_Secrets = Annotated[
    tuple[str, ...], Texts("Texts of your own that must never leave", label="own secrets", private=True)
]
_TauN = Annotated[
    float | None,
    Number(
        "Elements less necessary than this are removed; auto is the value chosen with the weights",
        ge=0.0,
        le=10.0,
        label="τ necessity",
    ),
]
_TauS = Annotated[
    float | None,
    Number(
        "Elements at least this sensitive are abstracted; auto is the value chosen with the weights",
        ge=0.0,
        le=10.0,
        label="τ sensitivity",
    ),
]
_Operators = Annotated[
    tuple[str, ...],
    Texts(
        "How private texts are abstracted, as TYPE=OPERATOR: email=numbered, all=token; operators are token, "
        "numbered, last-four, fake, generalise, state",
        advanced=True,
    ),
]


@dataclass(frozen=True)
class ScoreParams:
    """Scores and decisions for a task."""

    task: _Task = ""
    secret: _Secrets = ()
    tau_n: _TauN = None
    tau_s: _TauS = None


@dataclass(frozen=True)
class MinimizeParams(ScoreParams):
    """What leaves of one observation."""

    operators: _Operators = ()
    accept_doubts: Annotated[
        bool,
        Flag("Write the picture even where boxes may not match it", label="accept doubts", advanced=True),
    ] = False
    blur: Annotated[bool, Flag("Blur the picture instead of painting over it: not safe", advanced=True)] = (
        False
    )


@dataclass(frozen=True)
class BatchParams(ScoreParams):
    """What leaves of every step of a trace."""

    operators: _Operators = ("all=numbered", "password=state")


@dataclass(frozen=True)
class EvaluateParams:
    """The policy and its baselines on labelled pairs."""

    tau_n: _TauN = None
    tau_s: _TauS = None


@dataclass(frozen=True)
class TrainParams:
    """Training on labelled screens."""

    epochs: Annotated[int, Number("Times every screen is seen", ge=1, le=1000)] = 6
    folds: Annotated[
        int,
        Number(
            "Networks trained with some of the apps left out, on which the calibration is chosen and all figures "
            "are measured, before the last one sees every app; 0 skips that",
            ge=0,
            le=20,
        ),
    ] = 3
    tau_s: Annotated[float, Number("Threshold to store", ge=0.0, le=10.0)] = 5.0
    members: Annotated[
        str,
        Choice(
            "Networks whose opinions are averaged: one that hears its neighbours, one that judges each element alone",
            ("both", "graph", "alone"),
        ),
    ] = "both"
    resume: Annotated[
        str | None,
        Text("File that keeps the state after each epoch; where it is there, training goes on from it"),
    ] = None
