"""The loss of a flow: each step is told how near it should be by then.

Step k of K is held against the evidence blurred with a width that falls to nothing, so that early steps have to find
the region and late ones the words; the last step only has to bring mass onto any of the evidence. Beside that stand
the run of words, and two small terms that make it a flow: the energy must not rise, the centre of mass not jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor

from methods.evidence import jko


@dataclass(frozen=True)
class Weights:
    """Attributes: ``blur`` is the width at the start in shares of the page; the others are factors."""

    blur: float = 0.15
    span: float = 0.5
    energy: float = 0.1
    jump: float = 0.05


def flow_loss(flowed: list[Tensor], evidence: Tensor, cost: Tensor, weights: Weights) -> Tensor:
    """Mean over questions of sum_k k / K * CE(p_k, target_k), over the sum of the factors.

    Args:
        flowed: log p_0 .. log p_K, each (M, N + 1).
        evidence: (M, N + 1) bool. cost: (M, N + 1, N + 1).
    """
    last = len(flowed) - 1
    total = -_mass(flowed[-1], evidence)
    for k in range(1, last):
        target = _blurred(evidence, cost, flowed[0], weights.blur * (1 - k / last))
        total = total - (k / last) * (target * flowed[k]).sum(-1)
    return total.mean() / ((last + 1) / 2)


def _mass(log_p: Tensor, evidence: Tensor) -> Tensor:
    return torch.logsumexp(log_p.masked_fill(~evidence, -1e4), -1)


@torch.no_grad()
def _blurred(evidence: Tensor, cost: Tensor, start: Tensor, width: float) -> Tensor:
    """Evidence spread over its neighbourhood; what the page does not tell stays on NULL, what it tells stays off it.

    Padding gets nothing, as it had nothing at the start.
    """
    spread = (torch.exp(-cost / (2 * width**2)) @ evidence.float().unsqueeze(-1))[..., 0]
    spread = torch.where(evidence[:, -1:], evidence.float(), spread) * start.exp()
    spread[:, -1] *= evidence[:, -1]
    return spread / spread.sum(-1, keepdim=True)


def span_loss(logits: Tensor, right: Tensor) -> Tensor:
    """Mean over the questions that have a right run of -log P(any right run); 0 when none has.

    Args:
        logits: (M, N, L). right: (M, N, L) bool.
    """
    asked = right.flatten(1).any(1)
    if not bool(asked.any()):
        return logits.sum() * 0
    log_p = torch.log_softmax(logits[asked].flatten(1), -1)
    return -_mass(log_p, right[asked].flatten(1)).mean()


def rise(flowed: list[Tensor], potential: Tensor) -> Tensor:
    """How much the energy <w, p> rises at steps where it does, per step."""
    energies = [jko.energy(log_p, potential) for log_p in flowed]
    return torch.stack([(b - a).relu() for a, b in pairwise(energies)]).mean()


def jump(flowed: list[Tensor], points: Tensor) -> Tensor:
    """Squared way of the centre of mass per step; points (M, N, 2), NULL left out."""
    centres = [(log_p[:, :-1].exp().unsqueeze(-1) * points).sum(1) for log_p in flowed]
    return torch.stack([(b - a).square().sum(-1) for a, b in pairwise(centres)]).mean()
