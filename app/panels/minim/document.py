"""What the privacy panel edits, and how it lies in a project file. No Qt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from methods.core.errors import BadInput
from methods.core.results import Source

if TYPE_CHECKING:
    from methods.minim.observation import Observation

NO_SOURCE = Source("", "")
TAU_N, TAU_S = 1.0, 5.0
"""The paper's thresholds, MINIM section 3.3."""
SCORE = 10.0
"""Scores and thresholds lie in [0, SCORE]."""


@dataclass(frozen=True)
class Ruling:
    """A person's decision about one element, or about all that share something.

    Attributes:
        scope: ``element``, ``text``, ``role`` or ``type``.
        key: the text, role or type that elements share; for one element its label.
        decision: 0 keep, 1 abstract, 2 remove.
        reason: why something the floor protects may leave all the same.
        locked: no other ruling changes it, and it holds in every step of a trace.
        uid, where, role: for one element, which one in which file.
    """

    scope: str
    key: str
    decision: int
    reason: str = ""
    locked: bool = False
    uid: int = -1
    where: str = ""
    role: str = ""

    @property
    def target(self) -> tuple[str, str, int, str]:
        """What it is about; a later ruling about the same replaces it."""
        return (
            (self.scope, "", self.uid, self.where)
            if self.scope == "element"
            else (self.scope, self.key, -1, "")
        )


@dataclass(frozen=True)
class Masking:
    """An observation, the task, and everything a person has decided about it.

    Attributes:
        examples: tasks that can be chosen with one click.
        operators: how each type is abstracted, as (type, operator); the others as the policy says.
        secrets: texts of the person's own that must never leave.
        trace: paths of the steps of a trace; ``step`` is the one that is shown.
    """

    observation: Observation | None = None
    source: Source = NO_SOURCE
    screenshot: str = ""
    examples: tuple[str, ...] = ()
    task: str = ""
    tau_n: float = TAU_N
    tau_s: float = TAU_S
    operators: tuple[tuple[str, str], ...] = ()
    rulings: tuple[Ruling, ...] = ()
    secrets: tuple[str, ...] = ()
    trace: tuple[str, ...] = ()
    step: int = 0

    def with_operator(self, types: Iterable[str], operator: str) -> Masking:
        """The same with another operator for some types."""
        chosen = {**dict(self.operators), **dict.fromkeys(types, operator)}
        return replace(self, operators=tuple(sorted(chosen.items())))

    def with_ruling(self, ruling: Ruling) -> Masking:
        """The same with one more ruling, which replaces an earlier one about the same."""
        others = tuple(r for r in self.rulings if r.target != ruling.target)
        return replace(self, rulings=(*others, ruling))


@dataclass
class TraceTokens:
    """Numbers of the tokens given so far along one trace, by (token, original). Not undone: they only grow.

    They know originals, so they lie in the project on this machine and in no export.
    """

    trace: tuple[str, ...] = ()
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)


@dataclass
class MaskingCodec:
    """Reads and writes a :class:`Masking`, and the tokens of its trace, as members of a project file.

    Autosave runs every few seconds while the observation never changes: it is encoded once.
    """

    tokens: TraceTokens = field(default_factory=TraceTokens)
    _encoded: tuple[Observation, bytes] | None = field(default=None, repr=False)

    def save(self, state: Masking) -> dict[str, bytes]:
        about: dict[str, Any] = {name: getattr(state, name) for name in PLAIN}
        about["rulings"] = [asdict(ruling) for ruling in state.rulings]
        about["source"] = asdict(state.source)
        members = {}
        if state.observation is not None:
            about["name"], about["format"] = state.observation.name, state.observation.format
            members["observation.json"] = self._encode(state.observation)
        if state.trace and state.trace == self.tokens.trace:
            rows = [[kind, text, number] for (kind, text), number in self.tokens.numbers.items()]
            members["tokens.json"] = json.dumps(rows).encode()
        return {"masking.json": json.dumps(about).encode(), **members}

    def load(self, members: Mapping[str, bytes]) -> Masking:
        about = _json(members, "masking.json", dict)
        rows = _json(members, "tokens.json", list) if "tokens.json" in members else []
        try:
            state = Masking(
                source=Source(**{k: str(v) for k, v in about["source"].items()}),
                screenshot=str(about["screenshot"]),
                examples=_texts(about["examples"]),
                task=str(about["task"]),
                tau_n=_score(about["tau_n"]),
                tau_s=_score(about["tau_s"]),
                operators=tuple((str(t), str(o)) for t, o in about["operators"]),
                rulings=tuple(_ruling(entry) for entry in about["rulings"]),
                secrets=_texts(about["secrets"]),
                trace=_texts(about["trace"]),
                step=int(about["step"]),
            )
            numbers = {(str(kind), str(text)): int(number) for kind, text, number in rows}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"The project's masking.json is damaged: {error}.", "Open a backup.") from error
        self.tokens.trace, self.tokens.numbers = state.trace, numbers
        if "observation.json" not in members:
            return state
        from methods.minim import formats

        source = _json(members, "observation.json", str)
        name, kind = str(about.get("name", "observation")), about.get("format")
        observation = formats.parse(name, source, kind if kind in formats.FORMATS else None)
        return replace(state, observation=observation)

    def _encode(self, observation: Observation) -> bytes:
        if self._encoded is None or self._encoded[0] is not observation:
            # JSON keeps what is no valid UTF-8 (lone surrogates) as escapes.
            self._encoded = (observation, json.dumps(observation.source).encode())
        return self._encoded[1]


PLAIN = (
    "screenshot", "examples", "task", "tau_n", "tau_s", "operators", "secrets", "trace", "step",
)  # fmt: skip


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError("a list of texts is something else")
    return tuple(map(str, values))


def _score(value: Any) -> float:
    score = float(value)
    if not 0.0 <= score <= SCORE:
        raise ValueError(f"the threshold {score:g} lies outside 0 to 10")
    return score


def _ruling(entry: Mapping[str, Any]) -> Ruling:
    ruling = Ruling(**entry)
    if ruling.scope not in ("element", "text", "role", "type") or ruling.decision not in (0, 1, 2):
        raise ValueError("a ruling has an unknown scope or decision")
    return ruling


def _json(members: Mapping[str, bytes], name: str, kind: type) -> Any:
    if name not in members:
        raise BadInput(f"The project holds no {name}.", "Open a project that this program saved.")
    try:
        value = json.loads(members[name])
    except ValueError as error:
        raise BadInput(f"The project's {name} is damaged: {error}.", "Open a backup.") from error
    if not isinstance(value, kind):
        raise BadInput(f"The project's {name} is not what it should be.", "Open a backup.")
    return value
