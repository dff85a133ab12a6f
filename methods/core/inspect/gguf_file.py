"""GGUF files (specification: ggml docs/gguf.md, versions 2 and 3), read without trusting them.

Every count, length and offset is checked against the size of the file before anything of that size is made.
The file is mapped, never read whole; tensors come out in pieces, de-quantised by the ``gguf`` package.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from methods.core.errors import BadInput
from methods.core.inspect.found import Inspection, TensorInfo, shortened

if TYPE_CHECKING:
    import numpy as np

MAGIC = b"GGUF"
MAX_ENTRIES = 65_536
MAX_TENSORS = 65_536
MAX_ITEMS = 4_000_000
"""Strings in one list: the largest vocabularies have a million."""
MAX_KEY = 65_535
MAX_DIMENSIONS = 4
CHUNK = 1 << 20
"""Values handed out at a time."""

SCALARS = {0: "B", 1: "b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "?", 10: "<Q", 11: "<q", 12: "<d"}
NUMPY = {
    0: "u1",
    1: "i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "?",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}
STRING, ARRAY = 8, 9


@dataclass(frozen=True)
class GgufTensor:
    """Where a tensor lies; ``offset`` counts from the start of the file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    bytes: int


@dataclass(frozen=True)
class GgufHeader:
    """The head of a file. ``metadata`` holds Python scalars, strings, lists of strings and numpy arrays.

    ``missing`` is the number of bytes that the tensors need and the file lacks.
    """

    version: int
    metadata: dict[str, Any]
    tensors: tuple[GgufTensor, ...]
    missing: int = 0

    def tensor(self, name: str) -> GgufTensor | None:
        return next((t for t in self.tensors if t.name == name), None)


class _Damage(ValueError):
    """The header contradicts itself or the file; the text goes into the message."""


def read_header(path: Path) -> GgufHeader:
    """The checked header of a GGUF file.

    Raises:
        BadInput: not GGUF, a version this program does not read, damaged, or cut off within the header.
    """
    size = path.stat().st_size
    if size < 24:
        raise BadInput(f"{path.name} is not a GGUF file or is cut off.", "Get the file again.")
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return _Reader(data).header()
        except (_Damage, struct.error, UnicodeDecodeError) as error:
            reason = "it ends too early" if isinstance(error, struct.error) else str(error)
            raise BadInput(
                f"{path.name}: the GGUF header is damaged ({shortened(reason, 160)}).", "Get the file again."
            ) from error


class _Reader:
    """A position in the mapped file."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 0

    def header(self) -> GgufHeader:
        if self.data[:4] != MAGIC:
            raise _Damage("it does not begin with GGUF")
        self.at = 4
        version = self.scalar(4)
        if version in (2 << 24, 3 << 24):
            raise _Damage("it is written for big-endian machines, which this program does not read")
        if version not in (2, 3):
            raise _Damage(f"version {version}; versions 2 and 3 are read")
        tensors, entries = self.scalar(10), self.scalar(10)
        # the smallest entry has 13 bytes, the smallest tensor 32
        if entries > MAX_ENTRIES or entries * 13 > self.left:
            raise _Damage(f"it announces {entries} entries")
        if tensors > MAX_TENSORS or tensors * 32 > self.left:
            raise _Damage(f"it announces {tensors} tensors")
        metadata: dict[str, Any] = {}
        for _ in range(entries):
            key = self.string(MAX_KEY)
            if key in metadata:
                raise _Damage(f"the key {key[:60]!r} comes twice")
            metadata[key] = self.value(self.scalar(4))
        places = [self.place() for _ in range(tensors)]
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 8 <= alignment <= 1 << 20 or alignment % 8:
            raise _Damage(f"the alignment is {shortened(alignment, 40)}")
        start = -(-self.at // alignment) * alignment
        return _checked(version, metadata, places, start, alignment, len(self.data))

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def scalar(self, kind: int) -> Any:
        form = SCALARS[kind]
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def take(self, size: int) -> bytes:
        if size > self.left:
            raise _Damage("it ends too early")
        self.at += size
        return self.data[self.at - size : self.at]

    def string(self, limit: int | None = None) -> str:
        length = self.scalar(10)
        if limit is not None and length > limit:
            raise _Damage(f"a name of {length} bytes")
        return self.take(length).decode("utf-8", errors="strict" if limit else "replace")

    def value(self, kind: int, depth: int = 0) -> Any:
        if kind in SCALARS:
            return self.scalar(kind)
        if kind == STRING:
            return self.string()
        if kind != ARRAY or depth > 2:
            raise _Damage(f"a value of kind {kind}")
        inner, count = self.scalar(4), self.scalar(10)
        if inner in NUMPY:
            import numpy as np

            dtype = np.dtype(NUMPY[inner])
            if count * dtype.itemsize > self.left:
                raise _Damage(f"a list of {count} numbers")
            return np.frombuffer(self.take(count * dtype.itemsize), dtype)
        if count > MAX_ITEMS or count * 8 > self.left:
            raise _Damage(f"a list of {count} entries")
        return [self.value(inner, depth + 1) for _ in range(count)]

    def place(self) -> tuple[str, tuple[int, ...], int, int]:
        name = self.string(MAX_KEY)
        dimensions = self.scalar(4)
        if not 1 <= dimensions <= MAX_DIMENSIONS:
            raise _Damage(f"the tensor {name[:60]!r} has {dimensions} dimensions")
        shape = tuple(self.scalar(10) for _ in range(dimensions))
        return name, shape, self.scalar(4), self.scalar(10)


@cache
def _block_sizes() -> dict[int, tuple[str, int, int]]:
    """Number of the type -> its name, values in a block, bytes in a block."""
    from gguf.constants import GGML_QUANT_SIZES

    return {int(kind): (kind.name, *sizes) for kind, sizes in GGML_QUANT_SIZES.items()}


def _checked(
    version: int, metadata: dict[str, Any], places: list, start: int, alignment: int, size: int
) -> GgufHeader:
    found, names, end = [], set(), 0
    for name, shape, kind, offset in places:
        label = repr(name[:60])
        if name in names:
            raise _Damage(f"the tensor {label} comes twice")
        names.add(name)
        if kind not in _block_sizes():
            raise _Damage(f"the tensor {label} has the unknown type {kind}")
        dtype, block, block_bytes = _block_sizes()[kind]
        count = math.prod(shape)
        if not 0 < count < 1 << 63 or shape[0] % block:
            raise _Damage(f"the tensor {label} has the shape {shape}")
        if offset % alignment:
            raise _Damage(f"the tensor {label} lies at the unaligned offset {offset}")
        length = count // block * block_bytes
        found.append(GgufTensor(name, dtype, shape[::-1], start + offset, length))
        end = max(end, start + offset + length)
    return GgufHeader(version, metadata, tuple(found), max(0, end - size))


def inspect(path: Path) -> Inspection:
    """What is inside a GGUF file."""
    header = read_header(path)
    refusal = ""
    if header.missing:
        refusal = f"{path.name} is cut off: {header.missing:,} bytes of its tensors are missing."
    return Inspection(
        path.name,
        f"GGUF {header.version}",
        tuple(TensorInfo(t.name, t.dtype, t.shape, t.bytes) for t in header.tensors),
        metadata={key: _text(value) for key, value in header.metadata.items()},
        refusal=refusal,
        remedy="Get the file again." if refusal else "",
    )


def _text(value: Any) -> str:
    if isinstance(value, (str, int, float)):
        return shortened(value)
    first = ", ".join(shortened(v, 30) for v in list(value[:6]))
    return f"{len(value):,} values: {first}{', …' if len(value) > 6 else ''}"


def chunks(path: Path, name: str) -> Iterator[np.ndarray]:
    """The values of the tensor ``name`` in order, see :func:`pieces`.

    Raises:
        BadInput: no such tensor, cut off, or of a type that cannot be de-quantised.
    """
    tensor = read_header(path).tensor(name)
    if tensor is None:
        raise BadInput(f"{path.name} has no tensor {name!r}.", "Choose one of the list.")
    yield from pieces(path, tensor)


def pieces(path: Path, tensor: GgufTensor) -> Iterator[np.ndarray]:
    """The values of one tensor in order, float32 arrays of at most about ``CHUNK`` values.

    Raises:
        BadInput: cut off, or of a type that cannot be de-quantised.
    """
    import numpy as np
    from gguf.constants import GGMLQuantizationType
    from gguf.quants import dequantize

    kind = GGMLQuantizationType[tensor.dtype]
    _, block, block_bytes = _block_sizes()[int(kind)]
    if tensor.offset + tensor.bytes > path.stat().st_size:
        raise BadInput(f"{path.name} is cut off within {tensor.name!r}.", "Get the file again.")
    raw = np.memmap(path, np.uint8, "r", tensor.offset, (tensor.bytes,))
    plain = {"F64": "<f8", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1"}.get(tensor.dtype)
    step = max(CHUNK // block, 1) * block_bytes
    for start in range(0, tensor.bytes, step):
        piece = np.asarray(raw[start : start + step])
        if plain:
            yield piece.view(plain).astype(np.float32)
            continue
        try:
            yield dequantize(piece, kind).reshape(-1)
        except NotImplementedError as error:
            raise BadInput(
                f"{path.name}: tensors of type {tensor.dtype} cannot be de-quantised.",
                "Use a file quantised as Q4, Q5, Q6, Q8, F16 or F32.",
            ) from error


def values(path: Path, tensor: GgufTensor) -> np.ndarray:
    """One whole tensor as float32 of its shape."""
    import numpy as np

    out = np.empty(math.prod(tensor.shape), np.float32)
    at = 0
    for piece in pieces(path, tensor):
        out[at : at + piece.size] = piece
        at += piece.size
    return out.reshape(tensor.shape)
