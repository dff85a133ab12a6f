"""What kind of file it is by its first bytes, and what kind of model by the names of its tensors."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

from methods.core.errors import BadInput
from methods.core.inspect.found import Inspection

SUFFIXES = (".safetensors", ".gguf", ".pt", ".pth", ".bin", ".ckpt", ".npz")
AGAIN = "Get the file again."

FOREIGN = (
    (b"version https://git-lfs", "a Git LFS pointer: the weights themselves were not downloaded",
     "Fetch them with `git lfs pull`, or download the file from its page."),
    (b"<!DOCTYPE", "a web page, not weights: the download went wrong", AGAIN),
    (b"<!doctype", "a web page, not weights: the download went wrong", AGAIN),
    (b"<html", "a web page, not weights: the download went wrong", AGAIN),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "Convert it to safetensors."),
    (b"\x1f\x8b", "compressed with gzip", "Unpack it first."),
    (b"ggml", "a GGML file of the time before GGUF", "Convert it to GGUF."),
    (b"tjgg", "a GGML file of the time before GGUF", "Convert it to GGUF."),
)  # fmt: skip
"""First bytes, what the file is, and what to do."""

ARCHITECTURES = (
    (r"\.lora_[AB]\.", "a LoRA adapter; it needs its base model"),
    (r"model\.diffusion_model\.", "a Stable Diffusion checkpoint"),
    (r"(model\.)?layers\.\d+\.self_attn\.q_proj\.", "a Llama-like language model"),
    (r"blk\.\d+\.attn_(q|qkv|norm)\.", "a language model in GGUF names"),
    (r"(transformer\.)?h\.\d+\.attn\.c_attn\.", "a GPT-2-like language model"),
    (r"(bert\.|roberta\.)?encoder\.layer\.\d+\.attention\.", "a BERT-like encoder"),
    (r"encoder\.block\.\d+\.layer\.\d+\.SelfAttention\.", "a T5-like model"),
    (r"vision_model\.", "a CLIP-like vision model"),
    (r"layer\d+\.\d+\.conv\d+\.weight$", "a ResNet-like image network"),
    (r"(down|up)_blocks\.\d+\.", "a diffusion U-Net or autoencoder"),
)
_LAYER = re.compile(r"(?:^|\.)(?:layers?|blk|h|blocks?)\.(\d+)\.")


def known(path: Path) -> None:
    """Refuse a name that no weights file has.

    Raises:
        BadInput: another suffix.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"{path.name} is no weights file.", f"Known: {', '.join(SUFFIXES)}.")


def kind(path: Path) -> str:
    """``safetensors``, ``gguf``, ``torch`` or ``npz``, by content where it tells, else by suffix.

    Raises:
        BadInput: something else, told in words.
    """
    suffix = path.suffix.lower()
    with path.open("rb") as stream:
        start = stream.read(64)
    for magic, what, remedy in FOREIGN:
        if start.lstrip().startswith(magic):
            raise BadInput(f"{path.name} is {what}.", remedy)
    if start.startswith(b"GGUF"):
        return "gguf"
    if start.startswith(b"PK\x03\x04") and (names := _members(path)):
        return "torch" if any(name.endswith("data.pkl") for name in names) else "npz"
    known(path)
    return suffix[1:] if suffix in (".safetensors", ".gguf", ".npz") else "torch"


def _members(path: Path) -> list[str]:
    """Names in a zip archive; empty if it is damaged, which the reader chosen by the suffix then tells."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except Exception:  # zipfile raises a dozen kinds on damaged files
        return []


def fits(found: Inspection) -> str:
    """Which method of this program, or which kind of model, the tensors belong to; "" if unknown."""
    if found.header is not None:
        return f"the method {found.header.method} of this program (format {found.header.format_version})"
    names = [t.name for t in found.tensors]
    what = next((text for pattern, text in ARCHITECTURES if any(re.search(pattern, n) for n in names)), "")
    if architecture := found.metadata.get("general.architecture"):
        what = f"a language model of the architecture {architecture}"
    layers = _layers(names)
    return f"{what}, {layers} layers" if what and layers else what


def _layers(names: Iterable[str]) -> int:
    return max((int(m[1][:9]) + 1 for n in names if (m := _LAYER.search(n))), default=0)
