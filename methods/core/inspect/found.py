"""What a look inside a weights file finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from methods.core.checkpoints import Header


@dataclass(frozen=True)
class TensorInfo:
    """One tensor of a file; ``shape`` is row-major, ``bytes`` its size in the file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class Inspection:
    """What is inside a weights file or model folder.

    Attributes:
        header: what our own files say of themselves, None for everyone else's.
        metadata: what the file says of itself, as text; long values are shortened.
        fits: which method or kind of model the tensors belong to, in words; "" if unknown.
        refusal: why the weights cannot be used, in words; "" if they can be.
        remedy: what to do about the refusal.
        warnings: further sentences a person must see.
    """

    name: str
    format: str
    tensors: tuple[TensorInfo, ...]
    header: Header | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    fits: str = ""
    refusal: str = ""
    remedy: str = ""
    warnings: tuple[str, ...] = ()


def shortened(value: object, limit: int = 400) -> str:
    """``value`` as text of at most ``limit`` characters."""
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
