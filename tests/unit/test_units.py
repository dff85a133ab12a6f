"""Lengths as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.views.units import parse_length, parse_number, show


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("12", "m", 12),
        ("12 mm", "m", 0.012),
        ("1.5cm", "mm", 15),
        ("2 in", "cm", 5.08),
        ("-3e-2", "", -0.03),
        ("1,5", "m", 1.5),
        ("−4 mm", "mm", -4),
        (".5 m", "m", 0.5),
        ("7 m", "m", 7),
    ],
)
def test_units_are_converted(text, unit, value):
    assert parse_length(text, unit) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "unit"),
    [("", "m"), ("abc", "m"), ("1 parsec", "m"), ("3 mm", ""), ("1e999", "m"), ("nan", "m"), ("1 2", "m")],
)
def test_wrong_text_is_refused(text, unit):
    with pytest.raises(ValueError):
        parse_length(text, unit)


def test_angles_may_carry_their_sign():
    assert parse_number("45°") == 45


@given(st.floats(-1e12, 1e12).filter(lambda v: v == 0 or abs(v) > 1e-12))
def test_shown_numbers_keep_four_digits(value):
    assert float(show(value)) == pytest.approx(value, rel=6e-4)


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (-1e-14, "-1e-14"), (100.0, "100"), (0.06, "0.06")])
def test_shown_numbers_are_short(value, text):
    assert show(value) == text
