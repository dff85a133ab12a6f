"""The scorer's network: graph attention over the element tree, one tower for s and one on top of it for n.

Attention is GATv2 (Brody, Alon, Yahav: How Attentive are Graph Attention Networks?, ICLR 2022), written here
with ``index_add`` so that no graph library is needed. Sensitivity is inherent, so its tower never sees the
task; a new task runs the second tower only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn

from methods.minim.encoder import DIM
from methods.minim.graph import RELATIONS

FORMAT_VERSION = 2
"""Of weights files: rises when older weights no longer fit."""


@dataclass(frozen=True)
class Config:
    """Sizes of the network. ``graph`` False leaves the attention out: the ablation "without the graph"."""

    page_features: int
    task_features: int
    text: int = 48
    width: int = 96
    heads: int = 4
    page_layers: int = 1
    task_layers: int = 2
    dropout: float = 0.15
    graph: bool = True

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


class GraphAttention(nn.Module):
    """One GATv2 layer with a learned vector per relation, residual, norm and a two-layer update."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.size = width // heads
        self.source = nn.Linear(width, width)
        self.target = nn.Linear(width, width)
        self.relation = nn.Embedding(len(RELATIONS), width)
        self.attend = nn.Parameter(torch.empty(heads, self.size))
        self.out = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.update = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, width),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(width, width),
        )
        self.dropout = nn.Dropout(dropout)
        nn.init.xavier_uniform_(self.attend)

    def forward(self, h: Tensor, edges: Tensor, relations: Tensor) -> Tensor:
        """``h`` is (N, width), ``edges`` (2, E) of (from, to); returns (N, width)."""
        x = self.norm(h)
        start, end = edges
        message = self.source(x)[start] + self.relation(relations)
        joined = nn.functional.leaky_relu(message + self.target(x)[end], 0.2)
        score = (joined.view(-1, self.heads, self.size) * self.attend).sum(-1)
        weight = softmax_by(score, end, len(h))
        message = message.view(-1, self.heads, self.size) * weight.unsqueeze(-1)
        gathered = torch.zeros_like(h).index_add_(0, end, message.reshape(-1, h.shape[1]))
        h = h + self.dropout(self.out(gathered))
        return h + self.dropout(self.update(h))


def softmax_by(score: Tensor, group: Tensor, count: int) -> Tensor:
    """Softmax of ``score`` (E, heads) over the entries that share a ``group`` (E,) below ``count``."""
    index = group.unsqueeze(1).expand_as(score)
    top = score.new_full((count, score.shape[1]), -torch.inf)
    top = top.scatter_reduce(0, index, score.detach(), "amax", include_self=True)
    weight = (score - top[group]).exp()
    total = torch.zeros_like(top).index_add_(0, group, weight)
    return weight / total[group].clamp_min(1e-9)


class NodeUpdate(nn.Module):
    """What stands in for :class:`GraphAttention` in the ablation: the same update, each element alone."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.update = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, 2 * width),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(2 * width, width),
        )

    def forward(self, h: Tensor, edges: Tensor, relations: Tensor) -> Tensor:
        return h + self.update(h)


class Network(nn.Module):
    """Page and task features in, s and n in [0, 10] out."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        layer = GraphAttention if config.graph else NodeUpdate
        width, drop = config.width, config.dropout

        def layers(count: int) -> nn.ModuleList:
            return nn.ModuleList(layer(width, config.heads, drop) for _ in range(count))

        self.text = nn.Sequential(nn.Dropout(drop), nn.Linear(DIM, config.text))
        self.page = nn.Linear(config.page_features + config.text, width)
        self.page_layers = layers(config.page_layers)
        self.sensitivity = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1)
        )
        self.task_text = nn.Sequential(nn.Dropout(drop), nn.Linear(DIM, config.text))
        self.match = nn.Sequential(nn.Dropout(drop), nn.Linear(DIM, config.text))
        self.task = nn.Linear(config.task_features + 2 * config.text, width)
        self.task_layers = layers(config.task_layers)
        self.context = nn.Linear(2 * width, width)
        self.necessity = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1)
        )

    def page_state(self, numbers: Tensor, text: Tensor, edges: Tensor, relations: Tensor) -> Tensor:
        """(N, width): what the page tower makes of each element."""
        h = self.page(torch.cat([numbers, self.text(text)], 1))
        for layer in self.page_layers:
            h = layer(h, edges, relations)
        return h

    def sensitivity_of(self, state: Tensor) -> Tensor:
        """s in [0, 10], shape (N,)."""
        return 10 * torch.sigmoid(self.sensitivity(state).squeeze(1))

    def necessity_logit(
        self,
        state: Tensor,
        text: Tensor,
        numbers: Tensor,
        task: Tensor,
        page_of: Tensor,
        edges: Tensor,
        relations: Tensor,
    ) -> Tensor:
        """Logit of n / 10, shape (N,).

        Args:
            numbers: (N, task features). task: (P, 256), one per page of the batch. page_of: (N,) into them.
        """
        match = self.match(text * task[page_of])
        h = state + self.task(torch.cat([numbers, self.task_text(task)[page_of], match], 1))
        for i, layer in enumerate(self.task_layers):
            h = layer(h, edges, relations)
            if i == 0:
                h = h + self._page_context(h, page_of, len(task))[page_of]
        return self.necessity(h).squeeze(1)

    def _page_context(self, h: Tensor, page_of: Tensor, pages: int) -> Tensor:
        """What the page as a whole offers for the task: the mean and the largest value of each feature."""
        index = page_of.unsqueeze(1).expand_as(h)
        mean = h.new_zeros(pages, h.shape[1]).scatter_reduce(0, index, h, "mean", include_self=False)
        top = h.new_zeros(pages, h.shape[1]).scatter_reduce(0, index, h, "amax", include_self=False)
        return torch.nn.functional.gelu(self.context(torch.cat([mean, top], 1)))


class Committee(nn.Module):
    """Networks whose opinions are averaged, with the interface of one: their states stand side by side."""

    def __init__(self, members: Sequence[Network]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        self._widths = [member.config.width for member in members]

    def page_state(self, numbers: Tensor, text: Tensor, edges: Tensor, relations: Tensor) -> Tensor:
        """(N, sum of the widths), see :meth:`Network.page_state`."""
        return torch.cat([m.page_state(numbers, text, edges, relations) for m in self.members], 1)

    def sensitivity_of(self, state: Tensor) -> Tensor:
        """Mean of the members' s, shape (N,)."""
        return self._mean([m.sensitivity_of(own) for m, own in self._own(state)])

    def necessity_logit(self, state: Tensor, *inputs: Tensor) -> Tensor:
        """Mean of the members' logits, shape (N,); ``inputs`` as in :meth:`Network.necessity_logit`."""
        return self._mean([m.necessity_logit(own, *inputs) for m, own in self._own(state)])

    def _own(self, state: Tensor) -> Iterator[tuple[Network, Tensor]]:
        return zip(self.members, state.split(self._widths, 1), strict=True)

    @staticmethod
    def _mean(values: Sequence[Tensor]) -> Tensor:
        return torch.stack(values).mean(0)


def describe(network: Network | Committee) -> list[dict[str, object]]:
    """The configurations of a network's members, JSON-able; what :func:`build` needs."""
    members = network.members if isinstance(network, Committee) else [network]
    return [member.config.to_dict() for member in members]


def build(members: Sequence[dict]) -> Network | Committee:
    """An untrained network of the configurations that :func:`describe` gave."""
    made = [Network(Config(**config)) for config in members]
    return made[0] if len(made) == 1 else Committee(made)
