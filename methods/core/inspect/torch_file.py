"""Torch checkpoints (.pt, .pth, .bin, .ckpt): pickles, which can run code when opened carelessly.

The pickle is first only disassembled, which runs nothing, and what it would call is listed. Then the tensors are
read with ``weights_only`` and mapped rather than copied.
"""

from __future__ import annotations

import io
import pickletools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from methods.core.errors import BadInput
from methods.core.inspect.found import Inspection, TensorInfo, shortened

if TYPE_CHECKING:
    import numpy as np
    import torch

MAX_PICKLE = 64 * 1024 * 1024
"""The pickle of a checkpoint holds names and shapes only."""
OLD_PICKLES = 5
"""An old checkpoint is this many pickles one after another, then raw numbers; a zipped one has one."""
MAX_DEPTH = 32
CHUNK = 1 << 20
PLAIN_MODULES = (
    "torch",
    "torch._utils",
    "torch.storage",
    "torch.nn.parameter",
    "collections",
    "torch._tensor",
)
"""Modules of the rebuilding functions that plain tensors need."""


def inspect(path: Path) -> Inspection:
    """What is inside a torch checkpoint.

    Raises:
        BadInput: no checkpoint, damaged, or without tensors.
    """
    calls = _calls(path)
    if calls:
        listed = ", ".join(shortened(c, 60) for c in calls[:4])
        return Inspection(
            path.name,
            "torch",
            (),
            metadata={"calls": shortened(", ".join(calls))},
            refusal=f"{path.name} cannot be opened safely: its pickle asks to call {listed}. Nothing was run.",
            remedy="Convert it to safetensors where it comes from.",
        )
    found = tensors(path)
    infos = tuple(
        TensorInfo(name, str(t.dtype).removeprefix("torch."), tuple(t.shape), t.numel() * t.element_size())
        for name, t in found
    )
    if not infos:
        raise BadInput(f"{path.name} holds no tensors.", "Choose a file of weights.")
    return Inspection(path.name, "torch", infos)


def _calls(path: Path) -> list[str]:
    """Names outside of plain tensors that opening the pickle would import, without opening it."""
    found: set[str] = set()
    strings: list[str] = []
    try:
        stream = io.BytesIO(_pickle(path))
        for _ in range(OLD_PICKLES):
            for opcode, argument, _ in pickletools.genops(stream):
                if opcode.name in ("GLOBAL", "INST"):
                    found.add(str(argument).replace(" ", ".", 1))
                elif opcode.name == "STACK_GLOBAL":
                    found.add(".".join(strings[-2:]))
                elif isinstance(argument, str):
                    strings.append(argument)
    except (
        Exception
    ):  # the end, or what cannot be disassembled: the reader with weights_only refuses that as well
        pass
    return sorted(name for name in found if name.rpartition(".")[0] not in PLAIN_MODULES)


def _pickle(path: Path) -> bytes:
    """The pickle of a zipped checkpoint, the beginning of an old one; empty when there is none or it is huge."""
    if not zipfile.is_zipfile(path):
        with path.open("rb") as stream:
            return stream.read(MAX_PICKLE)
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if entry.filename.endswith("data.pkl") and entry.file_size <= MAX_PICKLE:
                return archive.read(entry)
    return b""


def tensors(path: Path) -> list[tuple[str, torch.Tensor]]:
    """The tensors of a checkpoint with dotted names; mapped where the file allows it.

    Raises:
        BadInput: damaged, or holding more than plain tensors.
    """
    import torch

    try:
        # a mapped storage behind the end of the file would be a bus error, so only sound archives are mapped
        value = torch.load(path, map_location="cpu", weights_only=True, mmap=_stored(path))
    except Exception as error:  # many kinds, among them the refusal to run what the file brings along
        raise BadInput(
            f"{path.name} cannot be opened safely: it is damaged or holds more than tensors.",
            "Convert it to safetensors where it comes from.",
        ) from error
    return _flat(value)


def _stored(path: Path) -> bool:
    """Is it a zip archive whose members lie uncompressed within the file?"""
    if not zipfile.is_zipfile(path):
        return False
    size = path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        return all(
            e.compress_type == zipfile.ZIP_STORED and e.header_offset + e.file_size <= size
            for e in archive.infolist()
        )


def _flat(value: Any, prefix: str = "", depth: int = 0) -> list[tuple[str, torch.Tensor]]:
    import torch

    if isinstance(value, torch.Tensor):
        return [(prefix or "tensor", value)]
    if depth > MAX_DEPTH:
        return []
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, (list, tuple)):
        entries = enumerate(value)
    else:
        return []
    return [f for k, v in entries for f in _flat(v, f"{prefix}.{k}" if prefix else str(k), depth + 1)]


def chunks(path: Path, name: str) -> Iterator[np.ndarray]:
    """The values of one tensor in order, at most ``CHUNK`` at a time.

    Raises:
        BadInput: no such tensor, not safe to open, or of a kind that cannot be shown.
    """
    import torch

    tensor = dict(tensors(path)).get(name)
    if tensor is None:
        raise BadInput(f"{path.name} has no tensor {name!r}.", "Choose one of the list.")
    if tensor.layout is not torch.strided or tensor.is_complex() or tensor.is_quantized:
        raise BadInput(f"Values of the tensor {name!r} cannot be shown.", "")
    if tensor.numel() * tensor.element_size() > tensor.untyped_storage().nbytes():
        raise BadInput(f"The tensor {name!r} repeats its values and cannot be shown.", "")
    flat = tensor.detach().reshape(-1)
    for at in range(0, flat.numel(), CHUNK):
        piece = flat[at : at + CHUNK]
        yield (piece.float() if piece.is_floating_point() else piece).numpy()
