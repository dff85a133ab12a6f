"""What the visible text alone tells: the baseline that every probe has to beat.

It sees the generated text up to a step and the person's hint, never the right answer, the prompt or the model's
states: how often the hint is named, how many words are shared with the push, and which words occur.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from methods.monica import probes
from methods.monica.cues import Cue
from methods.monica.judging import mentions
from methods.monica.probes import Probe

WORDS = 64
_WORD = re.compile(r"[^\W\d_]+")


def _words(text: str) -> list[str]:
    return [w.lower() for w in _WORD.findall(text)]


def overlap(steps: Sequence[str], cue: Cue) -> np.ndarray:
    """(S, 5) per step: hint named in it, steps that named it so far, words shared with the push in it and so far
    (shares of the push's words), and its index."""
    push = set(_words(cue.text))
    found, named, seen = [], 0, set()
    for i, step in enumerate(steps):
        here = int(bool(cue.hint) and mentions(step, cue.hint) >= 0)
        words = set(_words(step)) & push
        named, seen = named + here, seen | words
        found.append((here, named, len(words) / max(len(push), 1), len(seen) / max(len(push), 1), i))
    return np.array(found, float).reshape(-1, 5)


@dataclass(frozen=True)
class TextBaseline:
    """A logistic regression on :func:`overlap` and on the commonest words, in the step and so far."""

    words: tuple[str, ...]
    probe: Probe

    def scores(self, steps: Sequence[str], cue: Cue) -> np.ndarray:
        """(S,) in [0, 1]."""
        return self.probe.probabilities_of(_features(steps, cue, self.words))


def _features(steps: Sequence[str], cue: Cue, words: Sequence[str]) -> np.ndarray:
    place = {word: i for i, word in enumerate(words)}
    counts = np.zeros((len(steps), len(words)))
    for row, step in zip(counts, steps, strict=True):
        for word in _words(step):
            if word in place:
                row[place[word]] += 1
    return np.concatenate([overlap(steps, cue), counts, counts.cumsum(0)], 1)


def fit(
    runs: Sequence[tuple[Sequence[str], Cue]], labels: Sequence[np.ndarray], keep: Sequence[np.ndarray]
) -> TextBaseline:
    """Train on steps of ``runs`` (step texts and cue), labels (S,) each, using the steps marked in ``keep`` (S,)."""
    common = Counter(word for steps, _ in runs for step in steps for word in _words(step))
    words = tuple(word for word, _ in common.most_common(WORDS))
    rows = np.concatenate([_features(s, c, words)[k] for (s, c), k in zip(runs, keep, strict=True)])
    y = np.concatenate([l[k] for l, k in zip(labels, keep, strict=True)])  # noqa: E741
    return TextBaseline(words, probes.fit(rows, y, layer=0, pool="mean", window=1, width=rows.shape[1]))
