"""A folder of steps: order, pseudonyms, report, a bad file, taking up again."""

import csv
import json
from types import SimpleNamespace

import numpy as np
import pytest

from methods.core.context import Cancelled, CancelToken, Context
from methods.core.errors import BadInput
from methods.minim import batch
from methods.minim.findings import rule_sensitivity
from methods.minim.policy import KEEP, Override, Policy

PAGE = """Tab 0 (current): Home

[1] RootWebArea 'Home'
\t[2] StaticText '{}'
\t[3] button 'Send'
"""
NUMBERED = Policy(0.0, 5.0, operators={"email": "numbered"})


class Model:
    """Everything is needed; s as the rules say."""

    def __init__(self):
        self.read_pages = 0

    def read(self, observation, findings):
        self.read_pages += 1
        return SimpleNamespace(s=rule_sensitivity(len(observation.elements), findings))

    def necessity(self, page, task):
        return np.full(len(page.s), 9, np.float32)


@pytest.fixture
def trace(tmp_path):
    folder = tmp_path / "trace"
    folder.mkdir()
    for name, who in (("step_10", "ann"), ("step_9", "bob"), ("step_1", "ann")):
        (folder / f"{name}.txt").write_text(PAGE.format(f"{who}@inbox.example"))
    (folder / "step_2.txt").write_text("not an observation")
    (folder / "step_1.png").write_bytes(b"")
    (folder / "step_1.tasks.json").write_text("{}")
    return folder


def run(trace, out, settings=None, model=None, **more):
    settings = settings or batch.Settings("send it", NUMBERED)
    return batch.run(batch.steps_in(trace), out, settings, model or Model(), Context(), **more)


def test_steps_come_in_the_order_of_their_numbers(trace):
    names = [path.name for path in batch.steps_in(trace)]
    assert names == ["step_1.txt", "step_2.txt", "step_9.txt", "step_10.txt"]
    (trace / "empty").mkdir()
    with pytest.raises(BadInput, match="holds no observation"):
        batch.steps_in(trace / "empty")


def test_the_same_text_has_the_same_number_and_a_bad_file_stops_nothing(trace, tmp_path):
    out = tmp_path / "new" / "out"
    rows = run(trace, out)
    assert [row["state"] for row in rows] == ["written", "failed", "written", "written"]
    assert "no known format" in rows[1]["error"]
    texts = [(out / f"{n:03d}" / f"step_{s}.txt").read_text() for n, s in ((1, 1), (3, 9), (4, 10))]
    assert [f"EMAIL_{n}" in text for n, text in zip((1, 2, 1), texts, strict=True)] == [True] * 3
    assert not any("inbox.example" in file.read_text() for file in out.rglob("*") if file.is_file())


def test_both_reports_say_the_same(trace, tmp_path):
    rows = run(trace, tmp_path)
    assert json.loads((tmp_path / "report.json").read_text()) == {"steps": rows}
    with (tmp_path / "report.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream))
    assert [row["file"] for row in table] == [row["file"] for row in rows]
    assert (table[0]["keep"], table[0]["abstract"], table[0]["ids_ok"]) == ("3", "1", "True")


def test_what_was_written_is_left_alone(trace, tmp_path):
    first = run(trace, tmp_path)
    before = {f: f.stat().st_mtime_ns for f in tmp_path.rglob("step_*")}
    (tmp_path / "001" / "step_1.txt").unlink()
    assert run(trace, tmp_path) == first
    after = {f: f.stat().st_mtime_ns for f in tmp_path.rglob("step_*")}
    changed = {f.name for f in after if after[f] != before[f]}
    assert changed == {"step_1.txt"} and after.keys() == before.keys()


def test_steps_that_depend_on_nothing_else_are_not_even_read_again(trace, tmp_path):
    settings, model = batch.Settings("send it", Policy(0.0, 5.0)), Model()
    run(trace, tmp_path, settings, model)
    assert model.read_pages == 3
    run(trace, tmp_path, settings, model)
    assert model.read_pages == 3
    run(trace, tmp_path, batch.Settings("another task", Policy(0.0, 5.0)), model)
    assert model.read_pages == 6
    run(trace, tmp_path, batch.Settings("another task", Policy(0.0, 5.0), ("Send",)), model)
    assert model.read_pages == 9, (
        "secrets are not in the report, so it does not tell whether they were masked"
    )
    (trace / "step_9.txt").write_text(PAGE.format("cleo@inbox.example"))
    run(trace, tmp_path, settings, model)
    assert model.read_pages == 12, "the report is of the last settings"


def test_a_damaged_report_is_no_report(trace, tmp_path):
    for text in ("{", "[]", '{"steps": 3}', '{"steps": [1, {"key": 2}]}'):
        (tmp_path / "report.json").write_text(text)
        assert run(trace, tmp_path)[0]["state"] == "written"


def test_decisions_of_a_person_hold_in_every_step(trace, tmp_path):
    rows = run(trace, tmp_path, overrides=lambda page: {2: Override(KEEP, "a test account")})
    assert rows[0]["keep"] == 4 and rows[0]["abstract"] == 0
    assert "a test account" in (tmp_path / "001" / "manifest.json").read_text()


def test_it_can_be_cancelled_and_the_report_is_whole(trace, tmp_path):
    token = CancelToken()
    seen = []

    def progress(fraction, text):
        seen.append(text)
        token.cancel()

    context = Context(token=token, on_progress=progress)
    with pytest.raises(Cancelled):
        batch.run(batch.steps_in(trace), tmp_path, batch.Settings("x", NUMBERED), Model(), context)
    assert seen == ["step_1.txt"]
    assert len(json.loads((tmp_path / "report.json").read_text())["steps"]) == 1


def test_a_place_that_cannot_be_made_is_bad_input(trace, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be made"):
        run(trace, tmp_path / "file" / "out")
