"""Span leaks as defined, and the table of policies on labelled pairs."""

import json

import numpy as np
import pytest

from methods.core.context import Cancelled, CancelToken, Context
from methods.minim import evaluation, formats, labelled, pipeline
from methods.minim.evaluation import span_leaks
from methods.minim.findings import find
from methods.minim.labelled import Labelled, LabelledScreen, Pair
from methods.minim.operators import Pseudonyms
from methods.minim.policy import ABSTRACT, KEEP, REMOVE, Policy, decide
from methods.minim.redact import redact
from tests.minim_weights import untrained
from tests.shared import shared_path

MAIL, CODE = "ann@inbox.example", "482913"


def pair_of(nodes, secrets, injected=(), critical=()):
    """A pair of a screen with these (role, name) and labels (node, text, type, s)."""
    screen = {
        "screen": "shop-000", "viewport": [100, 50], "injected": list(injected),
        "nodes": [
            {"id": i, "parent": 0 if i else -1, "role": role, "name": name, "box": [0, i, 9, 1], "visible": True,
             "interactive": role == "button"}
            for i, (role, name) in enumerate(nodes)
        ],
    }  # fmt: skip
    observation = formats.parse("shop-000.json", json.dumps(screen))
    s = np.zeros(len(nodes), np.float32)
    for node, _, _, value in secrets:
        s[node] = value
    mask = np.zeros(len(nodes), bool)
    mask[list(critical)] = True
    screen = LabelledScreen("shop-000", "shop", observation, s, tuple(secrets))
    return Pair(screen, "buy", "gold", np.zeros_like(s), mask, s, mask, True)


PAGE = [
    ("RootWebArea", "Shop"),
    ("StaticText", MAIL),
    ("StaticText", f"Write to {MAIL.upper()}"),
    ("button", "Go"),
]
LABELS = [(1, MAIL, "email", 7.0)]


def codes(*decisions):
    return np.array(decisions, np.uint8)


def test_a_text_that_stands_elsewhere_in_another_case_leaks():
    pair = pair_of(PAGE, LABELS)
    assert span_leaks(pair, codes(KEEP, REMOVE, KEEP, KEEP)) == 1
    assert span_leaks(pair, codes(KEEP, ABSTRACT, KEEP, KEEP)) == 1
    assert span_leaks(pair, codes(KEEP, REMOVE, REMOVE, KEEP)) == 0


def test_what_was_kept_itself_does_not_count_unless_it_never_leaves():
    pair = pair_of(PAGE, LABELS)
    assert span_leaks(pair, codes(KEEP, KEEP, KEEP, KEEP)) == 0
    page = [("RootWebArea", "Shop"), ("StaticText", f"Your code is {CODE}"), ("StaticText", "482 913")]
    pair = pair_of(page, [(1, CODE, "otp", 10.0)])
    assert span_leaks(pair, codes(KEEP, KEEP, REMOVE)) == 1
    assert span_leaks(pair, codes(KEEP, REMOVE, KEEP)) == 1, "as digits"
    assert span_leaks(pair, codes(KEEP, REMOVE, REMOVE)) == 0


def test_less_private_texts_do_not_count():
    pair = pair_of(PAGE, [(1, MAIL, "message", 6.0)])
    assert span_leaks(pair, codes(KEEP, REMOVE, KEEP, KEEP)) == 0


def test_each_text_counts_once():
    pair = pair_of([*PAGE, ("StaticText", MAIL), ("StaticText", CODE)], [*LABELS, (5, CODE, "otp", 10.0)])
    assert span_leaks(pair, codes(KEEP, REMOVE, KEEP, KEEP, KEEP, KEEP)) == 2


def test_the_minimised_file_is_searched_also_outside_of_its_tree():
    planted = {
        "kind": "hidden_text",
        "nodes": [],
        "texts": [{"text": "vT9kQm2xRb7L", "type": "secret_token", "s": 10}],
    }
    pair = pair_of(PAGE, LABELS, [planted])
    observation = pair.screen.observation
    zero = np.zeros(len(PAGE), np.float32)
    policy = Policy(0.0, 5.0)
    found = find(observation)
    decisions = decide(observation, np.where(np.arange(4) == 1, 7, zero), zero + 9, found, policy)
    made = redact(observation, decisions, found, policy, Pseudonyms())
    assert "vT9kQm2xRb7L" in observation.source and MAIL not in made.source.casefold()
    assert span_leaks(pair, decisions.codes, made) == 0
    leaking = type(made)(observation.source, {}, frozenset(), ())
    assert span_leaks(pair, decisions.codes, leaking) == 2, "the planted one, and the address"


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    return pipeline.scorer(untrained(tmp_path_factory.mktemp("weights") / "any.safetensors"))


def test_every_policy_has_an_entry_of_the_same_figures(scorer):
    pair = pair_of(PAGE, LABELS, critical=(3,))
    data = Labelled({"shop-000": pair.screen}, [], [pair])
    table = evaluation.evaluate(data, [pair], scorer, Policy(0.0, 5.0), Context(), scorer).to_dict()
    assert list(table) == [
        "minim", "full", "random20", "lexical20", "lexical_rules", "necessity_only", "sensitivity_only", "no_graph",
    ]  # fmt: skip
    for entry in table.values():
        assert {"tcnp", "tcnp_i", "tisl", "keep", "span_leaks", "n", "intervals", "by_kind"} <= set(entry)
    full, ours = table["full"], table["minim"]
    assert (full["tcnp"], full["tisl"], full["keep"], full["span_leaks"]) == (1, 1, 1, 0)
    assert ours["span_leaks"] == 0 and ours["n"] == 1
    # Quarters of the characters, rounded up: 17 -> 5, 26 -> 7, Go -> 1. The root is no candidate.
    assert (full["tokens_before"], full["tokens_after"]) == (13, 13)
    assert full["by_kind"] == {"gold": {"tcnp": 1, "tcnp_i": 1, "tisl": 1, "keep": 1, "n": 1}}
    json.dumps(table, allow_nan=False)


def test_figures_that_no_pair_defines_are_null(scorer):
    pair = pair_of(PAGE, [])
    data = Labelled({"shop-000": pair.screen}, [], [pair])
    entry = evaluation.evaluate(data, [pair], scorer, Policy(), Context()).to_dict()["full"]
    assert entry["tcnp"] is entry["tisl"] is None and entry["intervals"]["tcnp"] == [None, None]


def test_it_can_be_cancelled(scorer):
    pair = pair_of(PAGE, LABELS)
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        evaluation.evaluate(Labelled({}, [], [pair]), [pair], scorer, Policy(), Context(token=token))


def test_nothing_planted_survives_in_what_we_write_whatever_the_scores():
    data = labelled.read(shared_path("data", "ui"), weak=False)
    rng = np.random.default_rng(0)
    for pair in data.hand[::5]:
        observation = pair.screen.observation
        found = find(observation)
        n = rng.uniform(0, 2, len(pair.s)).astype(np.float32)
        decisions = decide(observation, pair.screen.s, n, found, Policy())
        made = redact(observation, decisions, found, Policy(), Pseudonyms())
        assert span_leaks(pair, decisions.codes, made) == 0, (pair.screen.id, pair.task)
