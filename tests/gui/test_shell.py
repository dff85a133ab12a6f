"""The window's frame: start page, commands, palette, settings, layouts, faults."""

import json
import logging
import sys

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMessageBox,
    QPlainTextEdit,
    QScrollBar,
    QWidget,
)

from app.commands import Command, CommandRegistry, match
from app.project.file import Project, write_project
from app.shell import dialogs, layout
from app.shell.faults import Faults
from app.shell.palette import CommandPalette, ShortcutSheet
from app.shell.settings import Settings
from app.theme.tokens import DARK, LIGHT, contrast
from methods.core import methods

INTERACTIVE = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
)


def unnamed(root):
    """Interactive widgets that a screen reader would be silent about."""
    for widget in root.findChildren(QWidget):
        if not isinstance(widget, INTERACTIVE) or isinstance(widget, (QScrollBar, QHeaderView)):
            continue
        # Qt's own pieces: the list and the buttons inside a combo box, a line edit, a scroll bar.
        inner = isinstance(widget.parent(), (QComboBox, QAbstractSpinBox, QLineEdit))
        popup = "QComboBox" in widget.parent().metaObject().className()
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        if not (widget.accessibleName() or text or inner or popup or widget.objectName().startswith("qt_")):
            yield f"{type(widget).__name__} in {type(widget.parent()).__name__}"


def test_none_keeps_its_references(qapp):
    label = QLabel()
    before = sys.getrefcount(None)
    for i in range(50_000):
        label.setText(str(i))
    assert sys.getrefcount(None) > before - 1000


def test_every_interactive_widget_has_a_name(window):
    for method in methods():
        window.show_panel(method.id)
    assert sorted(set(unnamed(window))) == []


def test_every_command_is_complete_and_answers(window):
    for method in methods():
        window.show_panel(method.id)
        for command in window.registry.all():
            assert "." in command.id and command.title
            command.is_enabled, command.checked and command.checked()
        assert window.registry.conflicts() == {}


def test_the_palette_finds_and_runs(window, qtbot):
    palette = CommandPalette(window.registry, window)
    qtbot.addWidget(palette)
    palette.show()
    qtbot.keyClicks(palette._query, "theme light")
    qtbot.keyClick(palette._query, Qt.Key.Key_Return)
    assert window.theme.mode == "light"


def test_commands_of_a_panel_come_and_go_with_it(window):
    window.show_panel("superquadrics")
    assert window.registry.get("shapes.fit") is not None
    window.show_start()
    assert window.registry.get("shapes.fit") is None
    titles = [action.text() for action in window.menuBar().actions()]
    assert len(set(titles)) == len(titles) and "Parts" not in titles


def test_a_shortcut_can_be_changed_but_not_taken_from_another(window, qtbot):
    sheet = ShortcutSheet(window.registry, window.settings, window)
    qtbot.addWidget(sheet)
    assert not sheet.assign("file.quit", "Ctrl+S")
    assert sheet.assign("file.quit", "Ctrl+Alt+Q")
    assert window.registry.get("file.quit").shortcut == "Ctrl+Alt+Q"
    assert Settings(window.settings._path)["shortcuts"] == {"file.quit": "Ctrl+Alt+Q"}


def test_matching_prefers_words_over_scattered_letters():
    assert match("fit", "Fit Fit object") < match("fit", "File quit it")
    assert match("zzz", "Fit object") is None


def test_two_commands_with_one_id_are_a_programming_error():
    command = Command("a.b", "A", lambda: None)
    with pytest.raises(ValueError):
        CommandRegistry().add([command, command])


def test_the_macro_log_remembers_what_was_done(window):
    window.registry.run("view.theme_dark")
    assert window.registry.macro[-1][1] == "view.theme_dark"
    assert not window.registry.run("no.such_command")


def test_both_looks_are_readable():
    for tokens in (DARK, LIGHT):
        for back in (tokens.window, tokens.panel, tokens.raised):
            assert contrast(tokens.text, back) >= 7
            for ink in (tokens.muted, tokens.good, tokens.warn, tokens.bad, tokens.accent):
                assert contrast(ink, back) >= 4.5, (ink, back)
        assert contrast(tokens.on_accent, tokens.accent) >= 4.5


def test_the_theme_switches_while_the_window_is_open(window):
    beside = window.start.mapTo(
        window, window.start.rect().topRight()
    )  # where no card is, however many there are

    def lightness():
        return window.grab().toImage().pixelColor(beside.x() - 30, beside.y() + 40).lightness()

    window.set_theme("dark")
    dark = lightness()
    window.set_theme("light")
    assert lightness() > dark + 100


# --------------------------------------------------------------------------------------------- settings


def test_settings_survive_every_cut_of_their_file(tmp_path):
    path = tmp_path / "settings.json"
    Settings(path).set("recent", ["a", "b"])
    data = path.read_bytes()
    for size in range(0, len(data), 7):
        path.write_bytes(data[:size])
        settings = Settings(path)
        assert settings["theme"] == "system" and settings["recent"] in ([], ["a", "b"])
        if settings.problem:
            assert (tmp_path / "settings.damaged.json").read_bytes() == data[:size]


@pytest.mark.parametrize("value", [3, None, [], {}, "x"])
def test_settings_of_the_wrong_type_fall_back_to_the_default(tmp_path, value):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"recent": value, "layouts": value, "theme": value, "unknown": 1}))
    settings = Settings(path)
    assert isinstance(settings["recent"], list) and isinstance(settings["layouts"], dict)


def test_settings_that_cannot_be_written_only_warn(tmp_path, caplog):
    settings = Settings(tmp_path / "no" / "folder" / "settings.json")
    settings.set("theme", "dark")
    assert settings["theme"] == "dark" and "could not be saved" in caplog.text


# ---------------------------------------------------------------------------------------------- layouts


def test_a_layout_comes_back(window, qapp):
    window.show_panel("superquadrics")
    window.docks["log"].hide()
    window.docks["jobs"].setFloating(True)
    window.save_layout("mine")
    window.reset_layout()
    qapp.processEvents()
    assert not window.docks["log"].isHidden() and not window.docks["jobs"].isFloating()
    window.apply_layout("mine")
    assert window.docks["log"].isHidden() and window.docks["jobs"].isFloating()


def test_a_window_from_a_screen_that_is_gone_comes_back_on_this_one(qapp):
    screen = QGuiApplication.primaryScreen().availableGeometry()
    for rect in (QRect(9000, 5000, 800, 600), QRect(-4000, -100, 90_000, 70_000), QRect(0, 0, 1, 1)):
        assert screen.contains(layout.on_screen(rect))


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        3,
        [],
        {"docks": 3},
        {"docks": {"jobs": 3, "log": {"area": 7, "size": "big", "tabs": 3, "order": "x"}}},
        {"window": [1, 2, 3], "docks": {}},
        {"window": [0, 0, 10**9, 4]},
        {"docks": {"jobs": {"floating": [1, 2, 3, -4]}}},
        {"docks": {"jobs": {"size": [True, 5]}, "log": {"size": [10**9, 3], "tabs": ["log", "none"]}}},
    ],
)
def test_damaged_layouts_are_ignored(window, damaged):
    layout.apply(window, damaged)


def test_a_start_that_died_while_restoring_starts_clean(qapp):
    from app.shell.application import make_window

    first = make_window(safe_mode=True)
    first.settings.set("last_layout", {"docks": {"log": {"visible": False, "area": "bottom"}}})
    first.settings.set("restoring_layout", True)
    second = make_window()
    assert not second.docks["log"].isHidden()
    third = make_window()
    assert third.docks["log"].isHidden()
    for made in (first, second, third):
        made.jobs.shutdown()
        made._clock.stop()
        made.log_view.detach()
        made.deleteLater()


def test_docks_shrink_and_grow(window, qapp):
    dock = window.docks["inspector"]
    window.show_panel("superquadrics")
    for width in (200, 420):
        window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
        qapp.processEvents()
        assert abs(dock.width() - width) <= 60


# ------------------------------------------------------------------------------------------------ faults


@pytest.fixture
def faults(qapp, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    import threading

    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    return Faults()


def boxes():
    return [
        w
        for w in QGuiApplication.instance().topLevelWidgets()
        if isinstance(w, QMessageBox) and w.isVisible()
    ]


def test_a_hundred_equal_errors_show_one_dialog(faults, qapp):
    def fail():
        raise ValueError("the same")

    for _ in range(100):
        try:
            fail()
        except ValueError:
            faults.handle(*sys.exc_info())
    qapp.processEvents()
    shown = boxes()
    assert len(shown) == 1 and "the same" in shown[0].informativeText()
    shown[0].close()
    assert list(faults.counts.values()) == [100]


def test_warnings_and_errors_reach_the_log_dock(window, qapp):
    logging.getLogger("studiolo").warning("something to read")
    logging.getLogger("studiolo").info("something else")
    qapp.processEvents()
    if "something to read" not in window.log_view._text.toPlainText():
        pytest.skip("the log store of this window is not the one installed in this process")
    window.log_view._filter.setText("read")
    assert window.log_view._text.toPlainText().count("\n") == 0


def test_the_problem_report_holds_no_private_paths(tmp_path):
    import zipfile
    from pathlib import Path

    target = tmp_path / "report.zip"
    dialogs.write_report(target, [f"opened {Path.home()}/secret.obj"], {"recent": ["x"], "theme": "dark"})
    with zipfile.ZipFile(target) as archive:
        text = "".join(archive.read(name).decode() for name in archive.namelist())
    assert str(Path.home()) + "/" not in text and '"recent"' not in text and "theme" in text


# ----------------------------------------------------------------------------------------------- the rest


def test_recent_files_that_are_gone_can_be_forgotten(window, tmp_path):
    window.settings.set("recent", [str(tmp_path / "gone.obj")])
    window.show_start()
    forget = [b for b in window.start.findChildren(QAbstractButton) if b.text() == "Forget"]
    assert len(forget) == 1
    forget[0].click()
    assert window.settings["recent"] == []


def test_a_file_no_method_opens_is_told(window, tmp_path, qapp):
    (tmp_path / "song.mp3").write_bytes(b"x")
    told = []
    window.tell = told.append
    window.open_files([tmp_path / "song.mp3"])
    assert "song.mp3" in told[0]


def test_saving_into_a_read_only_place_keeps_the_work_unsaved(window, tmp_path, monkeypatch):
    from app.project import session as session_module

    panel = window.show_panel("superquadrics")
    panel.operations.add()
    told = []
    window.tell = told.append

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(session_module, "write_project", refuse)
    assert not window.projects.save_to(tmp_path / "a.studiolo")
    assert window.session.dirty and "could not be saved" in told[0]


@pytest.mark.parametrize("opened_before", [False, True])
def test_a_damaged_project_is_not_what_save_writes_to(window, tmp_path, opened_before):
    if opened_before:
        window.show_panel("superquadrics").operations.add()
        window.session.entries["superquadrics"].document.mark_saved()
    path = tmp_path / "damaged.studiolo"
    write_project(path, Project({"superquadrics/parts.json": b'{"parts": 5}'}, {"active": "superquadrics"}))
    told = []
    window.tell = told.append
    window.open_files([path])
    assert len(told) == 1 and "not a parts file" in told[0]
    assert window.session.path is None and not window.session.dirty
    assert (window.panel is not None) == opened_before
    if opened_before:
        assert len(window.panel.operations.shape.parts) == 1


def test_what_the_system_refuses_is_told_in_words(window, tmp_path):
    told = []
    window.tell = told.append
    (tmp_path / "folder.studiolo").mkdir()
    window.open_files([tmp_path / "gone.studiolo", tmp_path / "folder.studiolo"])
    assert told == ["gone.studiolo: no such file or directory.", "folder.studiolo: is a directory."]


def test_quitting_asks_and_can_be_taken_back(window):
    window.show_panel("superquadrics").operations.add()
    answers = []
    window.ask_to_save = lambda title: answers.append(title) or "cancel"
    assert not window.close()
    assert answers == ["untitled"] and window.isVisible()


def test_about_and_checkpoint_dialogs_open(window, tmp_path, qtbot):
    import numpy as np

    from methods.core.inspect import describe

    np.savez(tmp_path / "w.npz", weight=np.zeros((3, 2)))
    for dialog in (
        dialogs.about_method(methods()[0], window),
        dialogs.about_program(window),
        dialogs.checkpoint_dialog(describe(tmp_path / "w.npz"), window),
    ):
        dialog.show()
        assert isinstance(dialog, QDialog) and sorted(set(unnamed(dialog))) == []
        dialog.close()


@pytest.mark.parametrize("size", [(700, 500), (900, 600), (2200, 1200)])
def test_the_window_takes_odd_sizes(window, qapp, size):
    window.resize(*size)
    for show in (window.show_start, lambda: window.show_panel("superquadrics")):
        show()
        qapp.processEvents()
        assert not window.grab().isNull()
    assert isinstance(window, QMainWindow)


def test_a_file_goes_to_the_method_that_knows_it_whatever_is_shown(window, tmp_path):
    from methods.core.declaration import ASSETS

    observation = ASSETS / "samples" / "minim" / "mail.json"
    parts = tmp_path / "parts.json"
    parts.write_text('{"format": "studiolo-superquadrics", "version": 1, "parts": []}')
    window.show_panel("superquadrics")
    for path, expected in ((observation, "minim"), (parts, "superquadrics"), (observation, "minim")):
        window.open_files([path])
        assert window.panel.method.id == expected


def test_a_method_without_samples_starts_from_its_card(window):
    from PySide6.QtWidgets import QPushButton

    buttons = {b.accessibleName(): b for b in window.start.findChildren(QPushButton)}
    buttons["Start Sycophancy drift"].click()
    assert window.panel.method.id == "monica"
    assert "Open my file in Sycophancy drift" not in buttons
