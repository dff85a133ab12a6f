"""The texts of a page as rules look at them, with what has been found in each so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from methods.minim.normalise import Folded, fold, fold_url
from methods.minim.observation import Observation
from methods.minim.patterns import Hit
from methods.minim.privacy import TYPES, Finding

Place = tuple[int, int]
"""An element and the index of one of its texts."""


class Evidence:
    """Texts of an observation, folded, with what is found so far for each (element, text)."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.found: defaultdict[Place, list[Finding]] = defaultdict(list)
        self.folded: dict[Place, Folded] = {}
        self.links: set[Place] = set()
        for e in observation.elements:
            for i, text in enumerate(e.texts):
                if text.text and text.field != "copy":
                    if text.field == "url":
                        self.links.add((e.uid, i))
                    self.folded[e.uid, i] = fold_url(text.text) if text.field == "url" else fold(text.text)

    def text(self, place: Place) -> str:
        return self.observation.elements[place[0]].texts[place[1]].text

    def add(self, place: Place, hits: Iterable[Hit]) -> None:
        for hit in hits:
            start, end = self.folded[place].span(hit.start, hit.end)
            self.found[place].append(Finding(*place, start, end, hit.type, hit.why, hit.checksum))

    def whole(self, place: Place, type: str, why: str) -> None:
        """The whole text, but for space around it."""
        text = self.folded[place].text
        start = len(text) - len(text.lstrip())
        if text.strip():
            self.add(place, [Hit(start, len(text.rstrip()), type, why)])

    def place(self, uid: int, field: str) -> Place | None:
        """Where an element holds its first text of that kind."""
        for i, text in enumerate(self.observation.elements[uid].texts):
            if text.field == field and (uid, i) in self.folded:
                return uid, i
        return None


def apart(findings: list[Finding], text: str) -> list[Finding]:
    """Findings that do not overlap: the strongest first, of equal ones the longest.

    A weaker finding that holds a stronger one keeps the rest of its characters.
    """
    kept: list[Finding] = []
    queue = sorted(findings, key=lambda f: (-TYPES[f.type].s, f.start - f.end, f.start, _ORDER[f.type]))
    for f in queue:
        over = [k for k in kept if f.start < k.end and k.start < f.end]
        if not over:
            kept.append(f)
        elif f.type in _LONG and all(f.start <= k.start and k.end <= f.end for k in over):
            at = f.start
            for k in [*sorted(over, key=lambda k: k.start), None]:
                end = k.start if k else f.end
                if any(c.isalnum() for c in text[at:end]):
                    kept.append(replace(f, start=at, end=end))
                at = k.end if k else at
    return sorted(kept, key=lambda f: f.start)


_ORDER = {type: i for i, type in enumerate(TYPES)}
_LONG = frozenset(("message", "address", "insurance"))
