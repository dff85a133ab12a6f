"""How well each element matches a task: by meaning (embeddings) and by words (what the task names)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from methods.minim.encoder import encoder
from methods.minim.observation import Observation
from methods.minim.page_features import PageFeatures
from methods.minim.words import phrases, stem, words

NAMES = (
    "cosine", "cosine rank", "parent cosine", "best word", "mean word", "task covered", "rare words",
    "rare share", "task share",
    "words shared", "text in task", "phrase in text", "phrase share", "number shared", "row match", "row phrase",
    "page phrase", "page match", "elsewhere", "first word", "overlap rank",
    "entry cosine", "entry rank", "entry lead", "entry word rank", "alike rank", "alike word rank",
)  # fmt: skip
"""What each column of the features means."""


@dataclass(frozen=True)
class TaskFeatures:
    """``numbers`` is ``(N, len(NAMES))`` float32 and ``task`` the ``(256,)`` embedding of the task."""

    numbers: np.ndarray
    task: np.ndarray


class Lexicon:
    """The words of a page, prepared once so that a new task costs little."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        texts = [e.text for e in observation.elements]
        self.words = [words(t) for t in texts]
        self.stems = [tuple(map(stem, w)) for w in self.words]
        self.sets = [frozenset(s) for s in self.stems]
        self.joined = [" " + " ".join(s) + " " for s in self.stems]
        self.vocabulary = {w: i for i, w in enumerate(dict.fromkeys(w for ws in self.words for w in ws))}
        self.vectors = encoder().embed(list(self.vocabulary))
        lengths = [len(ws) for ws in self.words]
        self.flat = np.array([self.vocabulary[w] for ws in self.words for w in ws], np.int64)
        self.filled = np.array([n > 0 for n in lengths], bool)
        ends = np.cumsum(lengths)
        self.starts = (ends - np.array(lengths))[self.filled] if len(lengths) else np.zeros(0, np.int64)
        self.lengths = np.array(lengths, np.float32)
        self.places: dict[str, list[int]] = defaultdict(list)
        for uid, found in enumerate(self.sets):
            for s in found:
                self.places[s].append(uid)
        self.groups = _groups(observation)
        self.alike = _alike(observation)

    def rarity(self, s: str) -> float:
        """High for a word on few elements of the page."""
        return math.log(1 + (1 + len(self.sets)) / (1 + 4 * len(self.places.get(s, ()))))


def _groups(observation: Observation) -> np.ndarray:
    """For each element the nearest ancestor that looks like one record (a row, an item, a card), else its parent."""
    elements, children = observation.elements, observation.children
    record = np.zeros(len(elements), np.int64)
    shape = [(e.role, min(len(children[e.uid]), 9)) for e in elements]
    for e in elements:
        if e.parent < 0:
            record[e.uid] = e.uid
            continue
        alike = (
            Counter(shape[c] for c in children[e.parent])[shape[e.uid]]
            if len(children[e.parent]) < 400
            else 2
        )
        is_record = children[e.uid] and (e.role in ("row", "listitem", "article", "option") or alike >= 2)
        record[e.uid] = e.uid if is_record else record[e.parent]
    return record


def _alike(observation: Observation) -> np.ndarray:
    """For each element the group of those with the same roles up to the grandparent, -1 where it is alone."""
    elements = observation.elements
    keys: dict[tuple[str, ...], int] = {}
    group = np.zeros(len(elements), np.int64)
    for e in elements:
        parent = elements[e.parent] if e.parent >= 0 else None
        above = elements[parent.parent] if parent and parent.parent >= 0 else None
        key = (e.role, parent.role if parent else "", above.role if above else "", str(bool(e.text)))
        group[e.uid] = keys.setdefault(key, len(keys))
    alone = np.bincount(group, minlength=len(keys))[group] < 2
    return np.where(alone, -1, group)


def task_features(task: str, page: PageFeatures, lexicon: Lexicon) -> TaskFeatures:
    """Features of every element of a page for one task."""
    observation = lexicon.observation
    count = len(observation.elements)
    out = np.zeros((count, len(NAMES)), np.float32)
    vector = encoder().embed([task])[0]
    if not count:
        return TaskFeatures(out, vector)
    parents = np.array([max(e.parent, 0) for e in observation.elements])
    cosine = page.text @ vector
    out[:, 0], out[:, 1], out[:, 2] = cosine, _ranks(cosine), cosine[parents]
    task_words = list(dict.fromkeys(words(task)))
    if task_words:
        _match_words(out, task_words, lexicon)
        _match_stems(out, [stem(w) for w in words(task)], phrases(task), lexicon)
    _spread(out, lexicon)
    _compare(out, page, lexicon)
    return TaskFeatures(out, vector)


def _ranks(values: np.ndarray) -> np.ndarray:
    """1 for the largest value, falling to 0; ties share a rank."""
    _, inverse = np.unique(values, return_inverse=True)
    return inverse / max(inverse.max(initial=0), 1)


def _ranks_within(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """:func:`_ranks` among the elements of the same group; 0 for those of no group (-1)."""
    out = np.zeros(len(values), np.float32)
    order = np.lexsort((values, groups))
    g, v = groups[order], values[order]
    starts = np.flatnonzero(np.r_[True, g[1:] != g[:-1]])
    for start, end in zip(starts, np.r_[starts[1:], len(g)], strict=True):
        if g[start] >= 0 and end - start > 1:
            out[order[start:end]] = _ranks(v[start:end])
    return out


def _match_words(out: np.ndarray, task_words: Sequence[str], lexicon: Lexicon) -> None:
    """Late interaction: for every word of an element its nearest word of the task, and the reverse."""
    if not lexicon.flat.size:
        return
    query = encoder().embed(list(task_words))
    near = lexicon.vectors @ query.T
    per_word = near.max(axis=1)[lexicon.flat]
    filled = lexicon.filled
    out[filled, 3] = np.maximum.reduceat(per_word, lexicon.starts)
    out[filled, 4] = np.add.reduceat(per_word, lexicon.starts) / lexicon.lengths[filled]
    weights = np.array([lexicon.rarity(stem(w)) for w in task_words], np.float32)
    covered = np.maximum.reduceat(near[lexicon.flat], lexicon.starts, axis=0)
    out[filled, 5] = (np.clip(covered, 0, 1) ** 2) @ weights / weights.sum()
    # The first content word of a task is nearly always its verb, which names the control.
    out[filled, 19] = covered[:, 0]


def _match_stems(
    out: np.ndarray, task_stems: Sequence[str], named: Sequence[tuple[str, ...]], lexicon: Lexicon
) -> None:
    rarity = {s: lexicon.rarity(s) for s in dict.fromkeys(task_stems)}
    total = sum(rarity.values())
    shared: dict[int, float] = defaultdict(float)
    hits: Counter[int] = Counter()
    for s, weight in rarity.items():
        for uid in lexicon.places.get(s, ()):
            shared[uid] += weight
            hits[uid] += 1
            if s.isdigit():
                out[uid, 13] = 1
    joined_task = " " + " ".join(task_stems) + " "
    named_sets = [(frozenset(p), " " + " ".join(p) + " ") for p in named]
    found_phrase = False
    for uid, weight in shared.items():
        own = sum(lexicon.rarity(s) for s in lexicon.sets[uid])
        out[uid, 6:10] = weight / 4, weight / max(own, 1e-6), weight / total, hits[uid] / 4
        out[uid, 10] = lexicon.joined[uid] in joined_task
        for stems_of, joined in named_sets:
            if joined in lexicon.joined[uid]:
                out[uid, 11] = 1
                found_phrase = True
            out[uid, 12] = max(out[uid, 12], len(stems_of & lexicon.sets[uid]) / len(stems_of))
    out[:, 16] = found_phrase
    out[:, 17] = out[:, 8].max(initial=0)
    missing = [s for s in rarity if s not in lexicon.places]
    out[:, 18] = len(missing) / len(rarity)
    out[:, 20] = _ranks(out[:, 6] * (0.5 + out[:, 7]))


def _spread(out: np.ndarray, lexicon: Lexicon) -> None:
    """The best match within the same record, so that a row's controls know what their row is about."""
    best = np.zeros((len(out), 2), np.float32)
    np.maximum.at(best, lexicon.groups, out[:, [8, 12]])
    out[:, 14:16] = best[lexicon.groups]


def _compare(out: np.ndarray, page: PageFeatures, lexicon: Lexicon) -> None:
    """How an entry of a menu, or one of several alike elements, matches beside the others.

    Which entry leads to "positions in finance" is told by "Jobs" being nearer than "Events", not by how near it is.
    """
    inside = page.entry >= 0
    if inside.any():
        best = np.full((len(out), 2), -1, np.float32)
        np.maximum.at(best, page.entry[inside], out[inside][:, [0, 4]])
        entries = np.unique(page.entry[inside])
        menus = page.menu[entries]
        rank, word_rank = (_ranks_within(best[entries, i], menus) for i in (0, 1))
        top = np.full(len(out), -1, np.float32)
        np.maximum.at(top, menus, best[entries, 0])
        told = np.stack([best[entries, 0], rank, 5 * (best[entries, 0] - top[menus]), word_rank], axis=1)
        where = np.searchsorted(entries, page.entry[inside])
        out[inside, 21:25] = told[where]
    out[:, 25] = _ranks_within(out[:, 0], lexicon.alike)
    out[:, 26] = _ranks_within(out[:, 6] + 0.01 * out[:, 4], lexicon.alike)
