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

from methods.evidence.page import Box
from methods.evidence.samples import Asked

ANLS_THRESHOLD = 0.5


@dataclass(frozen=True)
class Score:
    """The figures of one answered question; None where a figure is not defined.

    Attributes:
        pointing: the likeliest token lies in the evidence.
        mass: share of the probability that lies on the evidence.
        iou: of the answer's box with the evidence, the best over the boxes where any will do.
        anls, exact: of the answer's text.
    """

    pointing: float
    mass: float
    iou: float
    anls: float
    exact: float


def score(
    asked: Asked, masses: np.ndarray, centres: np.ndarray, evidence: Sequence[int], box: Box | None, text: str
) -> Score:
    """Score one answer.

    Args:
        masses: (N,) probability of each token. centres: (N, 2) their middles in pixels.
        evidence: indices of the tokens that are evidence.
        box: of the answer, None for "no evidence".
    """
    top = int(masses.argmax()) if len(masses) else -1
    hit = top >= 0 and box is not None and any(_inside(centres[top], b) for b in asked.boxes)
    mass = float(masses[list(evidence)].sum()) if evidence else 0.0
    return Score(
        float(hit), mass, 0.0 if box is None else best_iou(box, asked), anls(text, asked.answer),
        float(normal(text) == normal(asked.answer)),
    )  # fmt: skip


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
    """95 % bootstrap interval of the mean; of differences it is the paired one."""
    data = np.asarray(values, float)
    if not len(data):
        return math.nan, math.nan
    means = np.random.default_rng(seed).choice(data, (draws, len(data))).mean(1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))
