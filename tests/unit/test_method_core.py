"""Declarations: light to import, complete, and usable through every face."""

import importlib
import subprocess
import sys

import pytest

from methods.core import methods
from methods.core.declaration import resolve
from methods.core.errors import BadInput
from methods.core.params import params_of
from methods.core.recipe import as_command, as_python
from methods.core.results import Provenance, Source
from methods.core.runner import load_input, run, save_output

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
    import shlex

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
