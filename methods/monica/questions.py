"""Question files: one question with its answer and a plausible wrong one per row."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from methods.core.errors import BadInput
from methods.monica.cues import Question

LARGEST = 20_000_000
_NAMES = {
    "text": ("question", "text", "prompt"),
    "answer": ("answer", "correct", "gold"),
    "wrong": ("wrong", "hint", "distractor"),
}


def read(path: Path) -> tuple[list[Question], tuple[str, ...]]:
    """Questions of a .jsonl, .json (list of objects) or .csv file; rows that are not complete are left out and told.

    Raises:
        BadInput: no such file, not readable, or not one complete row.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise BadInput(f"{path.name} is larger than {LARGEST // 1_000_000} MB.", "Split it.")
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path.name} is not in UTF-8.", "Save it as UTF-8.") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.", "Check the path.") from error
    found, odd = [], []
    for place, row in _rows(path, text):
        values = {field: _value(row, names) for field, names in _NAMES.items()}
        if all(values.values()) and values["answer"].casefold() != values["wrong"].casefold():
            name = str(row.get("id") or values["text"])
            found.append(Question(name, values["text"], values["answer"], values["wrong"]))
        else:
            odd.append(place)
    if not found:
        raise BadInput(
            f"{path.name} has no complete question.",
            "Each row needs question, answer and wrong (all different).",
        )
    shown = ", ".join(map(str, odd[:5])) + (" …" if len(odd) > 5 else "")
    return found, (f"{path.name}: {len(odd)} rows were left out ({shown}).",) if odd else ()


def _value(row: Any, names: tuple[str, ...]) -> str:
    if not isinstance(row, dict):
        return ""
    return next((str(row[n]).strip() for n in names if row.get(n) not in (None, "")), "")


def _rows(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    """(row, object); a row that cannot be read gives None."""
    if path.suffix.lower() == ".csv":
        yield from enumerate(csv.DictReader(io.StringIO(text)), 2)
    elif path.suffix.lower() == ".json":
        try:
            data = json.loads(text)
        except ValueError as error:
            raise BadInput(f"{path.name} is no JSON: {error}.", "Save it again.") from error
        yield from enumerate(data if isinstance(data, list) else [data], 1)
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    yield number, json.loads(line)
                except ValueError:
                    yield number, None
