"""A scorer that needs no weights: sensitivity from what the rules found, necessity from words in common."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated

import numpy as np

from app.panels.minim import readings
from methods.core.declaration import Action, Input, Kind, Method, Paper
from methods.core.params import Number, Text
from methods.minim.explain import Explanation
from methods.minim.findings import TYPES
from methods.minim.words import stem, words

PAGE = """RootWebArea 'Inbox' focused: True
\t[120] heading 'Inbox'
\t[127] button 'Compose'
\t[134] link 'Northbank, your statement is ready'
\t[141] StaticText 'Your verification code is 482 913'
\t[169] StaticText 'jane.roe@example.org'
\t[148] link 'Dr Weiss, lab results'
\t[155] textbox 'Search mail'
\t[162] textbox 'Password'
\t[183] button 'Open'
"""


class FakeScorer:
    """Counts how often a page was read and a task scored."""

    def __init__(self):
        self.reads = self.tasks = 0

    def read(self, observation, findings):
        self.reads += 1
        s = np.zeros(len(observation.elements), np.float32)
        for finding in findings:
            s[finding.uid] = max(s[finding.uid], TYPES[finding.type].s)
        return SimpleNamespace(observation=observation, s=s)

    def necessity(self, page, task):
        self.tasks += 1
        wanted = {stem(word) for word in words(task)}
        shared = [len(wanted & {stem(w) for w in words(e.text)}) for e in page.observation.elements]
        return np.minimum(np.array(shared, np.float32) * 5 + 0.2, 10).astype(np.float32)

    def explain(self, page, task, uid):
        return Explanation((("task: words shared", 1.5), ("role button", -0.25)), ((1, 0.5),))


@dataclass(frozen=True)
class MinimizeParams:
    task: Annotated[str, Text("what the agent is to do")] = ""
    tau_s: Annotated[float, Number("abstract from here on", ge=0.0, le=10.0)] = 5.0


METHOD = Method(
    id="minim",
    title="MINIM",
    short="Privacy",
    summary="What leaves the machine, element by element.",
    icon="mdi6.shield-check-outline",
    paper=Paper("None", "nowhere", 2026, "https://example.org"),
    kinds=(
        Kind(
            "observation",
            "what an agent sees",
            (".json", ".txt", ".html", ".xml", ".yaml"),
            "methods.minim.formats:load",
        ),
    ),
    actions=(
        Action(
            "minimize",
            "Minimise",
            "Write what leaves.",
            "nowhere:minimize",
            (Input("observation", "observation", "what an agent sees"),),
            params=MinimizeParams,
        ),
    ),
)
"""A declaration with what the panel needs."""


def use_fake_scorer(monkeypatch):
    """Let the panel score with the fake; returns it."""
    fake = FakeScorer()
    monkeypatch.setattr(readings, "scorer", lambda: fake)
    readings._ready.cache_clear()
    return fake
