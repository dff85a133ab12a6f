"""Which rows of a tree are shown, and in which order. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


class TreeOrder:
    """N rows with parents, walked from the root down once; what is shown is then a few array operations.

    Attributes:
        parents: (N,) row of the parent, -1 for a root. Parents that do not exist, and one of each circle, are -1.
        order: (N,) the rows, every parent right before its descendants.
        place: (N,) where in :attr:`order` a row stands.
        ends: (N,) the place after a row's last descendant.
        depth: (N,) 0 for a root.
    """

    def __init__(self, parents: ArrayLike) -> None:
        given = np.array(parents, np.int64).ravel()
        count = len(given)
        given[(given < 0) | (given >= count) | (given == np.arange(count))] = -1
        below: list[list[int]] = [[] for _ in range(count)]
        for row, parent in enumerate(given.tolist()):
            if parent >= 0:
                below[parent].append(row)
        depth = [-1] * count
        order: list[int] = []
        # Every row is tried as a start, the roots first: a row that is then still new lies on a circle.
        for start in [*np.flatnonzero(given < 0).tolist(), *np.flatnonzero(given >= 0).tolist()]:
            if depth[start] >= 0:
                continue
            given[start] = -1
            depth[start] = 0
            stack = [start]
            while stack:
                row = stack.pop()
                order.append(row)
                for child in reversed(below[row]):
                    if depth[child] < 0:
                        depth[child] = depth[row] + 1
                        stack.append(child)
        self.parents = given
        self.order = np.array(order, np.int64)
        self.depth = np.array(depth, np.int64)
        self.place = np.empty(count, np.int64)
        self.place[self.order] = np.arange(count)
        self.ends = self._ends(order)
        self.has_children = self.ends - self.place > 1

    def __len__(self) -> int:
        return len(self.order)

    def _ends(self, order: list[int]) -> np.ndarray:
        sizes, parents = [1] * len(order), self.parents.tolist()
        for row in reversed(order):
            if parents[row] >= 0:
                sizes[parents[row]] += sizes[row]
        return self.place + np.array(sizes, np.int64)

    def ancestors(self, row: int) -> list[int]:
        """The parent, its parent and so on."""
        found = []
        row = int(self.parents[row])
        while row >= 0:
            found.append(row)
            row = int(self.parents[row])
        return found

    def unfolded(self, collapsed: np.ndarray) -> np.ndarray:
        """The rows that no collapsed one (N,) hides, in tree order."""
        folds = np.flatnonzero(collapsed & self.has_children)
        change = np.zeros(len(self) + 1, np.int64)
        np.add.at(change, self.place[folds] + 1, 1)
        np.add.at(change, self.ends[folds], -1)
        return self.order[np.cumsum(change[:-1]) == 0]

    def with_ancestors(self, found: np.ndarray) -> np.ndarray:
        """The rows that are found (N,) or hold one that is, in tree order."""
        before = np.concatenate([[0], np.cumsum(found[self.order])])
        holds = before[self.ends] - before[self.place] > 0
        return self.order[holds[self.order]]
