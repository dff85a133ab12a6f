"""Names of people in a text: known names, and any name beside the words that introduce one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from methods.minim.lexicon import section
from methods.minim.normalise import vocabulary
from methods.minim.patterns import Hit

GIVEN = section("names.txt", "given")
PLAIN = section("names.txt", "plain")
SURNAMES = section("names.txt", "surname")
PARTICLES = frozenset("de da di del della dos van von der den ter bin bint al el la le ibn y st".split())

NOT_NAMES = section("names.txt", "never")
"""Words that are no part of a name though they are written with a capital on labels."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?")
_TITLE = r"(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Herr|Frau|Mme|Sra?|Señora?)\b\.?"
_CAP = r"[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*"
_FULL = rf"{_CAP}(?: (?:[A-Z]\.|(?:de|da|di|del|van|von|der|den|bin|al|la)\b|{_CAP})){{0,3}}"
_ROLES = (
    r"customer|client|patient|user|member|owner|assignee|author|reporter|reviewer|manager|sender|recipient"
    r"|cardholder|account holder|contact|employee|candidate|applicant|student|teacher|tenant|landlord|guest"
    r"|driver|passenger|beneficiary|payee|provider|physician|doctor|nurse|organizer|host|name|spouse|husband"
    r"|wife|mother|father|brother|sister|son|daughter|boss"
)
_LEAD_INS = (
    r"(?:signed|logged) in as|welcome back,?|on behalf of|please tell|attn:?|(?:deliver|ship|bill|payable) to"
    r"|(?:assigned|sent) to|(?:created|updated|uploaded|shared|invited|written|sent|requested|approved|reported"
    r"|prescribed) by|regards,|sincerely,|cheers,|b?cc:|from:|to:|with:|by:|i am|i'm|my name is|this is"
)
_INTRODUCED = re.compile(
    rf"\b(?:(?i:{_ROLES})(?:'s name)?(?: (?i:is|was|named|called)| ?:)|(?i:{_LEAD_INS}))\s+(?:{_TITLE} )?({_FULL})"
)
_GREETED = re.compile(
    r"(?<!\w)(?:Hi|Hello|Hey|Dear|Hallo|Liebe|Lieber|Bonjour|Hola|Ciao)(?: (?i:dr|mr|mrs|ms)\.?)?"
    rf" (?:{_TITLE} )?({_FULL})(?=\s*[,!.:–—-]|\s*$)"
)
_TITLED = re.compile(rf"(?<!\w){_TITLE} ({_FULL})")
_MAILBOX = re.compile(rf"({_FULL}) ?[<(](?=[^\s@<>()]+@)")
_CLUES = (
    (_INTRODUCED, "a name after the words that introduce it"),
    (_GREETED, "a greeted name"),
    (_TITLED, "a name after a title"),
    (_MAILBOX, "a name before an address"),
)
_HINTS = frozenset(
    "hi hello hey dear hallo hola ciao bonjour lieber liebe mr mrs ms miss mx dr prof professor herr frau mme sr sra "
    "signed logged welcome by to tell with behalf from attn cc bcc regards sincerely cheers am i is m name".split()
) | frozenset(re.split(r"[| ]", _ROLES))
_KNOWN = GIVEN | PLAIN | SURNAMES
_ALONE = frozenset(n for n in GIVEN - SURNAMES - PARTICLES if len(n) > 2)


def _is_name_word(word: str) -> bool:
    return word[:1].isupper() and word.lower().rstrip(".") not in NOT_NAMES


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The leading name words of ``text[start:end]``: a name ends where an ordinary word begins."""
    last = start
    for m in _WORD.finditer(text, start, end):
        word = m.group()
        if word.lower() in PARTICLES:
            continue
        if not _is_name_word(word):
            break
        last = m.end() - (word.endswith(".") and len(word) > 2)
        if word.endswith(("'s", "’s")):
            last -= 2
            break
    return (start, last) if last > start + 1 else None


class _Word(NamedTuple):
    text: str
    low: str
    start: int
    end: int

    @property
    def initial(self) -> bool:
        return len(self.low) == 1 and self.text[0].isupper()


def _words(text: str) -> list[_Word]:
    """Words without a possessive ending; an initial keeps its point."""
    found = []
    for m in _WORD.finditer(text):
        word = m.group().removesuffix("'s").removesuffix("’s")
        if word.endswith(".") and len(word) > 2:
            word = word[:-1]
        found.append(_Word(word, word.lower().rstrip("."), m.start(), m.start() + len(word)))
    return found


def _known(text: str) -> Iterator[Hit]:
    """Names that begin with a known given name, "Surname, Given", and a given name that is the whole text."""
    words = _words(text)
    i = 0
    while i < len(words):
        last = _last(text, words, i)
        if last > i:
            yield Hit(words[i].start, words[last].end, "person", "a known name")
        elif words[i].low in _ALONE and text.strip(" .,!") == words[i].text and words[i].text[0].isupper():
            yield Hit(words[i].start, words[i].end, "person", "a known given name alone")
        i = last + 1


def _last(text: str, words: list[_Word], i: int) -> int:
    """Index of the last word of the name that begins with word ``i``; ``i`` itself when no name does."""
    first = words[i]
    is_given = first.low in GIVEN or first.low.split("-")[0] in GIVEN
    if not first.text[0].isupper() or not (is_given or first.low in _KNOWN):
        return i
    last, surname, comma = i, False, False
    for j in range(i + 1, min(i + 6, len(words))):
        word = words[j]
        gap = text[words[j - 1].end : word.start]
        if gap == ", " and j == i + 1 and first.low in SURNAMES and (word.low in GIVEN or word.low in PLAIN):
            comma = True
        elif gap != " ":
            break
        if word.low in PARTICLES and word.text.islower():
            continue
        shouted = word.text.isupper() != first.text.isupper() and len(word.text) > 3
        if not word.initial and (shouted or not _is_name_word(word.text)):
            break
        if last > i and not comma and not word.initial and word.low not in SURNAMES and word.low not in GIVEN:
            break
        surname |= word.low in SURNAMES
        last = j
    full = any(not w.initial for w in words[i + 1 : last + 1])
    believed = comma or (is_given and full) or (first.low in PLAIN and surname)
    return last if believed else i


def _introduced(text: str) -> Iterator[Hit]:
    for pattern, why in _CLUES:
        for m in pattern.finditer(text):
            if span := _trimmed(text, *m.span(1)):
                yield Hit(*span, "person", why)


@lru_cache(maxsize=50_000)
def scan(text: str) -> tuple[Hit, ...]:
    """Names of people in a folded text."""
    if text.islower() or len(text) < 3:
        return ()
    words = vocabulary(text)
    hits = [] if words.isdisjoint(_KNOWN) else list(_known(text))
    if len(words) > 1 and ("@" in text or not words.isdisjoint(_HINTS)):
        hits += _introduced(text)
    return tuple(hits)


def name_like(text: str) -> bool:
    """One to four words that a person could be called by; for values under a heading that says "name"."""
    words = text.replace(",", " ").split()
    if not 1 <= len(words) <= 5 or any(c.isdigit() for c in text) or len(text) > 60:
        return False
    letters = [w for w in words if w.lower() not in PARTICLES]
    return bool(letters) and all(
        _is_name_word(w.strip("().")) or (len(w) == 2 and w[1] == ".") for w in letters
    )


def known_name(text: str) -> bool:
    """At least one of its words is a known given name or surname."""
    return not vocabulary(text).isdisjoint(_KNOWN)
