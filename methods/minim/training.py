"""Train the scorer on labelled screens: seeded, resumable, with whole apps left out for validation.

The loss is the paper's (MINIM, section 3): L1 on s, plus L1 on n weighted by 1 + lambda (s/10)(1 - n/10). L1 alone
settles on the median, which is nearly always "not needed", so a cross-entropy towards n/10 stands beside it and
carries most of the weight.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from methods.core import checkpoints
from methods.core.atomic import atomic_writer
from methods.core.checkpoints import Header
from methods.core.context import Context
from methods.minim import page_features, task_features
from methods.minim.calibration import Calibration
from methods.minim.findings import find
from methods.minim.labelled import LabelledScreen, Pair
from methods.minim.network import FORMAT_VERSION, Committee, Config, Network, describe
from methods.minim.page_features import PageFeatures
from methods.minim.task_features import Lexicon, TaskFeatures


@dataclass(frozen=True)
class Schedule:
    """How long and how hard to train.

    Attributes:
        alpha, lam: weight of the paper's loss on n, and of s within it.
        cross_entropy, needed: weight of the cross-entropy, and how much more a needed element counts in it.
        tasks: share of each screen's tasks that an epoch takes.
        tasks_per_step: tasks of one screen that are scored in one pass.
    """

    epochs: int = 6
    rate: float = 2e-3
    decay: float = 1e-2
    alpha: float = 0.05
    lam: float = 1.0
    cross_entropy: float = 6.0
    needed: float = 2.0
    tasks: float = 0.4
    tasks_per_step: int = 6


@dataclass(frozen=True)
class Prepared:
    """A screen with its features and its tasks."""

    screen: LabelledScreen
    page: PageFeatures
    pairs: tuple[tuple[Pair, TaskFeatures], ...]


def prepare(pairs: Sequence[Pair], context: Context) -> list[Prepared]:
    """Compute all features once; they do not change while training."""
    by_screen: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_screen[pair.screen.id].append(pair)
    prepared = []
    for i, group in enumerate(by_screen.values()):
        context.progress(i / len(by_screen), "computing features")
        screen = group[0].screen
        page = page_features.page_features(screen.observation, find(screen.observation))
        lexicon = Lexicon(screen.observation)
        prepared.append(
            Prepared(
                screen, page, tuple((p, task_features.task_features(p.task, page, lexicon)) for p in group)
            )
        )
    return prepared


def new_network(graph: bool = True, seed: int = 0) -> Network:
    """An untrained network for the features of this version."""
    torch.manual_seed(seed)
    return Network(Config(len(page_features.NAMES), len(task_features.NAMES), graph=graph))


def loss_of(
    s: Tensor, s_true: Tensor, logit: Tensor, n_true: Tensor, s_of: Tensor, schedule: Schedule
) -> Tensor:
    """The loss of one step.

    Args:
        s, s_true: (N,) predicted and labelled sensitivity of the page.
        logit, n_true, s_of: (N * tasks,) logit of n/10, labelled n, and s of the same elements.
    """
    n = 10 * torch.sigmoid(logit)
    weight = 1 + schedule.lam * (s_of / 10) * (1 - n_true / 10)
    needed = 1 + schedule.needed * n_true
    paper = (s - s_true).abs().mean() + schedule.alpha * (weight * (n - n_true).abs()).mean()
    towards = functional.binary_cross_entropy_with_logits(logit, n_true / 10, weight=weight * needed)
    return paper + schedule.cross_entropy * towards


def _count(screen: Prepared, schedule: Schedule) -> int:
    """How many of a screen's tasks an epoch takes."""
    return max(1, round(schedule.tasks * len(screen.pairs)))


def _steps(
    prepared: Sequence[Prepared], schedule: Schedule, rng: random.Random
) -> Iterator[tuple[Prepared, list]]:
    steps, size = [], schedule.tasks_per_step
    for screen in prepared:
        pairs = rng.sample(screen.pairs, _count(screen, schedule))
        steps += [(screen, pairs[i : i + size]) for i in range(0, len(pairs), size)]
    rng.shuffle(steps)
    yield from steps


def train(
    prepared: Sequence[Prepared],
    schedule: Schedule,
    context: Context,
    graph: bool = True,
    resume: Path | None = None,
) -> Network:
    """Train a network; with ``resume`` the state is kept there after each epoch and taken up again."""
    network = new_network(graph, context.seed)
    optimiser = torch.optim.AdamW(network.parameters(), schedule.rate, weight_decay=schedule.decay)
    rng = random.Random(context.seed)
    total = schedule.epochs * sum(-(-_count(p, schedule) // schedule.tasks_per_step) for p in prepared)
    plan = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, schedule.rate, total_steps=max(total, 1), pct_start=0.15
    )
    first = _take_up(resume, network, optimiser, plan, rng)
    for epoch in range(first, schedule.epochs):
        network.train()
        losses = []
        for screen, pairs in _steps(prepared, schedule, rng):
            context.check()
            loss = step_loss(network, screen, pairs, schedule)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            plan.step()
            losses.append(loss.item())
        context.progress((epoch + 1) / schedule.epochs, f"epoch {epoch + 1}: loss {np.mean(losses):.3f}")
        context.log.info("epoch %d: loss %.4f", epoch + 1, np.mean(losses))
        _keep(resume, network, optimiser, plan, rng, epoch + 1)
    return network.eval()


def train_members(
    prepared: Sequence[Prepared],
    schedule: Schedule,
    context: Context,
    members: Sequence[str],
    state: Path | None = None,
    name: str = "all",
) -> list[Network]:
    """One network per member: "graph" hears its neighbours, "alone" does not.

    Args:
        state: beside this file each member keeps its state, under ``name``.
    """
    return [
        train(
            prepared, schedule, context, member == "graph",
            state and state.with_name(f"{state.name}.{member}.{name}"),
        )
        for member in members
    ]  # fmt: skip


def step_loss(network: Network, screen: Prepared, pairs: list, schedule: Schedule) -> Tensor:
    """The loss of one screen with some of its tasks, all of them in one pass."""
    page, count = screen.page, len(screen.screen.s)
    text = torch.from_numpy(page.text)
    edges, relations = torch.from_numpy(page.edges), torch.from_numpy(page.relations)
    state = network.page_state(torch.from_numpy(page.numbers), text, edges, relations)
    s_true = torch.from_numpy(screen.screen.s)
    copies = len(pairs)
    shift = torch.arange(copies).repeat_interleave(edges.shape[1]) * count
    logit = network.necessity_logit(
        state.repeat(copies, 1),
        text.repeat(copies, 1),
        torch.from_numpy(np.concatenate([t.numbers for _, t in pairs])),
        torch.from_numpy(np.stack([t.task for _, t in pairs])),
        torch.arange(copies).repeat_interleave(count),
        edges.repeat(1, copies) + shift,
        relations.repeat(copies),
    )
    # Labels give 1 or 0.3 to whatever nobody listed; only its being unlisted says something.
    n_true = torch.from_numpy(np.concatenate([p.n * p.relevant for p, _ in pairs]))
    return loss_of(network.sensitivity_of(state), s_true, logit, n_true, s_true.repeat(copies), schedule)


def _keep(
    path: Path | None, network: Network, optimiser: object, plan: object, rng: random.Random, epoch: int
) -> None:
    if path is not None:
        state = {
            "network": network.state_dict(), "optimiser": optimiser.state_dict(), "plan": plan.state_dict(),
            "rng": rng.getstate(), "torch": torch.get_rng_state(), "epoch": epoch,
        }  # fmt: skip
        with atomic_writer(path) as stream:
            torch.save(state, stream)


def _take_up(path: Path | None, network: Network, optimiser: object, plan: object, rng: random.Random) -> int:
    if path is None or not path.is_file():
        return 0
    state = torch.load(path, weights_only=True)
    network.load_state_dict(state["network"])
    optimiser.load_state_dict(state["optimiser"])
    plan.load_state_dict(state["plan"])
    version, numbers, gauss = state["rng"]
    rng.setstate((version, tuple(numbers), gauss))
    torch.set_rng_state(state["torch"])
    return state["epoch"]


def save(
    path: Path,
    network: Network | Committee,
    tau_n: float,
    tau_s: float,
    training: dict,
    scores: dict,
    calibration: Calibration | None = None,
) -> None:
    """Write the weights with everything that :class:`methods.minim.scorer.Scorer` needs."""
    config = {
        "members": describe(network), "tau_n": tau_n, "tau_s": tau_s,
        "calibration": (calibration or Calibration()).to_dict(),
    }  # fmt: skip
    checkpoints.save(path, network.state_dict(), Header("minim", FORMAT_VERSION, config, training, scores))
