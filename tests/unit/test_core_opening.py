"""Which method a file goes to."""

import pytest

from methods.core import methods
from methods.core.declaration import ASSETS
from methods.core.opening import openers

PARTS = b'{"format": "studiolo-superquadrics", "version": 1, "parts": []}'
TREE = b"RootWebArea 'Inbox' focused: True\n\t[1] button 'Send'\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", PARTS, ["superquadrics"]),
        ("a.json", b"[[0.1, 0.2, 1, 1, 1, 0, 0, 0, 0, 0, 0]]", ["superquadrics"]),
        ("a.json", b'{"nodes": []}', ["minim"]),
        ("a.txt", b"# x y z\n0 1 2\n", ["superquadrics"]),
        ("a.txt", TREE, ["minim"]),
        ("a.glb", b"", ["superquadrics"]),
        ("a.html", b"<p>", ["minim"]),
        ("a.json", b"", ["superquadrics", "minim"]),
        ("a.json", b"v nan nan nan", ["superquadrics", "minim"]),
        ("a.json", b'[{"text": "Send", "bounds": [0, 0, 1, 1]}]', ["minim"]),
        ("a.unknown", b"", []),
        ("", b"", []),
    ],
)
def test_a_file_goes_to_the_method_that_knows_it(tmp_path, name, content, expected):
    path = tmp_path / (name or "none")
    path.write_bytes(content)
    assert [m.id for m in openers(path, methods())] == expected


def test_a_file_that_is_not_there_goes_by_its_suffix(tmp_path):
    assert [m.id for m in openers(tmp_path / "a.json", methods())] == ["superquadrics", "minim"]


@pytest.mark.parametrize("method", methods(), ids=lambda m: m.id)
def test_every_sample_goes_to_its_own_method(method):
    for sample in method.samples:
        assert (ASSETS / "samples" / sample.file).is_file()
        assert openers(sample.path, methods()) == [method]
