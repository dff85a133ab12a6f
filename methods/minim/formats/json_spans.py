"""JSON as plain Python data whose strings, lists and objects know where the source holds them (RFC 8259).

One regular expression per value, no recursion: deep nesting costs no stack, and time is linear in the length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from methods.core.errors import BadInput
from methods.minim.codecs import decode
from methods.minim.observation import Span, Text

_WS = r"[ \t\n\r]*+"
_STRING = r'"([^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+)"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_VALUE = re.compile(
    rf"{_WS}(?:{_STRING}{_WS}:{_WS})?+"
    rf"(?:{_STRING}|({_NUMBER}|true|false|null|NaN|-?Infinity|[\[{{]))"
    rf"{_WS}((?:[\]}}]{_WS})*+,?+)"
)
_WORDS = {"true": True, "false": False, "null": None}
_WORDS |= {word: float(word) for word in ("NaN", "Infinity", "-Infinity")}
_KEY = re.compile(r'"([A-Za-z_$][\w$.-]{0,60})"\s*+:')
_SAMPLE = 30_000


class String(str):
    """A decoded string; its characters between the quotes are ``source[start:end]``."""

    __slots__ = ("end", "start")


class Number(float):
    """A number with its digits."""

    __slots__ = ("end", "raw", "start")


class Array(list):
    """A list; ``spans`` gives (start, end) of each member."""

    __slots__ = ("end", "spans", "start")


class Object(dict):
    """An object; braces included it is ``source[start:end]``."""

    __slots__ = ("end", "start")


class Json(NamedTuple):
    """``shadowed`` are members whose key comes again in the same object: programs skip them, people read them."""

    root: Array | Object
    shadowed: list[tuple[str, object]]


def keys(source: str) -> frozenset[str]:
    """Names of members near the start and the end of a text that looks like JSON: enough to tell a format."""
    head = source[:_SAMPLE].lstrip("\ufeff \t\r\n")
    if not re.match(rf"\[{_WS}[\[{{\]]|\{{{_WS}[\"}}]", head):
        return frozenset()
    return frozenset(_KEY.findall(head)) | frozenset(_KEY.findall(source[_SAMPLE:][-_SAMPLE:]))


def read_json(name: str, source: str) -> Json:
    """Read a JSON text whose top is an object or a list.

    Numbers become :class:`Number`, ``true`` and the like plain Python values.

    Raises:
        BadInput: the text is no JSON; the message gives line and column.
    """
    root: Array | Object | None = None
    top: Array | Object | None = None
    around: list[Array | Object | None] = []
    shadowed: list[tuple[str, object]] = []
    at = int(source.startswith("\ufeff"))
    while root is None or top is not None:
        match = _VALUE.match(source, at)
        if match is None:
            raise _error(name, source, at)
        key, string, other, tail = match.groups()
        if string is not None:
            value = String(decode(string, "json") if "\\" in string else string)
            value.start, value.end = match.span(2)
            bracket = False
        else:
            value = _unquoted(other, *match.span(3))
            bracket = other in "[{"
        if type(top) is Array and key is None:
            top.append(value)
            top.spans.append(match.span(3) if string is None else (value.start - 1, value.end + 1))
        elif type(top) is Object and key is not None:
            if "\\" in key:
                key = decode(key, "json")
            if key in top:
                shadowed.append((key, top[key]))
            top[key] = value
        elif top is None and bracket and key is None:
            root = value
        else:
            raise _error(name, source, at)
        if bracket:
            around.append(top)
            top = value
        at = match.end()
        if tail == ("" if bracket else ","):
            continue
        if not tail or tail == ",":
            raise _error(name, source, match.start(4))
        for place, mark in enumerate(tail, match.start(4)):
            if mark in "]}":
                if top is None or (mark == "]") != (type(top) is Array):
                    raise _error(name, source, place)
                top.end = place + 1
                done, top = top, around.pop()
                if type(top) is Array:
                    top.spans[-1] = done.start, done.end
        if (mark == ",") == (top is None):
            raise _error(name, source, at - (mark == ","))
    if source[at:].strip():
        raise _error(name, source, at)
    return Json(root, shadowed)


def _unquoted(raw: str, start: int, end: int) -> object:
    if raw in "[{":
        value = Array() if raw == "[" else Object()
        value.start = start
        if raw == "[":
            value.spans = []
        return value
    if raw in _WORDS:
        return _WORDS[raw]
    value = Number(raw)
    value.raw, value.start, value.end = raw, start, end
    return value


def _error(name: str, source: str, at: int) -> BadInput:
    at += len(source[at:]) - len(source[at:].lstrip())
    line = source.count("\n", 0, at) + 1
    column = at - source.rfind("\n", 0, at)
    found = repr(source[at : at + 12]) if at < len(source) else "the end"
    return BadInput(
        f"{name}, line {line}, column {column}: this is no JSON, {found} is out of place.",
        "Save the observation again; the file may be cut off.",
    )


def text(field: str, value: object) -> Text | None:
    """The text of a string or number in the source; None for anything else."""
    if isinstance(value, String):
        return Text(field, str(value), Span(value.start, value.end, "json"))
    if isinstance(value, Number):
        return Text(field, value.raw, Span(value.start, value.end, "json-number"))
    return None


def strings(value: object, key: str = "") -> Iterator[tuple[str, String]]:
    """All strings at and below ``value`` in document order, each with the name of the member that holds it."""
    waiting = [(key, value)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, String):
            yield key, value
        elif isinstance(value, Array):
            waiting.extend((key, v) for v in reversed(value))
        elif isinstance(value, Object):
            waiting.extend(reversed(value.items()))
