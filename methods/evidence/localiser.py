"""Find the evidence for a question on a page: read the page once, then ask any number of questions."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from methods.core import checkpoints
from methods.core.checkpoints import Header
from methods.core.declaration import ASSETS
from methods.core.errors import BadInput
from methods.evidence import answers, batch, features, jko
from methods.evidence.answers import Answer
from methods.evidence.batch import PageBatch
from methods.evidence.flow import Schedule
from methods.evidence.network import FORMAT_VERSION, Met, Network, build
from methods.evidence.page import Page
from methods.evidence.words import Words, split

SHIPPED = ASSETS / "checkpoints" / "evidence.safetensors"
FLOWING = 1024
"""Words that mass flows over; on a longer page those with the lowest potential."""
THRESHOLD = 0.5
"""Mass on NULL from which on there is no evidence."""


@dataclass(frozen=True)
class Window:
    """Words that were encoded together; ``kept`` is the part of them that counts, both as places on the page."""

    seen: slice
    kept: slice
    page: PageBatch
    encoded: Tensor


@dataclass(frozen=True)
class ReadPage:
    """A page made ready for any number of questions.

    Attributes:
        words: its N words; masses and spans of answers are about them.
        pictured: whether the model saw the page's picture.
    """

    words: Words
    windows: tuple[Window, ...]
    points: Tensor
    joints: Tensor
    pictured: bool


class Localiser:
    """The trained network with its features. Safe to share: the work is done under a lock."""

    def __init__(self, network: Network, threshold: float = THRESHOLD) -> None:
        self.network = network.eval()
        self.threshold = threshold
        self._lock = threading.Lock()

    @classmethod
    def load(cls, checkpoint: Path | str | None = None) -> Localiser:
        """Read weights, the shipped ones by default.

        Raises:
            BadInput: no weights of this method, or made for another network than this version builds.
        """
        path = Path(checkpoint) if checkpoint else SHIPPED
        tensors, header = checkpoints.load(path, "evidence", FORMAT_VERSION)
        try:
            network = build(header.config["network"])
            network.load_state_dict(tensors)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise BadInput(
                f"{path.name} does not fit the network of this version: {str(error).splitlines()[0]}",
                "Train again with evidence train, or use the shipped weights.",
            ) from error
        return cls(network, float(header.config.get("threshold", THRESHOLD)))

    def save(self, path: Path, training: dict, scores: dict) -> None:
        """Write the weights with everything that :meth:`load` needs."""
        config = {"network": asdict(self.network.config), "threshold": self.threshold}
        header = Header("evidence", FORMAT_VERSION, config, training, scores)
        checkpoints.save(path, self.network.state_dict(), header)

    @property
    def schedule(self) -> Schedule:
        """The learned schedule."""
        return self.network.schedule()

    def read(self, page: Page, picture: np.ndarray | None = None) -> ReadPage:
        """Encode a page.

        Args:
            picture: (H, W) uint8 grey of the page's size, or None.

        Raises:
            BadInput: the picture has not the page's size.
        """
        if picture is not None and (picture.ndim != 2 or picture.shape != (page.height, page.width)):
            raise BadInput(
                f"The picture has the shape {picture.shape}; the page is {page.height} x {page.width}.",
                "Give the grey picture the words were read from.",
            )
        words, config = split(page), self.network.config
        windows, points, joints = [], [], []
        for seen, kept in features.windows(len(words), config.window, config.overlap):
            inputs = batch.pages([features.page_features(words, seen, picture)])
            with self._lock, torch.inference_mode():
                windows.append(Window(seen, kept, inputs, self.network.encode(inputs)))
            own = slice(kept.start - seen.start, kept.stop - seen.start)
            points.append(inputs.points[0, own])
            joints.append(inputs.joints[0, own])
        return ReadPage(words, tuple(windows), torch.cat(points), torch.cat(joints), picture is not None)

    def ask(
        self,
        read_page: ReadPage,
        question: str,
        *,
        gamma: float | tuple[float, float] | None = None,
        tau: float | None = None,
        steps: int | None = None,
        schedule: Schedule | None = None,
    ) -> Answer:
        """Answer a question about a page.

        Args:
            gamma, tau, steps: other than learned, see :meth:`Schedule.changed`.
            schedule: a whole one instead, e.g. ``localiser.schedule.one_step()``.

        Raises:
            BadInput: an empty question, or a value outside its range.
        """
        if not question.strip():
            raise BadInput("The question is empty.", "Ask for something, for example: What is the total?")
        schedule = (schedule or self.schedule).changed(steps, gamma, tau)
        if not len(read_page.words):
            return answers.nothing(schedule)
        with self._lock, torch.inference_mode():
            met = self._meet(read_page, question)
            log_p, energy = self._flow(read_page, met, schedule)
            logits = self._spans(read_page, met.state, log_p[-1])
        mass = log_p.exp().numpy()
        found = answers.candidates(read_page.words, logits.numpy())
        null_mass = float(mass[-1, -1])
        empty = null_mass >= self.threshold or not found
        best = None if empty else found[0]
        return Answer(
            text=best.text if best else "",
            score=best.score * (1 - null_mass) if best else 0.0,
            no_evidence=empty,
            null_mass=null_mass,
            box=best.box if best else None,
            span=best.span if best else None,
            candidates=found,
            steps=mass[:, :-1],
            null=mass[:, -1],
            potential=met.potential[0, :-1].numpy(),
            energy=energy.numpy(),
            entropy=jko.entropy_of(log_p).numpy(),
            schedule=schedule,
        )

    def plan(self, read_page: ReadPage, answer: Answer, step: int) -> np.ndarray:
        """(N + 1, N + 1) float32: mass that step 1..K moved from each word (column) to each (row), NULL last.

        Raises:
            BadInput: no such step, a page without words, or one longer than ``FLOWING`` words.
        """
        if not 1 <= step <= answer.schedule.steps or not 0 < len(read_page.words) <= FLOWING:
            raise BadInput(
                "There is no transport to show for this step.", "Choose a step from 1 on a shorter page."
            )
        before = np.append(answer.steps[step - 1], answer.null[step - 1])
        with self._lock, torch.inference_mode():
            kernel = jko.DenseKernel(self.network.cost(read_page.points), answer.gammas[step - 1])
            potential = torch.from_numpy(np.append(answer.potential, np.float32(0)))
            log_q = torch.from_numpy(before).clamp_min(1e-38).log()
            return (
                jko.linear_step(log_q, potential, kernel, answer.schedule.sigmas[step - 1])
                .plan(kernel)
                .numpy()
            )

    def _meet(self, page: ReadPage, question: str) -> Met:
        """State and potential of the whole page, put together from its windows; M = 1."""
        states, potentials, nulls = [], [], []
        for window in page.windows:
            asked = features.question_features(question, page.words, window.seen)
            inputs = batch.questions([(0, asked)], window.page.present.shape[1])
            met = self.network.meet(window.encoded, window.page, inputs)
            own = slice(window.kept.start - window.seen.start, window.kept.stop - window.seen.start)
            states.append(met.state[:, own])
            potentials.append(met.potential[:, own])
            nulls.append(met.state[:, -1:])
        null = torch.stack(nulls).mean(0)
        return Met(
            torch.cat([*states, null], 1), torch.cat([*potentials, torch.zeros_like(potentials[0][:, :1])], 1)
        )

    def _flow(self, page: ReadPage, met: Met, schedule: Schedule) -> tuple[Tensor, Tensor]:
        """log p (K + 1, N + 1) and energy (K + 1,)."""
        count = len(page.words)
        chosen = torch.arange(count)
        if count > FLOWING:
            chosen = met.potential[0, :-1].topk(FLOWING, largest=False).indices.sort().values
        all_places = torch.cat([chosen, torch.tensor([count])])
        part = Met(met.state[:, all_places], met.potential[:, all_places])
        present = torch.ones(1, len(chosen), dtype=torch.bool)
        cost = self.network.cost(page.points[chosen]).unsqueeze(0)
        flowed = torch.cat(self.network.flow(part, cost, present, schedule))
        log_p = torch.full((len(flowed), count + 1), -1e4)
        log_p[:, all_places] = flowed
        return log_p, jko.energy(flowed, part.potential)

    def _spans(self, page: ReadPage, state: Tensor, log_p: Tensor) -> Tensor:
        present = torch.ones(1, len(page.words), dtype=torch.bool)
        return self.network.spans(state[:, :-1], log_p[None, :-1], page.joints.unsqueeze(0), present)[0]
