"""Documents, project files, sessions and autosaves."""

import hashlib
import json
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from app.project import Document
from app.project import document as document_module
from app.project.autosave import Autosave, recoverable
from app.project.file import MANIFEST, Project, read_project, write_project
from app.project.session import Session
from methods.core.errors import BadInput

# ------------------------------------------------------------------------------------------- documents


class DocumentMachine(RuleBasedStateMachine):
    """The document against the simplest model: a list of states and a position."""

    def __init__(self):
        super().__init__()
        self.document = Document(0)
        self.states, self.at, self.saved = [object()], 0, None
        self.values = [0]
        self.saved = self.states[0]

    @rule(value=st.integers())
    def edit(self, value):
        self.document.edit("edit", value)
        del self.states[self.at + 1 :], self.values[self.at + 1 :]
        self.states.append(object())
        self.values.append(value)
        self.at += 1

    @rule(values=st.lists(st.integers(), min_size=1, max_size=4))
    def drag(self, values):
        for value in values:
            self.document.edit("drag", value, merge=f"drag {len(self.values)} {self.at}")
        self.document.end_merge()
        del self.states[self.at + 1 :], self.values[self.at + 1 :]
        self.states.append(object())
        self.values.append(values[-1])
        self.at += 1

    @precondition(lambda self: self.at > 0)
    @rule()
    def undo(self):
        self.document.undo()
        self.at -= 1

    @precondition(lambda self: self.at < len(self.values) - 1)
    @rule()
    def redo(self):
        self.document.redo()
        self.at += 1

    @rule()
    def save(self):
        self.document.mark_saved()
        self.saved = self.states[self.at]

    @invariant()
    def agrees(self):
        assert self.document.state == self.values[self.at]
        assert self.document.position == self.at
        assert len(self.document.history) == len(self.values)
        assert self.document.can_undo == (self.at > 0)
        assert self.document.can_redo == (self.at < len(self.values) - 1)
        assert self.document.dirty == (self.states[self.at] is not self.saved)


TestDocument = DocumentMachine.TestCase
TestDocument.settings = settings(max_examples=60, deadline=None, stateful_step_count=30)


def test_undo_after_a_save_marks_the_document_dirty():
    document = Document(1)
    document.edit("a", 2)
    document.mark_saved()
    assert not document.dirty
    document.undo()
    assert document.dirty
    document.redo()
    assert not document.dirty


def test_a_cancelled_drag_leaves_no_step():
    document = Document(1)
    document.edit("a", 2)
    for value in (3, 4, 5):
        document.edit("drag", value, merge="d")
    document.abandon_merge()
    assert document.state == 2 and document.history == ("New", "a")


def test_old_steps_are_dropped(monkeypatch):
    monkeypatch.setattr(document_module, "STEP_LIMIT", 5)
    document = Document(0)
    for i in range(1, 20):
        document.edit(str(i), i)
    assert len(document.history) == 6 and document.state == 19
    while document.can_undo:
        document.undo()
    assert document.state == 14 and document.dirty


def test_going_to_a_step_that_is_not_there_is_refused():
    with pytest.raises(IndexError):
        Document(0).go_to(3)


# --------------------------------------------------------------------------------------- project files

PROJECT = Project({"demo/state.json": b'{"a": 1}', "demo/big.npy": bytes(50_000)}, {"active": "demo"})


def test_a_project_round_trips(tmp_path):
    for durable in (True, False):
        write_project(tmp_path / "a.studiolo", PROJECT, durable)
        read = read_project(tmp_path / "a.studiolo")
        assert dict(read.members) == PROJECT.members and read.about["active"] == "demo"


def archive(path, members, manifest=None, **changes):
    """A project file written by hand, with one thing wrong."""
    files = [{"name": n, "size": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in members.items()]
    about = {"format": "studiolo-project", "version": 1, "files": files} | changes
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(MANIFEST, json.dumps(about) if manifest is None else manifest)
        for name, data in members.items():
            out.writestr(name, data)
    return path


@pytest.mark.parametrize(
    "name", ["../x.json", "/etc/x", "a/../../x", "C:/x", "a\\b", ".hidden", "a//b", "a/"]
)
def test_unsafe_names_are_refused(tmp_path, name):
    with pytest.raises(BadInput):
        read_project(archive(tmp_path / "a.studiolo", {name: b"1"}))


def test_links_are_refused(tmp_path):
    path = archive(tmp_path / "a.studiolo", {})
    with zipfile.ZipFile(path, "a") as out:
        link = zipfile.ZipInfo("demo/link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        out.writestr(link, "/etc/passwd")
    with pytest.raises(BadInput, match="unsafe"):
        read_project(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicates_are_refused_whatever_their_case(tmp_path):
    for second in ("demo/a.json", "DEMO/A.json"):
        path = archive(tmp_path / "a.studiolo", {"demo/a.json": b"1"})
        with zipfile.ZipFile(path, "a") as out:
            out.writestr(second, b"2")
        with pytest.raises(BadInput, match="twice"):
            read_project(path)


def test_a_zip_bomb_is_stopped_while_it_unpacks(tmp_path):
    path = archive(tmp_path / "bomb.studiolo", {"demo/a.npy": bytes(64 * 1024**2)})
    assert path.stat().st_size < 200_000
    with pytest.raises(BadInput, match="unpacks"):
        read_project(path)


def test_too_many_members_are_refused(tmp_path):
    with pytest.raises(BadInput, match=r"2001|2002"):
        read_project(archive(tmp_path / "a.studiolo", {f"demo/{i}": b"" for i in range(2001)}))


def test_a_newer_version_says_what_to_do(tmp_path):
    with pytest.raises(BadInput, match=r"newer version.*Update"):
        read_project(archive(tmp_path / "a.studiolo", {}, version=2))


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[]",
        "{",
        '{"format": "other"}',
        '{"format": "studiolo-project"}',
        '{"format": "studiolo-project", "version": 1}',
        '{"format": "studiolo-project", "version": NaN}',
        '{"format": "studiolo-project", "version": true, "files": []}',
        '{"format": "studiolo-project", "version": 1, "files": [{}]}',
        "[" * 100_000,
    ],
)
def test_damaged_manifests_are_told(tmp_path, manifest):
    with pytest.raises(BadInput):
        read_project(archive(tmp_path / "a.studiolo", {}, manifest))


def test_a_changed_or_missing_member_is_told(tmp_path):
    wrong = [{"name": "demo/a", "size": 1, "sha256": "0" * 64}]
    with pytest.raises(BadInput, match="damaged"):
        read_project(archive(tmp_path / "a.studiolo", {"demo/a": b"1"}, files=wrong))
    with pytest.raises(BadInput, match="lacks"):
        read_project(archive(tmp_path / "b.studiolo", {}, files=wrong))


def test_every_cut_of_a_project_is_told(tmp_path):
    write_project(tmp_path / "a.studiolo", PROJECT)
    data = (tmp_path / "a.studiolo").read_bytes()
    for size in range(0, len(data), max(1, len(data) // 60)):
        (tmp_path / "cut.studiolo").write_bytes(data[:size])
        with pytest.raises(BadInput):
            read_project(tmp_path / "cut.studiolo")


def test_mutated_projects_open_or_are_told(tmp_path):
    import random

    write_project(tmp_path / "a.studiolo", PROJECT)
    data = bytearray((tmp_path / "a.studiolo").read_bytes())
    chance = random.Random(4)
    opened = 0
    for _ in range(400):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        (tmp_path / "m.studiolo").write_bytes(changed)
        try:
            read_project(tmp_path / "m.studiolo")
            opened += 1
        except BadInput:
            pass
    assert opened < 400


def test_frozen_files_of_every_version_stay_readable():
    frozen = sorted((Path(__file__).parent.parent / "data").glob("project-v*.studiolo"))
    assert frozen
    for path in frozen:
        from app.panels.superquadrics.document import StudioCodec

        members = {
            n.split("/", 1)[1]: d for n, d in read_project(path).members.items() if n.startswith("superq")
        }
        studio = StudioCodec().load(members)
        assert [part.name for part in studio.shape.parts] == ["top", "leg"]
        assert studio.shape.parts[1].exponents == (0.1, 0.2)
        assert studio.target is not None and len(studio.target.faces) == 12


def test_a_failed_write_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.studiolo"
    write_project(path, PROJECT)
    before = path.read_bytes()
    code = (
        "import resource, sys, pathlib\n"
        "from app.project.file import Project, write_project\n"
        "import signal, os; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    write_project(pathlib.Path(sys.argv[1]), Project({'demo/a': os.urandom(99999)}))\n"
        "except OSError as error:\n"
        "    print('told')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "told", done.stderr
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.studiolo"]


# ------------------------------------------------------------------------------- sessions and autosaves


class TextCodec:
    def save(self, state):
        return {"state.json": json.dumps(state).encode()}

    def load(self, members):
        try:
            return json.loads(members["state.json"])
        except (KeyError, ValueError) as error:
            raise BadInput("The state is damaged.") from error


def session_with(text="a"):
    session = Session()
    document = Document("")
    session.add("demo", document, TextCodec())
    document.edit("type", text)
    return session, document


def test_a_session_saves_opens_and_starts_anew(tmp_path):
    session, document = session_with("hello")
    assert session.dirty
    session.save(tmp_path / "a.studiolo")
    assert not session.dirty and session.title == "a.studiolo"
    document.edit("type", "other")
    session.open(tmp_path / "a.studiolo")
    assert document.state == "hello" and not session.dirty
    session.new()
    assert document.state == "" and session.title == "untitled"


def test_saving_keeps_the_last_version(tmp_path):
    session, document = session_with("one")
    session.save(tmp_path / "a.studiolo")
    document.edit("type", "two")
    session.save(tmp_path / "a.studiolo")
    assert b"one" in read_project(tmp_path / "a.studiolo~").members["demo/state.json"]


def test_a_project_that_cannot_be_opened_changes_nothing(tmp_path):
    session, document = session_with("kept")
    bad = archive(tmp_path / "bad.studiolo", {"demo/state.json": b"{"})
    with pytest.raises(BadInput):
        session.open(bad)
    assert document.state == "kept" and session.dirty


def test_members_that_a_panel_cannot_read_stay_in_the_project(tmp_path):
    bad = archive(tmp_path / "bad.studiolo", {"demo/state.json": b"{"})
    session = Session()
    session.open(bad)
    with pytest.raises(BadInput):
        session.add("demo", Document(""), TextCodec())
    assert session.entries == {}
    session.save(tmp_path / "copy.studiolo")
    assert read_project(tmp_path / "copy.studiolo").members == {"demo/state.json": b"{"}


def test_a_full_disk_keeps_the_version_before(tmp_path, monkeypatch):
    session, document = session_with("one")
    path = tmp_path / "a.studiolo"
    for text in ("two", "three"):
        session.save(path)
        document.edit("type", text)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert set(before) == {"a.studiolo", "a.studiolo~"}

    def full(source, target, *rest):
        target.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(OSError):
        session.save(path)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before and session.dirty


def test_a_failed_save_stays_dirty(tmp_path):
    session, _ = session_with()
    with pytest.raises(OSError):
        session.save(tmp_path / "no" / "folder" / "a.studiolo")
    assert session.dirty


def test_members_of_methods_that_are_not_open_are_kept(tmp_path):
    write_project(tmp_path / "a.studiolo", Project({"demo/state.json": b'"x"', "later/data.npy": b"123"}))
    session, document = session_with()
    session.open(tmp_path / "a.studiolo")
    assert session.methods_in_file() == ("later",)
    document.edit("type", "y")
    session.save(tmp_path / "b.studiolo")
    assert read_project(tmp_path / "b.studiolo").members["later/data.npy"] == b"123"


def test_a_closed_panel_keeps_its_document_in_the_project(tmp_path):
    session, _ = session_with("kept")
    session.remove("demo")
    assert session.dirty
    session.save(tmp_path / "a.studiolo")
    again = Document("")
    session.add("demo", again, TextCodec())
    assert again.state == "kept"


def test_autosave_writes_unsaved_work_and_removes_it(tmp_path, monkeypatch):
    monkeypatch.setattr("app.project.autosave.INTERVAL", 0.0)
    session, document = session_with("work")
    autosave = Autosave(session, tmp_path)
    autosave.poll()
    autosave.wait()
    assert autosave.path.exists()
    assert b"work" in read_project(autosave.path).members["demo/state.json"]
    document.undo()
    document.edit("type", "undone and redone")
    autosave.poll()
    autosave.wait()
    assert b"undone" in read_project(autosave.path).members["demo/state.json"]
    autosave.remove()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_autosaved_without_a_change(tmp_path, monkeypatch):
    monkeypatch.setattr("app.project.autosave.INTERVAL", 0.0)
    session = Session()
    session.add("demo", Document(""), TextCodec())
    autosave = Autosave(session, tmp_path)
    for _ in range(3):
        autosave.poll()
        autosave.wait()
    assert not autosave.path.exists()


def test_only_the_work_of_dead_processes_is_offered(tmp_path):
    session, _ = session_with("lost")
    living = Autosave(session, tmp_path)
    living.flush()
    dead = tmp_path / "autosave-999999-123456.studiolo"
    write_project(dead, session.snapshot())
    reused = tmp_path / f"autosave-{os.getpid()}-1000.studiolo"
    write_project(reused, session.snapshot())
    found = [recovery.path for recovery in recoverable(tmp_path)]
    assert set(found) == {dead, reused}
    assert str(int(psutil.Process().create_time() * 1000)) in living.path.name


def test_damaged_autosaves_are_set_aside(tmp_path):
    (tmp_path / "autosave-999999-1.studiolo").write_bytes(b"half")
    assert recoverable(tmp_path) == []
    assert (tmp_path / "autosave-999999-1.damaged").exists()


def test_recovered_work_counts_as_unsaved(tmp_path):
    session, _ = session_with("lost")
    write_project(tmp_path / "a.studiolo", session.snapshot())
    other, document = session_with("other")
    other.recover(tmp_path / "a.studiolo")
    assert document.state == "lost" and other.dirty
