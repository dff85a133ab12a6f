"""Minimise every step of a trace into a folder, with a report; a step that fails does not stop the others. No Qt."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from app.panels.minim import readings
from app.panels.minim.document import Masking
from app.panels.minim.exporting import write_export
from app.panels.minim.figures import Sums
from app.panels.minim.overrides import resolve
from methods.core.atomic import write_atomically
from methods.core.context import Context
from methods.core.errors import BadInput, StudioloError

REPORT = "report"
COLUMNS = (
    "file", "state", "keep", "abstract", "remove", "tokens_before", "tokens_after", "leakage", "leaks", "ids_ok",
    "error", "key",
)  # fmt: skip
SKIPPED = (".tasks.json", ".png", ".webp", ".jpg", ".jpeg", ".csv", ".md", ".py")


def steps_in(folder: Path, suffixes: Iterable[str]) -> tuple[str, ...]:
    """Files of a trace in the order of the numbers in their names.

    Raises:
        BadInput: there is none.
    """
    known = tuple(suffixes)
    files = [
        file
        for file in folder.iterdir()
        if file.is_file() and not file.name.startswith(".") and file.name.lower().endswith(known)
        and not file.name.lower().endswith(SKIPPED)
    ]  # fmt: skip
    if not files:
        raise BadInput(f"{folder} holds no observation.", f"Choose a folder with {', '.join(known)} files.")
    return tuple(map(str, sorted(files, key=lambda file: natural_key(file.name))))


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Sorts ``step_10`` after ``step_9``."""
    parts = re.split(r"(\d+)", name.lower())
    return [(0, int(p), "") if p.isdigit() and p.isascii() else (1, 0, p) for p in parts]


def run(state: Masking, out: Path, context: Context) -> list[dict[str, Any]]:
    """Minimise all steps of ``state.trace`` into ``out``; returns the rows of the report.

    Steps that a former run has written with the same settings are not written again, but their tokens are given
    out again in the same order, so that they stay consistent with the steps that follow.
    """
    from methods.minim.operators import Pseudonyms

    pseudonyms = Pseudonyms()
    done = {row["key"]: row for row in _former(out) if row.get("state") == "written"}
    out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for number, path in enumerate(state.trace):
        context.check()
        context.progress(number / len(state.trace), Path(path).name)
        rows.append(_step(Path(path), number, state, out, pseudonyms, done))
        write_report(out, rows)
    return rows


def _step(
    path: Path, number: int, state: Masking, out: Path, pseudonyms: Any, done: dict[str, Any]
) -> dict[str, Any]:
    try:
        step, page = readings.read(path, state.trace, number, state)
        scored = readings.score(page, state.task)
        decisions = readings.decide(scored, step, resolve(page, step.rulings))
        outgoing = readings.outgoing(page, step, decisions, pseudonyms)
        key = _key(step)
        folder = out / f"{number + 1:03d}"
        if key in done and (folder / path.name).is_file():
            return {**done[key], "file": path.name}
        if outgoing.ok:
            write_export(step, page, outgoing, folder)
    except (StudioloError, OSError) as error:
        return {"file": path.name, "state": "failed", "error": str(error)}
    counts = Counter(int(code) for code in decisions.codes)
    return {
        "file": path.name,
        "state": "written" if outgoing.ok else "refused",
        "keep": counts[0],
        "abstract": counts[1],
        "remove": counts[2],
        "tokens_before": outgoing.tokens[0],
        "tokens_after": outgoing.tokens[1],
        "leakage": round(Sums(scored).tisl(decisions.codes), 4),
        "leaks": len(outgoing.leaks.leaks),
        "ids_ok": bool(outgoing.leaks.ids_ok),
        "error": "" if outgoing.ok else "Something private would be left in the output.",
        "key": key,
    }


def _key(step: Masking) -> str:
    """Tells whether a step was written with the same content and settings. Originals are not in it."""
    settings = replace(step, observation=None, trace=(), step=0, screenshot="", examples=())
    return sha256(repr(settings).encode("utf-8", "surrogateescape")).hexdigest()


def write_report(out: Path, rows: list[dict[str, Any]]) -> None:
    """``report.csv`` and ``report.json``, whole after every step."""
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(out / f"{REPORT}.csv", table.getvalue().encode())
    write_atomically(out / f"{REPORT}.json", json.dumps({"steps": rows}, indent=1).encode())


def _former(out: Path) -> list[dict[str, Any]]:
    """Rows of an interrupted run's report; none when there is no report that can be read."""
    try:
        rows = json.loads((out / f"{REPORT}.json").read_text(encoding="utf-8"))["steps"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("key"), str)]
