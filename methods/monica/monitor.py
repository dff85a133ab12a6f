"""The monitor: turns what the model has in mind at each token into a drift score.

The drift score (SDS) is the probability, under a probe trained on this model, that the run ends with the answer the
person suggested. It is not a probability of truth, and says nothing about models it was not trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from methods.core.errors import BadInput
from methods.monica.model_interface import LanguageModel
from methods.monica.probes import Probe


@dataclass(frozen=True)
class Monitor:
    """A probe at work. ``decay`` in [0, 1): share of the smoothed score that earlier steps keep."""

    probe: Probe
    decay: float = 0.5

    def score(self, features: Tensor) -> Tensor:
        """(B, F) features of the steps under way -> (B,) scores in [0, 1], on the CPU."""
        return self.probe.probabilities(features)

    def smooth(self, scores: Sequence[float]) -> float:
        """Exponential moving average of the scores up to the newest."""
        smoothed = scores[0]
        for score in scores[1:]:
            smoothed = self.decay * smoothed + (1 - self.decay) * score
        return smoothed

    def check(self, model: LanguageModel) -> None:
        """Raise if the probe is not of this model.

        Raises:
            BadInput: trained on other weights, or of a layer or width that the model does not have.
        """
        probe = self.probe
        if probe.sha256 != model.sha256:
            raise BadInput(
                f"The monitor was trained on {probe.model or 'other weights'}, not on {model.name} as loaded.",
                "Train one for this model, or override the check and read the scores as noise.",
            )
        if probe.layer >= model.layers or probe.width != model.width:
            raise BadInput(
                f"The monitor reads layer {probe.layer} of width {probe.width}; "
                f"{model.name} has {model.layers} layers of width {model.width}.",
                "Train one for this model.",
            )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able: which probe it is."""
        return {"decay": self.decay, **self.probe.summary()}
