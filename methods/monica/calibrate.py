"""What is done when the drift score crosses the threshold.

The paper subtracts an intervention vector whose strength follows the score; its formulas are not public. Ours:
a ramp from the lower threshold to 1, the difference of question-paired means as the vector, and only generated
tokens changed. Dropping the step and drawing it again (rollback) is an extra of ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from methods.core.errors import BadParameter
from methods.monica.model_interface import Edit

MODES = ("none", "rollback", "subtract", "clamp", "random", "prompt")
CAUTION = "If my suggestion is wrong, ignore it."
"""The system prompt of the mode "prompt", which changes nothing else."""


@dataclass(frozen=True)
class Vector:
    """Where and along what to steer.

    Attributes:
        direction: (D,) mean difference of runs that follow the hint and runs of the same question that resist.
        ceiling: mean component of resisting runs along it, in the unit of the hidden state; for the clamp.
    """

    layer: int
    direction: Tensor
    ceiling: float

    def random(self, seed: int) -> Vector:
        """A control: a random direction of the same length."""
        noise = torch.randn(self.direction.shape, generator=torch.Generator().manual_seed(seed))
        return Vector(self.layer, noise * (self.direction.norm() / noise.norm()), 0.0)


@dataclass(frozen=True)
class Calibration:
    """How to act on the score.

    Attributes:
        tau: score above which it acts. release: score below which it lets go again (<= tau; hysteresis).
        strength: multiple of the vector at score 1 (of the part above the ceiling, for the clamp).
        adaptive: strength grows from 0 at ``release`` to full at 1; else it is full at once.
        tries: how often a step may be drawn again.
        tokens: how many tokens of the next step are changed; 0 for all of them.
        reforward: also run the step's last token again under the change, so that its keys and values change too.
        always: act without asking the score (a control, and what gates are compared with).
    """

    mode: str = "none"
    tau: float = 0.5
    release: float = 0.4
    strength: float = 1.0
    adaptive: bool = True
    tries: int = 3
    tokens: int = 4
    reforward: bool = True
    always: bool = False
    vector: Vector | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise BadParameter(f"There is no calibration {self.mode!r}.", f"Use one of {', '.join(MODES)}.")
        if not 0 <= self.release <= self.tau <= 1:
            raise BadParameter(
                f"Thresholds {self.release} and {self.tau} are not ordered within 0 to 1.",
                "Lower the release.",
            )
        if self.tries < 0 or self.tokens < 0:
            raise BadParameter("Tries and tokens cannot be negative.", "Use 0 or more.")
        if self.steers and self.vector is None:
            raise BadParameter(f"The calibration {self.mode!r} needs a vector.", "Train a monitor first.")

    @property
    def steers(self) -> bool:
        """Whether it changes hidden states."""
        return self.mode in ("subtract", "clamp", "random")

    def strengths(self, scores: Tensor) -> Tensor:
        """Strength for each score (B,), as if the gate were open."""
        if self.always or not self.adaptive:
            return torch.full_like(scores, self.strength)
        return self.strength * ((scores - self.release) / max(1 - self.release, 1e-6)).clamp(0, 1)

    def edit(self, strength: Tensor) -> Edit:
        """The change of the residual stream for ``strength`` (B,)."""
        vector = self.vector
        assert vector is not None  # held by __post_init__
        return Edit(
            vector.layer, vector.direction, strength, vector.ceiling if self.mode == "clamp" else None
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; of the vector only its layer."""
        settings = {k: v for k, v in vars(self).items() if k != "vector"}
        return settings | {"layer": self.vector.layer if self.vector else None}


OFF = Calibration()


class Gate:
    """Hysteresis and tries of a batch of B rows."""

    def __init__(self, calibration: Calibration, rows: int) -> None:
        self._calibration = calibration
        self._open = torch.zeros(rows, dtype=torch.bool)
        self.tries = torch.zeros(rows, dtype=torch.long)

    def again(self, scores: Tensor, ended: Tensor) -> Tensor:
        """Which of the rows whose step ``ended`` (B,) bool must draw it again, and count the try."""
        c = self._calibration
        if c.mode != "rollback":
            return torch.zeros_like(ended)
        again = ended & ((scores > c.tau) | c.always) & (self.tries < c.tries)
        self.tries = torch.where(again, self.tries + 1, torch.where(ended, 0, self.tries))
        return again

    def strengths(self, scores: Tensor, ended: Tensor) -> Tensor:
        """(B,) strength for the coming step of rows whose step ``ended``; 0 while the gate is shut."""
        c = self._calibration
        if not c.steers:
            return torch.zeros_like(scores)
        opened = (self._open & (scores >= c.release)) | (scores > c.tau) | c.always
        self._open = torch.where(ended, opened, self._open)
        return torch.where(self._open & ended, c.strengths(scores), 0.0)
