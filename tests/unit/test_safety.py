"""What the code must never do, found by reading it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*(ROOT / "app").rglob("*.py"), *(ROOT / "methods").rglob("*.py")])
BANNED_MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "shelve",
    "marshal",
    "socket",
    "urllib.request",
    "http.client",
    "requests",
}
BANNED_CALLS = {"eval", "exec", "__import__"}


def name_of(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{name_of(node.value)}.{node.attr}"
    return ""


def problems(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (f"imports {a.name}" for a in node.names if a.name in BANNED_MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in BANNED_MODULES:
            yield f"imports {node.module}"
        elif isinstance(node, ast.Call):
            name, keywords = name_of(node.func), {k.arg: k.value for k in node.keywords}
            if name in BANNED_CALLS or name == "yaml.load" or name.endswith("pickle.loads"):
                yield f"calls {name}"
            for word in ("allow_pickle", "trust_remote_code", "shell"):
                value = keywords.get(word)
                if isinstance(value, ast.Constant) and value.value is True:
                    yield f"{name}({word}=True)"
            if name == "torch.load":
                value = keywords.get("weights_only")
                if not (isinstance(value, ast.Constant) and value.value is True):
                    yield "torch.load without weights_only=True"
            if name in ("np.load", "numpy.load") and "allow_pickle" not in keywords:
                yield "np.load without allow_pickle=False"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_dangerous_calls(path):
    assert list(problems(ast.parse(path.read_text()))) == []


def test_the_reader_finds_what_it_looks_for():
    bad = "import pickle\nnp.load(f)\ntorch.load(f)\neval('1')\nnp.load(f, allow_pickle=True)"
    assert len(list(problems(ast.parse(bad)))) == 5


@pytest.mark.parametrize("path", [p for p in SOURCES if "methods" in p.parts], ids=lambda p: p.name)
def test_methods_know_no_qt(path):
    text = path.read_text()
    assert not any(
        f"import {name}" in text or f"from {name}" in text for name in ("PySide6", "vispy", "pyqtgraph")
    )


def test_no_path_of_a_machine_in_the_sources():
    home = str(Path.home())
    assert [p.name for p in SOURCES if f"{home}/" in p.read_text() or "/work/" in p.read_text()] == []
