"""How file formats write a text down, with the way back from each decoded character to its place in the file.

Only the part of a text that is replaced is encoded anew; the rest keeps the very escapes it had.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from html.entities import html5


@dataclass(frozen=True)
class Codec:
    """``escape`` matches one escape sequence, ``decode`` gives what it stands for, ``encode`` writes a text."""

    escape: re.Pattern[str] | None
    decode: Callable[[str], str]
    encode: Callable[[str], str]


def _same(text: str) -> str:
    return text


_BACKSLASHES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "a": "\a",
    "v": "\v",
    "0": "\0",
    "e": "\x1b",
}
_BACKSLASHES |= {"N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"}


def _backslash(sequence: str) -> str:
    kind = sequence[1]
    if kind not in "uUx":
        return _BACKSLASHES.get(kind, kind if kind != "\n" else "")
    if len(sequence) == 12:  # two \u escapes that make one character
        high, low = int(sequence[2:6], 16), int(sequence[8:12], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    code = int(sequence[2:], 16)
    return chr(code) if code <= 0x10FFFF else "\ufffd"


def _one_line(text: str, quote: str) -> str:
    text = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


_JSON = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^uUx]")
_REPR = re.compile(r"\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\[^xuU]", re.DOTALL)
_LEGACY = "|".join(sorted((n for n in html5 if not n.endswith(";")), key=len, reverse=True))
# Browsers also read numbers, and the names that HTML 4 knew, without their semicolon.
_ENTITY = re.compile(
    rf"&(?:#[0-9]{{1,8}};?|#[xX][0-9a-fA-F]{{1,7}};?|[a-zA-Z][a-zA-Z0-9]{{1,31}};|(?:{_LEGACY})(?!=))"
)
# An escape of a page that is itself written as the value of an attribute: ``&amp;lt;`` for "<".
_TWICE = re.compile(rf"&(?:amp|#38|#[xX]26);{_ENTITY.pattern.removeprefix('&')}|{_ENTITY.pattern}")
_BREAKS_OUT = re.compile(r"[\t\n\f\r =`]")
_XML = re.compile(r"&(?:#[0-9]{1,8}|#x[0-9a-fA-F]{1,7}|amp|lt|gt|quot|apos);")


def _no_breaks(text: str) -> str:
    return " ".join(text.split("\n"))


_PAIR = r"u[dD][89abAB][0-9a-fA-F]{2}%su[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}"
_YAML_JSON = rf"\\(?:{_PAIR % (chr(92) * 2)}|[^uUx])"


def _unquoted(text: str) -> str:
    """A value without quotes must never be empty: ``value= class=x`` would swallow the next attribute."""
    return _BREAKS_OUT.sub(lambda m: f"&#{ord(m.group())};", html.escape(text)) or "&#32;"


def _value_attribute(text: str) -> str:
    """The value of an input that has none yet: the attribute's name comes with it."""
    return f' value="{html.escape(text)}"' if text else ""


def _nested(outer: str, inner: str, escape: str) -> Codec:
    """A text in ``inner``, inside a scalar in ``outer``."""
    return Codec(
        re.compile(escape, re.DOTALL),
        lambda sequence: decode(decode(sequence, outer), inner),
        lambda text: encode(encode(text, inner), outer),
    )


CODECS = {
    "plain": Codec(None, _same, _no_breaks),
    "json": Codec(_JSON, _backslash, lambda t: _one_line(t, '"')),
    # A number stays a number whatever part of it is replaced, also at its start and where nothing shall be left.
    "json-number": Codec(None, _same, lambda t: "9"),
    "repr-single": Codec(_REPR, _backslash, lambda t: _one_line(t, "'")),
    "repr-double": Codec(_REPR, _backslash, lambda t: _one_line(t, '"')),
    "yaml-double": Codec(_REPR, _backslash, lambda t: _one_line(t, '"')),
    "yaml-single": Codec(re.compile("''"), lambda s: "'", lambda t: _no_breaks(t).replace("'", "''")),
    # The value of a line that has none yet: the separator comes with it.
    "yaml-append": Codec(None, _same, lambda t: f": {_no_breaks(t)}" if t else ""),
    # Names in YAML are JSON strings, of which a damaged file may hold bad ones: ``\x`` is no escape. A key that
    # needs quotes in YAML holds a name that has quotes and escapes of its own.
    "yaml-json": Codec(re.compile(_YAML_JSON, re.DOTALL), _backslash, lambda t: _one_line(t, '"')),
    "yaml-single-json": _nested("yaml-single", "yaml-json", rf"\\''|''|{_YAML_JSON}"),
    "yaml-double-json": _nested(
        "yaml-double", "yaml-json", rf"\\\\(?:{_PAIR % (chr(92) * 4)}|\\.|[^uUx\\])|{_REPR.pattern}"
    ),
    "xml": Codec(_XML, html.unescape, html.escape),
    "html": Codec(_ENTITY, html.unescape, html.escape),
    "html-unquoted": Codec(_ENTITY, html.unescape, _unquoted),
    "html-append": Codec(None, _same, _value_attribute),
    "html-nested": Codec(
        _TWICE, lambda s: html.unescape(html.unescape(s)), lambda t: html.escape(html.escape(t))
    ),
    "html-nested-unquoted": Codec(
        _TWICE, lambda s: html.unescape(html.unescape(s)), lambda t: html.escape(_unquoted(t))
    ),
    "html-nested-append": Codec(None, _same, lambda t: html.escape(_value_attribute(t))),
}
"""All of them, by the name that spans carry: a stored observation can be rewritten without its reader."""


def decode(raw: str, codec: str) -> str:
    """The text that ``raw`` stands for."""
    found = CODECS[codec]
    return raw if found.escape is None else found.escape.sub(lambda m: found.decode(m.group()), raw)


def encode(text: str, codec: str) -> str:
    """``text`` as the format writes it (without its quotes)."""
    return CODECS[codec].encode(text)


def offsets(raw: str, codec: str) -> list[int]:
    """For each character of the decoded text, and for its end, the index in ``raw`` where it starts."""
    found = CODECS[codec]
    if found.escape is None:
        return list(range(len(raw) + 1))
    places: list[int] = []
    last = 0
    for match in found.escape.finditer(raw):
        places.extend(range(last, match.start()))
        places.extend([match.start()] * len(found.decode(match.group())))
        last = match.end()
    places.extend(range(last, len(raw) + 1))
    return places
