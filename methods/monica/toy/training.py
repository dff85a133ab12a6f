"""Teach the reasoner: seeded, resumable, on freshly worked sums."""

from __future__ import annotations

import math
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from methods.core import checkpoints
from methods.core.atomic import atomic_writer
from methods.core.checkpoints import Header
from methods.core.context import Context
from methods.monica.toy import language as words
from methods.monica.toy.network import FORMAT_VERSION, Config, Network
from methods.monica.toy.task import School, example


@dataclass(frozen=True)
class Schedule:
    """How long and how hard to train."""

    steps: int = 1500
    batch: int = 64
    rate: float = 4e-3
    decay: float = 0.01
    warmup: int = 80
    every: int = 100


def batch_of(count: int, rng: random.Random, school: School) -> tuple[Tensor, Tensor]:
    """Right-padded ids (B, T) and a mask of the tokens to learn: the working, not the prompt."""
    rows, starts = [], []
    for _ in range(count):
        prompt, answer = example(rng, school)
        start = words.encode(prompt)
        rows.append(start + words.encode(answer))
        starts.append(len(start))
    ids = torch.zeros(count, max(map(len, rows)), dtype=torch.long)
    learn = torch.zeros_like(ids, dtype=torch.bool)
    for i, (row, start) in enumerate(zip(rows, starts, strict=True)):
        ids[i, : len(row)] = torch.tensor(row)
        learn[i, start : len(row)] = True
    return ids, learn


def loss_of(network: Network, ids: Tensor, learn: Tensor) -> Tensor:
    """Mean cross-entropy of the tokens to learn."""
    batch, length = ids[:, :-1].shape
    positions = torch.arange(length).expand(batch, length)
    seen = torch.ones(length, length, dtype=torch.bool).tril().expand(batch, length, length)
    logits, _ = network(ids[:, :-1], positions, seen)
    wanted = learn[:, 1:]
    return functional.cross_entropy(logits[wanted], ids[:, 1:][wanted])


def train(
    schedule: Schedule, context: Context, school: School | None = None, resume: Path | None = None
) -> tuple[Network, dict[str, object]]:
    """Train a reasoner; with ``resume`` the state is kept there and taken up again.

    Returns:
        The network and the record for its header: schedule, school, seed, final loss, CPU seconds, parameters.
    """
    school = school or School()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(context.seed)
        network = Network(Config(len(words.PIECES)))
    rng = random.Random(context.seed)
    decayed = [p for p in network.parameters() if p.dim() > 1]
    rest = [p for p in network.parameters() if p.dim() <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": schedule.decay}, {"params": rest, "weight_decay": 0.0}],
        schedule.rate, betas=(0.9, 0.98),
    )  # fmt: skip
    first, used = _take_up(resume, network, optimiser, rng)
    began, losses = time.process_time(), []
    for step in range(first, schedule.steps):
        context.check()
        for group in optimiser.param_groups:
            group["lr"] = schedule.rate * _shape(step, schedule)
        loss = loss_of(network, *batch_of(schedule.batch, rng, school))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
        if (step + 1) % schedule.every == 0:
            recent = sum(losses[-schedule.every :]) / len(losses[-schedule.every :])
            context.progress((step + 1) / schedule.steps, f"step {step + 1}: loss {recent:.3f}")
            context.log.info("step %d: loss %.4f", step + 1, recent)
            _keep(resume, network, optimiser, rng, step + 1, used + time.process_time() - began)
    return network.eval(), {
        "schedule": asdict(schedule),
        "school": asdict(school),
        "seed": context.seed,
        "loss": round(sum(losses[-schedule.every :]) / max(len(losses[-schedule.every :]), 1), 4),
        "cpu_seconds": round(used + time.process_time() - began, 1),
        "parameters": sum(p.numel() for p in network.parameters()),
    }


def _shape(step: int, schedule: Schedule) -> float:
    if step < schedule.warmup:
        return (step + 1) / schedule.warmup
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / schedule.steps))


def _keep(
    path: Path | None,
    network: Network,
    optimiser: torch.optim.Optimizer,
    rng: random.Random,
    step: int,
    used: float,
) -> None:
    if path is not None:
        state = {
            "network": network.state_dict(), "optimiser": optimiser.state_dict(), "rng": rng.getstate(),
            "step": step, "cpu_seconds": used,
        }  # fmt: skip
        with atomic_writer(path) as stream:
            torch.save(state, stream)


def _take_up(
    path: Path | None, network: Network, optimiser: torch.optim.Optimizer, rng: random.Random
) -> tuple[int, float]:
    if path is None or not path.is_file():
        return 0, 0.0
    state = torch.load(path, weights_only=True)
    network.load_state_dict(state["network"])
    optimiser.load_state_dict(state["optimiser"])
    version, numbers, gauss = state["rng"]
    rng.setstate((version, tuple(numbers), gauss))
    return state["step"], state["cpu_seconds"]


def save(path: Path, network: Network, training: dict, scores: dict) -> None:
    """Write the weights."""
    header = Header("monica", FORMAT_VERSION, {"network": network.config.to_dict()}, training, scores)
    checkpoints.save(path, network.state_dict(), header)
