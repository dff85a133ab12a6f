"""Points as text: XYZ, CSV, TXT, PTS, with any of the usual delimiters, header lines and optional normals."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from methods.core.errors import BadInput
from methods.superquadrics.loading.raw import Raw, Reservoir, Source
from methods.superquadrics.loading.text import Lines, Rows, pieces
from methods.superquadrics.loading.words import many, was

MAX_HEADER_LINES = 100
MAX_COLUMNS = 64
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMA_NUMBER = re.compile(rb"[-+]?\d*(,\d+)?([eE][-+]?\d+)?\Z")


def read_xyz(source: Source) -> Raw:
    """Read one point per line: x y z, then normals, colours or anything else.

    Columns are taken by the names in a header line where there is one, else the first three are x, y, z, and
    the next three are normals if they have length 1. A first line with a single number (PTS) is the number of
    points.

    Raises:
        BadInput: no line with three numbers, or mostly other text; fewer points than announced.
    """
    reader = _Reader(source)
    for piece in pieces(source):
        reader.take(piece)
    return reader.finish()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.points = Reservoir()
        self.columns: list[int] | None = None
        self.announced: int | None = None
        self.unreadable = 0
        self.begun = False
        self.decimal_comma = False

    def take(self, piece: bytes) -> None:
        if b"\0" in piece:
            raise BadInput(
                f"{self.source.name} is not a text file.", "Give points as text with x, y, z on each line."
            )
        if not self.begun:
            piece = self._header(piece)
        lines = Lines(self._with_spaces(piece))
        comment = lines.starts_with("#", whole=False) | lines.starts_with("//", whole=False)
        rows = lines.numbers(~comment, 0)
        width = max(self.columns) + 1 if self.columns else min(int(rows.counts.max(initial=0)), MAX_COLUMNS)
        if self.columns is None:
            self.columns = list(range(min(width, 6))) if width >= 3 else [0, 1, 2]
        # a point has a number in every place of x, y, z; NaN written as such is a point that gets dropped
        width = max(width, 3)
        is_point = rows.counts > max(self.columns[:3])
        if rows.unreadable is not None:
            words = Rows(rows.unreadable.astype(np.float64), rows.counts).columns(width)
            is_point &= ~(words[:, self.columns[:3]] > 0).any(axis=1)
        self.unreadable += int((~is_point).sum())
        self.points.add(rows.columns(width)[is_point][:, self.columns])

    def _with_spaces(self, piece: bytes) -> bytes:
        if self.decimal_comma:
            piece = piece.replace(b",", b".")
        for mark in (b",", b";"):
            if mark * 2 in piece:  # an empty cell must not shift the others
                piece = piece.replace(mark * 2, mark + b"nan" + mark).replace(mark * 2, mark + b"nan" + mark)
        return piece.translate(_TO_SPACE)

    def _header(self, piece: bytes) -> bytes:
        """Look at the first lines, note what they say and return the rest."""
        self.begun = True
        first, rest = [], piece
        for _ in range(MAX_HEADER_LINES):
            line, newline, rest_after = rest.partition(b"\n")
            words = line.translate(_TO_SPACE).split()
            is_comment = line.lstrip()[:1] == b"#" or line.lstrip()[:2] == b"//"
            if words and not is_comment and _is_number(words[0]):
                break
            if not newline:
                break
            first.append(line.decode("utf-8", errors="replace"))
            rest = rest_after
        line = rest.partition(b"\n")[0]
        cells = re.split(rb"[;\t ]+", line.strip())
        self.decimal_comma = len(cells) >= 3 and b"," in line and all(map(_COMMA_NUMBER.match, cells))
        words = line.translate(_TO_SPACE).split()
        if len(words) == 1 and _is_number(words[0]):
            self.announced = int(min(max(float(words[0]), 0), 1e15)) if words[0].isdigit() else None
            rest = rest.partition(b"\n")[2]
        for text in reversed(first):
            if self._names(text):
                break
        else:
            self.unreadable += sum(1 for text in first[1:] if text.strip() and text.lstrip()[:1] not in "#/")
        return rest

    def _names(self, text: str) -> bool:
        """Whether a header line names x, y and z; their places are noted then."""
        text = text.strip("\r\n").lstrip("#/ ")
        mark = next((m for m in ",;\t" if m in text), None)
        words = [w.strip(" \t\"'").lower() for w in text.split(mark)]
        words = [_WORD.match(w)[0] if _WORD.match(w) else w for w in words]
        places = []
        for options in (("x", "nx"), ("y", "ny"), ("z", "nz")):
            if options[0] not in words:
                return False
            places.append(words.index(options[0]))
        normals = [words.index(n) for n in ("nx", "ny", "nz") if n in words]
        if max(places + normals) >= MAX_COLUMNS:
            return False
        self.columns = places + (normals if len(normals) == 3 else [])
        return True

    def finish(self) -> Raw:
        rows = self.points.rows()
        total = self.points.total
        if not total or self.unreadable > total:
            raise BadInput(
                f"{self.source.name} does not look like points: {many(total, 'line')} with x, y and z, "
                f"{self.unreadable:,} without.",
                "Give one point per line, x y z, separated by spaces, commas or tabs.",
            )
        if self.announced is not None and total < self.announced:
            raise self.source.cut_off(total, self.announced, "point")
        warnings = []
        if self.unreadable:
            lines = many(self.unreadable, "line")
            warnings.append(f"{lines} without x, y and z {was(self.unreadable)} skipped.")
        return Raw(
            "points as text",
            rows[:, :3],
            normals=unit_normals(rows),
            warnings=warnings,
            total=total,
            dropped=self.points.dropped,
            is_cloud_format=True,
        )


_TO_SPACE = bytes.maketrans(b",;\"'", b"    ")


def _is_number(word: bytes) -> bool:
    try:
        float(word.replace(b",", b"."))
    except ValueError:
        return False
    return True


def unit_normals(rows: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Columns 4 to 6 if nearly all have length 1; colours and the like do not."""
    if rows.shape[1] != 6 or not len(rows):
        return None
    length = np.linalg.norm(rows[:, 3:], axis=1)
    good = np.abs(length - 1.0) < 0.02
    return rows[:, 3:] if good.mean() > 0.98 else None
