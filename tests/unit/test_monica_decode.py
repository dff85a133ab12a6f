"""The decode loop: a batch is its rows alone, nothing outlives a rollback, and it stops within one token."""

import threading

import numpy as np
import pytest
import torch

from methods.core.context import Cancelled, CancelToken, Context
from methods.core.errors import BadInput, BadParameter, WorkFailed
from methods.monica.calibrate import OFF, Calibration, Vector
from methods.monica.cues import Cue
from methods.monica.decode import Control, Generation, StepEvent, TokenEvent, branch, generate
from methods.monica.model_interface import Edit, Prompt
from methods.monica.monitor import Monitor
from methods.monica.probes import Probe
from methods.monica.sampling import Sampling, pick, uniforms
from methods.monica.toy import language as words
from methods.monica.toy.model import ToyModel
from methods.monica.toy.network import Config, Network

WARM = Sampling(seed=3, max_tokens=40)


@pytest.fixture(scope="module")
def model() -> ToyModel:
    """Untrained: what it writes is nonsense, which is as good for these tests and needs no weights."""
    torch.manual_seed(0)
    return ToyModel(Network(Config(len(words.PIECES), width=32, layers=3, heads=2)))


@pytest.fixture(scope="module")
def prompts(model) -> list[Prompt]:
    cues = [Cue(), Cue("belief", "7"), Cue("expert", "21"), Cue("certain", "5")]
    system = ["", "", "", "caution"]
    return [model.prompt("Add 1 2 3 4 5.", c, s) for c, s in zip(cues, system, strict=True)]


def monitor(model, value: float = 0.9, layer: int = 1, weight: float = 0.0) -> Monitor:
    """A probe that says ``value`` of everything, unless ``weight`` lets the features speak."""
    bias = torch.tensor([float(np.log(value / (1 - value)))])
    w = weight * torch.linspace(-1, 1, model.width)[None]
    ones = torch.ones(model.width)
    return Monitor(
        Probe(layer, "mean", 1, model.width, 0 * ones, ones, ((w, bias),), model.name, model.sha256)
    )


def vector(model, layer: int = 1) -> Vector:
    return Vector(layer, torch.linspace(-1, 1, model.width), 0.1)


def test_draws_belong_to_their_place():
    keys, places = np.arange(1000), np.arange(1000)[::-1].copy()
    u = uniforms(1, keys, places, 0 * keys)
    assert u[17] == uniforms(1, keys[17:18], places[17:18], np.zeros(1, int))[0]
    assert u.min() >= 0 and u.max() < 1 and abs(u.mean() - 0.5) < 0.03
    assert len({*u, *uniforms(1, keys, places, keys * 0 + 1), *uniforms(2, keys, places, 0 * keys)}) == 3000


def test_pick_is_the_quantile():
    logits = torch.log(torch.tensor([[0.5, 0.3, 0.2]])).repeat(5, 1)
    u = np.array([0.0, 0.49, 0.51, 0.81, 0.999])
    assert pick(logits, u, Sampling()).tolist() == [0, 0, 1, 2, 2]
    assert pick(logits, u, Sampling(top_p=0.6)).tolist() == [0, 0, 0, 1, 1]
    assert pick(logits, u, Sampling(temperature=0)).tolist() == [0] * 5
    flat = pick(torch.zeros(4, 8), np.array([0.1, 0.3, 0.6, 0.9]), Sampling(temperature=5))
    assert flat.tolist() == [0, 2, 4, 7]


@pytest.mark.parametrize("bad", [{"temperature": -1}, {"top_p": 0}, {"max_tokens": 0}])
def test_impossible_sampling_is_refused(bad):
    with pytest.raises(BadParameter):
        Sampling(**bad)


@pytest.mark.parametrize("sampling", [WARM, Sampling(temperature=0, max_tokens=20)])
def test_a_batch_is_its_rows_alone(model, prompts, sampling):
    together = Generation(model, prompts, sampling, record=[0, 2])
    traces = together.run()
    for i, prompt in enumerate(prompts):
        alone = Generation(model, [prompt], sampling, keys=[i], record=[0, 2])
        assert alone.run()[0].ids == traces[i].ids
        np.testing.assert_allclose(np.stack(alone.states[0]), np.stack(together.states[i]), atol=1e-4)


def test_states_are_those_of_the_whole_text(model, prompts):
    session = model.start(*padded(model, prompts[:1]), layers=[2])
    trace = generate(model, prompts[0], WARM)
    hidden = [session.step(torch.tensor([t])).hidden[2] for t in trace.ids]
    assert len(hidden) == len(trace.ids)
    whole = torch.tensor([prompts[0].ids + trace.ids])
    again = model.start(whole, torch.ones_like(whole, dtype=torch.bool), layers=[2])
    torch.testing.assert_close(again.last.hidden[2], hidden[-1], atol=1e-4, rtol=1e-4)


def padded(model, prompts):
    length = max(len(p.ids) for p in prompts)
    ids = torch.tensor([[model.pad] * (length - len(p.ids)) + list(p.ids) for p in prompts])
    mask = torch.tensor([[False] * (length - len(p.ids)) + [True] * len(p.ids) for p in prompts])
    return ids, mask


def test_forgotten_tokens_leave_no_mark(model, prompts):
    clean = model.start(*padded(model, prompts), layers=[1])
    muddled = model.start(*padded(model, prompts), layers=[1])
    start = muddled.lengths
    assert start.tolist() == [len(p.ids) for p in prompts]
    some = torch.tensor([True, False, True, False])
    for token in (9, 10, 11):
        muddled.step(torch.full((4,), token), some)
    assert muddled.lengths.tolist() == (start + 3 * some).tolist()
    muddled.rollback(start)
    assert muddled.lengths.tolist() == start.tolist()
    token = torch.tensor([12, 13, 14, 15])
    a, b = clean.step(token), muddled.step(token)
    torch.testing.assert_close(a.logits, b.logits, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(a.hidden[1], b.hidden[1], atol=1e-5, rtol=1e-4)


def test_forks_go_their_own_way(model, prompts):
    session = model.start(*padded(model, prompts))
    twin = session.fork(torch.tensor([2, 2, 0]))
    before = session.step(torch.tensor([9, 9, 9, 9])).logits
    twin.step(torch.tensor([10, 11, 12]))
    torch.testing.assert_close(
        twin.step(torch.tensor([9, 9, 9])).logits.shape, torch.Size([3, model.vocabulary])
    )
    session.rollback(session.lengths - 1)
    torch.testing.assert_close(session.step(torch.tensor([9, 9, 9, 9])).logits, before, atol=1e-5, rtol=1e-4)


def test_edits_change_their_rows_and_coming_tokens_only(model, prompts):
    plain, edited = (model.start(*padded(model, prompts), layers=[1, 2]) for _ in range(2))
    edited.steer([Edit(1, torch.ones(model.width), torch.tensor([0.0, 2.0, 0.0, 0.0]))])
    token = torch.tensor([9, 9, 9, 9])
    a, b = plain.step(token), edited.step(token)
    torch.testing.assert_close(b.hidden[1][1], a.hidden[1][1] - 2, atol=1e-5, rtol=1e-5)
    assert torch.equal(b.hidden[2][[0, 2, 3]], a.hidden[2][[0, 2, 3]])
    assert not torch.allclose(b.hidden[2][1], a.hidden[2][1])
    edited.steer([])
    edited.rollback(edited.lengths - 1)
    torch.testing.assert_close(edited.step(token).logits, a.logits, atol=1e-5, rtol=1e-4)


def test_a_clamp_takes_only_what_lies_above():
    unit = torch.tensor([0.0, 2.0])
    hidden = torch.tensor([[[5.0, 3.0]], [[5.0, 1.0]]])
    clamped = Edit(0, unit, torch.ones(2), ceiling=2.0).apply(hidden)
    assert clamped.tolist() == [[[5.0, 2.0]], [[5.0, 1.0]]]
    half = hidden.to(torch.bfloat16)
    assert Edit(0, unit, torch.ones(2)).apply(half).dtype == torch.bfloat16


def test_strength_zero_is_the_baseline_byte_for_byte(model, prompts):
    plain = Generation(model, prompts, WARM, monitor(model)).run()
    for mode in ("subtract", "clamp", "random"):
        idle = Calibration(mode, 0.1, 0.1, strength=0.0, vector=vector(model))
        steered = Generation(model, prompts, WARM, monitor(model), idle).run()
        assert [t.ids for t in steered] == [t.ids for t in plain]
        assert [[s.token_scores for s in t.steps] for t in steered] == [
            [s.token_scores for s in t.steps] for t in plain
        ]


def test_nothing_changes_before_the_first_intervention(model, prompts):
    plain = generate(model, prompts[1], WARM, monitor(model))
    strong = Calibration("subtract", 0.5, 0.4, strength=20.0, vector=vector(model))
    steered = generate(model, prompts[1], WARM, monitor(model), strong)
    first = plain.steps[0].tokens.end
    assert steered.ids[:first] == plain.ids[:first] and steered.ids != plain.ids
    assert steered.steps[0].strength == 0 and steered.steps[0].interventions[0].action == "subtract"


def test_only_the_chosen_tokens_are_steered(model, prompts):
    strengths = []
    calibration = Calibration("subtract", 0.5, 0.4, tokens=2, vector=vector(model), adaptive=False)
    trace = generate(
        model, prompts[1], WARM, monitor(model), calibration,
        listen=lambda e: strengths.append(e.strength) if isinstance(e, TokenEvent) else None,
    )  # fmt: skip
    for step in trace.steps[1:]:
        part = strengths[step.tokens.start : step.tokens.end]
        assert part == [1.0] * min(2, len(part)) + [0.0] * max(0, len(part) - 2)


def test_rollback_draws_again_and_gives_up(model, prompts):
    events = []
    calibration = Calibration("rollback", 0.5, 0.4, tries=2)
    trace = generate(model, prompts[1], WARM, monitor(model), calibration, listen=events.append)
    dropped = [e for e in events if isinstance(e, StepEvent) and not e.kept]
    assert len(dropped) == 2 * len(trace.steps) and trace.extra_tokens == sum(
        len(e.step.tokens) for e in dropped
    )
    assert [[i.action for i in s.interventions] for s in trace.steps] == [["rollback"] * 2] * len(trace.steps)
    assert model.decode(trace.ids) == trace.text == "".join(s.text for s in trace.steps)
    calm = generate(model, prompts[1], WARM, monitor(model, 0.1), calibration)
    assert calm.ids == generate(model, prompts[1], WARM).ids and calm.extra_tokens == 0


def test_scores_after_rollbacks_are_those_of_a_clean_run(model, prompts):
    speaking = monitor(model, 0.5, weight=2.0)
    plain = Generation(model, prompts, WARM, speaking).run()
    tau = float(np.median([score for trace in plain for score in trace.scores]))
    rolled = Generation(model, prompts, WARM, speaking, Calibration("rollback", tau, tau)).run()
    assert sum(t.extra_tokens for t in rolled) > 0
    for prompt, trace in zip(prompts, rolled, strict=True):
        replay = Generation(model, [prompt], WARM, speaking, forced=[trace.ids]).run()[0]
        assert replay.ids == trace.ids
        np.testing.assert_allclose(replay.scores, trace.scores, atol=1e-4)


def test_branches_continue_as_their_parent_or_anew(model, prompts):
    parent = Generation(model, prompts, WARM).run()[2]
    for step in range(len(parent.steps) + 1):
        assert branch(model, parent, step, WARM).ids == parent.ids
    other = branch(model, parent, 1, Sampling(seed=4, max_tokens=40))
    start = parent.steps[1].tokens.start
    assert other.ids[:start] == parent.ids[:start] and other.ids != parent.ids
    edited = branch(model, parent, 1, WARM, edited="Wait I count")
    assert edited.text.startswith(parent.steps[0].text + "Wait I count")
    with pytest.raises(BadInput, match="no step"):
        branch(model, parent, 99, WARM)


def test_stop_keeps_what_there_is(model, prompts):
    control, seen = Control(), []

    def listen(event):
        if isinstance(event, TokenEvent):
            seen.append(event.id)
            if len(seen) == 3:
                control.stop()

    trace = generate(model, prompts[0], WARM, control=control, listen=listen)
    assert trace.finish == "stopped" and len(trace.ids) == 3 and sum(len(s.tokens) for s in trace.steps) == 3
    assert generate(model, prompts[0], WARM).ids[:3] == trace.ids


def test_pause_holds_and_resume_goes_on(model, prompts):
    control, done = Control(), []
    control.pause()
    generation = Generation(model, prompts[:1], WARM)
    worker = threading.Thread(target=lambda: done.extend(generation.run(control=control)))
    worker.start()
    control.advance(2)
    worker.join(0.5)
    assert worker.is_alive() and len(generation.traces()[0].ids) == 2
    control.resume()
    worker.join(20)
    assert done[0].ids == generate(model, prompts[0], WARM).ids


def test_cancel_reaches_a_paused_run(model, prompts):
    token, control = CancelToken(), Control()
    control.pause()
    token.cancel()
    with pytest.raises(Cancelled):
        generate(model, prompts[0], WARM, context=Context(token=token), control=control)


def test_a_full_context_is_told(model, prompts):
    with pytest.raises(WorkFailed, match="longer than"):
        generate(model, prompts[0], Sampling(max_tokens=10_000), forced=[9] * 300)


def test_missing_parts_are_told(model):
    with pytest.raises(BadInput, match="nothing to generate"):
        Generation(model, [], WARM)
    with pytest.raises(BadInput, match="needs a monitor"):
        Generation(model, [Prompt("x", (1,))], WARM, None, Calibration("rollback"))
    with pytest.raises(BadParameter, match="needs a vector"):
        Calibration("subtract")
    assert OFF.mode == "none"
