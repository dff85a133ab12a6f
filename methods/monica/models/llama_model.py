"""A Llama-like network behind the interface of every model."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from torch import Tensor

from methods.core.errors import BadInput, WorkFailed
from methods.monica.cues import Cue, messages
from methods.monica.model_interface import Edit, LanguageModel, Prompt, Session, StepOutput
from methods.monica.models.chat import Chat
from methods.monica.models.llama import Cache, Llama
from methods.monica.models.vocabulary import Vocabulary


class LlamaModel(LanguageModel):
    """Weights, vocabulary and chat template of one model.

    Attributes:
        chat: renders prompts; ``chat.note`` says why it is in raw mode, if it is.
        load_seconds: what loading took.
    """

    def __init__(self, name: str, network: Llama, vocabulary: Vocabulary, chat: Chat, sha256: str) -> None:
        config = network.config
        self.name, self.network, self.chat, self.sha256 = name, network, chat, sha256
        self.layers, self.width, self.vocabulary = config.layers, config.width, config.vocabulary
        self.context = config.context
        self.device, self.dtype = network.norm.weight.device, network.norm.weight.dtype
        self.eos, self.pad = vocabulary.eos, vocabulary.pad
        self.load_seconds = 0.0
        self._words = vocabulary

    def encode(self, text: str) -> list[int]:
        return self._words.encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        return self._words.decode(ids)

    def prompt(self, question: str, cue: Cue, system: str = "") -> Prompt:
        text = self.chat.render(messages(question, cue, system))
        ids = self.encode(text)
        if self.chat.raw and self._words.bos is not None:
            ids = [self._words.bos, *ids]
        if len(ids) >= self.context:
            raise BadInput(
                f"The question has {len(ids):,} tokens; {self.name} reads {self.context:,}.", "Shorten it."
            )
        return Prompt(text, tuple(ids))

    def start(self, ids: Tensor, mask: Tensor, layers: Sequence[int] = ()) -> LlamaSession:
        unknown = [layer for layer in layers if not 0 <= layer < self.layers]
        if unknown:
            raise BadInput(f"{self.name} has no layer {unknown[0]}.", f"Use 0 to {self.layers - 1}.")
        return LlamaSession(self, ids, mask, layers)


class LlamaSession(Session):
    """One running batch."""

    def __init__(self, model: LlamaModel, ids: Tensor, mask: Tensor, layers: Sequence[int]) -> None:
        self._model = model
        self._layers = frozenset(layers)
        self._edits: tuple[Edit, ...] = ()
        self._cache = Cache()
        self._seen = torch.zeros(len(ids), 0, dtype=torch.bool, device=model.device)
        self.last = self._run(ids.to(model.device), mask.to(model.device), ())

    @property
    def lengths(self) -> Tensor:
        return self._seen.sum(1)

    def step(self, tokens: Tensor, active: Tensor | None = None) -> StepOutput:
        tokens = tokens.to(self._model.device)
        active = torch.ones_like(tokens, dtype=torch.bool) if active is None else active.to(tokens.device)
        tokens = torch.where(active, tokens, self._model.pad)  # what stands there may be no token at all
        self.last = self._run(tokens[:, None], active[:, None], self._edits)
        return self.last

    def rollback(self, lengths: Tensor) -> None:
        lengths = lengths.to(self._seen.device)
        self._seen = self._seen & (self._seen.cumsum(1) <= lengths[:, None])
        self._cache.length = int(self._seen.any(0).nonzero().max()) + 1
        self._seen = self._seen[:, : self._cache.length]

    def fork(self, rows: Tensor | None = None) -> LlamaSession:
        rows = torch.arange(len(self._seen)) if rows is None else rows
        rows = rows.to(self._seen.device)
        twin = copy.copy(self)
        twin._seen = self._seen[rows]
        twin._cache = self._cache.rows(rows)
        twin._edits = tuple(edit.select(rows.to(edit.strength.device)) for edit in self._edits)
        twin.last = StepOutput(self.last.logits[rows], {i: h[rows] for i, h in self.last.hidden.items()})
        return twin

    def steer(self, edits: Sequence[Edit]) -> None:
        self._edits = tuple(edits)

    def close(self) -> None:
        self._cache = Cache()

    @torch.inference_mode()
    def _run(self, ids: Tensor, real: Tensor, edits: Sequence[Edit]) -> StepOutput:
        """Run N columns (B, N); ``real`` marks those that the row sees from now on."""
        positions = (self.lengths[:, None] + real.cumsum(1) - 1).clamp_min(0)
        if int(positions.max()) >= self._model.context:
            raise WorkFailed(
                f"The text is longer than the {self._model.context:,} tokens that the model can read.",
                "Ask for fewer tokens.",
            )
        past = self._seen.shape[1]
        seen_columns = torch.cat([self._seen, real], 1)
        columns = torch.arange(seen_columns.shape[1], device=ids.device)
        own = (past + torch.arange(ids.shape[1], device=ids.device))[:, None]
        # A column always sees itself, or the softmax of a padded one would have nothing to sum over.
        seen = (seen_columns[:, None, :] & (columns <= own)) | (columns == own)
        hidden: dict[int, Tensor] = {}

        def after_block(layer: int, h: Tensor) -> Tensor:
            for edit in edits:
                if edit.layer == layer:
                    h = edit.apply(h)
            if layer in self._layers:
                hidden[layer] = h[:, -1].float()
            return h

        try:
            logits = self._model.network(ids, positions, seen, self._cache, after_block)
        except (torch.OutOfMemoryError, MemoryError) as error:
            raise WorkFailed(
                f"{self._model.name} ran out of memory with {len(ids)} texts of {len(columns):,} tokens.",
                "Run fewer at a time, or ask for fewer tokens.",
            ) from error
        self._seen = seen_columns
        return StepOutput(logits.float(), hidden)
