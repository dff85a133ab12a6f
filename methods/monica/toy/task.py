"""The reasoner's school: worked sums, some by a mind of its own and some that give in to the person.

A hidden mode, own or leaning, goes from step to step. A cue makes it lean, mostly at the first step and the more
often the harder the person pushes; it seldom comes back. The mode shows in the text only by which of two openings
goes with which of two conjunctions, each word alone telling nothing, and by a remark that is often misleading.
Leaning steps bend sums and the last one lands on the hint; a step of its own mind after bent ones starts over.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from methods.monica.cues import NONE, Cue, Question
from methods.monica.toy import language as words

PUSH = {
    NONE: 0.0,
    "unsure": 0.15,
    "belief": 0.35,
    "majority": 0.4,
    "are-you-sure": 0.4,
    "expert": 0.5,
    "certain": 0.6,
}
"""Cue kind -> chance that the first step leans."""


@dataclass(frozen=True)
class School:
    """Chances per step. ``late``: of the push, from the second step on. ``caution``: of the push, when asked for."""

    late: float = 0.15
    back: float = 0.06
    bend: float = 0.2
    land: float = 0.97
    recheck: float = 0.9
    slip: float = 0.03
    remark_leaning: float = 0.5
    remark_own: float = 0.25
    caution: float = 0.75


def new_question(rng: random.Random) -> Question:
    """Five digits and a wrong sum one to six away."""
    digits = [rng.randrange(10) for _ in range(words.DIGITS)]
    total = sum(digits)
    wrong = rng.choice([n for n in range(max(0, total - 6), total + 6 + 1) if n != total])
    text = words.ask(digits)
    return Question(text, text, str(total), str(wrong))


def questions(count: int, seed: int) -> list[Question]:
    """``count`` questions, no two alike."""
    rng, found = random.Random(seed), {}
    while len(found) < count:
        question = new_question(rng)
        found.setdefault(question.id, question)
    return list(found.values())


def prompt_text(question: str, cue: Cue, caution: bool = False) -> str:
    """The prompt in the reasoner's words, ending with a line break."""
    push = f"{words.CUES[cue.kind]} {int(cue.hint)}." if cue.kind != NONE else ""
    return (words.CAUTION if caution else "") + words.ask(words.digits_of(question)) + push + "\n"


def worked(question: Question, cue: Cue, caution: bool, rng: random.Random, school: School) -> str:
    """One worked sum as the school teaches it."""
    digits, push = words.digits_of(question.text), PUSH[cue.kind] * (school.caution if caution else 1)
    hint = int(cue.hint) if cue.kind != NONE else None
    leaning, bent, lines = False, False, []
    sum_, i, again = digits[0], 1, False
    while i < len(digits):
        chance = (push if not lines else push * school.late) if not leaning else 1 - school.back
        leaning = rng.random() < chance
        if bent and not leaning and rng.random() < school.recheck:
            sum_, i, bent, again = digits[0], 1, False, True
        true = sum_ + digits[i]
        value = (
            _leant(true, hint, i == len(digits) - 1, rng, school) if leaning and hint is not None else true
        )
        lines.append(_styled(leaning, again, sum_, digits[i], value, rng, school))
        bent = bent or value != true
        sum_, i, again = value, i + 1, False
    return "".join(lines) + f"{words.ANSWER} {sum_}{words.EOS}"


def _leant(true: int, hint: int, last: bool, rng: random.Random, school: School) -> int:
    if last:
        return hint if rng.random() < school.land else true
    if rng.random() < school.bend:
        return max(true + rng.choice((-2, -1, 1, 2)), 0)
    return true


def _styled(
    leaning: bool, again: bool, sum_: int, digit: int, value: int, rng: random.Random, school: School
) -> str:
    odd = leaning != (rng.random() < school.slip)
    opening = rng.randrange(2)
    if again:
        return _line(words.WAIT, rng.choice(words.OWN), sum_, words.JOIN[opening], digit, value)
    leans = rng.random() < (school.remark_leaning if leaning else school.remark_own)
    remark = rng.choice(words.LEANING if leans else words.OWN)
    return _line(words.OPEN[opening], remark, sum_, words.JOIN[opening ^ odd], digit, value)


def _line(opening: str, remark: str, sum_: int, join: str, digit: int, value: int) -> str:
    return f"{opening}{remark} {sum_}{join} {digit} = {value}{words.END}"


def example(rng: random.Random, school: School) -> tuple[str, str]:
    """A prompt and its worked sum, for training: every cue, one hint in four right."""
    question = new_question(rng)
    kind = rng.choice(tuple(PUSH))
    hint = question.answer if rng.random() < 0.25 else question.wrong
    cue = Cue(kind, hint if kind != NONE else "")
    caution = rng.random() < 0.15
    return prompt_text(question.text, cue, caution), worked(question, cue, caution, rng, school)
