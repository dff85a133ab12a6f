"""One path from a file to what leaves of it, with a model that is known exactly."""

from types import SimpleNamespace

import numpy as np
import pytest

from methods.core.errors import BadInput
from methods.minim import formats, pipeline
from methods.minim.findings import TYPES, rule_sensitivity
from methods.minim.operators import Pseudonyms
from methods.minim.policy import ABSTRACT, KEEP, REMOVE, Policy

SOURCE = """- main:
  - heading "Sign in" [level=1] [ref=e2]
  - textbox "E-mail" [ref=e5]: noor.hallam@inbox.example
  - textbox "Password" [ref=e9]: Lantern#4417qz
  - button "Sign in" [ref=e12]
"""


class Model:
    """s as the rules say; n is 8 for every element."""

    def __init__(self):
        self.tasks = []

    def read(self, observation, findings):
        return SimpleNamespace(s=rule_sensitivity(len(observation.elements), findings))

    def necessity(self, page, task):
        self.tasks.append(task)
        return np.full(len(page.s), 8, np.float32)


@pytest.fixture
def page():
    return pipeline.look(formats.parse("snapshot.yaml", SOURCE))


def test_looking_gives_the_strongest_type_and_the_floor(page):
    assert page.types == ("", "", "email", "password", "")
    assert page.floor == {3}
    assert [f.type for f in page.findings_of(2)] == ["email"]


def test_secrets_of_a_person_are_floor():
    page = pipeline.look(formats.parse("snapshot.yaml", SOURCE), ("Sign in",))
    assert page.types[1] == page.types[4] == "given" and {1, 4} <= page.floor


def test_from_a_page_to_what_leaves(page):
    scored = pipeline.score(page, "sign in", Model())
    assert scored.s.tolist() == [0, 0, 7, 10, 0] and scored.n.tolist() == [8] * 5
    rules = Policy(1.0, 5.0)
    decisions = pipeline.decide(scored, rules)
    assert decisions.codes.tolist() == [KEEP, KEEP, ABSTRACT, ABSTRACT, KEEP]
    made = pipeline.outgoing(page, rules, decisions, Pseudonyms())
    assert made.ok and made.covered == (2, 3)
    assert "<EMAIL>" in made.redaction.source and "value-state=filled" in made.redaction.source
    assert "Lantern" not in made.redaction.source and "[ref=e9]" in made.redaction.source


def test_without_a_task_nothing_is_needed_and_the_model_is_not_asked(page):
    model = Model()
    for task in ("", " \n"):
        assert pipeline.score(page, task, model).n.tolist() == [0] * 5
    assert model.tasks == []


def test_a_page_that_was_read_is_not_read_again(page):
    model = Model()
    ready = model.read(page.observation, page.findings)
    model.read = None
    assert pipeline.score(page, "sign in", model, ready).s is ready.s


def test_operators_are_named_by_type_and_a_name_wins_over_all():
    assert pipeline.operators_of(["email=numbered"]) == {"email": "numbered"}
    chosen = pipeline.operators_of(["email=fake", "all=token"])
    assert chosen.keys() == TYPES.keys()
    assert chosen["email"] == "fake" and {v for k, v in chosen.items() if k != "email"} == {"token"}
    assert pipeline.policy_of(1, 5, {"email": "fake"}).operators == {"password": "state", "email": "fake"}


@pytest.mark.parametrize("word", ["email", "email=", "=token", "mail=token", "email=Token", ""])
def test_other_words_are_refused_with_what_is_known(word):
    with pytest.raises(BadInput) as error:
        pipeline.operators_of([word])
    assert ("email" in error.value.remedy) or ("numbered" in error.value.remedy)


def test_leakage_is_the_share_of_sensitive_tokens_beside_the_task(page):
    n = np.array([0, 0, 0, 0, 8], np.float32)
    scored = pipeline.Scored(page, "x", np.array([0, 0, 7, 10, 9], np.float32), n, 0.0)
    tokens = {2: 8, 3: 6}  # "E-mail noor.hallam@inbox.example" and "Password Lantern#4417qz", quarters
    whole = 7 * tokens[2] + 10 * tokens[3]
    codes = np.array([KEEP, KEEP, KEEP, KEEP, KEEP], np.uint8)
    assert pipeline.leakage(scored, codes) == pytest.approx(1.0)
    codes[3] = REMOVE
    assert pipeline.leakage(scored, codes) == pytest.approx(7 * tokens[2] / whole)
    codes[2] = ABSTRACT
    assert pipeline.leakage(scored, codes) == pytest.approx(7 * 0.3 / whole)


def test_short_secrets_are_told_without_telling_them():
    assert pipeline.short_secrets(["abcd", "e2", " x "]) == (
        "secret shorter than 4 characters (2): it is masked only where it stands alone.",
        "secret shorter than 4 characters (3): it is masked only where it stands alone.",
    )
    assert pipeline.short_secrets(["long enough"]) == ()


def test_missing_weights_are_told(monkeypatch, tmp_path):
    from methods.minim import scorer

    monkeypatch.setattr(scorer, "SHIPPED", tmp_path / "minim.safetensors")
    with pytest.raises(BadInput, match="weights of MINIM are not there"):
        pipeline.scorer()
    assert pipeline.weights_sha256() == ""
    pipeline.weights_sha256.cache_clear()
