"""How well an answer is placed and read: pointing, evidence mass, IoU, ANLS, "no evidence", with intervals.

Pointing is the saliency literature's pointing game; IoU at 0.5 and mean IoU are those of VISA and BBox-DocVQA; ANLS is
DocVQA's (Biten et al., ICDAR 2019): 1 minus the normalised edit distance, 0 from a distance of one half on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from methods.evidence.page import Box, Page
from methods.evidence.samples import Asked, evidence_tokens

ANLS_THRESHOLD = 0.5


@dataclass(frozen=True)
class Score:
    """The figures of one answer to a question that the page tells, each in [0, 1] but the distance.

    Attributes:
        pointing: the middle of the likeliest word lies in the evidence; among equally likely ones their share.
        mass: probability on the words of the evidence.
        iou: of the answer's box with the evidence, the best over the boxes where any will do.
        iou50: whether that is at least one half.
        distance: 2-Wasserstein distance of the mass on words to the nearest distribution on the evidence, in percent
            of the page's diagonal; NaN without words or without mass.
        anls, exact: of the answer's text.
    """

    pointing: float
    mass: float
    iou: float
    iou50: float
    distance: float
    anls: float
    exact: float


def score(asked: Asked, page: Page, masses: np.ndarray, box: Box | None, text: str) -> Score:
    """Score one answer.

    Args:
        page: the words the masses are about. masses: (N,) probability of each; the rest to 1 is on "no evidence".
        box: of the answer, None for "no evidence", which points nowhere.
    """
    centres = np.array([((t.box[0] + t.box[2]) / 2, (t.box[1] + t.box[3]) / 2) for t in page.tokens]).reshape(
        -1, 2
    )
    inside = np.array([any(_inside(centre, b) for b in asked.boxes) for centre in centres], bool)
    pointing = 0.0
    if box is not None and len(masses):
        pointing = float(inside[masses == masses.max()].mean())
    held = np.zeros(len(masses), bool)
    held[list(evidence_tokens(page, asked))] = True
    overlap = 0.0 if box is None else best_iou(box, asked)
    return Score(
        pointing=pointing,
        mass=float(masses[held].sum()),
        iou=overlap,
        iou50=float(overlap >= 0.5),
        distance=100 * _distance(centres, masses, asked.boxes) / max(math.hypot(page.width, page.height), 1),
        anls=anls(text, asked.answer),
        exact=float(normal(text) == normal(asked.answer)),
    )


def _distance(centres: np.ndarray, masses: np.ndarray, boxes: Sequence[Box]) -> float:
    """In pixels; each unit of mass goes to the nearest box, so no plan has to be sought."""
    total = masses.sum()
    if not boxes or not total > 0:
        return math.nan
    low, high = np.array(boxes)[:, :2], np.array(boxes)[:, 2:]
    gap = np.maximum(np.maximum(low - centres[:, None], centres[:, None] - high), 0)
    return float(np.sqrt((gap**2).sum(-1).min(-1) @ masses / total))


def best_iou(box: Box, asked: Asked) -> float:
    """IoU with the evidence: its union where all of it is needed, else the best of its boxes."""
    if not asked.boxes:
        return 0.0
    if asked.mode == "all_of":
        return iou(box, union(asked.boxes))
    return max(iou(box, b) for b in asked.boxes)


def union(boxes: Sequence[Box]) -> Box:
    """The smallest box around all of them."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def iou(a: Box, b: Box) -> float:
    """Intersection over union, 0 for boxes without area."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    common = max(width, 0.0) * max(height, 0.0)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return common / (areas - common) if areas > common else 0.0


def _inside(point: np.ndarray, box: Box) -> bool:
    return bool(box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3])


def normal(text: str) -> str:
    """Case and runs of white space do not count."""
    return re.sub(r"\s+", " ", text).strip().casefold()


def anls(text: str, answer: str) -> float:
    """Average normalised Levenshtein similarity of one pair, in [0, 1]."""
    a, b = normal(text), normal(answer)
    longest = max(len(a), len(b))
    if not longest:
        return 1.0
    distance = edit_distance(a, b) / longest
    return 1 - distance if distance < ANLS_THRESHOLD else 0.0


def edit_distance(a: str, b: str) -> int:
    """Insertions, deletions and substitutions that turn ``a`` into ``b``."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    return row[-1]


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Area under the ROC curve: how often a positive scores above a negative, ties half; NaN without both."""
    values, labels = np.asarray(scores, float), np.asarray(positive, bool)
    up, down = values[labels], values[~labels]
    if not len(up) or not len(down):
        return math.nan
    gaps = up[:, None] - down
    return float(((gaps > 0) + 0.5 * (gaps == 0)).mean())


def interval(values: Sequence[float], seed: int = 0, draws: int = 2000) -> tuple[float, float]:
    """95 % bootstrap interval of the mean; of differences between two methods it is the paired one."""
    data = np.asarray(values, float)
    if not len(data):
        return math.nan, math.nan
    rng = np.random.default_rng(seed)
    means = [rng.choice(data, len(data)).mean() for _ in range(draws)]
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))
