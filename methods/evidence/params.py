"""Parameters of the evidence actions: ranges and help, light enough to list at start-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from methods.core.params import Choice, Flag, Number, Text

_Page = Annotated[int, Number("Page of the document, from 1", ge=1, le=100_000)]
_Engine = Annotated[
    str,
    Choice(
        "Where the words come from; auto takes the text layer where there is one",
        ("auto", "text layer", "rapidocr"),
    ),
]
_Password = Annotated[str, Text("Password of a locked PDF", private=True, advanced=True)]
_Dpi = Annotated[
    float, Number("Resolution at which PDF pages are drawn", ge=36, le=600, unit="dpi", advanced=True)
]


@dataclass(frozen=True)
class ReadParams:
    """Reading of one page."""

    page: _Page = 1
    engine: _Engine = "auto"
    password: _Password = ""
    dpi: _Dpi = 150.0


@dataclass(frozen=True)
class AskParams:
    """A question about one page, and the flow that looks for its evidence."""

    question: Annotated[str, Text("What to ask about the page", positional=True)] = "What is the total?"
    page: _Page = 1
    steps: Annotated[int | None, Number("JKO steps K; none as trained", ge=1, le=64, label="steps K")] = None
    gamma: Annotated[
        float | None,
        Number(
            "The same reach γ for all steps; none as trained",
            ge=1e-6,
            le=1e6,
            log=True,
            label="reach γ",
            advanced=True,
        ),
    ] = None
    tau: Annotated[
        float, Number("Factor on the step sizes τ", ge=0.01, le=100, log=True, label="step factor τ")
    ] = 1.0
    one_step: Annotated[
        bool, Flag("One softmax of the same sharpness instead: the flow with endless reach")
    ] = False
    heatmap: Annotated[str, Text("Also write the page with the heat map over it to this PNG")] = ""
    step: Annotated[
        int | None, Number("Step that the heat map shows; none for the last", ge=0, le=64, advanced=True)
    ] = None
    engine: _Engine = "auto"
    password: _Password = ""
    dpi: _Dpi = 150.0


@dataclass(frozen=True)
class EvaluateParams:
    """The table of methods on pages with known evidence."""

    ocr: Annotated[bool, Flag("Read the pictures instead of taking the words that are given")] = False


@dataclass(frozen=True)
class BatchParams:
    """Many questions on all pages of a document."""

    engine: _Engine = "auto"
    password: _Password = ""
    dpi: _Dpi = 150.0


@dataclass(frozen=True)
class SynthesizeParams:
    """Made pages with pictures."""

    count: Annotated[int, Number("Pages to make", ge=1, le=100_000)] = 20
    held_out: Annotated[bool, Flag("From the templates that the shipped weights never saw")] = False
    degraded: Annotated[bool, Flag("As if scanned or photographed badly")] = True


@dataclass(frozen=True)
class TrainParams:
    """Training of the localiser on made pages."""

    pages: Annotated[int, Number("Made pages to train on", ge=16, le=1_000_000)] = 12_000
    dim: Annotated[int, Number("Width of the network", ge=16, le=512, advanced=True)] = 96
    resume: Annotated[str, Text("File to keep the state in, and to go on from")] = ""
