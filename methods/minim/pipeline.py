"""From a file to what leaves of it: read, find, score, decide, redact, check. The one path of window and command.

The window imports this module on its main thread, so what is slow to import comes late; torch with :func:`scorer`.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from methods.core.errors import BadInput
from methods.core.runner import sha256_of_file
from methods.minim.privacy import TYPES, Finding

if TYPE_CHECKING:
    from methods.minim.leakcheck import LeakReport
    from methods.minim.observation import Observation
    from methods.minim.operators import Pseudonyms
    from methods.minim.policy import Decisions, Override, Policy
    from methods.minim.redact import Redaction
    from methods.minim.scorer import Scorer

ALL = "all"
"""In place of a type: every type that is not named itself."""
SHORT_SECRET = 4
"""Characters; a shorter secret of a person is masked only where it stands alone."""
IRRELEVANT = 3.0
"""n at or below which an element is beside the task, where nobody has labelled it."""


class Model(Protocol):
    """What scores: :class:`methods.minim.scorer.Scorer`."""

    def read(self, observation: Observation, findings: tuple[Finding, ...]) -> Any: ...

    def necessity(self, page: Any, task: str) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Page:
    """An observation with what the rules found in it.

    Attributes:
        types: for each element the id of its strongest type, "" where nothing was found.
        floor: uids of elements that never leave as they are without a reason.
    """

    observation: Observation
    secrets: tuple[str, ...]
    findings: tuple[Finding, ...]
    types: tuple[str, ...]
    floor: frozenset[int]

    def findings_of(self, uid: int) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.uid == uid)


@dataclass(frozen=True, eq=False)
class Scored:
    """A page with its scores for one task; ``s`` and ``n`` are float32 (N,) in [0, 10]."""

    page: Page
    task: str
    s: np.ndarray
    n: np.ndarray
    seconds: float


@dataclass(frozen=True, eq=False)
class Outgoing:
    """What leaves for a set of decisions, and what the check says about it.

    Attributes:
        tokens: before and after.
        covered: uids of the elements whose places in the picture are painted over.
    """

    decisions: Decisions
    redaction: Redaction
    leaks: LeakReport
    tokens: tuple[int, int]
    covered: tuple[int, ...]

    @property
    def ok(self) -> bool:
        return self.leaks.ok and self.leaks.ids_ok


def look(observation: Observation, secrets: tuple[str, ...] = ()) -> Page:
    """Run the rules over an observation."""
    from methods.minim.findings import find, type_of
    from methods.minim.policy import is_password_field

    findings = find(observation, secrets)
    touched: dict[int, list[Finding]] = {}
    for finding in findings:
        touched.setdefault(finding.uid, []).append(finding)
    types = [""] * len(observation.elements)
    for uid, own in touched.items():
        types[uid] = type_of(own, uid)
    floor = {f.uid for f in findings if TYPES[f.type].floor}
    floor |= {e.uid for e in observation.elements if e.interactive and is_password_field(e)}
    return Page(observation, secrets, findings, tuple(types), frozenset(floor))


_loading = threading.Lock()


def scorer(checkpoint: str | Path | None = None) -> Scorer:
    """The trained network, loaded once; slow the first time.

    Raises:
        BadInput: there are no weights, or they are not for this version.
    """
    from methods.minim.scorer import SHIPPED

    if checkpoint is None and not SHIPPED.is_file():
        raise BadInput(
            "The weights of MINIM are not there.", "Give some with --checkpoint, or make them: minim train."
        )
    with _loading:
        return _load_scorer(None if checkpoint is None else str(checkpoint))


@functools.lru_cache(maxsize=2)
def _load_scorer(checkpoint: str | None) -> Scorer:
    from methods.minim.scorer import Scorer

    return Scorer.load(checkpoint)


@functools.cache
def weights_sha256(checkpoint: str | None = None) -> str:
    """SHA-256 of the weights that score; "" where there are none."""
    from methods.minim.scorer import SHIPPED

    path = Path(checkpoint) if checkpoint else SHIPPED
    return sha256_of_file(path) if path.is_file() else ""


def score(page: Page, task: str, model: Model, ready: Any = None) -> Scored:
    """Scores of every element of a page for a task. Without a task nothing is needed: n is 0 everywhere.

    Args:
        ready: ``model.read`` of this page, if it is at hand: a second task for one page costs little then.
    """
    start = time.perf_counter()
    ready = ready if ready is not None else model.read(page.observation, page.findings)
    n = model.necessity(ready, task) if task.strip() else np.zeros(len(ready.s), np.float32)
    return Scored(page, task, ready.s, n, time.perf_counter() - start)


def operators_of(words: Iterable[str]) -> dict[str, str]:
    """Operators by type from words like ``email=numbered``; ``all=token`` is for all types not named.

    Raises:
        BadInput: a word has another form, or names an unknown type or operator.
    """
    from methods.minim.operators import OPERATORS

    chosen: dict[str, str] = {}
    for word in words:
        kind, _, operator = word.partition("=")
        if kind not in TYPES and kind != ALL:
            raise BadInput(
                f'There is no type of private text "{kind}".',
                f"Write TYPE=OPERATOR, as in email=numbered, with one of: {ALL}, {', '.join(TYPES)}.",
            )
        if operator not in OPERATORS:
            raise BadInput(f'There is no operator "{operator}".', f"Use one of {', '.join(OPERATORS)}.")
        chosen[kind] = operator
    every = chosen.pop(ALL, None)
    return (dict.fromkeys(TYPES, every) if every else {}) | chosen


def policy_of(tau_n: float, tau_s: float, operators: Mapping[str, str]) -> Policy:
    """A policy with these thresholds; types without an operator have the usual one."""
    from methods.minim.policy import Policy

    return Policy(tau_n, tau_s, operators={**Policy().operators, **operators})


def decide(scored: Scored, rules: Policy, overrides: Mapping[int, Override] | None = None) -> Decisions:
    """Keep, abstract or remove for every element."""
    from methods.minim import policy

    page = scored.page
    return policy.decide(page.observation, scored.s, scored.n, page.findings, rules, overrides)


def outgoing(page: Page, rules: Policy, decisions: Decisions, pseudonyms: Pseudonyms) -> Outgoing:
    """The minimised file for ``decisions``, checked for anything that is left in it."""
    from methods.minim import export
    from methods.minim.leakcheck import check
    from methods.minim.picture import masked_uids
    from methods.minim.redact import redact

    observation = page.observation
    redaction = redact(observation, decisions, page.findings, rules, pseudonyms)
    tokens = export.tokens(observation, decisions, redaction)
    return Outgoing(
        decisions,
        redaction,
        check(observation, redaction),
        (tokens["before"], tokens["after"]),
        masked_uids(observation, decisions, redaction),
    )


def leakage(scored: Scored, codes: np.ndarray) -> float:
    """TISL by the scores alone, for a page without labels: what leaves of that which is beside the task."""
    from methods.minim.metrics import ABSTRACT_TOKENS, LEAST_S, token_count
    from methods.minim.policy import KEEP, REMOVE

    elements = scored.page.observation.elements
    tokens = np.array([token_count(e.text) for e in elements], np.float32)
    filled = np.array([bool(e.text) for e in elements], bool)
    beside = (scored.n <= IRRELEVANT) & (scored.s >= LEAST_S) & filled
    given = np.where(codes == KEEP, tokens, np.where(codes == REMOVE, 0.0, ABSTRACT_TOKENS))
    whole = float((scored.s * tokens)[beside].sum())
    return float((scored.s * given)[beside].sum()) / whole if whole else 0.0


def short_secrets(secrets: Iterable[str]) -> tuple[str, ...]:
    """A warning for each secret that is too short to be looked for inside longer words; without the secret."""
    return tuple(
        f"secret shorter than {SHORT_SECRET} characters ({len(s)}): it is masked only where it stands alone."
        for s in secrets
        if len(s.strip()) < SHORT_SECRET
    )
