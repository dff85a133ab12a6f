"""Trees written as indented lines: what the readers of such formats share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from methods.core.errors import BadInput
from methods.minim.codecs import decode
from methods.minim.observation import Box, Element, Observation, Span, Text

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BLANK = " \t\r\n"


class Line(NamedTuple):
    """Line ``number`` (from 1) is ``source[start:stop]``; without indent and line end it is ``[first, last)``."""

    number: int
    start: int
    stop: int
    first: int
    last: int

    @property
    def indent(self) -> int:
        return self.first - self.start

    @property
    def blank(self) -> bool:
        return self.first >= self.last


def lines(source: str) -> Iterator[Line]:
    """The lines of a text. Only ``\\n`` ends a line: texts may hold U+2028 and the like."""
    begin = int(source.startswith("\ufeff"))
    for number, match in enumerate(_LINE.finditer(source, begin), 1):
        raw = match.group()
        start, stop = match.span()
        last = start + len(raw.rstrip(_BLANK))
        yield Line(number, start, stop, min(stop - len(raw.lstrip(_BLANK)), last), last)


@dataclass(slots=True)
class Draft:
    """An element that may still get texts from later lines."""

    uid: int
    parent: int
    role: str
    native_id: str = ""
    texts: list[Text] = field(default_factory=list)
    states: dict[str, object] = field(default_factory=dict)
    box: Box | None = None
    frame: str = ""
    cuts: list[tuple[int, int]] = field(default_factory=list)
    items: tuple[tuple[int, int], ...] = ()


class Outline:
    """Collects elements line by line; the parent of a line is the closest line above with a smaller indent."""

    def __init__(self, name: str, format: str, source: str) -> None:
        self.name, self.format, self.source = name, format, source
        self.drafts: list[Draft] = []
        self.lists: list[tuple[tuple[int, int], ...]] = []
        self.title = ""
        self.recognised = False
        self._open: list[tuple[int, int]] = []
        self._odd: dict[str, list[int]] = {}

    def parent(self, indent: int) -> int:
        """uid of the element that a line with this indent belongs to, or -1."""
        while self._open and self._open[-1][0] >= indent:
            self._open.pop()
        return self._open[-1][1] if self._open else -1

    def node(self, indent: int, role: str) -> Draft:
        """A new element of the tree."""
        draft = Draft(len(self.drafts), self.parent(indent), role)
        self._open.append((indent, draft.uid))
        self.drafts.append(draft)
        self.recognised = True
        return draft

    def header(self, kind: str) -> Draft:
        """A new ``#header`` element: a line around the tree, which reaches the agent as well."""
        draft = Draft(len(self.drafts), -1, "#header", states={"header": kind} if kind else {})
        self.drafts.append(draft)
        self.recognised = self.recognised or bool(kind)
        return draft

    def text(self, field: str, start: int, end: int, codec: str = "plain") -> Text:
        """The text at ``source[start:end]``."""
        raw = self.source[start:end]
        if "\\" in raw or "''" in raw:  # all that these formats escape with; most texts have neither
            return Text(field, decode(raw, codec), Span(start, end, codec))
        return Text(field, raw, Span(start, end, codec))

    def odd(self, what: str, number: int) -> None:
        """Note that line ``number`` is odd; the file is read on."""
        self._odd.setdefault(what, []).append(number)

    def observation(self, wanted: str) -> Observation:
        """What was collected.

        Args:
            wanted: what a line of this format looks like, for the error message.

        Raises:
            BadInput: no line of a non-blank file belongs to the format.
        """
        if self.drafts and not self.recognised:
            raise BadInput(
                f"{self.name}: no line is part of a {self.format} tree.",
                f"Its lines should look like {wanted}",
            )
        warnings = []
        for what, numbers in self._odd.items():
            more = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
            warnings.append(f"Line {numbers[0]}{more}: {what}.")
        seen: set[str] = set()
        twice = {
            d.native_id for d in self.drafts if d.native_id and (d.native_id in seen or seen.add(d.native_id))
        }
        if twice:
            few = ", ".join(sorted(twice)[:3]) + (", …" if len(twice) > 3 else "")
            warnings.append(f"Several elements carry the same id: {few}.")
        elements = tuple(
            Element(
                d.uid, d.native_id, d.parent, d.role, tuple(d.texts), d.states, d.box, d.frame,
                cuts=tuple(d.cuts), items=d.items,
            )
            for d in self.drafts
        )  # fmt: skip
        return Observation(
            self.name,
            self.format,
            self.source,
            elements,
            lists=tuple(self.lists),
            warnings=tuple(warnings),
            title=self.title,
        )
