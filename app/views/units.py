"""Lengths as people type them: a number, perhaps with a unit. No Qt."""

from __future__ import annotations

import math
import re

METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "um": 1e-6, "µm": 1e-6, "km": 1000.0, "in": 0.0254, "ft": 0.3048}

_QUANTITY = re.compile(r"\s*([-+−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\W\d_]*)\s*\Z")


def parse_length(text: str, unit: str) -> float:
    """The number in ``unit`` that ``text`` stands for, such as ``"12 mm"``.

    A bare number is already in ``unit``; so is any number when ``unit`` is "" (unknown).

    Raises:
        ValueError: not a number, an unknown unit, or a unit where the document has none.
    """
    match = _QUANTITY.match(text.replace(",", "."))
    if match is None:
        raise ValueError(f"{text.strip() or 'nothing'} is not a number")
    value, suffix = float(match[1].replace("−", "-")), match[2]
    if not math.isfinite(value):
        raise ValueError(f"{text.strip()} is too large")
    if not suffix or suffix == unit:
        return value
    if suffix not in METRES:
        raise ValueError(f"{suffix} is not a unit of length")
    if unit not in METRES:
        raise ValueError("the unit of this document is not known; type a bare number")
    return value * METRES[suffix] / METRES[unit]


def parse_number(text: str) -> float:
    """A bare finite number, a trailing degree or percent sign allowed."""
    return parse_length(text.strip().rstrip("°%"), "")


def show(value: float, digits: int = 4) -> str:
    """``value`` with ``digits`` significant figures, without exponent where that stays short."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    magnitude = math.floor(math.log10(abs(value)))
    if not -4 <= magnitude < 7:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - magnitude)
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
