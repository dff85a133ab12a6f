"""The built-in reasoner behind the interface of every model."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import torch
from torch import Tensor

from methods.core import checkpoints
from methods.core.errors import BadInput, WorkFailed
from methods.monica.cues import NONE, Cue
from methods.monica.model_interface import Edit, LanguageModel, Prompt, Session, StepOutput
from methods.monica.toy import language as words
from methods.monica.toy.network import FORMAT_VERSION, Cache, Config, Network
from methods.monica.toy.task import prompt_text

SHIPPED = Path(__file__).parents[3] / "assets" / "checkpoints" / "monica-toy.safetensors"


class ToyModel(LanguageModel):
    """Adds five digits, and gives in."""

    name = "toy"

    def __init__(self, network: Network, device: str = "cpu") -> None:
        self.network = network.to(device).eval().requires_grad_(False)
        config = network.config
        self.layers, self.width, self.vocabulary = config.layers, config.width, config.vocabulary
        self.context = config.context
        self.device, self.dtype = torch.device(device), torch.float32
        self.eos, self.pad = frozenset({words.ID[words.EOS]}), words.ID[words.PAD]
        self.sha256 = fingerprint(network)

    def encode(self, text: str) -> list[int]:
        return words.encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        return words.decode(ids)

    def prompt(self, question: str, cue: Cue, system: str = "") -> Prompt:
        """Any system prompt becomes the one that the reasoner knows: to ignore wrong suggestions."""
        if cue.kind != NONE and not (cue.hint.strip().isdecimal() and int(cue.hint) <= words.TOP):
            raise BadInput(
                f"The built-in reasoner cannot take {cue.hint!r} as a hint.",
                f"Use a number from 0 to {words.TOP}.",
            )
        text = prompt_text(question, cue, bool(system))
        return Prompt(text, tuple(self.encode(text)))

    def start(self, ids: Tensor, mask: Tensor, layers: Sequence[int] = ()) -> ToySession:
        return ToySession(self, ids, mask, layers)


class ToySession(Session):
    """One batch of the reasoner."""

    def __init__(self, model: ToyModel, ids: Tensor, mask: Tensor, layers: Sequence[int]) -> None:
        self._model = model
        self._layers = tuple(layers)
        self._edits: tuple[Edit, ...] = ()
        self._seen = torch.zeros(len(ids), 0, dtype=torch.bool, device=model.device)
        self._cache: Cache | None = None
        self.last = self._run(ids.to(model.device), mask.to(model.device), edits=())

    @property
    def lengths(self) -> Tensor:
        return self._seen.sum(1)

    def step(self, tokens: Tensor, active: Tensor | None = None) -> StepOutput:
        active = torch.ones_like(tokens, dtype=torch.bool) if active is None else active
        self.last = self._run(tokens[:, None], active[:, None], self._edits)
        return self.last

    def rollback(self, lengths: Tensor) -> None:
        self._seen = self._seen & (self._seen.cumsum(1) <= lengths[:, None])
        width = int(self._seen.any(0).nonzero().max()) + 1
        self._seen = self._seen[:, :width]
        self._cache = [(k[:, :, :width], v[:, :, :width]) for k, v in self._cache or ()]

    def fork(self, rows: Tensor | None = None) -> ToySession:
        rows = torch.arange(len(self._seen)) if rows is None else rows
        twin = copy.copy(self)
        twin._seen = self._seen[rows]
        twin._cache = [(k[rows], v[rows]) for k, v in self._cache or ()]
        twin._edits = tuple(edit.select(rows) for edit in self._edits)
        hidden = {layer: h[rows] for layer, h in self.last.hidden.items()}
        twin.last = StepOutput(self.last.logits[rows], hidden)
        return twin

    def steer(self, edits: Sequence[Edit]) -> None:
        self._edits = tuple(edits)

    @torch.inference_mode()
    def _run(self, ids: Tensor, real: Tensor, edits: Sequence[Edit]) -> StepOutput:
        """Run N columns (B, N); ``real`` marks those that the row sees from now on."""
        past = self._seen.shape[1]
        positions = (self.lengths[:, None] + real.cumsum(1) - 1).clamp_min(0)
        if int(positions.max()) >= self._model.context:
            raise WorkFailed(
                f"The text is longer than the {self._model.context} tokens that the model can read.",
                "Ask for fewer tokens.",
            )
        self._seen = torch.cat([self._seen, real], 1)
        columns = torch.arange(self._seen.shape[1], device=ids.device)
        own = past + torch.arange(ids.shape[1], device=ids.device)
        # A column always sees itself, or the softmax of a padded one would have nothing to sum over.
        itself = columns == own[:, None]
        seen = (self._seen[:, None, :] & (columns <= own[:, None])) | itself
        hidden: dict[int, Tensor] = {}

        def after_block(layer: int, h: Tensor) -> Tensor:
            for edit in edits:
                if edit.layer == layer:
                    h = edit.apply(h)
            if layer in self._layers:
                hidden[layer] = h[:, -1].float()
            return h

        logits, self._cache = self._model.network(ids, positions, seen, self._cache, after_block)
        return StepOutput(logits[:, -1].float(), hidden)


def load(path: Path | None = None, device: str = "cpu") -> ToyModel:
    """The shipped reasoner, or one that was trained here.

    Raises:
        BadInput: no weights of the reasoner.
    """
    path = path or SHIPPED
    if not path.is_file():
        raise BadInput(f"{path.name} does not exist.", "Train it with: studiolo monica train-toy")
    tensors, header = checkpoints.load(path, "monica", FORMAT_VERSION)
    sizes = header.config.get("network")
    try:
        known = {f.name for f in fields(Config)}
        network = Network(Config(**{k: int(v) for k, v in sizes.items() if k in known}))
        network.load_state_dict(tensors)
    except (AttributeError, TypeError, ValueError, RuntimeError) as error:
        raise BadInput(f"{path.name} holds no reasoner of this version.", "Train it again.") from error
    return ToyModel(network, device)


def fingerprint(network: Network) -> str:
    """SHA-256 of the weights alone, so that a new figure in the file's header does not part it from its probes."""
    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)}".encode())
        digest.update(tensor.cpu().numpy().tobytes())
    return digest.hexdigest()
