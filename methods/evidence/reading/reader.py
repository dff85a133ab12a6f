"""Read one page of a document: which engine, the words in the frame of the picture, and what to warn about."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.evidence.documents.document import Document
from methods.evidence.page import Page, Token
from methods.evidence.reading import ocr

ENGINES = ("auto", "text layer", "rapidocr")
FEW = 3
"""Words below which a text layer is not worth the name."""
NOISE = 0.25
"""Share of the page from which on the box of a short text is a reader's mistake."""
UNSURE = 0.8
"""Mean confidence below which the page may lie the wrong way round."""


@dataclass(frozen=True)
class Reading:
    """A page that has been read.

    Attributes:
        picture: (H, W, 3) uint8. seconds: that the words took.
        turn: degrees clockwise by which the page would read better, 0 where it is fine.
    """

    page: Page
    picture: np.ndarray
    seconds: float
    turn: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def grey(self) -> np.ndarray:
        """(H, W) uint8."""
        return np.rint(self.picture @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)


def read_page(document: Document, number: int, context: Context, engine: str = "auto") -> Reading:
    """Read page ``number``, from 0.

    Raises:
        BadInput: no such page. Cancelled, WorkFailed: see :mod:`methods.evidence.reading.ocr`.
    """
    if not 0 <= number < len(document):
        raise BadInput(f"{document.path.name} has no page {number + 1}.", f"Choose 1 to {len(document)}.")
    started = time.perf_counter()
    picture = document.picture(number)
    tokens = document.words(number) if engine != "rapidocr" else ()
    source, turn = "text layer", 0
    if engine == "rapidocr" or (engine == "auto" and len(tokens) < FEW):
        context.progress(0.1, "reading the words")
        tokens, source = ocr.read(picture, context), "rapidocr"
        turn = better_turn(picture, tokens, context)
    height, width = picture.shape[:2]
    page = Page(width, height, tuple(clipped(tokens, width, height)), source)
    return Reading(page, picture, time.perf_counter() - started, turn, _warnings(page, turn))


def _warnings(page: Page, turn: int) -> tuple[str, ...]:
    if not page.tokens:
        return ("No text was found on the page.",)
    if turn:
        return (f"The page reads better turned by {turn} degrees.",)
    unsure = [t for t in page.tokens if t.confidence < UNSURE]
    if len(unsure) > 0.3 * len(page.tokens):
        return (f"{len(unsure)} of {len(page.tokens)} words were hard to read.",)
    return ()


def clipped(tokens: tuple[Token, ...], width: int, height: int) -> list[Token]:
    """Boxes cut at the page; a short text with a box of a quarter of the page is no word."""
    found = []
    for token in tokens:
        x0, y0, x1, y1 = token.box
        x0, y0, x1, y1 = max(x0, 0.0), max(y0, 0.0), min(x1, float(width)), min(y1, float(height))
        huge = (x1 - x0) * (y1 - y0) > NOISE * width * height and len(token.text) < 12
        if x0 < x1 and y0 < y1 and not huge:
            found.append(replace(token, box=(x0, y0, x1, y1)))
    return found


def better_turn(picture: np.ndarray, tokens: tuple[Token, ...], context: Context) -> int:
    """Degrees clockwise by which the page reads clearly better, looked for only where it reads badly."""
    if not tokens or _sense(tokens) >= UNSURE:
        return 0
    senses = {0: _sense(tokens)}
    for quarter in (1, 2, 3):
        turned = np.ascontiguousarray(np.rot90(picture, -quarter))
        senses[90 * quarter] = _sense(ocr.read(turned, context))
    best = max(senses, key=senses.__getitem__)
    return best if senses[best] > senses[0] + 0.1 else 0


def _sense(tokens: tuple[Token, ...]) -> float:
    """Mean confidence by letters."""
    letters = sum(len(t.text) for t in tokens)
    return sum(t.confidence * len(t.text) for t in tokens) / letters if letters else 0.0
