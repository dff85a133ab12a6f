"""A blank page that words are set on, and what is noted about them on the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from PIL import ImageFont

from methods.evidence.page import Box, Page, Token

MONO = 0.6
"""Advance of a typewriter's letter in its size."""
LINE = 1.32
"""Distance of lines in letter sizes."""
_MEASURED = 100


@lru_cache(1)
def _font() -> ImageFont.FreeTypeFont:
    return ImageFont.load_default(_MEASURED)  # Pillow's own, so no font of the machine is needed


@lru_cache(1 << 12)
def _advance(letter: str) -> float:
    return _font().getlength(letter) / _MEASURED


def width_of(text: str, size: float, mono: bool) -> float:
    """Width of a text in pixels."""
    return size * (MONO * len(text) if mono else sum(map(_advance, text)))


@dataclass(frozen=True)
class Placed:
    """A word as it is printed: ``size`` in pixels, ``box`` around its ink (about)."""

    text: str
    box: Box
    size: float
    bold: bool
    line: int


@dataclass(frozen=True)
class Told:
    """A field the page tells: ``label`` as printed ("" without one), ``tokens`` of the value, ``text`` of it."""

    kind: str
    label: str
    tokens: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class Cell:
    """A place in a table: what its row and its column are called."""

    row: str
    column: str
    tokens: tuple[int, ...]
    text: str


@dataclass
class Sheet:
    """Words in the order they were set, with what they tell. Lengths in pixels, origin at the top left."""

    width: int
    height: int
    mono: bool = False
    placed: list[Placed] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    rules: list[Box] = field(default_factory=list)
    _lines: int = 0

    def put(
        self, x: float, y: float, text: str, size: float, align: str = "left", bold: bool = False
    ) -> tuple[int, ...]:
        """Set a line of words with its top at y; x is its left, middle or right end. Returns their numbers."""
        whole = width_of(text, size, self.mono)
        x -= {"left": 0.0, "middle": whole / 2, "right": whole}[align]
        space, numbers = width_of(" ", size, self.mono), []
        for word in text.split():
            long = width_of(word, size, self.mono)
            numbers.append(len(self.placed))
            self.placed.append(
                Placed(word, (x, y + 0.1 * size, x + long, y + 1.05 * size), size, bold, self._lines)
            )
            x += long + space
        self._lines += 1
        return tuple(numbers)

    def wrap(
        self, x: float, y: float, width: float, words: list[str], size: float
    ) -> tuple[float, tuple[int, ...]]:
        """Set words in lines of a width; returns the y below them and their numbers."""
        numbers: list[int] = []
        line: list[str] = []
        for word in [*words, None]:
            if word is None or (line and width_of(" ".join([*line, word]), size, self.mono) > width):
                numbers += self.put(x, y, " ".join(line), size)
                y += LINE * size
                line = []
            if word is not None:
                line.append(word)
        return y, tuple(numbers)

    def note(self, kind: str, label: str, tokens: tuple[int, ...], text: str | None = None) -> None:
        """Remember that the page tells this."""
        spelled = text if text is not None else " ".join(self.placed[i].text for i in tokens)
        self.told.append(Told(kind, label, tokens, spelled))

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """A printed line or the frame's side."""
        self.rules.append((x0, y0, x1, y1))

    def fit(self, margin: float) -> None:
        """Widen the sheet where words would stand beyond its sides."""
        left = min((p.box[0] for p in self.placed), default=margin)
        by = max(0.0, margin - left) if left < 0 else 0.0
        if by:
            self.placed = [
                replace(p, box=(p.box[0] + by, p.box[1], p.box[2] + by, p.box[3])) for p in self.placed
            ]
            self.rules = [(x0 + by, y0, x1 + by, y1) for x0, y0, x1, y1 in self.rules]
        right = max((p.box[2] for p in self.placed), default=0.0)
        if right > self.width:
            self.width = int(right + margin) + 1

    def page(self) -> Page:
        """The words with their boxes, cut at the page's edge."""
        w, h = self.width, self.height
        tokens = tuple(
            Token(
                p.text,
                (min(max(p.box[0], 0), w), min(max(p.box[1], 0), h), min(p.box[2], w), min(p.box[3], h)),
                1.0,
                p.line,
            )
            for p in self.placed
        )
        return Page(w, h, tokens, "synthetic")
