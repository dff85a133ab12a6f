"""The decode loop: one token at a time, watched, steered, taken back, paused and branched.

Own instead of a library's ``generate`` because all of this happens between two tokens. A batch is a list of rows
that share one session; each row is what it would be alone, because its random numbers belong to its key and place
(:mod:`.sampling`) and padding and forgotten tokens are never seen (:mod:`.model_interface`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.monica.calibrate import OFF, Calibration, Gate
from methods.monica.features import POOLS, StepFeatures
from methods.monica.model_interface import LanguageModel, Prompt
from methods.monica.monitor import Monitor
from methods.monica.rows import Row
from methods.monica.sampling import Sampling, pick, uniforms
from methods.monica.trace import Intervention, Step, Trace


class Control:
    """Pause, single-step, resume and stop from another thread; each takes effect within one token."""

    def __init__(self) -> None:
        self._go = threading.Condition()
        self._paused = self._stopped = False
        self._allowance = 0

    def pause(self) -> None:
        """Hold before the next token; the cache is kept."""
        with self._go:
            self._paused, self._allowance = True, 0

    def resume(self) -> None:
        with self._go:
            self._paused = False
            self._go.notify_all()

    def advance(self, tokens: int = 1) -> None:
        """Let a paused run make a few tokens."""
        with self._go:
            self._allowance += tokens
            self._go.notify_all()

    def stop(self) -> None:
        """End the run; what there is of it is kept."""
        with self._go:
            self._stopped = True
            self._go.notify_all()

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def stopped(self) -> bool:
        return self._stopped

    def wait(self, context: Context) -> bool:
        """Called before each token: blocks while paused, False once stopped."""
        with self._go:
            while self._paused and not self._stopped and not self._allowance:
                self._go.wait(0.05)
                context.check()
            self._allowance = max(0, self._allowance - 1)
            return not self._stopped


@dataclass(frozen=True)
class TokenEvent:
    """One token. ``text`` is what became readable with it, maybe nothing; ``step`` the index of its step."""

    row: int
    index: int
    id: int
    text: str
    step: int
    score: float | None
    strength: float


@dataclass(frozen=True)
class StepEvent:
    """A step is over and kept (``kept``), or was taken back and is drawn again."""

    row: int
    step: Step
    kept: bool


Listener = Callable[[TokenEvent | StepEvent], None]


class Generation:
    """One batch under way.

    Args:
        prompts: (B) of them.
        keys: of the rows' random numbers, default 0 … B - 1. Rows with the same key, prompt and settings are equal.
        forced: per row, tokens to run first as if drawn: the part that a branch shares with its parent. The monitor
            and the calibrator see them, but they are never drawn again.
        record: layers whose pooled states per step are kept in :attr:`states`.
        listen: told of each token and step, in the thread that runs.

    Raises:
        BadInput: no prompts, or a monitor that was trained on another model.
    """

    def __init__(
        self,
        model: LanguageModel,
        prompts: Sequence[Prompt],
        sampling: Sampling,
        monitor: Monitor | None = None,
        calibration: Calibration = OFF,
        keys: Sequence[int] | None = None,
        forced: Sequence[Sequence[int]] | None = None,
        record: Sequence[int] = (),
        listen: Listener | None = None,
    ) -> None:
        if not prompts:
            raise BadInput("There is nothing to generate from.", "Give a question.")
        if calibration.mode in ("rollback", "subtract", "clamp", "random") and monitor is None:
            raise BadInput(
                f"The calibration {calibration.mode!r} needs a monitor.", "Train or load a monitor."
            )
        count = len(prompts)
        self.model, self.sampling, self.monitor, self.calibration = model, sampling, monitor, calibration
        self._prompts = prompts
        self._keys = np.array(keys if keys is not None else range(count), np.int64)
        forced = forced or [()] * count
        self._rows = [Row(model.decode, f) for f in forced]
        self._record, self._listen = tuple(record), listen
        self.states: list[list[np.ndarray]] = [[] for _ in range(count)]
        """Per row and kept step: (layers, pools, D), for the layers in ``record`` and the pools of :data:`POOLS`."""
        layers = sorted({*self._record, *([monitor.probe.layer] if monitor else [])})
        window = monitor.probe.window if monitor else 1
        self._features = StepFeatures(layers, count, model.width, window) if layers else None
        self._gate = Gate(calibration, count)
        self._strength, self._left = torch.zeros(count), torch.zeros(count, dtype=torch.long)
        self._session = model.start(*_padded(prompts, model.pad), layers)
        self._logits = self._session.last.logits.cpu()
        self._before_step = self._logits  # what the open step's first token is drawn from
        self._scores = torch.zeros(count)

    @property
    def finished(self) -> bool:
        """Whether every row has come to its end."""
        return all(row.finish for row in self._rows)

    @torch.inference_mode()
    def advance(self) -> bool:
        """Make one token in every row that goes on; False when none does."""
        rows = self._rows
        active = torch.tensor([not row.finish for row in rows])
        if not active.any():
            return False
        tokens = self._draw()
        strength = torch.where(self._left > 0, self._strength, 0.0)
        self._run(tokens, active, strength)
        self._left = (self._left - active.long()).clamp_min(0)
        if self._features:
            self._features.add(self._session.last.hidden, active)
        if self.monitor and self._features:
            probe = self.monitor.probe
            self._scores = self.monitor.score(self._features.current(probe.layer, probe.pool))
        ended = torch.zeros_like(active)
        for i in active.nonzero()[:, 0].tolist():
            ended[i] = self._take(i, int(tokens[i]), float(strength[i]))
        if ended.any():
            self._end_steps(ended)
        return not self.finished

    def run(self, context: Context | None = None, control: Control | None = None) -> list[Trace]:
        """To the end, or until stopped; the traces so far are kept.

        Raises:
            Cancelled: the job was cancelled.
        """
        context, control = context or Context(), control or Control()
        try:
            while not self.finished:
                context.check()
                if not control.wait(context):
                    break
                self.advance()
        finally:
            self._session.close()
        return self.traces()

    def traces(self) -> list[Trace]:
        """The runs as they stand; an open step is closed at its newest token."""
        settings = {"sampling": asdict(self.sampling), "calibration": self.calibration.to_dict()}
        if self.monitor:
            settings["monitor"] = self.monitor.to_dict()
        return [
            Trace(
                prompt=prompt.text,
                prompt_ids=tuple(prompt.ids),
                text=row.text,
                ids=tuple(row.ids),
                steps=row.all_steps(),
                finish=row.finish or "stopped",
                model=self.model.name,
                sha256=self.model.sha256,
                key=int(key),
                extra_tokens=row.extra,
                settings=settings,
            )
            for prompt, row, key in zip(self._prompts, self._rows, self._keys, strict=True)
        ]

    def _draw(self) -> Tensor:
        places = np.array([len(row.ids) for row in self._rows])
        u = uniforms(self.sampling.seed, self._keys, places, self._gate.tries.numpy())
        tokens = pick(self._logits, u, self.sampling)
        for i, row in enumerate(self._rows):
            if row.forced_next is not None:
                tokens[i] = row.forced_next
        return tokens

    def _run(self, tokens: Tensor, active: Tensor, strength: Tensor) -> None:
        """Run a token per active row under the change of ``strength`` (B,), if there is any."""
        steered = bool((strength * active).any())
        self._session.steer([self.calibration.edit(strength)] if steered else [])
        device = self.model.device
        logits = self._session.step(tokens.to(device), active.to(device)).logits.cpu()
        self._logits = torch.where(active[:, None], logits, self._logits)

    def _take(self, i: int, token: int, strength: float) -> bool:
        """Add a token to row ``i``; whether its step ends with it."""
        row = self._rows[i]
        score = float(self._scores[i]) if self.monitor else None
        step, piece = row.next_index, row.push(token, score, strength)
        if token in self.model.eos:
            row.finish = "eos"
        elif len(row.ids) >= self.sampling.max_tokens:
            row.finish = "length"
        if self._listen:
            self._listen(TokenEvent(i, len(row.ids) - 1, token, piece, step, score, strength))
        return row.step_ended or bool(row.finish)

    def _end_steps(self, ended: Tensor) -> None:
        drawn = torch.tensor([row.forced_next is None and not row.in_forced for row in self._rows])
        again = self._gate.again(self._scores, ended & drawn)
        if again.any():
            self._take_back(again)
        kept = ended & ~again
        strength = self._gate.strengths(self._scores, kept)
        for i in kept.nonzero()[:, 0].tolist():
            self._keep(i, float(strength[i]))
        if self._features:
            self._features.end(kept)
        going = kept & torch.tensor([not row.finish for row in self._rows])
        self._strength = torch.where(kept, strength, self._strength)
        whole = self.calibration.tokens or self.sampling.max_tokens
        self._left = torch.where(kept, torch.where(strength > 0, whole, 0), self._left)
        redo = going & (strength > 0)
        if self.calibration.reforward and redo.any():
            self._session.rollback(self._session.lengths - redo.to(self.model.device).long())
            newest = torch.tensor([row.ids[-1] if row.ids else 0 for row in self._rows])
            self._run(newest, redo, strength)
        self._before_step = torch.where(kept[:, None], self._logits, self._before_step)

    def _keep(self, i: int, strength: float) -> None:
        row = self._rows[i]
        if strength:
            row.note(Intervention(self.calibration.mode, float(self._scores[i]), strength))
        if self._record and self._features:
            places = [self._features.layers.index(layer) for layer in self._record]
            pools = [self._features.pooled(pool)[places, i].numpy() for pool in POOLS]
            self.states[i].append(np.stack(pools, 1))
        step = row.end_step(self.monitor.smooth if self.monitor else None)
        if self._listen:
            self._listen(StepEvent(i, step, True))

    def _take_back(self, again: Tensor) -> None:
        dropped = torch.zeros(len(again), dtype=torch.long)
        for i in again.nonzero()[:, 0].tolist():
            step = self._rows[i].drop_step(float(self._scores[i]))
            dropped[i] = len(step.tokens)
            if self._listen:
                self._listen(StepEvent(i, step, False))
        self._session.rollback(self._session.lengths - dropped.to(self.model.device))
        self._logits = torch.where(again[:, None], self._before_step, self._logits)
        if self._features:
            self._features.drop(again)


def _padded(prompts: Sequence[Prompt], pad: int) -> tuple[Tensor, Tensor]:
    """Left-padded ids and the mask of real tokens, both (B, T)."""
    length = max(len(p.ids) for p in prompts)
    ids = torch.tensor([[pad] * (length - len(p.ids)) + list(p.ids) for p in prompts])
    mask = torch.tensor([[False] * (length - len(p.ids)) + [True] * len(p.ids) for p in prompts])
    return ids, mask


def generate(
    model: LanguageModel,
    prompt: Prompt,
    sampling: Sampling,
    monitor: Monitor | None = None,
    calibration: Calibration = OFF,
    *,
    context: Context | None = None,
    control: Control | None = None,
    listen: Listener | None = None,
    key: int = 0,
    forced: Sequence[int] = (),
) -> Trace:
    """One run. See :class:`Generation` for the arguments."""
    generation = Generation(model, [prompt], sampling, monitor, calibration, [key], [forced], (), listen)
    return generation.run(context, control)[0]


def branch(
    model: LanguageModel,
    parent: Trace,
    step: int,
    sampling: Sampling,
    monitor: Monitor | None = None,
    calibration: Calibration = OFF,
    *,
    edited: str = "",
    context: Context | None = None,
    control: Control | None = None,
    listen: Listener | None = None,
) -> Trace:
    """Go on anew from ``step`` of a run: same prompt, the tokens before it, then ``edited`` text if given.

    With the parent's sampling, monitor and calibration and no edit the parent comes out again.

    Raises:
        BadInput: there is no such step, or the run is of another model.
    """
    if parent.sha256 != model.sha256:
        raise BadInput(
            "The run was made by another model.", f"Load {parent.model or 'that model'} to branch it."
        )
    forced = [*parent.prefix(step), *(model.encode(edited) if edited else ())]
    prompt = Prompt(parent.prompt, parent.prompt_ids)
    return generate(
        model, prompt, sampling, monitor, calibration,
        context=context, control=control, listen=listen, key=parent.key, forced=forced,
    )  # fmt: skip


def batches(count: int, size: int) -> Iterator[range]:
    """Ranges of at most ``size`` that cover 0 … ``count`` - 1."""
    for start in range(0, count, size):
        yield range(start, min(start + size, count))
