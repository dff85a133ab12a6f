"""The one entrance of the inspector, and its findings as JSON-able data and as lines of text."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from methods.core.errors import BadInput
from methods.core.inspect import gguf_file, kinds, numpy_file, safetensors_file, torch_file
from methods.core.inspect.folder import inspect_folder
from methods.core.inspect.found import Inspection

READERS = {
    "safetensors": safetensors_file.inspect,
    "gguf": gguf_file.inspect,
    "torch": torch_file.inspect,
    "npz": numpy_file.inspect,
}


def inspect(path: Path) -> Inspection:
    """What is inside a .safetensors, .gguf, .pt, .pth, .bin, .ckpt or .npz file, or a model folder.

    Weights that can be looked at but must not be used come back with a ``refusal``.

    Raises:
        BadInput: absent, none of these, or damaged so that nothing can be shown.
    """
    path = Path(path)
    try:
        if path.is_dir():
            return inspect_folder(path)
        if not path.is_file():
            kinds.known(path)
            raise BadInput(f"{path} does not exist.", "Check the name and the folder.")
        if not path.stat().st_size:
            raise BadInput(f"{path.name} is empty.", kinds.AGAIN)
        found = READERS[kinds.kind(path)](path)
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}.", "Check its permissions.") from error
    found = _with_header(found)
    return replace(found, fits=kinds.fits(found))


def _with_header(found: Inspection) -> Inspection:
    from methods.core.checkpoints import KEY, Header

    if found.format != "safetensors" or KEY not in found.metadata:
        return found
    try:
        header = Header(**json.loads(found.metadata[KEY]))
        if not isinstance(header.method, str) or not isinstance(header.format_version, int):
            raise TypeError("method or format version is missing")
    except (ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"{found.name}: our header is damaged ({str(error)[:160]}).", kinds.AGAIN) from error
    return replace(found, header=header)


def describe(path: Path) -> dict[str, Any]:
    """:func:`inspect` as plain JSON-able data; ``parameters`` counts values, ``bytes`` what they take in the file."""
    from methods.core.checkpoints import KEY

    found = inspect(path)
    return {
        "name": found.name,
        "format": found.format,
        "fits": found.fits,
        "refusal": found.refusal,
        "remedy": found.remedy,
        "warnings": list(found.warnings),
        "parameters": sum(math.prod(t.shape) for t in found.tensors),
        "bytes": sum(t.bytes for t in found.tensors),
        "header": asdict(found.header) if found.header else None,
        "metadata": {k: v for k, v in found.metadata.items() if k != KEY},
        "tensors": [asdict(t) | {"shape": list(t.shape)} for t in found.tensors],
    }


def lines(description: dict[str, Any]) -> list[str]:
    """What :func:`describe` found, for a terminal: :func:`head`, then a line per tensor."""
    tensors = [f"  {_one_line(t['name']):<48} {t['dtype']:<10} {t['shape']}" for t in description["tensors"]]
    return head(description) + tensors


def head(description: dict[str, Any]) -> list[str]:
    """What :func:`describe` found of the file as a whole, its name first."""
    said = {
        "format": description["format"],
        "fits": description["fits"] or "nothing this program knows",
        "tensors": f"{len(description['tensors']):,}",
        "parameters": f"{description['parameters']:,}",
        "bytes": f"{description['bytes']:,}",
    }
    out = [description["name"], *(f"  {key:<11} {value}" for key, value in said.items())]
    if description["refusal"]:
        out.append(f"  refused     {description['refusal']} {description['remedy']}")
    out += [f"  warning     {text}" for text in description["warnings"]]
    out += [f"  {key} = {_one_line(value)}" for key, value in description["metadata"].items()]
    for key, value in (description["header"] or {}).items():
        out.append(f"  {key} = {_one_line(value)}")
    return out


def _one_line(value: Any) -> str:
    """Without line breaks and control characters, which would reach the terminal."""
    text = value if isinstance(value, str) else json.dumps(value)
    return "".join(c if c.isprintable() else " " for c in text[:200])
