"""The result of one action as the input of the next: written to a file, so that copied commands find it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from methods.core.declaration import Action, Input, Method
from methods.core.results import Result
from methods.core.runner import save_output, sha256_of_file

KEPT = 50
"""Files kept for copied commands; the oldest go first."""


def takers(method: Method, action: Action) -> list[Input]:
    """Inputs of the method that take what ``action`` gives, from a file."""
    if not action.output:
        return []
    kind = method.kind(action.output)
    if not (kind.load and kind.save):
        return []
    return [i for a in method.actions for i in a.inputs if i.kind == kind.id]


def keep(method: Method, action: Action, result: Result, folder: Path) -> str:
    """Write the result's value below ``folder`` under a name made from its content; returns the path.

    Raises:
        BadInput, OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    suffix = action.default_suffix or method.kind(action.output).suffixes[0]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        fresh = Path(scratch) / f"result{suffix}"
        save_output(method, action.output, result.value, fresh)
        path = folder / f"{method.id}-{action.id}-{sha256_of_file(fresh)[:12]}{suffix}"
        fresh.replace(path)
    old = sorted(folder.glob(f"{method.id}-*"), key=lambda p: p.stat().st_mtime, reverse=True)[KEPT:]
    for forgotten in old:
        forgotten.unlink(missing_ok=True)
    return str(path)
