"""The words of a page: tokens that hold several words are taken apart, so that the localiser always sees words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from methods.evidence.page import Box, Page, Token

ROW = 0.5
"""Share of the typical word height by which a word's middle may lie off its row."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Words:
    """A page as single words in the order of its tokens.

    Attributes:
        page: the same page, one token per word.
        owner: (N,) int, index of the token each word was taken from.
    """

    page: Page
    owner: np.ndarray

    def __len__(self) -> int:
        return len(self.page.tokens)

    @cached_property
    def texts(self) -> list[str]:
        return [token.text for token in self.page.tokens]

    @cached_property
    def boxes(self) -> np.ndarray:
        """(N, 4) float32 x0, y0, x1, y1 in pixels."""
        return np.array([token.box for token in self.page.tokens], np.float32).reshape(-1, 4)

    @cached_property
    def centres(self) -> np.ndarray:
        """(N, 2) float32 middles in pixels."""
        return (self.boxes[:, :2] + self.boxes[:, 2:]) / 2

    @cached_property
    def height(self) -> float:
        """Median height of a word in pixels, at least 1."""
        heights = self.boxes[:, 3] - self.boxes[:, 1]
        return max(float(np.median(heights)), 1.0) if len(heights) else 1.0

    @cached_property
    def rows(self) -> np.ndarray:
        """(N,) int, number of the row of each word from the top: words whose middles stand level with the first."""
        rows = np.zeros(len(self), np.int64)
        row, first = -1, -np.inf
        for i in np.argsort(self.centres[:, 1], kind="stable"):
            middle = self.centres[i, 1]
            if middle - first > ROW * self.height:
                row, first = row + 1, middle
            rows[i] = row
        return rows


def split(page: Page) -> Words:
    """Take tokens apart at white space; a word gets the share of the box that its letters have of the text."""
    tokens: list[Token] = []
    owner: list[int] = []
    for i, token in enumerate(page.tokens):
        for part in _parts(token):
            tokens.append(part)
            owner.append(i)
    return Words(Page(page.width, page.height, tuple(tokens), page.source), np.array(owner, np.int64))


def _parts(token: Token) -> list[Token]:
    text = token.text.strip()
    if not _SPACE.search(text):
        return [Token(text, token.box, token.confidence, token.line)] if text else []
    x0, y0, x1, y1 = token.box
    step = (x1 - x0) / len(text)
    return [
        Token(m[0], (x0 + m.start() * step, y0, x0 + m.end() * step, y1), token.confidence, token.line)
        for m in re.finditer(r"\S+", text)
    ]


def union(boxes: np.ndarray) -> Box:
    """The smallest box around boxes (N, 4), N > 0."""
    low, high = boxes[:, :2].min(0), boxes[:, 2:].max(0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])
