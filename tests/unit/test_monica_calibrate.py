"""Gates and strengths: when the calibrator acts, and how much."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from methods.core.errors import BadParameter
from methods.monica.calibrate import Calibration, Gate, Vector

VECTOR = Vector(1, torch.tensor([3.0, 4.0]), 0.5)
YES = torch.tensor([True])


def test_strength_follows_the_score():
    c = Calibration("subtract", 0.5, 0.4, strength=2.0, vector=VECTOR)
    scores = torch.tensor([0.0, 0.4, 0.7, 1.0])
    torch.testing.assert_close(c.strengths(scores), torch.tensor([0.0, 0.0, 1.0, 2.0]))
    constant = Calibration("subtract", 0.5, 0.4, strength=2.0, adaptive=False, vector=VECTOR)
    assert constant.strengths(scores).tolist() == [2.0] * 4


def test_the_gate_has_hysteresis():
    gate = Gate(Calibration("subtract", 0.5, 0.3, adaptive=False, vector=VECTOR), 1)
    found = [gate.strengths(torch.tensor([s]), YES).item() for s in (0.4, 0.6, 0.4, 0.29, 0.4)]
    assert found == [0.0, 1.0, 1.0, 0.0, 0.0]


def test_rows_have_gates_of_their_own():
    gate = Gate(Calibration("clamp", 0.5, 0.5, adaptive=False, vector=VECTOR), 3)
    ended = torch.tensor([True, True, False])
    assert gate.strengths(torch.tensor([0.9, 0.1, 0.9]), ended).tolist() == [1.0, 0.0, 0.0]
    assert gate.strengths(torch.tensor([0.5, 0.5, 0.5]), ~ended).tolist() == [0.0, 0.0, 0.0]
    assert gate.strengths(torch.tensor([0.5, 0.5, 0.5]), ended).tolist() == [1.0, 0.0, 0.0]


def test_tries_are_counted_per_step():
    gate = Gate(Calibration("rollback", 0.5, 0.5, tries=2), 1)
    high, low = torch.tensor([0.9]), torch.tensor([0.2])
    assert [gate.again(high, YES).item() for _ in range(3)] == [True, True, False]
    assert gate.tries.item() == 0
    assert [gate.again(s, YES).item() for s in (high, low, high)] == [True, False, True]


def test_modes_without_steering_set_no_strength():
    for mode in ("none", "rollback", "prompt"):
        gate = Gate(Calibration(mode), 1)
        assert gate.strengths(torch.tensor([1.0]), YES).item() == 0.0
        assert mode == "rollback" or not gate.again(torch.tensor([1.0]), YES).item()


def test_always_acts_without_a_score():
    c = Calibration("subtract", strength=1.5, always=True, vector=VECTOR)
    assert Gate(c, 1).strengths(torch.tensor([0.0]), YES).item() == 1.5


@given(st.integers(0, 1000))
def test_the_control_is_as_long_as_the_vector(seed):
    random = VECTOR.random(seed)
    assert random.direction.norm().item() == pytest.approx(5.0, rel=1e-5) and random.layer == 1
    assert torch.equal(random.direction, VECTOR.random(seed).direction)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 5))
def test_strengths_grow_with_the_score_within_bounds(a, b, strength):
    c = Calibration("subtract", 0.5, 0.25, strength=strength, vector=VECTOR)
    low, high = c.strengths(torch.tensor(sorted([a, b]))).tolist()
    assert 0 <= low <= high <= strength + 1e-5


@pytest.mark.parametrize(
    "bad",
    [
        {"mode": "hypnosis"},
        {"tau": 0.3, "release": 0.4},
        {"tau": 1.5},
        {"tries": -1},
        {"mode": "clamp"},
        {"mode": "random"},
    ],
)
def test_impossible_settings_are_refused(bad):
    with pytest.raises(BadParameter):
        Calibration(**bad)


def test_an_edit_clamps_only_in_its_mode():
    strength = torch.ones(1)
    assert Calibration("clamp", vector=VECTOR).edit(strength).ceiling == 0.5
    assert Calibration("subtract", vector=VECTOR).edit(strength).ceiling is None
    hidden = torch.zeros(1, 1, 2)
    assert Calibration("subtract", vector=VECTOR).edit(strength).apply(hidden).tolist() == [[[-3.0, -4.0]]]
