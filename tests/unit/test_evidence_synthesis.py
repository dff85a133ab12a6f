"""Made pages: always the same, true to what they say of themselves, and never of a held-out template in training."""

import random
import re

import pytest

from methods.evidence.synthesis import fields
from methods.evidence.synthesis.families import FAMILIES
from methods.evidence.synthesis.noise import read_badly
from methods.evidence.synthesis.pages import DESIGNS, MadePages, asked, fill


def test_a_page_is_made_alike_every_time():
    assert MadePages(8, seed=3)[5] == MadePages(9, seed=3)[5]
    assert MadePages(8, seed=3)[5] != MadePages(8, seed=4)[5]
    assert MadePages(8)[-1] == MadePages(8)[7] and len(MadePages(8)[2:5]) == 3
    with pytest.raises(IndexError):
        MadePages(8)[8]


@pytest.mark.parametrize("number", range(DESIGNS))
@pytest.mark.parametrize("family", FAMILIES)
def test_evidence_spells_the_answer_inside_the_page(family, number):
    for seed in range(6):
        rng = random.Random(f"{family} {number} {seed}")
        sheet = fill(family, number, rng)
        page = sheet.page()
        for token in page.tokens:
            x0, y0, x1, y1 = token.box
            assert 0 <= x0 < x1 <= page.width and 0 <= y0 < y1 <= page.height, token
        for question in asked(sheet, rng):
            words = " ".join(page.tokens[i].text for i in question.evidence)
            if question.answerable:
                assert question.answer and question.answer in words, question
            else:
                assert not question.evidence and not question.answer


def test_whole_templates_are_held_out():
    seen = {page.template for page in MadePages(400)}
    unseen = {page.template for page in MadePages(200, held_out=True)}
    assert len(seen) >= 40 and not seen & unseen
    assert {int(name.split("-")[1]) for name in unseen} == {DESIGNS - 1}
    assert {name.split("-")[0] for name in seen} == set(FAMILIES)


def test_the_mix_of_questions():
    questions = [q for page in MadePages(300, clean=True) for q in page.questions]
    absent = sum(not q.answerable for q in questions) / len(questions)
    assert 0.1 < absent < 0.2
    assert sum(q.decoys > 0 for q in questions) > 0.5 * len(questions)
    kinds = {q.kind for q in questions}
    assert {"cell", "place", "total", "date", "company", "period", "received"} <= kinds


def test_what_is_absent_is_not_on_the_page():
    rng = random.Random(0)
    for _ in range(300):
        present = set(rng.sample(sorted(fields.FIELDS), 6))
        kind = fields.absent(present, rng)
        assert kind is not None and kind not in present
        assert not present & set(fields.FIELDS[kind].unlike)
        assert all(kind not in fields.FIELDS[other].unlike for other in present)


def test_a_bad_reader_loses_words_but_not_the_thread():
    rng = random.Random(1)
    for index in range(40):
        clean = MadePages(40, seed=9, clean=True)[index]
        page, questions = read_badly(clean.page, clean.questions, rng)
        answers = {q.text: q.answer for q in clean.questions}
        kept = 0
        for question in questions:
            assert answers[question.text] == question.answer
            assert all(0 <= i < len(page.tokens) for i in question.evidence)
            words = "".join(page.tokens[i].text for i in question.evidence)
            kept += not question.answerable or bool(set(re.sub(r"\W", "", words)))
        assert kept >= 0.8 * len(questions)
        for token in page.tokens:
            assert token.box[0] < token.box[2] and token.box[1] < token.box[3]
