"""Localisers without a model, the baselines that a trained one has to beat: one score per token, highest wins."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import numpy as np

from methods.evidence.page import Box, Page

_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    "what is the a an of on in was were are when who which how many much for to by does do did".split()
)
_DATE = re.compile(
    r"(?i)\b\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\b|\b\d{1,2}[ -]?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
    r"[ -,]*\d{2,4}\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2},? \d{4}\b"
)
_AMOUNT = re.compile(
    r"(?:^|[^\d.,/-])\(?(?:[$€£]|RM|USD)?\s?\d{1,3}(?:[, ]?\d{3})*[.,]\d{2}\)?(?:$|[^\d/-])", re.I
)
_NUMBER = re.compile(r"\d{3,}")
_TYPES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"(?i)\bdates?\b|\bwhen\b"), _DATE),
    (re.compile(r"(?i)\b(?:total|amount|price|cost|tax|balance|sum|due|paid)\b"), _AMOUNT),
    (re.compile(r"(?i)\b(?:number|no|id|code)\b"), _NUMBER),
)
"""(a word of the question, the form its answer has); the first that fits counts."""
SAME_LINE = 0.6
"""Share of a label's height by which a value's middle may lie off its line."""


def uniform(page: Page, question: str) -> np.ndarray:
    """The same for every token, (N,)."""
    return np.ones(len(page.tokens))


def lexical(page: Page, question: str) -> np.ndarray:
    """Words shared with the question, rare ones more, over the token's length, (N,)."""
    wanted = words(question)
    texts = [words(token.text) for token in page.tokens]
    count = Counter(w for text in texts for w in text)
    return np.array(
        [sum(1 / count[w] for w in text & wanted) / (1 + len(text)) ** 0.5 for text in texts], float
    )


def label_right(page: Page, question: str) -> np.ndarray:
    """What stands to the right of, or else under, the token most like the question, (N,)."""
    likeness = lexical(page, question)
    scores = np.zeros(len(page.tokens))
    if not likeness.any():
        return scores
    for i in np.argsort(-likeness, kind="stable")[:3]:
        if likeness[i] > 0:
            scores = np.maximum(scores, likeness[i] * _beside(page, int(i)))
    return scores


def label_type(page: Page, question: str) -> np.ndarray:
    """:func:`label_right` among the tokens that have the form the question asks for, (N,)."""
    form = next((form for word, form in _TYPES if word.search(question)), None)
    near, fits = label_right(page, question), np.ones(len(page.tokens), bool)
    if form is not None:
        fits = np.array([form.search(token.text) is not None for token in page.tokens], bool)
    if not fits.any():
        return near
    # Where no label helps, the first of the right form from the top; on a page without a label, a name is a headline.
    order = 1e-3 * (1 - np.arange(len(fits)) / max(len(fits), 1))
    return np.where(fits, near + order, 0.0)


RULES: dict[str, Callable[[Page, str], np.ndarray]] = {
    "uniform": uniform,
    "lexical": lexical,
    "label_right": label_right,
    "label_type": label_type,
}


def words(text: str) -> set[str]:
    """Content words, lower case, a plural s left out."""
    found = (w.lower() for w in _WORD.findall(text))
    return {w[:-1] if len(w) > 3 and w.endswith("s") else w for w in found if w not in _STOP}


def _beside(page: Page, label: int) -> np.ndarray:
    """1 for the token next to the right of a label, falling with the distance; less for what stands under it."""
    box = page.tokens[label].box
    height = max(box[3] - box[1], 1.0)
    scores = np.zeros(len(page.tokens))
    for i, token in enumerate(page.tokens):
        if i == label:
            scores[i] = 0.05 if any(c.isdigit() for c in token.text) else 0.0
            continue
        scores[i] = _place(box, token.box, height)
    return scores


def _place(label: Box, other: Box, height: float) -> float:
    middle, line = (other[1] + other[3]) / 2, (label[1] + label[3]) / 2
    if abs(middle - line) <= SAME_LINE * height and other[0] >= label[2] - height / 2:
        return 1 / (1 + (other[0] - label[2]) / (40 * height))
    overlap = min(label[2], other[2]) - max(label[0], other[0])
    down = (other[1] - label[3]) / height
    if overlap > 0 and -0.5 <= down <= 3:
        return 0.5 / (1 + max(down, 0.0))
    return 0.0
