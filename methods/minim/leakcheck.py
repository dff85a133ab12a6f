"""Is anything private left in what leaves, and are the ids what they were?

Written apart from the code that masks: the output is read again as a file of its format, and searched as text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from methods.core.errors import BadInput
from methods.minim.observation import Element, Observation
from methods.minim.redact import Redaction
from methods.minim.search import Searched

_JSON_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_SEPARATOR = r"[ \-./()\u00a0\u2009\u202f]"
_BETWEEN_DIGITS = f"{_SEPARATOR}{{0,3}}"
_GROUPS = re.compile(rf"(?<=\d){_SEPARATOR}{{1,3}}(?=\d)")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


@dataclass(frozen=True)
class Leak:
    """``text_masked`` tells the person which text it is without showing it."""

    text_masked: str
    where: str
    form: str


@dataclass(frozen=True)
class LeakReport:
    """What was found. ``changed_ids``: ids of elements that stay which are missing, new or out of order."""

    leaks: tuple[Leak, ...] = ()
    changed_ids: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.leaks

    @property
    def ids_ok(self) -> bool:
        return not self.changed_ids


def check(
    observation: Observation,
    redaction: Redaction,
    extra_outputs: Mapping[str, str] | Iterable[tuple[str, str]] = (),
) -> LeakReport:
    """Look for each original in the output and in everything that leaves with it.

    Args:
        extra_outputs: name and text of what else leaves: the manifest, the names of files.
    """
    output = _read_again(observation, redaction)
    others = [_Pile(((name, text),)) for name, text in dict(extra_outputs).items()]
    raw = _Pile((("the file outside its texts", redaction.source),))
    texts = _Pile(
        [
            (f"{element.role} {element.native_id or element.uid}, {text.field}", text.text)
            for element in (output.elements if output else ())
            for text in element.texts
            if text.text
        ]
    )
    vocabulary = _vocabulary(output)
    leaks: dict[tuple[str, str], Leak] = {}
    for original in redaction.originals:
        wanted = _Wanted(original)
        piles = [texts, *others]
        if wanted.distinctive and wanted.plain not in vocabulary:
            piles.append(raw)
        elif output is None:  # the ids cannot be told from the texts then
            piles.append(_Pile((("the file", _without_ids(observation, redaction.source)),)))
        for pile in piles:
            if pile is raw and any(found == original for found, _ in leaks):
                continue  # the same place, told apart better already
            for where, form in pile.find(wanted):
                leaks.setdefault((original, where), Leak(_masked(original), where, form))
    return LeakReport(tuple(leaks.values()), _changed_ids(observation, redaction, output))


class _Wanted:
    """An original in the forms that are looked for."""

    def __init__(self, original: str) -> None:
        self.literal = original
        self.plain = _fold(original).strip()
        letters = "".join(c for c in self.plain if c.isalnum())
        self.digits = letters if letters.isdecimal() and len(letters) >= 6 else ""
        self.tight = "".join(self.plain.split())
        short = 8 if self.tight.isalpha() else 6
        self.splits = len(self.tight) >= short
        self.anywhere = len(self.plain) >= 8 and not letters.isalpha() and not self.digits

    @property
    def distinctive(self) -> bool:
        """Cannot be a part of an id or a number of the format by chance."""
        return len(self.plain) >= 4 and (not self.plain.isdecimal() or bool(self.digits))

    @cached_property
    def grouped(self) -> re.Pattern[str]:
        return re.compile(rf"(?<!\d){_BETWEEN_DIGITS.join(self.digits)}(?!\d)")

    def bounded(self, text: str, start: int, end: int) -> bool:
        """Whether ``start:end`` is not just a piece of a longer word or number."""
        if self.anywhere:
            return True
        before, after = text[start - 1 : start] if start else "", text[end : end + 1]
        if len(self.plain) < 4 and "-" in before + after:
            return False
        joined = str.isdecimal if self.digits else str.isalnum
        return not ((joined(before) and text[start].isalnum()) or (joined(after) and text[end - 1].isalnum()))


class _Pile:
    """Texts that are searched together, each with the words for where it is."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self.texts = list(texts)

    @cached_property
    def views(self) -> list[tuple[str, Searched]]:
        """All texts in one, in every way to read them, each with its name."""
        literal = "\0".join(text for _, text in self.texts)
        readings = {
            "as it is": literal,
            "escaped for HTML": html.unescape(literal) if "&" in literal else literal,
            "escaped for JSON": _JSON_ESCAPE.sub(_unescaped, literal) if "\\" in literal else literal,
            "URL-encoded": unquote(literal) if "%" in literal else literal,
        }
        readings["URL-encoded twice"] = unquote(html.unescape(readings["URL-encoded"]))
        unique: dict[str, str] = {}
        for form, text in readings.items():
            unique.setdefault(_fold(text), form)
        return [(form, Searched(text)) for text, form in unique.items()]

    @cached_property
    def ungrouped(self) -> list[Searched]:
        return [Searched(_GROUPS.sub("", view.text)) for _, view in self.views]

    @cached_property
    def tight(self) -> tuple[Searched, list[int]]:
        """The plain view without any space between its characters or its texts, and where each one was."""
        text = self.views[0][1].text
        runs = [m.span() for m in re.finditer(r"[^\s\0]+", text)]
        tight = "".join(text[a:b] for a, b in runs)
        return Searched(tight), [i for run in runs for i in range(*run)]

    def find(self, wanted: _Wanted) -> Iterator[tuple[str, str]]:
        """Where it is found and in which form."""
        for (form, view), ungrouped in zip(self.views, self.ungrouped, strict=True):
            text = view.text
            for start, end in view.all(wanted.plain):
                if wanted.bounded(text, start, end):
                    yield self._where(text, start), form
            if wanted.digits and wanted.digits in ungrouped:
                for match in wanted.grouped.finditer(text):
                    yield self._where(text, match.start()), "as digits"
        if wanted.splits:
            text = self.views[0][1].text
            tight, places = self.tight
            for start, end in tight.all(wanted.tight):
                first, last = places[start], places[end - 1] + 1
                if last - first > len(wanted.tight) and wanted.bounded(text, first, last):
                    split = "\0" in text[first:last]
                    yield self._where(text, first), "split over neighbouring texts" if split else "spaced"

    def _where(self, text: str, at: int) -> str:
        if len(self.texts) == 1:
            name = self.texts[0][0]
            lines = text.count("\n")
            return f"{name}, line {text.count(chr(10), 0, at) + 1}" if lines else name
        return self.texts[min(text.count("\0", 0, at), len(self.texts) - 1)][0]


def _fold(text: str) -> str:
    """Compatibility forms (full-width digits, …) and case folded, what cannot be seen left out."""
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
        text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    return text.casefold()


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else match[3] if match[3] in "\"'\\/" else " "


def _read_again(observation: Observation, redaction: Redaction) -> Observation | None:
    from methods.minim.formats import parse

    try:
        return parse(observation.name, redaction.source, observation.format)
    except BadInput:
        return None


def _vocabulary(output: Observation | None) -> set[str]:
    """Words of the format itself, which mean nothing where they stand as such."""
    if output is None:
        return set()
    words = {element.role.casefold() for element in output.elements}
    return words | {str(element.states.get("tag", "")) for element in output.elements}


def _without_ids(observation: Observation, source: str) -> str:
    ids = sorted({e.native_id for e in observation.elements if e.native_id}, key=len, reverse=True)
    if not ids:
        return source
    every = "|".join(map(re.escape, ids))
    return re.sub(rf"(?<=[=\"'\[:])(?:{every})(?=[\]\"'\s/>,])", "", source)


def _changed_ids(
    observation: Observation, redaction: Redaction, output: Observation | None
) -> tuple[str, ...]:
    """Ids of elements that stay must all be there in their order, and there must be none that the file had not.

    A reader counts a part that says what its parent says to the parent: masking may make the two alike or tell them
    apart, so such a part may turn up with its own old id, or no longer turn up.
    """
    after = [e.native_id for e in output.elements if e.native_id] if output else []
    found = set(after)
    before = [
        e.native_id
        for e in observation.elements
        if e.native_id
        and e.uid not in redaction.dropped
        and (e.native_id in found or not _joins_parent(observation, redaction, e, output))
    ]
    new = [i for i in Counter(after) - Counter(before) if i not in observation.source]
    lost = list((Counter(before) - Counter(after)).elements())
    rest = iter(after)
    moved = [] if lost else [i for i in before if i not in rest][:1]
    return tuple(dict.fromkeys(lost + new + moved))


def _joins_parent(
    observation: Observation, redaction: Redaction, element: Element, output: Observation | None
) -> bool:
    """Whether a piece of text says nothing now that its parent, which is still there, does not say."""
    if output is None or element.role != "StaticText" or element.parent < 0:
        return False
    own = _released(redaction, element).strip()
    return own in ("", _released(redaction, observation.elements[element.parent]).strip())


def _released(redaction: Redaction, element: Element) -> str:
    """The name of an element as it leaves."""
    for index, text in enumerate(element.texts):
        if text.field == "name":
            new, at = [], 0
            for start, end, replacement in redaction.replacements.get((element.uid, index), ()):
                new += text.text[at:start], replacement
                at = end
            return "".join((*new, text.text[at:]))
    return ""


def _masked(original: str) -> str:
    length = f"({len(original)} characters)"
    return f"{original[0]}… {length}" if len(original) >= 4 else f"… {length}"
