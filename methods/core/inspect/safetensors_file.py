"""Safetensors files: only the JSON header is read, and its figures are checked against the file's size."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from methods.core.errors import BadInput
from methods.core.inspect.found import Inspection, TensorInfo

if TYPE_CHECKING:
    import numpy as np

MAX_HEADER = 100 * 1024 * 1024
CHUNK = 1 << 20
NUMPY = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "u1",
    "BOOL": "?",
    "BF16": "<u2",  # the upper half of a float32
}
BYTES = {name: int(code[-1]) if code != "?" else 1 for name, code in NUMPY.items()} | {
    "F8_E4M3": 1,
    "F8_E5M2": 1,
}


def inspect(path: Path) -> Inspection:
    """What is inside a safetensors file.

    Raises:
        BadInput: not safetensors, or the header is damaged or cut off.
    """
    entries, metadata, start = _read(path)
    room = path.stat().st_size - start
    try:
        tensors = tuple(_tensor(name, entry) for name, entry in entries.items())
        end = max((entry["data_offsets"][1] for entry in entries.values()), default=0)
    except (ValueError, TypeError, KeyError) as error:
        raise _damaged(path, error) from error
    refusal = ""
    if end > room:
        refusal = (
            f"{path.name} is cut off or its header lies: tensors end {end - room:,} bytes behind the file."
        )
    return Inspection(
        path.name,
        "safetensors",
        tensors,
        metadata=metadata,
        refusal=refusal,
        remedy="Get the file again." if refusal else "",
    )


def _damaged(path: Path, error: object) -> BadInput:
    return BadInput(f"{path.name}: the header is damaged ({str(error)[:160]}).", "Get the file again.")


def _read(path: Path) -> tuple[dict[str, Any], dict[str, str], int]:
    """The tensors' entries, the metadata and where the data start."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else -1
        if not 2 <= length <= min(MAX_HEADER, size - 8):
            raise BadInput(f"{path.name} is not a safetensors file or is cut off.", "Get the file again.")
        raw = stream.read(length)
    try:
        entries = json.loads(raw)
        if not isinstance(entries, dict):
            raise ValueError("it is no list of tensors")
        metadata = entries.pop("__metadata__", {})
        if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
            raise ValueError("its metadata is not text")
    except (ValueError, RecursionError) as error:
        raise _damaged(path, error) from error
    return entries, metadata, 8 + length


def _tensor(name: str, entry: dict[str, Any]) -> TensorInfo:
    dtype, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not all(type(v) is int and v >= 0 for v in (*shape, begin, end)) or begin > end:
        raise ValueError(f"the tensor {name[:60]!r} has an impossible place or shape")
    if not isinstance(dtype, str):
        raise ValueError(f"the tensor {name[:60]!r} has no type")
    if dtype in BYTES and math.prod(shape) * BYTES[dtype] != end - begin:
        raise ValueError(f"the tensor {name[:60]!r} has another size than its shape")
    return TensorInfo(name, dtype, tuple(shape), end - begin)


def chunks(path: Path, name: str) -> Iterator[np.ndarray]:
    """The values of one tensor in order, arrays of at most ``CHUNK`` values.

    Raises:
        BadInput: no such tensor, cut off, or of a type that cannot be shown.
    """
    import numpy as np

    entries, _, start = _read(path)
    if name not in entries:
        raise BadInput(f"{path.name} has no tensor {name!r}.", "Choose one of the list.")
    try:
        tensor = _tensor(name, entries[name])
    except (ValueError, TypeError, KeyError) as error:
        raise _damaged(path, error) from error
    if tensor.dtype not in BYTES:
        raise BadInput(f"Values of type {tensor.dtype} cannot be shown.", "")
    if not tensor.bytes:
        return
    begin = start + entries[name]["data_offsets"][0]
    if begin + tensor.bytes > path.stat().st_size:
        raise BadInput(f"{path.name} is cut off within {name!r}.", "Get the file again.")
    raw = np.memmap(path, np.uint8, "r", begin, (tensor.bytes,))
    step = CHUNK * BYTES[tensor.dtype]
    for at in range(0, tensor.bytes, step):
        yield _numbers(raw[at : at + step].tobytes(), tensor.dtype)


def _numbers(raw: bytes, dtype: str) -> np.ndarray:
    import numpy as np

    if dtype.startswith("F8"):
        import torch

        kind = torch.float8_e4m3fn if dtype == "F8_E4M3" else torch.float8_e5m2
        return torch.frombuffer(bytearray(raw), dtype=kind).float().numpy()
    found = np.frombuffer(raw, NUMPY[dtype])
    if dtype == "BF16":
        return (found.astype(np.uint32) << 16).view(np.float32)
    return found
