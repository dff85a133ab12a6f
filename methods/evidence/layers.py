"""Parts of the network: attention that knows where words stand to each other, and the embedding of hashed words."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from methods.evidence import text
from methods.evidence.features import CROP, LAYOUT, PAIRS

HIDDEN = -1e4
"""Logit of what must not be seen; finite, so that a row of nothing else stays finite too."""


class Attention(nn.Module):
    """Multi-head attention."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key_value = nn.Linear(dim, 2 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x: Tensor, context: Tensor, bias: Tensor) -> Tensor:
        """x (M, N, D) looks at context (M, T, D); bias broadcasts to (M, heads, N, T)."""
        query = self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.key_value(context).chunk(2, -1)
        )
        seen = functional.scaled_dot_product_attention(query, key, value, bias)
        return self.out(seen.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Pre-norm transformer layer; with ``cross`` it looks at a second sequence between."""

    def __init__(self, dim: int, heads: int, dropout: float, cross: bool = False) -> None:
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(dim), Attention(dim, heads)
        self.cross = Attention(dim, heads) if cross else None
        self.cross_norm = nn.LayerNorm(dim) if cross else None
        self.feed = nn.Sequential(
            nn.LayerNorm(dim),
            nn.Linear(dim, 4 * dim),
            nn.GELU(),
            nn.Linear(4 * dim, dim),
            nn.Dropout(dropout),
        )
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, bias: Tensor, other: Tensor | None = None, other_bias: Tensor | None = None
    ) -> Tensor:
        if self.cross is not None:
            x = x + self.dropout(self.cross(self.cross_norm(x), other, other_bias))
        normed = self.norm(x)
        x = x + self.dropout(self.attention(normed, normed, bias))
        return x + self.feed(x)


class Place(nn.Module):
    """Attention bias learned per head and relative place of two words."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.table = nn.Embedding(PAIRS + 1, heads)
        nn.init.normal_(self.table.weight, std=0.02)

    def forward(self, pairs: Tensor, present: Tensor) -> Tensor:
        """(B, heads, N, N) of pairs (B, N, N) and present (B, N)."""
        bias = self.table(pairs).permute(0, 3, 1, 2)
        return bias.masked_fill(~present[:, None, None, :], HIDDEN)


class WordEmbedding(nn.Module):
    """Hashed n-grams of words as vectors, shared by page and question so that the same word is the same vector."""

    def __init__(self, width: int, dim: int) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(text.BUCKETS, width, mode="mean")
        nn.init.normal_(self.table.weight, std=0.3)
        self.project = nn.Linear(width, dim)

    def forward(self, grams: Tensor, offsets: Tensor) -> Tensor:
        return self.project(self.table(grams, offsets))


class PageEmbedding(nn.Module):
    """What each word is, where it stands, and how it looks."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.layout = nn.Sequential(nn.Linear(LAYOUT, dim), nn.GELU(), nn.Linear(dim, dim))
        height, width = CROP
        self.look = nn.Sequential(
            nn.Conv2d(1, 8, 3, 2, 1), nn.GELU(), nn.Conv2d(8, 8, 3, 2, 1), nn.GELU(), nn.Flatten(),
            nn.Linear(8 * (height // 4) * (width // 4), dim),
        )  # fmt: skip
        self.norm = nn.LayerNorm(dim)

    def forward(self, words: Tensor, layout: Tensor, crops: Tensor, seen: Tensor) -> Tensor:
        """(B, N, D) of words (B, N, D), layout (B, N, LAYOUT), crops (B, N, 16, 48), seen (B,)."""
        x = words + self.layout(layout)
        if bool(seen.any()):
            look = self.look(crops.flatten(0, 1).unsqueeze(1)).view_as(x)
            x = x + look * seen[:, None, None]
        return self.norm(x)


def mlp(inputs: int, hidden: int, outputs: int = 1) -> nn.Sequential:
    """Two layers."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Linear(hidden, outputs))


def position(count: int, dim: int, device: torch.device) -> Tensor:
    """(count, dim) sinusoids (Vaswani et al., 2017)."""
    steps = torch.arange(count, device=device, dtype=torch.float32)[:, None]
    rates = torch.exp(torch.arange(0, dim, 2, device=device) * (-9.21 / dim))
    return torch.cat([torch.sin(steps * rates), torch.cos(steps * rates)], 1)
