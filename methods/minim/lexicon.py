"""Word lists that the rules read from files beside the code."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=None)
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
