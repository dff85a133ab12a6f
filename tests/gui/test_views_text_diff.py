"""The outgoing text and its changes."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication

from app.views.diff_text import KEPT, MASKED, REMOVED, DiffText, apply, seen
from app.views.text_diff_view import TextDiffView

BEFORE = "first\nthe secret line\nname: Ada Lovelace\nlast\n"
SECRET, NAME = BEFORE.index("the"), BEFORE.index("Ada")
EDITS = ((SECRET, SECRET + 16, ""), (NAME, NAME + 12, "[NAME_1]"))
AFTER = "first\nname: [NAME_1]\nlast\n"


@pytest.fixture
def view(qtbot):
    view = TextDiffView("Outgoing")
    qtbot.addWidget(view)
    view.resize(500, 200)
    view.set_texts(BEFORE, AFTER, EDITS)
    view.show()
    qtbot.waitExposed(view)
    return view


def test_edits_applied_are_the_text_after():
    assert apply(BEFORE, EDITS) == AFTER
    assert apply("abc", ((1, 1, "x"),)) == "axbc"
    for bad in [((2, 1, ""),), ((0, 2, ""), (1, 3, "")), ((0, 9, ""),), ((-1, 1, ""),)]:
        assert apply("abc", bad) is None


def test_removed_lines_are_shown_but_not_numbered():
    rows = DiffText(BEFORE, EDITS, True).rows(80)
    assert rows.numbers.tolist() == [1, 0, 2, 3]
    assert DiffText(BEFORE, EDITS, False).rows(80).numbers.tolist() == [1, 2, 3]


def test_pieces_say_what_became_of_them():
    text = DiffText(BEFORE, EDITS, True)
    assert [(p.text, p.kind) for p in text.pieces(0, len(text.text))] == [
        ("first\n", KEPT), ("the secret line\n", REMOVED), ("name: ", KEPT), ("[NAME_1]", MASKED), ("\nlast\n", KEPT),
    ]  # fmt: skip
    assert text.outgoing(0, len(text.text)) == AFTER
    assert text.original(text.text.index("[NAME")) == "Ada Lovelace" and text.original(0) == ""


def test_positions_map_between_both_texts():
    for shown in (True, False):
        text = DiffText(BEFORE, EDITS, shown)
        last = text.text.index("last")
        assert text.before_position(last) == BEFORE.index("last")
        assert text.shown_position(BEFORE.index("last")) == last
        assert text.before_position(text.text.index("NAME_1")) == NAME
        assert text.shown_position(NAME + 5) == text.text.index("[NAME_1]")
    hidden = DiffText(BEFORE, EDITS, False)
    assert hidden.shown_position(SECRET + 4) == hidden.text.index("name:")


def test_long_lines_wrap_and_wide_characters_take_two_columns():
    assert DiffText("a" * 25 + "\nb", (), False).rows(10).starts.tolist() == [0, 10, 20, 26]
    assert DiffText("検" * 12, (), False).rows(10).starts.tolist() == [0, 5, 10]


@given(st.text(alphabet="ab \n検\ud800\u202e", max_size=200), st.integers(2, 20), st.data())
def test_any_text_is_cut_into_rows_that_hold_all_of_it(before, columns, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(before)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits = [(a, b, data.draw(st.sampled_from(["", "[X]"]))) for a, b in pairs]
    text = DiffText(before, edits, data.draw(st.booleans()))
    rows = text.rows(columns)
    assert text.outgoing(0, len(text.text)) == apply(before, edits)
    joined = "".join(text.text[a:b] for a, b in zip(rows.starts, rows.ends, strict=True))
    assert joined == text.text.replace("\n", "") and (rows.ends - rows.starts <= columns).all()
    for position in range(len(text.text)):
        assert 0 <= text.before_position(position) <= len(before)
    for position in range(len(before) + 1):
        assert 0 <= text.shown_position(position) <= len(text.text)


def test_what_turns_the_writing_round_is_shown_as_a_dot():
    assert seen("a\tb\u202ec\ud800") == "a b·c·"


def test_a_click_tells_the_position_before(view, qtbot):
    heard = []
    view.selected.connect(heard.append)
    area = view.area
    x = round(area._left + area._metrics.horizontalAdvance("name: [NA"))
    qtbot.mouseClick(area.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, int(2.5 * area._height)))
    assert heard == [NAME]


def test_copying_never_takes_what_was_removed(view, qtbot):
    clipboard = QGuiApplication.clipboard()
    view.copy()
    assert clipboard.text() == AFTER
    view.area._choose_all()
    qtbot.keyClick(view.area, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == AFTER
    port, left = view.area.viewport(), Qt.MouseButton.LeftButton
    start, end = QPoint(round(view.area._left) + 1, 5), QPoint(450, int(1.5 * view.area._height))
    qtbot.mousePress(port, left, pos=start)
    qtbot.mouseMove(port, end)
    qtbot.mouseRelease(port, left, pos=end)
    qtbot.keyClick(view.area, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard.text() == "first\n"


def test_edits_that_lead_elsewhere_leave_the_plain_text(view):
    view.set_texts(BEFORE, "something else", EDITS)
    assert view.area._text.text == "something else"
    assert view.area.accessibleDescription() == "changes cannot be shown"


def test_hiding_what_was_removed_keeps_the_place(view):
    long = "\n".join(f"line {i}" for i in range(2000))
    cut = (long.index("line 100\n"), long.index("line 500\n"), "")
    view.set_texts(long, apply(long, (cut,)), (cut,))
    view.scroll_to(long.index("line 1500"))
    area = view.area

    def on_top():
        return area._text.text[area.position_at(QPointF(0, 1)) :].split("\n")[0]

    before = on_top()
    view.set_show_removed(False)
    assert on_top() == before and before.startswith("line 14")


def test_a_megabyte_in_one_line_is_drawn_at_once(view):
    text = "lorem ipsum " * 85_000
    start = time.process_time()
    view.set_texts(text, text, ())
    view.scroll_to(600_000)
    view.area.viewport().repaint()
    assert time.process_time() - start < 0.5
    rows = view.area._rows
    assert view.area.verticalScrollBar().value() > 0 and np.diff(rows.starts).max() < 100
