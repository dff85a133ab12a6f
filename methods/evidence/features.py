"""What the network sees: of a page once (text, layout, neighbours, picture), of a question with a page (matches)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from methods.evidence import text
from methods.evidence.words import Words

LAYOUT = 20 + text.SHAPES
"""Numbers per word."""
MATCHES = 6
"""Numbers per word for a question."""
CROP = (16, 48)
"""Height and width of a word's picture."""
QUESTION_WORDS = 48
_X_EDGES = np.array([-20, -8, -3, -1, -0.01, 0.01, 1, 3, 8, 20], np.float32)
_Y_EDGES = np.array([-8, -3.2, -1.6, -0.6, 0.6, 1.6, 3.2, 8], np.float32)
PAIRS = (len(_X_EDGES) + 1) * (len(_Y_EDGES) + 1)
"""Kinds of relative place of two words."""


@dataclass(frozen=True)
class PageFeatures:
    """A window of a page: N words.

    Attributes:
        grams, offsets: rows of the n-gram table, one run per word, and where each run begins.
        layout: (N, LAYOUT) float32.
        pairs: (N, N) uint8, relative place of word j seen from word i.
        points: (N, 2) float32 middles in shares of the page.
        joints: (N, JOINTS) float32, what parts a word from the next.
        crops: (N, 16, 48) float32 in [0, 1], 1 is ink; None without a picture.
    """

    grams: np.ndarray
    offsets: np.ndarray
    layout: np.ndarray
    pairs: np.ndarray
    points: np.ndarray
    joints: np.ndarray
    crops: np.ndarray | None

    def __len__(self) -> int:
        return len(self.layout)


@dataclass(frozen=True)
class QuestionFeatures:
    """A question for the same window: its words' n-grams, and (N, MATCHES) float32."""

    grams: np.ndarray
    offsets: np.ndarray
    matches: np.ndarray


JOINTS = 6


def page_features(words: Words, window: slice, picture: np.ndarray | None = None) -> PageFeatures:
    """Features of the words in ``window``.

    Args:
        picture: (H, W) uint8 grey of the page's size; None where only the words are known.
    """
    boxes, height = words.boxes[window], words.height
    grams, offsets = bags(words.texts[window])
    points = words.centres[window] / np.array(
        [max(words.page.width, 1), max(words.page.height, 1)], np.float32
    )
    return PageFeatures(
        grams,
        offsets,
        _layout(words)[window],
        pair_kinds(boxes, height),
        np.clip(points, 0, 1).astype(np.float32),
        _joints(words)[window],
        None if picture is None else crops(picture, boxes),
    )


def bags(words: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """N-gram rows of all words one after the other, and the place where each word begins."""
    rows = [text.ngrams(word) for word in words]
    lengths = np.array([len(row) for row in rows], np.int64)
    flat = np.array([gram for row in rows for gram in row], np.int64)
    return flat, np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)[: len(rows)]


def _layout(words: Words) -> np.ndarray:
    if not len(words):
        return np.zeros((0, LAYOUT), np.float32)
    boxes, height, rows = words.boxes, words.height, words.rows
    size = np.array([max(words.page.width, 1), max(words.page.height, 1)] * 2, np.float32)
    place = np.clip(boxes / size, 0, 1)
    extent = (boxes[:, 2:] - boxes[:, :2]) / height
    left, right, before, after = _neighbours(words)
    repeats = Counter(text.normal(word) for word in words.texts)
    again = np.array([min(repeats[text.normal(word)] - 1, 4) / 4 for word in words.texts], np.float32)
    numbers = np.stack(
        [
            *place.T, *words.centres.T / size[:2, None],
            np.minimum(extent[:, 0], 20) / 20, np.minimum(extent[:, 1], 4) / 4,
            (boxes[:, 3] - boxes[:, 1]) / size[1] * 20,
            rows / max(rows.max(), 1), np.minimum(rows, 20) / 20, np.minimum(rows.max() - rows, 20) / 20,
            np.minimum(left, 30) / 30, np.minimum(right, 30) / 30,
            np.minimum(before, 10) / 10, np.minimum(after, 10) / 10,
            again, *_amounts(words.texts),
            np.array([token.confidence for token in words.page.tokens]),
        ],
        1,
    )  # fmt: skip
    shapes = np.array([text.shape(word) for word in words.texts], np.float32)
    return np.concatenate([numbers, shapes], 1).astype(np.float32)


def _neighbours(words: Words) -> tuple[np.ndarray, ...]:
    """Gaps to the left and right neighbour in the row in heights (30 at the ends), and words before and after."""
    count = len(words)
    left, right = np.full(count, 30.0), np.full(count, 30.0)
    before, after = np.zeros(count), np.zeros(count)
    order = np.lexsort((words.boxes[:, 0], words.rows))
    starts = np.flatnonzero(np.diff(words.rows[order], prepend=-1))
    for row in np.split(order, starts[1:]):
        gaps = np.maximum(words.boxes[row[1:], 0] - words.boxes[row[:-1], 2], 0) / words.height
        left[row[1:]], right[row[:-1]] = gaps, gaps
        before[row], after[row] = np.arange(len(row)), np.arange(len(row))[::-1]
    return left, right, before, after


def _amounts(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Share of the page's largest amount, and whether it is the largest."""
    values = np.array([text.amount(word) or 0.0 for word in texts])
    most = values.max(initial=0.0)
    return (values / most, (values == most) * 1.0) if most > 0 else (values, values)


def pair_kinds(boxes: np.ndarray, height: float) -> np.ndarray:
    """(N, N) uint8: gap to the right (0 where they overlap) and step down of j from i, in heights and in classes."""
    x0, y0, x1, y1 = boxes.T
    gap = np.maximum(x0[None] - x1[:, None], 0) - np.maximum(x0[:, None] - x1[None], 0)
    middle = (y0 + y1) / 2
    x = np.digitize(gap / height, _X_EDGES)
    y = np.digitize((middle[None] - middle[:, None]) / height, _Y_EDGES)
    return (x * (len(_Y_EDGES) + 1) + y).astype(np.uint8)


def _joints(words: Words) -> np.ndarray:
    """What parts each word from the next: gap, step down, indent, other token, colon, end of the page."""
    boxes, height, count = words.boxes, words.height, len(words)
    found = np.zeros((count, JOINTS), np.float32)
    if count:
        now, then = boxes[:-1], boxes[1:]
        found[:-1, 0] = np.clip((then[:, 0] - now[:, 2]) / height, -4, 8) / 4
        found[:-1, 1] = np.clip((then[:, 1] - now[:, 1]) / height, -4, 4) / 2
        found[:-1, 2] = np.clip(np.abs(then[:, 0] - now[:, 0]) / height, 0, 20) / 20
        found[:-1, 3] = words.owner[1:] != words.owner[:-1]
        found[:, 4] = [word.endswith(":") for word in words.texts]
        found[-1, 5] = 1
    return found


def question_features(question: str, words: Words, window: slice) -> QuestionFeatures:
    """Features of a question; words beyond ``QUESTION_WORDS`` do not count."""
    asked = question[: 40 * QUESTION_WORDS].split()[:QUESTION_WORDS] or ["?"]
    grams, offsets = bags(asked)
    return QuestionFeatures(grams, offsets, _matches(asked, words)[window])


def _matches(asked: list[str], words: Words) -> np.ndarray:
    """Exact and near likeness to a word of the question, how rare that is on the page, the same of the next words."""
    count = len(words)
    found = np.zeros((count, MATCHES), np.float32)
    wanted = {text.normal(word): text.trigrams(word) for word in asked if text.normal(word)}
    frequency = Counter(text.normal(word) for word in words.texts)
    likeness: dict[str, float] = {}
    for i, word in enumerate(words.texts):
        plain = text.normal(word)
        if not plain:
            continue
        if plain not in likeness:
            grams = text.trigrams(word)
            likeness[plain] = max(
                (2 * len(grams & w) / (len(grams) + len(w)) for w in wanted.values()), default=0.0
            )
        same = plain in wanted
        found[i, :3] = same, likeness[plain], same / frequency[plain]
    if count:
        found[1:, 3], found[:-1, 4] = found[:-1, 0], found[1:, 0]
        row = np.zeros(int(words.rows.max()) + 1, np.float32)
        np.maximum.at(row, words.rows, found[:, 2])
        found[:, 5] = row[words.rows]
    return found


def crops(picture: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """(N, 16, 48) pictures of words, 1 is ink, by bilinear reading of the page; what lies outside is paper."""
    height, width = picture.shape
    rows, columns = CROP
    steps_y, steps_x = ((np.arange(n, dtype=np.float32) + 0.5) / n for n in CROP)
    y = boxes[:, 1, None] + steps_y * (boxes[:, 3] - boxes[:, 1])[:, None] - 0.5
    x = boxes[:, 0, None] + steps_x * (boxes[:, 2] - boxes[:, 0])[:, None] - 0.5
    y0, x0 = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    fy, fx = (y - y0)[:, :, None], (x - x0)[:, None, :]
    ink = np.zeros((len(boxes), rows, columns), np.float32)
    for dy, wy in ((0, 1 - fy), (1, fy)):
        for dx, wx in ((0, 1 - fx), (1, fx)):
            inside = (y0 + dy >= 0) & (y0 + dy < height), (x0 + dx >= 0) & (x0 + dx < width)
            value = picture[
                np.clip(y0 + dy, 0, height - 1)[:, :, None], np.clip(x0 + dx, 0, width - 1)[:, None, :]
            ]
            ink += wy * wx * (1 - value / 255) * (inside[0][:, :, None] & inside[1][:, None, :])
    return ink


def windows(count: int, size: int, overlap: int) -> list[tuple[slice, slice]]:
    """Cut ``count`` words into windows of at most ``size``: (what is seen, what of it is kept), both of the page.

    Neighbouring windows share ``overlap`` words and each keeps the nearer half, so every word is kept exactly once.
    """
    if count <= size:
        return [(slice(0, count), slice(0, count))]
    step = size - overlap
    starts = [*range(0, count - size, step), count - size]
    cuts = [0, *((a + size + b) // 2 for a, b in pairwise(starts)), count]
    return [(slice(s, s + size), slice(cuts[i], cuts[i + 1])) for i, s in enumerate(starts)]
