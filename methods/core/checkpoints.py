"""Weights files: written and read as safetensors with a header of ours, and looked into whatever they are.

A file of ours carries, under the key ``studiolo`` of the safetensors metadata, a JSON object with the method,
the format version, the configuration, the training data and the scores. A file that does not fit is refused
before any tensor is used. Other people's ``.pt`` files are opened with ``weights_only`` and never executed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from methods.core.errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    import torch

    from methods.core.inspect.found import Inspection

KEY = "studiolo"


@dataclass(frozen=True)
class Header:
    """What a checkpoint of ours says about itself."""

    method: str
    format_version: int
    config: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    scores: dict[str, Any] = field(default_factory=dict)


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
    found = inspect(path)
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
    """What is inside a weights file that can be used: see :func:`methods.core.inspect.inspect`.

    Raises:
        BadInput: no weights file, damaged, cut off, or holding more than plain tensors.
    """
    from methods.core.inspect import inspect as look

    found = look(path)
    if found.refusal:
        raise BadInput(found.refusal, found.remedy)
    return found


def describe(path: Path) -> dict[str, Any]:
    """:func:`inspect` as plain JSON-able data."""
    from methods.core.inspect import describe as look

    found = look(path)
    if found["refusal"]:
        raise BadInput(found["refusal"], found["remedy"])
    return found


def histogram(path: Path, tensor: str, bins: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Counts and bin edges of one tensor's finite values."""
    from methods.core.inspect import statistics

    found = statistics(path, tensor, bins)
    return found.counts, found.edges
