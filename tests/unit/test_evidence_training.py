"""Training on a few hand-made pages: it learns, it resumes exactly, and its targets are the right words."""

import random

import numpy as np
import pytest
import torch

from methods.core.context import Cancelled, CancelToken, Context
from methods.core.errors import BadInput
from methods.evidence import losses, targets, training
from methods.evidence.network import Config
from methods.evidence.page import Page, Token
from methods.evidence.questions import Question, TrainingPage
from methods.evidence.training import Plan, train
from methods.evidence.words import split

LABELS = ("Total", "Date", "Table", "Cashier", "Tax", "Order")
TINY = Config(
    dim=32,
    heads=2,
    embedding=16,
    page_layers=1,
    question_layers=1,
    cross_layers=2,
    dropout=0.0,
    steps=3,
    span=4,
)


def slip(seed):
    """Labels in any order, each with a two-word value to its right; one question asks for what is absent."""
    rng = random.Random(seed)
    labels = rng.sample(LABELS, 5)
    tokens, questions = [], []
    for row, label in enumerate(labels):
        y = 40 + 60 * row
        value = f"{rng.randint(10, 99)} {rng.choice('abcdefgh') * 3}"
        tokens += [Token(label, (20, y, 100, y + 20)), Token(value, (200, y, 300, y + 20))]
        questions.append(Question(f"What is the {label}?", value, (2 * row + 1,), kind="value"))
    (absent,) = set(LABELS) - set(labels)
    questions.append(Question(f"What is the {absent}?", "", (), answerable=False))
    picture = np.full((400, 320), 255, np.uint8)
    return TrainingPage(Page(320, 400, tuple(tokens), "synthetic"), picture, tuple(questions), "slip")


PAGES = [slip(i) for i in range(24)]


def test_the_loss_falls_and_pointing_rises():
    told = []
    plan = Plan(epochs=15, rate=4e-3, pages=6, questions=6, keep=10)
    network = train(PAGES, TINY, plan, Context(seed=1), report=told.append)
    assert told[-1].step == told[-1].steps == 60
    assert told[-1].loss < 0.6 * told[0].loss
    assert told[-1].pointing > 0.8 and told[-1].pointing > told[0].pointing + 0.3
    assert all(torch.isfinite(p).all() for p in network.parameters())


@pytest.mark.parametrize("flow", ["fixed", "softmax", "rescore"])
def test_every_ablation_trains(flow):
    config = Config(**{**vars(TINY), "flow": flow, "steps": 1 if flow == "softmax" else 3, "last": 0.03})
    told = []
    train(
        PAGES, config, Plan(epochs=3, rate=4e-3, pages=6, questions=6, keep=4), Context(), report=told.append
    )
    assert told[-1].loss < told[0].loss


def test_a_run_that_was_broken_off_goes_on_to_the_same_weights(tmp_path):
    config, plan = Config(**{**vars(TINY), "dropout": 0.1}), Plan(epochs=2, pages=6, keep=3)
    whole = train(PAGES, config, plan, Context(seed=5))
    token = CancelToken()
    context = Context(seed=5, token=token)

    def stop(progress):
        if progress.step == 6:
            token.cancel()

    # The first report at which it is cancelled comes before that state is kept, so it takes up at step 3.
    with pytest.raises(Cancelled):
        train(PAGES, config, plan, context, tmp_path / "state", stop)
    resumed = train(iter(PAGES), config, plan, Context(seed=5), tmp_path / "state")
    for (name, a), b in zip(whole.state_dict().items(), resumed.state_dict().values(), strict=True):
        assert torch.equal(a, b), name
    with pytest.raises(BadInput, match="another plan"):
        train(PAGES, config, Plan(epochs=2, pages=6, keep=4), Context(seed=5), tmp_path / "state")
    with pytest.raises(BadInput, match="No page"):
        train([], config, plan, Context())


def page_of(*texts):
    boxes = [(10 + 200 * i, 10, 190 + 200 * i, 30) for i in range(len(texts))]
    return Page(1000, 100, tuple(Token(t, b) for t, b in zip(texts, boxes, strict=True)))


def test_only_the_words_of_the_answer_are_evidence():
    words = split(page_of("TOTAL : 12.50", "Cash 20.00"))
    found = targets.gold(words, Question("Total?", "12.50", (0,)))
    assert found.spans == ((2, 3),) and found.evidence.tolist() == [False, False, True, False, False]
    whole = targets.gold(words, Question("Total?", "about twelve", (0,)))
    assert whole.spans == ((0, 3),), "an answer that is not spelled there is the whole run"
    twice = targets.gold(split(page_of("5.00", "5.00", "x", "5.00")), Question("Total?", "5.00", (0, 1, 3)))
    assert twice.spans == ((0, 1), (1, 2), (3, 4))
    none = targets.gold(words, Question("Date?", "", (), answerable=False))
    assert not none.answerable and none.spans == ()


def test_a_window_that_cuts_an_answer_off_does_not_tell():
    found = targets.Gold(np.array([False, True, True, False]), ((1, 3),))
    assert found.within(slice(1, 4)).spans == ((0, 2),)
    assert not found.within(slice(0, 2)).answerable
    evidence, spans = targets.stacked([found, found.within(slice(0, 2))], 4, 3)
    assert evidence[0].tolist() == [False, True, True, False, False] and evidence[1].tolist() == [
        False
    ] * 4 + [True]
    assert np.argwhere(spans).tolist() == [[0, 1, 1]]


def test_reading_line_by_line_changes_only_the_owners():
    words = split(PAGES[0].page)
    lines = targets.as_lines(words, 100)
    assert lines.texts == words.texts and lines.owner.tolist() == sorted(lines.owner)
    assert len(set(lines.owner)) == 5 and len(set(words.owner)) == 10
    assert len(set(targets.as_lines(words, 0.0).owner)) == len(words)


def test_early_steps_are_told_the_region_and_the_last_one_the_words():
    points = torch.tensor([[0.1, 0.1], [0.12, 0.1], [0.9, 0.9]])
    cost = torch.full((1, 4, 4), 0.1)
    cost[0, :3, :3] = torch.cdist(points, points).square()
    evidence = torch.tensor([[True, False, False, False]])

    def loss(*masses):
        return losses.flow_loss(
            [torch.tensor([m]).log() for m in masses], evidence, cost, losses.Weights()
        ).item()

    start, sharp = [0.25] * 4, [0.97, 0.01, 0.01, 0.01]
    near, far = [0.48, 0.48, 0.02, 0.02], [0.48, 0.02, 0.48, 0.02]
    assert loss(start, near, sharp) < loss(start, far, sharp)
    assert loss(start, near, sharp) < loss(start, sharp, sharp), "too sharp too early"
    assert loss(start, near, sharp) < loss(start, near, near)
    told = losses.flow_loss([torch.tensor([start]).log()] * 2, evidence, cost, losses.Weights()).item()
    assert told == pytest.approx(np.log(4), abs=1e-5)


def test_padding_is_never_a_target():
    padded = torch.log_softmax(torch.tensor([[0.0, 0.0, -1e4, 0.0]]), -1)
    evidence, cost = torch.tensor([[True, False, False, False]]), torch.zeros(1, 4, 4)
    told = losses.flow_loss([padded, padded, padded], evidence, cost, losses.Weights()).item()
    assert told == pytest.approx(np.log(3), abs=1e-5)


def test_rising_energy_and_jumps_cost():
    potential = torch.tensor([[1.0, 0.0]])
    up, down = torch.tensor([[0.9, 0.1]]).log(), torch.tensor([[0.1, 0.9]]).log()
    assert losses.rise([up, down], potential).item() == 0
    assert losses.rise([down, up], potential).item() == pytest.approx(0.8)
    points = torch.tensor([[[0.5, 0.0]]])
    assert losses.jump([up, down], points).item() == pytest.approx((0.8 * 0.5) ** 2)


def test_longer_pages_are_seen_through_windows_and_unseen_answers_become_null():
    tokens = tuple(Token(f"w{i}", (10, 10 * i, 50, 10 * i + 8)) for i in range(60))
    page = TrainingPage(Page(100, 600, tokens), None, (Question("w3?", "w3", (3,)),), "long")
    plan = Plan(window=16, unseen=1.0, lines=0.0)
    steps = [training.prepare([page], TINY, plan, random.Random(i)) for i in range(20)]
    nulls = [bool(step.evidence[0, -1]) for step in steps]
    assert any(nulls) and not all(nulls)
    assert all(step.page.present.shape == (1, 16) and step.evidence.sum() == 1 for step in steps)
    dropped = [
        training.prepare([page], TINY, Plan(window=16, unseen=0.0), random.Random(i)) for i in range(20)
    ]
    assert [step is None for step in dropped] == nulls
