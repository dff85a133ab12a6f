"""Which elements an agent gets to see: keep, abstract or remove, from sensitivity, necessity and a hard floor."""

from __future__ import annotations

import math
import re
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from methods.core.errors import BadInput
from methods.minim.findings import TYPES, Finding, rule_sensitivity
from methods.minim.observation import Element, Observation

KEEP, ABSTRACT, REMOVE = 0, 1, 2
NAMES = ("keep", "abstract", "remove")

TEXT_ENTRY_ROLES = frozenset("textbox searchbox combobox spinbutton textarea input edittext entry".split())
_PASSWORD_WORD = re.compile(r"\b(?:pass(?:word|phrase|code|wort)|kennwort|contrase\w+)\b", re.IGNORECASE)


class PolicyError(BadInput):
    """A decision that the policy does not allow (exit code 2)."""


@dataclass(frozen=True)
class Policy:
    """Thresholds and operators.

    Attributes:
        tau_n: elements with necessity below it are removed; 0 to 10.
        tau_s: elements with sensitivity from here on are abstracted; 0 to 10.
        small_page: pages with at most this many elements (with text or interactive) lose nothing harmless.
        operators: for types of private text, how it is abstracted (one of ``operators.OPERATORS``).
        remove_hidden: remove what a person cannot see or what is only in the file.
    """

    tau_n: float = 1.0
    tau_s: float = 5.0
    small_page: int = 30
    operators: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({"password": "state"}))
    remove_hidden: bool = True

    def __post_init__(self) -> None:
        for name in ("tau_n", "tau_s"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= 10):
                raise PolicyError(f"The threshold {name} is {value}.", "Give a number from 0 to 10.")


@dataclass(frozen=True)
class Override:
    """A person's own decision for one element. To keep what the floor holds back, ``reason`` must be given."""

    decision: int
    reason: str = ""
    locked: bool = False


@dataclass(frozen=True)
class Decisions:
    """One decision per element.

    Attributes:
        codes: (elements,) uint8 of KEEP, ABSTRACT, REMOVE.
        by: who decided each: "model", "floor", "hidden" or "you".
        why: the reason for each, in words.
    """

    codes: np.ndarray
    by: tuple[str, ...]
    why: tuple[str, ...]

    def counts(self) -> dict[str, int]:
        """How many elements each decision has."""
        return dict(zip(NAMES, np.bincount(self.codes, minlength=3).tolist(), strict=True))


_REASONS = (
    ("model", "needed for the task and not private"),
    ("model", "needed for the task, but private"),
    ("model", "not needed for the task"),
    ("model", "not needed for the task, but harmless on a small page"),
    ("model", "private; a small page keeps its structure"),
    ("floor", "passwords, codes, secrets and card numbers are never kept"),
    ("hidden", "invisible to you, visible to the agent"),
    ("you", "your decision"),
)
_NEEDED, _PRIVATE, _UNNEEDED, _HARMLESS, _MASKED, _FLOOR, _HIDDEN, _YOURS = range(len(_REASONS))
_BY, _WHY = (np.array(column, dtype=object) for column in zip(*_REASONS, strict=True))


def is_password_field(element: Element) -> bool:
    """A field for a password: by its type, or because its name says so."""
    if element.states.get("password") is True or element.states.get("input_type") == "password":
        return True
    return element.role.lower() in TEXT_ENTRY_ROLES and any(
        _PASSWORD_WORD.search(t.text) for t in element.texts if t.field in ("name", "placeholder")
    )


@dataclass(frozen=True)
class _Facts:
    """What decisions depend on that neither scores nor thresholds change.

    Attributes:
        floor: (elements,) bool, never kept without a reason.
        found_s: (elements,) sensitivity of the strongest finding, 0 where there is none.
        hidden: (elements,) bool, out of sight for good: see :attr:`Observation.hidden`.
        controls: (elements,) bool, can be acted on.
        speaking: how many elements have text or can be acted on.
    """

    floor: np.ndarray
    found_s: np.ndarray
    hidden: np.ndarray
    controls: np.ndarray
    speaking: int


_last: tuple[weakref.ref[Observation], Sequence[Finding], _Facts] | None = None
"""Facts of the page that was decided last: a person drags a threshold over one page many times a second."""


def _facts(observation: Observation, findings: Sequence[Finding]) -> _Facts:
    global _last
    last = _last
    if last and last[0]() is observation and last[1] is findings:
        return last[2]
    elements = observation.elements
    floor = np.array([is_password_field(e) for e in elements], bool)
    found_s = rule_sensitivity(len(elements), findings)
    for finding in findings:
        floor[finding.uid] |= TYPES[finding.type].floor
    hidden = np.zeros(len(elements), bool)
    hidden[list(observation.hidden)] = True
    controls = np.array([e.interactive for e in elements], bool)
    speaking = sum(e.exposed and (e.interactive or any(t.text.strip() for t in e.texts)) for e in elements)
    facts = _Facts(floor, found_s, hidden, controls, speaking)
    if isinstance(findings, tuple):  # a list may change
        _last = weakref.ref(observation), findings, facts
    return facts


def decide(
    observation: Observation,
    s: np.ndarray,
    n: np.ndarray,
    findings: Sequence[Finding],
    policy: Policy,
    overrides: Mapping[int, Override] | None = None,
) -> Decisions:
    """Decide for every element.

    The rule of the MINIM paper (n < tau_n: remove; s >= tau_s: abstract; else keep), below it a floor: an
    element with a floor finding (password, code, secret, card) is never kept unless a person gave a reason.
    A decision is about the element itself; removed ancestors of what stays remain as empty structure.

    Args:
        s, n: (elements,) sensitivity and necessity, 0 to 10.

    Raises:
        PolicyError: scores do not fit the elements or are not finite; an override is not possible.
    """
    overrides = overrides or {}
    size = len(observation.elements)
    s, n = _scores(s, size, "sensitivity"), _scores(n, size, "necessity")
    facts = _facts(observation, findings)
    floor = facts.floor
    private = floor | ((facts.found_s >= policy.tau_s) & (facts.found_s > 0))

    unneeded, sensitive = n < policy.tau_n, s >= policy.tau_s
    codes = np.where(unneeded, REMOVE, np.where(sensitive, ABSTRACT, KEEP)).astype(np.uint8)
    reasons = np.where(unneeded, _UNNEEDED, np.where(sensitive, _PRIVATE, _NEEDED))
    if facts.speaking <= policy.small_page:
        masked = sensitive | private
        codes[unneeded] = np.where(masked, ABSTRACT, KEEP)[unneeded]
        reasons[unneeded] = np.where(masked, _MASKED, _HARMLESS)[unneeded]
    held = floor & (codes == KEEP)
    codes[held], reasons[held] = ABSTRACT, _FLOOR
    if policy.remove_hidden:
        # A control may be out of sight until the pointer comes near; one that is needed stays.
        hidden = facts.hidden & (unneeded | ~facts.controls)
        codes[hidden], reasons[hidden] = REMOVE, _HIDDEN

    why = _WHY[reasons]
    for uid, override in overrides.items():
        _allow(observation, uid, override, size, floor)
        codes[uid], reasons[uid] = override.decision, _YOURS
        why[uid] = override.reason.strip() or _WHY[_YOURS]
    return Decisions(codes, tuple(_BY[reasons].tolist()), tuple(why.tolist()))


def _scores(values: np.ndarray, size: int, name: str) -> np.ndarray:
    scores = np.asarray(values, dtype=np.float32)
    if scores.shape != (size,):
        raise PolicyError(
            f"There are {scores.size} {name} scores for {size} elements.", "Score the observation again."
        )
    if not np.isfinite(scores).all():
        raise PolicyError(
            f"The {name} of element {int(np.argmin(np.isfinite(scores)))} is not a number.",
            "Score the observation again.",
        )
    return scores


def _allow(observation: Observation, uid: int, override: Override, size: int, floor: np.ndarray) -> None:
    if not 0 <= uid < size:
        raise PolicyError(
            f"An override names element {uid}, but there are {size} elements.", "Remove that override."
        )
    if override.decision not in (KEEP, ABSTRACT, REMOVE):
        raise PolicyError(
            f"The override of element {uid} has the unknown decision {override.decision!r}.",
            "Use keep, abstract or remove.",
        )
    if override.decision == KEEP and floor[uid] and not override.reason.strip():
        element = observation.elements[uid]
        raise PolicyError(
            f"Element {element.native_id or uid} ({element.role}) holds a password, code, secret or card "
            "number and cannot be kept without a reason.",
            "Write down why the agent needs it.",
        )
