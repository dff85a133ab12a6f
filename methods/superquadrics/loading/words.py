"""Counts as people write them."""

from __future__ import annotations


def many(count: int, one: str, more: str = "") -> str:
    """``1 face``, ``1,234 faces``; ``more`` is the plural where it is not ``one`` + s."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def was(count: int) -> str:
    return "was" if count == 1 else "were"


def bytes_text(count: float) -> str:
    """``512 bytes``, ``3.4 MB``."""
    if count < 1000:
        return many(int(count), "byte")
    if count < 999_500:
        return f"{count / 1e3:.3g} kB"
    return f"{count / 1e6:.3g} MB" if count < 999_500_000 else f"{count / 1e9:.3g} GB"
