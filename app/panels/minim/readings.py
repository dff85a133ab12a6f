"""What is known about the open observation: found, scored, decided, and what would leave. No Qt.

Everything here runs in a worker, except :func:`decide`, which is quick enough to follow a dragged line.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.panels.minim.companions import examples_beside, picture_beside
from app.panels.minim.document import Masking
from app.panels.minim.text_places import Change, changes
from methods.core.results import Source
from methods.core.runner import sha256_of_file
from methods.minim import pipeline
from methods.minim.pipeline import Page, Scored, look

if TYPE_CHECKING:
    from methods.minim.explain import Explanation
    from methods.minim.operators import Pseudonyms
    from methods.minim.policy import Decisions, Override, Policy


@dataclass(frozen=True, eq=False)
class Outgoing(pipeline.Outgoing):
    """What leaves, with the changes of the text that lead there."""

    changes: tuple[Change, ...]


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


def scorer() -> Any:
    """The shipped network, loaded once; slow the first time, so never on the main thread."""
    return pipeline.scorer()


@functools.lru_cache(maxsize=2)
def _ready(page: Page) -> Any:
    """What the scorer prepares of a page for any task; of the present page and the one before."""
    return scorer().read(page.observation, page.findings)


def score(page: Page, task: str) -> Scored:
    """Scores of every element of a page for a task; a second task for the same page costs little."""
    model = scorer()
    return pipeline.score(page, task, model, _ready(page))


def evidence(scored: Scored, uid: int) -> Explanation | None:
    """What moved the necessity of an element; nothing without a task, or for a scorer that cannot say."""
    model = scorer()
    if not scored.task.strip() or not hasattr(model, "explain"):
        return None
    return model.explain(_ready(scored.page), scored.task, uid)


def policy_of(state: Masking) -> Policy:
    """The policy a document describes; operators that were not chosen are the policy's own."""
    return pipeline.policy_of(state.tau_n, state.tau_s, dict(state.operators))


def decide(scored: Scored, state: Masking, overrides: dict[int, Override]) -> Decisions:
    """Keep, abstract or remove for every element."""
    return pipeline.decide(scored, policy_of(state), overrides)


def outgoing(page: Page, state: Masking, decisions: Decisions, pseudonyms: Pseudonyms) -> Outgoing:
    """The minimised file for ``decisions``, checked for anything that is left in it."""
    made = pipeline.outgoing(page, policy_of(state), decisions, pseudonyms)
    return Outgoing(**vars(made), changes=tuple(changes(page.observation, made.redaction)))
