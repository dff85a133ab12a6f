"""What a reader of pictures makes of good print: letters taken for others, words glued, split or lost, loose boxes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from methods.evidence.page import Box, Page, Token
from methods.evidence.questions import Question

ALIKE = {
    "0": "OoD", "O": "0Q", "1": "lI7", "l": "1I", "I": "l1", "5": "S", "S": "5", "8": "B", "B": "8", "2": "Z", "6": "G", "e": "c",
    "c": "e", "a": "o", "o": "a", "n": "r", "h": "b", "i": "l", "t": "f", "u": "v", ".": ",", ",": ".", ":": ";", "m": "rn", "g": "q",
}  # fmt: skip


def read_badly(page: Page, questions: tuple[Question, ...], rng: Random) -> tuple[Page, tuple[Question, ...]]:
    """The page as a poor reader hands it over; evidence follows its words, lost evidence takes its question along."""
    letters, joins = rng.choice((0.0, 0.005, 0.02)), rng.choice((0.0, 0.01, 0.05))
    splits, losses = rng.choice((0.0, 0.01)), rng.choice((0.0, 0.005, 0.02))
    tokens: list[Token] = []
    place: dict[int, int] = {}
    for i, token in enumerate(page.tokens):
        if rng.random() < losses:
            continue
        text, box = _misread(token.text, letters, rng), _loose(token.box, page, rng)
        previous = tokens[-1] if tokens else None
        if (
            previous is not None
            and previous.line == token.line
            and i - 1 in place
            and rng.random() < joins
            and _near(previous.box, box)
        ):
            tokens[-1] = replace(previous, text=previous.text + text, box=_around(previous.box, box))
            place[i] = len(tokens) - 1
            continue
        place[i] = len(tokens)
        confidence = 1.0 if text == token.text else rng.uniform(0.5, 1)
        if len(text) > 5 and rng.random() < splits:
            cut = rng.randint(2, len(text) - 2)
            middle = box[0] + (box[2] - box[0]) * cut / len(text)
            text = f"{text[:cut]} {text[cut:]}"  # one token of two words, as line readers give them
            box = (box[0], box[1], max(box[2], middle), box[3])
        tokens.append(Token(text, box, confidence, token.line))
    kept = []
    for question in questions:
        evidence = tuple(dict.fromkeys(place[i] for i in question.evidence if i in place))
        if question.answerable and len(evidence) < len(set(question.evidence)) * 0.6:
            continue
        kept.append(replace(question, evidence=evidence))
    return Page(page.width, page.height, tuple(tokens), page.source), tuple(kept)


def _misread(text: str, share: float, rng: Random) -> str:
    if not share:
        return text
    return "".join(rng.choice(ALIKE[c]) if c in ALIKE and rng.random() < share else c for c in text) or text


def _loose(box: Box, page: Page, rng: Random) -> Box:
    loose = 0.12 * (box[3] - box[1])
    x0, y0, x1, y1 = (v + rng.uniform(-loose, loose) for v in box)
    w, h = page.width, page.height
    x0, y0 = min(max(x0, 0), w - 1), min(max(y0, 0), h - 1)
    return x0, y0, min(max(x1, x0 + 1), w), min(max(y1, y0 + 1), h)


def _near(a: Box, b: Box) -> bool:
    return 0 <= b[0] - a[2] + (a[3] - a[1]) < 2 * (a[3] - a[1]) and abs(a[1] - b[1]) < 0.5 * (a[3] - a[1])


def _around(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])
