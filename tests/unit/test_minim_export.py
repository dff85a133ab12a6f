"""What is written, and when nothing is."""

import gzip
import hashlib
import io
import json

import numpy as np
import pytest
from PIL import Image

from methods.core.errors import BadInput, WorkFailed
from methods.minim import formats
from methods.minim.export import export, refuse
from methods.minim.findings import find
from methods.minim.leakcheck import LeakReport
from methods.minim.operators import Pseudonyms
from methods.minim.policy import KEEP, Override, Policy, decide
from methods.minim.redact import redact
from tests.shared import shared_path

SOURCE = """- main:
  - heading "Sign in" [level=1] [ref=e2]
  - textbox "E-mail" [ref=e5]: noor.hallam@inbox.example
  - textbox "Password" [ref=e9]: Lantern#4417qz
  - button "Sign in" [ref=e12]
"""
BOXED = """- main [ref=e1] [box=0,0,100,50]:
  - textbox "E-mail" [ref=e5] [box=10,10,50,10]: noor.hallam@inbox.example
  - button "Sign in" [ref=e12] [box=10,30,20,10]
"""


def prepared(source=SOURCE, name="snapshot.yaml", overrides=None, policy=None):
    observation = formats.parse(name, source)
    findings = find(observation)
    s, n = np.zeros((2, len(observation.elements)), np.float32)
    policy = policy or Policy()
    decisions = decide(observation, s, n, findings, policy, overrides)
    return observation, decisions, redact(observation, decisions, findings, policy, Pseudonyms()), policy


def test_the_files_and_the_manifest(tmp_path):
    overrides = {2: Override(KEEP, "needed to sign in", True)}
    observation, decisions, done, policy = prepared(overrides=overrides)
    manifest = export(
        observation, decisions, done, policy, tmp_path / "out", overrides=overrides, weights_sha256="ab"
    )
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["manifest.json", "snapshot.yaml"]
    written = (tmp_path / "out" / "snapshot.yaml").read_text("utf-8")
    assert written == SOURCE.replace("Lantern#4417qz", "value-state=filled")
    facts = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert facts["policy"] == {
        "tau_n": 1.0,
        "tau_s": 5.0,
        "small_page": 30,
        "remove_hidden": True,
        "operators": {"password": "state"},
    }
    assert facts["overrides"] == [
        {"element": "e5", "decision": "keep", "reason": "needed to sign in", "locked": True}
    ]
    assert facts["sha256"] == {
        "input": hashlib.sha256(SOURCE.encode()).hexdigest(),
        "output": hashlib.sha256(written.encode()).hexdigest(),
        "screenshot": "",
        "weights": "ab",
    }
    assert facts["decisions"] == {"keep": 4, "abstract": 1, "remove": 0}
    # Sign in 2, E-mail 2, address 7, Password 2, value 4 and then 5, Sign in 2.
    assert facts["tokens"] == {"before": 19, "after": 20}
    assert (facts["leak_check"], facts["id_check"]) == ("passed", "passed")
    assert manifest.files == ("snapshot.yaml", "manifest.json")
    assert "Lantern" not in (tmp_path / "out" / "manifest.json").read_text("utf-8")


def test_nothing_is_written_while_something_private_is_left(tmp_path):
    observation, decisions, done, policy = prepared()
    leaking = type(done)(observation.source, {}, frozenset(), done.originals)
    with pytest.raises(WorkFailed, match="Nothing was exported: 2 private texts would be left") as error:
        export(observation, decisions, leaking, policy, tmp_path / "out")
    assert "Lantern" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_reason_must_not_give_the_text_away(tmp_path):
    overrides = {1: Override(KEEP, "as Lantern#4417qz says")}
    observation, decisions, done, policy = prepared(overrides=overrides)
    with pytest.raises(WorkFailed, match="in the manifest"):
        export(observation, decisions, done, policy, tmp_path / "out", overrides=overrides)
    assert not (tmp_path / "out").exists()


def test_nor_must_the_name_of_the_file(tmp_path):
    observation, decisions, done, policy = prepared(name="noor.hallam@inbox.example.yaml")
    with pytest.raises(WorkFailed, match="would be left"):
        export(observation, decisions, done, policy, tmp_path / "out")


def test_changed_ids_are_refused():
    with pytest.raises(WorkFailed, match=r"ids of elements would change \(e5\)"):
        refuse(LeakReport((), ("e5",)))
    refuse(LeakReport())


def test_the_picture_is_painted_over(tmp_path):
    observation, decisions, done, policy = prepared(BOXED)
    stream = io.BytesIO()
    Image.effect_noise((100, 50), 90).save(tmp_path / "shot.webp", lossless=True)
    manifest = export(
        observation,
        decisions,
        done,
        policy,
        tmp_path / "out",
        screenshot=tmp_path / "shot.webp",
        accept_doubts=True,
    )
    assert manifest.picture["written"] and manifest.picture["masked"] == 1
    after = np.asarray(Image.open(tmp_path / "out" / "screenshot.png"))
    assert (after[9:21, 9:61] == (17, 17, 17)).all()
    assert not (after[30:40, 10:30] == (17, 17, 17)).all()
    png = (tmp_path / "out" / "screenshot.png").read_bytes()
    assert manifest.sha256["screenshot"] == hashlib.sha256(png).hexdigest()
    assert not stream.getvalue()


def test_a_picture_that_may_not_match_is_not_written(tmp_path):
    observation, decisions, done, policy = prepared()
    image = Image.new("RGB", (100, 50))
    manifest = export(observation, decisions, done, policy, tmp_path / "out", screenshot=image)
    assert manifest.picture["written"] is False
    assert manifest.picture["doubts"] == (
        "It is not known where in the picture these stand: textbox e5, textbox e9.",
    )
    assert not (tmp_path / "out" / "screenshot.png").exists()


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n"])
def test_a_damaged_picture(tmp_path, content):
    (tmp_path / "shot.png").write_bytes(content)
    observation, decisions, done, policy = prepared()
    with pytest.raises(BadInput, match=r"shot\.png cannot be read as a picture"):
        export(observation, decisions, done, policy, tmp_path / "out", screenshot=tmp_path / "shot.png")
    assert not (tmp_path / "out").exists()


def test_packed_files_stay_packed(tmp_path):
    observation, decisions, done, policy = prepared(name="snapshot.yaml.gz")
    export(observation, decisions, done, policy, tmp_path)
    content = (tmp_path / "snapshot.yaml.gz").read_bytes()
    assert gzip.decompress(content).decode() == done.source
    export(observation, decisions, done, policy, tmp_path)
    assert (tmp_path / "snapshot.yaml.gz").read_bytes() == content


def test_the_original_is_not_overwritten(tmp_path):
    observation, decisions, done, policy = prepared()
    (tmp_path / "snapshot.yaml").write_text(SOURCE, "utf-8")
    with pytest.raises(WorkFailed, match="is the original"):
        export(observation, decisions, done, policy, tmp_path)
    assert (tmp_path / "snapshot.yaml").read_text("utf-8") == SOURCE
    assert not (tmp_path / "manifest.json").exists()


def test_a_name_that_the_export_needs_itself(tmp_path):
    observation, decisions, done, policy = prepared(name="manifest.json")
    with pytest.raises(BadInput, match="mixed up"):
        export(observation, decisions, done, policy, tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("x")
    observation, decisions, done, policy = prepared()
    with pytest.raises(WorkFailed, match="cannot be made"):
        export(observation, decisions, done, policy, tmp_path / "file" / "out")


@pytest.mark.parametrize("name", ["03_field_copies", "06_hidden_text", "07_card_checksum"])
def test_hard_inputs_in_what_is_written(tmp_path, name):
    folder = shared_path("cases", "ui", name)
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    observation, decisions, done, policy = prepared(
        (folder / expected["input"]).read_text("utf-8"), expected["input"]
    )
    export(observation, decisions, done, policy, tmp_path)
    everything = "".join(p.read_text("utf-8") for p in tmp_path.iterdir())
    assert [t for t in expected["must_not_survive"] if t in everything] == []
    assert [t for t in expected["must_survive"] if t not in everything] == []
