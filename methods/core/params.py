"""Typed parameters: one annotation gives validation, the command-line option and the form field.

A parameter class is a frozen dataclass whose fields are annotated with one of the specs below::

    @dataclass(frozen=True)
    class FitParams:
        max_parts: Annotated[int, Number("Most parts to use", ge=1, le=256)] = 16
        method: Annotated[str, Choice("How points are weighted", ("area", "farthest"))] = "area"

Every field needs a default: a form must have something to show and a command something to run.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import shlex
import types
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from methods.core.errors import BadParameter


@dataclass(frozen=True)
class Spec:
    """What every parameter has: one sentence of help, and the text shown beside its field."""

    help: str
    label: str = dataclasses.field(default="", kw_only=True)
    advanced: bool = dataclasses.field(default=False, kw_only=True)


@dataclass(frozen=True)
class Number(Spec):
    """An ``int`` or ``float`` within ``[ge, le]`` (either may be open), with a unit for display."""

    ge: float | None = None
    le: float | None = None
    step: float | None = None
    unit: str = ""
    log: bool = False


@dataclass(frozen=True)
class Choice(Spec):
    """A ``str`` out of a fixed list."""

    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Flag(Spec):
    """A ``bool``."""


@dataclass(frozen=True)
class Text(Spec):
    """A ``str`` of free text.

    Attributes:
        private: a secret; it is recorded nowhere.
        positional: on the command line it may stand after the inputs without its option.
    """

    private: bool = False
    positional: bool = False


@dataclass(frozen=True)
class Texts(Spec):
    """A ``tuple[str, ...]``: an option that takes several words and may be repeated.

    Attributes:
        private: what a person gives here is theirs; it is recorded nowhere.
    """

    private: bool = False


@dataclass(frozen=True)
class Param:
    """One field of a parameter class, ready for a command line or a form."""

    name: str
    type: type
    default: Any
    spec: Spec
    nullable: bool = False

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def many(self) -> bool:
        return isinstance(self.spec, Texts)

    @property
    def private(self) -> bool:
        return bool(getattr(self.spec, "private", False))

    @property
    def label(self) -> str:
        return self.spec.label or self.name.replace("_", " ")

    def check(self, value: Any) -> Any:
        """The value in its own type, or :class:`BadParameter` saying what is allowed."""
        if value is None and self.nullable:
            return None
        if self.type is bool:
            if not isinstance(value, bool):
                raise BadParameter(f"{self.option} must be true or false, not {value!r}.")
            return value
        if self.type in (int, float):
            return self._check_number(value)
        if self.many:
            if not isinstance(value, (tuple, list)) or not all(isinstance(v, str) for v in value):
                raise BadParameter(f"{self.option} must be texts, not {value!r}.")
            return tuple(value)
        if not isinstance(value, str):
            raise BadParameter(f"{self.option} must be text, not {value!r}.")
        if isinstance(self.spec, Choice) and value not in self.spec.options:
            raise BadParameter(
                f"{self.option} cannot be {value!r}.", f"Use one of {', '.join(self.spec.options)}."
            )
        return value

    def _check_number(self, value: Any) -> int | float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise BadParameter(f"{self.option} must be a number, not {value!r}.")
        if not math.isfinite(value):
            raise BadParameter(f"{self.option} must be a finite number, not {value!r}.")
        if self.type is int and value != int(value):
            raise BadParameter(f"{self.option} must be a whole number, not {value!r}.")
        assert isinstance(self.spec, Number)
        low, high = self.spec.ge, self.spec.le
        if (low is not None and value < low) or (high is not None and value > high):
            bounds = f"{'' if low is None else f'{low:g} <= '}value{'' if high is None else f' <= {high:g}'}"
            raise BadParameter(f"{self.option} is {value:g}, outside its range.", f"Allowed: {bounds}.")
        return self.type(value)

    def show(self, value: Any) -> str:
        """``value`` as the text that :meth:`parse` reads; "" for None."""
        if self.many:
            return shlex.join(value)
        return "" if value is None else str(value)

    def parse(self, text: str) -> Any:
        """The value that ``text`` (one command-line word; of :class:`Texts` all words, quoted) stands for."""
        if self.nullable and text.lower() in ("none", "auto", ""):
            return None
        if self.type is bool:
            word = text.lower()
            if word in ("true", "yes", "on", "1"):
                return True
            if word in ("false", "no", "off", "0"):
                return False
            return self.check(text)
        if self.type in (int, float):
            try:
                value: Any = float(text)
                if self.type is int and value == int(value):
                    value = int(text) if text.strip("+-").isdigit() else int(value)
            except (ValueError, OverflowError):
                raise BadParameter(f"{self.option} must be a number, not {text!r}.") from None
            return self.check(value)
        if self.many:
            try:
                return tuple(shlex.split(text))
            except ValueError:
                raise BadParameter(f"{self.option} has a quotation mark without its partner.") from None
        return self.check(text)


@dataclass(frozen=True)
class NoParams:
    """For actions without parameters."""


@functools.cache
def params_of(params_type: type) -> tuple[Param, ...]:
    """The parameters that a parameter class declares, in order.

    Raises:
        TypeError: a field has no spec, no default or a type that no face can show: a mistake in
            the declaration, found by the first test that lists the methods.
    """
    hints = get_type_hints(params_type, include_extras=True)
    return tuple(_param(params_type, field, hints[field.name]) for field in dataclasses.fields(params_type))


def _param(owner: type, field: dataclasses.Field[Any], hint: Any) -> Param:
    where = f"{owner.__name__}.{field.name}"
    if get_origin(hint) is not Annotated:
        raise TypeError(f"{where} needs Annotated[type, Spec]")
    base, *extras = get_args(hint)
    spec = next((e for e in extras if isinstance(e, Spec)), None)
    if spec is None or field.default is dataclasses.MISSING:
        raise TypeError(f"{where} needs a Spec and a default")
    nullable = False
    if get_origin(base) in (Union, types.UnionType):
        members = [m for m in get_args(base) if m is not types.NoneType]
        nullable = len(members) < len(get_args(base))
        if len(members) != 1:
            raise TypeError(f"{where} must be a single type or that type | None")
        base = members[0]
    expected = {
        Number: (int, float), Choice: (str,), Text: (str,), Texts: (tuple[str, ...],), Flag: (bool,)
    }[type(spec)]  # fmt: skip
    if base not in expected:
        raise TypeError(f"{where} is {base}, which {type(spec).__name__} cannot describe")
    return Param(field.name, base, field.default, spec, nullable)


def build(params_type: type, values: dict[str, Any]) -> Any:
    """A checked instance of ``params_type`` from plain values; absent ones take their default."""
    known = {p.name: p for p in params_of(params_type)}
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise BadParameter(
            f"There is no parameter {unknown[0]!r}.", f"Known: {', '.join(sorted(known)) or 'none'}."
        )
    return params_type(**{name: known[name].check(value) for name, value in values.items()})


def checked(params: Any) -> Any:
    """``params`` with every field checked; a new instance of the same class."""
    return build(type(params), as_dict(params))


def as_dict(params: Any) -> dict[str, Any]:
    """Plain JSON-able values of a parameter instance."""
    return {p.name: getattr(params, p.name) for p in params_of(type(params))}


def changed(params: Any) -> dict[str, Any]:
    """Only the values that differ from their default: what a copied command has to say."""
    return {p.name: v for p in params_of(type(params)) if (v := getattr(params, p.name)) != p.default}


def recorded(params_type: type, values: dict[str, Any]) -> dict[str, Any]:
    """``values`` by name without the private ones: what a provenance may hold."""
    private = {p.name for p in params_of(params_type) if p.private}
    return {name: value for name, value in values.items() if name not in private}
