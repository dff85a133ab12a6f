"""Numbers in text files, parsed a megabyte at a time.

Each piece goes through a handful of numpy passes over its bytes: that is fast, and it leaves the interpreter
to other threads several times a second. A piece with a word that is no number is read word by word instead,
so that one bad line never spoils the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from methods.core.errors import BadInput
from methods.superquadrics.loading.raw import Source
from methods.superquadrics.loading.words import bytes_text

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]

PIECE_BYTES = 2**20
MAX_LINE_BYTES = 2**24
_SPACE = np.zeros(256, dtype=bool)
_SPACE[[9, 10, 11, 12, 13, 32]] = True
_COUNTING = _SPACE.copy()
_COUNTING[48:58] = True
_NEWLINE = 10
_COMMENT_LINE = re.compile(rb"(?m)^[ \t]*#[^\n]*")


def pieces(source: Source, *, start: int = 0, join: bytes = b"") -> Iterator[bytes]:
    """Whole lines of a text file in pieces of about 1 MB, each ending in a newline.

    Args:
        start: byte to begin at.
        join: a mark that continues a line when it stands before the newline (``\\`` in OBJ).

    Raises:
        BadInput: a line of more than 16 MB.
    """
    with source.open() as stream:
        stream.seek(start)
        head = stream.read(PIECE_BYTES)
        if not start:
            head = head.removeprefix(b"\xef\xbb\xbf")  # the mark that some editors put before UTF-8
        old_mac = b"\n" not in head and b"\r" in head
        rest, more = b"", head
        while more:
            source.check()
            if old_mac:
                more = more.replace(b"\r", b"\n")
            text = rest + more
            end = text.rfind(b"\n") + 1
            while join and end and text[:end].rstrip(b"\r\n").endswith(join):
                end = text.rfind(b"\n", 0, end - 1) + 1
            text, rest = text[:end], text[end:]
            if len(rest) > MAX_LINE_BYTES:
                raise BadInput(
                    f"{source.name} has a line of more than {bytes_text(MAX_LINE_BYTES)}.",
                    "Check that this is the file you meant.",
                )
            if text:
                yield _joined(text, join)
            more = stream.read(PIECE_BYTES)
        if rest:
            yield _joined(rest + b"\n", join)


def _joined(text: bytes, join: bytes) -> bytes:
    if join and join in text:
        text = _COMMENT_LINE.sub(b"", text)  # a path in a comment may end in a backslash
        return text.replace(join + b"\r\n", b"  ").replace(join + b"\n", b" ") + b"\n"
    return text


@dataclass(frozen=True)
class Rows:
    """Numbers of some lines: ``values`` in a row, ``counts`` of them per line.

    A word that is no number is NaN, and marked in ``unreadable`` (None when there is no such word).
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    unreadable: Mask | None = None

    @property
    def starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.counts)[:-1]]).astype(np.int64)

    def columns(self, width: int) -> NDArray[np.float64]:
        """The first ``width`` numbers of each line [L, width], NaN where a line is shorter."""
        counts = self.counts
        if len(counts) and (counts == counts[0]).all() and counts[0] >= width:
            return self.values.reshape(len(counts), -1)[:, :width]
        result = np.full((len(counts), width), np.nan)
        starts = self.starts
        for i in range(width):
            has = counts > i
            result[has, i] = self.values[starts[has] + i]
        return result


def numbers(text: Bytes) -> Rows:
    """Parse bytes that consist of lines of numbers; empty lines have count 0."""
    begins = np.flatnonzero(_token_begins(text))
    newline = np.flatnonzero(text == _NEWLINE)
    counts = np.bincount(np.searchsorted(newline, begins), minlength=len(newline)).astype(np.int64)
    if not len(begins):
        return Rows(np.empty(0), counts)  # numpy reads a number from white space
    data = text.tobytes()
    # whole numbers without a sign are read four times faster, and by stricter rules, as what they are
    kind = np.int64 if _COUNTING[text].all() else np.float64
    try:
        values = np.fromstring(data, dtype=kind, sep=" ").astype(np.float64)
    except ValueError:
        values = np.empty(0)
    if len(values) == len(begins):
        return Rows(values, counts)
    words = [_number(word) for word in data.split()]
    unreadable = np.array([word is None for word in words])
    return Rows(np.array([np.nan if word is None else word for word in words]), counts, unreadable)


def _number(word: bytes) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _token_begins(text: Bytes) -> Mask:
    space = _SPACE[text]
    begins = ~space
    begins[1:] &= space[:-1]
    return begins


class Lines:
    """The lines of a piece that are not empty, known by their first word."""

    def __init__(self, piece: bytes) -> None:
        self._text = np.frombuffer(piece, dtype=np.uint8)
        newline = np.flatnonzero(self._text == _NEWLINE)
        begins = np.flatnonzero(_token_begins(self._text))
        line = np.searchsorted(newline, begins)
        is_first = np.ones(len(begins), dtype=bool)
        is_first[1:] = line[1:] != line[:-1]
        line = line[is_first]
        self.first = begins[is_first]
        """Where the first word begins."""
        self.end = newline[line]
        self._padded = np.concatenate([self._text, np.full(16, _NEWLINE, dtype=np.uint8)])

    def __len__(self) -> int:
        return len(self.first)

    def starts_with(self, word: str, *, whole: bool = True, any_case: bool = False) -> Mask:
        """Which lines begin with ``word`` (at most 15 letters), by default followed by white space."""
        mask = np.ones(len(self), dtype=bool)
        for i, letter in enumerate(word.encode()):
            found = self._padded[self.first + i]
            mask &= (found | 0x20 if any_case else found) == letter
        if whole:
            mask &= _SPACE[self._padded[self.first + len(word)]]
        return mask

    def text(self, index: int) -> str:
        """The line as text."""
        raw = self._text[self.first[index] : self.end[index]].tobytes()
        return raw.decode("utf-8", errors="replace").strip()

    def numbers(self, mask: Mask, skip: int, *, first_of_each: str = "", comment: str = "#") -> Rows:
        """Numbers of the chosen lines after the first ``skip`` letters.

        Args:
            first_of_each: only what precedes this letter counts in each word (``/`` in OBJ faces).
            comment: everything from this letter on is left out.
        """
        first, end = self.first[mask] + skip, self.end[mask] + 1
        if not len(first):
            return Rows(np.empty(0), np.empty(0, dtype=np.int64))
        # bytes inside and outside the chosen stretches alternate
        bounds = np.concatenate([[0], np.stack([first, end], axis=1).reshape(-1), [len(self._text)]])
        inside = np.arange(len(bounds) - 1) % 2 == 1
        text = self._text[np.repeat(inside, np.diff(bounds))]
        if comment and (mark := text == ord(comment)).any():
            text[_since(mark, text == _NEWLINE)] = 32
        if first_of_each and (mark := text == ord(first_of_each)).any():
            text[_since(mark, _SPACE[text])] = 32
        return numbers(text)


def _since(mark: Mask, stop: Mask) -> Mask:
    """Positions from a mark on up to, and without, the next stop."""
    position = np.arange(1, len(mark) + 1, dtype=np.int32)
    last_mark = np.maximum.accumulate(position * mark)
    last_stop = np.maximum.accumulate(position * stop)
    return last_mark > last_stop


def printable(name: str, most: int = 120) -> str:
    """A name from a file as one line of plain text."""
    return "".join(c if c.isprintable() else " " for c in name[: 4 * most]).strip()[:most]
