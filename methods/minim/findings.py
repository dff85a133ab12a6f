"""Private values that rules can see, with the words that say why.

``find`` works on the texts of all elements of an observation: what a value looks like, which label or column
header stands beside it, and where else on the page it is repeated. Base sensitivities are those of the published
label rules; types with ``floor`` are never kept without a person's word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from methods.minim import context, health, patterns, people
from methods.minim.normalise import Folded, fold, fold_url
from methods.minim.observation import Observation
from methods.minim.patterns import Hit

Place = tuple[int, int]
"""An element and the index of one of its texts."""


@dataclass(frozen=True, slots=True)
class PrivacyType:
    """``s``: base sensitivity in [0, 10]; ``floor``: never kept as it is; ``token``: what stands in its place."""

    id: str
    title: str
    s: float
    floor: bool
    token: str


_TABLE = """
password      | Password                  | 10 | floor | PASSWORD
otp           | One-time code             | 10 | floor | CODE
secret        | Key or token              | 10 | floor | SECRET
given         | Secret you named          | 10 | floor | SECRET
card          | Card number               | 9  | floor | CARD
bank_account  | Bank account              | 9  |       | ACCOUNT
gov_id        | Government id             | 9  |       | GOVERNMENT_ID
health        | Health                    | 9  |       | HEALTH
dob           | Date of birth             | 8  |       | DATE_OF_BIRTH
insurance     | Insurance or member id    | 8  |       | MEMBER_ID
email         | E-mail address            | 7  |       | EMAIL
phone         | Telephone number          | 7  |       | PHONE
address       | Postal address            | 7  |       | ADDRESS
access_code   | Door or gift code         | 7  |       | ACCESS_CODE
key_part      | Part of a key             | 7  |       | KEY
amount        | Amount of money           | 6  |       | AMOUNT
card_part     | Last four digits, expiry  | 6  |       | CARD_PART
ip_address    | Network address           | 6  |       | IP_ADDRESS
message       | Message                   | 6  |       | MESSAGE
person        | Person                    | 5  |       | PERSON
demographic   | Sex, age                  | 5  |       | DEMOGRAPHIC
doc_number    | Document number           | 4  |       | NUMBER
date          | Date                      | 3  |       | DATE
"""
TYPES: dict[str, PrivacyType] = {}
for _line in _TABLE.strip().splitlines():
    _id, _title, _s, _floor, _token = (cell.strip() for cell in _line.split("|"))
    TYPES[_id] = PrivacyType(_id, _title, float(_s), _floor == "floor", _token)


@dataclass(frozen=True, slots=True)
class Finding:
    """Characters ``start:end`` of the decoded text ``texts[text]`` of element ``uid``.

    ``checksum`` is None where the type has none. Findings of one text never overlap.
    """

    uid: int
    text: int
    start: int
    end: int
    type: str
    why: str
    checksum: bool | None = None


def find(observation: Observation, secrets: Sequence[str] = ()) -> tuple[Finding, ...]:
    """All findings of a page, ordered by element, text and place. Copies of texts are not looked at.

    ``secrets`` are found as whole tokens in texts and addresses, never inside a longer word.
    """
    page = _Page(observation)
    given = [_given(s) for s in secrets if s.strip()]
    for place, folded in page.folded.items():
        is_url = place[0] in page.links and page.field(place) == "url"
        page.add(place, _scan_url(folded.text) if is_url else _scan(folded.text))
        if given:
            page.add(place, _given_hits(folded.text, given))
    _by_context(page)
    _split_over_neighbours(page)
    _repeated(page)
    return tuple(f for place in sorted(page.found) for f in _apart(page.found[place], page.text(place)))


class _Page:
    """Texts of an observation, folded, with what is found so far for each (element, text)."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.found: defaultdict[Place, list[Finding]] = defaultdict(list)
        self.folded: dict[Place, Folded] = {}
        self.links: set[int] = set()
        for e in observation.elements:
            for i, text in enumerate(e.texts):
                if text.text and text.field != "copy":
                    if text.field == "url":
                        self.links.add(e.uid)
                    self.folded[e.uid, i] = fold_url(text.text) if text.field == "url" else fold(text.text)

    def field(self, place: Place) -> str:
        return self.observation.elements[place[0]].texts[place[1]].field

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

    def value_place(self, uid: int) -> Place | None:
        """Where an element holds what was typed or chosen."""
        texts = self.observation.elements[uid].texts
        return next(
            ((uid, i) for i, t in enumerate(texts) if t.field == "value" and (uid, i) in self.folded), None
        )

    def name_place(self, uid: int) -> Place | None:
        texts = self.observation.elements[uid].texts
        return next(
            ((uid, i) for i, t in enumerate(texts) if t.field == "name" and (uid, i) in self.folded), None
        )


@lru_cache(maxsize=50_000)
def _scan(text: str) -> tuple[Hit, ...]:
    return (*patterns.scan(text), *people.scan(text), *health.scan(text))


_scan_url = patterns.scan_url


def _by_context(page: _Page) -> None:
    """Values whose type the label, the column header or the kind of field tells."""
    elements = page.observation.elements
    before = context.labels_before(page.observation)
    columns = context.headers(page.observation)
    secret_fields: set[int] = set()
    for e in elements:
        if e.parent in secret_fields:
            secret_fields.add(e.uid)
            if (place := page.name_place(e.uid)) and not context.is_field(e):
                page.whole(place, "password", "text of a password field")
            continue
        label = columns.get(e.uid) or before.get(e.uid, "")
        if context.is_field(e):
            kind = context.field_kind(e, label)
            if kind == "password":
                secret_fields.add(e.uid)
            if place := page.value_place(e.uid):
                value = page.folded[place].text
                if kind in ("password", "otp", "card") or (kind and context.fits(kind, value)):
                    page.whole(place, kind, f"value of a field for: {TYPES[kind].title.lower()}")
                elif len(value.split()) >= 5:
                    page.whole(place, "message", "text somebody wrote")
            continue
        kind = context.kind_of(label) if label else ""
        place = page.name_place(e.uid)
        if kind and place and context.fits(kind, page.folded[place].text):
            where = "in a column called" if e.uid in columns else "beside the label"
            page.whole(place, kind, f"{where} “{label.strip(' :*')}”")


_SPLIT = frozenset("otp card bank_account gov_id secret email dob password".split())


def _split_over_neighbours(page: _Page) -> None:
    """Secrets of which neighbouring texts hold one part each."""
    for run in context.runs(page.observation):
        places = [p for uid in run if (p := page.name_place(uid))]
        texts = [page.folded[p].text for p in places]
        if len(texts) < 2 or sum(map(len, texts)) > 600 or not _PART.search("".join(texts)):
            continue
        for joint in (" ", "") if any("@" in t for t in texts) else (" ",):
            starts = [0, *accumulate(len(t) + len(joint) for t in texts)]
            for hit in patterns.scan(joint.join(texts)):
                parts = [
                    (p, max(hit.start - s, 0), min(hit.end - s, len(t)))
                    for p, t, s in zip(places, texts, starts, strict=False)
                    if hit.start < s + len(t) and s < hit.end
                ]
                if hit.type in _SPLIT and (joint or hit.type == "email"):
                    for p, start, end in parts:
                        page.add(
                            p, [hit._replace(start=start, end=end, why=f"{hit.why}, with the text beside it")]
                        )


_PART = re.compile(r"[\d@]|code", re.IGNORECASE)
_REPEATABLE = frozenset(
    "password otp secret card bank_account gov_id dob insurance access_code person phone email".split()
)
_WORD = re.compile(r"[^\W_]+")


def _repeated(page: _Page) -> None:
    """Values known from their context are private wherever else they stand, in other case or with other spacing."""
    phrases: defaultdict[str, dict[tuple[str, ...], tuple[str, str]]] = defaultdict(dict)
    numbers: dict[str, str] = {}
    for place, findings in page.found.items():
        for f in findings:
            if f.type not in _REPEATABLE:
                continue
            text = fold(page.text(place)[f.start : f.end]).text
            words = tuple(w.lower() for w in _WORD.findall(text))
            if not words or len(text) < 4 and f.type != "person":
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
        words = list(_WORD.finditer(folded.text))
        lows = [m.group().lower() for m in words]
        for i, low in enumerate(lows):
            for phrase, (kind, why) in phrases.get(low, {}).items():
                if tuple(lows[i : i + len(phrase)]) == phrase and (
                    kind != "person" or words[i].group()[0].isupper()
                ):
                    page.add(place, [Hit(words[i].start(), words[i + len(phrase) - 1].end(), kind, why)])
            if numbers and low.isdigit():
                joined = ""
                for j in range(i, min(i + 6, len(lows))):
                    if not lows[j].isdigit() or (j > i and words[j].start() - words[j - 1].end() > 1):
                        break
                    joined += lows[j]
                    if joined in numbers:
                        hit = Hit(
                            words[i].start(), words[j].end(), numbers[joined], "repeated from another place"
                        )
                        page.add(place, [hit])


def type_of(findings: Sequence[Finding], uid: int) -> str:
    """The strongest type found on an element, or ""."""
    return max((f.type for f in findings if f.uid == uid), key=lambda t: TYPES[t].s, default="")


def _given(secret: str) -> re.Pattern[str]:
    """A secret as a whole token; in a short one a hyphen joins tokens, so that "E2-zone" has no "e2"."""
    secret = fold(secret.strip()).text
    joining = r"[\w-]" if len(secret) < 4 else r"\w"
    flags = re.IGNORECASE if len(secret) >= 4 else re.NOFLAG
    return re.compile(rf"(?<!{joining}){re.escape(secret)}(?!{joining})", flags)


def _given_hits(text: str, given: Sequence[re.Pattern[str]]) -> Iterator[Hit]:
    for pattern in given:
        for m in pattern.finditer(text):
            yield Hit(*m.span(), "given", "a secret you named")


def _apart(findings: list[Finding], text: str) -> list[Finding]:
    """Findings that do not overlap: the strongest first, of equal ones the longest.

    A weaker finding that holds a stronger one keeps the rest of its characters.
    """
    kept: list[Finding] = []
    queue = sorted(findings, key=lambda f: (-TYPES[f.type].s, f.start - f.end, f.start))
    for f in queue:
        over = [k for k in kept if f.start < k.end and k.start < f.end]
        if not over:
            kept.append(f)
        elif (
            all(f.start <= k.start and k.end <= f.end and f.type != k.type for k in over) and f.type in _LONG
        ):
            at = f.start
            for k in [*sorted(over, key=lambda k: k.start), None]:
                end = k.start if k else f.end
                if any(c.isalnum() for c in text[at:end]):
                    kept.append(replace(f, start=at, end=end))
                at = k.end if k else at
    return sorted(kept, key=lambda f: f.start)


_LONG = frozenset(("message", "address", "insurance"))
