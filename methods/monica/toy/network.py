"""The reasoner's network: a small pre-norm transformer with a key-value cache whose columns can be masked per row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

FORMAT_VERSION = 1
"""Of the weights file: rises when older weights no longer fit."""

Cache = list[tuple[Tensor, Tensor]]
"""Per layer keys and values, each (B, heads, T, D / heads)."""


@dataclass(frozen=True)
class Config:
    """Sizes of the network."""

    vocabulary: int
    width: int = 64
    layers: int = 4
    heads: int = 4
    context: int = 192

    def to_dict(self) -> dict[str, int]:
        return asdict(self)


class Block(nn.Module):
    """Attention and a two-layer network, each after a norm and added to the residual stream."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, h: Tensor, seen: Tensor, past: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple]:
        """``h`` (B, N, D), ``seen`` (B, 1, N, T) bool over past and new columns -> ``h`` and the longer cache."""
        batch, count, width = h.shape
        qkv = self.qkv(self.norm1(h)).view(batch, count, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        h = h + self.out(mixed.transpose(1, 2).reshape(batch, count, width))
        return h + self.mlp(self.norm2(h)), (k, v)


class Network(nn.Module):
    """Token ids in, logits of the next token out; input and output share their embedding."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.token = nn.Embedding(config.vocabulary, config.width)
        self.position = nn.Embedding(config.context, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        for table in (self.token, self.position):
            nn.init.normal_(table.weight, std=0.1)

    def forward(
        self,
        ids: Tensor,
        positions: Tensor,
        seen: Tensor,
        past: Cache | None = None,
        after_block: Callable[[int, Tensor], Tensor] = lambda _, h: h,
    ) -> tuple[Tensor, Cache]:
        """Run N new columns.

        Args:
            ids, positions: (B, N) long. seen: (B, N, T) bool, T counting past columns too.
            after_block: what may look at, and replace, the residual stream (B, N, D) after block i.

        Returns:
            Logits (B, N, V) and the cache, longer by N columns.
        """
        h = self.token(ids) + self.position(positions)
        cache = []
        for i, block in enumerate(self.blocks):
            h, entry = block(h, seen[:, None], None if past is None else past[i])
            h = after_block(i, h)
            cache.append(entry)
        return self.norm(h) @ self.token.weight.T, cache
