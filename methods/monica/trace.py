"""One run as it is kept: prompt, settings, steps with scores and what was done about them."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from methods.core.errors import BadInput
from methods.monica.steps import Span

VERSION = 1
FINISHES = ("eos", "length", "stopped")
ACTIONS = ("rollback", "subtract", "clamp", "random")


@dataclass(frozen=True)
class Intervention:
    """What the calibrator did when a step ended.

    Attributes:
        action: one of :data:`ACTIONS`. score: of the step that set it off.
        strength: set for the coming tokens; 0 for a rollback. dropped: text of the step that a rollback took back.
        tokens: how many tokens were thrown away (rollback) or changed so far (the others).
    """

    action: str
    score: float
    strength: float = 0.0
    dropped: str = ""
    tokens: int = 0


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        text, tokens: spans in the generated text (characters) and in the generated tokens.
        score: drift score in [0, 1], None without a monitor. ema: the same, smoothed.
        token_scores: one per token. strength: the largest applied to a token of this step.
        ms: wall time it took, roll-backs included. interventions: those set off when it, or a dropped try, ended.
    """

    index: int
    text: str
    tokens: Span
    span: Span
    score: float | None = None
    ema: float | None = None
    token_scores: tuple[float, ...] = ()
    strength: float = 0.0
    ms: float = 0.0
    interventions: tuple[Intervention, ...] = ()


@dataclass(frozen=True)
class Trace:
    """One run. ``ids`` are the generated tokens; ``text`` is their text.

    Attributes:
        finish: "eos", "length" or "stopped". settings: of sampling, monitor and calibrator, JSON-able.
        model, sha256: which weights. key: of the row's random numbers.
        extra_tokens: generated and thrown away by roll-backs.
    """

    prompt: str
    prompt_ids: tuple[int, ...]
    text: str
    ids: tuple[int, ...]
    steps: tuple[Step, ...]
    finish: str
    model: str = ""
    sha256: str = ""
    key: int = 0
    extra_tokens: int = 0
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> tuple[float | None, ...]:
        """Drift score per step."""
        return tuple(step.score for step in self.steps)

    def crossings(self, tau: float) -> list[int]:
        """Steps whose score is above ``tau``: what a threshold would have flagged; nothing is generated again."""
        return [s.index for s in self.steps if s.score is not None and s.score > tau]

    def prefix(self, step: int) -> tuple[int, ...]:
        """The generated tokens before ``step``: where a branch starts.

        Raises:
            BadInput: there is no such step.
        """
        if not 0 <= step <= len(self.steps):
            raise BadInput(f"The run has no step {step + 1}.", f"Choose one from 1 to {len(self.steps)}.")
        return self.ids[: self.steps[step].tokens.start] if step < len(self.steps) else self.ids

    def to_dict(self) -> dict[str, Any]:
        """JSON-able; :meth:`from_dict` gives an equal trace back."""
        return {"version": VERSION, **asdict(self)}

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """A trace from :meth:`to_dict`.

        Raises:
            BadInput: not a run of ours, damaged, or of a newer version.
        """
        try:
            if data["version"] > VERSION:
                raise BadInput(
                    f"The run has format {data['version']}; this program reads up to {VERSION}.",
                    "Update the program.",
                )
            steps = tuple(_step(i, s, data["text"], data["ids"]) for i, s in enumerate(data["steps"]))
            trace = cls(
                prompt=_typed(data["prompt"], str),
                prompt_ids=tuple(_typed(i, int) for i in data["prompt_ids"]),
                text=_typed(data["text"], str),
                ids=tuple(_typed(i, int) for i in data["ids"]),
                steps=steps,
                finish=data["finish"],
                model=_typed(data["model"], str),
                sha256=_typed(data["sha256"], str),
                key=_typed(data["key"], int),
                extra_tokens=_typed(data["extra_tokens"], int),
                settings=_typed(data["settings"], dict),
            )
            if trace.finish not in FINISHES:
                raise ValueError(f"it finished by {trace.finish!r}")
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadInput(f"The run is damaged ({error!r}).", "Export it again.") from error
        return trace

    @classmethod
    def from_json(cls, text: str) -> Self:
        """See :meth:`from_dict`."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"The run is not JSON ({error}).", "Choose a run exported from here.") from error
        if not isinstance(data, dict):
            raise BadInput("The run is not a JSON object.", "Choose a run exported from here.")
        return cls.from_dict(data)


def _step(index: int, data: dict[str, Any], text: str, ids: list[int]) -> Step:
    tokens, span = Span(**data["tokens"]), Span(**data["span"])
    for place, size in ((tokens, len(ids)), (span, len(text))):
        if not 0 <= _typed(place.start, int) <= _typed(place.end, int) <= size:
            raise ValueError(f"step {index + 1} lies outside the text")
    if data["text"] != text[span.start : span.end]:
        raise ValueError(f"step {index + 1} does not match the text")
    return Step(
        index=index,
        text=data["text"],
        tokens=tokens,
        span=span,
        score=_share(data["score"]),
        ema=_share(data["ema"]),
        token_scores=tuple(_share(s) or 0.0 for s in data["token_scores"]),
        strength=_finite(data["strength"]),
        ms=_finite(data["ms"]),
        interventions=tuple(_intervention(i) for i in data["interventions"]),
    )


def _intervention(data: dict[str, Any]) -> Intervention:
    found = Intervention(**data)
    if found.action not in ACTIONS:
        raise ValueError(f"there is no action {found.action!r}")
    return Intervention(
        found.action,
        _share(found.score) or 0.0,
        _finite(found.strength),
        _typed(found.dropped, str),
        _typed(found.tokens, int),
    )


def _typed(value: Any, kind: type) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{value!r:.40} is no {kind.__name__}")
    return value


def _finite(value: Any) -> float:
    number = float(_typed(value, (int, float)))  # type: ignore[arg-type]
    if not math.isfinite(number):
        raise ValueError("a figure is not finite")
    return number


def _share(value: Any) -> float | None:
    if value is None:
        return None
    number = _finite(value)
    if not 0 <= number <= 1:
        raise ValueError(f"a score of {number} lies outside 0 to 1")
    return number
