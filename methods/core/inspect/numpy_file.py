"""NumPy archives (.npz): the heads of the arrays are read; arrays of Python objects are refused, never loaded."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from methods.core.errors import BadInput
from methods.core.inspect.found import Inspection, TensorInfo

if TYPE_CHECKING:
    import numpy as np

MAX_ARRAYS = 100_000
CHUNK = 1 << 20


def inspect(path: Path) -> Inspection:
    """What is inside an .npz file.

    Raises:
        BadInput: no zip archive of arrays, damaged or cut off.
    """
    tensors, objects = [], []
    try:
        with zipfile.ZipFile(path) as archive:
            if len(archive.infolist()) > MAX_ARRAYS:
                raise ValueError(f"more than {MAX_ARRAYS:,} arrays")
            for entry in archive.infolist():
                with archive.open(entry) as stream:
                    shape, dtype = _head(stream)[:2]
                name = entry.filename.removesuffix(".npy")
                if dtype.hasobject:
                    objects.append(name)
                tensors.append(TensorInfo(name, str(dtype), shape, math.prod(shape) * dtype.itemsize))
    except Exception as error:  # zipfile and numpy raise a dozen kinds on damaged files
        raise _damaged(path, error) from error
    refusal = f"{path.name} holds Python objects ({', '.join(objects[:3])}), which could run code."
    return Inspection(
        path.name,
        "npz",
        tuple(tensors),
        refusal=refusal if objects else "",
        remedy="Save plain arrays of numbers instead." if objects else "",
    )


def _damaged(path: Path, error: Exception) -> BadInput:
    return BadInput(
        f"{path.name} is damaged or not an .npz file ({str(error)[:160]}).", "Get the file again."
    )


def _head(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any], bool]:
    """Shape, type and whether the columns come first."""
    from numpy.lib import format as npy

    version = npy.read_magic(stream)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, columns_first, dtype = read(stream)
    if any(n < 0 for n in shape):
        raise ValueError(f"an array of shape {shape}")
    return shape, dtype, columns_first


def chunks(path: Path, name: str) -> Iterator[np.ndarray]:
    """The values of one array in the order of the file, at most ``CHUNK`` at a time.

    Raises:
        BadInput: no such array, damaged, cut off, or holding no numbers.
    """
    import numpy as np

    try:
        with zipfile.ZipFile(path) as archive:
            members = set(archive.namelist())
            member = f"{name}.npy" if f"{name}.npy" in members else name
            if member not in members:
                raise BadInput(f"{path.name} has no array {name!r}.", "Choose one of the list.")
            with archive.open(member) as stream:
                shape, dtype, _ = _head(stream)
                if dtype.kind not in "biuf":
                    raise BadInput(f"Values of type {dtype} cannot be shown.", "")
                left = math.prod(shape)
                while left:
                    count = min(left, CHUNK)
                    raw = stream.read(count * dtype.itemsize)
                    if len(raw) < count * dtype.itemsize:
                        raise ValueError(f"{name!r} ends too early")
                    yield np.frombuffer(raw, dtype)
                    left -= count
    except BadInput:
        raise
    except Exception as error:  # as above
        raise _damaged(path, error) from error
