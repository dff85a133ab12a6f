"""Private values that rules can see, with the words that say why.

``find`` works on the texts of all elements of an observation: what a value looks like, which label or column
header stands beside it, and where else on the page it is repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from methods.minim import context, health, patterns, people
from methods.minim.evidence import Evidence, apart
from methods.minim.normalise import fold
from methods.minim.observation import Observation
from methods.minim.patterns import Hit
from methods.minim.privacy import TYPES, Finding, PrivacyType
from methods.minim.repeats import repeated, split_over_neighbours

__all__ = ["TYPES", "Finding", "PrivacyType", "find", "type_of"]


def find(observation: Observation, secrets: Sequence[str] = ()) -> tuple[Finding, ...]:
    """All findings of a page, ordered by element, text and place. Copies of texts are not looked at.

    ``secrets`` are found as whole tokens in texts and addresses, never inside a longer word.
    """
    page = Evidence(observation)
    given = [_given(s) for s in secrets if s.strip()]
    for place, folded in page.folded.items():
        page.add(place, patterns.scan_url(folded.text) if place in page.links else _scan(folded.text))
        if given:
            page.add(place, _given_hits(folded.text, given))
    _by_context(page)
    split_over_neighbours(page)
    repeated(page)
    return tuple(f for place in sorted(page.found) for f in apart(page.found[place], page.text(place)))


@lru_cache(maxsize=50_000)
def _scan(text: str) -> tuple[Hit, ...]:
    return (*patterns.scan(text), *people.scan(text), *health.scan(text))


def _by_context(page: Evidence) -> None:
    """Values whose type the label, the column header or the kind of field tells."""
    elements = page.observation.elements
    before = context.labels_before(page.observation)
    columns = context.headers(page.observation)
    secret_fields: set[int] = set()
    for e in elements:
        if e.parent in secret_fields:
            secret_fields.add(e.uid)
            if (place := page.place(e.uid, "name")) and not context.is_field(e):
                page.whole(place, "password", "text of a password field")
            continue
        label = columns.get(e.uid) or before.get(e.uid, "")
        if context.is_field(e):
            kind = context.field_kind(e, label)
            if kind == "password":
                secret_fields.add(e.uid)
            if place := page.place(e.uid, "value"):
                value = page.folded[place].text
                if kind in ("password", "otp", "card") or (kind and context.fits(kind, value)):
                    kind = context.type_of_kind(kind)
                    page.whole(place, kind, f"value of a field for: {TYPES[kind].title.lower()}")
                elif len(value.split()) >= 5:
                    page.whole(place, "message", "text somebody wrote")
            continue
        kind = context.kind_of(label) if label else ""
        place = page.place(e.uid, "name")
        if kind and place and context.fits(kind, page.folded[place].text):
            where = "in a column called" if e.uid in columns else "beside the label"
            page.whole(place, context.type_of_kind(kind), f"{where} “{label.strip(' :*')}”")


def rule_sensitivity(count: int, findings: Sequence[Finding]) -> np.ndarray:
    """Sensitivity of the strongest finding of each element, 0 where there is none; (count,) float32."""
    found = np.zeros(count, np.float32)
    for f in findings:
        found[f.uid] = max(found[f.uid], TYPES[f.type].s)
    return found


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
