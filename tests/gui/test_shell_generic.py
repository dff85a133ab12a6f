"""The panel that is made from a declaration alone, and the table it shows its figures in."""

import csv
import io
import json
import math

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton

from app.panels import panel_class
from app.panels.generic.document import Setup, SetupCodec
from app.panels.generic.panel import GenericPanel
from app.panels.generic.result_view import arrays_in, table_of
from app.views.table import Table, cell_text
from methods.core import methods
from methods.core.errors import BadInput
from tests.gui import demo_method
from tests.gui.test_shell import unnamed


@pytest.fixture
def make_panel(window, qtbot, monkeypatch):
    """Open the generic panel for a method inside the real window."""

    def make(method):
        from app import window as window_module
        from app.shell import projects as projects_module
        from methods.core import registry

        monkeypatch.setattr(registry, "methods", lambda: (*methods(), demo_method.METHOD))
        monkeypatch.setattr(window_module, "panel_class", lambda _: GenericPanel)
        monkeypatch.setattr(window_module, "methods", lambda: (method,))
        monkeypatch.setattr(projects_module, "methods", lambda: (method,))
        monkeypatch.setattr(window.rail, "show_chosen", lambda _: None)
        return window.show_panel(method.id)

    return make


@pytest.fixture
def panel(make_panel):
    return make_panel(demo_method.METHOD)


@pytest.fixture
def numbers(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("3\n1\n2\n")
    return path


def settle(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy and not panel.running, timeout=20_000)
    qtbot.wait(20)


def opened(panel, qtbot, path):
    panel.open_path(path)
    settle(panel, qtbot)


def test_a_method_without_a_folder_gets_the_generic_panel():
    assert panel_class("no-such-method") is GenericPanel
    assert panel_class("superquadrics") is not GenericPanel


def test_open_run_look(panel, qtbot, numbers):
    opened(panel, qtbot, numbers)
    panel.run_default()
    settle(panel, qtbot)
    assert panel.figures.table.rows[0][:2] == ("sum", 12.0)
    assert panel.entries.table.columns == ("index", "value")
    assert [row[1] for row in panel.entries.table.rows] == [6.0, 2.0, 4.0]
    assert panel.arrays.histogram.isVisibleTo(panel.arrays)
    assert panel.strip.copy_command().startswith("studiolo demo scale")
    assert panel.document.history == ("Empty", "Open numbers.txt", "Scale done")
    assert sorted(set(unnamed(panel))) == [] == sorted(set(unnamed(panel.inspector)))


def test_the_form_edits_the_document_and_undo_brings_the_form_back(panel, qtbot, numbers):
    opened(panel, qtbot, numbers)
    line = next(w for w in panel.inspector.findChildren(QLineEdit) if w.accessibleName() == "factor")
    for text in ("3", "4", "5"):
        line.setText(text)
    assert panel.document.state.changed_parameters("scale") == {"factor": 5.0}
    assert len(panel.document.history) == 3, "a burst of edits is one step"
    line.setText("11")
    assert panel.document.state.changed_parameters("scale") == {"factor": 5.0}, "out of range stays out"
    panel.document.undo()
    assert line.text() == "2" and not panel.inspector_._showing


def test_a_result_is_the_next_actions_input(panel, qtbot, numbers):
    opened(panel, qtbot, numbers)
    panel.document.edit("forget", panel.document.state.with_files({"scaled": ""}))
    panel.run_default()
    settle(panel, qtbot)
    assert panel.document.state.file("numbers") == str(numbers), "its own input stays"
    panel.choose_action("count")
    panel.run_default()
    settle(panel, qtbot)
    assert panel.document.state.shown_result["first"] == 6.0
    assert panel.document.state.file("scaled") in panel.strip.copy_command()


def test_a_quick_action_follows_its_form(panel, qtbot, numbers):
    opened(panel, qtbot, numbers)
    panel.choose_action("quick")
    line = next(
        w
        for w in panel.inspector_.form(panel.action).findChildren(QLineEdit)
        if w.accessibleName() == "factor"
    )
    for factor in range(1, 10):
        line.setText(str(factor))
    settle(panel, qtbot)
    assert panel.document.state.shown_result["sum"] == 54.0
    assert panel.document.history[-1] == "Parameters of Sum"
    assert len(panel.document.history) == 4
    panel.document.undo()
    assert panel.document.state.result == ""


def test_a_bad_file_is_told_and_changes_nothing(panel, qtbot, numbers, tmp_path):
    opened(panel, qtbot, numbers)
    before = panel.document.state
    (tmp_path / "bad.txt").write_text("one two")
    opened(panel, qtbot, tmp_path / "bad.txt")
    assert panel.document.state is before
    assert "bad.txt holds something that is no number." in panel.message_bar.texts[0]
    opened(panel, qtbot, tmp_path / "missing.txt")
    assert "does not exist" in panel.message_bar.texts[-1] and panel.document.state is before
    opened(panel, qtbot, tmp_path / "song.mp3")
    assert "opens no such file" in panel.message_bar.texts[-1]


def test_what_is_missing_is_told(panel, qtbot):
    panel.run_default()
    assert "a list of numbers" in panel.message_bar.texts[0]


@pytest.mark.parametrize(
    ("action", "said"), [("fail", "The demonstration failed."), ("crash", "a mistake in the program")]
)
def test_failures_are_told_and_the_last_result_stays(panel, qtbot, numbers, action, said):
    opened(panel, qtbot, numbers)
    panel.run_default()
    settle(panel, qtbot)
    before = panel.document.state.result
    panel.choose_action(action)
    panel.run_default()
    settle(panel, qtbot)
    assert said in panel.message_bar.texts[-1] and panel.document.state.result == before


def test_a_run_shows_its_progress_and_can_be_stopped(panel, qtbot):
    panel.choose_action("wait")
    panel.run_default()
    qtbot.waitUntil(lambda: panel.inspector_._doing.text().startswith("step"), timeout=10_000)
    panel.run_default()
    assert len([job for job in panel.services.jobs.jobs if job.active]) == 1, "one run at a time"
    panel.stop()
    settle(panel, qtbot)
    assert "was stopped" in panel.message_bar.texts[-1]


def test_closing_the_panel_stops_its_run(panel, qtbot, window):
    panel.choose_action("wait")
    panel.run_default()
    qtbot.wait(50)
    window.close_panel()
    qtbot.waitUntil(lambda: not any(job.active for job in window.jobs.jobs), timeout=5000)
    qtbot.wait(50)


def test_warnings_are_shown(panel, qtbot, numbers):
    opened(panel, qtbot, numbers)
    panel.document.edit("x", panel.document.state.with_parameters("scale", {"sort": True}))
    panel.run_default()
    settle(panel, qtbot)
    assert "one warning" in panel.message_bar.texts[-1]
    assert [row[1] for row in panel.entries.table.rows] == [2.0, 4.0, 6.0]


def test_export(panel, qtbot, numbers, tmp_path):
    opened(panel, qtbot, numbers)
    panel.run_default()
    settle(panel, qtbot)
    panel.services.save_file_dialog = lambda title, suffixes: str(tmp_path / f"out{suffixes[0]}")
    panel.services.commands.run("export.any")
    settle(panel, qtbot)
    assert np.loadtxt(tmp_path / "out.txt").tolist() == [6.0, 2.0, 4.0]
    panel.services.commands.run("export.table")
    assert (tmp_path / "out.csv").read_text() == "index,value\n0,6.0\n1,2.0\n2,4.0\n"
    panel.services.commands.run("edit.copy_table")
    assert QGuiApplication.clipboard().text() == (tmp_path / "out.csv").read_text()
    panel.document.undo()
    panel.document.redo()
    assert panel.result_in_memory() is not None


def test_a_saved_project_brings_back_setup_and_figures(panel, qtbot, numbers, tmp_path, window):
    opened(panel, qtbot, numbers)
    panel.document.edit("x", panel.document.state.with_parameters("scale", {"factor": 3.0}))
    panel.run_default()
    settle(panel, qtbot)
    assert window.projects.save_to(tmp_path / "p.studiolo")
    saved = panel.document.state
    window.projects.new()
    assert panel.document.state == Setup()
    window.projects.open(tmp_path / "p.studiolo")
    assert panel.document.state.shown_result == saved.shown_result
    assert panel.figures.table.rows[0][1] == 18.0
    panel._latest = None  # as in another run of the program
    panel.services.commands.run("export.any")
    assert "only the figures are kept" in panel.message_bar.texts[-1]
    panel.run_default()
    settle(panel, qtbot)
    assert panel.document.state.shown_result["sum"] == 18.0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"files": 3}',
        b'{"files": {"a": 1}}',
        b'{"result": 3}',
        b'{"parameters": 3}',
        b'{"parameters": {"scale": 3}}',
        b'{"action": []}',
    ],
)
def test_damaged_members_are_one_clear_error(content):
    with pytest.raises(BadInput, match=r"panel\.json is damaged"):
        SetupCodec().load({"panel.json": content})


def test_parameters_of_an_older_declaration_are_left_out(panel):
    state = Setup().with_parameters("scale", {"factor": 99.0, "gone": 1, "sort": True})
    panel.document.edit("old project", SetupCodec().load(SetupCodec().save(state)))
    assert panel.inspector_.form(panel.action).value() == demo_method.ScaleParams(sort=True)


def test_every_real_method_works_in_it(make_panel, qtbot):
    for method in methods():
        panel = make_panel(method)
        assert isinstance(panel, GenericPanel)
        for sample in method.samples[:1]:
            panel.open_sample(sample)
            settle(panel, qtbot)
            assert panel.document.state.file(panel.action.inputs[0].name) == str(sample.path)
        assert panel.message_bar.texts == [] or "Error" not in panel.message_bar.texts[0]
        panel.choose_action(method.actions[-1].id)  # a quick one: it describes a file, or lists
        panel.run_default()
        settle(panel, qtbot)
        assert panel.document.state.shown_result, method.id


def test_drop_paste_and_choose(panel, qtbot, numbers, window):
    panel.services.open_file_dialog = lambda title, suffixes: str(numbers)
    choose = [b for b in panel.inspector.findChildren(QPushButton) if b.text() == "Choose…"]
    assert [b.isVisibleTo(panel.inspector) for b in choose] == [True, False]
    choose[0].click()
    settle(panel, qtbot)
    assert panel.document.state.file("numbers") == str(numbers)
    assert not panel.paste(QMimeData())
    combo = next(w for w in panel.inspector.findChildren(QComboBox) if w.accessibleName() == "What to run")
    row = combo.findData("fail")
    combo.setCurrentIndex(row)
    combo.activated.emit(row)
    assert panel.action.id == "fail" and not choose[0].isVisibleTo(panel.inspector)


# ------------------------------------------------------------------------------------------------- tables

AWKWARD = [
    None,
    True,
    1,
    -2.5,
    math.nan,
    math.inf,
    1e308,
    10**300,
    "text",
    "two\nlines",
    [1, 2],
    {"a": {"b": 1}},
    np.float32(0.5),
    np.arange(3),
    object(),
    "x" * 5000,
]


@pytest.fixture
def table(qtbot):
    table = Table("Things")
    qtbot.addWidget(table)
    table.resize(300, 200)
    table.show()
    return table


def test_a_table_shows_sorts_and_copies_anything(table, qtbot):
    table.set_rows(("index", "thing"), list(enumerate(AWKWARD)))
    assert not table.grab().isNull()
    for column in (0, 1):
        for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
            table.sortByColumn(column, order)
    assert sorted(row[0] for row in table.rows) == list(range(len(AWKWARD)))
    assert len(list(csv.reader(io.StringIO(table.csv())))) == len(AWKWARD) + 1
    table.selectRow(2)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().count("\t") == 1


def test_numbers_sort_by_size(table):
    table.set_rows(("n",), [(10,), (9.5,), (None,), (math.nan,), (np.int64(-3),), ("word",)])
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    assert [cell_text(row[0]) for row in table.rows[:4]] == ["-3", "9.5", "10", "word"]


def test_csv_keeps_every_digit(table):
    table.set_rows(("a", "b"), [(0.1 + 0.2, [1, 2]), ('comma, quote"', None)])
    rows = list(csv.reader(io.StringIO(table.csv())))
    assert float(rows[1][0]) == 0.1 + 0.2 and json.loads(rows[1][1]) == [1, 2]
    assert rows[2] == ['comma, quote"', ""]


def test_a_large_table_is_shown_at_once(table, qtbot):
    import time

    rows = [(i, i * 0.5, f"row {i}") for i in range(50_000)]
    begin = time.process_time()
    table.set_rows(("a", "b", "c"), rows)
    table.grab()
    assert time.process_time() - begin < 1.0


def test_short_rows_and_no_rows(table):
    for columns, rows in (((), []), (("a",), []), (("a", "b"), [(1,), ()]), ((), [(1, 2)])):
        table.set_rows(columns, rows)
        assert not table.grab().isNull()
        table.csv()


def test_nested_facts_become_tables():
    assert table_of([{"a": 1}, {"b": 2}]) == (("a", "b"), [(1, None), (None, 2)])
    assert table_of([[1, 2], [3]]) == (("1", "2"), [(1, 2), (3,)])
    assert table_of({"x": 1}) == (("name", "value"), [("x", 1)])
    assert table_of(np.array([5, 6])) == (("#", "value"), [(1, 5), (2, 6)])
    assert table_of("text") is None and table_of([]) is None and table_of(3.0) is None


def test_arrays_are_found_where_they_lie():
    assert list(arrays_in(np.ones(3))) == ["value"]
    assert list(arrays_in({"a": np.ones(2), "b": "text", "c": np.array(["s"]), "d": np.zeros(0)})) == ["a"]
    assert arrays_in(None) == {} == arrays_in(3) == arrays_in([1, 2])
