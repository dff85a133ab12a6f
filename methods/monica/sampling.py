"""Which token comes next, with random numbers that belong to a place and not to a moment.

Every draw is a hash of (seed, row, place in the text, attempt). So a row draws the same numbers alone and in a
batch, a branch continues as its parent did, and a calibrated run differs from its baseline only where the
calibrator acted: common random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from methods.core.errors import BadParameter


@dataclass(frozen=True)
class Sampling:
    """How to draw. ``temperature`` 0 takes the likeliest token; ``top_p`` in (0, 1] keeps the likeliest share."""

    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 0
    max_tokens: int = 256

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= 10:
            raise BadParameter(
                f"The temperature {self.temperature} lies outside 0 to 10.", "Use for example 0.7."
            )
        if not 0 < self.top_p <= 1:
            raise BadParameter(f"top-p {self.top_p} lies outside 0 to 1.", "Use 1 to keep every token.")
        if self.max_tokens < 1:
            raise BadParameter("At least one token must be generated.", "Raise the number of tokens.")


def uniforms(seed: int, keys: np.ndarray, places: np.ndarray, attempts: np.ndarray) -> np.ndarray:
    """(B,) float64 in [0, 1): a hash of each row's key, place and attempt (all (B,) integers).

    Source: the finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
    """
    state = np.full(len(keys), seed & 0xFFFFFFFFFFFFFFFF, np.uint64)
    for part in (keys, places, attempts):
        state = _mix(state + np.asarray(part).astype(np.uint64) * np.uint64(0xD1342543DE82EF95))
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mix(x: np.ndarray) -> np.ndarray:
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def pick(logits: Tensor, u: np.ndarray, sampling: Sampling) -> Tensor:
    """Next tokens (B,) long: the u-quantile of each row's distribution over the vocabulary.

    Args:
        logits: (B, V) float32. u: (B,) in [0, 1).
    """
    if sampling.temperature == 0:
        return logits.argmax(1)
    chances = torch.softmax(logits.double() / sampling.temperature, 1)
    if sampling.top_p < 1:
        ranked, order = chances.sort(1, descending=True)
        beyond = ranked.cumsum(1) - ranked >= sampling.top_p
        chances = chances.masked_fill(beyond.gather(1, order.argsort(1)), 0.0)
    edges = chances.cumsum(1)
    target = torch.from_numpy(u).to(edges)[:, None] * edges[:, -1:]
    found = torch.searchsorted(edges, target, right=True)[:, 0]
    return found.clamp_max(logits.shape[1] - 1)
