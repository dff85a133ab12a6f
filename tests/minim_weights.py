"""Weights for tests: untrained ones wherever any will do, and a mark for tests that need the shipped ones."""

from pathlib import Path

import pytest

from methods.core.declaration import ASSETS

SHIPPED = ASSETS / "checkpoints" / "minim.safetensors"
needs_weights = pytest.mark.skipif(not SHIPPED.is_file(), reason="the shipped weights are not there")


def untrained(path: Path, tau_n: float = 0.0, apps: tuple[str, ...] = ()) -> Path:
    """Write a network that nobody trained; by default with a threshold below which nothing lies."""
    from methods.minim import training

    training.save(path, training.new_network(seed=1), tau_n, 5.0, {"apps": list(apps)}, {})
    return path
