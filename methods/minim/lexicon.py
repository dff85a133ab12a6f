"""Word lists that the rules read from files beside the code."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def section(file: str, name: str) -> frozenset[str]:
    """Words of one ``[name]`` section; of ``phrases`` each line is one entry."""
    found: set[str] = set()
    current = ""
    for line in (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = line.strip("[] ")
        elif current == name and not line.startswith("#"):
            found.update([line] if name == "phrases" else line.split())
    return frozenset(found - {""})


@cache
def rows(file: str) -> tuple[tuple[str, str], ...]:
    """``key | value`` lines in order."""
    lines = (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" | ", 1) for line in lines if line and not line.startswith("#"))
    return tuple((key, value) for key, value in pairs)
