"""Codecs: what browsers and parsers read, and the way back into the file."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.minim.codecs import CODECS, decode, encode, offsets


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("noor&#64inbox.example", "noor@inbox.example"),
        ("731&nbsp046", "731\xa0046"),
        ("731&#x20;046", "731 046"),
        ("?a=1&copy=2", "?a=1&copy=2"),  # in a link target this is a parameter
        ("AT&T &amp; R&D", "AT&T & R&D"),
    ],
)
def test_html_escapes_as_browsers_read_them(raw, text):
    assert decode(raw, "html") == text


@pytest.mark.parametrize("raw", [r"\x", r"\U1", r"\u12", "\\"])
def test_broken_escapes_stay_as_they_are(raw):
    assert decode(raw, "json") == raw


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=40))
def test_html_agrees_with_the_standard_library_on_what_it_wrote(text):
    assert decode(encode(text, "html"), "html") == text == html.unescape(encode(text, "html"))


@given(st.sampled_from(sorted(set(CODECS) - {"json-number"})), st.text(max_size=30))
def test_each_character_has_its_place(codec, raw):
    places = offsets(raw, codec)
    assert len(places) == len(decode(raw, codec)) + 1
    assert places == sorted(places) and places[-1] == len(raw)
