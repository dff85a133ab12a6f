"""Where elements lie in the text of a file, and which parts of it change on its way out. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from methods.minim.observation import Observation
    from methods.minim.redact import Redaction

Change = tuple[int, int, str]
"""Start, end (exclusive) in characters of the source, and what stands there instead; "" removes."""


class Places:
    """Finds the element at a position of the source, and the place of an element."""

    def __init__(self, observation: Observation) -> None:
        own: dict[int, tuple[int, int]] = {}
        rows: list[tuple[int, int, int]] = []
        for element in observation.elements:
            spans = [(t.span.start, t.span.end) for t in element.texts if t.span is not None and t.text]
            around = [*element.cuts, *(observation.lists[which][at] for which, at in element.items)]
            rows += [(start, end, element.uid) for start, end in (*spans, *around)]
            if spans or around:
                own[element.uid] = (spans or around)[0]
        self._own = own
        self._rows = np.array(rows, np.int64).reshape(-1, 3)

    def at(self, position: int) -> int | None:
        """uid of the innermost element that holds a character of the source."""
        starts, ends, uids = self._rows.T
        inside = np.flatnonzero((starts <= position) & (position < ends))
        if not len(inside):
            return None
        return int(uids[inside[(ends - starts)[inside].argmin()]])

    def of(self, uid: int) -> tuple[int, int] | None:
        """Start and end of an element's first text, or of all of it when it has none."""
        return self._own.get(uid)


def changes(observation: Observation, redaction: Redaction) -> list[Change]:
    """How the source becomes what leaves, in order and without overlaps; cutting out wins over replacing."""
    from methods.minim.writer import Edit, drop, replace_parts

    edits = drop(observation, redaction.dropped)
    for (uid, index), parts in redaction.replacements.items():
        span = observation.elements[uid].texts[index].span
        if span is not None:
            edits += replace_parts(observation.source, span, parts)
    copies = (
        t.span for e in observation.elements for t in e.texts if t.field == "copy" and t.span is not None
    )
    edits += [Edit(span.start, span.end) for span in copies if span.end > span.start]
    ordered = sorted(edits, key=lambda e: (e.start, e.end))
    cuts = _merged([(e.start, e.end) for e in ordered if not e.raw and e.end > e.start])
    found: list[Change] = [(start, end, "") for start, end in cuts]
    at = 0
    for edit in ordered:
        while at < len(cuts) and cuts[at][1] <= edit.start:
            at += 1
        if edit.raw and (at == len(cuts) or edit.end <= cuts[at][0]):
            found.append((edit.start, edit.end, edit.raw))
    return sorted(found)


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
