"""BrowserGym's accessibility tree text: ``[a20] textbox 'Card' value='4929', required, url='…'``."""

from __future__ import annotations

import re

from methods.minim.formats.axtree_text import PROPERTIES, QUOTED, flavour, note, read_tree, trimmed
from methods.minim.formats.outline import Draft, Outline
from methods.minim.observation import Box, Observation

FORMAT = "browsergym-text"

_FLAGS = PROPERTIES | {"clickable", "visible", "som"}
_ATTRIBUTE = re.compile(
    rf"(?:(,)\s*|\s+)([A-Za-z_][\w-]*+)(?:=({QUOTED}|[^\s,'\"][^\s,]*+|(?=[\s,]|$)))?(?=[\s,]|$)"
)
_COORDINATES = re.compile(r"\(?(-?[\d.]{1,20}),\s*(-?[\d.]{1,20}),\s*([\d.]{1,20}),\s*([\d.]{1,20})\)?")


def matches(name: str, source: str) -> bool:
    """Whether the text looks like this format."""
    return flavour(source) == FORMAT


def read(name: str, source: str) -> Observation:
    """Read the text of an observation. Elements without an id (StaticText) are read as well.

    Raises:
        BadInput: no line belongs to such a tree.
    """
    return read_tree(name, source, FORMAT, "[a20] link 'Orders', clickable", _attributes)


def _attributes(outline: Outline, draft: Draft, start: int, end: int) -> None:
    while start < end:
        match = _ATTRIBUTE.match(outline.source, start, end)
        if match and match[3] is not None:
            _pair(outline, draft, match[2], *match.span(3))
        elif match and match[1] and match[2] in _FLAGS:
            draft.states[match[2]] = True
        else:
            note(outline, draft, "", *trimmed(outline.source, start, end))
            return
        start = match.end()


def _pair(outline: Outline, draft: Draft, key: str, start: int, end: int) -> None:
    quote = outline.source[start:end][:1]
    if quote not in ("'", '"'):
        note(outline, draft, key, start, end)
        return
    start, end = start + 1, end - 1
    if key == "box" and (box := _box(outline.source[start:end])):
        draft.box = box
    elif key != "center" or not re.fullmatch(r"\(-?[\d.]+, ?-?[\d.]+\)", outline.source[start:end]):
        note(outline, draft, key, start, end, "repr-single" if quote == "'" else "repr-double")


def _box(raw: str) -> Box | None:
    match = _COORDINATES.fullmatch(raw)
    try:
        return tuple(map(float, match.groups())) if match else None
    except ValueError:  # "1.2.3" is no number
        return None
