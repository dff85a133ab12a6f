"""Policies to compare with: nothing removed, chance, words only, necessity only, sensitivity only.

Fixed-budget ones release a fifth of the candidates, as in the paper's table.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from methods.minim.labelled import LabelledScreen, Pair, released_text
from methods.minim.observation import Observation
from methods.minim.policy import ABSTRACT, KEEP, REMOVE
from methods.minim.words import stems

BUDGET = 0.2

Rarity = Callable[[str], float]


def rarity(screens: Iterable[LabelledScreen]) -> Rarity:
    """Inverse document frequency of stems over screens."""
    found = [set().union(*map(stems, _texts(s.observation))) for s in screens]
    frequency = Counter(w for words in found for w in words)
    return lambda word: math.log(1 + len(found) / (1 + frequency[word]))


def full(pair: Pair) -> np.ndarray:
    """Release everything."""
    return np.full(len(pair.s), KEEP, np.uint8)


def chance(pair: Pair, seed: int) -> np.ndarray:
    """A fifth of the candidates, drawn at random."""
    return _top(pair, np.random.default_rng(seed).random(len(pair.s)))


def lexical(pair: Pair, weigh: Rarity) -> np.ndarray:
    """The fifth that shares most rare words with the task, neighbours helping each other."""
    query = set(stems(pair.task))
    elements = pair.screen.observation.elements
    own = np.zeros(len(elements))
    for uid, text in enumerate(_texts(pair.screen.observation)):
        words = set(stems(text))
        own[uid] = sum(map(weigh, words & query)) / (1 + 0.15 * len(words))
    own[~pair.screen.candidates] = 0
    padded = np.pad(own, 2)
    near = np.maximum.reduce([padded[:-4], padded[1:-3], padded[3:-1], padded[4:]])
    parents = np.array([max(e.parent, 0) for e in elements])
    return _top(pair, own + 0.3 * np.maximum(near, own[parents]) + 0.05 * pair.screen.interactive)


def lexical_rules(pair: Pair, weigh: Rarity, private: np.ndarray) -> np.ndarray:
    """:func:`lexical`, with elements that a pattern finds private (N, bool) abstracted."""
    codes = lexical(pair, weigh)
    codes[(codes == KEEP) & private] = ABSTRACT
    return codes


def necessity_only(pair: Pair, n: np.ndarray) -> np.ndarray:
    """The fifth with the highest n, nothing abstracted."""
    return _top(pair, n)


def sensitivity_only(pair: Pair, s: np.ndarray) -> np.ndarray:
    """The fifth with the lowest s."""
    return _top(pair, -s)


def _texts(observation: Observation) -> list[str]:
    return [released_text(e) for e in observation.elements]


def _top(pair: Pair, value: np.ndarray) -> np.ndarray:
    """KEEP for the best fifth of the candidates; of equals the earlier element."""
    where = np.flatnonzero(pair.screen.candidates)
    count = max(1, round(BUDGET * len(where)))
    codes = np.full(len(value), REMOVE, np.uint8)
    codes[where[np.argsort(-value[where], kind="stable")[:count]]] = KEEP
    return codes
