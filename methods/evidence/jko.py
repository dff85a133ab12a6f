"""Entropic JKO steps: one step of a Wasserstein gradient flow of a probability over points.

    p_next = argmin_p  W_gamma(p, p_now) + tau f(p),   W_gamma(p, q) = min_pi <c, pi> + gamma sum pi log pi

with f(p) = <w, p> + lambda sum p log p, or <w, p> under the congestion p <= kappa. After Peyre, Entropic
Approximation of Wasserstein Gradient Flows, SIAM J. Imaging Sci. 8(4), 2015. With a linear f one pass solves it
exactly: each unit of mass jumps from j to i with probability proportional to exp(-c_ij / gamma - tau w_i / gamma),
a softmax of limited reach.

Everything is in the log domain (exp(-1 / gamma) is 0 in float32 below gamma = 0.01), batched over leading dimensions,
and differentiable. Mass is kept to rounding: the last thing computed is always the marginal of the old p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

INNER = 20
"""Scaling iterations of a step that has no closed form."""


class Kernel(Protocol):
    """A Gibbs kernel exp(-c / gamma), symmetric."""

    def smooth(self, log_v: Tensor) -> Tensor:
        """``log sum_j exp(-c_ij / gamma) v_j`` of ``log_v`` (..., N), shape (..., N)."""
        ...


class DenseKernel:
    """The kernel of any symmetric cost.

    Args:
        cost: (..., N, N).
        gamma: scalar, or (...) per batch; in the unit of the cost.
    """

    def __init__(self, cost: Tensor, gamma: Tensor | float) -> None:
        self.cost = cost
        self.gamma = torch.as_tensor(gamma, dtype=cost.dtype, device=cost.device)
        self.log = -self.cost / self.gamma[..., None, None]

    def smooth(self, log_v: Tensor) -> Tensor:
        return torch.logsumexp(self.log + log_v.unsqueeze(-2), -1)


class PointKernel(DenseKernel):
    """The kernel between points of any kind, here tokens.

    Args:
        points: (..., N, D) in shares of the page.
        gamma: scalar, or (...) per batch; in the unit of squared distance.
        aspect: (D,) factors on the axes before squaring: what stands on the same line is nearer than it looks.
    """

    def __init__(self, points: Tensor, gamma: Tensor | float, aspect: Tensor | None = None) -> None:
        super().__init__(cost(points, aspect), gamma)


class GridKernel:
    """The kernel of a grid over the unit square, taken apart into rows and columns: N = height * width.

    Args:
        height, width: cells; a cell's place is its middle.
    """

    def __init__(self, height: int, width: int, gamma: float, dtype: torch.dtype = torch.float64) -> None:
        self.shape = height, width
        y, x = ((torch.arange(n, dtype=dtype) + 0.5) / n for n in (height, width))
        self.points = torch.stack(torch.meshgrid(x, y, indexing="xy"), -1).reshape(-1, 2)
        self._rows = -((y[:, None] - y) ** 2) / gamma
        self._columns = -((x[:, None] - x) ** 2) / gamma

    def smooth(self, log_v: Tensor) -> Tensor:
        v = log_v.unflatten(-1, self.shape)
        v = torch.logsumexp(self._columns + v.unsqueeze(-2), -1)
        v = torch.logsumexp(self._rows.unsqueeze(-1) + v.unsqueeze(-3), -2)
        return v.flatten(-2)


def cost(points: Tensor, aspect: Tensor | None = None) -> Tensor:
    """Squared distances (..., N, N) of points (..., N, D)."""
    if aspect is not None:
        points = points * aspect
    return (points.unsqueeze(-2) - points.unsqueeze(-3)).square().sum(-1)


@dataclass(frozen=True)
class Step:
    """The outcome of one step; ``log_a`` and ``log_b`` (..., N) scale the kernel to the transport plan."""

    log_p: Tensor
    log_a: Tensor
    log_b: Tensor

    def plan(self, kernel: DenseKernel) -> Tensor:
        """(..., N, N): mass that moved from j (last dimension) to i."""
        return (self.log_a.unsqueeze(-1) + kernel.log + self.log_b.unsqueeze(-2)).exp()

    def transport(self, kernel: DenseKernel) -> Tensor:
        """(...): <c, plan>, an upper bound of the squared 2-Wasserstein distance between old and new."""
        return (self.plan(kernel) * kernel.cost).sum((-2, -1))


def linear_step(log_q: Tensor, potential: Tensor, kernel: Kernel, sigma: Tensor | float) -> Step:
    """The step for f(p) = <w, p>, exactly.

    Args:
        log_q: (..., N) log of the present p. potential: (..., N) w. sigma: tau / gamma, scalar or (...).
    """
    sigma = torch.as_tensor(sigma, dtype=log_q.dtype, device=log_q.device)
    log_a = -sigma.unsqueeze(-1) * potential
    return _finish(log_q, log_a, kernel)


def scaling_step(
    log_q: Tensor,
    potential: Tensor,
    kernel: Kernel,
    sigma: float,
    entropy: float = 0.0,
    most: float | None = None,
    iterations: int = INNER,
) -> Step:
    """The step for f(p) = <w, p> + entropy * sum p log p, or under p <= ``most``, by alternating scaling."""
    log_a = torch.zeros_like(log_q)
    for _ in range(iterations):
        log_b = log_q - kernel.smooth(log_a)
        log_z = kernel.smooth(log_b)
        log_a = _proximal(log_z, potential, sigma, entropy, most) - log_z
    return _finish(log_q, log_a, kernel)


def _proximal(log_z: Tensor, potential: Tensor, sigma: float, entropy: float, most: float | None) -> Tensor:
    """Proximal map of sigma f for the Kullback-Leibler divergence, in logarithms."""
    log_p = (log_z - sigma * (potential + entropy)) / (1 + sigma * entropy)
    return log_p if most is None else log_p.clamp_max(torch.log(torch.tensor(most)).item())


def _finish(log_q: Tensor, log_a: Tensor, kernel: Kernel) -> Step:
    log_b = log_q - kernel.smooth(log_a)
    return Step(log_a + kernel.smooth(log_b), log_a, log_b)


def one_step(potential: Tensor, beta: float) -> Tensor:
    """Log of softmax(-beta w): what a step from the uniform p becomes for gamma to infinity with tau / gamma = beta."""
    return torch.log_softmax(-beta * potential, -1)


def unroll(
    log_p: Tensor, potential: Tensor, kernels: Sequence[Kernel], sigmas: Sequence[Tensor | float]
) -> list[Step]:
    """Linear steps one after the other, each with a kernel (its gamma) and a sigma of its own."""
    steps: list[Step] = []
    for kernel, sigma in zip(kernels, sigmas, strict=True):
        steps.append(linear_step(steps[-1].log_p if steps else log_p, potential, kernel, sigma))
    return steps


def entropy_of(log_p: Tensor) -> Tensor:
    """(...): -sum p log p in nats; an element without mass counts nothing."""
    p = log_p.exp()
    return -torch.where(p > 0, p * log_p, torch.zeros_like(p)).sum(-1)


def energy(log_p: Tensor, potential: Tensor, entropy: float = 0.0) -> Tensor:
    """(...): <w, p> + entropy * sum p log p."""
    return (log_p.exp() * potential).sum(-1) - entropy * entropy_of(log_p)
