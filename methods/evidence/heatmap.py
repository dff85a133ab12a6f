"""Probability mass painted over a page: print stays readable, and darker always means more."""

from __future__ import annotations

import numpy as np

from methods.evidence.page import Box
from methods.evidence.words import Words

DECADES = 4.0
"""Of a logarithmic scale."""
# Anchors of a ramp whose lightness falls evenly (CIE L* 100, 88, 74, 58, 42) from paper over yellow to red: the steps
# look alike, in grey and to colour-blind eyes, too.
_RAMP = np.array(
    [(255, 255, 255), (255, 221, 128), (255, 166, 66), (236, 101, 60), (186, 42, 62)], np.float32
)


def strength(masses: np.ndarray, log: bool = False) -> np.ndarray:
    """(N,) masses as shares of the largest in [0, 1]; on a logarithmic scale over ``DECADES``."""
    top = masses.max(initial=0.0)
    if not top > 0:
        return np.zeros(len(masses), np.float32)
    share = (masses / top).astype(np.float32)
    if log:
        return np.clip(1 + np.log10(np.maximum(share, 1e-12)) / DECADES, 0, 1).astype(np.float32)
    return share


def colours(values: np.ndarray) -> np.ndarray:
    """(N, 3) uint8 colours of the ramp for values in [0, 1]."""
    at = np.clip(values, 0, 1) * (len(_RAMP) - 1)
    low = np.minimum(at.astype(int), len(_RAMP) - 2)
    part = (at - low)[..., None]
    return np.rint(_RAMP[low] * (1 - part) + _RAMP[low + 1] * part).astype(np.uint8)


def overlay(
    picture: np.ndarray,
    words: Words,
    masses: np.ndarray,
    opacity: float = 0.8,
    log: bool = False,
    box: Box | None = None,
) -> np.ndarray:
    """The page with each word's box coloured by its mass and the answer framed, (H, W, 3) uint8.

    Args:
        picture: (H, W, 3) uint8. masses: (N,) of the words. opacity: in [0, 1].
    """
    height, width = picture.shape[:2]
    values = np.zeros((height, width), np.float32)
    pad = 0.1 * words.height
    for (x0, y0, x1, y1), value in zip(words.boxes, strength(masses, log), strict=True):
        part = values[
            max(int(y0 - pad), 0) : int(np.ceil(y1 + pad)), max(int(x0 - pad), 0) : int(np.ceil(x1 + pad))
        ]
        np.maximum(part, value, out=part)
    # Colours multiply with the print, like a marker pen, so no letter is covered.
    painted = picture.astype(np.float32) * colours(values) / 255
    mixed = picture * (1 - opacity) + painted * opacity
    found = np.rint(mixed).astype(np.uint8)
    if box is not None:
        _frame(found, box, max(2, round(words.height / 8)))
    return found


def _frame(picture: np.ndarray, box: Box, thick: int) -> None:
    height, width = picture.shape[:2]
    x0, y0, x1, y1 = (round(v) for v in (box[0] - thick, box[1] - thick, box[2] + thick, box[3] + thick))
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)
    for rows, columns in (
        (slice(y0, y0 + thick), slice(x0, x1)), (slice(max(y1 - thick, 0), y1), slice(x0, x1)),
        (slice(y0, y1), slice(x0, x0 + thick)), (slice(y0, y1), slice(max(x1 - thick, 0), x1)),
    ):  # fmt: skip
        picture[rows, columns] = (20, 90, 200)
