"""The declared actions called from Python, and how training splits and chooses."""

import numpy as np
import pytest

from methods.core.context import Context
from methods.core.declaration import ASSETS
from methods.core.errors import WorkFailed
from methods.core.params import params_of
from methods.minim import METHOD, actions, cross_validation, formats, params, threshold, training
from methods.minim.calibration import Calibration
from methods.minim.format_titles import TITLES
from methods.minim.labelled import Labelled, LabelledScreen, Pair
from methods.minim.operators import OPERATORS
from methods.minim.policy import Policy
from methods.minim.threshold import Heard
from methods.minim.training import Schedule
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


def test_every_app_is_left_out_of_the_network_that_scores_it(monkeypatch):
    weak = [pair(app, False) for app in "abcde"]
    hand = [pair(app, True) for app in "abc"]
    trained = []

    def train(prepared, schedule, context, graph, state):
        trained.append([p.screen.app for p in prepared])
        return training.new_network(graph)

    monkeypatch.setattr(training, "train", train)
    labelled = Labelled({p.screen.id: p.screen for p in weak}, weak, hand)
    own = [*weak, pair("own-mail", False)]
    found = cross_validation.folds(labelled, training.prepare(own, Context()), 2, Schedule(), Context())
    assert [fold.apps for fold in found] == [("a", "c", "e"), ("b", "d")]
    assert trained == [["b", "d", "own-mail"], ["a", "c", "e", "own-mail"]]
    assert [[p.screen.app for p in fold.pairs] for fold in found] == [["a", "c"], ["b"]]
    assert all(p.hand for fold in found for p in fold.pairs)
    table = cross_validation.table(labelled, found, Calibration(), Policy(1.0, 5.0), Context()).to_dict()
    assert table["minim"]["n"] == table["full"]["n"] == 3


def test_without_hand_labels_weak_ones_are_scored():
    weak = [pair("a", False), pair("b", False)] * 3
    labelled = Labelled({p.screen.id: p.screen for p in weak}, weak)
    (fold,) = cross_validation.folds(labelled, [], 1, Schedule(epochs=0), Context())
    assert len(fold.pairs) == 6 and not any(p.hand for p in fold.pairs)


def test_the_calibration_puts_the_best_threshold_at_one():
    # Of 40 elements one is needed and says 0, a private one says -1, the rest -5: any threshold between is best,
    # of these the highest.
    one = pair("a", True, s=(0.0, 0.0, 8.0, *[0.0] * 37))
    logit = np.array([-5, 0, -1.0, *[-5] * 37])
    heard = [Heard(one, (), one.s, logit, np.ones(40, bool), np.zeros((0, 2), np.int64))]
    chosen = threshold.choose(heard, 5.0)
    (figures,) = threshold.scores(heard, chosen, threshold.TAU_N, 5.0)
    assert (figures.tcnp, figures.tisl, figures.keep) == (1, 0, 1 / 39)
    assert chosen.necessity(heard[0].logit, heard[0].counted)[1] == pytest.approx(1, abs=0.1)
    nothing = threshold.choose(heard, 5.0, most_kept=0.0)
    assert threshold.scores(heard, nothing, threshold.TAU_N, 5.0)[0].keep == 0


def test_the_usual_number_of_epochs_is_that_of_the_schedule():
    assert params.TrainParams().epochs == Schedule().epochs
