"""A tree with columns."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.views.tree_order import TreeOrder
from app.views.tree_table import Column, TreeTable

STYLES = (("#009E73", "plain", "✓"), ("#E69F00", "hatch", "≈"), ("#D55E00", "solid", "✕"))
PARENTS = [-1, 0, 1, 0, 3]
"""page ( list ( item ), form ( field ) )"""
ROLES = ["page", "list", "item", "form", "field"]
SCORES = np.array([5.0, np.nan, 1.25, 9.0, 3.0])


def columns(scores=SCORES):
    return [
        Column("role", ROLES, "tree"),
        Column("text", lambda row: f"text\nnumber {row}"),
        Column("s", scores, "number"),
        Column("decision", None, "chip"),
    ]


@pytest.fixture
def view(qtbot):
    view = TreeTable("Elements")
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.set_rows(columns(), PARENTS, [10, 11, 12, 13, 14])
    view.set_styles([0, 1, 2, 0, 1], STYLES, ("keep", "abstract", "remove"))
    view.show()
    qtbot.waitExposed(view)
    return view


@pytest.fixture
def heard(view):
    heard = []
    view.selected.connect(heard.append)
    return heard


def shown(view, column=0):
    model = view.table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def fold(view, qtbot, row):
    index = view.table.model().index(row, 0)
    area = view.table.cells.fold_area(index, view.table.visualRect(index))
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=area.center())


def test_rows_are_shown_as_text(view):
    assert shown(view) == ROLES
    assert shown(view, 1)[2] == "text number 2"
    assert shown(view, 2) == ["5.0", "–", "1.2", "9.0", "3.0"]
    assert shown(view, 3) == ["keep", "abstract", "remove", "keep", "abstract"]
    assert not view.grab().isNull()


def test_screen_readers_hear_the_column_and_the_level(view):
    role = Qt.ItemDataRole.AccessibleTextRole
    assert view.table.model().index(2, 0).data(role) == "role: item, level 3"
    assert view.table.model().index(2, 3).data(role) == "decision: remove"


def test_a_click_selects_and_select_is_silent(view, qtbot, heard):
    place = view.table.visualRect(view.table.model().index(3, 1)).center()
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert heard == [13]
    view.select(12)
    assert view.table.currentIndex().row() == 2 and heard == [13]
    view.select(999)
    assert not view.table.currentIndex().isValid()


def test_folding_hides_what_is_below_and_selecting_unfolds(view, qtbot, heard):
    fold(view, qtbot, 1)
    assert shown(view) == ["page", "list", "form", "field"]
    view.select(12)
    assert shown(view) == ROLES and view.table.currentIndex().data() == "item"
    assert heard == []


def test_new_values_keep_what_is_folded_and_selected(view, qtbot, heard):
    fold(view, qtbot, 3)
    view.select(11)
    view.set_rows(columns(SCORES + 1), PARENTS, [10, 11, 12, 13, 14])
    assert shown(view) == ["page", "list", "item", "form"]
    assert view.table.currentIndex().data() == "list" and heard == []


def test_new_scores_need_no_new_rows(view):
    view.set_columns(columns(np.zeros(5)))
    assert shown(view, 2) == ["0.0"] * 5


def test_filtering_shows_what_is_found_and_where_it_lies(view):
    view.set_filter("NUMBER 4")
    assert shown(view) == ["page", "form", "field"]
    view.set_filter("item text")
    assert shown(view) == ["page", "list", "item"]
    view.set_filter("nowhere")
    assert shown(view) == [] and not view.grab().isNull()
    view.set_filter("")
    assert shown(view) == ROLES


def test_sorting_is_a_list_and_the_third_click_a_tree_again(view, heard):
    view.select(13)
    head = view.table.horizontalHeader()
    head.setSortIndicator(2, Qt.SortOrder.AscendingOrder)
    assert shown(view) == ["item", "field", "page", "form", "list"]  # unknown last
    head.setSortIndicator(2, Qt.SortOrder.DescendingOrder)
    assert shown(view) == ["form", "page", "field", "item", "list"]
    head.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
    assert shown(view) == sorted(ROLES)
    head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    assert shown(view) == ROLES
    assert view.table.currentIndex().data() == "form" and heard == []


def test_left_and_right_walk_the_tree(view, qtbot, heard):
    view.select(12)
    for key, name in [
        (Qt.Key.Key_Left, "list"),
        (Qt.Key.Key_Left, "list"),
        (Qt.Key.Key_Right, "list"),
        (Qt.Key.Key_Right, "item"),
    ]:
        qtbot.keyClick(view.table, key)
        assert view.table.currentIndex().data() == name
    assert heard == [11, 12]


def test_letters_are_passed_on(view, qtbot):
    pressed = []
    view.key_pressed.connect(pressed.append)
    for letter in "karx":
        qtbot.keyClicks(view.table, letter)
    assert pressed == ["K", "A", "R"]


def test_copying_takes_the_row(view, qtbot):
    view.select(12)
    qtbot.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "item\ttext number 2\t1.2\tremove"


def test_lengths_must_match(view):
    with pytest.raises(ValueError, match="1 values of role"):
        view.set_rows([Column("role", ["one"])], [-1, 0])
    with pytest.raises(ValueError, match="2 rows have 1 ids"):
        view.set_rows([], [-1, 0], [1])


def test_circles_and_unknown_parents_become_roots():
    tree = TreeOrder([1, 0, 2, 99, 3])
    assert sorted(tree.order.tolist()) == [0, 1, 2, 3, 4]
    assert tree.parents.tolist() == [-1, 0, -1, -1, 3] and tree.depth.tolist() == [0, 1, 0, 0, 1]


@given(st.lists(st.integers(-1, 12), max_size=12), st.data())
def test_any_parents_give_an_order_with_parents_before_children(parents, data):
    tree = TreeOrder(parents)
    flags = st.lists(st.booleans(), min_size=len(parents), max_size=len(parents))
    collapsed, found = (np.array(data.draw(flags), bool) for _ in range(2))
    rows = range(len(parents))
    above = [tree.ancestors(row) for row in rows]
    assert sorted(tree.order.tolist()) == list(rows)
    for row in rows:
        below = [other for other in rows if row in above[other]]
        assert sorted(tree.order[tree.place[row] : tree.ends[row]].tolist()) == sorted([row, *below])
        assert tree.depth[row] == len(above[row])
    assert set(tree.unfolded(collapsed).tolist()) == {
        r for r in rows if not any(collapsed[a] for a in above[r])
    }
    kept = {r for f in rows if found[f] for r in (f, *above[f])}
    assert set(tree.with_ancestors(found).tolist()) == kept


def test_a_hundred_thousand_rows_do_not_stall(view):
    count = 100_000
    parents = (np.arange(count) - 1) // 6
    start = time.process_time()
    view.set_rows([Column("row", np.arange(count), "number", "d"), Column("text", str, "tree")], parents)
    view.set_styles(np.zeros(count, np.uint8), STYLES)
    view.table.viewport().repaint()
    assert time.process_time() - start < 1.0
    start = time.process_time()
    view.select(count - 1)
    view.table.viewport().repaint()
    assert time.process_time() - start < 0.2
