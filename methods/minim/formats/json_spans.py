"""JSON as plain Python data whose strings, lists and objects know where the source holds them (RFC 8259).

One regular expression per value, no recursion: deep nesting costs no stack, and time is linear in the length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from methods.core.errors import BadInput
from methods.minim.codecs import CODECS, Codec, decode
from methods.minim.observation import Span, Text

# A number stays a number whatever part of it is replaced, also at its start and where nothing shall be left.
CODECS["json-number"] = Codec(None, lambda text: text, lambda text: "9")

_WS = r"[ \t\n\r]*+"
_STRING = r'"([^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+)"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_VALUE = re.compile(
    rf"{_WS}(?:{_STRING}{_WS}:{_WS})?+"
    rf"(?:{_STRING}|({_NUMBER})|(true|false|null|NaN|-?Infinity)|([\[{{])|(?=[\]}}]))"
    rf"{_WS}((?:[\]}}]{_WS})*+)(,?+)"
)
_WORDS = {"true": True, "false": False, "null": None}
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
    stack: list[Array | Object] = []
    shadowed: list[tuple[str, object]] = []
    at = int(source.startswith("\ufeff"))
    comma = False
    while root is None or stack:
        match = _VALUE.match(source, at)
        if match is None:
            raise _error(name, source, at)
        key, string, number, word, bracket, closers, comma_after = match.groups()
        top = stack[-1] if stack else None
        if string is not None:
            start, end = match.span(2)
            value: object = String(decode(string, "json") if "\\" in string else string)
            value.start, value.end = start, end
            start, end = start - 1, end + 1
        elif bracket:
            start, end = match.span(5)
            value = Array() if bracket == "[" else Object()
            value.start = start
            if bracket == "[":
                value.spans = []
        elif number is not None:
            start, end = match.span(3)
            value = Number(number)
            value.start, value.end, value.raw = start, end, number
        elif word is not None:
            start, end = match.span(4)
            value = _WORDS[word] if word in _WORDS else float(word.replace("Infinity", "inf"))
        elif comma or key is not None or not top is not None or len(top):
            raise _error(name, source, match.start(6))
        else:
            start = -1
        if start >= 0:
            if top is None:
                if not bracket:
                    raise _error(name, source, at)
                root = value
            elif (key is None) == (type(top) is Object):
                raise _error(name, source, at)
            elif key is None:
                top.append(value)
                top.spans.append((start, end))
            else:
                if "\\" in key:
                    key = decode(key, "json")
                if key in top:
                    shadowed.append((key, top[key]))
                top[key] = value
            if bracket:
                stack.append(value)
        place = match.start(6)
        for offset, closer in enumerate(closers):
            if closer in "]}":
                if not stack or (closer == "]") != (type(stack[-1]) is Array):
                    raise _error(name, source, place + offset)
                done = stack.pop()
                done.end = place + offset + 1
                if stack and type(stack[-1]) is Array:
                    stack[-1].spans[-1] = done.start, done.end
        comma = bool(comma_after)
        opened = bool(bracket) and not closers
        if comma == opened if stack else comma:
            raise _error(name, source, match.end() - comma)
        at = match.end()
    if source[at:].strip():
        raise _error(name, source, at)
    return Json(root, shadowed)


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
