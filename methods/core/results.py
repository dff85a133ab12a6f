"""What work gives back, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """What a work function returns.

    Attributes:
        value: the thing itself, of the action's output kind.
        facts: JSON-able figures about it; the ``--json`` object of the command line.
        warnings: sentences a person must see, counts included.
        failed: why the value must not be used, although the facts are worth seeing; it is not saved then.
    """

    value: Any = None
    facts: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    failed: str = ""


@dataclass(frozen=True)
class Source:
    """Where an input came from: its path (if any) and the SHA-256 of its content."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """Everything needed to get the same numbers again.

    ``parameters`` holds every value, ``changed`` only those that differ from the defaults.
    """

    method: str
    action: str
    version: str
    parameters: dict[str, Any]
    changed: dict[str, Any]
    seed: int
    device: str
    inputs: dict[str, Source]
    checkpoint: Source | None
    started: str
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "action": self.action,
            "version": self.version,
            "parameters": self.parameters,
            "seed": self.seed,
            "device": self.device,
            "inputs": {n: {"path": s.path, "sha256": s.sha256} for n, s in self.inputs.items()},
            "checkpoint": {"path": self.checkpoint.path, "sha256": self.checkpoint.sha256}
            if self.checkpoint
            else None,
            "started": self.started,
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class Result:
    """An outcome with its provenance."""

    value: Any
    facts: dict[str, Any]
    warnings: tuple[str, ...]
    provenance: Provenance
    failed: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The object that ``--json`` prints: facts first, then seconds, warnings, provenance."""
        return {
            **self.facts,
            **({"failed": self.failed} if self.failed else {}),
            "seconds": round(self.provenance.seconds, 4),
            "warnings": list(self.warnings),
            "provenance": self.provenance.to_dict(),
        }
