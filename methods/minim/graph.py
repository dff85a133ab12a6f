"""The tree as a graph: which elements tell each other something, and in which relation they stand."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np

from methods.minim.observation import Observation

RELATIONS = ("self", "child", "parent", "next", "previous", "after", "before", "cell", "column")
"""child: from the child to its parent … column: from a column header to its cells and back."""

CELL_ROLES = frozenset("cell gridcell columnheader rowheader".split())
MAX_COLUMN = 64


def edges(observation: Observation) -> tuple[np.ndarray, np.ndarray]:
    """Directed edges.

    Returns:
        ``(2, E)`` int64 of (from, to), and ``(E,)`` int64 of indices into :data:`RELATIONS`.
    """
    count = len(observation.elements)
    parents = np.array([e.parent for e in observation.elements], np.int64)
    every = np.arange(count)
    inner = every[parents >= 0]
    pairs = [(every, every), (inner, parents[inner]), (parents[inner], inner)]
    siblings = _siblings(observation)
    pairs += [(siblings[:, 0], siblings[:, 1]), (siblings[:, 1], siblings[:, 0])]
    # Flat pages put a label, a value and a button one after the other: order counts where the tree says nothing.
    pairs += [(every[:-1], every[1:]), (every[1:], every[:-1])]
    columns = _columns(observation)
    pairs += [(columns[:, 0], columns[:, 1]), (columns[:, 1], columns[:, 0])]
    starts = np.concatenate([p[0] for p in pairs])
    ends = np.concatenate([p[1] for p in pairs])
    kinds = np.repeat(np.arange(len(pairs)), [len(p[0]) for p in pairs])
    return np.stack([starts, ends]).astype(np.int64), kinds.astype(np.int64)


def _siblings(observation: Observation) -> np.ndarray:
    found = [pair for children in observation.children for pair in pairwise(children)]
    return np.array(found, np.int64).reshape(-1, 2)


def _columns(observation: Observation) -> np.ndarray:
    """(cell, header) for cells at the same position of the rows of one table."""
    tables: dict[int, list[list[int]]] = defaultdict(list)
    for uid, children in enumerate(observation.children):
        row = [c for c in children if observation.elements[c].role in CELL_ROLES]
        if len(row) >= 2:
            table = observation.elements[uid].parent
            above = observation.elements[table].parent if table >= 0 else -1
            tables[above if above >= 0 and observation.elements[table].role == "rowgroup" else table].append(
                row
            )
    found = []
    for rows in tables.values():
        header = rows[0]
        for row in rows[1:MAX_COLUMN]:
            found.extend(zip(row, header, strict=False))
    return np.array(found, np.int64).reshape(-1, 2)
