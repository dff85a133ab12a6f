"""The Llama family in plain torch: RMSNorm, rotary positions, grouped-query attention, SwiGLU.

Touvron et al., "LLaMA" (2302.13971); Su et al., "RoFormer" (2104.09864); Ainslie et al., "GQA" (2305.13245). Tensor
names are those of Hugging Face checkpoints. Ours rather than a library's because a row may forget columns of the
cache, and because layers are watched and changed between two tokens.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from methods.core.errors import BadInput

GROW = 256
"""Columns by which a cache grows when it is full."""


@dataclass(frozen=True)
class Config:
    """Sizes of a model. ``rope`` lists scaling figures: ``{"kind": "llama3", ...}``, empty for none."""

    vocabulary: int
    width: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    inner: int
    context: int
    theta: float = 10_000.0
    epsilon: float = 1e-5
    tied: bool = False
    qkv_bias: bool = False
    out_bias: bool = False
    head_norm: bool = False
    rope: tuple[tuple[str, float | str | tuple[float, ...]], ...] = ()


class Cache:
    """Keys and values of all layers, (B, kv heads, columns, head width) each, with room to grow."""

    def __init__(self) -> None:
        self.pairs: dict[int, tuple[Tensor, Tensor]] = {}
        self.length = 0

    def put(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Write N columns behind ``length`` and give all of that layer so far."""
        end = self.length + keys.shape[2]
        held = self.pairs.get(layer)
        if held is None or held[0].shape[2] < end:
            rows, heads, _, width = keys.shape
            room = keys.new_empty(2, rows, heads, -(-end // GROW) * GROW, width)
            if held is not None:
                room[0, :, :, : self.length] = held[0][:, :, : self.length]
                room[1, :, :, : self.length] = held[1][:, :, : self.length]
            held = self.pairs[layer] = (room[0], room[1])
        held[0][:, :, self.length : end] = keys
        held[1][:, :, self.length : end] = values
        return held[0][:, :, :end], held[1][:, :, :end]

    def rows(self, rows: Tensor) -> Cache:
        """A copy of some rows."""
        twin = Cache()
        twin.length = self.length
        used = slice(0, self.length)
        twin.pairs = {i: (k[rows][:, :, used], v[rows][:, :, used]) for i, (k, v) in self.pairs.items()}
        return twin


class RMSNorm(nn.Module):
    """``x / rms(x) * weight``; the mean square in float32."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.epsilon)
        return self.weight * wide.to(x.dtype)


class Attention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        c = self.config = config
        self.q_proj = nn.Linear(c.width, c.heads * c.head_width, bias=c.qkv_bias)
        self.k_proj = nn.Linear(c.width, c.kv_heads * c.head_width, bias=c.qkv_bias)
        self.v_proj = nn.Linear(c.width, c.kv_heads * c.head_width, bias=c.qkv_bias)
        self.o_proj = nn.Linear(c.heads * c.head_width, c.width, bias=c.out_bias)
        if c.head_norm:
            self.q_norm = RMSNorm(c.head_width, c.epsilon)
            self.k_norm = RMSNorm(c.head_width, c.epsilon)

    def forward(
        self, x: Tensor, turn: tuple[Tensor, Tensor], seen: Tensor, layer: int, cache: Cache
    ) -> Tensor:
        c = self.config
        rows, columns, _ = x.shape
        q = self.q_proj(x).view(rows, columns, c.heads, c.head_width)
        k = self.k_proj(x).view(rows, columns, c.kv_heads, c.head_width)
        v = self.v_proj(x).view(rows, columns, c.kv_heads, c.head_width).transpose(1, 2)
        if c.head_norm:
            q, k = self.q_norm(q), self.k_norm(k)
        q, k = rotated(q.transpose(1, 2), turn), rotated(k.transpose(1, 2), turn)
        keys, values = cache.put(layer, k, v)
        # The heads of a group become further queries of their key, so that keys are never copied for them.
        group = c.heads // c.kv_heads
        q = q.reshape(rows, c.kv_heads, group * columns, c.head_width)
        out = F.scaled_dot_product_attention(q, keys, values, attn_mask=seen.repeat(1, 1, group, 1))
        out = out.reshape(rows, c.heads, columns, c.head_width).transpose(1, 2)
        return self.o_proj(out.reshape(rows, columns, -1))


class MLP(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.width, config.inner, bias=False)
        self.up_proj = nn.Linear(config.width, config.inner, bias=False)
        self.down_proj = nn.Linear(config.inner, config.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(config.width, config.epsilon)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = RMSNorm(config.width, config.epsilon)
        self.mlp = MLP(config)

    def forward(
        self, x: Tensor, turn: tuple[Tensor, Tensor], seen: Tensor, layer: int, cache: Cache
    ) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), turn, seen, layer, cache)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    """The network; parameters may be made on the meta device and assigned.

    Args:
        turns: radians per position of each rotary plane, see :func:`frequencies`.
    """

    def __init__(self, config: Config, turns: Tensor) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocabulary, config.width)
        self.layers = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = RMSNorm(config.width, config.epsilon)
        if not config.tied:
            self.lm_head = nn.Linear(config.width, config.vocabulary, bias=False)
        self.turns = turns

    def forward(
        self,
        ids: Tensor,
        positions: Tensor,
        seen: Tensor,
        cache: Cache,
        after_block: Callable[[int, Tensor], Tensor],
    ) -> Tensor:
        """Logits (B, V) after the last of N new columns.

        Args:
            ids, positions: (B, N) long. seen: (B, N, columns so far + N) bool. cache: grows by N columns.
            after_block: (layer, residual (B, N, D)) -> the residual to go on with.
        """
        x = self.embed_tokens(ids)
        angle = positions[..., None].float() * self.turns.to(x.device)
        turn = angle.cos()[:, None].to(x.dtype), angle.sin()[:, None].to(x.dtype)
        for layer, block in enumerate(self.layers):
            x = after_block(layer, block(x, turn, seen[:, None], layer, cache))
        cache.length += ids.shape[1]
        head = self.embed_tokens if self.config.tied else self.lm_head
        return F.linear(self.norm(x[:, -1]), head.weight)


def rotated(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary positions: the halves of each head (B, heads, N, width) are the two coordinates of its planes."""
    cos, sin = turn
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def frequencies(config: Config) -> Tensor:
    """Radians per position, (head width / 2,) float32, with the scaling of the configuration.

    Raises:
        BadInput: a scaling that is not known here.
    """
    half = torch.arange(0, config.head_width, 2, dtype=torch.int64).float()
    plain = 1.0 / (config.theta ** (half / config.head_width))
    rope = dict(config.rope)
    kind = rope.get("kind", "default")
    if kind == "default":
        return plain
    if kind == "linear":
        return plain / float(rope["factor"])
    if kind == "factors":  # one per plane, as GGUF files carry them
        return plain / torch.tensor(rope["factors"], dtype=torch.float32)
    if kind == "llama3":
        factor, old = float(rope["factor"]), float(rope["original_max_position_embeddings"])
        low, high = float(rope["low_freq_factor"]), float(rope["high_freq_factor"])
        turns = old * plain / (2 * math.pi)
        smooth = ((turns - low) / (high - low)).clamp(0, 1)
        return plain * (smooth + (1 - smooth) / factor)
    raise BadInput(f"Positions scaled as {str(kind)[:40]!r} are not known here.", "Choose another model.")
