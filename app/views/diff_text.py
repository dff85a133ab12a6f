"""A text, what was replaced in it and what was taken out, cut into rows of a given width. No Qt."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

KEPT, MASKED, REMOVED = 0, 1, 2
Edit = tuple[int, int, str]
"""Start and end (exclusive) in the text before, in characters, and what stands there instead."""

_WIDE = (
    (0x1100, 0x115F), (0x2E80, 0xA4CF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE30, 0xFE6F),
    (0xFF00, 0xFF60), (0xFFE0, 0xFFE6), (0x1F300, 0x1FAFF), (0x20000, 0x3FFFD),
)  # fmt: skip
"""Code points that take two columns of a fixed-width font (Unicode TR11, the large blocks)."""
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


class Piece(NamedTuple):
    """Part of a row: its characters, what became of them, and where they begin in the shown text."""

    text: str
    kind: int
    start: int


class DiffText:
    """What is shown: kept parts, replacements, and removed parts where these are wanted.

    Args:
        before: the text as it was.
        edits: ordered, not overlapping; an empty replacement removes. :func:`apply` says whether they fit.
        show_removed: whether removed parts are in :attr:`text`.
    """

    def __init__(self, before: str, edits: Sequence[Edit], show_removed: bool) -> None:
        self._before = before
        self._starts: list[int] = []
        self._kinds: list[int] = []
        self._sources: list[tuple[int, int]] = []
        parts: list[str] = []
        length = at = 0

        def add(text: str, kind: int, start: int, end: int) -> None:
            nonlocal length
            if text:
                self._starts.append(length)
                self._kinds.append(kind)
                self._sources.append((start, end))
                parts.append(text)
                length += len(text)

        for start, end, replacement in edits:
            add(before[at:start], KEPT, at, start)
            if replacement:
                add(replacement, MASKED, start, end)
            elif show_removed:
                add(before[start:end], REMOVED, start, end)
            at = end
        add(before[at:], KEPT, at, len(before))
        self.text = "".join(parts)

    def _piece(self, position: int) -> int:
        return max(bisect_right(self._starts, position) - 1, 0)

    def _end(self, piece: int) -> int:
        return self._starts[piece + 1] if piece + 1 < len(self._starts) else len(self.text)

    def before_position(self, position: int) -> int:
        """Where a character of the shown text stood before; for a replacement, where it begins."""
        if not self._starts:
            return 0
        piece = self._piece(position)
        start, end = self._sources[piece]
        if self._kinds[piece] == MASKED:
            return start
        return min(start + position - self._starts[piece], end)

    def shown_position(self, position: int) -> int:
        """Where a character of the text before is shown; for a hidden one, where it would stand."""
        piece = bisect_right(self._sources, (position, len(self._before) + 1)) - 1
        if piece < 0:
            return 0
        start, end = self._sources[piece]
        if self._kinds[piece] == MASKED:
            return self._starts[piece] if position < end else self._end(piece)
        return min(self._starts[piece] + position - start, self._end(piece))

    def original(self, position: int) -> str:
        """What the replacement at a shown position stands for; nothing elsewhere."""
        if not self._starts or self._kinds[self._piece(position)] != MASKED:
            return ""
        return self._before[slice(*self._sources[self._piece(position)])]

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        """The parts of a range of the shown text."""
        while start < end:
            piece = self._piece(start)
            stop = min(self._end(piece), end)
            yield Piece(self.text[start:stop], self._kinds[piece], start)
            start = stop

    def outgoing(self, start: int, end: int) -> str:
        """What of a range leaves: never a removed part."""
        return "".join(piece.text for piece in self.pieces(start, end) if piece.kind != REMOVED)

    def count(self, kind: int) -> int:
        return self._kinds.count(kind)

    def rows(self, columns: int) -> Rows:
        """The shown text in rows of at most ``columns`` columns."""
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        newlines = np.flatnonzero(codes == 10)
        starts = np.concatenate([[0], newlines + 1])
        ends = np.concatenate([newlines, [len(codes)]])
        if len(starts) > 1 and starts[-1] == len(codes):  # a line break at the end begins no line
            starts, ends = starts[:-1], ends[:-1]
        piece_of = np.searchsorted(np.array(self._starts or [0]), starts, "right") - 1
        stops = np.append(np.array(self._starts[1:], np.int64), len(codes) + 1)
        removed = np.array(self._kinds or [KEPT])[piece_of] == REMOVED
        whole = removed & (stops[piece_of] > ends) & (ends > starts)
        numbers = np.cumsum(~whole)
        numbers[whole] = 0
        return Rows(*_wrap(codes, starts, ends, numbers, columns))


class Rows(NamedTuple):
    """(R,) begin and end (without the line break) of each row in the shown text, and its line's number.

    The number is 0 in the further rows of a wrapped line and in lines that are removed as a whole.
    """

    starts: np.ndarray
    ends: np.ndarray
    numbers: np.ndarray

    def at(self, position: int) -> int:
        """The row that shows a position."""
        return int(max(np.searchsorted(self.starts, position, "right") - 1, 0))


def apply(before: str, edits: Sequence[Edit]) -> str | None:
    """The text after ``edits``; None where they overlap, are out of order or out of range."""
    ends = [0, *(end for _, end, _ in edits)]
    if any(start < last or end < start for (start, end, _), last in zip(edits, ends, strict=False)):
        return None
    if ends[-1] > len(before):
        return None
    bounds = [0, *(edge for start, end, _ in edits for edge in (start, end)), len(before)]
    kept = [before[start:end] for start, end in list(pairwise(bounds))[::2]]
    return kept[0] + "".join(new + text for (_, _, new), text in zip(edits, kept[1:], strict=True))


def seen(text: str) -> str:
    """One row as it can be drawn: tabs as a space; what has no shape, or turns the writing round, as a dot."""
    return _UNSEEN.sub("·", text.replace("\t", " "))


def _wrap(
    codes: np.ndarray, starts: np.ndarray, ends: np.ndarray, numbers: np.ndarray, columns: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    wide = np.zeros(len(codes), bool)
    if len(codes) and codes.max() >= _WIDE[0][0]:
        for low, high in _WIDE:
            wide |= (codes >= low) & (codes <= high)
    width = np.concatenate([[0], np.cumsum(1 + wide)])
    too_long = np.flatnonzero(width[ends] - width[starts] > columns)
    cuts = [starts]
    for start, end in zip(starts[too_long].tolist(), ends[too_long].tolist(), strict=True):
        if width[end] - width[start] == end - start:
            cuts.append(np.arange(start + columns, end, columns))
            continue
        here, found = start, []
        while width[end] - width[here] > columns:
            here = max(int(np.searchsorted(width, width[here] + columns, "right")) - 1, here + 1)
            found.append(here)
        cuts.append(np.array(found, np.int64))
    row_starts = np.sort(np.concatenate(cuts))
    line = np.searchsorted(starts, row_starts, "right") - 1
    first = starts[line] == row_starts
    row_ends = np.minimum(np.append(row_starts[1:], len(codes)), ends[line])
    return row_starts, row_ends, np.where(first, numbers[line], 0)
