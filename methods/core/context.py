"""What a work function may ask of its runner: cancel, progress, partial results, device, random numbers."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import torch

PROGRESS_INTERVAL = 1 / 30
"""Seconds between two progress reports: more than 30 a second only costs the receiver."""


class Cancelled(BaseException):
    """The person cancelled the work.

    A ``BaseException`` so that ``except Exception`` inside a method cannot swallow it.
    """


class CancelToken:
    """Set once by the person who cancels, read by the work."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()


class Context:
    """Handed to every work function.

    Args:
        seed: seeds ``rng`` and ``generator``; the global random state is never used, because
            it is shared between threads.
        device: a torch device name that is present on this machine.
        token: the cancel token of the job; a fresh one if absent.
        on_progress: called with (fraction in [0, 1], text), at most 30 times a second; 1.0 always arrives.
        on_partial: called with live intermediate values.
        checkpoint: path of the weights to use instead of the shipped ones, or None.
    """

    def __init__(
        self,
        seed: int = 0,
        device: str = "cpu",
        token: CancelToken | None = None,
        on_progress: Callable[[float, str], None] | None = None,
        on_partial: Callable[[Any], None] | None = None,
        checkpoint: str | None = None,
        log: logging.Logger | None = None,
    ) -> None:
        self.seed = seed
        self.device = device
        self.token = token or CancelToken()
        self.checkpoint = checkpoint
        self.log = log or logging.getLogger("studiolo")
        self._on_progress = on_progress
        self._on_partial = on_partial
        self._last_progress = float("-inf")
        self._rng: np.random.Generator | None = None
        self._generator: torch.Generator | None = None

    def check(self) -> None:
        """Raise :class:`Cancelled` if the person has cancelled; call it in every loop."""
        if self.token.cancelled:
            raise Cancelled

    def progress(self, fraction: float, text: str = "") -> None:
        """Report how far the work is; also a cancel point."""
        self.check()
        if self._on_progress is None:
            return
        now = time.monotonic()
        if fraction < 1.0 and now - self._last_progress < PROGRESS_INTERVAL:
            return
        self._last_progress = now
        self._on_progress(min(max(float(fraction), 0.0), 1.0), text)

    def partial(self, value: Any) -> None:
        """Hand out an intermediate value; the receiver must not change it."""
        self.check()
        if self._on_partial is not None:
            self._on_partial(value)

    @property
    def rng(self) -> np.random.Generator:
        """This job's own numpy generator."""
        if self._rng is None:
            import numpy as np

            self._rng = np.random.default_rng(self.seed)
        return self._rng

    @property
    def generator(self) -> torch.Generator:
        """This job's own torch generator, on ``device``."""
        if self._generator is None:
            import torch

            self._generator = torch.Generator(self.device).manual_seed(self.seed)
        return self._generator
