"""Elements that are of use only together: a control and the text on it, a field and its label."""

from __future__ import annotations

import numpy as np

from methods.minim.observation import Observation

FACES = 2
"""A control with more texts than this is a card or a row, whose texts stand for themselves."""
SHARE = 0.95
"""How much of the other's necessity an element gets: a little less, so that the order stays."""
_LABELS = ("labeltext", "label")


def bonds(observation: Observation) -> np.ndarray:
    """Pairs of elements that need each other, (B, 2) int64."""
    elements, children = observation.elements, observation.children
    found = []
    for e in elements:
        if e.interactive and not e.get("name"):
            texts = _texts_below(observation, e.uid)
            if len(texts) <= FACES:
                found += [(e.uid, t) for t in texts]
        elif e.role.lower() in _LABELS:
            field = _field_after(observation, e.uid)
            if field is not None:
                found += [(field, t) for t in (e.uid, *children[e.uid])]
    return np.array(found, np.int64).reshape(-1, 2)


def bind(n: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """``n`` (N,) with bonded elements lifted to nearly each other's necessity."""
    lifted = n.copy()
    if len(pairs):
        a, b = pairs.T
        np.maximum.at(lifted, a, SHARE * n[b])
        np.maximum.at(lifted, b, SHARE * n[a])
    return lifted


def _texts_below(observation: Observation, uid: int) -> list[int]:
    found: list[int] = []
    waiting = list(observation.children[uid])
    while waiting and len(found) <= FACES:
        child = observation.elements[waiting.pop()]
        if child.get("name") and child.role != "img":
            found.append(child.uid)
        waiting += observation.children[child.uid]
    return found


def _field_after(observation: Observation, uid: int) -> int | None:
    """The control that follows a label: inside it, or the next one beside it."""
    for other in observation.elements[uid + 1 : uid + 6]:
        if other.role.lower() in _LABELS:
            return None
        if other.interactive:
            return other.uid
    return None
