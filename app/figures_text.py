"""Facts of a result as lines and tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

ROWS = 200
"""Rows of a table that are printed; ``--json`` prints all."""
WIDEST = 60


def lines(facts: Mapping[str, Any], seconds: float) -> list[str]:
    """One line for each figure, tables after them."""
    plain: list[str] = []
    tables: list[str] = []
    named = {name: value for name, value in facts.items() if _is_row(value)}
    if len(named) > 1 and len(named) == len(facts):
        tables += table([{"": name, **row} for name, row in named.items()])
    else:
        for name, value in facts.items():
            title = name.replace("_", " ")
            if isinstance(value, list) and value and all(map(_is_row, value)):
                tables += ["", f"{title}:", *table(value)]
            else:
                plain.append(f"{title:<24} {_long(value)}")
    return [*plain, f"{'seconds':<24} {seconds:.2f}", *tables]


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Rows under the names of their plain values; lists and objects inside them are left out."""
    names = list(dict.fromkeys(n for row in rows for n, v in row.items() if not isinstance(v, (list, dict))))
    shown = [names, *([_cell(row.get(name)) for name in names] for row in rows[:ROWS])]
    widths = [max(len(row[i]) for row in shown) for i in range(len(names))]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in shown]
    rest = len(rows) - ROWS
    return text + ([f"… and {rest} more (--json shows them)"] if rest > 0 else [])


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and any(not isinstance(v, (list, dict)) for v in value.values())


def _long(value: Any) -> str:
    if isinstance(value, (list, dict)):
        if len(str(value)) > 100:
            return f"{len(value)} entries (--json shows them)"
        return ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
    return "not defined here" if value is None else _cell(value)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:.5g}" if isinstance(value, float) else str(value)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
