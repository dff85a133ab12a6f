"""Steps and traces: spans that meet, and runs that come back from JSON as they were."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.monica.steps import LIMIT, Segmenter, Span, StepSpan, segment
from methods.monica.text_stream import TextStream
from methods.monica.trace import Intervention, Step, Trace

pieces = st.lists(st.text(alphabet="ab 1.?!:\n</think>日", max_size=8), max_size=60)


def texts(given: list[str]) -> list[str]:
    whole = "".join(given)
    return [whole[s.text.start : s.text.end] for s in segment(given)]


def test_sentences_and_lines_are_steps():
    assert texts(["First add 8", ".", " Then", " add nine", ".", "\n", "So it is 17"]) == [
        "First add 8. Then add nine.",
        "\nSo it is 17",
    ]
    assert texts(["So 3 plus 8 = 11", ".\n", "Answer: 11"]) == ["So 3 plus 8 = 11.\n", "Answer: 11"]


def test_short_lines_wait_for_more():
    assert texts(["1.\n", "Yes\n", "and more\n"]) == ["1.\nYes\n", "and more\n"]


def test_a_full_stop_after_a_digit_ends_nothing():
    assert texts(["The number pi is 3", ".", "14", " or so", "."]) == ["The number pi is 3.14 or so."]


def test_thinking_closes_with_its_mark():
    assert texts(["abc", "</th", "ink>", "The", " answer"]) == ["abc</think>", "The answer"]


def test_endless_steps_are_cut():
    assert [len(s.tokens) for s in segment(["a"] * (2 * LIMIT + 3))] == [LIMIT, LIMIT, 3]


@given(pieces)
def test_spans_meet_and_cover_everything(given_pieces):
    spans = segment(given_pieces)
    place = Span(0, 0), Span(0, 0)
    for span in spans:
        assert (span.tokens.start, span.text.start) == (place[0].end, place[1].end)
        assert len(span.tokens) > 0
        assert "".join(given_pieces[: span.tokens.end]) == "".join(given_pieces)[: span.text.end]
        place = span.tokens, span.text
    assert place[0].end == len(given_pieces)


@given(pieces, pieces)
def test_a_rewound_segmenter_forgets(first, second):
    segmenter, done = Segmenter(), []
    for piece in first:
        span = segmenter.push(piece)
        if span:
            done.append(span)
    segmenter.rewind(segmenter.open)
    again = [s for p in second if (s := segmenter.push(p))]
    start = done[-1] if done else StepSpan(Span(0, 0), Span(0, 0))
    fresh = segment(second)
    shift = start.tokens.end, start.text.end
    assert [(s.tokens.start - shift[0], s.text.end - shift[1]) for s in again] == [
        (s.tokens.start, s.text.end) for s in fresh[: len(again)]
    ]


def byte_decode(ids):
    return bytes(ids).decode("utf-8", errors="replace")


@given(st.text())
def test_streams_never_show_half_a_character(text):
    if "\ufffd" in text:
        return
    stream = TextStream(byte_decode)
    shown = [stream.push(b) for b in text.encode()]
    assert "".join(shown) + stream.finish() == text
    assert all("\ufffd" not in piece for piece in shown)


def test_half_a_character_at_the_end_is_left_out():
    stream = TextStream(byte_decode)
    assert [stream.push(b) for b in "日".encode()[:2]] == ["", ""]
    assert stream.finish() == ""


def test_a_rewound_stream_goes_on():
    stream = TextStream(byte_decode)
    for b in "naïve ".encode():
        stream.push(b)
    mark = stream.mark()
    for b in "日本".encode()[:4]:
        stream.push(b)
    stream.rewind(mark)
    assert "".join(stream.push(b) for b in "ö".encode()) == "ö"


def trace() -> Trace:
    undone = Intervention("rollback", 0.9, dropped="So 1 and 1 = 3.\n", tokens=6)
    steps = (
        Step(
            0,
            "日: 1 plus 1 = 2.\n",
            Span(0, 4),
            Span(0, 17),
            0.25,
            0.25,
            (0.1, 0.2, 0.2, 0.25),
            0.0,
            3.5,
            (undone,),
        ),
        Step(1, "Answer: 2", Span(4, 6), Span(17, 26), 0.75, 0.5, (0.5, 0.75), 1.5, 2.0),
    )
    return Trace(
        "Add",
        (1, 2),
        "日: 1 plus 1 = 2.\nAnswer: 2",
        (5, 6, 7, 8, 9, 10),
        steps,
        "eos",
        "toy",
        "ab",
        7,
        6,
        {"a": 1},
    )


def test_runs_come_back_from_json():
    assert Trace.from_json(trace().to_json()) == trace()


def test_crossings_fall_as_the_threshold_rises():
    assert [trace().crossings(t) for t in (0.0, 0.25, 0.5, 0.75, 1.0)] == [[0, 1], [1], [1], [], []]
    assert trace().prefix(1) == (5, 6, 7, 8) and trace().prefix(0) == () and trace().prefix(2) == trace().ids
    with pytest.raises(BadInput, match="no step 4"):
        trace().prefix(3)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"finish": "boom"},
        {"ids": ["x"]},
        {"steps": [{}]},
        {"text": "other"},
        {"settings": []},
    ],
)
def test_damaged_runs_are_refused(change):
    with pytest.raises(BadInput):
        Trace.from_json(json.dumps(json.loads(trace().to_json()) | change))


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"version": "a"}', "[" * 100_000])
def test_what_is_no_run_is_refused(text):
    with pytest.raises(BadInput):
        Trace.from_json(text)


def test_scores_outside_the_unit_interval_are_refused():
    data = json.loads(trace().to_json())
    data["steps"][0]["score"] = 1.5
    with pytest.raises(BadInput, match="outside 0 to 1"):
        Trace.from_dict(data)
