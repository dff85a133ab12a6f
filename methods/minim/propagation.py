"""Find a private text wherever else a page repeats it: other case, spaced, ungrouped, escaped, over several texts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from methods.minim.normalise import Folded, fold, fold_url
from methods.minim.observation import Observation
from methods.minim.search import Searched

_GLUE = " \t\n\r\v\f\0"
_GROUPING = _GLUE + "-.()/"
_BREAK = "\0"  # between two texts
_SPACED_LETTERS, _SPACED_CODE = 8, 6
"""From how many characters a text is also looked for without its spaces; shorter ones turn up by chance."""


class Hit(NamedTuple):
    """Characters ``start:end`` of the decoded text ``index`` of element ``uid``."""

    uid: int
    index: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Needle:
    """``text`` as it stands on the page. ``type`` and ``original`` say what it is a part of."""

    text: str
    type: str
    original: str

    @property
    def strict(self) -> bool:
        """A short secret that a person named stands only for itself: same case, no hyphen beside it."""
        return self.type == "given" and len(self.text) < 4


class Haystack:
    """All texts of a page (copies left out), to be searched for one needle after the other.

    Up to three views of the page are searched for each.
    """

    def __init__(self, observation: Observation) -> None:
        self._keys: list[tuple[int, int]] = []
        self._folded: list[Folded] = []
        for element in observation.elements:
            for index, text in enumerate(element.texts):
                if text.text and text.field != "copy":
                    self._keys.append((element.uid, index))
                    self._folded.append(fold_url(text.text) if text.field == "url" else fold(text.text))
        self._cased = _BREAK.join(f.text for f in self._folded)
        self._plain = _lower(self._cased)
        lengths = [len(f.text) + 1 for f in self._folded]
        self._starts = [0, *np.cumsum(lengths).tolist()]
        self._in_cased, self._in_plain = Searched(self._cased), Searched(self._plain)
        self._spaced = _without(self._plain, _GLUE)
        self._grouped = _without(self._plain, _GROUPING)

    def find(self, needle: Needle) -> list[Hit]:
        """Where the needle stands, as whole tokens. One that is split over neighbouring texts gives a hit in each."""
        folded = fold(needle.text).text.strip()
        wanted = _lower(folded)
        if needle.strict:
            ranges = [r for r in self._in_cased.all(folded) if self._free(*r, "-_")]
        else:
            ranges = [r for r in self._in_plain.all(wanted) if self._free(*r)]
        spaced, grouped = _strip(wanted, _GLUE), _strip(wanted, _GROUPING)
        letters = spaced.isalpha()
        if len(spaced) >= (_SPACED_LETTERS if letters else _SPACED_CODE):
            ranges += self._through(self._spaced, spaced)
        if grouped.isdecimal() and len(grouped) >= _SPACED_CODE:
            ranges += self._through(self._grouped, grouped)
        return list(dict.fromkeys(hit for r in ranges for hit in self._hits(*r)))

    def _through(self, view: tuple[Searched, np.ndarray], wanted: str) -> Iterator[tuple[int, int]]:
        text, places = view
        for start, end in text.all(wanted):
            first, last = int(places[start]), int(places[end - 1]) + 1
            if self._free(first, last):
                yield first, last

    def _free(self, start: int, end: int, joining: str = "") -> bool:
        """Whether ``start:end`` of the plain view is a whole token; beside a long number letters may stand."""
        plain = self._plain
        long = end - start >= _SPACED_CODE
        return not any(
            (outer and outer in joining)
            or (outer.isalnum() and inner.isalnum() and not (long and inner.isdecimal() and outer.isalpha()))
            for outer, inner in (
                (plain[max(start - 1, 0) : start], plain[start]),
                (plain[end : end + 1], plain[end - 1]),
            )
        )

    def _hits(self, start: int, end: int) -> Iterator[Hit]:
        which = bisect_right(self._starts, start) - 1
        while which < len(self._keys) and self._starts[which] < end:
            base, folded = self._starts[which], self._folded[which]
            first, last = max(start - base, 0), min(end - base, len(folded.text))
            if first < last:
                yield Hit(*self._keys[which], *folded.span(first, last))
            which += 1


def _lower(text: str) -> str:
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := c.lower()) == 1 else c for c in text)


def _strip(text: str, unwanted: str) -> str:
    return text.translate(dict.fromkeys(map(ord, unwanted)))


def _without(text: str, unwanted: str) -> tuple[Searched, np.ndarray]:
    """``text`` without some characters, and where each of the others stood."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    places = np.flatnonzero(~np.isin(codes, np.array([ord(c) for c in unwanted], np.uint32)))
    return Searched(codes[places].tobytes().decode("utf-32-le", "surrogatepass")), places
