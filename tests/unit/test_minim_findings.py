"""What the privacy rules find, what they leave alone, and where they say it stands."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.minim import normalise, patterns, people
from methods.minim.context import kind_of
from methods.minim.findings import TYPES, find, type_of
from methods.minim.observation import Element, Observation, Text
from tests.shared import shared_path


def page(*rows: tuple) -> Observation:
    """Rows of (parent, role, name[, value[, states]]); uids count up."""
    elements = []
    for uid, (parent, role, name, *rest) in enumerate(rows):
        value, states = (*rest, "", {})[:2] if len(rest) < 2 else rest[:2]
        texts = tuple(Text(f, t) for f, t in (("name", name), ("value", value)) if t)
        elements.append(Element(uid, str(uid), parent, role, texts, states or {}))
    return Observation("page", "test", "", tuple(elements))


def found(observation: Observation, *secrets: str) -> list[tuple[int, str, str]]:
    """(uid, found characters, type) of each finding."""
    return [
        (f.uid, observation.elements[f.uid].texts[f.text].text[f.start : f.end], f.type)
        for f in find(observation, secrets)
    ]


def in_text(text: str) -> list[tuple[str, str]]:
    return [(chars, kind) for _, chars, kind in found(page((-1, "StaticText", text)))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Your verification code is 7323", [("7323", "otp")]),
        ("2FA code: 123-456", [("123-456", "otp")]),
        ("Fernhill: JBC3MF ist Ihr Sicherheitscode", [("JBC3MF", "otp")]),
        ("use G-774580 to sign in", [("G-774580", "otp")]),
        ("Code 731046 sent to +1 (555) 018-2231", [("731046", "otp"), ("+1 (555) 018-2231", "phone")]),
        ("door code 5271#, key under the pot", [("5271#", "access_code")]),
        ("Wi-Fi password: hunter2", [("hunter2", "password")]),
        ("Account DE44 5001 0517 5407 3249 31", [("DE44 5001 0517 5407 3249 31", "bank_account")]),
        ("SSN 914-26-4147", [("914-26-4147", "gov_id")]),
        ("DOB: May 14, 1978", [("May 14, 1978", "dob")]),
        ("Sent May 14, 2026", [("May 14, 2026", "date")]),
        ("Visa •••• 4829", [("•••• 4829", "card_part")]),
        ("key sk_live_4d1cA8cc9912kkzPq", [("sk_live_4d1cA8cc9912kkzPq", "secret")]),
        ("vT9kQm2xRb7LwPzN4c", [("vT9kQm2xRb7LwPzN4c", "secret")]),
        ("from 203.0.113.42 today", [("203.0.113.42", "ip_address")]),
        ("888 Brannan St, San Francisco, CA 94103", [("888 Brannan St, San Francisco, CA 94103", "address")]),
        ("Balance $12,450.82", [("$12,450.82", "amount")]),
        ("Type 2 diabetes", [("Type 2 diabetes", "health")]),
        ("The customer is Marco Rossi", [("Marco Rossi", "person")]),
        ("The customer is Xanthe Quillfeather", [("Xanthe Quillfeather", "person")]),
        ("Hi Noor, see you soon", [("Noor", "person")]),
        ("SOPHY SANTINO", [("SOPHY SANTINO", "person")]),
        ("O'Connor, Michelle", [("O'Connor, Michelle", "person")]),
    ],
)
def test_a_private_value_is_found_with_its_exact_place(text: str, expected: list[tuple[str, str]]) -> None:
    assert in_text(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Error code 0xC498: connection reset",
        "Dial code +49 · Postal code format 00000",
        "Password rules: at least 14 characters, one digit",
        "Build #559684 finished in 16 s",
        "Release v5.1 – public",
        "7247 people viewed this page in 2024",
        "INTRODUCTORY OFFER",
        "Enter your password",
        "Patient Letters",
        "LAST NAME",
        "Coastal Living Interiors",
        "Promo code SAVE2024",
        "Mark as read",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    ],
)
def test_labels_products_and_harmless_numbers_are_left_alone(text: str) -> None:
    assert in_text(text) == []


@pytest.mark.parametrize(
    ("text", "number", "right"),
    [
        ("Card 4111 1111 1111 1111", "4111 1111 1111 1111", True),
        ("Visa 4929 1234 5678 9012", "4929 1234 5678 9012", False),
        ("5555555555554444", "5555555555554444", True),
        ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", True),
        ("Card ４１１１ １１１１ １１１１ １１１１", "４１１１ １１１１ １１１１ １１１１", True),
        ("Card 4111\u200b1111\u200b1111\u200b1111", "4111\u200b1111\u200b1111\u200b1111", True),
    ],
)
def test_a_card_is_found_whole_however_it_is_written_and_its_checksum_is_told(
    text: str, number: str, right: bool
) -> None:
    (finding,) = find(page((-1, "StaticText", text)))
    assert (text[finding.start : finding.end], finding.type, finding.checksum) == (number, "card", right)


def test_years_beside_each_other_are_no_card() -> None:
    assert in_text("2019 2020 2021 2022") == []


def test_checksums_of_published_examples() -> None:
    assert patterns.luhn("4111111111111111")
    assert not patterns.luhn("4111111111111112")
    assert patterns.mod97("GB82WEST12345698765432")
    assert not patterns.mod97("GB82WEST12345698765433")


def test_a_password_field_counts_by_name_alone_and_covers_its_whole_value() -> None:
    form = page(
        (-1, "form", ""),
        (0, "textbox", "Enter your password", "two words 4417qz"),
        (0, "textbox", "Repeat password"),
        (0, "textbox", "Title", "x9", {"input_type": "password"}),
        (0, "textbox", "Search passwords", "mail"),
    )
    assert found(form) == [(1, "two words 4417qz", "password"), (3, "x9", "password")]


def test_the_text_inside_a_password_field_counts_too() -> None:
    assert found(page((-1, "textbox", "Password", "ab"), (0, "generic", ""), (1, "StaticText", "ab"))) == [
        (0, "ab", "password"),
        (2, "ab", "password"),
    ]


def test_the_column_header_tells_apart_equal_numbers() -> None:
    table = page(
        (-1, "table", ""),
        (0, "row", ""),
        (1, "columnheader", "Order #"),
        (1, "columnheader", "Member ID"),
        (0, "row", "6033391 8842207"),
        (4, "cell", "6033391"),
        (4, "cell", "8842207"),
    )
    findings = find(table)
    assert [type_of(findings, uid) for uid in (5, 6)] == ["doc_number", "insurance"]
    assert (4, "8842207", "insurance") in found(table)


def test_names_split_over_cells_are_found_wherever_they_are_repeated() -> None:
    table = page(
        (-1, "grid", ""),
        (0, "row", ""),
        (1, "columnheader", "LAST NAME"),
        (1, "columnheader", "FIRST NAME"),
        (0, "row", ""),
        (4, "gridcell", "QUILLFEATHER"),
        (4, "gridcell", "XANTHE"),
        (-1, "StaticText", "Selected: Quillfeather, Xanthe"),
        (-1, "link", "Export list"),
    )
    assert [f for f in found(table) if f[0] > 4] == [
        (5, "QUILLFEATHER", "person"),
        (6, "XANTHE", "person"),
        (7, "Quillfeather", "person"),
        (7, "Xanthe", "person"),
    ]
    assert not [f for f in found(table) if f[0] < 4]


def test_a_secret_split_over_neighbours_is_found_in_each_part() -> None:
    code = page(
        (-1, "alert", ""), (0, "StaticText", "Your code: 731"), (0, "StaticText", "046 (valid 10 min)")
    )
    assert found(code) == [(1, "731", "otp"), (2, "046", "otp")]
    mail = page((-1, "generic", ""), (0, "StaticText", "noor.hallam@"), (0, "StaticText", "inbox.example"))
    assert found(mail) == [(1, "noor.hallam@", "email"), (2, "inbox.example", "email")]
    card = page(
        (-1, "generic", "Card"), *[(0, "StaticText", part) for part in ("4111", "1111", "1111", "1111")]
    )
    assert [f[2] for f in found(card)] == ["card"] * 4


def test_the_label_before_a_value_tells_its_type() -> None:
    rows = page(
        (-1, "generic", ""),
        (0, "StaticText", "Member ID:"),
        (0, "StaticText", "BSC-9284710"),
        (-1, "generic", ""),
        (3, "StaticText", "Phone"),
        (3, "StaticText", "Email"),
    )
    assert found(rows) == [(2, "BSC-9284710", "insurance")]


def test_a_code_is_found_again_with_other_spacing() -> None:
    both = page(
        (-1, "StaticText", "OTP 731 046"), (-1, "StaticText", "Sent: 731046"), (-1, "cell", "Order 7310461")
    )
    assert [f[:2] for f in found(both) if f[2] == "otp"] == [(0, "731 046"), (1, "731046")]


def test_a_named_secret_is_found_as_a_whole_token_only() -> None:
    texts = (
        Text("name", "Level e2 access e24 and E2-zone Savee2"),
        Text("url", "/help/e24?ref=e2"),
        Text("copy", "e2"),
    )
    observation = Observation("page", "test", "", (Element(0, "e2", -1, "link", texts),))
    assert [(f.text, f.start, f.end, f.type) for f in find(observation, ["e2"])] == [
        (0, 6, 8, "given"),
        (1, 14, 16, "given"),
    ]


def test_links_hide_secrets_and_addresses_in_escapes() -> None:
    texts = (
        Text("url", "mailto:noor.hallam%40inbox.example"),
        Text("url", "/next?auth=vT9kQm2xRb7LwPzN4c&step=2"),
    )
    observation = Observation("page", "test", "", (Element(0, "", -1, "link", texts),))
    assert [(texts[f.text].text[f.start : f.end], f.type) for f in find(observation)] == [
        ("noor.hallam%40inbox.example", "email"),
        ("vT9kQm2xRb7LwPzN4c", "secret"),
    ]


def test_a_message_keeps_the_stronger_value_inside_it_apart() -> None:
    note = page((-1, "textbox", "Note", "please write to noor@inbox.example before noon"))
    assert [(chars.strip(), kind) for _, chars, kind in found(note)] == [
        ("please write to", "message"),
        ("noor@inbox.example", "email"),
        ("before noon", "message"),
    ]


def test_types_that_never_leave_are_passwords_codes_keys_and_cards() -> None:
    assert {t.id for t in TYPES.values() if t.floor} == {"password", "otp", "secret", "given", "card"}
    assert all(0 <= t.s <= 10 and t.id == key for key, t in TYPES.items())


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_folding_keeps_the_way_back(text: str) -> None:
    for folded in (normalise.fold(text), normalise.fold_url(text)):
        spans = [folded.span(i, i + 1) for i in range(len(folded.text))]
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert spans == sorted(spans)
        assert normalise.fold(normalise.fold(text).text).text == normalise.fold(text).text


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="aA1 -@.:4•Hi Noor%/=?code", max_size=40), max_size=6))
def test_findings_lie_inside_their_text_and_never_overlap(texts: list[str]) -> None:
    observation = page((-1, "generic", ""), *[(0, "StaticText", t) for t in texts])
    last: dict[tuple[int, int], int] = {}
    for f in find(observation, ["A1"]):
        assert (
            last.get((f.uid, f.text), 0)
            <= f.start
            < f.end
            <= len(observation.elements[f.uid].texts[f.text].text)
        )
        last[f.uid, f.text] = f.end


def test_no_text_makes_the_rules_slow() -> None:
    nasty = [
        "a" * 20_000,
        "1 " * 10_000,
        "A" * 20_000,
        "a." * 10_000,
        "a@" * 10_000,
        "4-" * 10_000,
        "Ab " * 7_000,
        "•" * 20_000,
        "=" * 20_000,
    ]
    start = time.process_time()
    for text in nasty:
        find(page((-1, "StaticText", text)))
    assert time.process_time() - start < 6


def test_names_are_no_names_without_capitals() -> None:
    assert people.scan("marco rossi") == ()
    assert not people.name_like("Order 12")


@pytest.mark.parametrize(
    "case",
    [
        "01_password_value",
        "02_short_secret",
        "03_field_copies",
        "04_id_by_header",
        "05_split_record",
        "06_hidden_text",
        "07_card_checksum",
        "08_split_code_and_scroll",
    ],
)
def test_hard_cases_leave_nothing_once_the_findings_are_masked(case: str) -> None:
    from methods.minim.formats import load

    folder = shared_path("cases", "ui", case)
    expected = json.loads((folder / "expected.json").read_text())
    observation = load(folder / expected["input"])
    findings = find(observation, expected.get("secrets", ()))
    left = []
    for e in observation.elements:
        for i, text in enumerate(e.texts):
            masked = text.text
            for f in sorted((f for f in findings if (f.uid, f.text) == (e.uid, i)), key=lambda f: -f.start):
                masked = masked[: f.start] + "▮" + masked[f.end :]
            left += [masked] if text.field != "copy" else []
    joined = "\n".join(left)
    assert [s for s in expected.get("must_not_survive", ()) if s in joined] == []
    assert [s for s in expected["must_survive"] if s not in joined] == []


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Tax number for the invoice (optional)", "gov_id"),
        ("Phone for the courier", "phone"),
        ("E-mail (work)", "email"),
        ("National identity number", "gov_id"),
        ("Tax", "amount"),
        ("Search for a phone", ""),
    ],
)
def test_a_label_may_say_what_for(label: str, kind: str) -> None:
    assert kind_of(label) == kind
