"""Weights files: written and read as safetensors with a header of ours, and looked into whatever they are.

A file of ours carries, under the key ``studiolo`` of the safetensors metadata, a JSON object with the method,
the format version, the configuration, the training data and the scores. A file that does not fit is refused
before any tensor is used. Other people's ``.pt`` files are opened with ``weights_only`` and never executed.
"""

from __future__ import annotations

import json
import math
import struct
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from methods.core.errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    import torch

KEY = "studiolo"
MAX_HEADER = 100 * 1024 * 1024
BYTES = {
    "F64": 8,
    "I64": 8,
    "U64": 8,
    "F32": 4,
    "I32": 4,
    "U32": 4,
    "F16": 2,
    "BF16": 2,
    "I16": 2,
    "U16": 2,
    "I8": 1,
    "U8": 1,
    "BOOL": 1,
    "F8_E4M3": 1,
    "F8_E5M2": 1,
}


@dataclass(frozen=True)
class Header:
    """What a checkpoint of ours says about itself."""

    method: str
    format_version: int
    config: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    scores: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TensorInfo:
    """One tensor of a file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class Inspection:
    """What is inside a weights file; ``header`` is None for files that are not ours."""

    name: str
    format: str
    tensors: tuple[TensorInfo, ...]
    header: Header | None
    metadata: dict[str, str]


def save(path: Path, tensors: dict[str, torch.Tensor], header: Header) -> None:
    """Write tensors under our header."""
    from safetensors.torch import save as pack

    from methods.core.atomic import write_atomically

    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_atomically(path, pack(contiguous, metadata={KEY: json.dumps(asdict(header), allow_nan=False)}))


def read_header(path: Path) -> Header:
    """The header of one of our files, read without torch.

    Raises:
        BadInput: no safetensors file, or not one of ours.
    """
    found = _inspect_safetensors(path)
    if found.header is None:
        raise BadInput(
            f"{path.name} was not written by this program.", "Look inside it with File, Look inside…."
        )
    return found.header


def load(
    path: Path, method: str, format_version: int, device: str = "cpu"
) -> tuple[dict[str, torch.Tensor], Header]:
    """The tensors of one of our files, after its header has been checked.

    Raises:
        BadInput: not ours, of another method, or of a newer format version.
    """
    header = read_header(path)
    if header.method != method:
        raise BadInput(
            f"{path.name} holds weights of {header.method!r}, not of {method!r}.", "Choose another file."
        )
    if header.format_version > format_version:
        raise BadInput(
            f"{path.name} has format {header.format_version}; this program reads up to {format_version}.",
            "Update the program.",
        )
    from safetensors.torch import load_file

    return load_file(path, device=device), header


def inspect(path: Path) -> Inspection:
    """What is inside ``path``: .safetensors, .npz, .pt or .pth.

    Raises:
        BadInput: none of these, damaged, or holding more than plain tensors.
    """
    readers = {
        ".safetensors": _inspect_safetensors,
        ".npz": _inspect_npz,
        ".pt": _inspect_torch,
        ".pth": _inspect_torch,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise BadInput(f"{path.name} is no weights file.", f"Known: {', '.join(readers)}.")
    if not path.is_file():
        raise BadInput(f"{path} does not exist.", "Check the name and the folder.")
    return reader(path)


def describe(path: Path) -> dict[str, Any]:
    """:func:`inspect` as plain JSON-able data."""
    found = inspect(path)
    parameters = sum(math.prod(t.shape) for t in found.tensors)
    return {
        "name": found.name,
        "format": found.format,
        "parameters": parameters,
        "bytes": sum(t.bytes for t in found.tensors),
        "header": asdict(found.header) if found.header else None,
        "metadata": {k: v for k, v in found.metadata.items() if k != KEY},
        "tensors": [asdict(t) | {"shape": list(t.shape)} for t in found.tensors],
    }


def histogram(path: Path, tensor: str, bins: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Counts and bin edges of one tensor's finite values."""
    import numpy as np

    values = _values(path, tensor).astype(np.float64).ravel()
    return np.histogram(values[np.isfinite(values)], bins)


def _values(path: Path, tensor: str) -> np.ndarray:
    import numpy as np

    suffix = path.suffix.lower()
    if suffix == ".npz":
        with np.load(path, allow_pickle=False) as archive:
            return archive[tensor]
    if suffix == ".safetensors":
        from safetensors.torch import load_file

        return load_file(path)[tensor].float().numpy()
    return dict(_flat(_load_torch(path)))[tensor].float().numpy()


def _inspect_safetensors(path: Path) -> Inspection:
    """Reads the header only; its figures are checked against the size of the file."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else -1
        if not 2 <= length <= min(MAX_HEADER, size - 8):
            raise BadInput(f"{path.name} is not a safetensors file or is cut off.", "Get the file again.")
        raw = stream.read(length)
    try:
        entries = json.loads(raw)
        metadata = entries.pop("__metadata__", {})
        tensors = tuple(_tensor(name, entry, size - 8 - length) for name, entry in entries.items())
        if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
            raise ValueError("its metadata is not text")
        header = Header(**json.loads(metadata[KEY])) if KEY in metadata else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadInput(f"{path.name}: the header is damaged ({error}).", "Get the file again.") from error
    return Inspection(path.name, "safetensors", tensors, header, metadata)


def _tensor(name: str, entry: dict[str, Any], room: int) -> TensorInfo:
    dtype, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not all(isinstance(v, int) and v >= 0 for v in (*shape, begin, end)) or not begin <= end <= room:
        raise ValueError(f"the tensor {name!r} lies outside the file")
    if dtype in BYTES and math.prod(shape) * BYTES[dtype] != end - begin:
        raise ValueError(f"the tensor {name!r} has another size than its shape")
    return TensorInfo(name, str(dtype), tuple(shape), end - begin)


def _inspect_npz(path: Path) -> Inspection:
    from numpy.lib import format as npy

    tensors = []
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                with archive.open(entry) as stream:
                    version = npy.read_magic(stream)
                    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
                    shape, _, dtype = read(stream)
                size = math.prod(shape) * dtype.itemsize
                tensors.append(TensorInfo(entry.filename.removesuffix(".npy"), str(dtype), shape, size))
    except Exception as error:  # zipfile and numpy raise a dozen kinds on damaged files
        raise BadInput(
            f"{path.name} is damaged or not an .npz file ({error}).", "Get the file again."
        ) from error
    return Inspection(path.name, "npz", tuple(tensors), None, {})


def _inspect_torch(path: Path) -> Inspection:
    tensors = tuple(
        TensorInfo(name, str(t.dtype).removeprefix("torch."), tuple(t.shape), t.numel() * t.element_size())
        for name, t in _flat(_load_torch(path))
    )
    if not tensors:
        raise BadInput(f"{path.name} holds no tensors.", "Choose a file of weights.")
    return Inspection(path.name, "torch", tensors, None, {})


def _load_torch(path: Path) -> Any:
    import torch

    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # many kinds, among them the refusal to run what the file brings along
        raise BadInput(
            f"{path.name} cannot be opened safely: it is damaged or holds more than tensors.",
            "Convert it to safetensors where it comes from.",
        ) from error


def _flat(value: Any, prefix: str = "") -> list[tuple[str, torch.Tensor]]:
    import torch

    if isinstance(value, torch.Tensor):
        return [(prefix or "tensor", value)]
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, (list, tuple)):
        entries = enumerate(value)
    else:
        return []
    return [found for k, v in entries for found in _flat(v, f"{prefix}.{k}" if prefix else str(k))]
