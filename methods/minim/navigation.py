"""Which elements lead elsewhere: the entries of menus, side bars and tab rows, found by their shape.

Few pages say ``role="navigation"``. What all menus share is a row or column of alike, short, clickable entries
at an edge of the page; that is looked for, with or without boxes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from methods.minim.observation import Observation

_ROLES = frozenset(("navigation", "tablist", "menubar"))
ENTRY_SIZE = 5
"""An entry has at most this many elements: itself, an icon, a text, a count."""
ENTRY_LENGTH = 32
"""… and at most this many characters."""
LEAST, MOST = 3, 40
"""Entries of one menu."""
LEFT, TOP = 0.3, 0.16
"""Share of the viewport's width and height in which side bars and top bars lie."""


def navigation(observation: Observation) -> tuple[np.ndarray, np.ndarray]:
    """The menus of a page.

    Returns:
        ``menu`` and ``entry``, both ``(N,)`` int64: for each element of an entry the uid of the menu (the parent
        of its entries) and of the entry; -1 elsewhere.
    """
    elements, children = observation.elements, observation.children
    menu = np.full(len(elements), -1, np.int64)
    entry = np.full(len(elements), -1, np.int64)
    inside = [False] * len(elements)
    size = [1] * len(elements)
    for e in elements:
        inside[e.uid] = e.role.lower() in _ROLES or (e.parent >= 0 and inside[e.parent])
    for e in reversed(elements):
        if e.parent >= 0:
            size[e.parent] += size[e.uid]
    for parent, below in enumerate(children):
        if len(below) < LEAST:
            continue
        alike: dict[str, list[list[int]]] = defaultdict(list)
        for c in below:
            if size[c] <= ENTRY_SIZE:
                alike[elements[c].role].append(_subtree(observation, c))
        for entries in alike.values():
            named = [m for m in entries if 0 < sum(len(elements[u].text) for u in m) <= ENTRY_LENGTH]
            if _is_menu(observation, entries, named, inside[parent]):
                for members in named:
                    menu[members], entry[members] = parent, members[0]
    return menu, entry


def _subtree(observation: Observation, top: int) -> list[int]:
    found, waiting = [], [top]
    while waiting:
        uid = waiting.pop()
        found.append(uid)
        waiting += observation.children[uid]
    return found


def _is_menu(
    observation: Observation, entries: Sequence[list[int]], named: Sequence[list[int]], inside: bool
) -> bool:
    if not LEAST <= len(entries) <= MOST or len(named) < 0.8 * len(entries):
        return False
    acting = sum(any(observation.elements[u].interactive for u in members) for members in named)
    if acting < 0.7 * len(named):
        return False
    return inside or _at_an_edge(observation, [members[0] for members in named])


def _at_an_edge(observation: Observation, tops: Sequence[int]) -> bool:
    boxes = np.array([b for u in tops if (b := observation.elements[u].box)], float).reshape(-1, 4)
    viewport = observation.screen.viewport
    if not len(boxes) or not viewport or not all(viewport):
        return False
    right, bottom = boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]
    column = right.max() < LEFT * viewport[0] and len(np.unique(boxes[:, 0].round())) <= 2
    return bool(column or bottom.max() < TOP * viewport[1])
