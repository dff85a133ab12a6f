"""How file formats write a text down, with the way back from each decoded character to its place in the file.

Only the part of a text that is replaced is encoded anew; the rest keeps the very escapes it had.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass


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
_ENTITY = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_XML = re.compile(r"&(?:#[0-9]{1,8}|#x[0-9a-fA-F]{1,7}|amp|lt|gt|quot|apos);")


def _no_breaks(text: str) -> str:
    return " ".join(text.split("\n"))


CODECS = {
    "plain": Codec(None, _same, _no_breaks),
    "json": Codec(_JSON, _backslash, lambda t: _one_line(t, '"')),
    "repr-single": Codec(_REPR, _backslash, lambda t: _one_line(t, "'")),
    "repr-double": Codec(_REPR, _backslash, lambda t: _one_line(t, '"')),
    "yaml-double": Codec(_REPR, _backslash, lambda t: _one_line(t, '"')),
    "yaml-single": Codec(re.compile("''"), lambda s: "'", lambda t: _no_breaks(t).replace("'", "''")),
    "xml": Codec(_XML, html.unescape, lambda t: html.escape(t, quote=True)),
    "html": Codec(_ENTITY, html.unescape, lambda t: html.escape(t, quote=True)),
    # The value of a line that has none yet: the separator comes with it.
    "yaml-append": Codec(None, _same, lambda t: f": {_no_breaks(t)}" if t else ""),
}


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
