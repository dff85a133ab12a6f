"""Make necessities of different pages comparable.

What a network says of the best elements differs from page to page: where the thing itself is not on the screen,
the entry that leads to it gets less than a mere neighbour of the thing where it is. A part of the difference
between pages is therefore taken out before one threshold is laid through all of them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from methods.minim.observation import Observation


@dataclass(frozen=True)
class Calibration:
    """n = 10 sigmoid(logit - blend * reference + shift), the reference being the page's own.

    Attributes:
        blend: how much of the difference between pages is taken out, from 0 (none) to 1 (all).
        share: the reference is the logit that this share of the page's counted elements reaches.
        shift: places the chosen threshold at a round value of n.
    """

    blend: float = 0.0
    share: float = 0.2
    shift: float = 0.0

    def to_dict(self) -> dict[str, float]:
        return asdict(self)

    def necessity(self, logit: np.ndarray, counted: np.ndarray) -> np.ndarray:
        """n in [0, 10], (N,) float32, of logits (N,), of which those ``counted`` (N,) bool set the reference."""
        return (10 / (1 + np.exp(-np.clip(self.level(logit, counted), -30, 30)))).astype(np.float32)

    def level(self, logit: np.ndarray, counted: np.ndarray) -> np.ndarray:
        """The logit of n / 10 after calibration, (N,)."""
        among = logit[counted]
        if not len(among):
            return logit + self.shift
        place = max(1, round(self.share * len(among)))
        reference = np.partition(among, len(among) - place)[len(among) - place]
        return logit - self.blend * reference + self.shift


def counted(observation: Observation) -> np.ndarray:
    """(N,) bool: elements with text or something to act on; a root is the page itself."""
    return np.array([e.parent >= 0 and bool(e.texts or e.interactive) for e in observation.elements], bool)
