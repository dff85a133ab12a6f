"""Answers and readings as JSON, pictures and tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from methods.core.atomic import atomic_writer
from methods.core.errors import BadInput
from methods.evidence import heatmap
from methods.evidence.answers import Answer
from methods.evidence.page import Box
from methods.evidence.reading.reader import Reading
from methods.evidence.words import Words


@dataclass(frozen=True)
class Asked:
    """A question with its answer on one page; ``points`` turns a box into PDF points, or None."""

    question: str
    page: int
    reading: Reading
    words: Words
    answer: Answer
    points: Callable[[Box], Box | None]


def facts(asked: Asked) -> dict[str, Any]:
    """JSON-able: answer, score, evidence, candidates, steps."""
    a = asked.answer
    return {
        "question": asked.question,
        "answer": a.text,
        "score": round(a.score, 6),
        "no_evidence": a.no_evidence,
        "null_mass": round(a.null_mass, 6),
        "box": _box(a.box),
        "box_points": _box(asked.points(a.box)) if a.box else None,
        "span": list(a.span) if a.span else None,
        "candidates": [
            {"text": c.text, "score": round(c.score, 6), "box": _box(c.box)} for c in a.candidates
        ],
        "page": asked.page,
        "source": asked.reading.page.source,
        "reading_seconds": round(asked.reading.seconds, 3),
        "words": len(asked.words),
        "steps": [
            {
                "k": k,
                "gamma": None if k == 0 else _finite(a.gammas[k - 1]),
                "tau": None if k == 0 else _finite(a.taus[k - 1]),
                "energy": round(float(a.energy[k]), 6),
                "entropy": round(float(a.entropy[k]), 6),
                "null": round(float(a.null[k]), 6),
            }
            for k in range(a.schedule.steps + 1)
        ],
    }


def _finite(value: float) -> float | str:
    return round(value, 6) if value < float("inf") else "infinity"


def _box(box: Box | None) -> list[float] | None:
    return None if box is None else [round(float(v), 2) for v in box]


def reading_facts(reading: Reading) -> dict[str, Any]:
    """JSON-able: size of the page, engine, words with boxes."""
    page = reading.page
    return {
        "width": page.width,
        "height": page.height,
        "source": page.source,
        "turn": reading.turn,
        "tokens": [
            {"text": t.text, "box": _box(t.box), "confidence": round(t.confidence, 4), "line": t.line}
            for t in page.tokens
        ],
    }


def save_answer(asked: Asked, path: Path) -> None:
    """``.png``: the page with its heat map; ``.json``: all of it, with the mass of each word at every step."""
    if path.suffix.lower() == ".png":
        save_heatmap(asked, path)
        return
    tokens = [
        {"text": t.text, "box": _box(t.box), "p": [round(float(v), 8) for v in masses]}
        for t, masses in zip(asked.words.page.tokens, asked.answer.steps.T, strict=True)
    ]
    _write(path, json.dumps({**facts(asked), "tokens": tokens}, indent=1))


def save_heatmap(asked: Asked, path: Path, step: int | None = None) -> None:
    """The page at its own resolution with the mass of a step, the last by default.

    Raises:
        BadInput: no PNG, or the place cannot be written to.
    """
    from PIL import Image

    if path.suffix.lower() != ".png":
        raise BadInput(f"{path.name} is not a PNG.", "Give the heat map a name that ends in .png.")
    answer = asked.answer
    masses = answer.steps[-1 if step is None else step]
    # A flat or lost distribution is not painted as if it were evidence.
    shown = masses if not answer.no_evidence else masses * 0
    image = Image.fromarray(heatmap.overlay(asked.reading.picture, asked.words, shown, box=answer.box))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    try:
        with atomic_writer(path) as stream:
            stream.write(buffer.getvalue())
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written: {error.strerror or error}.", "Choose another place."
        ) from error


def save_reading(reading: Reading, path: Path) -> None:
    """The words; ``ask --tokens`` takes the file."""
    _write(path, json.dumps(reading_facts(reading), indent=1))


def save_table(rows: list[dict[str, Any]], path: Path) -> None:
    """One line per page and question; a text that a spreadsheet would take for a formula is quoted."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]) if rows else ["page"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: _plain(v) for k, v in row.items()} for row in rows)
    _write(path, buffer.getvalue())


def _plain(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value


def _write(path: Path, text: str) -> None:
    with atomic_writer(path) as stream:
        stream.write(text.encode())
