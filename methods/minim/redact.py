"""Carry decisions out: the same file with private texts replaced and what is not needed cut out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import quote

import numpy as np

from methods.minim.findings import TYPES, Finding
from methods.minim.observation import Element, Observation
from methods.minim.operators import EMPTY, PRIVATE, Pseudonyms, replacement
from methods.minim.policy import (
    ABSTRACT,
    KEEP,
    REMOVE,
    TEXT_ENTRY_ROLES,
    Decisions,
    Policy,
    is_password_field,
)
from methods.minim.propagation import Haystack, Needle
from methods.minim.writer import rewrite

_NAMED_ROLES = TEXT_ENTRY_ROLES | frozenset(
    "button tab checkbox radio switch slider menuitem columnheader select".split()
)
"""Roles whose name says what they are for, so it stays when only their value is private."""

_COMMON_NAMES = frozenset(
    "will mark may april june august art bill case chase chip christian clay cliff dale dawn dean drew earl faith "
    "frank gene glen grace grant guy hope hunter iris ivy jack jade jean joy lane lily major mason max miles "
    "page parker pat penny pierce price ray reed rich rob robin rose ruby rusty sandy skip sky summer sunny tab "
    "trip van wade ward winter wood bank banks baker bell best black bond brown bush carpenter cell close cook "
    "cross day field fields fish fox gold good green gray grey hall hand head heading hill house image king law link "
    "list little long love main man marks menu moon moore north park place pool post power rice row rule small smart "
    "snow south stone street table text title town wall waters way west white wise young".split()
)
"""Names that are also common words, roles or labels; alone they are masked only where they were found."""

_NAME_WORD = re.compile(r"[^\W\d_]{3,}")
_PHRASE = 12

Part = tuple[int, int, str]


@dataclass(frozen=True)
class Redaction:
    """What leaves.

    Attributes:
        source: the minimised file.
        replacements: for (uid, index of the text), which parts of it are replaced by what.
        dropped: uids of the elements that are cut out.
        originals: the private texts that must be nowhere in what leaves. Never written anywhere.
    """

    source: str
    replacements: dict[tuple[int, int], tuple[Part, ...]]
    dropped: frozenset[int]
    originals: tuple[str, ...]


def redact(
    observation: Observation,
    decisions: Decisions,
    findings: Sequence[Finding],
    policy: Policy,
    pseudonyms: Pseudonyms,
) -> Redaction:
    """Apply decisions to the file.

    A removed element is cut out when everything below it is removed too; otherwise it stays as structure with
    empty texts. In an abstracted element each finding is replaced; if none of them is why it is private, the
    whole value or text is. What is private there is also replaced wherever else the page repeats it, unless a
    person decided to keep an element that shows it.
    """
    masks = _Masks(observation, decisions, findings, policy, pseudonyms)
    for element in observation.elements:
        if decisions.codes[element.uid] == REMOVE:
            masks.empty(element)
        elif decisions.codes[element.uid] == ABSTRACT:
            masks.abstract(element)
    originals = masks.propagate()
    dropped = droppable(observation, decisions.codes)
    replacements = {key: _apart(parts) for key, parts in masks.parts.items()}
    return Redaction(
        rewrite(observation, _once(observation, replacements), dropped), replacements, dropped, originals
    )


def droppable(observation: Observation, codes: np.ndarray) -> frozenset[int]:
    """Removed elements below which everything is removed."""
    stays = codes != REMOVE
    for element in reversed(observation.elements):  # children come after their parents
        if stays[element.uid] and element.parent >= 0:
            stays[element.parent] = True
    return frozenset(np.flatnonzero(~stays).tolist())


class _Masks:
    """Collects for each text the parts that are replaced."""

    def __init__(
        self,
        observation: Observation,
        decisions: Decisions,
        findings: Sequence[Finding],
        policy: Policy,
        pseudonyms: Pseudonyms,
    ) -> None:
        self.observation = observation
        self.codes = decisions.codes
        self.yours = {u for u, by in enumerate(decisions.by) if by == "you" and decisions.codes[u] == KEEP}
        self.findings: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in findings:
            self.findings[finding.uid].append(finding)
        self.policy = policy
        self.pseudonyms = pseudonyms
        self.parts: defaultdict[tuple[int, int], list[Part]] = defaultdict(list)
        self.phrases: list[str] = []

    def empty(self, element: Element) -> None:
        for index, text in enumerate(element.texts):
            if text.text:
                self.parts[element.uid, index].append((0, len(text.text), ""))

    def abstract(self, element: Element) -> None:
        found = self.findings[element.uid]
        password = is_password_field(element)
        whole = not any(self._private(f) for f in found)
        guess = max((f.type for f in found), key=lambda t: TYPES[t].s, default=PRIVATE)
        valued = any(t.field == "value" and t.text for t in element.texts)
        named = element.role.lower() in _NAMED_ROLES or valued
        for index, text in enumerate(element.texts):
            key = element.uid, index
            if text.field == "copy":
                continue
            if text.field == "value" and not text.text:
                if text.span is not None:
                    self.parts[key].append((0, 0, EMPTY))
            elif text.field == "value" and password:
                self._mask(key, 0, len(text.text), "password")
            elif (
                whole and not password and text.text and not (named and text.field in ("name", "placeholder"))
            ):
                self._mask(key, 0, len(text.text), guess)
                if len(text.text) >= _PHRASE and " " in text.text.strip() and text.field != "url":
                    self.phrases.append(text.text)
        for f in found:
            self._mask((f.uid, f.text), f.start, f.end, f.type)

    def propagate(self) -> tuple[str, ...]:
        """Replace what is private wherever it is repeated; returns what was looked for."""
        haystack = Haystack(self.observation)
        originals: dict[str, None] = {}
        for needle in self._needles():
            hits = haystack.find(needle)
            if any(hit.uid in self.yours for hit in hits):
                continue
            originals[needle.text] = None
            for uid, index, start, end in hits:
                if self.codes[uid] != REMOVE:
                    self._mask((uid, index), start, end, needle.type, needle.original)
        return tuple(originals)

    def _needles(self) -> Iterable[Needle]:
        """One needle for each private text, whole ones before what they are made of."""
        needles = [Needle(p, PRIVATE, p) for p in self.phrases]
        needles += (Needle(both, type, both) for both, type in self._split())
        needles += (n for found in self.findings.values() for f in found for n in self._of(f))
        unique: dict[str, Needle] = {}
        for needle in needles:
            unique.setdefault(needle.text if needle.strict else needle.text.casefold(), needle)
        return unique.values()

    def _of(self, f: Finding) -> Iterator[Needle]:
        """What is looked for because of one finding."""
        if not TYPES[f.type].floor and (self.codes[f.uid] == KEEP or not self._private(f)):
            return
        text = self._text(f)
        if f.type == "person":
            words = _NAME_WORD.findall(text)
            yield from (Needle(w, f.type, text) for w in words if w.casefold() not in _COMMON_NAMES)
            if len(words) > 1:
                yield Needle(text, f.type, text)
            return
        # The bullets of a password field are no secret, and one or two characters stand everywhere.
        least = 1 if f.type == "given" else 3 if TYPES[f.type].floor else 4
        if len(text) >= least and any(c.isalnum() for c in text):
            yield Needle(text, f.type, text)

    def _split(self) -> Iterator[tuple[str, str]]:
        """Codes that end one text and go on in the next, with their type."""
        codes = [f for found in self.findings.values() for f in found if f.type in ("otp", "secret", "card")]
        for f, g in pairwise(codes):
            ends = f.end == len(self.observation.elements[f.uid].texts[f.text].text)
            if ends and g.start == 0 and f.type == g.type and (f.uid, f.text) != (g.uid, g.text):
                yield self._text(f) + self._text(g), f.type

    def _private(self, f: Finding) -> bool:
        return TYPES[f.type].floor or TYPES[f.type].s >= self.policy.tau_s

    def _text(self, f: Finding) -> str:
        return self.observation.elements[f.uid].texts[f.text].text[f.start : f.end]

    def _mask(self, key: tuple[int, int], start: int, end: int, type: str, original: str = "") -> None:
        """Replace a part of a text. ``original`` is what it is a part of, for consistent numbers."""
        text = self.observation.elements[key[0]].texts[key[1]]
        operator = self.policy.operators.get(type, "token")
        if operator == "state":
            if text.field == "value":
                start, end = 0, len(text.text)
            else:
                operator = "token"
        new = replacement(type, original or text.text[start:end], operator, self.pseudonyms)
        if text.field == "url":
            new = quote(new.strip("<>"), safe="@:+")
        self.parts[key].append((start, end, new))


def _apart(parts: list[Part]) -> tuple[Part, ...]:
    """Parts that do not overlap: those that do become one, with the replacement of the longest."""
    merged: list[tuple[int, int, Part]] = []
    for part in sorted(parts, key=lambda p: (p[0], -p[1])):
        start, end, _ = part
        if merged and start < merged[-1][1]:
            first, last, best = merged[-1]
            if end - start > best[1] - best[0]:
                best = part
            merged[-1] = first, max(last, end), best
        else:
            merged.append((start, end, part))
    return tuple((start, end, best[2]) for start, end, best in merged)


def _once(
    observation: Observation, replacements: dict[tuple[int, int], tuple[Part, ...]]
) -> dict[tuple[int, int], tuple[Part, ...]]:
    """The same where two texts that stand at one place in the file are rewritten once."""
    places: dict[object, tuple[int, int]] = {}
    merged: dict[tuple[int, int], list[Part]] = {}
    for (uid, index), parts in replacements.items():
        span = observation.elements[uid].texts[index].span
        if span is not None:
            merged.setdefault(places.setdefault(span, (uid, index)), []).extend(parts)
    return {key: _apart(parts) for key, parts in merged.items()}
