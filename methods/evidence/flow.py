"""The schedule of a flow: how far mass reaches at each step (gamma) and how hard it is pulled (tau)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from methods.core.errors import BadInput

MOST_STEPS = 64


@dataclass(frozen=True)
class Schedule:
    """K steps.

    Attributes:
        gammas: entropic regularisation of each step, in squared page lengths; infinity makes a step a softmax.
        sigmas: tau / gamma of each step.
    """

    gammas: tuple[float, ...]
    sigmas: tuple[float, ...]

    @property
    def steps(self) -> int:
        return len(self.gammas)

    @property
    def taus(self) -> tuple[float, ...]:
        """Step sizes; infinite where gamma is."""
        return tuple(g * s for g, s in zip(self.gammas, self.sigmas, strict=True))

    def changed(
        self,
        steps: int | None = None,
        gamma: float | tuple[float, float] | None = None,
        tau: float | None = None,
    ) -> Schedule:
        """The schedule a person asks for instead.

        Args:
            steps: another K, 1..64. The course of gamma is kept and tau is shared out so that the sum of
                tau / gamma, the sharpness that is reached, stays.
            gamma: the same for all steps, or from the first to the last step in equal ratios; infinity is allowed.
                tau / gamma stays.
            tau: factor on every tau, greater than 0.

        Raises:
            BadInput: a value outside its range.
        """
        new = self if steps is None or steps == self.steps else self._resampled(steps)
        if gamma is not None:
            new = Schedule(_course(gamma, new.steps), new.sigmas)
        if tau is not None:
            if not (math.isfinite(tau) and tau > 0):
                raise BadInput(f"tau is {tau}.", "Give a factor greater than 0.")
            new = Schedule(new.gammas, tuple(s * tau for s in new.sigmas))
        return new

    def one_step(self) -> Schedule:
        """A single softmax of the same sharpness: what the flow becomes when its reach is endless."""
        return Schedule((math.inf,), (sum(self.sigmas),))

    def _resampled(self, steps: int) -> Schedule:
        if not 1 <= steps <= MOST_STEPS:
            raise BadInput(f"The number of steps is {steps}.", f"Choose 1 to {MOST_STEPS} steps.")
        old = np.linspace(0, 1, self.steps) if self.steps > 1 else np.ones(1)
        new = np.linspace(0, 1, steps) if steps > 1 else np.ones(1)
        gammas = np.exp(np.interp(new, old, np.log(self.gammas)))
        sigmas = np.interp(new, old, self.sigmas)
        sigmas *= sum(self.sigmas) / sigmas.sum()
        return Schedule(tuple(gammas.tolist()), tuple(sigmas.tolist()))


def geometric(first: float, last: float, steps: int) -> tuple[float, ...]:
    """From ``first`` to ``last`` in equal ratios; a single step takes ``last``."""
    if steps == 1:
        return (last,)
    return tuple(np.geomspace(first, last, steps).tolist())


def _course(gamma: float | Sequence[float], steps: int) -> tuple[float, ...]:
    first, last = (gamma, gamma) if isinstance(gamma, (int, float)) else gamma
    if not (first > 0 and last > 0):
        raise BadInput(f"gamma is {gamma}.", "Give values greater than 0.")
    if first == last:
        return (float(first),) * steps
    if math.inf in (first, last):
        raise BadInput(
            f"gamma goes from {first} to {last}.", "Give two finite values, or infinity for all steps."
        )
    return geometric(first, last, steps)
