"""Minimise every step of a trace into a folder, with a report; a step that fails does not stop the others."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from methods.core.atomic import write_atomically
from methods.core.context import Context
from methods.core.errors import BadInput, StudioloError
from methods.core.runner import sha256_of_file
from methods.minim import formats, pipeline
from methods.minim.export import MANIFEST, policy_facts, prepare
from methods.minim.operators import Pseudonyms
from methods.minim.pipeline import Model, Page
from methods.minim.policy import Override, Policy

REPORT = "report"
COLUMNS = (
    "file", "state", "keep", "abstract", "remove", "tokens_before", "tokens_after", "leakage", "leaks", "ids_ok",
    "error", "key",
)  # fmt: skip
SUFFIXES = (".json", ".txt", ".yaml", ".yml", ".html", ".htm", ".xml", ".gz")
"""What observations are called."""
_OTHERS = (".tasks.json", f"{REPORT}.json", MANIFEST)
_NUMBERING = ("numbered", "fake")


@dataclass(frozen=True)
class Settings:
    """How all steps are minimised."""

    task: str
    policy: Policy
    secrets: tuple[str, ...] = ()
    weights_sha256: str = ""

    @property
    def numbers(self) -> bool:
        """Whether what replaces a text depends on the steps before."""
        return any(operator in _NUMBERING for operator in self.policy.operators.values())

    def key(self, path: Path) -> str:
        """Tells whether a step was written from the same file in the same way. No secret is in it."""
        what = [sha256_of_file(path), self.task, policy_facts(self.policy), self.weights_sha256]
        return sha256(json.dumps(what, sort_keys=True).encode("utf-8", "surrogateescape")).hexdigest()


def steps_in(folder: Path, suffixes: Iterable[str] = SUFFIXES) -> tuple[Path, ...]:
    """Files of a trace in the order of the numbers in their names.

    Raises:
        BadInput: there is none.
    """
    known = tuple(suffixes)
    files = [
        file
        for file in folder.iterdir()
        if file.is_file() and not file.name.startswith(".") and file.name.lower().endswith(known)
        and not file.name.lower().endswith(_OTHERS)
    ]  # fmt: skip
    if not files:
        raise BadInput(f"{folder} holds no observation.", f"Give a folder with {', '.join(known)} files.")
    return tuple(sorted(files, key=lambda file: natural_key(file.name)))


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Sorts ``step_10`` after ``step_9``."""
    parts = re.split(r"(\d+)", name.lower())
    return [(0, int(p), "") if p.isdigit() and p.isascii() else (1, 0, p) for p in parts]


def run(
    files: Sequence[Path],
    out: Path,
    settings: Settings,
    model: Model,
    context: Context,
    overrides: Callable[[Page], Mapping[int, Override]] | None = None,
) -> list[dict[str, Any]]:
    """Minimise all steps into numbered folders below ``out``; returns the rows of the report.

    What a former run has written from the same file in the same way is left as it is. It is not even read again
    where nothing else tells how a step must come out: numbered tokens depend on the steps before, and neither
    secrets nor a person's decisions are in the report.

    Args:
        overrides: a person's decisions about a page.
    """
    trusted = not (settings.numbers or settings.secrets or overrides)
    former = {row["key"]: row for row in _former(out) if row.get("state") == "written"}
    pseudonyms = Pseudonyms()
    _make(out)
    rows: list[dict[str, Any]] = []
    for number, path in enumerate(files):
        context.check()
        context.progress(number / len(files), path.name)
        folder = out / f"{number + 1:03d}"
        try:
            key = settings.key(path)
            if trusted and key in former and (folder / path.name).is_file():
                rows.append({**former[key], "file": path.name})
            else:
                rows.append(_step(path, folder, settings, model, pseudonyms, overrides) | {"key": key})
        except (StudioloError, OSError) as error:
            rows.append({"file": path.name, "state": "failed", "error": str(error)})
        write_report(out, rows)
    return rows


def _step(
    path: Path,
    folder: Path,
    settings: Settings,
    model: Model,
    pseudonyms: Pseudonyms,
    overrides: Callable[[Page], Mapping[int, Override]] | None,
) -> dict[str, Any]:
    page = pipeline.look(formats.load(path), settings.secrets)
    scored = pipeline.score(page, settings.task, model)
    decided = overrides(page) if overrides else {}
    decisions = pipeline.decide(scored, settings.policy, decided)
    outgoing = pipeline.outgoing(page, settings.policy, decisions, pseudonyms)
    prepared = prepare(
        page.observation, decisions, outgoing.redaction, settings.policy, overrides=decided,
        weights_sha256=settings.weights_sha256,
    )  # fmt: skip
    report = prepared.report
    ok = report.ok and report.ids_ok
    if ok:
        prepared.write(folder)
    return {
        "file": path.name,
        "state": "written" if ok else "refused",
        **decisions.counts(),
        "tokens_before": outgoing.tokens[0],
        "tokens_after": outgoing.tokens[1],
        "leakage": round(pipeline.leakage(scored, decisions.codes), 4),
        "leaks": len(report.leaks),
        "ids_ok": report.ids_ok,
        "error": "" if ok else "Something private would be left, or an id would change.",
    }


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder} cannot be made: {error.strerror}.", "Choose another folder.") from error


def write_report(out: Path, rows: list[dict[str, Any]]) -> None:
    """``report.csv`` and ``report.json``, whole after every step."""
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, COLUMNS, restval="")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(out / f"{REPORT}.csv", table.getvalue().encode("utf-8", "surrogateescape"))
    write_atomically(out / f"{REPORT}.json", json.dumps({"steps": rows}, indent=1).encode())


def _former(out: Path) -> list[dict[str, Any]]:
    """Rows of an interrupted run's report; none when there is no report that can be read."""
    try:
        rows = json.loads((out / f"{REPORT}.json").read_text(encoding="utf-8"))["steps"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("key"), str)]
