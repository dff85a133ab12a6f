"""Small hard inputs through the real command line: what must not survive, what must, and every id.

All run with weights that nobody trained, because rules and floor alone must hold what may not leave; what must
survive depends on what the network calls private, so that part needs the shipped weights.
"""

import json
import re

import pytest

from app.cli import main
from methods.minim import formats
from tests.minim_weights import SHIPPED, needs_weights, untrained
from tests.shared import shared_path

CASES = (
    "01_password_value", "02_short_secret", "03_field_copies", "04_id_by_header", "05_split_record",
    "06_hidden_text", "07_card_checksum", "08_split_code_and_scroll",
)  # fmt: skip


class Case:
    """One case, minimised."""

    def __init__(self, name, weights, out, capsys):
        folder = shared_path("cases", "ui", name)
        self.expected = json.loads((folder / "expected.json").read_text())
        source = folder / self.expected["input"]
        words = [
            "minim",
            "minimize",
            str(source),
            "--task",
            self.expected["task"],
            "--out",
            str(out),
            "--json",
        ]
        words += ["--checkpoint", str(weights)]
        words += ["--secret", *self.expected["secrets"]] if "secrets" in self.expected else []
        self.code = main(words)
        printed, self.err = capsys.readouterr()
        assert self.code == 0, self.err
        self.facts = json.loads(printed)
        self.original = source.read_text()
        self.written = (out / source.name).read_text()
        self.everything = self.written + printed + (out / "manifest.json").read_text()
        self.before, self.after = formats.load(source), formats.load(out / source.name)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return untrained(tmp_path_factory.mktemp("weights") / "any.safetensors")


def safe(case):
    """What holds with any weights."""
    expected = case.expected
    for secret in expected.get("must_not_survive", ()):
        assert secret.casefold() not in case.everything.casefold(), secret
    assert case.facts["leak_check"] is case.facts["id_check"] is True
    assert case.before.format == case.after.format == case.facts["format"]
    ids = [*expected.get("ids", ()), *expected.get("refs", ())]
    assert set(ids) <= {e.native_id for e in case.after.elements}
    if "warn" in expected:
        assert expected["warn"] in case.err and any(expected["warn"] in w for w in case.facts["warnings"])


@pytest.mark.parametrize("name", CASES)
def test_nothing_private_survives_whatever_the_weights(name, weights, tmp_path, capsys):
    safe(Case(name, weights, tmp_path / "out", capsys))


@needs_weights
@pytest.mark.parametrize("name", CASES)
def test_what_is_harmless_survives(name, tmp_path, capsys):
    case = Case(name, SHIPPED, tmp_path / "out", capsys)
    safe(case)
    for text in case.expected["must_survive"]:
        assert text in case.written, text


# ---------------------------------------------------------------------------- what is particular to a case


def test_filled_and_empty_fields_stay_apart(weights, tmp_path, capsys):
    case = Case("01_password_value", weights, tmp_path / "out", capsys)
    fields = {e.native_id: e for e in case.after.elements}
    assert "filled" in fields["e9"].get("value") and "filled" not in fields["e10"].text
    assert (
        fields["e11"].states["checked"]
        == {e.native_id: e for e in case.before.elements}["e11"].states["checked"]
    )
    assert "[checked]" in next(line for line in case.written.splitlines() if "[ref=e11]" in line)


def test_a_short_secret_goes_only_where_it_stands_alone(weights, tmp_path, capsys):
    case = Case("02_short_secret", weights, tmp_path / "out", capsys)
    values = [t.text for e in case.after.elements for t in e.texts]
    assert any(re.search(r"(?<!\w)e2(?!\w)", t.text) for e in case.before.elements for t in e.texts)
    assert not any(re.search(r"(?<![\w-])e2(?![\w-])", value) for value in values)
    refs = re.compile(r"\[ref=\w+\]")
    assert refs.findall(case.written) == refs.findall(case.original)


def test_every_copy_of_a_field_goes_and_the_node_stays(weights, tmp_path, capsys):
    case = Case("03_field_copies", weights, tmp_path / "out", capsys)
    assert set(case.expected["backend_ids"]) <= {e.states.get("backend") for e in case.after.elements}
    json.loads(case.written)


def test_bounds_of_a_phone_screen_stay(weights, tmp_path, capsys):
    case = Case("07_card_checksum", weights, tmp_path / "out", capsys)
    for bounds in case.expected["bounds"]:
        assert bounds in case.written


def test_boxes_are_where_the_picture_shows_them(weights, tmp_path, capsys):
    case = Case("08_split_code_and_scroll", weights, tmp_path / "out", capsys)
    found = {e.native_id: e for e in case.before.elements}
    for id, box in case.expected["boxes_px"].items():
        assert case.before.pixel_box(found[id]) == pytest.approx(tuple(box)), id
    for id in case.expected["off_screen"]:
        assert not found[id].visible
