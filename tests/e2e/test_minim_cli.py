"""The privacy method through the real command line, in this process and in one of its own."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from app.cli import main
from methods.core.declaration import ASSETS
from methods.core.runner import run
from methods.minim import export as exports
from methods.minim.findings import find
from methods.minim.formats import FORMATS
from methods.minim.formats import load as load_observation
from methods.minim.leakcheck import Leak, LeakReport
from tests.minim_weights import needs_weights, untrained
from tests.shared import shared_path

SAMPLES = ASSETS / "samples" / "minim"
ARIA = """- main [ref=e1]:
  - heading "Sign in" [level=1] [ref=e2]
  - textbox "E-mail" [ref=e5]: noor.hallam@inbox.example
  - textbox "Password" [ref=e9]: Lantern#4417qz
  - text: Written by ab and Quillfeather
  - button "Sign in" [ref=e12]
"""
BOXED = """- main [ref=e1] [box=0,0,100,50]:
  - textbox "E-mail" [ref=e5] [box=10,10,50,10]: noor.hallam@inbox.example
  - button "Sign in" [ref=e12] [box=10,30,20,10]
"""


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return untrained(tmp_path_factory.mktemp("weights") / "any.safetensors")


@pytest.fixture
def aria(tmp_path):
    path = tmp_path / "snapshot.yaml"
    path.write_text(ARIA)
    return path


@pytest.fixture
def minim(weights, capsys):
    """Run ``studiolo minim …``; returns the exit code, the printed object (None if none) and standard error."""

    def call(*words, checkpoint=weights):
        extra = ["--checkpoint", str(checkpoint)] if checkpoint else []
        code = main(["minim", *map(str, words), "--json", *extra])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else None, err

    return call


# ------------------------------------------------------------------------------------------- minimize


def test_minimize_writes_the_file_and_the_manifest(minim, aria, tmp_path):
    out = tmp_path / "new" / "out"
    code, facts, err = minim("minimize", aria, "--task", "Sign in", "--out", out)
    assert code == 0, err
    assert sorted(p.name for p in out.iterdir()) == ["manifest.json", "snapshot.yaml"]
    written = (out / "snapshot.yaml").read_text()
    assert "Lantern" not in written and "noor.hallam" not in written
    assert "value-state=filled" in written and "[ref=e9]" in written
    assert set(facts["decisions"]) == {"keep", "abstract", "remove"}
    assert sum(facts["decisions"].values()) == facts["elements"] == 6
    assert facts["tokens"]["before"] == 27 and facts["tokens"]["after"] > 0
    assert facts["leak_check"] is facts["id_check"] is True and facts["leaks"] == []
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["decisions"] == facts["decisions"] and manifest["tokens"] == facts["tokens"]
    assert manifest["sha256"]["weights"] == facts["provenance"]["checkpoint"]["sha256"]


def test_secrets_are_given_in_both_ways_and_stand_nowhere(minim, aria, tmp_path):
    words = ("--secret", "Written", "ab", "--secret", "Quillfeather")
    code, facts, err = minim("minimize", aria, "--task", "Sign in", *words, "--out", tmp_path / "out")
    assert code == 0
    written = (tmp_path / "out" / "snapshot.yaml").read_text()
    assert not any(secret in written for secret in ("Written", "Quillfeather", " ab "))
    printed = json.dumps(facts) + err + (tmp_path / "out" / "manifest.json").read_text()
    assert "Quillfeather" not in printed and "secret" not in facts["provenance"]["parameters"]
    assert [w for w in facts["warnings"] if "secret shorter than 4 characters" in w]
    assert "secret shorter than 4 characters" in err


def test_nothing_is_written_while_something_leaks(minim, aria, tmp_path, monkeypatch):
    leak = LeakReport((Leak("L… (14 characters)", "textbox e9, value", "as it is"),))
    monkeypatch.setattr(exports, "check", lambda *_: leak)
    code, facts, err = minim("minimize", aria, "--task", "Sign in", "--out", tmp_path / "out")
    assert code == 1
    assert facts["leak_check"] is False and facts["leaks"][0]["where"] == "textbox e9, value"
    assert err.startswith("studiolo: Nothing was exported: 1 private text would be left")
    assert not (tmp_path / "out").exists()


def test_the_original_is_never_overwritten(minim, aria, tmp_path):
    code, _, err = minim("minimize", aria, "--task", "Sign in", "--out", tmp_path)
    assert code == 1 and "original" in err
    assert aria.read_text() == ARIA


def test_the_picture_is_covered_where_boxes_are_known(minim, tmp_path):
    (tmp_path / "page.yaml").write_text(BOXED)
    Image.new("RGB", (100, 50), (250, 200, 0)).save(tmp_path / "page.png")
    words = (
        "minimize",
        tmp_path / "page.yaml",
        "--task",
        "x",
        "--screenshot",
        tmp_path / "page.png",
        "--out",
    )
    code, facts, err = minim(*words, tmp_path / "out")
    assert code == 0
    assert facts["screenshot"]["written"] is False and "screenshot.png is not written" in err
    assert not (tmp_path / "out" / "screenshot.png").exists(), "how large the page is, is not known"
    code, facts, err = minim(*words, tmp_path / "out", "--accept-doubts")
    assert code == 0 and facts["screenshot"]["written"] and facts["screenshot"]["masked"] == 1
    with Image.open(tmp_path / "out" / "screenshot.png") as picture:
        assert np.array(picture)[15, 30].tolist() == [17, 17, 17]
        assert np.array(picture)[45, 90].tolist() == [250, 200, 0]
    code, facts, err = minim(*words, tmp_path / "blurred", "--accept-doubts", "--blur")
    assert code == 0 and "not safe" in err


@pytest.mark.parametrize("sample", ["mail", "checkout", "clinic", "orders"])
def test_samples_come_out_with_their_picture(minim, tmp_path, sample):
    task = json.loads((SAMPLES / f"{sample}.tasks.json").read_text())["tasks"][0]
    source = SAMPLES / f"{sample}.json"
    picture = SAMPLES / f"{sample}.png"
    code, facts, err = minim(
        "minimize", source, "--task", task, "--screenshot", picture, "--out", tmp_path / "out"
    )
    assert code == 0, err
    written = {p.name for p in (tmp_path / "out").iterdir()}
    assert written == {"manifest.json", f"{sample}.json", "screenshot.png"}
    assert facts["leak_check"] and facts["id_check"]


def test_thresholds_and_operators_are_followed(minim, aria, tmp_path):
    code, facts, _ = minim(
        "minimize", aria, "--task", "x", "--tau-s", "10", "--tau-n", "0", "--out", tmp_path / "a"
    )
    assert code == 0 and facts["decisions"] == {"keep": 5, "abstract": 1, "remove": 0}
    assert "noor.hallam@inbox.example" in (tmp_path / "a" / "snapshot.yaml").read_text()
    minim(
        "minimize",
        aria,
        "--task",
        "x",
        "--operators",
        "email=numbered",
        "password=token",
        "--out",
        tmp_path / "b",
    )
    written = (tmp_path / "b" / "snapshot.yaml").read_text()
    assert "EMAIL_1" in written and "<PASSWORD>" in written


def test_no_task_means_nothing_is_needed(minim):
    code, facts, err = minim("minimize", SAMPLES / "mail.json", "--tau-n", "0.1")
    assert code == 0 and facts["decisions"]["keep"] == 0
    assert "No task was given" in err


def test_a_whole_run_opens_no_connection(minim, tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    words = (
        "--task",
        "Sign in with the code",
        "--screenshot",
        SAMPLES / "mail.png",
        "--out",
        tmp_path / "out",
    )
    code, _, err = minim("minimize", SAMPLES / "mail.json", *words)
    assert code == 0, err
    assert minim("score", SAMPLES / "mail.json", "--task", "Sign in")[0] == 0


def test_the_same_command_gives_the_same_bytes(minim, aria, tmp_path):
    for name in ("a", "b"):
        minim("minimize", aria, "--task", "x", "--operators", "all=fake", "--out", tmp_path / name)
    first, second = ({f.name: f.read_bytes() for f in (tmp_path / n).iterdir()} for n in ("a", "b"))
    assert first == second


def test_from_python(weights, aria, tmp_path):
    result = run(
        "minim.minimize", aria, task="Sign in", secret=("Quillfeather",), out=tmp_path / "out",
        checkpoint=str(weights),
    )  # fmt: skip
    assert (
        result.facts["leak_check"] and "Quillfeather" not in (tmp_path / "out" / "snapshot.yaml").read_text()
    )


def test_the_installed_command(weights, aria, tmp_path):
    studiolo = Path(sys.executable).with_name("studiolo")
    words = [studiolo, "minim", "minimize", aria, "--task", "Sign in", "--out", tmp_path / "out", "--json"]
    done = subprocess.run([*words, "--checkpoint", weights], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["id_check"] is True and (tmp_path / "out" / "snapshot.yaml").is_file()
    done = subprocess.run(
        [studiolo, "minim", "score", "absent.txt"], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.strip().splitlines()) == 1


# ----------------------------------------------------------------------------------- score, formats, batch


def test_score_lists_every_element_in_order(minim, aria):
    code, facts, _ = minim("score", aria, "--task", "Sign in")
    assert code == 0
    elements = facts["elements"]
    assert [e["id"] for e in elements] == ["e1", "e2", "e5", "e9", None, "e12"]
    for element in elements:
        assert 0 <= element["s"] <= 10 and 0 <= element["n"] <= 10
        assert element["decision"] in ("keep", "abstract", "remove")
        assert element["by"] in ("model", "floor", "hidden", "you")
    password = elements[3]
    assert (password["role"], password["type"], password["s"]) == ("textbox", "password", 10)
    assert password["decision"] != "keep"
    assert "Lantern" not in json.dumps(facts)


def test_formats_are_those_that_there_are(minim, capsys):
    code, facts, _ = minim("formats", checkpoint=None)
    assert code == 0 and [row["id"] for row in facts["formats"]] == list(FORMATS)
    assert main(["minim", "formats"]) == 0
    assert "playwright-aria" in capsys.readouterr().out


def test_a_folder_is_minimised_with_a_report(minim, tmp_path):
    trace, out = tmp_path / "trace", tmp_path / "out"
    trace.mkdir()
    for n in (1, 2, 10):
        (trace / f"step{n}.yaml").write_text(ARIA)
    (trace / "step3.json").write_text("{")
    code, facts, err = minim("batch", trace, "--task", "Sign in", "--out", out)
    assert code == 0, err
    assert (facts["files"], facts["written"], facts["failed"], facts["refused"]) == (4, 3, 1, 0)
    assert "step3.json was not written" in err
    assert [row["file"] for row in facts["steps"]] == [
        "step1.yaml",
        "step2.yaml",
        "step3.json",
        "step10.yaml",
    ]
    assert all("EMAIL_1" in file.read_text() for file in out.rglob("step*.yaml"))
    assert (out / "report.csv").is_file() and (out / "report.json").is_file()
    before = {file: file.stat().st_mtime_ns for file in out.rglob("step*")}
    assert minim("batch", trace, "--task", "Sign in", "--out", out)[0] == 0
    assert {file: file.stat().st_mtime_ns for file in out.rglob("step*")} == before


def test_a_folder_of_nothing_but_bad_files_fails(minim, tmp_path):
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "a.json").write_text("{")
    code, facts, err = minim("batch", tmp_path / "trace", "--task", "x", "--out", tmp_path / "out")
    assert code == 1 and facts["failed"] and "None of the files" in err


# ---------------------------------------------------------------------------------------- evaluate, train


def small_data(folder, apps=("mail", "slides", "contacts"), screens=2, gold=4):
    """Some screens of the labelled data with a few tasks each."""
    data = shared_path("data", "ui")
    (folder / "screens").mkdir(parents=True)
    chosen = [f"{app}-{i:03d}" for app in apps for i in range(screens)]
    pairs = [json.loads(line) for line in (data / "gold.jsonl").read_text().splitlines()]
    pairs = [row for row in pairs if row["screen"].rsplit("-", 1)[0] in apps][:gold]
    chosen += [row["screen"] for row in pairs]
    for name in ("sensitivity.jsonl", "tasks.jsonl"):
        rows = [line for line in (data / name).open() if json.loads(line)["screen"] in chosen]
        (folder / name).write_text("".join(rows))
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pairs))
    for screen in set(chosen):
        (folder / "screens" / f"{screen}.json.gz").symlink_to(data / "screens" / f"{screen}.json.gz")
    return folder


def test_evaluate_prints_one_entry_per_policy(minim, tmp_path):
    code, facts, err = minim("evaluate", small_data(tmp_path / "data"))
    assert code == 0, err
    for name in ("minim", "full", "random20", "lexical_rules", "necessity_only", "sensitivity_only"):
        assert {"tcnp", "tcnp_i", "tisl", "keep", "span_leaks", "n"} <= set(facts[name])
    assert facts["minim"]["n"] == 4 and facts["minim"]["span_leaks"] == 0
    assert facts["full"]["tcnp"] == facts["full"]["tisl"] == 1


def test_figures_of_apps_that_were_trained_on_are_marked(minim, tmp_path):
    seen = untrained(tmp_path / "seen.safetensors", apps=("mail", "slides", "contacts"))
    _, _, err = minim("evaluate", small_data(tmp_path / "data"), checkpoint=seen)
    assert "were trained on" in err


@pytest.mark.slow
def test_training_writes_weights_that_are_read_and_can_go_on(minim, tmp_path):
    data = small_data(tmp_path / "data", screens=1, gold=1)
    out, state = tmp_path / "w.safetensors", tmp_path / "state"
    words = ("train", "--data", data, "--folds", "2", "--resume", state, "--out", out)
    code, facts, err = minim(*words, "--epochs", "1", checkpoint=None)
    assert code == 0, err
    assert facts["folds"] == 2 and facts["apps"] == ["contacts", "mail", "slides"]
    assert facts["tau_n"] == 1 and set(facts["calibration"]) == {"blend", "share", "shift"}
    assert facts["scores"]["minim"]["span_leaks"] == 0
    kept = {p: p.stat().st_mtime_ns for p in tmp_path.glob("state.*")}
    assert len(kept) == 6, "two networks, each for both folds and for all"
    first = out.read_bytes()
    assert minim(*words, "--epochs", "1", checkpoint=None)[0] == 0
    assert out.read_bytes() == first
    assert {p: p.stat().st_mtime_ns for p in tmp_path.glob("state.*")} == kept, "nothing was left to do"
    code, scored, _ = minim("score", SAMPLES / "mail.json", "--task", "x", checkpoint=out)
    assert code == 0 and scored["tau_n"] == facts["tau_n"]


# ------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "words",
    [
        ("minimize", "absent.json", "--task", "x"),
        ("minimize", "{folder}", "--task", "x"),
        ("minimize", "{junk}", "--task", "x"),
        ("minimize", "{aria}", "--task", "x", "--tau-n", "11"),
        ("minimize", "{aria}", "--task", "x", "--tau-s", "nan"),
        ("minimize", "{aria}", "--task", "x", "--out", "{junk}"),
        ("minimize", "{aria}", "--task", "x", "--screenshot", "absent.png"),
        ("minimize", "{aria}", "--task", "x", "--screenshot", "{junk}"),
        ("minimize", "{aria}", "--task", "x", "--operators", "email"),
        ("minimize", "{aria}", "--task", "x", "--operators", "email=nonsense"),
        ("minimize", "{aria}", "--task", "x", "--secret"),
        ("minimize",),
        ("score", "absent.json"),
        ("evaluate", "{folder}"),
        ("evaluate", "{junk}"),
        ("evaluate", "absent"),
        ("batch", "{empty}", "--out", "{folder}/out"),
        ("batch", "{folder}"),
        ("batch", "{folder}", "--out", "{junk}"),
        ("train", "--data", "{folder}", "--out", "{folder}/w.safetensors"),
        ("train", "--data", "{folder}", "--out", "{folder}/w.pt"),
        ("train", "--out", "{folder}/w.safetensors"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(minim, aria, tmp_path, words):
    junk, empty = tmp_path / "junk.txt", tmp_path / "empty"
    junk.write_text("junk")
    empty.mkdir()
    places = {"folder": tmp_path, "junk": junk, "aria": aria, "empty": empty}
    before = sorted(tmp_path.rglob("*"))
    code, facts, err = minim(*(word.format(**places) for word in words))
    assert code == 2 and facts is None
    assert len(err.strip().splitlines()) == 1 and "Traceback" not in err, err
    assert sorted(tmp_path.rglob("*")) == before


def test_an_observation_called_like_the_manifest_is_refused(minim, tmp_path):
    (tmp_path / "manifest.json").write_text((SAMPLES / "mail.json").read_text())
    code, _, err = minim("minimize", tmp_path / "manifest.json", "--task", "x")
    assert code == 2 and "Rename it" in err


# ------------------------------------------------------------------------------------- the shipped weights


@needs_weights
def test_the_code_of_the_mail_sample_flips_with_the_task(minim):
    codes = [f.uid for f in find(load_observation(SAMPLES / "mail.json")) if f.type == "otp"]
    decisions = {}
    for task in json.loads((SAMPLES / "mail.tasks.json").read_text())["tasks"]:
        _, facts, _ = minim("score", SAMPLES / "mail.json", "--task", task, checkpoint=None)
        decisions[task] = {facts["elements"][uid]["decision"] for uid in codes}
    assert decisions["Archive the newsletter"] == {"remove"}
    assert "abstract" in decisions["Sign in with the code"]
