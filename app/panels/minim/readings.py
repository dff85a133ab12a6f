"""What is known about the open observation: found, scored, decided, and what would leave. No Qt.

Everything here runs in a worker, except :func:`decide`, which is quick enough to follow a dragged line.
"""

from __future__ import annotations

import functools
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.panels.minim.companions import examples_beside, picture_beside
from app.panels.minim.document import Masking
from app.panels.minim.text_places import Change, changes
from methods.core.results import Source
from methods.core.runner import sha256_of_file

if TYPE_CHECKING:
    import numpy as np

    from methods.minim.findings import Finding
    from methods.minim.leakcheck import LeakReport
    from methods.minim.observation import Observation
    from methods.minim.operators import Pseudonyms
    from methods.minim.policy import Decisions, Override, Policy
    from methods.minim.redact import Redaction


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
    changes: tuple[Change, ...]
    covered: tuple[int, ...]

    @property
    def ok(self) -> bool:
        return bool(self.leaks.ok and self.leaks.ids_ok)


def read(
    path: Path, trace: tuple[str, ...] = (), step: int = 0, before: Masking | None = None
) -> tuple[Masking, Page]:
    """A fresh document for the observation in ``path``, with the example tasks and picture that lie beside it.

    Args:
        before: the document so far; thresholds, secrets and the way things are abstracted stay as they are,
            along a trace the task and the decisions too.

    Raises:
        BadInput: the file is no observation.
    """
    from methods.minim import formats

    before = before or Masking()
    examples = examples_beside(path)
    state = replace(
        before,
        observation=formats.load(path),
        source=Source(str(path), sha256_of_file(path)),
        screenshot=picture_beside(path),
        examples=examples,
        task=before.task if trace else examples[0] if examples else "",
        rulings=before.rulings if trace else (),
        trace=trace,
        step=step,
    )
    return state, look(state.observation, state.secrets)


def parse(text: str, before: Masking) -> tuple[Masking, Page]:
    """The same for an observation that was pasted; the task stays.

    Raises:
        BadInput: it is in no known format.
    """
    from methods.minim import formats

    observation = formats.parse("pasted.txt", text)
    kept = {"task": before.task, "tau_n": before.tau_n, "tau_s": before.tau_s}
    state = Masking(observation, **kept, operators=before.operators, secrets=before.secrets)
    return state, look(observation, state.secrets)


def look(observation: Observation, secrets: tuple[str, ...]) -> Page:
    """Run the rules over an observation."""
    from methods.minim.findings import TYPES, find, type_of
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


@functools.cache
def _load_scorer() -> Any:
    from methods.minim.scorer import Scorer

    return Scorer.load(None)


def scorer() -> Any:
    """The scorer, loaded once; slow the first time, so never on the main thread."""
    with _loading:
        return _load_scorer()


@functools.lru_cache(maxsize=2)
def _ready(page: Page) -> Any:
    """What the scorer prepares of a page for any task; of the present page and the one before."""
    return scorer().read(page.observation, page.findings)


def score(page: Page, task: str) -> Scored:
    """Scores of every element of a page for a task; a second task for the same page costs little."""
    model = scorer()
    start = time.perf_counter()
    ready = _ready(page)
    n = model.necessity(ready, task)
    return Scored(page, task, ready.s, n, time.perf_counter() - start)


def policy_of(state: Masking) -> Policy:
    """The policy a document describes; operators that were not chosen are the policy's own."""
    from methods.minim.policy import Policy

    usual = Policy(state.tau_n, state.tau_s)
    return Policy(state.tau_n, state.tau_s, operators={**usual.operators, **dict(state.operators)})


def decide(scored: Scored, state: Masking, overrides: dict[int, Override]) -> Decisions:
    """Keep, abstract or remove for every element."""
    from methods.minim import policy

    page = scored.page
    return policy.decide(page.observation, scored.s, scored.n, page.findings, policy_of(state), overrides)


def outgoing(page: Page, state: Masking, decisions: Decisions, pseudonyms: Pseudonyms) -> Outgoing:
    """The minimised file for ``decisions``, checked for anything that is left in it."""
    from methods.minim import export
    from methods.minim.leakcheck import check
    from methods.minim.picture import masked_uids
    from methods.minim.redact import redact

    observation = page.observation
    redaction = redact(observation, decisions, page.findings, policy_of(state), pseudonyms)
    tokens = export.tokens(observation, decisions, redaction)
    return Outgoing(
        decisions,
        redaction,
        check(observation, redaction),
        (tokens["before"], tokens["after"]),
        tuple(changes(observation, redaction)),
        masked_uids(observation, decisions, redaction),
    )
