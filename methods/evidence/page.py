"""What the localiser sees of a document page: its size and its words with their boxes.

One frame for everything: pixels of the upright page picture as a person sees it (EXIF and /Rotate applied),
origin at the top left, y downwards.
"""

from __future__ import annotations

from dataclasses import dataclass

Box = tuple[float, float, float, float]
"""``(x0, y0, x1, y1)`` in pixels of the page picture, x0 <= x1 and y0 <= y1."""


@dataclass(frozen=True)
class Token:
    """A word (or, from some readers, a line) of a page.

    Attributes:
        confidence: of the reader, in [0, 1]; 1 for a text layer.
        line: index of the line it stands on, -1 when unknown.
    """

    text: str
    box: Box
    confidence: float = 1.0
    line: int = -1


@dataclass(frozen=True)
class Page:
    """A page with its words in reading order.

    Attributes:
        width, height: of the page picture in pixels.
        source: where the words come from: "text layer", "rapidocr", "tesseract", "given" or "synthetic".
    """

    width: int
    height: int
    tokens: tuple[Token, ...]
    source: str = "given"
