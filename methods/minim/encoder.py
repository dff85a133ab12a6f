"""Text embeddings from the WordLlama table: one lookup per token and a mean, no network and no model to run.

The table (256 numbers per token) and its tokenizer lie in the installed ``wordllama`` package (MIT licence);
they are read directly, because that package's own loader looks in the wrong folder and then wants to download.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from methods.core.errors import WorkFailed

DIM = 256
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
MAX_TOKENS = 64


class Encoder:
    """Embeds short texts.

    Args:
        folder: the package folder that holds the table and the tokenizer.
    """

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        (table,) = load_file(folder / WEIGHTS).values()
        self.table = table.astype(np.float32)
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._known: dict[str, np.ndarray] = {}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, shape ``(len(texts), 256)`` float32; zeros for texts without a token."""
        new = [t for t in dict.fromkeys(texts) if t not in self._known]
        if new:
            if len(self._known) > 100_000:
                self._known.clear()
                new = list(dict.fromkeys(texts))
            self._known.update(zip(new, self._embed(new), strict=True))
        if not texts:
            return np.zeros((0, DIM), np.float32)
        return np.stack([self._known[t] for t in texts])

    def _embed(self, texts: Sequence[str]) -> np.ndarray:
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        lengths = np.array([len(e.ids) for e in encodings])
        sums = np.zeros((len(texts), DIM), np.float32)
        if lengths.sum():
            ids = np.concatenate([np.asarray(e.ids, np.int64) for e in encodings if e.ids])
            filled = lengths > 0
            starts = np.concatenate([[0], np.cumsum(lengths[filled])[:-1]])
            sums[filled] = np.add.reduceat(self.table[ids], starts, axis=0)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return sums / np.maximum(norms, 1e-6)


@functools.cache
def encoder() -> Encoder:
    """The encoder, read once.

    Raises:
        WorkFailed: the ``wordllama`` package is missing or incomplete.
    """
    spec = importlib.util.find_spec("wordllama")
    folder = Path(next(iter(spec.submodule_search_locations))) if spec else None
    if folder is None or not (folder / WEIGHTS).is_file() or not (folder / TOKENIZER).is_file():
        raise WorkFailed("The text table of the wordllama package is missing.", "Run make setup again.")
    return Encoder(folder)
