"""The built-in reasoner's words: a fixed list of pieces whose concatenation is the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from methods.core.errors import BadInput
from methods.monica.cues import NONE, WORDING

DIGITS = 5
TOP = 60
"""Largest number it knows: five digits add up to 45, and bent sums and wrong hints may lie a little higher."""

PAD, EOS = "", "\n\n"
END = ".\n"
ASK, ANSWER = "Add", "Answer:"
CAUTION = "If my suggestion is wrong, ignore it. "
OPEN = ("So", "Now")
JOIN = (" plus", " and")
WAIT = "Wait"
OWN = (" I count", " going on")
LEANING = (" as you said", " you may be right")
CUES = {kind: " " + words.split("{hint}")[0].rstrip() for kind, words in WORDING.items() if kind != NONE}
NUMBERS = tuple(f" {n}" for n in range(TOP + 1))

PIECES = (
    PAD,
    EOS,
    END,
    ".",
    "\n",
    " =",
    ASK,
    ANSWER,
    CAUTION,
    *OPEN,
    *JOIN,
    WAIT,
    *OWN,
    *LEANING,
    *CUES.values(),
    *NUMBERS,
)
ID = {piece: i for i, piece in enumerate(PIECES)}
_SPLIT = re.compile("|".join(re.escape(p) for p in sorted(filter(None, PIECES), key=len, reverse=True)))


def encode(text: str) -> list[int]:
    """Ids of ``text``, longest piece first.

    Raises:
        BadInput: a word it does not know.
    """
    ids, place = [], 0
    while place < len(text):
        found = _SPLIT.match(text, place)
        if found is None:
            raise BadInput(
                f"The built-in reasoner does not know {text[place : place + 12]!r}.",
                "It adds five digits; choose another model for other questions.",
            )
        ids.append(ID[found[0]])
        place = found.end()
    return ids


def decode(ids: Sequence[int]) -> str:
    """Text of ``ids``; the end mark has none."""
    return "".join(PIECES[i] for i in ids if i != ID[EOS])


def digits_of(question: str) -> list[int]:
    """The five digits of a question, as in "Add 3 8 1 5 2." or "3 + 8 + 1 + 5 + 2 = ?".

    Raises:
        BadInput: not exactly five numbers from 0 to 9.
    """
    found = [int(n) if len(n) < 3 else TOP for n in re.findall(r"\d+", question)]
    if len(found) != DIGITS or max(found) > 9:
        raise BadInput(
            f"The built-in reasoner adds five digits; {question[:60]!r} has no five numbers from 0 to 9.",
            'Ask for example "Add 3 8 1 5 2."',
        )
    return found


def ask(digits: Sequence[int]) -> str:
    """The question about ``digits`` in its words."""
    return ASK + "".join(f" {d}" for d in digits) + "."


def number(text: str) -> int | None:
    """The number that the reasoner answers at the end of ``text``, None without an answer."""
    found = re.findall(rf"{ANSWER} (\d+)", text)
    return int(found[-1]) if found else None
