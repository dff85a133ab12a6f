"""The declared actions called from Python, and how training splits and chooses."""

from types import SimpleNamespace

import numpy as np
import pytest

from methods.core.context import Context
from methods.core.declaration import ASSETS
from methods.core.errors import BadInput, WorkFailed
from methods.core.params import params_of
from methods.minim import METHOD, actions, fitting, formats, params
from methods.minim.format_titles import TITLES
from methods.minim.labelled import Labelled, LabelledScreen, Pair
from methods.minim.operators import OPERATORS
from tests.minim_weights import untrained

SOURCE = """- main [ref=e1]:
  - textbox "E-mail" [ref=e5]: noor.hallam@inbox.example
  - textbox "Password" [ref=e9]: Lantern#4417qz
  - button "Sign in" [ref=e12]
"""


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    weights = untrained(tmp_path_factory.mktemp("weights") / "any.safetensors", tau_n=0.25)
    return Context(checkpoint=str(weights))


@pytest.fixture
def page():
    return formats.parse("snapshot.yaml", SOURCE)


def test_the_declaration_is_complete():
    assert [a.id for a in METHOD.actions] == ["minimize", "score", "evaluate", "batch", "train", "formats"]
    assert METHOD.actions[0].inputs[0].name == "observation", "what the panel's copied command names"
    assert METHOD.checkpoints[0].path == ASSETS / "checkpoints" / "minim.safetensors"
    suffixes = METHOD.kind("observation").suffixes
    assert all(
        f"{name}".strip() in suffixes
        for _, files in TITLES.values()
        for name in files.replace(".json.gz", ".gz").split(",")
    )
    assert TITLES.keys() == formats.FORMATS.keys()


def test_the_help_names_every_operator():
    (operators,) = (p for p in params_of(params.MinimizeParams) if p.name == "operators")
    assert all(name in operators.spec.help for name in OPERATORS)


def test_minimize_gives_what_is_to_be_written(context, page, tmp_path):
    outcome = actions.minimize(params.MinimizeParams("Sign in"), context, page)
    assert outcome.failed == "" and outcome.warnings == ()
    assert list(outcome.value.files) == ["snapshot.yaml", "screenshot.png", "manifest.json"]
    assert "screenshot" not in outcome.facts
    actions.save_export(outcome.value, tmp_path / "out")
    assert sorted(f.name for f in (tmp_path / "out").iterdir()) == ["manifest.json", "snapshot.yaml"]
    assert outcome.value.manifest.policy["tau_n"] == 0.25, "the threshold of the weights"


def test_what_must_not_leave_cannot_be_written(context, page, tmp_path, monkeypatch):
    from methods.minim import export
    from methods.minim.leakcheck import Leak, LeakReport

    monkeypatch.setattr(
        export, "check", lambda *_: LeakReport((Leak("L… (5 characters)", "there", "as it is"),))
    )
    outcome = actions.minimize(params.MinimizeParams("Sign in"), context, page)
    assert outcome.failed.startswith("Nothing was exported") and outcome.facts["leak_check"] is False
    with pytest.raises(WorkFailed):
        actions.save_export(outcome.value, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_changed_id_is_a_failure(context, page, monkeypatch):
    from methods.minim import export
    from methods.minim.leakcheck import LeakReport

    monkeypatch.setattr(export, "check", lambda *_: LeakReport((), ("e5",)))
    outcome = actions.minimize(params.MinimizeParams("Sign in"), context, page)
    assert "ids of elements would change (e5)" in outcome.failed
    assert outcome.facts["leak_check"] and not outcome.facts["id_check"]
    assert outcome.facts["changed_ids"] == ["e5"]


def test_score_names_elements_without_their_texts(context, page):
    facts = actions.score(params.ScoreParams("Sign in"), context, page).facts
    assert [(e["id"], e["index"], e["type"]) for e in facts["elements"]] == [
        ("e1", 0, None), ("e5", 1, "email"), ("e9", 2, "password"), ("e12", 3, None),
    ]  # fmt: skip
    assert (facts["tau_n"], facts["tau_s"]) == (0.25, 5.0)
    given = actions.score(params.ScoreParams("Sign in", tau_n=9.9, tau_s=0.0), context, page).facts
    assert (given["tau_n"], given["tau_s"]) == (9.9, 0.0)
    assert given["decisions"]["keep"] == 0


def test_a_warning_for_what_is_odd(context, page):
    outcome = actions.minimize(params.MinimizeParams("", secret=("ab",)), context, page)
    assert outcome.warnings == (
        actions.NO_TASK,
        "secret shorter than 4 characters (2): it is masked only where it stands alone.",
    )


# --------------------------------------------------------------------------------------------- training

APPS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]


def test_apps_are_held_out_by_name_or_by_seed():
    assert fitting.held_out(["b", "c"], APPS, 0) == {"b", "c"}
    assert fitting.held_out(["none"], APPS, 0) == set()
    drawn = fitting.held_out([], APPS, 0)
    assert len(drawn) == 2 and drawn <= set(APPS)
    assert drawn == fitting.held_out([], APPS, 0)
    assert {frozenset(fitting.held_out([], APPS, seed)) for seed in range(9)} != {frozenset(drawn)}
    assert len(fitting.held_out([], ["a", "b"], 0)) == 1
    assert fitting.held_out([], ["a"], 0) == set(), "something must be left to train on"
    with pytest.raises(BadInput, match='no app "z"'):
        fitting.held_out(["z"], APPS, 0)


def pair(app, hand, s=(0.0, 0.0, 8.0), critical=(1,), relevant=(1,)):
    nodes = ",".join(
        f'{{"id":{i},"parent":{0 if i else -1},"role":"StaticText","name":"four"}}' for i in range(len(s))
    )
    source = f'{{"screen":"{app}-000","viewport":[9,9],"nodes":[{nodes}]}}'
    observation = formats.parse(f"{app}-000.json", source)
    masks = [np.isin(np.arange(len(s)), uids) for uids in (critical, relevant)]
    s = np.array(s, np.float32)
    screen = LabelledScreen(f"{app}-000", app, observation, s)
    return Pair(screen, "go", "gold", np.zeros_like(s), masks[0], s, masks[1], hand)


def test_validation_is_on_hand_labels_where_there_are_some():
    weak, hand = [pair("a", False), pair("b", False)] * 3, [pair("b", True)]
    data = Labelled({}, weak, hand)
    assert fitting.validation_pairs(data, {"b"}, 0) == hand
    found = fitting.validation_pairs(data, {"a"}, 0)
    assert len(found) == 3 and all(p.screen.app == "a" for p in found)
    assert fitting.validation_pairs(data, set(), 0) == []


def test_the_threshold_is_the_best_and_of_equals_the_highest(monkeypatch):
    # The needed element has n = 2, the private one beside the task 1.2: every threshold above 1.2 up to 2 is best.
    scores = [(pair("a", True), np.array([0, 0, 3], np.float32), np.array([0, 2, 1.2], np.float32))]
    monkeypatch.setattr(fitting, "scores_of", lambda *_: scores)
    monkeypatch.setattr(fitting, "Scorer", lambda *_: SimpleNamespace())
    assert fitting.choose_tau_n(None, [], 5.0, Context()) == 2.0
    # Where no pair has anything private, what is needed decides alone.
    harmless = pair("a", True, s=(0.0, 0.0, 0.0))
    monkeypatch.setattr(fitting, "scores_of", lambda *_: [(harmless, np.zeros(3), np.array([0, 0.7, 0.0]))])
    assert fitting.choose_tau_n(None, [], 5.0, Context()) == pytest.approx(0.7)
