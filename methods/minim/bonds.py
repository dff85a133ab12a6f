"""Elements that are of use only together: a control and the text on it, a field and its label."""

from __future__ import annotations

import numpy as np

from methods.minim.observation import Observation

FACES = 2
"""A control with more texts than this is a card or a row, whose texts stand for themselves."""
CARD = 12
"""A nameless control around at most this many texts is needed as soon as one of them is."""
SHARE = 0.95
"""How much of the other's necessity an element gets: a little less, so that the order stays."""
_LABELS = ("labeltext", "label")


def bonds(observation: Observation) -> np.ndarray:
    """Pairs (a, b) of elements where a is needed if b is, (B, 2) int64."""
    elements, children = observation.elements, observation.children
    found: list[tuple[int, int]] = []
    for e in elements:
        if e.interactive and not e.get("name"):
            texts = _texts_below(observation, e.uid)
            if len(texts) <= CARD:
                found += [(e.uid, t) for t in texts]
            if len(texts) <= FACES:
                found += [(t, e.uid) for t in texts]
        elif e.role.lower() in _LABELS:
            field = _field_after(observation, e.uid)
            if field is not None:
                found += [pair for t in (e.uid, *children[e.uid]) for pair in ((field, t), (t, field))]
    return np.array(found, np.int64).reshape(-1, 2)


def bind(n: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """``n`` (N,) with each element lifted to nearly the necessity of those that need it."""
    lifted = n.copy()
    if len(pairs):
        np.maximum.at(lifted, pairs[:, 0], SHARE * n[pairs[:, 1]])
    return lifted


def _texts_below(observation: Observation, uid: int) -> list[int]:
    found: list[int] = []
    waiting = list(observation.children[uid])
    while waiting and len(found) <= CARD:
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
