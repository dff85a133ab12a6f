"""Train the localiser on pages with known evidence: seeded, and resumable at any kept step.

All that is drawn by chance is drawn from the seed and the number of the step alone, so a run that was broken off goes
on exactly as if it had not been. Only dropout has a state of its own, which is kept.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from methods.core.atomic import atomic_writer
from methods.core.context import Context
from methods.core.errors import BadInput
from methods.evidence import batch, features, losses, targets
from methods.evidence.batch import PageBatch, QuestionBatch
from methods.evidence.losses import Weights
from methods.evidence.network import Config, Network
from methods.evidence.questions import TrainingPage
from methods.evidence.targets import Gold
from methods.evidence.words import split


@dataclass(frozen=True)
class Plan:
    """How long and how hard to train.

    Attributes:
        scalars: factor on the rate for the figures of the flow: gamma, tau, aspect.
        pages, questions: of a step: pages, and most questions of each.
        window: most words of a page seen at once; of a longer page each step sees one window.
        unseen: share of the questions whose evidence lies outside the window that are kept, as unanswerable.
        pictured, lines: shares of the pages shown with their picture, and as if read line by line.
        warm: share of the steps in which the rate rises; it falls as a cosine after that.
        keep: steps between two states kept for resuming.
    """

    epochs: int = 1
    rate: float = 1e-3
    decay: float = 1e-2
    scalars: float = 5.0
    pages: int = 8
    questions: int = 4
    window: int = 256
    unseen: float = 0.1
    pictured: float = 0.5
    lines: float = 0.5
    warm: float = 0.05
    keep: int = 100
    weights: Weights = field(default_factory=Weights)


@dataclass(frozen=True)
class Step:
    """Tensors of one step: M questions about B pages."""

    page: PageBatch
    asked: QuestionBatch
    evidence: Tensor
    spans: Tensor

    def to(self, device: str) -> Step:
        return Step(
            self.page.to(device), self.asked.to(device), self.evidence.to(device), self.spans.to(device)
        )


@dataclass(frozen=True)
class Progress:
    """Means over the steps since the last report.

    Attributes:
        pointing: how often the likeliest place was evidence, or rightly NULL.
    """

    step: int
    steps: int
    loss: float
    pointing: float


def train(
    pages: Iterable[TrainingPage],
    config: Config,
    plan: Plan,
    context: Context,
    resume: Path | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Network:
    """Train a network on one core.

    Args:
        pages: a sequence is read page by page as needed; anything else is taken into memory first.
        resume: here the state is kept every ``plan.keep`` steps, and taken up again.
        report: called as often, with the figures of the training pages.

    Raises:
        BadInput: no page has a question, or the kept state belongs to another network or plan.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _train(
            pages if isinstance(pages, Sequence) else list(pages), config, plan, context, resume, report
        )
    finally:
        torch.set_num_threads(threads)


def _train(
    pages: Sequence[TrainingPage],
    config: Config,
    plan: Plan,
    context: Context,
    resume: Path | None,
    report: Callable[[Progress], None] | None,
) -> Network:
    order = [step for epoch in range(plan.epochs) for step in _order(pages, plan, context.seed, epoch)]
    if not order:
        raise BadInput("No page has a question.", "Give pages with questions.")
    torch.manual_seed(context.seed)
    network = Network(config).to(context.device).train()
    optimiser = torch.optim.AdamW(_groups(network, plan), plan.rate, betas=(0.9, 0.98))
    run = {"config": asdict(config), "plan": asdict(plan), "seed": context.seed, "steps": len(order)}
    first = _take_up(resume, network, optimiser, run)
    losses_, hits = [], []
    for number in range(first, len(order)):
        context.check()
        rng = random.Random(f"{context.seed} {number}")
        step = prepare([pages[i] for i in order[number]], config, plan, rng)
        if step is not None:
            for group in optimiser.param_groups:
                group["lr"] = group["share"] * plan.rate * _rate(number / len(order), plan.warm)
            loss, hit = _learn(network, optimiser, step.to(context.device), plan.weights)
            losses_.append(loss)
            hits.append(hit)
        done = number + 1
        if done % plan.keep == 0 or done == len(order):
            told = Progress(done, len(order), _mean(losses_), _mean(hits))
            context.log.info(
                "step %d of %d: loss %.4f, pointing %.3f", done, len(order), told.loss, told.pointing
            )
            if report is not None:
                report(told)
            losses_, hits = [], []
            _keep(resume, network, optimiser, done, run)
            context.progress(
                done / len(order), f"step {done}: loss {told.loss:.3f}, pointing {told.pointing:.2f}"
            )
    return network.cpu().eval()


def _learn(
    network: Network, optimiser: torch.optim.Optimizer, step: Step, weights: Weights
) -> tuple[float, float]:
    loss, last = loss_of(network, step, weights)
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()
    hit = step.evidence.gather(1, last.argmax(-1, keepdim=True)).float().mean()
    return loss.item(), hit.item()


def loss_of(network: Network, step: Step, weights: Weights) -> tuple[Tensor, Tensor]:
    """The loss of a step, and the last log p (M, N + 1)."""
    page, asked = step.page, step.asked
    met = network.meet(network.encode(page), page, asked)
    cost, present, points = network.cost(page.points)[asked.of], page.present[asked.of], page.points[asked.of]
    flowed = network.flow(met, cost, present)
    spans = network.spans(met.state[:, :-1], flowed[-1][:, :-1], page.joints[asked.of], present)
    loss = losses.flow_loss(flowed, step.evidence, cost.detach(), weights)
    loss = loss + weights.span * losses.span_loss(spans, step.spans)
    loss = loss + weights.jump * losses.jump(flowed, points)
    if network.config.flow != "rescore":  # there the potential changes with p, and is no energy
        loss = loss + weights.energy * losses.rise(flowed, met.potential)
    return loss, flowed[-1]


def prepare(pages: Sequence[TrainingPage], config: Config, plan: Plan, rng: random.Random) -> Step | None:
    """Features of a step's pages with some of their questions; None where no question is left."""
    seen, asked = [], []
    for page in pages:
        inputs, found = _page(page, plan, rng)
        asked += [(len(seen), question, gold) for question, gold in found]
        seen.append(inputs)
    if not asked:
        return None
    inputs = batch.pages(seen)
    words = inputs.present.shape[1]
    evidence, spans = targets.stacked([gold for _, _, gold in asked], words, config.span)
    questions = batch.questions([(i, question) for i, question, _ in asked], words)
    return Step(inputs, questions, torch.from_numpy(evidence), torch.from_numpy(spans))


def _page(
    page: TrainingPage, plan: Plan, rng: random.Random
) -> tuple[features.PageFeatures, list[tuple[features.QuestionFeatures, Gold]]]:
    words = split(page.page)
    picture = page.picture if rng.random() < plan.pictured else None
    window = rng.choice(features.windows(len(words), plan.window, plan.window // 4))[0]
    chosen = []
    for question in rng.sample(page.questions, len(page.questions)):
        whole = targets.gold(words, question)
        gold = whole.within(window)
        if whole.answerable and not gold.answerable and rng.random() >= plan.unseen:
            continue
        chosen.append((question, gold))
    if rng.random() < plan.lines:
        words = targets.as_lines(words, rng.uniform(0.6, 2.5))
    found = [
        (features.question_features(question.text, words, window), gold)
        for question, gold in chosen[: plan.questions]
    ]
    return features.page_features(words, window, picture), found


def _order(pages: Sequence[TrainingPage], plan: Plan, seed: int, epoch: int) -> list[list[int]]:
    """Numbers of the pages of each step of an epoch; pages of like length go together."""
    rng = random.Random(f"{seed} epoch {epoch}")
    lengths = [len(page.page.tokens) for page in pages]
    numbers = [i for i, page in enumerate(pages) if page.questions]
    rng.shuffle(numbers)
    pool = 32 * plan.pages
    steps = []
    for start in range(0, len(numbers), pool):
        part = sorted(numbers[start : start + pool], key=lengths.__getitem__)
        steps += [part[i : i + plan.pages] for i in range(0, len(part), plan.pages)]
    rng.shuffle(steps)
    return steps


def _groups(network: Network, plan: Plan) -> list[dict]:
    """Matrices decay; biases, norms and the figures of the flow do not; "share" is that of the rate."""
    scalars = [p for p in network.scalars() if p.requires_grad]
    weights = [p for p in network.parameters() if p.requires_grad and all(p is not s for s in scalars)]
    return [
        {"params": [p for p in weights if p.ndim > 1], "weight_decay": plan.decay, "share": 1.0},
        {"params": [p for p in weights if p.ndim <= 1], "weight_decay": 0.0, "share": 1.0},
        {"params": scalars, "weight_decay": 0.0, "share": plan.scalars},
    ]


def _rate(done: float, warm: float) -> float:
    if done < warm:
        return (done + 1e-3) / warm
    return 0.01 + 0.99 * (1 + math.cos(math.pi * (done - warm) / (1 - warm))) / 2


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan


def _keep(
    path: Path | None, network: Network, optimiser: torch.optim.Optimizer, step: int, run: dict
) -> None:
    if path is not None:
        state = {
            "network": network.state_dict(), "optimiser": optimiser.state_dict(),
            "torch": torch.get_rng_state(), "step": step, "run": run,
        }  # fmt: skip
        with atomic_writer(path) as stream:
            torch.save(state, stream)


def _take_up(path: Path | None, network: Network, optimiser: torch.optim.Optimizer, run: dict) -> int:
    if path is None or not path.is_file():
        return 0
    state = torch.load(path, weights_only=True)
    if state["run"] != run:
        other = ", ".join(key for key in run if state["run"].get(key) != run[key])
        raise BadInput(
            f"{path.name} was kept by a run with another {other}.",
            "Resume with the same pages, network, plan and seed, or choose another file.",
        )
    network.load_state_dict(state["network"])
    optimiser.load_state_dict(state["optimiser"])
    torch.set_rng_state(state["torch"])
    return state["step"]
