"""Figures of the evidence localiser, the sample folder, and the rules without a model."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.evidence import metrics, rules, samples
from methods.evidence.page import Page, Token
from methods.evidence.samples import Asked
from tests.shared import shared_path

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


def best(rule, question):
    return RECEIPT.tokens[int(rules.RULES[rule](RECEIPT, question).argmax())].text


def test_rules_read_the_value_beside_its_label():
    assert best("lexical", "What is the total?") == "Total"
    assert best("label_right", "What is the total?") == "11.40"
    assert best("label_type", "What is the total?") == "11.40"
    assert best("label_type", "What is the date?") == "12/03/2024"
    assert best("label_type", "When was it paid?") == "12/03/2024"
    assert np.ptp(rules.uniform(RECEIPT, "?")) == 0
    for rule in rules.RULES.values():
        assert rule(Page(10, 10, ()), "What is the total?").shape == (0,)


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
    centres = np.array([[(t.box[0] + t.box[2]) / 2, (t.box[1] + t.box[3]) / 2] for t in page.page.tokens])
    found = metrics.score(asked, masses, centres, (6,), RECEIPT.tokens[6].box, "11.40")
    assert (found.pointing, found.mass, found.anls, found.exact) == (1, 0.6, 1, 1) and found.iou > 0.7
    nothing = metrics.score(asked, masses, centres, (6,), None, "")
    assert (nothing.pointing, nothing.iou, nothing.anls) == (0, 0, 0)


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


def test_rules_on_real_pages_are_no_straw_men():
    hits = {name: [] for name in rules.RULES}
    for page in samples.read(shared_path("data", "evidence")):
        centres = np.array([[(t.box[0] + t.box[2]) / 2, (t.box[1] + t.box[3]) / 2] for t in page.page.tokens])
        for asked in page.questions:
            evidence = samples.evidence_tokens(page.page, asked)
            for name, rule in rules.RULES.items():
                found = rule(page.page, asked.text)
                token = page.page.tokens[int(found.argmax())]
                masses = np.eye(len(found))[int(found.argmax())]
                score = metrics.score(asked, masses, centres, evidence, token.box, token.text)
                hits[name].append(score.pointing)
    rate = {name: np.mean(found) for name, found in hits.items()}
    assert rate["label_type"] > 0.5 > rate["label_right"] > rate["lexical"] > rate["uniform"]
