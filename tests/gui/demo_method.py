"""A small method with every kind of action, for the panel that is made from a declaration alone."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from methods.core.declaration import Action, Input, Kind, Method, Paper
from methods.core.errors import BadInput, WorkFailed
from methods.core.params import Flag, Number
from methods.core.results import Outcome

HERE = "tests.gui.demo_method:"


@dataclass(frozen=True)
class ScaleParams:
    factor: Annotated[float, Number("times", ge=0.0, le=10.0)] = 2.0
    sort: Annotated[bool, Flag("in order")] = False


def load_numbers(path: Path) -> np.ndarray:
    try:
        return np.loadtxt(path, ndmin=1)
    except ValueError as error:
        raise BadInput(f"{path.name} holds something that is no number.", "Remove it.") from error


def save_numbers(values: np.ndarray, path: Path) -> None:
    np.savetxt(path, values)


def scale(params, context, numbers):
    values = params.factor * numbers
    if params.sort:
        values = np.sort(values)
    rows = [{"index": i, "value": float(v)} for i, v in enumerate(values)]
    return Outcome(
        values, {"sum": float(values.sum()), "rows": rows}, ("one warning",) if params.sort else ()
    )


def quick(params, context, numbers):
    return Outcome(None, {"sum": float(params.factor * numbers.sum())})


def count(params, context, scaled):
    return Outcome(None, {"count": len(scaled), "first": float(scaled[0])})


def wait(params, context):
    for i in range(10_000):
        context.check()
        context.progress(i / 10_000, f"step {i}")
        time.sleep(0.002)
    return Outcome(None, {"waited": True})


def fail(params, context):
    raise WorkFailed("The demonstration failed.", "Choose another action.")


def crash(params, context):
    raise ZeroDivisionError("a mistake in the program")


NUMBERS = Input("numbers", "numbers", "a list of numbers")
SCALED = Input("scaled", "numbers", "a list of numbers that were scaled")
METHOD = Method(
    id="demo",
    title="Demonstration",
    short="Demo",
    summary="Numbers in, numbers out.",
    icon="mdi6.numeric",
    paper=Paper("None", "nowhere", 2026, "https://example.org"),
    kinds=(Kind("numbers", "list of numbers", (".txt",), HERE + "load_numbers", HERE + "save_numbers"),),
    actions=(
        Action("scale", "Scale", "Multiply.", HERE + "scale", (NUMBERS,), "numbers", ScaleParams),
        Action("quick", "Sum", "Add up, live.", HERE + "quick", (NUMBERS,), params=ScaleParams, long=False),
        Action("count", "Count", "How many.", HERE + "count", (SCALED,)),
        Action("wait", "Wait", "Take its time.", HERE + "wait"),
        Action("fail", "Fail", "Say why.", HERE + "fail"),
        Action("crash", "Crash", "Raise.", HERE + "crash"),
    ),
)
