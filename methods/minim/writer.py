"""Rewrite the source of an observation in place: replace parts of texts, drop elements, touch nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from methods.minim.codecs import encode, offsets
from methods.minim.observation import Observation, Span


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters ``start:end`` of the source become ``raw`` (already encoded)."""

    start: int
    end: int
    raw: str = ""


def replace_parts(source: str, span: Span, parts: Iterable[tuple[int, int, str]]) -> list[Edit]:
    """Edits that replace parts of one text.

    Args:
        parts: (start, end, replacement) in characters of the *decoded* text; parts must not overlap.
    """
    places = offsets(source[span.start : span.end], span.codec)
    return [
        Edit(span.start + places[start], span.start + places[end], encode(new, span.codec))
        for start, end, new in parts
    ]


def drop(observation: Observation, dropped: Iterable[int]) -> list[Edit]:
    """Edits that cut elements out. The caller drops an element only together with all of its descendants."""
    edits = []
    members: dict[int, set[int]] = defaultdict(set)
    for uid in dropped:
        element = observation.elements[uid]
        edits.extend(Edit(start, end) for start, end in element.cuts)
        for which, position in element.items:
            members[which].add(position)
    for which, positions in members.items():
        edits.extend(_cut_members(observation.lists[which], positions))
    return edits


def _cut_members(members: Sequence[tuple[int, int]], gone: set[int]) -> list[Edit]:
    """Cut members of a comma-separated list so that exactly the commas between survivors remain."""
    first_left = next((i for i in range(len(members)) if i not in gone), None)
    if first_left is None:
        return [Edit(members[0][0], members[-1][1])] if members else []
    return [
        Edit(members[i][0], members[i + 1][0]) if i < first_left else Edit(members[i - 1][1], members[i][1])
        for i in sorted(gone)
    ]


def apply(source: str, edits: Iterable[Edit]) -> str:
    """``source`` with the edits made. Where they overlap, cutting out wins over replacing."""
    edits = list(edits)
    cuts = _merged([e for e in edits if not e.raw and e.end > e.start])
    kept = [e for e in edits if e.raw or e.end == e.start]
    out: list[str] = []
    at = 0
    for edit in sorted(cuts + _outside(kept, cuts), key=lambda e: (e.start, e.end)):
        if edit.start < at:
            raise ValueError("edits overlap")
        out += source[at : edit.start], edit.raw
        at = edit.end
    out.append(source[at:])
    return "".join(out)


def _merged(cuts: list[Edit]) -> list[Edit]:
    merged: list[Edit] = []
    for cut in sorted(cuts, key=lambda e: (e.start, e.end)):
        if merged and cut.start <= merged[-1].end:
            merged[-1] = Edit(merged[-1].start, max(merged[-1].end, cut.end))
        else:
            merged.append(cut)
    return merged


def _outside(edits: list[Edit], cuts: list[Edit]) -> list[Edit]:
    """The edits that lie outside every cut."""
    left = []
    position = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        while position < len(cuts) and cuts[position].end <= edit.start:
            position += 1
        if position == len(cuts) or edit.end <= cuts[position].start:
            left.append(edit)
    return left


Replacements = Mapping[tuple[int, int], Sequence[tuple[int, int, str]]]
"""For (uid, index of the text), the parts of it that are replaced."""


def rewrite(observation: Observation, replacements: Replacements, dropped: Iterable[int]) -> str:
    """The source with the replacements made and the elements dropped; copies become empty."""
    edits = drop(observation, dropped)
    for (uid, index), parts in replacements.items():
        span = observation.elements[uid].texts[index].span
        if span is not None:
            edits += replace_parts(observation.source, span, parts)
    for element in observation.elements:
        for text in element.texts:
            if text.field == "copy" and text.span is not None and text.span.end > text.span.start:
                edits.append(Edit(text.span.start, text.span.end))
    return apply(observation.source, edits)
