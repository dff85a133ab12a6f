"""``studiolo bench``: prints what things cost here, beside the budgets of the design."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from app.bench.line import Line
from app.bench.minim import minim_lines
from app.bench.superquadrics import superquadric_lines
from app.bench.window import window_lines
from methods.core.errors import BadInput


def run_bench(subject: str, as_json: bool = False, data: str | None = None) -> int:
    """Print the table; the exit code is 0 however the figures are, because machines differ."""
    makers: dict[str, Callable[[], Iterator[Line]]] = {
        "window": window_lines,
        "superquadrics": lambda: superquadric_lines(Path(data) if data else None),
        "minim": minim_lines,
    }
    if subject != "all" and subject not in makers:
        raise BadInput(
            f"There is nothing called {subject!r} to measure.", f"Known: all, {', '.join(makers)}."
        )
    os.environ["STUDIOLO_HOME"] = tempfile.mkdtemp(prefix="studiolo-bench-")
    lines = []
    for name, make in makers.items():
        if subject in ("all", name):
            if not as_json:
                print(f"\n{name}\n{'what':<46} {'measured':>10} {'':<4} {'budget':>12}")
            for line in make():
                lines.append(line)
                if not as_json:
                    print(line, flush=True)
    if as_json:
        print(json.dumps([asdict(line) | {"within": line.within} for line in lines]))
    return 0
