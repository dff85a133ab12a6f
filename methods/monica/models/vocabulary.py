"""Words and ids: from a ``tokenizer.json``, or built from the metadata of a GGUF file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers
from tokenizers.models import BPE

from methods.core.errors import BadInput

CONTROL, USER_DEFINED, BYTE = 3, 4, 6
"""Values of ``tokenizer.ggml.token_type``."""

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")


class Vocabulary:
    """A tokenizer with the ids that matter here."""

    def __init__(
        self, tokenizer: Tokenizer, eos: frozenset[int], pad: int | None = None, bos: int | None = None
    ) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.tokenizer, self.eos, self.bos = tokenizer, eos, bos
        self.pad = pad if pad is not None else min(eos, default=0)

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, ids: Sequence[int]) -> str:
        return self.tokenizer.decode(list(ids), skip_special_tokens=False)


def read(path: Path) -> Tokenizer:
    """A ``tokenizer.json``.

    Raises:
        BadInput: absent or damaged.
    """
    if not path.is_file():
        raise BadInput(
            f"{path.parent.name} has no tokenizer.json.", "Save its tokenizer with save_pretrained first."
        )
    try:
        return Tokenizer.from_file(str(path))
    except BaseException as error:  # the library raises bare Exception, and a Rust panic is a BaseException
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        raise BadInput(
            f"{path.parent.name}: tokenizer.json is damaged ({str(error)[:120]}).", "Get the folder again."
        ) from error


def from_gguf(metadata: dict[str, Any], name: str) -> Tokenizer:
    """The tokenizer that a GGUF file describes.

    Raises:
        BadInput: absent, damaged, or of a kind that is not known here.
    """
    kind = metadata.get("tokenizer.ggml.model")
    tokens = metadata.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, list) or not tokens or len(set(tokens)) != len(tokens):
        raise BadInput(f"{name} brings no usable vocabulary.", "Choose a GGUF file with its tokenizer.")
    types = metadata.get("tokenizer.ggml.token_type", [])
    types = [int(t) for t in types] if len(types) == len(tokens) else [1] * len(tokens)
    ids = {token: i for i, token in enumerate(tokens)}
    try:
        if kind == "gpt2":
            tokenizer = _byte_level(ids, metadata, name)
        elif kind == "llama":
            tokenizer = _sentencepiece(ids, metadata)
        else:
            raise BadInput(
                f"{name} has a tokenizer of the kind {str(kind)[:40]!r}.", "Known: gpt2 and llama."
            )
        special = [
            AddedToken(t, special=True, normalized=False)
            for t, k in zip(tokens, types, strict=True)
            if k == CONTROL
        ]
        own = [
            AddedToken(t, normalized=False) for t, k in zip(tokens, types, strict=True) if k == USER_DEFINED
        ]
        tokenizer.add_special_tokens(special)
        tokenizer.add_tokens(own)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(
            f"The tokenizer of {name} is damaged ({str(error)[:120]}).", "Get the file again."
        ) from error
    if tokenizer.get_vocab_size() != len(tokens):
        raise BadInput(f"The tokenizer of {name} is damaged.", "Get the file again.")
    return tokenizer


def _byte_level(ids: dict[str, int], metadata: dict[str, Any], name: str) -> Tokenizer:
    merges = [tuple(merge.split(" ", 1)) for merge in metadata.get("tokenizer.ggml.merges", [])]
    tokenizer = Tokenizer(BPE(vocab=ids, merges=merges, fuse_unk=False, ignore_merges=False))
    split = metadata.get("tokenizer.ggml.pre", "default")
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    after_split = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if split in ("default", "gpt-2"):
        tokenizer.pre_tokenizer = level
    elif split in ("smollm", "codeshell", "exaone", "starcoder", "refact", "command-r"):
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), level]
        )
    elif split in ("llama-bpe", "llama3", "llama-v3"):
        tokenizer.model.ignore_merges = True
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Split(Regex(LLAMA3), "isolated"), after_split]
        )
    elif split in ("qwen2", "deepseek-r1-qwen"):
        tokenizer.normalizer = normalizers.NFC()
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Split(Regex(QWEN2), "isolated"), after_split]
        )
    else:
        raise BadInput(
            f"{name} splits text by the rule {str(split)[:40]!r}, which is not known here.",
            "Use its Hugging Face folder, which has a tokenizer.json.",
        )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _sentencepiece(ids: dict[str, int], metadata: dict[str, Any]) -> Tokenizer:
    """Sentencepiece BPE: a pair is merged if the whole is a token, better scores first."""
    scores = [float(s) for s in metadata["tokenizer.ggml.scores"]]
    merges = []
    for token, i in ids.items():
        pairs = [(token[:cut], token[cut:]) for cut in range(1, len(token))]
        pairs = sorted((ids[a], ids[b], a, b) for a, b in pairs if a in ids and b in ids)
        merges += [(-scores[i], i, a, b) for _, _, a, b in pairs]
    merges.sort(key=lambda m: m[:2])
    unknown = next(
        (t for t, i in ids.items() if i == metadata.get("tokenizer.ggml.unknown_token_id", 0)), None
    )
    tokenizer = Tokenizer(
        BPE(vocab=ids, merges=[m[2:] for m in merges], unk_token=unknown, fuse_unk=True, byte_fallback=True)
    )
    before = [normalizers.Prepend("▁")] if metadata.get("tokenizer.ggml.add_space_prefix", True) else []
    tokenizer.normalizer = normalizers.Sequence([*before, normalizers.Replace(" ", "▁")])
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if before else steps)
    return tokenizer
