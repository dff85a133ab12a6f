"""Many needles in one text: the index finds what one search after the other finds."""

from hypothesis import given
from hypothesis import strategies as st

from methods.minim import search
from methods.minim.search import Searched

LETTERS = "abé\0 1\U0001f512\udc80"


def one_by_one(text, wanted):
    return [
        (i, i + len(wanted))
        for i in range(len(text) - len(wanted) + 1)
        if wanted and text.startswith(wanted, i)
    ]


@given(st.text(LETTERS, max_size=120), st.data())
def test_the_index_finds_every_occurrence(text, data):
    start = data.draw(st.integers(0, len(text)))
    wanted = text[start : start + data.draw(st.integers(0, 20))]
    other = data.draw(st.text(LETTERS, max_size=9))
    searched = Searched(text)
    before = list(searched.all(wanted))
    searched._asked = search.PATIENCE
    for needle in (wanted, other):
        assert list(searched.all(needle)) == one_by_one(text, needle)
        assert (needle in searched) == bool(one_by_one(text, needle))
    assert before == one_by_one(text, wanted)
    assert (searched._keys is not None) == (max(len(wanted), len(other)) >= search.PIECE)


def test_cost_grows_with_the_needles_and_not_with_their_square():
    text = "\0".join(f"row {i} jane{i}@example.org" for i in range(20_000))
    searched = Searched(text)
    for i in range(20_000):
        assert len(list(searched.all(f"jane{i}@example.org"))) == 1
    assert "jane20000@" not in searched
