"""Pieces of HTML: tags and their attributes with exact places in the source, and how to write values back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from methods.minim.codecs import decode
from methods.minim.observation import Span, Text

WS = "\t\n\f\r "
"""White space of the HTML standard; Python's ``\\s`` has more."""

# The attribute states of the HTML standard's tokenizer (section 13.2.5.32 and on). Every quantifier is
# possessive, so a hostile file costs no more than its length. A missing end quote reads to the end.
_ATTRIBUTE = re.compile(
    rf"[{WS}/]*+(?P<name>[^{WS}/>][^{WS}/>=]*+)"
    rf"(?:[{WS}]*+=[{WS}]*+(?:\"(?P<double>[^\"]*+)(?:\"|\Z)|'(?P<single>[^']*+)(?:'|\Z)|(?P<bare>[^{WS}>]*+)))?"
)
_TAG_END = re.compile(rf"[{WS}/]*+>?")


class Attribute(NamedTuple):
    """One attribute. Its raw value is ``source[start:end]``; ``start`` is -1 where only a name stands."""

    start: int
    end: int
    codec: str


class Tag(NamedTuple):
    """A start tag's attributes by lower-case name; its name ends at ``inside``, its last attribute
    at ``last``, the tag at ``end``."""

    attributes: dict[str, Attribute]
    inside: int
    last: int
    end: int
    closed: bool


def start_tag(source: str, inside: int) -> Tag:
    """Read the attributes of a start tag whose name ends at ``inside``. Of two with one name the first counts.

    A repeated attribute is kept under a name of its own, because the file still holds its text.
    """
    if source.startswith(">", inside):  # most tags, and nearly all end tags
        return Tag({}, inside, inside, inside + 1, False)
    found: dict[str, Attribute] = {}
    last = inside
    while match := _ATTRIBUTE.match(source, last):
        kind = match.lastgroup
        start, end = match.span(kind) if kind != "name" else (-1, -1)
        name = match["name"].lower()
        if name in found:
            name = f"data-repeated-{len(found)}-{name}"
        found[name] = Attribute(start, end, "html-unquoted" if kind == "bare" else "html")
        last = match.end()
    end = _TAG_END.match(source, last)
    return Tag(found, inside, last, end.end(), "/" in end.group())


def text_at(source: str, field: str, place: Attribute | Span) -> Text:
    """The text that an attribute or a stretch of the source holds."""
    start, end, codec = place.start, place.end, place.codec
    raw = source[start:end]
    return Text(field, decode(raw, codec) if "&" in raw else raw, Span(start, end, codec))


def value_of(source: str, attributes: Mapping[str, Attribute], name: str) -> str | None:
    """An attribute's decoded value; "" where only its name stands, None where there is none."""
    place = attributes.get(name)
    if place is None:
        return None
    raw = source[place.start : place.end] if place.start >= 0 else ""
    return decode(raw, place.codec) if "&" in raw else raw


class Token(NamedTuple):
    """A piece of HTML: ``kind`` is start, end, text, raw or comment; a comment's content is [inner, outer)."""

    kind: str
    name: str
    start: int
    end: int
    inner: int = -1
    outer: int = -1
    tag: Tag | None = None


RAW = frozenset(["script", "style", "iframe", "xmp", "noembed", "noframes"])
"""Their content is neither tags nor escapes; of textarea and title (RCDATA) it is escapes but no tags."""
RCDATA = frozenset(("textarea", "title"))

_TAG_NAME = re.compile(rf"</?([a-zA-Z][^{WS}/>]*+)")
_COMMENT_END = re.compile(r"--!?>")


def tokens(source: str, start: int = 0) -> Iterator[Token]:
    """The pieces of an HTML text in order, cut as a browser cuts them (HTML standard, section 13.2.5).

    Linear in the length of the text, whatever it holds. A tag or comment that the end of the file cuts off
    counts as one, because a reader of the file sees what it says.
    """
    at = text = start
    length = len(source)
    while (at := source.find("<", at)) >= 0:
        token = _markup(source, at, length)
        if token is None:
            at += 1
            continue
        if text < at:
            yield Token("text", "", text, at)
        yield token
        at = text = token.end
        if token.kind == "start" and (token.name in RAW or token.name in RCDATA):
            close = _end_of_raw(source, token.name, at)
            yield Token("raw", token.name, at, close)
            at = text = close
    if text < length:
        yield Token("text", "", text, length)


def _markup(source: str, at: int, length: int) -> Token | None:
    match = _TAG_NAME.match(source, at)
    if match:
        kind = "end" if source[at + 1] == "/" else "start"
        tag = start_tag(source, match.end())
        return Token(kind, match[1].lower(), at, tag.end, tag=tag)
    if source.startswith("<!--", at):
        for short in (">", "->"):
            if source.startswith(short, at + 4):
                return Token("comment", "", at, at + 4 + len(short), at + 4, at + 4)
        end = _COMMENT_END.search(source, at + 4)
        return Token(
            "comment", "", at, *((end.end(), at + 4, end.start()) if end else (length, at + 4, length))
        )
    if source.startswith(("<!", "<?", "</"), at) and at + 2 < length:
        close = source.find(">", at)
        end = close + 1 if close >= 0 else length
        doctype = source[at + 2 : at + 9].lower() == "doctype"
        return Token(
            "doctype" if doctype else "comment", "", at, end, at + 2, close if close >= 0 else length
        )
    return None


def _end_of_raw(source: str, name: str, at: int) -> int:
    """Where the end tag of a raw element begins; the end of the file when there is none."""
    match = re.compile(rf"</{name}(?=[{WS}/>])", re.IGNORECASE).search(source, at)
    return match.start() if match else len(source)
