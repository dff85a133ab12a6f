"""What a reader hands over: the content of a file as it stands there, not yet checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from methods.core.errors import BadInput
from methods.superquadrics.limits import FARTHEST
from methods.superquadrics.loading.words import bytes_text, many

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_FILE_BYTES = 4 * 2**30
MAX_ARRAY_BYTES = 2 * 2**30
"""Largest array that a file may unpack into."""
MAX_VERTICES = 60_000_000
MAX_FACES = 10_000_000
MAX_CLOUD = 2_000_000
"""Points of a cloud that are kept: what the views draw without stalling."""


@dataclass(frozen=True)
class Source:
    """A file to read. ``check`` is called now and then and may raise to stop."""

    path: Path
    size: int
    check: Callable[[], None] = lambda: None

    @property
    def name(self) -> str:
        return self.path.name

    def open(self) -> BinaryIO:
        return self.path.open("rb")

    def read(self) -> bytes:
        """The whole file, at most :data:`MAX_ARRAY_BYTES`."""
        if self.size > MAX_ARRAY_BYTES:
            raise BadInput(
                f"{self.name} has {bytes_text(self.size)}; at most {bytes_text(MAX_ARRAY_BYTES)} fit.",
                "Simplify it or split it first.",
            )
        return self.path.read_bytes()

    def cut_off(self, there: int, wanted: int, one: str, more: str = "") -> BadInput:
        """The error of a file that ends too early."""
        return BadInput(
            f"{self.name} is cut off: {there:,} of {many(wanted, one, more)} are there.",
            "Copy or export the file again.",
        )

    def damaged(self, what: str) -> BadInput:
        return BadInput(f"{self.name} is damaged: {what}.", "Copy or export the file again.")


@dataclass
class Polygons:
    """Faces with any number of corners.

    ``corners`` holds the vertex numbers of all faces in a row, ``counts`` [P] how many belong to each.
    """

    corners: Integers
    counts: Integers

    @staticmethod
    def of_triangles(faces: Integers) -> Polygons:
        faces = np.asarray(faces, dtype=np.int64).reshape(-1, 3)
        return Polygons(faces.reshape(-1), np.full(len(faces), 3, dtype=np.int64))

    @staticmethod
    def joined(several: list[Polygons]) -> Polygons:
        empty = np.empty(0, dtype=np.int64)
        return Polygons(
            np.concatenate([empty, *(p.corners for p in several)]),
            np.concatenate([empty, *(p.counts for p in several)]),
        )

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def starts(self) -> Integers:
        return np.concatenate([[0], np.cumsum(self.counts)[:-1]]).astype(np.int64)

    def any(self, flag: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which faces [P] have a corner whose ``flag`` is set; one flag per entry of ``corners``."""
        if not len(self):
            return np.empty(0, dtype=bool)
        return np.bincount(np.repeat(np.arange(len(self)), self.counts), flag, minlength=len(self)) > 0

    def keep(self, mask: NDArray[np.bool_]) -> Polygons:
        return Polygons(self.corners[np.repeat(mask, self.counts)], self.counts[mask])


@dataclass
class Raw:
    """The content of a file.

    Attributes:
        format: its name for a person, as in "OBJ".
        vertices: [V, 3], possibly with values that are not finite.
        polygons: None when the format or the file has no faces.
        labels: part [P] of each face, an index into ``names``; None when the file names no parts.
        normals: [V, 3] or None.
        unit: unit that the format or file prescribes, or "".
        warnings: what the reader had to skip, with counts.
        total: points in the file, when ``vertices`` is a random subset or points were dropped on the way.
        dropped: points that were left out because a coordinate was not finite.
        is_cloud_format: points without faces are normal here and need no word.
    """

    format: str
    vertices: Floats
    polygons: Polygons | None = None
    labels: Integers | None = None
    names: list[str] = field(default_factory=list)
    normals: Floats | None = None
    unit: str = ""
    warnings: list[str] = field(default_factory=list)
    total: int | None = None
    dropped: int = 0
    is_cloud_format: bool = False


def is_usable(points: Floats) -> NDArray[np.bool_]:
    """Which points [N, 3 or more] have finite coordinates that are not absurdly large."""
    x, y, z = (np.abs(points[:, i]) < FARTHEST for i in range(3))
    return x & y & z


class Reservoir:
    """A uniform random subset of a stream of points, at most ``most`` of them; leaves out what is not finite.

    Every point gets a random key and the smallest keys stay (Vitter's reservoir in batches), so memory is
    bounded whatever the size of the file.
    """

    def __init__(self, most: int | None = None, seed: int = 0) -> None:
        self.most = MAX_CLOUD if most is None else most
        self.total = 0
        self.dropped = 0
        self._rng = np.random.default_rng(seed)
        self._rows: list[Floats] = []
        self._keys: list[Floats] = []
        self._held = 0
        self._limit = 1.0

    def add(self, rows: Floats) -> None:
        """Take rows [N, C]; the first three columns are the position."""
        self.total += len(rows)
        good = is_usable(rows)
        self.dropped += len(rows) - int(good.sum())
        key = self._rng.random(len(rows))
        good &= key <= self._limit
        self._rows.append(np.array(rows[good], dtype=np.float64))
        self._keys.append(key[good])
        self._held += int(good.sum())
        if self._held > 2 * self.most:
            self._thin()

    def _thin(self) -> None:
        rows, keys = np.concatenate(self._rows), np.concatenate(self._keys)
        if len(rows) > self.most:
            kept = np.sort(np.argpartition(keys, self.most)[: self.most])  # in the file's order
            rows, keys = rows[kept], keys[kept]
            self._limit = float(keys.max(initial=0.0))
        self._rows, self._keys, self._held = [rows], [keys], len(rows)

    def rows(self) -> Floats:
        """The rows kept [at most ``most``, C], in the file's order."""
        if not self._rows:
            return np.empty((0, 3))
        self._thin()
        return self._rows[0]
