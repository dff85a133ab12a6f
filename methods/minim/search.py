"""Find many needles in one long text: after the first few, through an index of its short pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

PIECE = 6
"""Characters of an indexed piece; shorter needles are looked for one by one."""
PATIENCE = 50
"""Searches after which an index pays; it costs about as much as that many passes over the text."""
FEW = 8
"""Places that are compared without looking for a rarer piece first."""
_PRIME = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class Searched:
    """A text that is searched again and again. Without the index, a page of n texts costs n passes over n texts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._asked = 0
        self._keys: np.ndarray | None = None
        self._places = np.zeros(0, np.int64)

    def __contains__(self, wanted: str) -> bool:
        return next(self.all(wanted), None) is not None

    def all(self, wanted: str) -> Iterator[tuple[int, int]]:
        """(start, end) of every occurrence, overlapping ones too, in order."""
        self._asked += 1
        if self._asked <= PATIENCE or len(wanted) < PIECE:
            yield from self._one_by_one(wanted)
            return
        if self._keys is None:
            self._index()
        yield from self._through_index(wanted)

    def _one_by_one(self, wanted: str) -> Iterator[tuple[int, int]]:
        at = self.text.find(wanted) if wanted else -1
        while at >= 0:
            yield at, at + len(wanted)
            at = self.text.find(wanted, at + 1)

    def _index(self) -> None:
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
        keys = np.zeros(max(len(codes) - PIECE + 1, 0), np.uint64)
        for i in range(PIECE):
            keys = keys * np.uint64(_PRIME) + codes[i : i + len(keys)]
        self._places = np.argsort(keys, kind="stable")
        self._keys = keys[self._places]

    def _through_index(self, wanted: str) -> Iterator[tuple[int, int]]:
        """Compare where the rarest of its pieces stands."""
        last = len(wanted) - PIECE
        offset, places = self._rarest(wanted, sorted({0, last // 2, last}))
        if len(places) > FEW:
            offset, places = self._rarest(wanted, range(last + 1))
        for place in places.tolist():
            start = place - offset
            if start >= 0 and self.text.startswith(wanted, start):
                yield start, start + len(wanted)

    def _rarest(self, wanted: str, offsets: Sequence[int]) -> tuple[int, np.ndarray]:
        """Of the pieces at ``offsets`` the one that stands at the fewest places, and those places, in order."""
        assert self._keys is not None
        keys = np.array([_key(wanted[i : i + PIECE]) for i in offsets], np.uint64)
        low, high = self._keys.searchsorted(keys, "left"), self._keys.searchsorted(keys, "right")
        rarest = int((high - low).argmin())
        return offsets[rarest], self._places[low[rarest] : high[rarest]]


def _key(piece: str) -> int:
    key = 0
    for c in piece:
        key = (key * _PRIME + ord(c)) & _MASK
    return key
