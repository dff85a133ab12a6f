"""A quick look whether a file that others might open too holds parts or a table of points."""

from __future__ import annotations

import re
from pathlib import Path

SEEN = 4096
"""Bytes that are looked at."""
_NUMBERS = re.compile(rb"[-+.\deE,;\s]+")


def is_parts(path: Path) -> bool:
    """Our own JSON, or an array of numbers; an .npz always may be."""
    if path.suffix.lower() != ".json":
        return True
    start = _start(path)
    return b'"studiolo-superquadrics"' in start or re.match(rb"\s*\[\s*\[\s*[-\d]", start) is not None


def is_table(path: Path) -> bool:
    """A line of numbers among the first lines of a text; files of other endings always may be."""
    if path.suffix.lower() not in (".txt", ".csv", ".pts", ".xyz"):
        return True
    lines = _start(path).splitlines()[:8]
    return any(line.strip() and _NUMBERS.fullmatch(line) for line in lines)


def _start(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(SEEN)
