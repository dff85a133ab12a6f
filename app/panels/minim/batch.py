"""Minimise every step of the open trace with the document's settings and the person's decisions. No Qt."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.panels.minim import readings
from app.panels.minim.document import Masking
from app.panels.minim.overrides import resolve
from methods.core.context import Context
from methods.minim import batch, pipeline


def steps_in(folder: Path, suffixes: Iterable[str]) -> tuple[str, ...]:
    """Paths of the steps of a trace in order.

    Raises:
        BadInput: there is none.
    """
    return tuple(map(str, batch.steps_in(folder, suffixes)))


def run(state: Masking, out: Path, context: Context) -> list[dict[str, Any]]:
    """Minimise all steps of ``state.trace`` into ``out``; returns the rows of the report."""
    settings = batch.Settings(state.task, readings.policy_of(state), state.secrets, pipeline.weights_sha256())
    overrides = (lambda page: resolve(page, state.rulings)) if state.rulings else None
    files = [Path(path) for path in state.trace]
    return batch.run(files, out, settings, readings.scorer(), context, overrides)
