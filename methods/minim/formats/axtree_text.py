"""Accessibility trees printed as one line per element: ``[id] role 'name'`` and properties.

WebArena (``browser_env/processors.py``) and BrowserGym (``flatten_axtree_to_str``) differ only in how they
print the properties, so each gives a function that reads the rest of a line. Every character that is not
structure becomes a text of some element: what is not understood must not escape the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from methods.minim.formats.outline import Draft, Line, Outline, lines
from methods.minim.observation import Observation

QUOTED = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
"""A Python string literal on one line."""

_AX_NAMES = """
activedescendant atomic autocomplete busy checked controls describedby description details disabled editable
errormessage expanded flowto focusable focused hasPopup hidden hiddenRoot invalid keyshortcuts labelledby level live
modal multiline multiselectable orientation owns placeholder pressed readonly relevant required roledescription root
selected settable url value valuemax valuemin valuetext
"""
PROPERTIES = frozenset(_AX_NAMES.split())
"""Names of accessibility properties (Chrome DevTools protocol, AXPropertyName) and of texts printed like them."""

_FIELDS = {"value": "value", "valuetext": "value", "url": "url", "placeholder": "placeholder"}
_NUMBERS = frozenset(("level", "valuemin", "valuemax"))
_WORDS = frozenset(
    ("autocomplete", "checked", "hasPopup", "invalid", "live", "orientation", "pressed", "relevant")
)
_NODE = re.compile(r"(?:\[([\w:.-]+)\] ?)?([A-Za-z][\w-]*+)(?: ((?=['\"]))|(?=[ ,]|$))")
_NAME = re.compile(f"(?:{QUOTED})(?=[\\s,]|$)")
_KEYED = re.compile(r"(Tab \d+(?: \((?:current|active|active tab)\))?|[A-Z][A-Za-z ]{0,40}):(?=\s|$)\s*")
_NEXT_TAB = re.compile(r" \| (?=Tab \d+(?: \((?:current|active|active tab)\))?: )")
_INTEGER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_WORD = re.compile(r"[a-z][a-z ]{0,24}")

Tail = Callable[[Outline, Draft, int, int], None]
"""Reads ``source[start:end]``, the rest of an element's line, into the draft."""


def read_tree(name: str, source: str, format: str, wanted: str, tail: Tail) -> Observation:
    """Read a printed tree; the texts around it become ``#header`` elements.

    Raises:
        BadInput: no line of the file is an element or a known header.
    """
    outline = Outline(name, format, source)
    for line in lines(source):
        if line.blank:
            continue
        match = _NODE.match(source, line.first, line.last)
        if match and (match[1] or match[3] is not None):
            _read_node(outline, line, match, tail)
        else:
            _read_header(outline, line)
    return outline.observation(wanted)


def _read_node(outline: Outline, line: Line, match: re.Match[str], tail: Tail) -> None:
    draft = outline.node(line.indent, match[2])
    draft.native_id = match[1] or ""
    draft.cuts.append((line.start, line.stop))
    at = match.end()
    if match[3] is not None:
        at, closed = _name_end(outline.source, at, line.last)
        codec = "repr-single" if outline.source[match.end()] == "'" else "repr-double"
        draft.texts.append(outline.text("name", match.end() + 1, at - closed, codec))
        if not closed:
            outline.odd("the quote around the name is not closed", line.number)
    if draft.role == "RootWebArea" and not outline.title:
        outline.title = draft.texts[0].text if draft.texts else ""
    if at < line.last:
        tail(outline, draft, at, line.last)


def _name_end(source: str, start: int, last: int) -> tuple[int, bool]:
    """Where a quoted name ends, and whether a quote ends it. Names with a quote left bare go to the last one."""
    if match := _NAME.match(source, start, last):
        return match.end(), True
    closing = source.rfind(source[start], start + 1, last)
    ends = closing > 0 and (closing + 1 == last or source[closing + 1] in " \t,")
    return (closing + 1, True) if ends else (last, False)


def _read_header(outline: Outline, line: Line) -> None:
    """A line that is no element. Tabs in one line are elements of their own, so one can go and another stay."""
    source = outline.source
    starts = [line.first]
    ends = []
    if source.startswith("Tab ", line.first):
        for match in _NEXT_TAB.finditer(source, line.first, line.last):
            ends.append(match.start())
            starts.append(match.end())
    ends.append(line.last)
    for position, (start, end) in enumerate(zip(starts, ends, strict=True)):
        match = _KEYED.match(source, start, end)
        kind = match[1] if match else ""
        if match and match.end() == end:
            outline.recognised = True
            continue  # "OBSERVATION:" alone says nothing and stays
        draft = outline.header("tab" if kind.startswith("Tab ") else kind.lower())
        draft.texts.append(
            outline.text("url" if kind.endswith("URL") else "name", match.end() if match else start, end)
        )
        if "(current)" in kind:
            draft.states["current"] = True
            outline.title = outline.title or draft.texts[0].text
        if len(starts) == 1:
            draft.cuts.append((line.start, line.stop))
        else:
            draft.items = ((len(outline.lists), position),)
    if len(starts) > 1:
        outline.lists.append(tuple(zip(starts, ends, strict=True)))


def note(outline: Outline, draft: Draft, key: str, start: int, end: int, codec: str = "plain") -> None:
    """A property whose value is at ``source[start:end]``: a state, or a text where it can hold anything."""
    if start == end and key not in _FIELDS:
        return
    raw = outline.source[start:end]
    if key in _FIELDS:
        draft.texts.append(outline.text(_FIELDS[key], start, end, codec))
    elif raw.lower() in ("true", "false"):
        draft.states[key] = raw.lower() == "true"
    elif key in _NUMBERS and _INTEGER.fullmatch(raw):
        draft.states[key] = float(raw) if "." in raw else int(raw)
    elif key in _WORDS and _WORD.fullmatch(raw):
        draft.states[key] = raw
    else:
        draft.texts.append(outline.text("description", start, end, codec))


def trimmed(source: str, start: int, end: int) -> tuple[int, int]:
    """The same range without white space at its ends."""
    while start < end and source[start].isspace():
        start += 1
    while start < end and source[end - 1].isspace():
        end -= 1
    return start, end


_SNIFF = 200_000
_ANY_NODE = re.compile(r"^\ufeff?[\t ]*\[([A-Za-z]*)\d+\] [A-Za-z]\w* ['\"]", re.MULTILINE)
_NO_ID = re.compile(r"^\ufeff?[\t ]*(?:RootWebArea|StaticText) ['\"]", re.MULTILINE)
_TAB = re.compile(r"^\ufeff?Tab \d+(?: \(current\))?: ", re.MULTILINE)
_COMMAS = re.compile(r"['\"],[ ][a-zA-Z]+(?:=|, |\r?$)", re.MULTILINE)


def flavour(source: str) -> str:
    """``webarena-text``, ``browsergym-text`` or "" for anything else, by the first part of the text."""
    head = source[:_SNIFF]
    nodes = _ANY_NODE.findall(head)
    if any(nodes) or _NO_ID.search(head):
        return "browsergym-text"
    if _TAB.search(head):
        return "webarena-text"
    return ("browsergym-text" if _COMMAS.search(head) else "webarena-text") if nodes else ""
