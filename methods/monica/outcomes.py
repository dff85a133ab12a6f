"""Outcomes of an evaluation, kept batch by batch so that it can go on after an interruption."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from methods.monica.calibrate import Calibration
from methods.monica.model_interface import LanguageModel
from methods.monica.monitor import Monitor
from methods.monica.sampling import Sampling

if TYPE_CHECKING:
    from methods.monica.evaluation import Item


@dataclass(frozen=True)
class Outcome:
    """How one run ended. ``flagged``: steps above the threshold. ``extra``: tokens thrown away. ``ms``: per token."""

    verdict: str
    steps: int
    flagged: int
    tokens: int
    extra: int
    ms: float


class Store:
    """Finished batches, in memory and, with a path, as JSON lines on the disk. A torn last line is run again."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._kept: dict[str, list[Outcome]] = {}
        if path is not None and path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                    self._kept[entry["key"]] = [Outcome(**o) for o in entry["outcomes"]]
                except (ValueError, KeyError, TypeError):
                    continue  # cut off when the program ended

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: str) -> list[Outcome] | None:
        """The outcomes of a batch, None if it was not run yet."""
        return self._kept.get(key)

    def put(self, key: str, outcomes: list[Outcome]) -> None:
        """Keep a batch."""
        self._kept[key] = outcomes
        if self._path is not None:
            line = json.dumps({"key": key, "outcomes": [asdict(o) for o in outcomes]})
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write("\n" + line if stream.tell() else line)

    @staticmethod
    def key(
        model: LanguageModel,
        monitor: Monitor,
        chunk: Sequence[Item],
        calibration: Calibration,
        sampling: Sampling,
    ) -> str:
        """A hash of everything that the batch depends on."""
        digest = hashlib.sha256(model.sha256.encode())
        for tensor in (monitor.probe.mean, *(w for pair in monitor.probe.weights for w in pair)):
            digest.update(tensor.numpy().tobytes())
        if calibration.vector:
            digest.update(calibration.vector.direction.numpy().tobytes())
        what = [calibration.to_dict(), asdict(sampling), [asdict(item) for item in chunk]]
        digest.update(json.dumps(what, sort_keys=True).encode())
        return digest.hexdigest()
