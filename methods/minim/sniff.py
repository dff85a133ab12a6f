"""A quick look whether a file that others might open too is an observation of a user interface."""

from __future__ import annotations

import re
from pathlib import Path

SEEN = 65_536
"""Bytes that are looked at."""
_KEY = re.compile(
    rb'"(?:role|nodeId|nodes|axtree\w*|documents|bounds|bbox|box|rect|tag|text|label|class|resource-id)"\s*:'
)
_LINE = re.compile(rb"(?m)^\s*(?:-\s)?(?:\[\w+\]\s)?(?:RootWebArea\b|\[\w+\]\s\w+|\w+ ['\"])")


def is_observation(path: Path) -> bool:
    """JSON with a key that elements have, or text with a line of a tree; files of other endings always may be."""
    if path.suffix.lower() not in (".json", ".txt"):
        return True
    with path.open("rb") as stream:
        start = stream.read(SEEN)
    return bool((_KEY if path.suffix.lower() == ".json" else _LINE).search(start))
