"""Labelled screens: a folder with ``screens/``, ``sensitivity.jsonl``, ``tasks.jsonl`` and ``gold.jsonl``.

Weak labels come from rules and are for training; hand labels are for claims. What counts as critical,
relevant and sensitive follows the definitions that are published with the data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from methods.core.errors import BadInput
from methods.minim.formats import load
from methods.minim.observation import Element, Observation

CRITICAL_N = 7.0
"""Weak labels call an element critical from this necessity on."""
ACCEPTABLE_N = 5.0
"""Necessity given to elements that the hand labels call critical or acceptable."""
SENSITIVE_S = 5.0
HAND_S = 7.0
"""Sensitivity of an element that only the hand label calls sensitive."""


@dataclass(frozen=True)
class LabelledScreen:
    """A screen with its sensitivity labels.

    Attributes:
        s: ``(N,)`` float32 in [0, 10].
        secrets: texts labelled as private, with their sensitivity: (element, text, type, s).
    """

    id: str
    app: str
    observation: Observation
    s: np.ndarray
    secrets: tuple[tuple[int, str, str, float], ...] = ()

    @cached_property
    def candidates(self) -> np.ndarray:
        """``(N,)`` bool: elements that count, i.e. those below the root with text or something to act on."""
        found = [e.uid > 0 and bool(released_text(e) or e.interactive) for e in self.observation.elements]
        return np.array(found, bool)

    @cached_property
    def lengths(self) -> np.ndarray:
        """``(N,)`` float32: characters of each element's released text."""
        return np.array([len(released_text(e)) for e in self.observation.elements], np.float32)

    @cached_property
    def interactive(self) -> np.ndarray:
        return np.array(
            [bool(e.states.get("interactive", e.interactive)) for e in self.observation.elements], bool
        )


def released_text(element: Element) -> str:
    """The texts whose release is counted: name, value, description and link target (not the page's own)."""
    fields = ("name", "value", "description") + (() if element.role == "RootWebArea" else ("url",))
    return " ".join(t for f in fields if (t := element.get(f)))


@dataclass(frozen=True)
class Pair:
    """A screen and a task with labels.

    Attributes:
        n: ``(N,)`` float32 in [0, 10], the weak necessity.
        critical: ``(N,)`` bool.
        s: ``(N,)`` sensitivity for scoring this pair.
        relevant: ``(N,)`` bool, elements whose release is no leak.
        hand: labelled by hand.
    """

    screen: LabelledScreen
    task: str
    kind: str
    n: np.ndarray
    critical: np.ndarray
    s: np.ndarray
    relevant: np.ndarray
    hand: bool


@dataclass
class Labelled:
    """A read folder."""

    screens: dict[str, LabelledScreen]
    weak: list[Pair] = field(default_factory=list)
    hand: list[Pair] = field(default_factory=list)

    @property
    def apps(self) -> list[str]:
        return sorted({s.app for s in self.screens.values()})


def read(folder: Path, weak: bool = True) -> Labelled:
    """Read a labelled folder; without ``weak`` only the hand-labelled pairs and their screens.

    Raises:
        BadInput: a file is missing or damaged.
    """
    if not (folder / "screens").is_dir():
        raise BadInput(
            f"{folder} has no folder 'screens'.",
            "Give a folder with screens/, sensitivity.jsonl and tasks.jsonl.",
        )
    gold = list(_lines(folder / "gold.jsonl")) if (folder / "gold.jsonl").is_file() else []
    tasks = list(_lines(folder / "tasks.jsonl")) if weak else []
    wanted = {p["screen"] for p in gold + tasks}
    screens = {}
    for row in _lines(folder / "sensitivity.jsonl"):
        if row["screen"] in wanted:
            screens[row["screen"]] = _screen(folder, row)
    try:
        return Labelled(
            screens,
            [_weak_pair(screens[p["screen"]], p) for p in tasks],
            [_hand_pair(screens[p["screen"]], p) for p in gold],
        )
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise BadInput(
            f"{folder}: a label does not fit its screen ({error!r}).", "Get the folder again."
        ) from error


def _lines(path: Path) -> Iterator[dict]:
    number = 0
    try:
        with path.open(encoding="utf-8") as stream:
            for line in stream:
                number += 1
                if line.strip():
                    yield json.loads(line)
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist.", "Give a folder of labelled screens.") from None
    except ValueError as error:
        raise BadInput(f"{path.name}, line {number}: no JSON ({error}).", "Get the file again.") from error


def _screen(folder: Path, row: dict) -> LabelledScreen:
    observation = load(folder / "screens" / f"{row['screen']}.json.gz")
    s = np.array(row["s"], np.float32)
    if len(s) != len(observation.elements):
        raise BadInput(
            f"{row['screen']}: {len(s)} labels for {len(observation.elements)} elements.",
            "Get the folder again.",
        )
    secrets = tuple((p["node"], p["text"], p["type"], float(p["s"])) for p in row.get("pii", ()))
    return LabelledScreen(row["screen"], row["screen"].rsplit("-", 1)[0], observation, s, secrets)


def _necessity(screen: LabelledScreen, listed: dict[str, float]) -> np.ndarray:
    """Unlisted elements: 1 where one can act, 0.3 where there is a name, else 0."""
    named = np.array([bool(e.get("name")) for e in screen.observation.elements], bool)
    n = np.where(screen.interactive, 1.0, np.where(named, 0.3, 0.0)).astype(np.float32)
    for uid, value in listed.items():
        n[int(uid)] = value
    return n


def _mask(count: int, uids: list[int]) -> np.ndarray:
    mask = np.zeros(count, bool)
    mask[np.array(uids, int)] = True
    return mask


def _weak_pair(screen: LabelledScreen, p: dict) -> Pair:
    n = _necessity(screen, p["n"])
    listed = np.zeros_like(n)
    for uid, value in p["n"].items():
        listed[int(uid)] = value
    critical = (listed >= CRITICAL_N) & screen.candidates
    return Pair(screen, p["intent"], p["kind"], n, critical, screen.s, listed > 1, False)


def _hand_pair(screen: LabelledScreen, p: dict) -> Pair:
    count = len(screen.s)
    n = _necessity(screen, p["weak_n"])
    listed = np.zeros_like(n)
    for uid, value in p["weak_n"].items():
        listed[int(uid)] = value
    chosen = _mask(count, p["critical"] + p["acceptable"])
    listed[chosen] = np.maximum(listed[chosen], ACCEPTABLE_N)
    n[chosen] = np.maximum(n[chosen], ACCEPTABLE_N)
    sensitive = _mask(count, [int(uid) for uid in p["sensitive"]])
    s = screen.s.copy()
    s[(s >= SENSITIVE_S) & ~sensitive] = 0
    s[(s < SENSITIVE_S) & sensitive] = HAND_S
    return Pair(screen, p["intent"], "gold", n, _mask(count, p["critical"]), s, listed > 1, True)
