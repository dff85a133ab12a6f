"""A sequence of made pages with questions: page i of a seed is always the same, and made when it is asked for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from random import Random
from typing import overload

from methods.evidence.questions import Question, TrainingPage
from methods.evidence.synthesis import fields
from methods.evidence.synthesis.design import Design, Hand
from methods.evidence.synthesis.families import FAMILIES
from methods.evidence.synthesis.noise import read_badly
from methods.evidence.synthesis.sheet import Cell, Sheet, Told

DESIGNS = 7
"""Templates of a family; the last one is held out."""
SHARES = {
    "receipt": 5,
    "invoice": 2,
    "order": 3,
    "form": 3,
    "table": 1,
    "letter": 1,
    "notice": 1,
    "statement": 1,
}
"""How often each family is made."""
ABSENT = 0.15
"""Share of the questions that the page does not answer."""
NOISY = 0.5
"""Share of the pages that are read badly."""
_AMOUNT = re.compile(r"^\W*[A-Z]{0,3}\W?\d[\d.,]*[.,]\d{2}\W*$")
_DATE = re.compile(r"^\W*\d{1,4}[./-](?:\d{1,2}|[A-Za-z]{3})[./-]\d{2,4}\W*$")
_CELL = (
    "What is the {column} of {row}?", "{column} of {row}?", "How much is the {column} for {row}?", "What is the {column} for {row}?",
    "What {column} does {row} have?", "Find the {column} of {row}.",
)  # fmt: skip


class MadePages(Sequence[TrainingPage]):
    """``count`` pages.

    Args:
        held_out: from the templates that are never trained on, instead of the others.
        clean: read without faults.
    """

    def __init__(self, count: int, seed: int = 0, held_out: bool = False, clean: bool = False) -> None:
        self.count, self.seed, self.held_out, self.clean = count, seed, held_out, clean

    def __len__(self) -> int:
        return self.count

    @overload
    def __getitem__(self, index: int) -> TrainingPage: ...
    @overload
    def __getitem__(self, index: slice) -> list[TrainingPage]: ...
    def __getitem__(self, index: int | slice) -> TrainingPage | list[TrainingPage]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self.count))]
        if not -self.count <= index < self.count:
            raise IndexError(index)
        return self._make(index % self.count)

    def _make(self, index: int) -> TrainingPage:
        rng = Random(f"{self.seed} {index} {self.held_out}")
        sheet, template = made(rng, self.held_out)
        page, questions = sheet.page(), asked(sheet, rng)
        if not self.clean and rng.random() < NOISY:
            page, questions = read_badly(page, questions, rng)
        return TrainingPage(page, None, questions, template)


def made(rng: Random, held_out: bool = False) -> tuple[Sheet, str]:
    """A filled sheet of one template by its share."""
    family = rng.choices(tuple(SHARES), tuple(SHARES.values()))[0]
    number = DESIGNS - 1 if held_out else rng.randrange(DESIGNS - 1)
    return fill(family, number, rng), f"{family}-{number}"


def fill(family: str, number: int, rng: Random) -> Sheet:
    """A sheet of template ``number`` of a family, cut off below what it holds."""
    narrow = family == "receipt"
    width = rng.randint(420, 760) if narrow else rng.randint(800, 1700)
    height = int(width * (2.4 if narrow else rng.choice((1.29, 1.414))))
    letter = width / (rng.uniform(30, 42) if narrow else rng.uniform(70, 95))
    hand = Hand(Design.of(family, number), rng, width, height, letter)
    FAMILIES[family](hand)
    sheet = hand.sheet
    sheet.fit(hand.margin / 2)
    low = max((p.box[3] for p in sheet.placed), default=0.0)
    if narrow or low > height:
        sheet.height = int(low + rng.uniform(1, 12) * hand.size)
    return sheet


def asked(sheet: Sheet, rng: Random) -> tuple[Question, ...]:
    """Questions about all that the sheet tells, about some cells and places, and about what it does not tell."""
    found = _told_questions(sheet, rng) + _cell_questions(sheet, rng) + _placed_questions(sheet, rng)
    present = {t.kind for t in sheet.told}
    for _ in range(round(len(found) * ABSENT / (1 - ABSENT) + rng.random() * 0.99)):
        kind = fields.absent(present, rng)
        text = None
        if rng.random() < 0.3:
            _, _, name = fields.compound(rng)
            words = {w.lower().strip(":.") for t in sheet.told for w in t.label.split()}
            text = fields.wording(name, rng) if name.split()[0] not in words else None
        elif kind is not None:
            text = fields.ask(kind, "", rng)
        if text is not None and all(text != q.text for q in found):
            found.append(Question(text, "", (), False, kind or "compound"))
    return tuple(found)


def _told_questions(sheet: Sheet, rng: Random) -> list[Question]:
    by_kind: dict[str, list[Told]] = defaultdict(list)
    for told in sheet.told:
        if told.tokens:
            by_kind[told.kind].append(told)
    found = []
    for kind, same in by_kind.items():
        if len({t.text for t in same}) > 1:
            continue  # two values of one kind: the question has no one answer
        first = same[0]
        evidence = _everywhere(sheet, first) if fields.kind_type(kind) in ("amount", "date") else first.tokens
        for _ in range(
            2 if kind in ("total", "date", "company", "address", "period", "received", "registrant") else 1
        ):
            text = fields.ask(kind, first.label, rng)
            if all(text != q.text for q in found):
                found.append(Question(text, first.text, evidence, True, kind, _decoys(sheet, first)))
    return found


def _everywhere(sheet: Sheet, told: Told) -> tuple[int, ...]:
    """All places where the same value of one or more words stands."""
    words = told.text.split()
    texts = [p.text for p in sheet.placed]
    found = dict.fromkeys(told.tokens)
    for i in range(len(texts) - len(words) + 1):
        if texts[i : i + len(words)] == words:
            found.update(dict.fromkeys(range(i, i + len(words))))
    return tuple(sorted(found))


def _decoys(sheet: Sheet, told: Told) -> int:
    """Other values of the same type."""
    type_ = fields.kind_type(told.kind)
    form = {"amount": _AMOUNT, "date": _DATE}.get(type_)
    own = set(told.text.split())
    if form is not None:
        return sum(bool(form.match(p.text)) and p.text not in own for p in sheet.placed)
    return sum(fields.kind_type(t.kind) == type_ and t.text != told.text for t in sheet.told)


def _cell_questions(sheet: Sheet, rng: Random) -> list[Question]:
    names: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in sheet.cells:
        if cell.tokens:
            names[cell.row, cell.column].append(cell)
    single = [cells[0] for cells in names.values() if len(cells) == 1]
    found = []
    for cell in rng.sample(single, min(len(single), 3)):
        column = cell.column if rng.random() < 0.3 else cell.column.lower()
        text = rng.choice(_CELL).format(
            row=cell.row if rng.random() < 0.5 else cell.row.lower(), column=column
        )
        others = sum(c.column == cell.column for c in single) - 1
        found.append(Question(text, cell.text, cell.tokens, True, "cell", others))
    return found


def _placed_questions(sheet: Sheet, rng: Random) -> list[Question]:
    """First and last date or amount from the top."""
    found = []
    for name, form in (("date", _DATE), ("amount", _AMOUNT)):
        fitting = [i for i, p in enumerate(sheet.placed) if form.match(p.text)]
        if len(fitting) < 2 or rng.random() > 0.15:
            continue
        fitting.sort(key=lambda i: sheet.placed[i].box[1])
        last = rng.random() < 0.5
        one, other = (fitting[-1], fitting[-2]) if last else (fitting[0], fitting[1])
        if abs(sheet.placed[one].box[1] - sheet.placed[other].box[1]) < sheet.placed[one].size:
            continue
        place = rng.choice(("last", "lowest") if last else ("first", "topmost"))
        text = rng.choice(("What is the {} {}?", "What is the {} {} on the page?")).format(place, name)
        found.append(Question(text, sheet.placed[one].text, (one,), True, "place", len(fitting) - 1))
    return found
