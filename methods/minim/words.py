"""Words of a text for comparing a task with an element: lower case, stemmed a little, function words left out."""

from __future__ import annotations

import functools
import re
import unicodedata

STOP = frozenset(
    "the a an of to in on for from and or my me i is are be with by at as it its this that all any each then so "
    "make new please into than been their his her your you our us will would do does not if when any also both "
    "set change".split()
)
_WORD = re.compile(r"[a-z0-9]+")
_QUOTED = re.compile(r"'([^']{2,80})'|\"([^\"]{2,80})\"|“([^”]{2,80})”|‘([^’]{2,80})’")
_CAPITALISED = re.compile(
    r"(?<![.!?]\s)(?<!^)\b([A-Z][\w&.+-]*(?:\s+(?:of|and|&|the|for)?\s*[A-Z0-9][\w&.+-]*)*)"
)


def stem(word: str) -> str:
    """``word`` without its commonest English endings."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@functools.lru_cache(maxsize=100_000)
def words(text: str) -> tuple[str, ...]:
    """Content words of ``text`` in order, compatibility forms folded."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in text if not unicodedata.combining(c))
    found = _WORD.findall(text[:2000].lower().replace("'s ", " ").replace("’s ", " "))
    return tuple(w for w in found if w not in STOP)


@functools.lru_cache(maxsize=100_000)
def stems(text: str) -> tuple[str, ...]:
    return tuple(map(stem, words(text)))


def phrases(task: str) -> tuple[tuple[str, ...], ...]:
    """What the task names: quoted texts and runs of capitalised words, as stems."""
    unquoted = _QUOTED.sub(" ", re.sub(r"(?<=\w)['’](?=s\b)", "\x00", task))
    quoted = ["".join(m) for m in _QUOTED.findall(re.sub(r"(?<=\w)['’](?=s\b)", "\x00", task))]
    named = _CAPITALISED.findall(unquoted)
    found = dict.fromkeys(stems(p.replace("\x00s", "")) for p in quoted + named)
    return tuple(p for p in found if p)
