"""Local model folders in the layout of Hugging Face; our own cache of GGUF files has it too.

Only safetensors and JSON are read. Python in a folder is never run.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from methods.core.errors import BadInput, WorkFailed
from methods.core.inspect import inspect
from methods.core.inspect.folder import read_json, remote_code, weight_files
from methods.monica.models.chat import Chat
from methods.monica.models.llama import Config, Llama, frequencies
from methods.monica.models.llama_model import LlamaModel
from methods.monica.models.vocabulary import Vocabulary, read

KNOWN = ("llama", "mistral", "qwen2", "qwen3")
SOURCE = "studiolo_source"
"""Key of our cached folders: {"name", "sha256"} of the file they were made from."""
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
Progress = Callable[[float, str], None]


def load(
    folder: Path,
    device: str = "cpu",
    dtype: str = "auto",
    raw: bool = False,
    progress: Progress | None = None,
) -> LlamaModel:
    """A model folder as a language model.

    Args:
        dtype: ``float32``, ``bfloat16``, ``float16``, or ``auto`` (float32 on the CPU, else bfloat16).
        raw: put text to the model without its chat template.

    Raises:
        BadInput: pickled weights, remote code, an unknown architecture, missing or damaged files.
        WorkFailed: not enough memory.
    """
    began = time.perf_counter()
    tell = progress or (lambda fraction, text: None)
    tell(0.0, f"Reading {folder.name}")
    settings = read_json(folder / "config.json")
    if settings.get("auto_map"):
        raise BadInput(
            f"{folder.name} asks to run Python of its own ({', '.join(remote_code(folder, settings))}); "
            "this program never runs code of a model.",
            f"Choose a model of a built-in architecture: {', '.join(KNOWN)}.",
        )
    config = configuration(settings, folder.name)
    found = inspect(folder)
    if found.refusal:
        raise BadInput(found.refusal, found.remedy)
    files = weight_files(folder)
    vocabulary, chat = _words(folder, settings, raw)
    if vocabulary.tokenizer.get_vocab_size() > config.vocabulary:
        raise BadInput(
            f"The tokenizer of {folder.name} has more words than the model.", "Get the folder again."
        )
    kind = DTYPES.get(dtype) or (torch.float32 if device == "cpu" else torch.bfloat16)
    tell(0.2, "Loading the weights")
    network = _network(config, files, device, kind)
    tell(0.8, "Fingerprint of the weights")
    source = settings.get(SOURCE)
    source = source if isinstance(source, dict) else {}
    model = LlamaModel(
        str(source.get("name") or folder.name),
        network,
        vocabulary,
        chat,
        str(source.get("sha256") or fingerprint(files)),
    )
    model.load_seconds = time.perf_counter() - began
    tell(1.0, "")
    return model


def configuration(settings: dict[str, Any], name: str) -> Config:
    """Sizes from a ``config.json``.

    Raises:
        BadInput: an architecture that is not built in, or sizes that are missing or impossible.
    """
    kind = settings.get("model_type")
    if kind not in KNOWN:
        raise BadInput(
            f"{name} is a {str(kind)[:40]!r} model, an architecture that is not built in.",
            f"Built in: {', '.join(KNOWN)}.",
        )
    if settings.get("hidden_act", "silu") not in ("silu", "swish") or settings.get("mlp_bias"):
        raise BadInput(f"{name} departs from the {kind} architecture.", "Choose another model.")
    try:
        width, heads = int(settings["hidden_size"]), int(settings["num_attention_heads"])
        context = int(settings.get("max_position_embeddings", 2048))
        if kind == "mistral" and settings.get("sliding_window"):
            context = min(
                context, int(settings["sliding_window"])
            )  # within the window attention is the usual one
        rope = settings.get("rope_scaling") or {}
        parameters = settings.get("rope_parameters") or rope
        bias = bool(settings.get("attention_bias", False))
        config = Config(
            vocabulary=int(settings["vocab_size"]),
            width=width,
            layers=int(settings["num_hidden_layers"]),
            heads=heads,
            kv_heads=int(settings.get("num_key_value_heads") or heads),
            head_width=int(settings.get("head_dim") or width // heads),
            inner=int(settings["intermediate_size"]),
            context=context,
            theta=float(settings.get("rope_theta") or parameters.get("rope_theta") or 10_000.0),
            epsilon=float(settings.get("rms_norm_eps", 1e-6)),
            tied=bool(settings.get("tie_word_embeddings", False)),
            qkv_bias=bias or kind == "qwen2",
            out_bias=bias and kind in ("llama", "qwen3"),
            head_norm=kind == "qwen3",
            rope=_rope(parameters),
        )
    except (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError, OverflowError) as error:
        raise BadInput(
            f"config.json of {name} is damaged ({str(error)[:100]}).", "Get the folder again."
        ) from error
    sizes = (config.vocabulary, config.width, config.layers, config.heads, config.kv_heads, config.head_width,
             config.inner, config.context)  # fmt: skip
    if (
        not all(0 < n < 1 << 24 for n in sizes)
        or config.layers > 1000
        or config.heads % config.kv_heads
        or config.head_width % 2
    ):
        raise BadInput(f"config.json of {name} has impossible sizes.", "Get the folder again.")
    return config


def _rope(parameters: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    kind = parameters.get("rope_type") or parameters.get("type") or "default"
    if kind == "default":
        return ()
    values = {
        k: tuple(v) if isinstance(v, list) else v
        for k, v in parameters.items()
        if k not in ("type", "rope_type")
    }
    return tuple(sorted({"kind": kind, **values}.items()))


def _network(config: Config, files: list[Path], device: str, dtype: torch.dtype) -> Llama:
    """The network with its weights; nothing is allocated before the files have proven to fit."""
    turns = _turns(config)
    with torch.device("meta"):
        network = Llama(config, turns)
    wanted = {name: tuple(p.shape) for name, p in network.named_parameters()}
    state: dict[str, Tensor] = {}
    try:
        for file in files:
            for name, tensor in load_file(file).items():
                name = name.removeprefix("model.")
                if name in wanted:
                    state[name] = tensor.to(device, dtype)
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise WorkFailed("There is not enough memory for this model.", "Choose a smaller one.") from error
    except (SafetensorError, OSError, RuntimeError) as error:
        raise BadInput(
            f"The weights cannot be read ({str(error)[:120]}).", "Get the folder again."
        ) from error
    missing = sorted(set(wanted) - set(state))
    if missing:
        raise BadInput(
            f"{len(missing)} tensors are missing, among them {missing[0]}.", "Get the whole model."
        )
    wrong = next((n for n, shape in wanted.items() if tuple(state[n].shape) != shape), None)
    if wrong:
        raise BadInput(
            f"{wrong} has the shape {tuple(state[wrong].shape)}; config.json asks for {wanted[wrong]}.",
            "Get the whole model.",
        )
    network.load_state_dict(state, assign=True)
    return network.eval().requires_grad_(False)


def _turns(config: Config) -> Tensor:
    try:
        found = frequencies(config)
        if found.shape != (config.head_width // 2,) or not found.isfinite().all():
            raise ValueError
    except (KeyError, TypeError, ValueError, ZeroDivisionError, RuntimeError) as error:
        raise BadInput(
            "The scaling of positions in config.json is damaged.", "Get the folder again."
        ) from error
    return found


def _words(folder: Path, settings: dict[str, Any], raw: bool) -> tuple[Vocabulary, Chat]:
    tokenizer = read(folder / "tokenizer.json")
    path = folder / "tokenizer_config.json"
    more = read_json(path) if path.is_file() else {}
    names = {key: _text(more.get(key)) for key in ("bos_token", "eos_token", "pad_token")}
    generation = folder / "generation_config.json"
    asked = (read_json(generation) if generation.is_file() else settings).get("eos_token_id")
    size = tokenizer.get_vocab_size()
    ends = {i for i in (asked if isinstance(asked, list) else [asked]) if type(i) is int and 0 <= i < size}
    ids = {key: tokenizer.token_to_id(name) for key, name in names.items() if name}
    if ids.get("eos_token") is not None:
        ends.add(ids["eos_token"])
    bos = ids.get("bos_token") if more.get("add_bos_token") else None
    vocabulary = Vocabulary(tokenizer, frozenset(ends), ids.get("pad_token"), bos)
    if raw:
        return vocabulary, Chat(note="Raw mode was chosen: the text is put to the model as it stands.")
    template = more.get("chat_template")
    if isinstance(template, list):  # several, by name
        template = next(
            (t.get("template") for t in template if isinstance(t, dict) and t.get("name") == "default"), ""
        )
    own = folder / "chat_template.jinja"
    if own.is_file() and own.stat().st_size < 1 << 20:
        template = own.read_text("utf-8", errors="replace")
    words = {key: name for key, name in names.items() if key != "pad_token"}
    return vocabulary, Chat(template if isinstance(template, str) else "", words)


def _text(value: Any) -> str:
    """A token in either of the two ways that tokenizer_config.json writes it."""
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else ""


def fingerprint(files: list[Path]) -> str:
    """SHA-256 over the contents of the files, in order."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(1 << 22):
                digest.update(block)
    return digest.hexdigest()
