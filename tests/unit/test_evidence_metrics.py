"""Figures of the evidence localiser, and the sample folder."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.evidence import evaluation, metrics, rules, samples
from methods.evidence.page import Page, Token
from methods.evidence.questions import Question, TrainingPage
from methods.evidence.samples import Asked

boxes = st.tuples(*[st.floats(0, 100)] * 4).map(
    lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]) + 1, max(b[1], b[3]) + 1)
)


@given(boxes, boxes)
def test_iou_is_symmetric_and_one_only_for_the_same_box(a, b):
    value = metrics.iou(a, b)
    assert 0 <= value <= 1 and value == pytest.approx(metrics.iou(b, a))
    assert metrics.iou(a, a) == pytest.approx(1)
    assert metrics.iou((0, 0, 2, 2), (1, 0, 3, 2)) == pytest.approx(1 / 3)
    assert metrics.iou((0, 0, 0, 0), (0, 0, 0, 0)) == 0


@given(st.text("abc ", max_size=12), st.text("abc ", max_size=12))
def test_edit_distance_is_a_metric(a, b):
    assert metrics.edit_distance(a, b) == metrics.edit_distance(b, a)
    assert (metrics.edit_distance(a, b) == 0) == (a == b)
    assert abs(len(a) - len(b)) <= metrics.edit_distance(a, b) <= max(len(a), len(b))


def test_anls_forgives_less_than_half():
    assert metrics.edit_distance("kitten", "sitting") == 3
    assert metrics.anls(" 12.50 ", "12.50") == 1
    assert metrics.anls("12.5O", "12.50") == pytest.approx(0.8)
    assert metrics.anls("1x", "12") == 0
    assert metrics.anls("", "") == 1


def test_auroc_counts_pairs():
    assert metrics.auroc([0.9, 0.8, 0.3], [True, True, False]) == 1
    assert metrics.auroc([0.1, 0.8, 0.3, 0.3], [True, True, False, True]) == pytest.approx((0 + 1 + 0.5) / 3)
    assert math.isnan(metrics.auroc([0.5], [True]))


def test_an_interval_holds_the_mean_and_narrows():
    few, many = [0.0, 1.0] * 5, [0.0, 1.0] * 500
    for values in (few, many):
        low, high = metrics.interval(values)
        assert low < 0.5 < high
    assert np.ptp(metrics.interval(many)) < 0.2 * np.ptp(metrics.interval(few))
    assert metrics.interval([1.0] * 9) == (1, 1)


def test_any_box_or_all_of_them():
    two = ((0.0, 0.0, 10.0, 10.0), (0.0, 20.0, 10.0, 30.0))
    assert metrics.best_iou(two[1], Asked("q", "a", two, "any_of")) == 1
    assert metrics.best_iou((0, 0, 10, 30), Asked("q", "a", two, "all_of")) == 1
    assert metrics.best_iou(two[0], Asked("q", "a", two, "all_of")) == pytest.approx(1 / 3)


RECEIPT = Page(
    400, 300,
    (
        Token("HARBOUR CAFE", (100, 10, 300, 30)),
        Token("Date", (20, 50, 60, 65)), Token("12/03/2024", (200, 50, 300, 65)),
        Token("Subtotal", (20, 100, 90, 115)), Token("9.50", (320, 100, 360, 115)),
        Token("Total", (20, 130, 70, 145)), Token("11.40", (320, 130, 360, 145)),
        Token("Cash", (20, 160, 60, 175)), Token("20.00", (320, 160, 360, 175)),
    ),
)  # fmt: skip


def sample(**changes):
    entry = {
        "id": "one", "image": "one.png", "width": 400, "height": 300,
        "tokens": [{"text": t.text, "box": list(t.box)} for t in RECEIPT.tokens],
        "qa": [{"question": "What is the total?", "answer": "11.40", "evidence_boxes": [[318, 128, 362, 147]]}],
    }  # fmt: skip
    return {"pages": [entry | changes]}


def test_a_sample_folder_is_read_and_its_evidence_found(tmp_path):
    (tmp_path / "samples.json").write_text(json.dumps(sample()))
    (page,) = samples.read(tmp_path)
    (asked,) = page.questions
    assert samples.evidence_tokens(page.page, asked) == (6,)
    masses = np.full(9, 0.05)
    masses[6] = 0.6
    found = metrics.score(asked, page.page, masses, RECEIPT.tokens[6].box, "11.40")
    assert (found.pointing, found.mass, found.anls, found.exact, found.iou50) == (
        1,
        0.6,
        1,
        1,
        1,
    ) and found.iou > 0.7
    nothing = metrics.score(asked, page.page, masses, None, "")
    assert (nothing.pointing, nothing.iou, nothing.anls) == (0, 0, 0)
    even = metrics.score(asked, page.page, np.full(9, 1 / 9), (0, 0, 1, 1), "x")
    assert even.pointing == pytest.approx(1 / 9), "among equals one is drawn"


def test_distance_is_the_way_of_the_mass_to_the_nearest_evidence():
    page = Page(
        300, 400, (Token("a", (0, 0, 10, 10)), Token("b", (100, 0, 110, 10)), Token("c", (100, 50, 110, 60)))
    )

    def distance(masses, *boxes):
        return metrics.score(Asked("?", "a", boxes), page, np.array(masses), None, "").distance

    at_a, at_c = (0.0, 0.0, 10.0, 10.0), (100.0, 50.0, 110.0, 60.0)
    assert distance([1.0, 0.0, 0.0], at_a) == 0
    assert distance([0.0, 1.0, 0.0], at_a) == pytest.approx(100 * 95 / 500)
    assert distance([0.0, 1.0, 0.0], at_a, at_c) == pytest.approx(100 * 45 / 500), "the nearer one counts"
    assert distance([0.0, 0.5, 0.0], at_a) == distance([0.0, 1.0, 0.0], at_a), "mass on NULL has no place"
    assert distance([0.5, 0.5, 0.0], at_a) == pytest.approx(100 * (0.5 * 95**2) ** 0.5 / 500)
    assert math.isnan(distance([0.0, 0.0, 0.0], at_a))


def test_a_box_inside_a_longer_token_makes_that_token_evidence():
    page = Page(400, 50, (Token("15 JUN 18 08:34:31 PM", (0, 0, 300, 20)), Token("TOTAL", (320, 0, 380, 20))))
    assert samples.evidence_tokens(page, Asked("?", "15 JUN 18", ((0, 0, 130, 20),))) == (0,)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        json.dumps(sample(width="x")),
        json.dumps(sample(tokens=[{"text": "a"}])),
        json.dumps(sample(qa=5)),
    ],
)
def test_a_damaged_sample_folder_is_told(tmp_path, content):
    (tmp_path / "samples.json").write_text(content)
    with pytest.raises(BadInput):
        samples.read(tmp_path)
    with pytest.raises(BadInput, match=r"no samples\.json"):
        samples.read(tmp_path / "absent")


def judged_pages():
    told = Question("What is the total?", "11.40", (6,), decoys=3)
    absent = Question("What is the IBAN?", "", (), answerable=False)
    return evaluation.as_samples([TrainingPage(RECEIPT, None, (told, absent), "receipt")])


def oracle(page, picture):
    def ask(question):
        if "total" not in question:
            return evaluation.Found(page, np.full(9, 0.01), 0.91, None, "")
        masses = np.eye(9)[6] * 0.9
        return evaluation.Found(page, masses, 0.1, page.tokens[6].box, "11.40")

    return ask


def test_a_perfect_method_gets_perfect_figures_and_a_rule_is_compared_pair_by_pair():
    pages, context = judged_pages(), Context()
    best = evaluation.judge(pages, oracle, context)
    report = evaluation.summary(best)
    assert (report["n"], report["unanswerable"], report["auroc"]) == (1, 1, 1)
    assert report["pointing"] == {"mean": 1, "low": 1, "high": 1}
    assert report["mass"]["mean"] == pytest.approx(0.9) and report["iou"]["mean"] == 1
    assert report["distance"]["mean"] == 0
    worst = evaluation.judge(pages, evaluation.by_rule(rules.lexical), context)
    assert evaluation.summary(worst)["pointing"]["mean"] == 0
    assert evaluation.compared(best, worst) == {"mean": 1, "low": 1, "high": 1, "n": 1}
    assert evaluation.compared(best, worst, only=lambda j: not evaluation.is_hard(j))["n"] == 0
    assert list(evaluation.groups(best)) == ["evidence over .5 %", "decoys 3 and more"]
    assert evaluation.best_threshold(best) == pytest.approx(0.505), "in the middle of .1 and .91"
    assert evaluation.best_threshold(best[:1]) == 0.5
    assert "1.000" in evaluation.table({"oracle": report}) and json.dumps(report, allow_nan=False)


def test_repeated_values_become_boxes_any_of_which_is_right():
    page = Page(
        300,
        40,
        tuple(Token(t, (60 * i, 0, 60 * i + 50, 20)) for i, t in enumerate(("5.00", "5.00", "A", "B"))),
    )
    repeated = Question("How much?", "5.00", (0, 1))
    name = Question("Who?", "A B", (2, 3))
    (sample_page,) = evaluation.as_samples([TrainingPage(page, None, (repeated, name))])
    first, second = sample_page.questions
    assert (first.mode, len(first.boxes)) == ("any_of", 2)
    assert (second.mode, second.boxes) == ("single", ((120, 0, 230, 20),))
