"""WebArena's accessibility tree text: ``[12] link 'Orders' focused: True url: http://…``, tabs for depth."""

from __future__ import annotations

import re

from methods.minim.formats.axtree_text import PROPERTIES, flavour, note, read_tree, trimmed
from methods.minim.formats.outline import Draft, Outline
from methods.minim.observation import Observation

FORMAT = "webarena-text"

# Only known names split the line, so that a colon inside a value does not end it.
_KEY = re.compile(r"(?<= )([A-Za-z]++):(?=\s|$)")


def matches(name: str, source: str) -> bool:
    """Whether the text looks like this format."""
    return flavour(source) == FORMAT


def read(name: str, source: str) -> Observation:
    """Read the text of an observation, with or without the prompt lines around it.

    Raises:
        BadInput: no line belongs to such a tree.
    """
    return read_tree(name, source, FORMAT, "[12] link 'Orders' focused: True", _properties)


def _properties(outline: Outline, draft: Draft, start: int, end: int) -> None:
    key, at = "", start
    for match in _KEY.finditer(outline.source, start, end):
        if match[1] not in PROPERTIES:
            continue
        note(outline, draft, key, *trimmed(outline.source, at, match.start()))
        key, at = match[1], match.end()
    note(outline, draft, key, *trimmed(outline.source, at, end))
