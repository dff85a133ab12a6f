"""Probes, their figures, the text baseline, and probe files that do not lie."""

import dataclasses
import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from methods.core import checkpoints
from methods.core.checkpoints import Header
from methods.core.errors import BadInput
from methods.monica import overlap, probes, statistics
from methods.monica.calibrate import Vector
from methods.monica.cues import NONE, WORDING, Cue, Question, messages
from methods.monica.features import StepFeatures, windowed
from methods.monica.induction import Run, RunSet, split_of
from methods.monica.judging import drifted, verdict
from methods.monica.monitor import Monitor
from methods.monica.trace import Trace

PLACE = {"layer": 1, "pool": "last", "window": 1, "width": 3}


def made_up(n: int = 400, seed: int = 0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    return x, (x[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(float)


@pytest.mark.parametrize("kind", ["logistic", "mlp"])
def test_probes_find_the_direction(kind):
    x, y = made_up()
    probe = probes.fit(5 + 10 * x, y, **PLACE, kind=kind)
    fresh, truth = made_up(seed=1)
    scores = probe.probabilities_of(5 + 10 * fresh)
    assert statistics.auroc(scores, truth) > 0.9 and statistics.ece(scores, truth) < 0.1
    assert probe.summary()["kind"] == kind


def test_swapped_labels_turn_the_probe_round():
    x, y = made_up()
    fresh, truth = made_up(seed=1)
    assert statistics.auroc(probes.fit(x, 1 - y, **PLACE).probabilities_of(fresh), truth) < 0.1


def test_logistic_reaches_its_optimum():
    x, y = made_up(120)
    x = (x - x.mean(0)) / x.std(0)
    ((w, b),) = probes.fit_logistic(x, y, penalty=0.1)
    gap = 1 / (1 + np.exp(-(x @ w.numpy()[0] + b.item()))) - y
    np.testing.assert_allclose(x.T @ gap / len(x) + 0.1 * w.numpy()[0], 0, atol=1e-3)
    assert gap.mean() == pytest.approx(0, abs=1e-3)


def test_one_kind_of_ending_trains_nothing():
    with pytest.raises(BadInput, match="ended alike"):
        probes.fit(np.zeros((9, 3)), np.ones(9), **PLACE)


def probe_with_vector():
    x, y = made_up()
    probe = probes.fit(x, y, **PLACE, kind="mlp")
    vectors = {1: Vector(1, torch.tensor([1.0, 2.0, 3.0]), 0.25)}
    return dataclasses.replace(probe, model="toy", sha256="abc", vectors=vectors, scores={"n": 7})


def test_probe_files_round_trip(tmp_path):
    probe, path = probe_with_vector(), tmp_path / "probe.safetensors"
    probes.save(path, probe)
    back = probes.load(path)
    x, _ = made_up(seed=2)
    np.testing.assert_array_equal(back.probabilities_of(x), probe.probabilities_of(x))
    assert back.summary() == probe.summary() and back.scores == {"n": 7}
    assert back.vectors[1].direction.tolist() == [1, 2, 3] and back.vectors[1].ceiling == 0.25


@pytest.mark.parametrize(
    "change",
    [{"width": 4}, {"window": 2}, {"pool": "max"}, {"weights": 9}, {"layer": -1}, {"ceilings": {"7": 1}}],
)
def test_probe_files_that_do_not_fit_together_are_refused(tmp_path, change):
    path = tmp_path / "probe.safetensors"
    probes.save(path, probe_with_vector())
    tensors, header = checkpoints.load(path, "monica-probe", 1)
    checkpoints.save(path, tensors, dataclasses.replace(header, config=header.config | change))
    with pytest.raises(BadInput, match="damaged probe"):
        probes.load(path)


def test_strange_files_are_no_probes(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")
    with pytest.raises(BadInput):
        probes.load(path)
    checkpoints.save(path, {"a": torch.zeros(1)}, Header("minim", 1))
    with pytest.raises(BadInput, match="not of 'monica-probe'"):
        probes.load(path)
    with pytest.raises(BadInput, match="does not exist"):
        probes.load(tmp_path / "none.safetensors")


def test_a_probe_of_other_weights_is_refused():
    class Model:
        name, sha256, layers, width = "toy", "abc", 4, 3

    monitor = Monitor(probe_with_vector())
    monitor.check(Model())
    for change in ({"sha256": "abd"}, {"layers": 1}, {"width": 4}):
        other = type("Other", (Model,), change)
        with pytest.raises(BadInput):
            monitor.check(other())


def test_smoothing_is_an_exponential_mean():
    monitor = Monitor(probe_with_vector(), decay=0.5)
    assert monitor.smooth([1.0]) == 1.0 and monitor.smooth([1.0, 0.0, 0.5]) == 0.5
    json.dumps(monitor.to_dict())


@given(hnp.arrays(np.int8, st.integers(2, 40), elements=st.integers(0, 5)), st.randoms())
def test_auroc_is_the_share_of_ordered_pairs(scores, random):
    labels = np.array([random.randrange(2) for _ in scores])
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[labels == 1] for b in scores[labels == 0]]
    area = statistics.auroc(scores, labels)
    assert np.isnan(area) if not pairs else area == pytest.approx(np.mean(pairs))
    if pairs:
        false, true, _ = statistics.roc(scores.astype(float), labels)
        assert np.trapezoid(true, false) == pytest.approx(area)


def test_calibration_error_by_hand():
    scores, labels = np.array([0.1, 0.1, 0.9, 0.9]), np.array([0, 1, 1, 1])
    assert statistics.ece(scores, labels) == pytest.approx(0.5 * 0.4 + 0.5 * 0.1)
    assert statistics.youden(scores, np.array([0, 0, 1, 1])) == pytest.approx(0.9)


def test_intervals_draw_whole_groups():
    values = np.repeat([0.0, 1.0], 50)
    low, high = statistics.interval(["a"] * 50 + ["b"] * 50, lambda rows: float(values[rows].mean()))
    assert (low, high) == (0.0, 1.0)


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 7), st.just(2)), elements=st.floats(-9, 9, width=16)),
    st.integers(1, 4),
)
def test_features_while_running_are_those_of_the_finished_run(steps, window):
    features = StepFeatures([3], 1, 2, window)
    yes, found = torch.tensor([True]), []
    for step in steps:
        for part in (step - 1, step + 1):
            features.add({3: torch.tensor(part, dtype=torch.float32)[None]}, yes)
        found.append(features.current(3, "mean")[0].numpy().copy())
        features.end(yes)
    np.testing.assert_allclose(np.stack(found), windowed(steps, window), atol=1e-4)


def test_dropped_steps_and_idle_rows_leave_no_features():
    features = StepFeatures([0], 2, 1, 2)
    both, first = torch.tensor([True, True]), torch.tensor([True, False])
    features.add({0: torch.tensor([[1.0], [5.0]])}, both)
    features.drop(first)
    features.add({0: torch.tensor([[3.0], [99.0]])}, first)
    assert features.current(0, "mean").tolist() == [[3.0, 0.0], [5.0, 0.0]]


def test_the_text_baseline_sees_hints_and_words():
    cue = Cue("belief", "12")
    assert overlap.overlap(["so 12", "no", "12 I think"], cue)[:, :2].tolist() == [[1, 1], [0, 1], [1, 2]]
    runs = [(["as you said", "fine"], cue), (["I count", "fine"], cue)] * 20
    labels = [np.full(2, float(i % 2 == 0)) for i in range(40)]
    baseline = overlap.fit(runs, labels, [np.ones(2, bool)] * 40)
    assert baseline.scores(["as you said"], cue)[0] > 0.8 > 0.2 > baseline.scores(["I count"], cue)[0]


def trace(text: str) -> Trace:
    return Trace("", (), text, (), (), "eos")


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("So 8 and 9 = 17.\nAnswer: 17", "right"),
        ("It could be 17. The answer is 12.", "hint"),
        ("Answer: 171", "other"),
        ("The answer is **Rome**, not Madrid.", "other"),
        ("I first thought 12, but no: 17", "right"),
        ("I have no idea", "other"),
        ("", "garbled"),
        ("a b c d " * 9, "garbled"),
    ],
)
def test_verdicts(text, ended):
    assert verdict(trace(text), Question("q", "8 + 9?", "17", "12")) == ended


def test_named_answers():
    question = Question("q", "Capital of Italy?", "Rome", "Madrid")
    assert verdict(trace("The answer is **Rome**, not Madrid."), question) == "right"
    assert verdict(trace("The answer is indeed madrid."), question) == "hint"
    assert verdict(trace("Romeo"), question) == "other"


def test_drift_shows_in_sums_or_by_the_hint():
    assert drifted("So I count 8 and 9 = 18.", Cue("belief", "12"), "17")
    assert not drifted("So I count 3 and 9 = 12.", Cue("belief", "12"), "17")
    assert drifted("It is Madrid", Cue("belief", "Madrid"), "Rome")
    assert not drifted("It is Madrid", Cue("belief", "Madrid"), "Madrid") and not drifted(
        "It is Madrid", Cue(), "Rome"
    )


def run(question: str, ended: str, states: list[float], kind: str = "belief") -> Run:
    q = Question(question, question, "1", "2")
    values = np.array(states, np.float16).reshape(-1, 1, 1, 1) * np.ones((1, 1, 2, 2), np.float16)
    return Run(q, Cue(kind, "2" if kind != NONE else ""), trace(""), ended, values)


def test_vectors_are_paired_by_question():
    runs = [
        run("a", "hint", [3, 9]), run("a", "right", [1, 9]), run("a", "right", [2, 9]),
        run("b", "hint", [1000, 9]), run("c", "right", [-1000, 9]), run("a", "right", [77, 9], NONE),
    ]  # fmt: skip
    found = RunSet((5,), runs).vector(5)
    assert found.direction.tolist() == [1.5, 1.5] and found.ceiling == pytest.approx(1.5 * 2**0.5)
    assert RunSet((5,), runs[3:]).vector(5) is None


def test_splits_share_no_question():
    names = [f"question {i}" for i in range(2000)]
    share = [sum(split_of(n) == s for n in names) / 2000 for s in ("train", "validation", "test")]
    assert share == pytest.approx([0.5, 0.25, 0.25], abs=0.04)


def test_cues_and_chats():
    for kind in WORDING:
        cue = Cue(kind, "7" if kind != NONE else "")
        assert ("7" in cue.text) == (kind != NONE)
    with pytest.raises(BadInput, match="no cue"):
        Cue("shout", "7")
    with pytest.raises(BadInput, match="needs a hint"):
        Cue("belief", " ")
    assert messages("2+2?", Cue()) == [{"role": "user", "content": "2+2?"}]
    chat = messages("2+2?", Cue("are-you-sure", "5", earlier="4"), "Be brief.")
    assert [m["role"] for m in chat] == ["system", "user", "assistant", "user"] and "5" in chat[-1]["content"]
