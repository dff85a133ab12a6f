"""Other ways to write the same text: full-width digits, zero-width characters, percent escapes, odd dashes.

Rules look at the folded text; the way back to the original characters comes with it, so that what is found is
masked where it really stands.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text.

    Attributes:
        text: what rules look at.
        places: for each character and for the end its index in the original, None when nothing moved.
    """

    text: str
    places: tuple[int, ...] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]`` (not empty) stands in the original."""
        if self.places is None:
            return start, end
        return self.places[start], max(self.places[end], self.places[end - 1] + 1)


@lru_cache(maxsize=8192)
def _character(c: str) -> str:
    """What one character counts as: digits of any script become 0-9, invisible characters nothing."""
    category = unicodedata.category(c)
    if category == "Nd":
        return str(unicodedata.decimal(c))
    if category in ("Cf", "Mn") and not c.isalnum():
        # A mark stays a mark (it belongs to a letter), an invisible format character only hides a secret.
        return "" if category == "Cf" or c == "\u034f" or "\ufe00" <= c <= "\ufe0f" else c
    if c in _DASHES:
        return "-"
    if category == "Zs":
        return " "
    return unicodedata.normalize("NFKC", c)


def fold(text: str) -> Folded:
    """``text`` in compatibility form, character by character, without invisible characters."""
    if text.isascii():
        return Folded(text)
    parts = [_character(c) for c in text]
    if all(len(p) == 1 for p in parts):
        return Folded("".join(parts))
    places = [i for i, part in enumerate(parts) for _ in part]
    return Folded("".join(parts), (*places, len(text)))


def fold_url(text: str) -> Folded:
    """The same for an address, with ``%40`` and the like decoded first."""
    if "%" not in text:
        return fold(text)
    characters: list[str] = []
    places: list[int] = []
    last = 0
    for match in _ESCAPED.finditer(text):
        characters.extend(text[last : match.start()])
        places.extend(range(last, match.start()))
        at = match.start()
        for c in bytes.fromhex(match.group().replace("%", "")).decode("utf-8", "surrogateescape"):
            characters.append(c)
            places.append(at)
            at += 3 * len(c.encode("utf-8", "surrogateescape"))
        last = match.end()
    characters.extend(text[last:])
    places.extend(range(last, len(text) + 1))
    inner = fold("".join(characters))
    if inner.places is None:
        return Folded(inner.text, tuple(places))
    return Folded(inner.text, tuple(places[i] for i in inner.places))


def digits(text: str) -> str:
    """Only the digits of a folded text."""
    return "".join(c for c in text if c in "0123456789")


_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=50_000)
def word_spans(text: str) -> tuple[tuple[str, int, int], ...]:
    """Words of a folded text in lower case, with their places."""
    return tuple((m.group().lower(), m.start(), m.end()) for m in _WORD.finditer(text))


@lru_cache(maxsize=50_000)
def vocabulary(text: str) -> frozenset[str]:
    """The set of those words: most rules can tell from it that they have nothing to look for."""
    return frozenset(_WORD.findall(text.lower()))
