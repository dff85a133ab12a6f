"""Rules without a model, on a made receipt and on real pages."""

import numpy as np

from methods.core.context import Context
from methods.evidence import evaluation, rules, samples
from methods.evidence.page import Page, Token
from tests.shared import shared_path

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


def test_a_value_under_its_label_is_found_too():
    page = Page(300, 100, (Token("Invoice No", (10, 10, 90, 25)), Token("INV-00451", (10, 30, 80, 45))))
    assert int(rules.label_right(page, "What is the invoice no?").argmax()) == 1


def test_what_is_level_in_another_column_is_farther_than_what_is_near():
    page = Page(
        900,
        40,
        (
            Token("Total", (10, 10, 60, 25)),
            Token("7.00", (80, 10, 120, 25)),
            Token("9.00", (800, 10, 840, 25)),
        ),
    )
    assert int(rules.label_type(page, "What is the total?").argmax()) == 1


def test_rules_on_real_pages_are_no_straw_men():
    pages = samples.read(shared_path("data", "evidence"))
    rate = {}
    for name, rule in rules.RULES.items():
        judged = evaluation.judge(pages, evaluation.by_rule(rule), Context())
        rate[name] = evaluation.summary(judged)["pointing"]["mean"]
    assert rate["label_type"] > 0.5 > rate["label_right"] > rate["lexical"] > rate["uniform"]
