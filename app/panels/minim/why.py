"""Why an element is kept, abstracted or removed: one sentence first, then the evidence. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.panels.minim.document import Masking
from app.panels.minim.readings import Scored

if TYPE_CHECKING:
    from methods.minim.explain import Explanation
    from methods.minim.findings import Finding
    from methods.minim.observation import Element, Observation
    from methods.minim.policy import Decisions, Override

DONE = ("kept", "abstracted", "removed")
AROUND = 24
"""Characters shown on either side of what a rule matched."""
NEIGHBOURS = 4
HEARD = 3
LABEL = 44
"""Characters of a neighbour's label."""


@dataclass(frozen=True)
class Hit:
    """One thing a rule found; ``match`` stood between ``before`` and ``after``."""

    title: str
    before: str
    match: str
    after: str
    why: str
    checksum: bool | None = None


@dataclass(frozen=True)
class Why:
    """The sentence and what it rests on.

    Attributes:
        shared: words that the task and the element have in common.
        neighbours: (relation, label, s, n) of the elements around it.
    """

    sentence: str
    hits: tuple[Hit, ...] = ()
    shared: tuple[str, ...] = ()
    neighbours: tuple[tuple[str, str, float, float], ...] = ()


def sentence(
    scored: Scored, decisions: Decisions, state: Masking, overrides: dict[int, Override], uid: int
) -> str:
    """What happens to an element and why, for someone who knows nothing of the method."""
    page, s, n = scored.page, float(scored.s[uid]), float(scored.n[uid])
    element, code, by = page.observation.elements[uid], int(decisions.codes[uid]), decisions.by[uid]
    what = _what(page.findings_of(uid), page.types[uid], s, state.tau_s)
    done = DONE[code]
    if by == "you":
        reason = overrides[uid].reason if uid in overrides else ""
        locked = uid in overrides and overrides[uid].locked
        end = f" and locked it: “{reason}”." if locked and reason else " and locked it." if locked else "."
        end = f": “{reason}”." if reason and not locked else end
        return f"{what} You decided that it is {done}{end}"
    if by == "hidden":
        return f"{what} A person cannot see it but the agent could, so it is {done}."
    needed = n >= state.tau_n
    floor = uid in page.floor
    need = "The task needs it" if needed else "The task does not need it"
    if by == "floor":
        return f"{what} {need}, but this kind never leaves as it is, so it is {done} (floor)."
    if code == 2:
        more = "; were it needed, it would still be abstracted (floor)" if floor else ""
        return f"{what} {need}, so it is removed{more}."
    if code == 1:
        if not needed:
            return f"{what} {need}, but the page is small: its place stays and its text is abstracted."
        return f"{what} {need}, so its place stays and its text is abstracted."
    if not needed:
        kind = "this control" if element.interactive else "this text"
        return f"{what} {need}, but {kind} is harmless and the page is small, so it is kept."
    return f"{what} {need}, so it is kept."


def explain(
    scored: Scored, decisions: Decisions, state: Masking, overrides: dict[int, Override], uid: int
) -> Why:
    """The sentence with all its evidence."""
    page = scored.page
    element = page.observation.elements[uid]
    return Why(
        sentence(scored, decisions, state, overrides, uid),
        tuple(_hit(element, finding) for finding in page.findings_of(uid)),
        shared_words(state.task, element.text),
        tuple(
            (relation, near.label or near.role, float(scored.s[near.uid]), float(scored.n[near.uid]))
            for relation, near in neighbours(page.observation, element)
        ),
    )


def shared_words(task: str, text: str) -> tuple[str, ...]:
    """Words of the task that the text has too, whatever their endings."""
    from methods.minim.words import stem, words

    have = {stem(word) for word in words(text)}
    return tuple(dict.fromkeys(word for word in words(task) if stem(word) in have))


def influences(observation: Observation, explanation: Explanation) -> list[tuple[str, float]]:
    """The strongest features of the element, then the other elements that the network listened to most."""
    heard = [
        (f"heard from “{short(near.label or near.role)}”", weight)
        for uid, weight in explanation.neighbours
        for near in (observation.elements[uid],)
    ]
    return [*explanation.features, *heard[:HEARD]]


def short(label: str) -> str:
    return label if len(label) <= LABEL else label[: LABEL - 1] + "…"


def neighbours(observation: Observation, element: Element) -> list[tuple[str, Element]]:
    """The parent, the siblings beside it and the first children, as the graph network sees them."""
    elements, children = observation.elements, observation.children
    found: list[tuple[str, Element]] = []
    if element.parent >= 0:
        found.append(("in", elements[element.parent]))
        row = children[element.parent]
        at = row.index(element.uid)
        found += [("after", elements[u]) for u in row[max(at - 1, 0) : at]]
        found += [("before", elements[u]) for u in row[at + 1 : at + 2]]
    found += [("holds", elements[u]) for u in children[element.uid]]
    return found[:NEIGHBOURS]


def _what(findings: tuple[Finding, ...], kind: str, s: float, tau_s: float) -> str:
    from methods.minim.findings import TYPES

    if kind:
        title = TYPES[kind].title
        small = title[:1].lower() + title[1:]
        reason = next((f.why for f in findings if f.type == kind and f.why), "")
        reason = reason[:1].upper() + reason[1:].rstrip(".")
        if not reason or reason.lower().startswith(small.lower()):
            return f"{reason or title}."
        return f"{reason}: {small}."
    if s >= tau_s:
        return "No rule names it, but it reads like something private."
    return "Nothing private was found in it."


def _hit(element: Element, finding: Finding) -> Hit:
    from methods.minim.findings import TYPES

    text = element.texts[finding.text].text
    start, end = finding.start, finding.end
    before, after = text[max(start - AROUND, 0) : start], text[end : end + AROUND]
    return Hit(
        TYPES[finding.type].title,
        ("…" if start > AROUND else "") + before,
        text[start:end],
        after + ("…" if end + AROUND < len(text) else ""),
        finding.why,
        finding.checksum,
    )
