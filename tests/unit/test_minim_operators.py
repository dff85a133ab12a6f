"""What stands in the place of private texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.minim.findings import TYPES
from methods.minim.operators import OPERATORS, Pseudonyms, replacement
from methods.minim.patterns import luhn


def make(type: str, text: str, operator: str) -> str:
    return replacement(type, text, operator, Pseudonyms())


@pytest.mark.parametrize(
    ("type", "text", "operator", "expected"),
    [
        ("email", "noor@inbox.example", "token", "<EMAIL>"),
        ("email", "noor@inbox.example", "numbered", "EMAIL_1"),
        ("email", "noor@inbox.example", "fake", "person1@example.com"),
        ("email", "noor@inbox.example", "generalise", "an e-mail address"),
        ("card", "4929 1234 5678 9012", "last-four", "•••• •••• •••• 9012"),
        ("card", "４９２９ 1234 5678 9012", "last-four", "•••• •••• •••• 9012"),
        ("card", "4929 1234 5678 9012", "fake", "4000 0000 0000 0010"),
        ("card", "4929 1234 5678 9012", "generalise", "a Visa card"),
        ("card", "3782 822463 10005", "generalise", "an American Express card"),
        ("bank_account", "DE44 5001 0517 5407 3249 31", "last-four", "•••• •••• •••• •••• ••49 31"),
        ("otp", "731 046 22", "last-four", "<CODE>"),
        ("phone", "555-1234", "last-four", "<PHONE>"),
        ("phone", "+1 (555) 018-2231", "fake", "+1 202-555-0101"),
        ("dob", "1971-09-03", "generalise", "a date in 1971"),
        ("dob", "1971-09-03", "fake", "2000-01-02"),
        ("date", "September 3, 1971", "fake", "January 02, 2000"),
        ("date", "2000-01-02", "fake", "2000-01-03"),
        ("date", "next week", "fake", "<DATE>"),
        ("person", "NOOR HALLAM", "fake", "BILLIE SAMPLE"),
        ("person", "Noor Hallam", "generalise", "a person"),
        ("health", "asthma", "generalise", "health information"),
        ("password", "hunter2", "fake", "<PASSWORD>"),
        ("password", "hunter2", "state", "value-state=filled"),
        ("password", "", "state", "value-state=empty"),
        ("private", "anything", "token", "<PRIVATE>"),
        ("private", "anything", "generalise", "something private"),
    ],
)
def test_replacement(type, text, operator, expected):
    assert make(type, text, operator) == expected


def test_numbers_stay_the_same_over_a_trace():
    numbers = Pseudonyms()
    assert replacement("person", "NOOR HALLAM", "numbered", numbers) == "PERSON_1"
    assert replacement("person", "Marco Rossi", "numbered", numbers) == "PERSON_2"
    assert replacement("person", "Hallam, Noor", "numbered", numbers) == "PERSON_1"
    assert replacement("card", "4929 1234 5678 9012", "numbered", numbers) == "CARD_1"
    assert replacement("card", "4929123456789012", "numbered", numbers) == "CARD_1"


@given(st.integers(1, 10**9), st.integers(13, 19))
def test_fake_cards_pass_the_check_with_a_test_prefix(number, length):
    from methods.minim.operators import _test_card

    card = _test_card(number, length)
    assert len(card) == length and card.startswith("400000") and luhn(card)


@given(st.sampled_from(sorted(TYPES)), st.text(min_size=1), st.sampled_from(OPERATORS))
def test_every_operator_takes_any_text(type, text, operator):
    new = make(type, text, operator)
    assert new and (operator == "last-four" or "\n" not in new)


@given(st.text(alphabet="abcdefgh0123456789", min_size=6), st.sampled_from(["token", "numbered", "state"]))
def test_the_original_is_not_in_what_stands_for_it(text, operator):
    assert text.casefold() not in make("secret", text, operator).casefold()


def test_unknown_operator():
    with pytest.raises(BadInput, match='no operator "blur"'):
        make("email", "x", "blur")
