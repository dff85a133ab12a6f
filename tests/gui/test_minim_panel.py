"""The privacy panel in the real window: open, type a task, drag a threshold, overrule, export."""

import json

import numpy as np
import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel

from app.panels.minim.panel import MinimPanel
from methods.core.declaration import ASSETS
from tests.gui.minim_fakes import METHOD, PAGE, use_fake_scorer
from tests.gui.test_shell import unnamed


@pytest.fixture
def scorer(monkeypatch):
    return use_fake_scorer(monkeypatch)


@pytest.fixture
def panel(window, monkeypatch, scorer):
    from app import window as window_module
    from app.shell import projects as projects_module

    monkeypatch.setattr(window_module, "panel_class", lambda _: MinimPanel)
    monkeypatch.setattr(window_module, "methods", lambda: (METHOD,))
    monkeypatch.setattr(projects_module, "methods", lambda: (METHOD,))
    monkeypatch.setattr(window.rail, "show_chosen", lambda _: None)
    return window.show_panel("minim")


@pytest.fixture
def inbox(tmp_path):
    path = tmp_path / "inbox.txt"
    path.write_text(PAGE)
    tasks = {"tasks": ["read the statement", "sign in with the verification code", "compose"]}
    (tmp_path / "inbox.tasks.json").write_text(json.dumps(tasks))
    return path


def settle(panel, qtbot):
    qtbot.waitUntil(lambda: not panel.busy, timeout=20_000)
    qtbot.wait(20)  # what the last job found is shown
    if panel.document.state.observation is not None:
        qtbot.waitUntil(lambda: panel.scoring.current or panel.scoring.problem is not None, timeout=20_000)
    qtbot.wait(20)


@pytest.fixture
def opened(panel, qtbot, inbox):
    panel.open_path(inbox)
    settle(panel, qtbot)
    return panel


def element(panel, native_id):
    return next(e for e in panel.document.state.observation.elements if e.native_id == native_id)


def decision(panel, native_id):
    uid = element(panel, native_id).uid
    return int(panel.scoring.decisions.codes[uid]), panel.scoring.decisions.by[uid]


def test_open_score_and_check(opened):
    assert opened.scoring.problem is None
    assert opened.task_bar.box.text() == "read the statement"
    assert [b.toolTip() for b in opened.task_bar.examples] == list(opened.document.state.examples)
    text = opened.scoring.outgoing.redaction.source
    assert "482 913" not in text and "[134]" in text
    assert opened.inspector_.export.export.isEnabled()
    assert opened.document.history == ("Empty", "Open inbox.txt")
    before, after = opened.scoring.outgoing.tokens
    assert opened.inspector_.observation.text_of("tokens") == f"{before:,} → {after:,}"


def test_every_widget_has_a_name(opened):
    assert sorted(set(unnamed(opened))) == [] == sorted(set(unnamed(opened.inspector)))


def test_typing_a_task_rescores_once_for_many_keys_and_is_one_step(opened, qtbot, scorer):
    opened.task_bar.box.clear()
    reads = scorer.reads
    qtbot.keyClicks(opened.task_bar.box, "sign in with the verification code")
    settle(opened, qtbot)
    assert opened.scoring.scored.task == "sign in with the verification code"
    assert scorer.reads == reads, "the page itself is not read again"
    assert len(opened.document.history) == 3
    opened.document.undo()
    settle(opened, qtbot)
    assert opened.scoring.scored.task == "read the statement" == opened.task_bar.box.text()


def test_a_threshold_decides_at_once_without_scores(opened, qtbot, scorer):
    tasks = scorer.tasks
    steps = len(opened.document.history)
    for value in (2.0, 3.0, 6.0):
        opened.views.plane.threshold_moved.emit("y", value, value == 6.0)
    assert opened.document.state.tau_s == 6.0
    assert not opened.scoring.current, "what leaves is out of date until it is checked again"
    assert not opened.inspector_.export.export.isEnabled()
    settle(opened, qtbot)
    assert scorer.tasks == tasks
    assert len(opened.document.history) == steps + 1, "a drag is one step"
    assert opened.inspector_.policy.tau_s.number.value() == 6.0
    assert opened.inspector_.export.export.isEnabled()


def test_select_anywhere_is_selected_everywhere(opened):
    uid = element(opened, "141").uid
    opened.views.plane.selected.emit(uid)
    assert opened.selected == uid
    assert "ELEMENT 141" in opened.inspector_._element_head.text()
    assert opened.inspector_.element.sentence.text().startswith("One-time code")
    opened.select_near(1)
    assert opened.selected_element.native_id == "169"


def test_overrule_lock_and_undo(opened, qtbot, window):
    opened.select(element(opened, "127").uid)
    assert window.registry.run("privacy.remove")
    assert decision(opened, "127") == (2, "you")
    assert window.registry.run("privacy.lock")
    assert window.registry.run("privacy.keep")
    assert decision(opened, "127") == (2, "you"), "it is locked"
    assert "is locked" in opened.message_bar.texts[-1]
    opened.set_task("compose a message")
    settle(opened, qtbot)
    assert decision(opened, "127") == (2, "you"), "a decision survives another task"
    while opened.document.can_undo and opened.document.state.rulings:
        opened.document.undo()
    assert decision(opened, "127")[1] == "model"


def test_the_floor_asks_for_a_reason(opened, qtbot, monkeypatch):
    opened.select(element(opened, "141").uid)
    asked = []
    monkeypatch.setattr(opened.deciding, "ask_reason", lambda what, kind: asked.append(kind) or "")
    opened.deciding.rule("element", 0)
    assert decision(opened, "141")[0] != 0
    monkeypatch.setattr(opened.deciding, "ask_reason", lambda what, kind: "the code is used up")
    opened.deciding.rule("element", 0)
    assert asked == ["one-time code"]
    assert decision(opened, "141") == (0, "you")
    assert "the code is used up" in opened.inspector_.element.sentence.text()
    settle(opened, qtbot)
    assert "482 913" in opened.scoring.outgoing.redaction.source


def test_my_secrets_are_found_and_masked(opened, qtbot):
    opened.set_secrets(("Northbank", "ab"))
    settle(opened, qtbot)
    assert "Northbank" not in opened.scoring.outgoing.redaction.source
    assert any("is short" in text for text in opened.message_bar.texts)


def test_an_operator_changes_what_stands_in_the_place(opened, qtbot):
    opened.move_threshold("n", 0.0)
    opened.choose_operator(("email",), "numbered")
    settle(opened, qtbot)
    assert "EMAIL_1" in opened.scoring.outgoing.redaction.source
    box = opened.inspector_.policy.operator_box("email")
    assert box.currentData() == "numbered"


def test_why_opens_with_the_sentence(opened, window):
    opened.select(element(opened, "141").uid)
    assert window.registry.run("privacy.why")
    assert opened.popover.isVisible()
    opened.popover.close()


def test_why_tells_what_the_network_went_by(opened, window, qtbot):
    opened.set_task("read the statement")
    settle(opened, qtbot)
    opened.select(element(opened, "134").uid)
    assert window.registry.run("privacy.why")
    height = opened.popover.height()

    def shown():
        return " ".join(label.text() for label in opened.popover.findChildren(QLabel))

    qtbot.waitUntil(lambda: "task: words shared" in shown())
    assert opened.popover.height() > height
    assert "+1.50" in shown() and "-0.25" in shown() and "heard from “Inbox”" in shown()
    opened.popover.close()


@pytest.mark.parametrize("text", ["", "nothing known", "{", "[1, 2"])
def test_a_bad_file_leaves_what_was_open(opened, qtbot, tmp_path, text):
    before = opened.document.state
    bad = tmp_path / "bad.json"
    bad.write_text(text)
    opened.open_path(bad)
    settle(opened, qtbot)
    assert opened.document.state is before
    assert len(opened.message_bar.texts) == 1


def test_a_scorer_that_fails_closes_the_export(opened, qtbot, monkeypatch):
    from app.panels.minim import readings
    from methods.core.errors import WorkFailed

    def broken():
        raise WorkFailed("The weights are missing.", "Install them.")

    monkeypatch.setattr(readings, "scorer", broken)
    opened.set_task("another task")
    settle(opened, qtbot)
    assert not opened.inspector_.export.export.isEnabled()
    assert "The weights are missing." in opened.inspector_.export.reason.text()


def test_the_project_comes_back(opened, qtbot, window, tmp_path):
    opened.select(element(opened, "127").uid)
    opened.deciding.rule("element", 2)
    window.session.save(tmp_path / "a.studiolo")
    opened.document.undo()
    window.session.open(tmp_path / "a.studiolo")
    settle(opened, qtbot)
    assert decision(opened, "127") == (2, "you")
    window.session.new()
    assert opened.document.state.observation is None
    assert not opened.inspector_.export.export.isEnabled()


def test_five_thousand_elements_are_decided_within_a_frame(panel, qtbot, tmp_path):
    import time

    lines = ["RootWebArea 'Big'"] + [f"\t[{i}] StaticText 'row {i} statement'" for i in range(5000)]
    path = tmp_path / "big.txt"
    path.write_text("\n".join(lines) + "\n")
    panel.open_path(path)
    settle(panel, qtbot)
    panel.scoring._settle.stop()
    taken = []
    for value in np.linspace(0.1, 4.0, 10):
        start = time.process_time()
        panel.move_threshold("n", float(value), False)
        taken.append(time.process_time() - start)
    assert sorted(taken)[5] < 0.033


def folder_of_steps(tmp_path):
    folder = tmp_path / "trace"
    folder.mkdir()
    (folder / "step_2.txt").write_text(PAGE)
    (folder / "step_10.txt").write_text(PAGE.replace("jane.roe@example.org", "max@example.org"))
    (folder / "step_1.txt").write_text(PAGE.replace("jane.roe@example.org", "max@example.org"))
    (folder / "step_3.txt").write_text("not an observation")
    return folder


def test_a_trace_is_stepped_through_with_the_same_task(panel, qtbot, window, tmp_path):
    panel.open_path(folder_of_steps(tmp_path))
    settle(panel, qtbot)
    assert panel.document.state.observation.name == "step_1.txt"
    assert panel.task_bar.place.text() == "step 1 of 4"
    panel.set_task("read the statement")
    panel.choose_operator(("email",), "numbered")
    panel.move_threshold("n", 0.0)
    settle(panel, qtbot)
    assert "EMAIL_1" in panel.scoring.outgoing.redaction.source
    assert window.registry.run("privacy.next_step")
    settle(panel, qtbot)
    assert panel.document.state.observation.name == "step_2.txt"
    assert panel.document.state.task == "read the statement"
    assert "EMAIL_2" in panel.scoring.outgoing.redaction.source, "another address has another number"
    panel.document.undo()
    settle(panel, qtbot)
    assert panel.document.state.step == 0
    assert "EMAIL_1" in panel.scoring.outgoing.redaction.source


def test_a_trace_is_minimised_with_a_report_and_resumed(panel, qtbot, tmp_path, scorer):
    panel.open_path(folder_of_steps(tmp_path))
    settle(panel, qtbot)
    panel.choose_operator(("email",), "numbered")
    panel.move_threshold("n", 0.0)
    settle(panel, qtbot)
    out = tmp_path / "out"
    with qtbot.waitSignal(panel.idle, timeout=20_000):
        panel.traces.run(out)
    rows = json.loads((out / "report.json").read_text())["steps"]
    assert [(row["file"], row["state"]) for row in rows] == [
        ("step_1.txt", "written"), ("step_2.txt", "written"), ("step_3.txt", "failed"), ("step_10.txt", "written"),
    ]  # fmt: skip
    assert "EMAIL_1" in (out / "001" / "step_1.txt").read_text()
    assert "EMAIL_2" in (out / "002" / "step_2.txt").read_text()
    assert "EMAIL_1" in (out / "004" / "step_10.txt").read_text(), "the same address, the same number"
    for file in out.rglob("*"):
        assert not file.is_file() or "@example.org" not in file.read_text()
    written = (out / "002" / "step_2.txt").stat().st_mtime_ns
    (out / "001" / "step_1.txt").unlink()
    with qtbot.waitSignal(panel.idle, timeout=20_000):
        panel.traces.run(out)
    assert (out / "001" / "step_1.txt").is_file()
    assert (out / "002" / "step_2.txt").stat().st_mtime_ns == written, "what was done is not done again"
    assert (out / "report.csv").read_text().splitlines()[0].startswith("file,state,keep,abstract,remove")


def test_export_writes_what_is_shown_and_nothing_else(opened, qtbot, tmp_path):
    out = tmp_path / "out"
    with qtbot.waitSignal(opened.idle, timeout=20_000):
        opened.exporter.write(out)
    assert sorted(file.name for file in out.iterdir()) == ["inbox.txt", "manifest.json"]
    assert (out / "inbox.txt").read_text() == opened.scoring.outgoing.redaction.source
    assert opened.strip.result.provenance.changed == {"task": "read the statement"}
    assert opened.strip.result.facts["leak_check"] is True
    manifest = (out / "manifest.json").read_text()
    assert json.loads(manifest)["policy"]["tau_s"] == 5.0
    for secret in ("482 913", "jane.roe"):
        assert secret not in manifest and secret not in (out / "inbox.txt").read_text()


def test_a_click_in_the_text_selects_the_element(opened):
    source = opened.document.state.observation.source
    opened.views.text.selected.emit(source.index("482 913"))
    assert opened.selected_element.native_id == "141"
    opened.views.text.selected.emit(source.index("[183]") + 1)
    assert opened.selected_element.native_id == "183"


def test_the_shown_changes_lead_to_what_leaves(opened, qtbot):
    opened.select(element(opened, "183").uid)
    opened.deciding.rule("element", 2)
    settle(opened, qtbot)
    outgoing = opened.scoring.outgoing
    source, text, at = opened.document.state.observation.source, "", 0
    for start, end, new in outgoing.changes:
        text += source[at:start] + new
        at = end
    assert text + source[at:] == outgoing.redaction.source


def test_an_observation_is_pasted(panel, qtbot):
    mime = QMimeData()
    mime.setText(PAGE)
    assert panel.paste(mime)
    settle(panel, qtbot)
    assert element(panel, "141").text == "Your verification code is 482 913"
    mime.setText("word")
    assert not panel.paste(mime)


def test_a_picture_of_another_size_is_doubted(opened, qtbot, tmp_path):
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(0)
    image.save(str(tmp_path / "other.png"))
    opened.open_path(tmp_path / "other.png")
    assert opened.views.picture_size() == (40, 30)
    (tmp_path / "broken.png").write_bytes(b"not a picture")
    opened.open_path(tmp_path / "broken.png")
    assert opened.views.picture_size() is None
    assert any("cannot be read" in text for text in opened.message_bar.texts)


def test_scores_that_are_no_numbers_close_the_export(opened, qtbot, monkeypatch, scorer):
    monkeypatch.setattr(scorer, "necessity", lambda page, task: np.full(len(page.s), np.nan, np.float32))
    opened.set_task("another task")
    qtbot.waitUntil(lambda: opened.scoring.problem is not None, timeout=10_000)
    assert opened.scoring.decisions is None
    assert not opened.inspector_.export.export.isEnabled()


def test_the_picture_is_previewed_as_it_leaves(panel, qtbot, window):
    sample = ASSETS / "samples" / "minim" / "mail.json"
    panel.open_path(sample)
    settle(panel, qtbot)
    assert panel.views.picture_size() == (1280, 900)
    assert window.registry.run("privacy.preview")
    covered = panel.scoring.outgoing.covered
    assert len(covered) > 0 and len(panel.views.boxes._rects) <= len(covered)
    panel.move_threshold("n", 0.0)
    settle(panel, qtbot)
    assert len(panel.scoring.outgoing.covered) < len(covered)
    assert window.registry.run("privacy.preview")
    assert len(panel.views.boxes._rects) == len(panel.views._boxed)


def test_tokens_of_a_trace_lie_in_the_project(panel, qtbot, window, tmp_path):
    panel.open_path(folder_of_steps(tmp_path))
    settle(panel, qtbot)
    panel.move_threshold("n", 0.0)
    panel.choose_operator(("email",), "numbered")
    settle(panel, qtbot)
    panel.traces.step(1)
    settle(panel, qtbot)
    given = dict(panel.scoring.tokens.numbers)
    assert len(given) == 2
    window.session.save(tmp_path / "a.studiolo")
    panel.scoring.tokens.trace, panel.scoring.tokens.numbers = (), {}
    window.session.open(tmp_path / "a.studiolo")
    settle(panel, qtbot)
    assert panel.scoring.tokens.numbers == given
    assert "EMAIL_2" in panel.scoring.outgoing.redaction.source


def test_letters_decide_from_the_table_and_write_in_the_task(opened, qtbot, window):
    window.activateWindow()
    opened.views.table.setFocus()
    opened.select(element(opened, "127").uid)
    qtbot.keyClick(opened.views.table.table, "r")
    qtbot.waitUntil(lambda: decision(opened, "127") == (2, "you"), timeout=2000)
    opened.focus_task()
    qtbot.keyClick(opened.task_bar.box, "k")
    assert opened.document.state.task == "k"
    assert decision(opened, "127") == (2, "you")


def test_no_private_text_reaches_the_messages_and_the_log(opened, qtbot, caplog):
    opened.select(element(opened, "141").uid)
    opened.deciding.toggle_lock()
    opened.deciding.rule("element", 1)
    opened.set_secrets(("x9",))
    settle(opened, qtbot)
    said = " ".join(opened.message_bar.texts) + caplog.text
    assert "is locked" in said and "is short" in said
    assert "482" not in said and "x9" not in said


def test_messages_are_declared(opened):
    ids = [message.id for message in opened.MESSAGES]
    assert len(ids) == len(set(ids))
    assert {"bad-input", "work-failed", "exported", "doubts"} <= set(ids)
