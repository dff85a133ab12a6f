"""Secrets that stand in several places or in several pieces."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import accumulate, pairwise

from methods.minim import context, patterns, people
from methods.minim.evidence import Evidence, Place
from methods.minim.normalise import fold, vocabulary, word_spans
from methods.minim.patterns import Hit

_SPLIT = frozenset("otp card bank_account gov_id secret email dob password".split())


def split_over_neighbours(page: Evidence) -> None:
    """Secrets of which neighbouring texts hold one part each."""
    for run in context.runs(page.observation):
        places = [p for uid in run if (p := page.place(uid, "name"))]
        texts = [page.folded[p].text for p in places]
        if len(texts) > 1 and sum(map(len, texts)) <= 600 and _PART.search("".join(texts)):
            _search(page, places, texts, " ", _SPLIT)
        for i, (a, b) in enumerate(pairwise(texts)):
            if a.endswith("@") or b.startswith("@"):
                _search(page, places[i : i + 2], [a, b], "", frozenset(("email",)))


def _search(page: Evidence, places: list[Place], texts: list[str], joint: str, types: frozenset[str]) -> None:
    starts = list(accumulate((len(t) + len(joint) for t in texts), initial=0))
    for hit in patterns.scan(joint.join(texts)):
        if hit.type in types:
            why = f"{hit.why}, with the text beside it"
            for place, text, at in zip(places, texts, starts, strict=False):
                start, end = max(hit.start - at, 0), min(hit.end - at, len(text))
                if start < end:
                    page.add(place, [hit._replace(start=start, end=end, why=why)])


_PART = re.compile(r"[\d@]|code", re.IGNORECASE)
_REPEATABLE = frozenset(
    "password otp secret card bank_account gov_id dob insurance access_code person phone email".split()
)
_DIGITS = re.compile(r"\d{3}")


def repeated(page: Evidence) -> None:
    """Values known from their context are private wherever else they stand, in other case or with other spacing."""
    phrases: defaultdict[str, dict[tuple[str, ...], tuple[str, str]]] = defaultdict(dict)
    numbers: dict[str, str] = {}
    for place, findings in page.found.items():
        for f in findings:
            if f.type not in _REPEATABLE:
                continue
            text = fold(page.text(place)[f.start : f.end]).text
            words = tuple(w for w, _, _ in word_spans(text))
            if not words or (len(text) < 4 and f.type != "person"):
                continue
            if all(w.isdigit() for w in words) and len("".join(words)) >= (6 if len(words) > 1 else 4):
                numbers["".join(words)] = f.type
            if len("".join(words)) >= 4 or f.type == "person":
                phrases[words[0]].setdefault(words, (f.type, "repeated from another place"))
            if f.type == "person" and f.why.startswith(
                ("in a column", "beside the label", "value of a field")
            ):
                for w in words:
                    if len(w) > 2 and w not in people.PLAIN and w not in people.NOT_NAMES:
                        phrases[w].setdefault((w,), ("person", "a word of a name that stands elsewhere"))
    if not phrases:
        return
    for place, folded in page.folded.items():
        if phrases.keys().isdisjoint(vocabulary(folded.text)) and not (
            numbers and _DIGITS.search(folded.text)
        ):
            continue
        words = word_spans(folded.text)
        lows = [w for w, _, _ in words]
        for i, low in enumerate(lows):
            for phrase, (kind, why) in phrases.get(low, {}).items():
                if tuple(lows[i : i + len(phrase)]) == phrase and (
                    kind != "person" or folded.text[words[i][1]].isupper()
                ):
                    page.add(place, [Hit(words[i][1], words[i + len(phrase) - 1][2], kind, why)])
            if numbers and low.isdigit():
                joined = ""
                for j in range(i, min(i + 6, len(lows))):
                    if not lows[j].isdigit() or (j > i and words[j][1] - words[j - 1][2] > 1):
                        break
                    joined += lows[j]
                    if joined in numbers:
                        hit = Hit(words[i][1], words[j][2], numbers[joined], "repeated from another place")
                        page.add(place, [hit])
