"""Score the elements of an observation: inherent sensitivity s and necessity n for a task, both in [0, 10]."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from methods.core import checkpoints
from methods.core.declaration import ASSETS
from methods.core.errors import BadInput
from methods.minim import page_features, task_features
from methods.minim.bonds import bind, bonds
from methods.minim.calibration import Calibration, counted
from methods.minim.explain import Explanation, explain
from methods.minim.findings import Finding, rule_sensitivity
from methods.minim.network import FORMAT_VERSION, Committee, Network, build
from methods.minim.observation import Observation
from methods.minim.page_features import PageFeatures
from methods.minim.task_features import Lexicon, TaskFeatures

SHIPPED = ASSETS / "checkpoints" / "minim.safetensors"


@dataclass(frozen=True)
class Scores:
    """``s`` and ``n``, float32 arrays of shape (N,) in [0, 10]."""

    s: np.ndarray
    n: np.ndarray


@dataclass(frozen=True)
class Page:
    """An observation made ready for any number of tasks."""

    features: PageFeatures
    lexicon: Lexicon
    edges: torch.Tensor
    relations: torch.Tensor
    text: torch.Tensor
    state: torch.Tensor
    s: np.ndarray
    bonds: np.ndarray
    counted: np.ndarray


class Scorer:
    """The trained network with its features. Safe to share: the work is done under a lock."""

    def __init__(
        self, network: Network | Committee, tau_n: float, tau_s: float, calibration: Calibration | None = None
    ) -> None:
        self.network = network.eval()
        self.calibration = calibration or Calibration()
        self.tau_n = tau_n
        self.tau_s = tau_s
        self._lock = threading.Lock()

    @classmethod
    def load(cls, checkpoint: Path | str | None = None) -> Scorer:
        """Read weights, the shipped ones by default.

        Raises:
            BadInput: no weights of this method, or made for other features than this version computes.
        """
        path = Path(checkpoint) if checkpoint else SHIPPED
        tensors, header = checkpoints.load(path, "minim", FORMAT_VERSION)
        network = build(header.config["members"])
        expected = len(page_features.NAMES), len(task_features.NAMES)
        if any((m["page_features"], m["task_features"]) != expected for m in header.config["members"]):
            raise BadInput(
                f"{path.name} was trained on other features than this version computes.",
                "Train again with minim train, or use the shipped weights.",
            )
        network.load_state_dict(tensors)
        config = header.config
        return cls(network, config["tau_n"], config["tau_s"], Calibration(**config["calibration"]))

    def read(self, observation: Observation, findings: Sequence[Finding]) -> Page:
        """All that does not depend on the task, s included."""
        features = page_features.page_features(observation, findings)
        lexicon = Lexicon(observation)
        edges, relations = torch.from_numpy(features.edges), torch.from_numpy(features.relations)
        text = torch.from_numpy(features.text)
        with self._lock, torch.inference_mode():
            state = self.network.page_state(torch.from_numpy(features.numbers), text, edges, relations)
            s = self.network.sensitivity_of(state).numpy()
        # A network may doubt what a checksum proves: what a rule finds is at least as private as its type.
        s = np.maximum(s, rule_sensitivity(len(s), findings))
        pairs = bonds(observation)
        return Page(features, lexicon, edges, relations, text, state, s, pairs, counted(observation))

    def necessity(self, page: Page, task: str) -> np.ndarray:
        """n in [0, 10] of every element for ``task``, shape (N,)."""
        if not len(page.s):
            return np.zeros(0, np.float32)
        return bind(self.calibration.necessity(self.logits(page, task), page.counted), page.bonds)

    def logits(self, page: Page, task: str) -> np.ndarray:
        """What the network itself says, before calibration and bonds: logits of n / 10, shape (N,)."""
        found: TaskFeatures = task_features.task_features(task, page.features, page.lexicon)
        one = torch.zeros(len(page.s), dtype=torch.long)
        with self._lock, torch.inference_mode():
            return self.network.necessity_logit(
                page.state,
                page.text,
                torch.from_numpy(found.numbers),
                torch.from_numpy(found.task).unsqueeze(0),
                one,
                page.edges,
                page.relations,
            ).numpy()

    def explain(self, page: Page, task: str, uid: int) -> Explanation:
        """What spoke for and against element ``uid`` being needed for ``task``, before calibration and bonds."""
        found = task_features.task_features(task, page.features, page.lexicon)
        with self._lock:
            return explain(self.network, page.features, found, uid)

    def score(self, observation: Observation, task: str, findings: Sequence[Finding]) -> Scores:
        """s and n of every element."""
        page = self.read(observation, findings)
        return Scores(page.s, self.necessity(page, task))
