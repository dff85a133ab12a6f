"""Evidence through the real command line: ask, read, evaluate, batch, make pages, train."""

import csv
import json

import numpy as np
import pytest
from PIL import Image

from app.cli import main
from methods.core import run
from methods.core.declaration import ASSETS
from methods.evidence.localiser import SHIPPED
from tests.unit.test_evidence_documents import pdf

SAMPLES = ASSETS / "samples" / "evidence"
FORM = SAMPLES / "form.pdf"
weights = pytest.mark.skipif(not SHIPPED.is_file(), reason="the weights are not trained yet")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / "cache"))


@pytest.fixture
def evidence(capsys):
    def call(*words):
        code = main(["evidence", *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def told(evidence, *words):
    code, out, err = evidence(*words, "--json")
    assert code == 0, err
    return json.loads(out)


@weights
def test_ask_a_pdf(evidence, tmp_path):
    heat = tmp_path / "heat.png"
    found = told(evidence, "ask", FORM, "What is the fee?", "--heatmap", heat, "--out", tmp_path / "a.json")
    assert found["answer"] == "10.83" and not found["no_evidence"] and 0 < found["score"] <= 1
    assert found["source"] == "text layer" and len(found["steps"]) == 6
    assert found["box_points"] is not None
    picture = np.asarray(Image.open(heat))
    x0, y0, x1, y1 = map(int, found["box"])
    inside = picture[y0:y1, x0:x1].astype(int)
    assert (inside.max(-1) - inside.min(-1)).mean() > 40, "the answer is coloured"
    saved = json.loads((tmp_path / "a.json").read_text())
    assert np.isclose(sum(t["p"][-1] for t in saved["tokens"]) + found["null_mass"], 1, atol=1e-3)
    assert told(evidence, "ask", FORM, "--question", "What is the fee?")["answer"] == "10.83"


@weights
def test_one_step_is_the_flow_with_endless_reach(evidence):
    one = told(evidence, "ask", FORM, "What is the fee?", "--one-step")
    assert [s["gamma"] for s in one["steps"]] == [None, "infinity"]
    code, _, err = evidence("ask", FORM, "What is the fee?", "--one-step", "--steps", "3")
    assert code == 2 and "One step" in err


@weights
def test_what_the_page_does_not_tell(evidence):
    found = told(evidence, "ask", FORM, "What is the total weight of the parcel?")
    assert found["no_evidence"] and found["answer"] == "" and found["box"] is None


@weights
def test_words_that_were_read_can_be_given(evidence, tmp_path):
    code, _, err = evidence("read", FORM, "--out", tmp_path / "words.json")
    assert code == 0, err
    given = told(evidence, "ask", FORM, "What is the fee?", "--tokens", tmp_path / "words.json")
    assert given["answer"] == "10.83" and given["source"] == "given"


@weights
def test_batch_writes_a_table(evidence, tmp_path):
    (tmp_path / "q.txt").write_text("What is the fee?\n\nWho is the registrant?\n")
    code, _, err = evidence("batch", FORM, tmp_path / "q.txt", "--out", tmp_path / "a.csv")
    assert code == 0, err
    rows = list(csv.DictReader((tmp_path / "a.csv").open()))
    assert [r["question"] for r in rows] == ["What is the fee?", "Who is the registrant?"]
    assert rows[0]["answer"] == "10.83" and float(rows[0]["x1"]) > float(rows[0]["x0"])


@weights
def test_made_pages_can_be_measured(evidence, tmp_path):
    code, _, err = evidence("synthesize", "--count", "6", "--held-out", "--out", tmp_path / "pages")
    assert code == 0, err
    found = told(evidence, "evaluate", tmp_path / "pages")
    assert found["n"] > 40 and found["pointing"] > 0.7
    methods = found["methods"]
    assert (
        methods["uniform"]["pointing"]["mean"] < methods["label_type"]["pointing"]["mean"] < found["pointing"]
    )
    again = run("evidence.evaluate", tmp_path / "pages").facts
    assert again["pointing"] == found["pointing"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ask", FORM, "   "), "question is empty"),
        (("ask", FORM, "x" * 10_001), "10001 letters"),
        (("ask", FORM, "Total?", "--page", "9"), "no page 9"),
        (("ask", FORM, "Total?", "--steps", "0"), "outside its range"),
        (("ask", "none.pdf", "Total?"), "does not exist"),
        (("read", FORM, "--engine", "magic"), "magic"),
        (("evaluate", SAMPLES), "no samples.json"),
    ],
)
def test_bad_use_is_one_line(evidence, words, message):
    code, out, err = evidence(*words)
    assert code == 2 and message in err and err.count("\n") == 1 and not out


def test_a_given_password_is_recorded_nowhere(evidence, tmp_path):
    path = pdf(tmp_path / "a.pdf")
    found = told(evidence, "read", path, "--password", "secret")
    assert [t["text"] for t in found["tokens"]] == ["ANCHOR"]
    assert "password" not in found["provenance"]["parameters"], "a secret is recorded nowhere"


def test_training_writes_weights_that_open(evidence, tmp_path):
    out = tmp_path / "w.safetensors"
    code, _, err = evidence("train", "--pages", "16", "--dim", "16", "--out", out)
    assert code == 0, err
    found = told(evidence, "ask", FORM, "What is the fee?", "--checkpoint", out)
    assert found["words"] > 50 and found["provenance"]["checkpoint"]["path"] == str(out)
