"""Keep, abstract or remove."""

import time

import numpy as np
import pytest

from methods.core.errors import BadInput
from methods.minim.findings import Finding
from methods.minim.observation import Element, Observation, Text
from methods.minim.policy import (
    ABSTRACT,
    KEEP,
    REMOVE,
    Override,
    Policy,
    PolicyError,
    decide,
    is_password_field,
)


def page(count: int, **states) -> Observation:
    elements = tuple(
        Element(i, f"e{i}", -1, "StaticText", (Text("name", f"text {i}"),), states) for i in range(count)
    )
    return Observation("page", "webarena-text", "", elements)


def scores(count: int, s: dict[int, float], n: dict[int, float], rest: float = 9.0):
    made = np.zeros(count, np.float32), np.full(count, rest, np.float32)
    for uid, value in s.items():
        made[0][uid] = value
    for uid, value in n.items():
        made[1][uid] = value
    return made


def test_the_rule_of_the_paper_with_its_edges():
    s, n = scores(40, {1: 5.0, 2: 4.99, 3: 9.0}, {2: 1.0, 3: 0.99, 4: 0.0})
    made = decide(page(40), s, n, (), Policy())
    assert made.codes[:5].tolist() == [KEEP, ABSTRACT, KEEP, REMOVE, REMOVE]
    assert made.codes.dtype == np.uint8
    assert set(made.by) == {"model"}
    assert made.counts() == {"keep": 37, "abstract": 1, "remove": 2}


def test_a_small_page_loses_nothing_harmless():
    findings = (Finding(2, 0, 0, 4, "email", ""), Finding(3, 0, 0, 4, "date", ""))
    s, n = scores(30, {1: 5.0}, {}, rest=0.0)
    made = decide(page(30), s, n, findings, Policy())
    assert made.codes[:5].tolist() == [KEEP, ABSTRACT, ABSTRACT, KEEP, KEEP]
    larger = decide(page(31), *scores(31, {1: 5.0}, {}, rest=0.0), findings, Policy())
    assert larger.codes.tolist() == [REMOVE] * 31


@pytest.mark.parametrize("kind", ["password", "otp", "secret", "given", "card"])
def test_the_floor_stands_above_the_model(kind):
    made = decide(page(40), *scores(40, {}, {}), (Finding(7, 0, 0, 4, kind, ""),), Policy())
    assert made.codes[7] == ABSTRACT
    assert made.by[7] == "floor"


def test_a_finding_above_the_threshold_is_left_to_the_model_on_a_large_page():
    made = decide(page(40), *scores(40, {}, {}), (Finding(7, 0, 0, 4, "email", ""),), Policy())
    assert made.codes[7] == KEEP


def test_keeping_what_the_floor_holds_back_needs_a_reason():
    card = (Finding(7, 0, 0, 4, "card", ""),)
    for empty in ("", "  \n"):
        with pytest.raises(PolicyError, match=r"Element e7 .* cannot be kept without a reason"):
            decide(page(40), *scores(40, {}, {}), card, Policy(), {7: Override(KEEP, empty)})
    made = decide(page(40), *scores(40, {}, {}), card, Policy(), {7: Override(KEEP, "test card")})
    assert (made.codes[7], made.by[7], made.why[7]) == (KEEP, "you", "test card")
    assert issubclass(PolicyError, BadInput)


def test_overrides_need_no_reason_otherwise():
    made = decide(page(40), *scores(40, {}, {}), (), Policy(), {0: Override(REMOVE), 1: Override(ABSTRACT)})
    assert made.codes[:3].tolist() == [REMOVE, ABSTRACT, KEEP]
    assert made.by[:3] == ("you", "you", "model")


@pytest.mark.parametrize(
    ("override", "uid", "message"),
    [
        (Override(KEEP), 40, "names element 40"),
        (Override(KEEP), -1, "names element -1"),
        (Override(3), 0, "3"),
    ],
)
def test_overrides_that_do_not_fit(override, uid, message):
    with pytest.raises(PolicyError, match=message):
        decide(page(40), *scores(40, {}, {}), (), Policy(), {uid: override})


def test_what_nobody_sees_is_removed_also_on_a_small_page():
    elements = (
        Element(0, "", -1, "#comment", (Text("description", "note"),), exposed=False),
        Element(1, "", -1, "StaticText", (Text("name", "clear"),), visible=False),
        Element(2, "", -1, "StaticText", (Text("name", "seen"),)),
    )
    o = Observation("page", "html", "", elements)
    made = decide(o, *scores(3, {}, {}), (), Policy())
    assert made.codes.tolist() == [REMOVE, REMOVE, KEEP]
    assert made.by == ("hidden", "hidden", "model")
    shown = decide(o, *scores(3, {}, {}), (), Policy(remove_hidden=False))
    assert shown.codes.tolist() == [KEEP] * 3
    yours = decide(o, *scores(3, {}, {}), (), Policy(), {1: Override(KEEP)})
    assert yours.codes.tolist() == [REMOVE, KEEP, KEEP]


@pytest.mark.parametrize(
    ("role", "name", "states", "expected"),
    [
        ("textbox", "Repeat password", {}, True),
        ("textbox", "Passphrase", {}, True),
        ("textbox", "Code", {"input_type": "password"}, True),
        ("EditText", "", {"password": True}, True),
        ("button", "Change password", {}, False),
        ("textbox", "Search", {"password": False}, False),
    ],
)
def test_password_fields(role, name, states, expected):
    assert is_password_field(Element(0, "", -1, role, (Text("name", name),), states)) is expected


def test_an_empty_password_field_is_held_back_too():
    o = Observation("p", "html", "", (Element(0, "", -1, "textbox", (Text("name", "Password"),)),))
    made = decide(o, *scores(1, {}, {}), (), Policy())
    assert (made.codes[0], made.by[0]) == (ABSTRACT, "floor")


@pytest.mark.parametrize("bad", [np.zeros(39), np.zeros((40, 1)), np.full(40, np.nan), np.full(40, np.inf)])
def test_scores_that_do_not_fit(bad):
    with pytest.raises(PolicyError):
        decide(page(40), bad, np.zeros(40), (), Policy())
    with pytest.raises(PolicyError):
        decide(page(40), np.zeros(40), bad, (), Policy())


@pytest.mark.parametrize("value", [-0.1, 10.1, float("nan")])
def test_thresholds_outside_their_range(value):
    with pytest.raises(PolicyError, match="tau_n"):
        Policy(tau_n=value)
    with pytest.raises(PolicyError, match="tau_s"):
        Policy(tau_s=value)


def test_decisions_follow_the_page_and_its_findings():
    """Facts are kept for the last page: another page, other findings or a changed list must not see them."""
    o = page(40)
    s, n = scores(40, {}, {})
    findings = [Finding(1, 0, 0, 4, "card", "")]
    assert decide(o, s, n, findings, Policy()).codes[1] == ABSTRACT
    findings.append(Finding(2, 0, 0, 4, "otp", ""))
    assert decide(o, s, n, findings, Policy()).codes[:4].tolist() == [KEEP, ABSTRACT, ABSTRACT, KEEP]
    assert decide(o, s, n, tuple(findings[1:]), Policy()).codes[:3].tolist() == [KEEP, KEEP, ABSTRACT]
    assert decide(o, s, n, (), Policy()).codes[:3].tolist() == [KEEP, KEEP, KEEP]
    assert decide(page(2), *scores(2, {}, {}), (), Policy()).codes.tolist() == [KEEP, KEEP]


def test_five_thousand_elements_within_a_frame():
    o = page(5000)
    findings = tuple(Finding(u, 0, 0, 4, "email", "") for u in range(0, 5000, 5))
    rng = np.random.default_rng(0)
    s, n = rng.random((2, 5000), np.float32) * 10
    decide(o, s, n, findings, Policy())
    took = []
    for tau in np.linspace(0, 10, 20):
        start = time.process_time()
        decide(o, s, n, findings, Policy(tau_n=float(tau)))
        took.append(time.process_time() - start)
    assert sorted(took)[10] < 0.005
