"""A template's habits, fixed by its name, and the hand that fills one page in that manner."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from random import Random

from methods.evidence.synthesis import fields, values
from methods.evidence.synthesis.sheet import LINE, Sheet, width_of

KEPT = 0.6
"""How often a template prints the label it is used to, and not another of the same meaning."""


@dataclass(frozen=True)
class Design:
    """How all pages of one template look.

    Attributes:
        mono, size, margin: typewriter letters; letter size and margin as shares of the width.
        case: of labels, "upper", "title" or "as is". caps: everything in capitals.
        mark: between label and value: ":", " :" or nothing.
        pairs: where a value stands: "right" behind its label, "column" at a tab, "edge" at the far side, "below".
        tab: of "column", as a share of the block's width.
        currency, grouping, decimal: how amounts are written.
        date_forms: of its dates, usually one.
        salt: of choices that a template always makes alike.
    """

    name: str
    mono: bool
    size: float
    margin: float
    case: str
    caps: bool
    mark: str
    pairs: str
    tab: float
    currency: str
    grouping: str
    decimal: str
    date_forms: tuple[str, ...]
    salt: int

    @staticmethod
    def of(family: str, number: int) -> Design:
        """The design of template ``number`` of a family: always the same."""
        rng = Random(zlib.crc32(f"{family} {number}".encode()))
        comma = rng.random() < 0.1
        return Design(
            f"{family}-{number}",
            mono=rng.random() < 0.4,
            size=rng.uniform(0.9, 1.15),
            margin=rng.uniform(0.04, 0.1),
            case=rng.choice(("upper", "title", "as is", "as is")),
            caps=rng.random() < 0.35,
            mark=rng.choice((":", ":", " :", "", "")),
            pairs=rng.choice(("right", "column", "column", "edge", "below")),
            tab=rng.uniform(0.32, 0.5),
            currency=rng.choice(("", "", "", "$", "RM", "RM ", "EUR ", "USD ", "£", "€")),
            grouping="." if comma else rng.choice((",", ",", "")),
            decimal="," if comma else ".",
            date_forms=tuple(rng.sample(values.DATE_FORMS, rng.choice((1, 1, 2)))),
            salt=rng.randrange(1 << 30),
        )

    def habit(self, what: str, options: tuple) -> object:
        """A choice that all pages of the template make alike."""
        return options[zlib.crc32(f"{what} {self.salt}".encode()) % len(options)]


class Hand:
    """Fills one page: draws what it tells and sets it as the design wants.

    Attributes:
        rng: of this page alone. sheet: what has been set.
    """

    def __init__(self, design: Design, rng: Random, width: int, height: int, letter: float) -> None:
        self.design, self.rng = design, rng
        self.sheet = Sheet(width, height, design.mono)
        self.size = letter * design.size
        self.margin = design.margin * width
        self.date_form = (
            rng.choice(design.date_forms) if rng.random() < 0.6 else rng.choice(values.DATE_FORMS)
        )
        self.currency = design.currency if rng.random() < 0.8 else rng.choice(("", "$", "RM"))
        self.pairs = design.pairs if rng.random() < 0.8 else rng.choice(("right", "column", "edge", "below"))
        self.mark = design.mark if rng.random() < 0.8 else rng.choice((":", " :", ""))
        self.line = LINE * self.size * rng.uniform(0.95, 1.25)

    @property
    def left(self) -> float:
        return self.margin

    @property
    def right(self) -> float:
        return self.sheet.width - self.margin

    @property
    def inner(self) -> float:
        return self.right - self.left

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def cased(self, text: str) -> str:
        return text.upper() if self.design.caps else text

    def label(self, kind: str) -> str:
        """What the page calls a kind of field."""
        labels = fields.FIELDS[kind].labels
        usual = str(self.design.habit(f"label {kind}", labels))
        text = usual if self.chance(KEPT) else self.rng.choice(labels)
        if self.design.caps or self.design.case == "upper":
            return text.upper()
        return text.title() if self.design.case == "title" and "'" not in text else text

    def value(self, kind: str) -> str:
        return self.cased(fields.value(kind, self.rng, self.date_form, self.money))

    def day(self) -> str:
        return self.cased(values.date(values.day(self.rng), self.date_form))

    def money(self, cents: int, currency: bool = True) -> str:
        whole, rest = divmod(abs(cents), 100)
        text = f"{whole:,}".replace(",", self.design.grouping) + f"{self.design.decimal}{rest:02}"
        return ("-" if cents < 0 else "") + (self.currency if currency else "") + text

    def put(
        self, x: float, y: float, text: str, scale: float = 1.0, align: str = "left", bold: bool = False
    ) -> tuple[int, ...]:
        return self.sheet.put(x, y, text, self.size * scale, align, bold)

    def wide(self, text: str, scale: float = 1.0) -> float:
        return width_of(text, self.size * scale, self.sheet.mono)

    def pair(
        self, x: float, y: float, width: float, kind: str, text: str | None = None, *,
        label: str | None = None, pairs: str | None = None, scale: float = 1.0, bold: bool = False,
    ) -> float:  # fmt: skip
        """Set a label with its value in a block of a width, note it, and return the y below."""
        label = self.label(kind) if label is None else label
        text = self.value(kind) if text is None else text
        pairs, line = pairs or self.pairs, self.line * scale
        printed = label + self.mark
        self.put(x, y, printed, scale, bold=bold)
        after = x + self.wide(printed + " ", scale)
        at, align = after, "left"
        if pairs == "below" or after + self.wide(text, scale) > x + width:
            words = text.split()
            y, tokens = self.sheet.wrap(x, y + line, width, words, self.size * scale)
            self.sheet.note(kind, label, tokens, text)
            return y + 0.2 * line
        if pairs == "column":
            at = max(after, min(x + self.design.tab * width, x + width - self.wide(text, scale)))
        elif pairs == "edge":
            at, align = x + width, "right"
        self.sheet.note(kind, label, self.put(at, y, text, scale, align, bold), text)
        return y + line

    def compound(self, x: float, y: float, width: float) -> float:
        """A pair whose label no list foresees."""
        kind, label, _ = fields.compound(self.rng)
        if self.design.caps or self.design.case == "upper":
            label = label.upper()
        return self.pair(x, y, width, kind, label=label)

    def lines(
        self, x: float, y: float, lines: list[str], align: str = "left", scale: float = 1.0
    ) -> tuple[float, tuple[int, ...]]:
        tokens: list[int] = []
        for text in lines:
            tokens += self.put(x, y, self.cased(text), scale, align)
            y += self.line * scale
        return y, tuple(tokens)

    def prose(self, x: float, y: float, width: float, count: int) -> float:
        words = [self.cased(w) for w in values.prose(self.rng, count)]
        return self.sheet.wrap(x, y, width, words, self.size)[0]
