"""Texts about somebody's health, by the words they hold."""

from __future__ import annotations

import re
from functools import lru_cache

from methods.minim.lexicon import section
from methods.minim.normalise import vocabulary, word_spans
from methods.minim.patterns import Hit

WORDS = section("health.txt", "words")
PHRASES = re.compile(
    r"\b(?:" + "|".join(map(re.escape, sorted(section("health.txt", "phrases")))) + r")\b", re.IGNORECASE
)
_ENDINGS = tuple(section("health.txt", "endings"))
_FIRST = frozenset(p.split()[0] for p in section("health.txt", "phrases"))
_UNITS = frozenset("mg mcg µg g mmhg iu units ml".split())
_STUCK_UNIT = re.compile(r"\d(?:mg|mcg|µg|ml|iu)\b")
_DOSE = re.compile(
    r"\b[A-Za-z]{5,}(?: [A-Za-z]{2,}){0,2} \d+(?:\.\d+)? ?(?:mg|mcg|µg|g/dl|mmhg|iu|units|ml)\b"
    r"(?:[ -]?(?:tablets?|capsules?|daily|twice|once|inhaler|er|xr|cream|oral|solution)\b)*",
    re.IGNORECASE,
)
_ICD = re.compile(r"[A-TV-Z]\d[\dA-B]\.\d[\dA-Z]{0,3}")
_SHORT = 12
"""Up to so many words the whole text is about the condition; in a longer one only the words themselves count."""


@lru_cache(maxsize=50_000)
def scan(text: str) -> tuple[Hit, ...]:
    """Conditions, medicines and procedures in a folded text."""
    if len(text) < 3:
        return ()
    if _ICD.fullmatch(text.strip()):
        return (Hit(0, len(text), "health", "diagnosis code"),)
    words = vocabulary(text)
    spans = [(start, end) for w, start, end in word_spans(text) if _is_health(w)]
    if not words.isdisjoint(_FIRST):
        spans += [m.span() for m in PHRASES.finditer(text)]
    if not words.isdisjoint(_UNITS) or _STUCK_UNIT.search(text):
        spans += [m.span() for m in _DOSE.finditer(text)]
    if not spans:
        return ()
    if len(text.split()) <= _SHORT:
        return (Hit(0, len(text), "health", "words about health"),)
    return tuple(Hit(*span, "health", "words about health") for span in spans)


def _is_health(word: str) -> bool:
    return word in WORDS or (len(word) >= 8 and word.endswith(_ENDINGS))
