"""What the monitor sees of a step: hidden states pooled over its tokens, and the steps before it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

POOLS = ("mean", "last")
"""Over the tokens of the step so far, or its newest token alone."""


class StepFeatures:
    """Collects hidden states of a batch while it runs; memory does not grow with the text.

    Args:
        layers: which ones. rows, width: B and D. window: steps that count, the one under way included (>= 1).
    """

    def __init__(self, layers: Sequence[int], rows: int, width: int, window: int = 1) -> None:
        self.layers = tuple(layers)
        shape = (len(self.layers), rows, width)
        self._sum, self._last = torch.zeros(shape), torch.zeros(shape)
        self._count = torch.zeros(rows)
        self._earlier = {pool: torch.zeros(window - 1, *shape) for pool in POOLS}
        self._steps = torch.zeros(rows)

    def add(self, hidden: dict[int, Tensor], active: Tensor) -> None:
        """Take in one token: ``hidden`` layer -> (B, D); rows that are not ``active`` (B,) stay as they are."""
        now = torch.stack([hidden[layer].cpu() for layer in self.layers])
        keep = active.cpu()[None, :, None]
        self._sum = torch.where(keep, self._sum + now, self._sum)
        self._last = torch.where(keep, now, self._last)
        self._count += active.cpu()

    def pooled(self, pool: str) -> Tensor:
        """(layers, B, D) of the step under way."""
        return self._last if pool == "last" else self._sum / self._count.clamp_min(1)[:, None]

    def current(self, layer: int, pool: str) -> Tensor:
        """(B, D) or, with a window, (B, 2 D): the step under way beside the mean of those before it (zeros if none)."""
        i = self.layers.index(layer)
        now, earlier = self.pooled(pool)[i], self._earlier[pool][:, i]
        if not len(earlier):
            return now
        before = earlier.sum(0) / self._steps.clamp(1, len(earlier))[:, None]
        return torch.cat([now, before], 1)

    def end(self, rows: Tensor) -> None:
        """The step of ``rows`` (B,) bool is over and kept."""
        for pool, earlier in self._earlier.items():
            moved = torch.cat([self.pooled(pool)[None], earlier])[: len(earlier)]
            self._earlier[pool] = torch.where(rows[None, None, :, None], moved, earlier)
        self._steps += rows
        self.drop(rows)

    def drop(self, rows: Tensor) -> None:
        """Forget the step under way in ``rows`` (B,) bool."""
        self._sum[:, rows], self._last[:, rows], self._count[rows] = 0, 0, 0


def windowed(steps: np.ndarray, window: int) -> np.ndarray:
    """The features of :meth:`StepFeatures.current` for a finished run.

    Args:
        steps: (S, D) pooled states of its steps in order.

    Returns:
        (S, D) or, for ``window`` > 1, (S, 2 D).
    """
    if window == 1:
        return steps
    before = [
        steps[max(0, t - window + 1) : t].mean(0) if t else np.zeros_like(steps[0]) for t in range(len(steps))
    ]
    return np.concatenate([steps, np.stack(before)], 1) if len(steps) else np.zeros((0, 2 * steps.shape[1]))
