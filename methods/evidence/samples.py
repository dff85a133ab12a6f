"""A folder of real or made pages with questions: ``samples.json`` beside its pictures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from methods.core.errors import BadInput
from methods.evidence.page import Box, Page, Token

MODES = ("single", "any_of", "all_of")
COVERED = 0.5
"""Share of a token's box inside an evidence box, or the other way round, from which on the token is evidence."""


@dataclass(frozen=True)
class Asked:
    """A question about a page with the boxes of its answer.

    Attributes:
        answer: "" when the page does not tell.
        boxes: evidence in pixels of the picture.
        mode: "single", "any_of" (any box is right) or "all_of" (the evidence is their union).
        field: what is asked for, e.g. "total". decoys: values of the same type elsewhere on the page.
    """

    text: str
    answer: str
    boxes: tuple[Box, ...]
    mode: str = "single"
    field: str = ""
    decoys: int = 0


@dataclass(frozen=True)
class SamplePage:
    """A page, its picture and its questions."""

    id: str
    picture: Path
    kind: str
    page: Page
    questions: tuple[Asked, ...]


def read(folder: Path) -> list[SamplePage]:
    """Read ``folder/samples.json``.

    Raises:
        BadInput: no such file, no JSON, or a page that is not as it should be; the message names the page.
    """
    path = folder / "samples.json"
    try:
        data = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{folder} has no samples.json.", "Give a folder of sample pages.") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}.", "Get the folder again.") from error
    pages = data.get("pages") if isinstance(data, dict) else None
    if not isinstance(pages, list):
        raise BadInput(f"{path} has no list of pages.", "Get the folder again.")
    return [_page(folder, entry, number) for number, entry in enumerate(pages, 1)]


def _page(folder: Path, entry: dict, number: int) -> SamplePage:
    try:
        tokens = tuple(Token(str(t["text"]), _box(t["box"])) for t in entry["tokens"])
        questions = tuple(_asked(q) for q in entry["qa"])
        page = Page(int(entry["width"]), int(entry["height"]), tokens, "given")
        return SamplePage(
            str(entry["id"]), folder / entry["image"], str(entry.get("doc_type", "")), page, questions
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"samples.json, page {number}: {error!r}.", "Get the folder again.") from error


def _asked(q: dict) -> Asked:
    mode = q.get("evidence_mode", "single")
    if mode not in MODES:
        raise ValueError(f"evidence_mode {mode!r}")
    boxes = tuple(_box(box) for box in q["evidence_boxes"])
    return Asked(str(q["question"]), str(q["answer"]), boxes, mode, str(q.get("field", "")))


def _box(values: list[float]) -> Box:
    x0, y0, x1, y1 = (float(v) for v in values)
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def evidence_tokens(page: Page, asked: Asked) -> tuple[int, ...]:
    """Indices of the tokens that lie in the evidence."""
    return tuple(
        i
        for i, token in enumerate(page.tokens)
        if any(max(_share(token.box, box), _share(box, token.box)) >= COVERED for box in asked.boxes)
    )


def _share(inner: Box, outer: Box) -> float:
    width = min(inner[2], outer[2]) - max(inner[0], outer[0])
    height = min(inner[3], outer[3]) - max(inner[1], outer[1])
    area = (inner[2] - inner[0]) * (inner[3] - inner[1])
    return width * height / area if area > 0 and width > 0 and height > 0 else 0.0
