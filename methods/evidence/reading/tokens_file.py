"""Words that are given in a file: what ``read --out`` writes, or a bare list of words with boxes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from methods.core.errors import BadInput
from methods.evidence.documents.document import Document
from methods.evidence.page import Page, Token
from methods.evidence.reading.reader import Reading, clipped

_REMEDY = 'Give {"tokens": [{"text": "...", "box": [x0, y0, x1, y1]}, ...]} in pixels of the page.'


def reading(path: Path, document: Document, number: int) -> Reading:
    """The page's picture with the words of the file.

    Raises:
        BadInput: no JSON, or words that are not as they should be; the message names the word.
    """
    if not 0 <= number < len(document):
        raise BadInput(f"{document.path.name} has no page {number + 1}.", f"Choose 1 to {len(document)}.")
    try:
        data: Any = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} cannot be read: {error}.", _REMEDY) from error
    entries = data.get("tokens") if isinstance(data, dict) else data
    if not isinstance(entries, list):
        raise BadInput(f"{path.name} has no list of tokens.", _REMEDY)
    tokens = tuple(_token(path, i, entry) for i, entry in enumerate(entries, 1))
    picture = document.picture(number)
    height, width = picture.shape[:2]
    return Reading(Page(width, height, tuple(clipped(tokens, width, height)), "given"), picture, 0.0)


def _token(path: Path, number: int, entry: Any) -> Token:
    try:
        x0, y0, x1, y1 = (float(v) for v in entry["box"])
        confidence = float(entry.get("confidence", 1.0))
        if not all(map(math.isfinite, (x0, y0, x1, y1, confidence))):
            raise ValueError("a number that is not finite")
        box = min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
        return Token(str(entry["text"]), box, min(max(confidence, 0.0), 1.0), int(entry.get("line", -1)))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise BadInput(f"{path.name}, token {number}, is wrong: {error!r}.", _REMEDY) from error
