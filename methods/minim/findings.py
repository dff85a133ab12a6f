"""Private values that rules can see, with the words that say why.

``find`` works on the texts of all elements of an observation: what a value looks like, which label or column
header stands beside it, and where else on the page it is repeated. Base sensitivities are those of the published
label rules; types with ``floor`` are never kept without a person's word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from methods.minim import patterns
from methods.minim.normalise import Folded, fold, fold_url
from methods.minim.observation import Observation


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
    """All findings of a page, ordered by element, text and place. Copies of texts are not looked at."""
    found: defaultdict[tuple[int, int], list[Finding]] = defaultdict(list)
    given = [_given(s) for s in secrets if s.strip()]
    for element in observation.elements:
        for i, text in enumerate(element.texts):
            if text.text and text.field != "copy":
                is_url = text.field == "url"
                folded = fold_url(text.text) if is_url else fold(text.text)
                hits = patterns.scan_url(folded.text) if is_url else patterns.scan(folded.text)
                for hit in (*hits, *_given_hits(folded, given)):
                    start, end = folded.span(hit.start, hit.end)
                    found[element.uid, i].append(
                        Finding(element.uid, i, start, end, hit.type, hit.why, hit.checksum)
                    )
    return tuple(f for key in sorted(found) for f in _apart(found[key]))


def type_of(findings: Sequence[Finding], uid: int) -> str:
    """The strongest type found on an element, or ""."""
    return max((f.type for f in findings if f.uid == uid), key=lambda t: TYPES[t].s, default="")


def _given(secret: str) -> re.Pattern[str]:
    """A secret as a whole token; in a short one a hyphen joins tokens, so that "E2-zone" has no "e2"."""
    secret = fold(secret.strip()).text
    joining = r"[\w-]" if len(secret) < 4 else r"\w"
    flags = re.IGNORECASE if len(secret) >= 4 else re.NOFLAG
    return re.compile(rf"(?<!{joining}){re.escape(secret)}(?!{joining})", flags)


def _given_hits(folded: Folded, given: Sequence[re.Pattern[str]]) -> Iterator[patterns.Hit]:
    for pattern in given:
        for m in pattern.finditer(folded.text):
            yield patterns.Hit(*m.span(), "given", "a secret you named")


def _apart(findings: list[Finding]) -> list[Finding]:
    """Findings that do not overlap: the strongest first, of equal ones the longest."""
    kept: list[Finding] = []
    for f in sorted(findings, key=lambda f: (-TYPES[f.type].s, f.start - f.end, f.start)):
        if all(f.end <= k.start or k.end <= f.start for k in kept):
            kept.append(f)
    return sorted(kept, key=lambda f: f.start)
