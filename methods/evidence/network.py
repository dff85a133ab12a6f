"""The localiser's network: page encoder, question encoder, cross block, the flow of mass, and the head for spans.

The architecture is ours. A page is encoded once; a question then meets it in a few layers, which give each word (and a
place called NULL, "the page does not tell") a potential w. Mass starts uniform and takes K entropic JKO steps down
that one potential with falling gamma, so that <w, p> is one energy along the whole flow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from methods.evidence import jko
from methods.evidence.batch import PageBatch, QuestionBatch
from methods.evidence.features import JOINTS, MATCHES, PAIRS
from methods.evidence.flow import Schedule, geometric
from methods.evidence.layers import HIDDEN, Layer, PageEmbedding, Place, WordEmbedding, mlp, position

FORMAT_VERSION = 1
FLOWS = ("annealed", "fixed", "softmax", "rescore")


@dataclass(frozen=True)
class Config:
    """Sizes and ablations.

    Attributes:
        embedding: width of the n-gram table.
        flow: "annealed" (gamma falls from ``first`` to ``last`` and is learned), "fixed" (the same gamma, ``last``,
            at all steps), "softmax" (one step of endless reach) or "rescore" (the potential is computed anew from the
            last p at each step, and each p is its softmax: iterated, but nothing is transported).
        steps: K; 1 for "softmax".
        soft, sharp: tau / gamma of the first and the last step before training: the coarse steps only lean towards
            the region, the late ones decide between words.
        span: most words of an answer.
        window, overlap: words seen at once, and shared by neighbouring windows.
    """

    dim: int = 128
    heads: int = 4
    embedding: int = 96
    page_layers: int = 3
    question_layers: int = 2
    cross_layers: int = 3
    dropout: float = 0.1
    flow: str = "annealed"
    steps: int = 5
    first: float = 1.0
    last: float = 0.001
    soft: float = 1.0
    sharp: float = 8.0
    aspect: float = 0.3
    null_distance: float = 0.3
    span: int = 24
    window: int = 512
    overlap: int = 128

    def __post_init__(self) -> None:
        if self.flow not in FLOWS:
            raise ValueError(f"flow {self.flow!r}, not one of {FLOWS}")
        if self.flow == "softmax" and self.steps != 1:
            raise ValueError("a softmax flow has one step")


@dataclass(frozen=True)
class Met:
    """What the cross block makes of M questions: state (M, N + 1, D) and potential (M, N + 1), NULL last."""

    state: Tensor
    potential: Tensor


class Network(nn.Module):
    """See the module. Logarithms of mass are (M, N + 1), NULL last; absent words have next to none."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = c = config
        self.words = WordEmbedding(c.embedding, c.dim)
        self.page = PageEmbedding(c.dim)
        self.page_place, self.cross_place = Place(c.heads), Place(c.heads)
        self.page_layers = nn.ModuleList(Layer(c.dim, c.heads, c.dropout) for _ in range(c.page_layers))
        self.question_layers = nn.ModuleList(
            Layer(c.dim, c.heads, c.dropout) for _ in range(c.question_layers)
        )
        self.cross_layers = nn.ModuleList(
            Layer(c.dim, c.heads, c.dropout, True) for _ in range(c.cross_layers)
        )
        self.matches = mlp(MATCHES, c.dim, c.dim)
        self.null = nn.Parameter(torch.randn(c.dim) * 0.1)
        self.norm = nn.LayerNorm(c.dim)
        rescore = c.flow == "rescore"
        self.potential = mlp(c.dim + rescore, c.dim)
        self.log_gamma = nn.Parameter(torch.tensor(_gammas(c)).log(), requires_grad=c.flow == "annealed")
        self.log_sigma = nn.Parameter(torch.tensor(geometric(c.soft, c.sharp, c.steps)).log())
        self.log_aspect = nn.Parameter(torch.tensor(c.aspect).log())
        self.log_null = nn.Parameter(torch.tensor(c.null_distance).log())
        self.start, self.end = mlp(c.dim, c.dim), mlp(c.dim, c.dim)
        self.joint = mlp(2 * c.dim + JOINTS, c.dim)
        self.mass_weight = nn.Parameter(torch.ones(()))

    def encode(self, page: PageBatch) -> Tensor:
        """(B, N, D): the words of the pages, before any question."""
        words = self.words(page.grams, page.offsets).view(*page.present.shape, -1)
        x = self.page(words, page.layout, page.crops, page.seen)
        bias = self.page_place(page.pairs, page.present)
        for layer in self.page_layers:
            x = layer(x, bias)
        return x

    def question(self, asked: QuestionBatch) -> tuple[Tensor, Tensor]:
        """(M, T, D) and the attention bias (M, 1, 1, T) that hides its padding."""
        words = self.words(asked.grams, asked.offsets).view(*asked.present.shape, -1)
        x = words + position(words.shape[1], words.shape[2], words.device)
        bias = torch.zeros_like(asked.present, dtype=x.dtype).masked_fill(~asked.present, HIDDEN)[
            :, None, None
        ]
        for layer in self.question_layers:
            x = layer(x, bias)
        return x, bias

    def meet(self, encoded: Tensor, page: PageBatch, asked: QuestionBatch) -> Met:
        """Let the questions meet their pages, encoded (B, N, D)."""
        question, question_bias = self.question(asked)
        x = encoded[asked.of] + self.matches(asked.matches)
        x = torch.cat([x, self.null.expand(len(x), 1, -1)], 1)
        pairs = functional.pad(page.pairs, (0, 1, 0, 1), value=PAIRS)
        bias = self.cross_place(pairs, with_null(page.present))[asked.of]
        for layer in self.cross_layers:
            x = layer(x, bias, question, question_bias)
        x = self.norm(x)
        if self.config.flow == "rescore":
            return Met(x, self._rescored(x, uniform(page.present)[asked.of]))
        return Met(x, _from_null(self.potential(x)[..., 0]))

    def _rescored(self, state: Tensor, log_p: Tensor) -> Tensor:
        told = (log_p + math.log(state.shape[1])).clamp(-10, 10) / 5
        return _from_null(self.potential(torch.cat([state, told.unsqueeze(-1)], -1))[..., 0])

    def cost(self, points: Tensor) -> Tensor:
        """(..., N + 1, N + 1): squared distances with the same row near; NULL is equally far from everything."""
        aspect = torch.stack([self.log_aspect.exp(), torch.ones_like(self.log_aspect)])
        return _bordered(jko.cost(points, aspect), self.log_null.exp().square())

    def scalars(self) -> list[nn.Parameter]:
        """The few figures of the flow, which need larger steps in training than weights do."""
        return [self.log_gamma, self.log_sigma, self.log_aspect, self.log_null, self.mass_weight]

    def schedule(self) -> Schedule:
        """The learned schedule."""
        return Schedule(tuple(self.log_gamma.exp().tolist()), tuple(self.log_sigma.exp().tolist()))

    def flow(self, met: Met, cost: Tensor, present: Tensor, schedule: Schedule | None = None) -> list[Tensor]:
        """log p_0 .. log p_K.

        Args:
            cost: (M, N + 1, N + 1). present: (M, N). schedule: instead of the learned one.
        """
        gammas, sigmas = self.log_gamma.exp(), self.log_sigma.exp()
        if schedule is not None:
            gammas, sigmas = (torch.tensor(v).to(gammas) for v in (schedule.gammas, schedule.sigmas))
        log_p, absent = [uniform(present)], ~with_null(present)
        if self.config.flow == "rescore":
            for sigma in sigmas:
                potential = self._rescored(met.state, log_p[-1]).masked_fill(absent, -HIDDEN)
                log_p.append(torch.log_softmax(-sigma * potential, -1))
            return log_p
        kernels = [jko.DenseKernel(cost, gamma) for gamma in gammas]
        potential = met.potential.masked_fill(absent, -HIDDEN)
        return log_p + [step.log_p for step in jko.unroll(log_p[0], potential, kernels, list(sigmas))]

    def spans(self, state: Tensor, log_p: Tensor, joints: Tensor, present: Tensor) -> Tensor:
        """(M, N, span) logits of the answer from word i over l + 1 words; what runs off the page is hidden.

        Args:
            state: (M, N, D). log_p: (M, N) last mass. joints: (M, N, JOINTS). present: (M, N).
        """
        count, most = state.shape[1], self.config.span
        following = torch.cat([state[:, 1:], state[:, -1:]], 1)
        gap = self.joint(torch.cat([state, following, joints], -1))[..., 0]
        gap, mass = _before(gap), _before(log_p.exp())
        start = torch.arange(count, device=state.device)[:, None]
        end = start + torch.arange(most, device=state.device)
        whole = end < count
        end = end.clamp_max(count - 1)
        inside = (mass[:, end + 1] - mass[:, start]).clamp_min(1e-6).log()
        logits = self.start(state) + self.end(state)[..., 0][:, end] - (gap[:, end] - gap[:, start])
        return (logits + self.mass_weight * inside).masked_fill(~(whole & present[:, end]), HIDDEN)


def _before(values: Tensor) -> Tensor:
    """(M, N + 1): sums of all values before each place."""
    return functional.pad(values.cumsum(-1), (1, 0))


def with_null(present: Tensor) -> Tensor:
    """(..., N + 1) of present (..., N): NULL is always there."""
    return functional.pad(present, (0, 1), value=True)


def uniform(present: Tensor) -> Tensor:
    """(..., N + 1): log of the uniform p over the words that are there, and NULL."""
    return torch.log_softmax(torch.where(with_null(present), 0.0, HIDDEN), -1)


def _from_null(potential: Tensor) -> Tensor:
    """A step does not see a constant, so NULL is put at 0; windows of a page become comparable by that."""
    return potential - potential[..., -1:]


def _gammas(config: Config) -> tuple[float, ...]:
    if config.flow == "annealed":
        return geometric(config.first, config.last, config.steps)
    return (config.last if config.flow == "fixed" else math.inf,) * config.steps


def _bordered(cost: Tensor, null: Tensor) -> Tensor:
    side = null.expand(*cost.shape[:-1], 1)
    below = torch.cat(
        [null.expand(*cost.shape[:-2], 1, cost.shape[-1]), torch.zeros_like(side[..., :1, :])], -1
    )
    return torch.cat([torch.cat([cost, side], -1), below], -2)


def parameters(network: nn.Module) -> int:
    """Number of trained figures."""
    return sum(p.numel() for p in network.parameters())


def build(config: dict[str, object]) -> Network:
    """A network of the sizes that a checkpoint names."""
    return Network(Config(**config))
