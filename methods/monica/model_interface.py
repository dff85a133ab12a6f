"""What MONICA asks of a language model, whoever runs it: the built-in reasoner, a Hugging Face folder, a GGUF file.

Two classes. :class:`LanguageModel` holds weights and vocabulary and never changes; :class:`Session` is one
running batch with its key-value cache. A row of a batch may forget tokens that the other rows keep, so "seen" is
a mask over the columns of the cache, and positions are counted in that mask: this one idea serves left padding,
finished rows and rollback alike, and makes a batch equal to its rows run alone.

Symbols in shapes: B rows, T columns, D width, V vocabulary. Layer ``i`` (0 <= i < layers) is the residual
stream after block ``i``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from methods.monica.cues import Cue


@dataclass(frozen=True)
class Prompt:
    """What the model is given: the text exactly as rendered, and its token ids (special tokens included)."""

    text: str
    ids: tuple[int, ...]


@dataclass(frozen=True)
class Edit:
    """A change of the residual stream of one layer, for the tokens that are run while it is set.

    Without ``ceiling``: ``h - strength * vector``. With it: of the component of ``h`` along ``vector``, only what
    lies above ``ceiling`` (same unit as ``h``) is removed, ``strength`` times; what lies below is left alone.

    Attributes:
        vector: (D,) float32. strength: (B,) float32; rows with 0 stay bit for bit as they are.
    """

    layer: int
    vector: Tensor
    strength: Tensor
    ceiling: float | None = None

    def apply(self, hidden: Tensor) -> Tensor:
        """``hidden`` (B, T, D) of any dtype and device -> the same shape, dtype and device."""
        vector = self.vector.to(hidden.device, hidden.dtype)
        strength = self.strength.to(hidden.device, hidden.dtype)[:, None, None]
        if self.ceiling is None:
            return hidden - strength * vector
        unit = vector / vector.norm().clamp_min(1e-8)
        above = (hidden @ unit - self.ceiling).clamp_min(0)
        return hidden - strength * above[..., None] * unit

    def select(self, rows: Tensor) -> Edit:
        """The same change for some rows: ``rows`` (N,) long."""
        return Edit(self.layer, self.vector, self.strength[rows], self.ceiling)


@dataclass(frozen=True)
class StepOutput:
    """What one token per row gave.

    Attributes:
        logits: (B, V) float32, of the token that comes next.
        hidden: layer -> (B, D) float32, of the token just run, after edits; only the layers asked for.
    """

    logits: Tensor
    hidden: dict[int, Tensor] = field(default_factory=dict)


class Session(ABC):
    """One running batch. Used by one thread; never computes gradients.

    Attributes:
        last: output of the newest :meth:`step` (after :meth:`LanguageModel.start`, of the last prompt token).
            After :meth:`rollback` it is stale: run a token before reading it.
    """

    last: StepOutput

    @property
    @abstractmethod
    def lengths(self) -> Tensor:
        """(B,) long: how many tokens each row sees (prompt included, padding and forgotten ones not)."""

    @abstractmethod
    def step(self, tokens: Tensor, active: Tensor | None = None) -> StepOutput:
        """Run one token per row.

        Args:
            tokens: (B,) long; the value for inactive rows is ignored.
            active: (B,) bool, default all. Inactive rows keep what they see: the column is masked for them and
                their output is meaningless.

        Raises:
            WorkFailed: the model's context is full.
        """

    @abstractmethod
    def rollback(self, lengths: Tensor) -> None:
        """Each row keeps its first ``lengths[b]`` seen tokens: (B,) long, 1 <= lengths[b] <= self.lengths[b].

        Columns that no row sees any more are dropped from the end of the cache.
        """

    @abstractmethod
    def fork(self, rows: Tensor | None = None) -> Self:
        """An independent copy of the given rows (N,) long (default all, repeats allowed), edits included."""

    @abstractmethod
    def steer(self, edits: Sequence[Edit]) -> None:
        """Replace the edits that coming :meth:`step` calls apply, in this order; empty: none.

        Edits never reach the prompt, nor tokens already in the cache.
        """

    def close(self) -> None:  # noqa: B027  (nothing to free is the usual case)
        """Free the cache and take hooks off the model; safe to call twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LanguageModel(ABC):
    """A causal language model with its tokenizer. Weights are never changed.

    Attributes:
        name: for people. layers, width, vocabulary, context: sizes (context in tokens).
        device, dtype: where and how it computes. eos: ids that end generation.
        pad: the id put into padded places (never seen by the model).
        sha256: of the weights, in hex; probes are bound to it.
    """

    name: str
    layers: int
    width: int
    vocabulary: int
    context: int
    device: torch.device
    dtype: torch.dtype
    eos: frozenset[int]
    pad: int
    sha256: str

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """Ids of ``text`` as it stands; no special tokens are added."""

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Text of ``ids``. An incomplete character at the end shows as U+FFFD; :mod:`.decode` holds it back."""

    @abstractmethod
    def prompt(self, question: str, cue: Cue, system: str = "") -> Prompt:
        """Render a question with a cue (see :func:`methods.monica.cues.messages`) as the model expects it.

        Raises:
            BadInput: the question cannot be put to this model, or is longer than its context.
        """

    @abstractmethod
    def start(self, ids: Tensor, mask: Tensor, layers: Sequence[int] = ()) -> Session:
        """Run the prompts.

        Args:
            ids: (B, T) long, left-padded. mask: (B, T) bool, True for real tokens; the last column is all True.
            layers: whose hidden states :class:`StepOutput` carries, here and in every later step.

        Raises:
            WorkFailed: out of memory, or longer than ``context``.
        """
