"""Figures of one tensor, computed piece by piece so that a tensor of gigabytes needs megabytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from methods.core.errors import BadInput
from methods.core.inspect import gguf_file, kinds, numpy_file, safetensors_file, torch_file

if TYPE_CHECKING:
    import numpy as np

CHUNKS = {
    "safetensors": safetensors_file.chunks,
    "gguf": gguf_file.chunks,
    "torch": torch_file.chunks,
    "npz": numpy_file.chunks,
}


@dataclass(frozen=True)
class TensorStatistics:
    """Figures of a tensor's finite values; NaN where there are none.

    Attributes:
        counts: (bins,) int64. edges: (bins + 1,) float64.
        finite, unfinite, zeros: numbers of values.
    """

    counts: np.ndarray
    edges: np.ndarray
    finite: int
    unfinite: int
    zeros: int
    minimum: float
    maximum: float
    mean: float
    std: float


def statistics(
    path: Path, tensor: str, bins: int = 64, check: Callable[[], None] | None = None
) -> TensorStatistics:
    """Two passes over the tensor ``tensor`` of the weights file ``path``.

    Args:
        check: called between pieces; may raise to stop (``context.check``).

    Raises:
        BadInput: no such tensor, damaged, or values that are no numbers.
    """
    import numpy as np

    path = Path(path)
    if not path.is_file():
        raise BadInput(f"{path} does not exist.", "Check the name and the folder.")
    pieces = CHUNKS[kinds.kind(path)]
    size = unfinite = zeros = 0
    total, low, high = 0.0, math.inf, -math.inf
    for values, bad in _finite(pieces(path, tensor), check):
        unfinite += bad
        if values.size:
            size += values.size
            zeros += int(np.count_nonzero(values == 0))
            total += float(values.sum())
            low, high = min(low, float(values.min())), max(high, float(values.max()))
    if not size:
        nan = math.nan
        return TensorStatistics(
            np.zeros(bins, np.int64), np.linspace(0, 1, bins + 1), 0, unfinite, 0, nan, nan, nan, nan
        )
    mean = total / size
    edges = np.histogram_bin_edges(np.array([low, high]) if low < high else np.array([low]), bins)
    if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):  # a range float64 cannot divide
        raise BadInput(f"The values of {tensor!r} span {low:g} to {high:g}, too far for a histogram.", "")
    counts, squares = np.zeros(bins, np.int64), 0.0
    with np.errstate(over="ignore"):
        for values, _ in _finite(pieces(path, tensor), check):
            counts += np.histogram(values, edges)[0]
            squares += float(((values - mean) ** 2).sum())
    return TensorStatistics(counts, edges, size, unfinite, zeros, low, high, mean, math.sqrt(squares / size))


def _finite(
    pieces: Iterator[np.ndarray], check: Callable[[], None] | None
) -> Iterator[tuple[np.ndarray, int]]:
    """Pieces as float64 without NaN and infinities, and how many of these there were."""
    import numpy as np

    for piece in pieces:
        if check is not None:
            check()
        values = piece.astype(np.float64)
        good = np.isfinite(values)
        bad = int(values.size - np.count_nonzero(good))
        yield (values[good] if bad else values), bad
