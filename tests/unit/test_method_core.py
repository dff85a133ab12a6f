"""Declarations: light to import, complete, and usable through every face."""

import dataclasses
import hashlib
import importlib
import json
import shlex
import subprocess
import sys
from typing import Annotated

import pytest

from methods.core import methods, registry
from methods.core.context import Context
from methods.core.declaration import Action, Checkpoint, Input, Kind, Method, Paper, resolve
from methods.core.errors import BadInput
from methods.core.params import Flag, Texts, params_of
from methods.core.recipe import as_command, as_python
from methods.core.results import Outcome, Provenance, Source
from methods.core.runner import load_input, run, run_action, save_output

HEAVY = ("torch", "scipy", "trimesh", "igl", "PIL", "vispy", "PySide6", "pyqtgraph", "open3d")


def in_fresh_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_listing_methods_imports_nothing_heavy():
    code = f"import sys, methods.core as c; c.methods(); print([m for m in {HEAVY} if m in sys.modules])"
    assert in_fresh_python(code) == "[]"


def test_no_method_module_brings_qt():
    code = (
        "import sys, pkgutil, importlib, methods\n"
        "for m in pkgutil.walk_packages(methods.__path__, 'methods.'):\n"
        "    importlib.import_module(m.name)\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('PySide6', 'pyqtgraph', 'vispy', 'app')])"
    )
    assert in_fresh_python(code) == "[]"


@pytest.mark.parametrize("method", methods(), ids=lambda m: m.id)
def test_every_path_in_a_declaration_resolves(method):
    for action in method.actions:
        assert callable(resolve(action.work)), action.id
        names = [p.name for p in params_of(action.params)] + [declared.name for declared in action.inputs]
        assert len(set(names)) == len(names), f"{action.id}: an input and a parameter share a name"
        for declared in action.inputs:
            method.kind(declared.kind)
        if action.output:
            assert method.kind(action.output).save or action.writes
    for kind in method.kinds:
        for path in filter(None, (kind.load, kind.save)):
            assert callable(resolve(path))
    for sample in method.samples:
        assert sample.path.is_file(), sample.path
        method.kind(sample.kind)
    assert method.paper.theirs and method.paper.ours and method.paper.limits
    importlib.import_module(f"methods.{method.id}")


def provenance(**changes):
    values = {
        "method": "superquadrics",
        "action": "evaluate",
        "version": "0",
        "parameters": {},
        "changed": {},
        "seed": 3,
        "device": "cpu",
        "checkpoint": None,
        "started": "",
        "seconds": 0.0,
        "inputs": {"parts": Source("my parts.json", "a"), "target": Source("it's.obj", "b")},
    }
    return Provenance(**(values | changes))


def test_a_command_quotes_paths_and_names_options():
    line = as_command(provenance(changed={"points": 5000}), out=None)
    words = shlex.split(line)
    assert words[:4] == ["studiolo", "superquadrics", "evaluate", "my parts.json"]
    assert words[words.index("--target") + 1] == "it's.obj"
    assert words[words.index("--points") + 1] == "5000"
    assert words[words.index("--seed") + 1] == "3"


def test_flags_are_written_in_both_directions():
    on = as_command(provenance(action="mesh", inputs={}, changed={"union": True}))
    off = as_command(provenance(action="fit", inputs={}, changed={"taper": False}))
    assert "--union" in on.split() and "--no-taper" in off.split()


def test_the_python_lines_are_valid_python():
    compile(as_python(provenance(changed={"points": 5000}), out="x.json"), "recipe", "exec")


def test_bad_names_and_missing_inputs_are_told():
    for call in (
        lambda: run("nonsense.fit"),
        lambda: run("superquadrics.nonsense"),
        lambda: run("superquadrics.fit"),
        lambda: run("superquadrics.fit", "does-not-exist.obj"),
        lambda: run("superquadrics.fit", "/"),
        lambda: run("superquadrics.mesh", "a", "b", "c"),
    ):
        with pytest.raises(BadInput):
            call()


def test_an_unknown_suffix_is_refused_before_writing(tmp_path):
    method = methods()[0]
    with pytest.raises(BadInput, match=r"\.glb"):
        save_output(method, "mesh", None, tmp_path / "shape.docx")
    assert list(tmp_path.iterdir()) == []


def test_unreadable_inputs_are_bad_input(tmp_path):
    with pytest.raises(BadInput):
        load_input(methods()[0], "target", tmp_path)


# --------------------------------------------------------- folders, work that writes, checks that fail


@dataclasses.dataclass(frozen=True)
class NoteParams:
    words: Annotated[tuple[str, ...], Texts("what to write")] = ("nothing",)
    hidden: Annotated[tuple[str, ...], Texts("never recorded", private=True)] = ()
    sound: Annotated[bool, Flag("whether the check passes")] = True


def write_note(value, folder):
    folder.mkdir()
    (folder / "note.txt").write_text(value)


def make_note(params, context, source=None):
    text = " ".join((*params.words, *params.hidden))
    return Outcome(text, {"length": len(text)}, failed="" if params.sound else "The check failed.")


def copy_names(params, context, out, source):
    (out / "names.txt").write_text("\n".join(sorted(p.name for p in source.iterdir())))
    return Outcome(None, {"out": out.name})


HERE = "tests.unit.test_method_core:"
NOTES = Method(
    "notes",
    "Notes",
    "Notes",
    "For tests.",
    "mdi6.note",
    Paper("None", "nowhere", 2026, "https://example.org"),
    (
        Action("make", "Make", "Make.", HERE + "make_note", (), "note", NoteParams),
        Action(
            "copy", "Copy", "Copy.", HERE + "copy_names", (Input("source", "note", "a folder"),), "note", writes=True
        ),
    ),
    (Kind("note", "note", folder=True, save=HERE + "write_note"),),
)  # fmt: skip


@pytest.fixture
def notes(monkeypatch):
    """``studiolo notes …``: the exit code."""
    from app import cli

    monkeypatch.setattr(registry, "methods", lambda: (NOTES,))
    monkeypatch.setattr(cli, "methods", lambda: (NOTES,))
    return lambda *words: cli.main(["notes", *map(str, words)])


def test_a_folder_is_written_and_read(notes, tmp_path, capsys):
    out = tmp_path / "out"
    assert notes("make", "--words", "a", "b", "--words", "c", "--out", out) == 0
    assert (out / "note.txt").read_text() == "a b c", "words add up and replace the default"
    names = tmp_path / "names"
    names.mkdir()
    assert notes("copy", out, "--out", names, "--json") == 0
    assert (names / "names.txt").read_text() == "note.txt"
    source = json.loads(capsys.readouterr().out.splitlines()[-1])["provenance"]["inputs"]["source"]
    assert source["path"] == str(out) and len(source["sha256"]) == 64


def test_a_file_is_no_folder_and_a_folder_no_file(notes, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    for words in (
        ("copy", tmp_path / "file", "--out", tmp_path),
        ("copy", tmp_path / "absent", "--out", tmp_path),
        ("make", "--out", tmp_path / "file"),
        ("copy", tmp_path),
    ):
        assert notes(*words) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    with pytest.raises(BadInput, match="needs a place"):
        run("notes.copy", tmp_path)


def test_a_failed_check_shows_its_facts_saves_nothing_and_ends_with_one(notes, tmp_path, capsys):
    assert notes("make", "--no-sound", "--out", tmp_path / "out", "--json") == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["length"] == 7 and json.loads(out)["failed"] == "The check failed."
    assert err == "studiolo: The check failed.\n" and not (tmp_path / "out").exists()
    result = run("notes.make", sound=False, out=tmp_path / "out")
    assert result.failed and not (tmp_path / "out").exists()


def test_what_is_private_is_in_no_provenance_and_no_command(notes):
    result = run("notes.make", words=("-a", "b c"), hidden=("mine",))
    assert result.value == "-a b c mine"
    assert "mine" not in json.dumps(result.to_dict())
    words = shlex.split(as_command(result.provenance))
    assert words[:5] == ["studiolo", "notes", "make", "--words=-a", "--words=b c"]
    assert "mine" not in as_python(result.provenance)
    assert notes(*words[2:]) == 0


def test_tables_are_printed_as_tables(capsys):
    from app.figures_text import lines

    facts = {"one": {"iou": 0.5, "n": 3, "parts": [1]}, "two": {"iou": None, "n": 4}}
    assert lines(facts, 1.0)[1:] == ["     iou  n", "one  0.5  3", "two  -    4"]
    shown = lines({"elements": [{"id": "a", "ok": True}] * 201, "none": None, "pair": {"a": 1, "b": 2}}, 1.0)
    assert shown[:2] == ["none                     not defined here", "pair                     a 1, b 2"]
    assert shown[3:7] == ["", "elements:", "id  ok", "a   yes"] and shown[-1].startswith("… and 1 more")


def test_the_shipped_weights_are_in_the_provenance(tmp_path, monkeypatch):
    weights = tmp_path / "w.safetensors"
    weights.write_bytes(b"weights")
    method = dataclasses.replace(NOTES, checkpoints=(Checkpoint("w", "W", str(weights), "w.md"),))
    action = dataclasses.replace(NOTES.action("make"), checkpoint="w")
    found = run_action(method, action, {}, NoteParams(), Context()).provenance.checkpoint
    assert found == Source("", hashlib.sha256(b"weights").hexdigest())
    weights.unlink()
    assert run_action(method, action, {}, NoteParams(), Context()).provenance.checkpoint is None
