"""Which method opens a file: by its suffix, and by a look inside where several methods share the suffix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from methods.core.declaration import Kind, Method, resolve


def openers(path: Path, among: Sequence[Method]) -> list[Method]:
    """The methods that open a file, in their order, those that know it for their own before those that may.

    Where all say that it is not, all are given: a reader can tell best what is wrong with the file.
    """
    by_suffix = [method for method in among if _kinds(path, method)]
    if len(by_suffix) < 2 or not path.is_file():
        return by_suffix
    said = [{_looks_like(path, kind) for kind in _kinds(path, method)} for method in by_suffix]
    for answer in (True, None):
        if found := [m for m, answers in zip(by_suffix, said, strict=True) if answer in answers]:
            return found
    return by_suffix


def _kinds(path: Path, method: Method) -> list[Kind]:
    return [kind for kind in method.kinds if kind.load and path.suffix.lower() in kind.suffixes]


def _looks_like(path: Path, kind: Kind) -> bool | None:
    """None: the kind cannot tell."""
    if not kind.sniff:
        return None
    try:
        return bool(resolve(kind.sniff)(path))
    except OSError:
        return None
