"""What the file says after decisions are carried out."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.minim import formats
from methods.minim.findings import Finding, find
from methods.minim.leakcheck import check
from methods.minim.observation import Element, Observation, Span, Text
from methods.minim.operators import Pseudonyms
from methods.minim.policy import ABSTRACT, KEEP, REMOVE, Decisions, Override, Policy, decide
from methods.minim.propagation import Haystack, Needle
from methods.minim.redact import droppable, redact
from tests.shared import shared_path

CASES = (
    "01_password_value 02_short_secret 03_field_copies 04_id_by_header 05_split_record 06_hidden_text "
    "07_card_checksum 08_split_code_and_scroll"
).split()
PRIVATE = (
    "password",
    "email",
    "insurance",
    "person",
    "dob",
    "otp",
    "card",
    "secret",
    "given",
    "bank_account",
    "phone",
)


def case(name: str):
    """One of the hard inputs: what is expected, the observation, its findings, and s and n given by hand."""
    folder = Path(shared_path("cases", "ui", name))
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    observation = formats.load(folder / expected["input"])
    findings = find(observation, expected.get("secrets", ()))
    s, n = np.zeros((2, len(observation.elements)), np.float32)
    for finding in findings:
        if finding.type in PRIVATE:
            s[finding.uid] = 9
    return expected, observation, findings, s, n


def made(codes, by="model") -> Decisions:
    by = (by,) * len(codes) if isinstance(by, str) else tuple(by)
    return Decisions(np.array(codes, np.uint8), by, ("",) * len(codes))


def lines(*rows: tuple) -> Observation:
    """A page of lines ``role 'name'``; rows are (role, text) or (role, text, field, states)."""
    source, elements = "", []
    for uid, (role, text, *more) in enumerate(rows):
        field, states = (more + ["name", {}][len(more) :])[:2]
        start = len(source) + len(role) + 2
        stop = start + len(text) + 2
        span = Span(start, start + len(text))
        cuts = ((len(source), stop),)
        elements.append(Element(uid, str(uid), -1, role, (Text(field, text, span),), states, cuts=cuts))
        source += f"{role} '{text}'\n"
    return Observation("page.txt", "lines", source, tuple(elements))


def out(observation, codes, findings=(), by="model", **policy) -> str:
    return redact(observation, made(codes, by), findings, Policy(**policy), Pseudonyms()).source


@pytest.mark.parametrize("necessity", [0.0, 5.0])
@pytest.mark.parametrize("name", CASES)
def test_hard_inputs(name, necessity):
    expected, observation, findings, s, n = case(name)
    decisions = decide(observation, s, n + necessity, findings, Policy())
    done = redact(observation, decisions, findings, Policy(), Pseudonyms())
    for text in expected.get("must_not_survive", ()):
        assert text not in done.source
    for text in expected["must_survive"]:
        assert text in done.source
    ids = [e.native_id for e in formats.parse(expected["input"], done.source, observation.format).elements]
    assert set(expected.get("ids", expected.get("refs", ()))) <= set(ids)
    report = check(observation, done)
    assert (report.leaks, report.changed_ids) == ((), ())


def test_filled_and_empty_can_be_told_apart():
    _, observation, findings, s, n = case("01_password_value")
    done = redact(
        observation, decide(observation, s, n, findings, Policy()), findings, Policy(), Pseudonyms()
    )
    assert '- textbox "Enter your password" [active] [ref=e9]: value-state=filled\n' in done.source
    assert '- textbox "Repeat password" [ref=e10]: value-state=empty\n' in done.source
    assert '- checkbox "Remember me" [checked] [ref=e11]\n' in done.source


def test_a_short_secret_goes_only_as_a_token():
    _, observation, findings, s, n = case("02_short_secret")
    done = redact(
        observation, decide(observation, s, n, findings, Policy()), findings, Policy(), Pseudonyms()
    )
    assert done.source == (
        '- form "Password settings" [ref=e20]:\n'
        '  - textbox "Password" [ref=e24]: value-state=filled\n'
        "  - text: Level <SECRET> access e24 and E2-zone\n"
        '  - button "Savee2" [ref=e2]\n'
        '  - link "Help" [ref=e99]:\n'
        "    - /url: /help/e24?ref=SECRET\n"
    )


def test_bounds_and_backend_ids_stay():
    expected, observation, findings, s, n = case("07_card_checksum")
    done = redact(
        observation, decide(observation, s, n, findings, Policy()), findings, Policy(), Pseudonyms()
    )
    assert all(bounds in done.source for bounds in expected["bounds"])
    assert 'content-desc="Visa &lt;CARD&gt;"' in done.source


def test_a_decision_to_keep_everything_changes_nothing():
    source = "button 'Pay'\nStaticText 'Total'\n"
    observation = lines(("button", "Pay"), ("StaticText", "Total"))
    assert out(observation, [KEEP, KEEP]) == source


def test_removed_elements_are_cut_out_and_removed_ancestors_stay_empty():
    source = "row 'a b'\n cell 'a'\n cell 'b'\n"
    elements = (
        Element(0, "0", -1, "row", (Text("name", "a b", Span(5, 8)),), cuts=((0, 10),)),
        Element(1, "1", 0, "cell", (Text("name", "a", Span(17, 18)),), cuts=((10, 20),)),
        Element(2, "2", 0, "cell", (Text("name", "b", Span(27, 28)),), cuts=((20, 30),)),
    )
    observation = Observation("p", "lines", source, elements)
    assert droppable(observation, np.array([REMOVE, REMOVE, KEEP])) == {1}
    assert out(observation, [REMOVE, REMOVE, KEEP]) == "row ''\n cell 'b'\n"
    assert out(observation, [REMOVE, REMOVE, REMOVE]) == ""
    assert out(observation, [KEEP, REMOVE, REMOVE]) == "row 'a b'\n"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("StaticText", "He has a rare illness"), "StaticText '<PRIVATE>'\n"),
        (("textbox", "something", "value", {}), "textbox '<PRIVATE>'\n"),
        (("textbox", "hunter2", "value", {"input_type": "password"}), "textbox 'value-state=filled'\n"),
        (("textbox", "", "value", {}), "textbox 'value-state=empty'\n"),
        (("button", "Delete"), "button 'Delete'\n"),
        (("columnheader", "Diagnosis"), "columnheader 'Diagnosis'\n"),
        (("link", "/a?b=1", "url", {}), "link 'PRIVATE'\n"),
    ],
)
def test_abstraction_without_a_finding(row, expected):
    assert out(lines(row), [ABSTRACT]) == expected


def test_a_weak_finding_does_not_hide_what_is_private():
    observation = lines(
        ("StaticText", "Surgery on 2024-05-01 went well"),
    )
    assert out(observation, [ABSTRACT], (Finding(0, 0, 11, 21, "date", ""),)) == "StaticText '<DATE>'\n"


def test_operators_per_type_and_consistent_numbers():
    observation = lines(("cell", "NOOR HALLAM"), ("cell", "4929 1234 5678 9012"), ("cell", "Hallam, Noor"))
    findings = (
        Finding(0, 0, 0, 11, "person", ""),
        Finding(1, 0, 0, 19, "card", ""),
        Finding(2, 0, 0, 12, "person", ""),
    )
    done = out(observation, [ABSTRACT] * 3, findings, operators={"person": "numbered", "card": "last-four"})
    assert done == "cell 'PERSON_1'\ncell '•••• •••• •••• 9012'\ncell 'PERSON_1'\n"


FORMS = [
    ("noor@inbox.example", "email", "Write to NOOR@INBOX.EXAMPLE now", "Write to <EMAIL> now"),
    ("noor@inbox.example", "email", "noor @ inbox . example", "<EMAIL>"),
    ("731 046", "otp", "use 731046!", "use <CODE>!"),
    ("731 046", "otp", "use 7 3 1 0 4 6 or ７３１０４６", "use <CODE> or <CODE>"),
    ("731046", "otp", "id 97310460 v731046", "id 97310460 v<CODE>"),
    ("4111 1111 1111 1112", "card", "4111-1111-1111-1112 ok", "<CARD> ok"),
    ("Hallam", "person", "HALLAM's list, Hallamshire", "<PERSON>'s list, Hallamshire"),
    ("hunter2x", "password", "was Hunter2X, is hunter2xy", "was <PASSWORD>, is hunter2xy"),
    ("Mark", "person", "Mark as read", "Mark as read"),
]


@pytest.mark.parametrize(("secret", "kind", "elsewhere", "expected"), FORMS)
def test_a_private_text_is_masked_wherever_it_is_repeated(secret, kind, elsewhere, expected):
    observation = lines(("StaticText", secret), ("StaticText", elsewhere))
    finding = (Finding(0, 0, 0, len(secret), kind, ""),)
    for first in (ABSTRACT, REMOVE):
        assert out(observation, [first, KEEP], finding).splitlines()[-1] == f"StaticText '{expected}'"


def test_in_an_address_the_escapes_are_seen_and_the_token_is_safe():
    observation = lines(
        ("StaticText", "noor@inbox.example"), ("link", "/to?m=noor%40inbox.example&n=1", "url", {})
    )
    finding = (Finding(0, 0, 0, 18, "email", ""),)
    assert out(observation, [REMOVE, KEEP], finding) == "link '/to?m=EMAIL&n=1'\n"


def test_a_code_split_over_neighbours_is_masked_in_both():
    observation = lines(("StaticText", "731046"), ("cell", "Code 731"), ("cell", "046 now"))
    done = out(observation, [REMOVE, KEEP, KEEP], (Finding(0, 0, 0, 6, "otp", ""),))
    assert done == "cell 'Code <CODE>'\ncell '<CODE> now'\n"


def test_what_a_person_keeps_stays_everywhere():
    observation = lines(
        ("cell", "noor@inbox.example"), ("cell", "noor@inbox.example"), ("cell", "noor@inbox.example")
    )
    findings = tuple(Finding(u, 0, 0, 18, "email", "") for u in range(3))
    decisions = made([ABSTRACT, KEEP, KEEP], ("model", "you", "model"))
    done = redact(observation, decisions, findings, Policy(), Pseudonyms())
    assert done.source == "cell '<EMAIL>'\ncell 'noor@inbox.example'\ncell 'noor@inbox.example'\n"
    assert done.originals == ()


def test_a_floor_text_is_looked_for_even_where_its_element_is_kept_with_a_reason():
    observation = lines(("cell", "4111 1111 1111 1111"), ("cell", "x"))
    findings = (Finding(0, 0, 0, 19, "card", ""),)
    n = np.full(2, 9, np.float32)
    kept = decide(observation, n * 0, n, findings, Policy(), {0: Override(KEEP, "a test card")})
    assert redact(observation, kept, findings, Policy(), Pseudonyms()).originals == ()
    held = decide(observation, n * 0, n, findings, Policy())
    done = redact(observation, held, findings, Policy(), Pseudonyms())
    assert done.source == "cell '<CARD>'\ncell 'x'\n"
    assert done.originals == ("4111 1111 1111 1111",)


def test_texts_at_one_place_are_rewritten_once():
    element = Element(
        0, "0", -1, "cell", (Text("name", "abc", Span(6, 9)), Text("description", "abc", Span(6, 9)))
    )
    observation = Observation("p", "lines", "cell 'abc'\n", (element,))
    assert out(observation, [ABSTRACT]) == "cell '<PRIVATE>'\n"


@settings(deadline=None, max_examples=200)
@given(st.lists(st.text(alphabet="ab1 7@.-％％７A", max_size=12), min_size=1, max_size=6), st.data())
def test_no_needle_is_left_whatever_the_texts(texts, data):
    """What was asked for is found by itself at least, and what is found is inside the texts."""
    observation = lines(*(("cell", t) for t in texts))
    for text in filter(str.strip, texts):
        hits = Haystack(observation).find(Needle(text, "email", text))
        for hit in hits:
            length = len(texts[hit.uid])
            assert 0 <= hit.start < hit.end <= length
        assert {i for i, t in enumerate(texts) if t == text} <= {hit.uid for hit in hits}
