"""GGUF files as language models: de-quantised once into a folder that :mod:`.hf_folder` reads.

The folder lies in the person's cache under the SHA-256 of the file: ``model.safetensors`` (float32), ``config.json``,
``tokenizer.json`` and ``tokenizer_config.json``. Tensor names follow llama.cpp's ``gguf/tensor_mapping.py``.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import struct
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from methods.core.errors import BadInput, WorkFailed
from methods.core.inspect import gguf_file
from methods.core.inspect.gguf_file import GgufHeader, GgufTensor
from methods.monica.models import hf_folder, vocabulary
from methods.monica.models.llama_model import LlamaModel

KNOWN = ("llama", "qwen2", "qwen3")
FORMAT = 1
"""Raised when converted folders change, so that old ones are made again."""
TOP = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight",
       "output.weight": "lm_head.weight"}  # fmt: skip
BLOCK = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def cache_folder() -> Path:
    """Where converted models lie: the cache folder of the person, or under ``STUDIOLO_HOME``."""
    if home := os.environ.get("STUDIOLO_HOME"):
        return Path(home) / "cache" / "models"
    import platformdirs

    return Path(platformdirs.user_cache_dir("studiolo", appauthor=False)) / "models"


def load(
    path: Path,
    device: str = "cpu",
    dtype: str = "auto",
    raw: bool = False,
    progress: hf_folder.Progress | None = None,
    cache: Path | None = None,
) -> LlamaModel:
    """A GGUF file as a language model; see :func:`.hf_folder.load`.

    Raises:
        BadInput: not GGUF, damaged, cut off, or an architecture that is not built in.
        WorkFailed: no room in the cache folder, or not enough memory.
    """
    tell = progress or (lambda fraction, text: None)
    folder = convert(path, cache or cache_folder(), lambda f, t: tell(0.8 * f, t))
    return hf_folder.load(folder, device, dtype, raw, lambda f, t: tell(0.8 + 0.2 * f, t))


def convert(path: Path, cache: Path, progress: hf_folder.Progress | None = None) -> Path:
    """The folder made from a GGUF file; made now if it is not there yet."""
    if not path.is_file():
        raise BadInput(f"{path} does not exist.", "Check the name and the folder.")
    from methods.core.inspect import inspect

    found = inspect(path)  # names pointers, web pages and cut files
    if not found.format.startswith("GGUF"):
        raise BadInput(f"{path.name} is not a GGUF file.", "Choose a .gguf file.")
    if found.refusal:
        raise BadInput(found.refusal, found.remedy)
    header = gguf_file.read_header(path)
    settings = _settings(header, path.name)
    hf_folder.configuration(settings, path.name)  # refuses impossible sizes before anything is written
    sha256 = hf_folder.fingerprint([path])
    folder = cache / f"{sha256[:24]}-{FORMAT}"
    if (folder / "config.json").is_file():
        return folder
    settings[hf_folder.SOURCE] = {"name": path.stem, "sha256": sha256}
    try:
        cache.mkdir(parents=True, exist_ok=True)
        _sweep(cache)
        _check_room(cache, header, path.name)
        made = Path(tempfile.mkdtemp(prefix=".making-", dir=cache))
        try:
            _write(path, header, settings, made, progress or (lambda fraction, text: None))
            made.replace(folder)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        if not (folder / "config.json").is_file():  # unless another process was faster
            raise WorkFailed(
                f"{path.name} could not be unpacked into {cache}: {error.strerror}.", "Free space there."
            ) from error
    return folder


def _sweep(cache: Path) -> None:
    """Remove what a killed run left half made more than an hour ago."""
    for left in cache.glob(".making-*"):
        if time.time() - left.stat().st_mtime > 3600:
            shutil.rmtree(left, ignore_errors=True)


def _check_room(cache: Path, header: GgufHeader, name: str) -> None:
    need = 4 * sum(math.prod(t.shape) for t in header.tensors)
    free = shutil.disk_usage(cache).free
    if need > free:
        raise WorkFailed(
            f"Unpacking {name} needs {need / 1e9:.1f} GB; {free / 1e9:.1f} GB are free in {cache}.",
            "Free space there, or choose a smaller model.",
        )


def _settings(header: GgufHeader, name: str) -> dict[str, Any]:
    """A ``config.json`` from the metadata."""
    data = header.metadata
    kind = data.get("general.architecture")
    if kind not in KNOWN:
        raise BadInput(
            f"{name} is a {str(kind)[:40]!r} model, an architecture that is not built in.",
            f"Built in: {', '.join(KNOWN)}.",
        )

    def need(key: str, default: Any = None) -> Any:
        value = data.get(f"{kind}.{key}", default)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise BadInput(f"{name} does not say its {key}.", "Get the file again.")
        return value

    if data.get(f"{kind}.expert_count"):
        raise BadInput(f"{name} is a mixture of experts, which is not built in.", "Choose another model.")
    embedding = header.tensor("token_embd.weight")
    heads = need("attention.head_count")
    settings = {
        "model_type": kind,
        "vocab_size": embedding.shape[0] if embedding else 0,
        "hidden_size": need("embedding_length"),
        "num_hidden_layers": need("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": need("attention.head_count_kv", heads),
        "intermediate_size": need("feed_forward_length"),
        "max_position_embeddings": need("context_length"),
        "rms_norm_eps": need("attention.layer_norm_rms_epsilon", 1e-5),
        "rope_theta": need("rope.freq_base", 10_000.0),
        "tie_word_embeddings": header.tensor("output.weight") is None,
        "attention_bias": kind == "llama" and header.tensor("blk.0.attn_q.bias") is not None,
    }
    width = data.get(f"{kind}.attention.key_length") or data.get(f"{kind}.rope.dimension_count")
    if width:
        settings["head_dim"] = width
    if scaling := data.get(f"{kind}.rope.scaling.type"):
        settings["rope_scaling"] = {"rope_type": scaling, "factor": data.get(f"{kind}.rope.scaling.factor")}
    return settings


def _write(
    path: Path, header: GgufHeader, settings: dict[str, Any], folder: Path, progress: hf_folder.Progress
) -> None:
    data = header.metadata
    tokenizer = vocabulary.from_gguf(data, path.name)
    tokenizer.save(str(folder / "tokenizer.json"))
    tokens = data["tokenizer.ggml.tokens"]

    def token(key: str) -> str:
        index = data.get(f"tokenizer.ggml.{key}_token_id")
        return tokens[index] if isinstance(index, int) and 0 <= index < len(tokens) else ""

    words = {
        f"{short}_token": token(key) for short, key in (("bos", "bos"), ("eos", "eos"), ("pad", "padding"))
    }
    words["add_bos_token"] = bool(
        data.get("tokenizer.ggml.add_bos_token", data.get("tokenizer.ggml.model") == "llama")
    )
    if isinstance(template := data.get("tokenizer.chat_template"), str):
        words["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(words), "utf-8")
    if (factors := header.tensor("rope_freqs.weight")) is not None:
        settings["rope_scaling"] = {
            "rope_type": "factors",
            "factors": gguf_file.values(path, factors).tolist(),
        }
    renamed = [(new, t) for t in header.tensors if (new := _renamed(t.name))]
    write_tensors(folder / "model.safetensors", renamed, lambda t: _values(path, t, settings), progress)
    # last, because a folder with it counts as complete
    (folder / "config.json").write_text(json.dumps(settings), "utf-8")


def _renamed(name: str) -> str:
    if name in TOP:
        return TOP[name]
    parts = name.split(".")
    if len(parts) == 4 and parts[0] == "blk" and parts[1].isdecimal() and parts[2] in BLOCK:
        return f"model.layers.{int(parts[1])}.{BLOCK[parts[2]]}.{parts[3]}"
    return ""


def _values(path: Path, tensor: GgufTensor, settings: dict[str, Any]) -> np.ndarray:
    values = gguf_file.values(path, tensor)
    part = tensor.name.split(".")[2] if tensor.name.startswith("blk.") else ""
    if settings["model_type"] == "llama" and part in ("attn_q", "attn_k"):
        heads = settings["num_attention_heads" if part == "attn_q" else "num_key_value_heads"]
        values = _halves(values, int(heads), tensor.name)
    return values


def _halves(values: np.ndarray, heads: int, name: str) -> np.ndarray:
    """llama.cpp keeps the two coordinates of a rotary plane side by side; here they lie in the two halves."""
    if values.shape[0] % (2 * heads):
        raise BadInput(
            f"{name} has the shape {values.shape}, which {heads} heads do not divide.", "Get the file again."
        )
    return values.reshape(heads, -1, 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def write_tensors(
    path: Path,
    tensors: list[tuple[str, GgufTensor]],
    values: Callable[[GgufTensor], np.ndarray],
    progress: hf_folder.Progress,
) -> None:
    """A safetensors file in float32, written tensor by tensor so that only one is in memory."""
    entries: dict[str, Any] = {}
    end = 0
    for name, tensor in tensors:
        size = 4 * math.prod(tensor.shape)
        entries[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [end, end + size]}
        end += size
    head = json.dumps(entries).encode()
    head += b" " * (-len(head) % 8)
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", len(head)) + head)
        for done, (name, tensor) in enumerate(tensors):
            progress(done / len(tensors), f"Unpacking {name}")
            stream.write(np.ascontiguousarray(values(tensor), "<f4").data)
