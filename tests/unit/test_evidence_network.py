"""Features, the network and the localiser: alignment, symmetry, the one-step limit, windows, saved weights."""

import math
import time
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.evidence import answers, batch, features, text
from methods.evidence.flow import Schedule
from methods.evidence.localiser import Localiser
from methods.evidence.network import FLOWS, Config, Network, parameters
from methods.evidence.page import Page, Token
from methods.evidence.words import split

TINY = Config(
    dim=32, heads=2, embedding=16, page_layers=1, question_layers=1, cross_layers=2, window=64, overlap=16
)


def localiser(config=TINY, seed=0):
    torch.manual_seed(seed)
    network = Network(config)
    # An untrained head says nearly the same of every word; let it speak up.
    network.potential[-1].weight.data *= 20
    return Localiser(network)


def grid(count, columns=6):
    tokens = []
    for i in range(count):
        x, y = 20 + 100 * (i % columns), 20 + 25 * (i // columns)
        content = f"word{i} {i}.50" if i % 3 else f"Label{i}:"
        tokens.append(Token(content, (x, y, x + 80, y + 14)))
    return Page(640, 60 + 25 * (count // columns), tuple(tokens), "given")


PAGE = grid(24)


@given(st.text(max_size=60), st.floats(0, 500), st.floats(0, 500), st.floats(0, 200), st.floats(0, 50))
def test_split_words_cover_their_token_in_order(content, x, y, width, height):
    token = Token(content, (x, y, x + width, y + height))
    words = split(Page(800, 600, (token, Token("end", (0, 0, 5, 5)))))
    assert words.texts == [*content.split(), "end"]
    assert words.owner.tolist() == [0] * (len(words) - 1) + [1]
    boxes = words.boxes[:-1]
    if len(boxes):
        assert boxes[:, 0].min() >= x - 1e-3 and boxes[:, 2].max() <= x + width + 1e-3
        assert (np.diff(boxes[:, 0]) >= -1e-3).all()


@given(st.integers(0, 3000), st.integers(8, 200), st.floats(0, 0.9))
def test_windows_keep_every_word_once(count, size, share):
    found = features.windows(count, size, int(share * size))
    kept = [i for _, keep in found for i in range(keep.start, keep.stop)]
    assert kept == list(range(count))
    for seen, keep in found:
        assert seen.start <= keep.start and keep.stop <= seen.stop and seen.stop - seen.start <= size


def test_words_that_were_read_slightly_wrong_share_most_ngrams():
    right, wrong, other = (set(text.ngrams(w)) for w in ("Total", "Tota1", "Invoice"))
    assert len(right & wrong) >= 3 > len(right & other)
    assert text.ngrams("12.50") == text.ngrams("38.90") != text.ngrams("1250")
    assert all(0 < gram < text.BUCKETS for gram in text.ngrams("x" * 1000))
    assert text.amount("$1,234.50") == 1234.5 and text.amount("12/03/24") is None
    assert len(text.shape("")) == len(text.shape("12.50")) == text.SHAPES


def test_places_are_told_apart():
    boxes = np.array([[0, 0, 50, 10], [60, 0, 90, 10], [0, 12, 50, 22], [60, 200, 90, 210]], np.float32)
    kinds = features.pair_kinds(boxes, 10)
    assert len({kinds[0, 1], kinds[0, 2], kinds[0, 3], kinds[1, 0], kinds[0, 0]}) == 5
    assert (features.pair_kinds(boxes * 7, 70) == kinds).all(), "the scale of the scan does not count"


def test_a_word_has_the_picture_it_stands_on():
    picture = np.full((100, 200), 255, np.uint8)
    picture[20:30, 50:80] = 0
    boxes = np.array(
        [[50, 20, 80, 30], [100, 20, 130, 30], [40, 20, 60, 30], [190, 90, 260, 140]], np.float32
    )
    black, white, half, outside = features.crops(picture, boxes)
    assert black[2:-2, 4:-4].min() > 0.99 and white.max() == 0 == outside.max()
    assert half[:, :20].max() < 0.2 and half[3:-3, 30:].min() > 0.9


def test_a_question_matches_its_words():
    words = split(PAGE)
    found = features.question_features("What about LABEL3 ?", words, slice(0, len(words))).matches
    assert words.texts[int(found[:, 0].argmax())] == "Label3:" and found[:, 0].sum() == 1
    assert not features.question_features("?", words, slice(0, len(words))).matches.any()
    assert len(features.question_features("a " * 5000, words, slice(0, 5)).offsets) == features.QUESTION_WORDS


@pytest.mark.parametrize("flow", FLOWS)
def test_an_answer_is_whole(flow):
    found = localiser(Config(**{**vars(TINY), "flow": flow, "steps": 1 if flow == "softmax" else 5}))
    answer = found.ask(found.read(PAGE), "What is Label3?")
    steps, count = found.schedule.steps, len(split(PAGE))
    assert answer.steps.shape == (steps + 1, count) and answer.null.shape == (steps + 1,)
    np.testing.assert_allclose(answer.steps.sum(1) + answer.null, 1, atol=1e-5)
    np.testing.assert_allclose(answer.steps[0], 1 / (count + 1), rtol=1e-5)
    assert answer.entropy[0] == pytest.approx(math.log(count + 1), abs=1e-4)
    assert len(answer.energy) == steps + 1 and np.isfinite(answer.energy).all()
    spans = sorted(c.span for c in answer.candidates)
    assert 2 <= len(spans) <= 5 and all(a[1] <= b[0] for a, b in pairwise(spans))
    assert answer.no_evidence == (answer.null_mass >= 0.5)
    if not answer.no_evidence:
        assert answer.text == answer.candidates[0].text and 0 <= answer.score <= 1


def test_the_displayed_energy_is_that_of_the_potential_and_falls():
    found = localiser()
    answer = found.ask(found.read(PAGE), "What is Label3?")
    np.testing.assert_allclose(answer.energy, answer.steps @ answer.potential, atol=1e-4)
    assert (np.diff(answer.energy) < 0).all()
    assert answer.entropy[-1] < answer.entropy[0]


def test_endless_reach_is_the_softmax_of_the_potential():
    found = localiser()
    page = found.read(PAGE)
    one = found.ask(page, "What is Label3?", schedule=found.schedule.one_step())
    logits = np.append(-sum(found.schedule.sigmas) * one.potential, 0)
    softmax = np.exp(logits - logits.max())
    np.testing.assert_allclose(one.steps[-1], (softmax / softmax.sum())[:-1], atol=1e-5)
    far = found.ask(page, "What is Label3?", gamma=1e6, steps=1)
    assert far.gammas == (1e6,)
    np.testing.assert_allclose(far.steps[-1], one.steps[-1], atol=1e-4)


def test_a_schedule_changes_as_asked_and_refuses_nonsense():
    learned = Schedule((1.0, 0.1, 0.01), (1.0, 2.0, 3.0))
    assert learned.taus == pytest.approx((1.0, 0.2, 0.03))
    five = learned.changed(steps=5)
    assert five.gammas == pytest.approx(np.geomspace(1, 0.01, 5)) and sum(five.sigmas) == pytest.approx(6)
    assert learned.changed(steps=1).gammas == pytest.approx((0.01,))
    assert learned.changed(gamma=(2, 0.02)).gammas == pytest.approx(np.geomspace(2, 0.02, 3))
    assert learned.changed(gamma=math.inf).gammas == (math.inf,) * 3
    assert learned.changed(tau=2).sigmas == (2, 4, 6)
    for nonsense in ({"steps": 0}, {"steps": 65}, {"gamma": 0}, {"gamma": -1.0}, {"gamma": (1, math.inf)},
                     {"gamma": math.nan}, {"tau": 0}, {"tau": math.nan}):  # fmt: skip
        with pytest.raises(BadInput):
            learned.changed(**nonsense)
    single = Schedule((math.inf,), (2.0,)).changed(steps=4)
    assert single.gammas == (math.inf,) * 4 and sum(single.sigmas) == pytest.approx(2)


def test_the_plan_is_what_moved():
    found = localiser()
    page = found.read(PAGE)
    answer = found.ask(page, "What is Label3?")
    for k in (1, answer.schedule.steps):
        plan = found.plan(page, answer, k)
        np.testing.assert_allclose(plan.sum(1)[:-1], answer.steps[k], atol=1e-5)
        np.testing.assert_allclose(plan.sum(0)[:-1], answer.steps[k - 1], atol=1e-5)
    with pytest.raises(BadInput):
        found.plan(page, answer, 0)


@given(st.permutations(range(24)))
@settings(max_examples=8, deadline=None)
def test_masses_follow_their_words_when_single_words_change_order(order):
    page = Page(PAGE.width, PAGE.height, tuple(Token(t.text.split()[0], t.box) for t in PAGE.tokens))
    mixed = Page(page.width, page.height, tuple(page.tokens[i] for i in order))
    found = localiser(Config(**{**vars(TINY), "page_layers": 2}))
    question = "What about 50?"
    one, two = (found.ask(found.read(p), question) for p in (page, mixed))
    np.testing.assert_allclose(two.steps[-1], one.steps[-1][list(order)], atol=1e-5)


def test_padding_changes_nothing():
    network = localiser().network
    pages = [split(p) for p in (PAGE, grid(9))]
    inputs = [features.page_features(p, slice(0, len(p))) for p in pages]
    asked = [
        (i, features.question_features(q, pages[i], slice(0, len(pages[i]))))
        for i, q in ((0, "word4?"), (1, "a b c"))
    ]

    def last(which):
        page = batch.pages([inputs[i] for i in which])
        q = batch.questions([(n, asked[i][1]) for n, i in enumerate(which)], page.present.shape[1])
        with torch.inference_mode():
            met = network.meet(network.encode(page), page, q)
            flowed = network.flow(met, network.cost(page.points)[q.of], page.present[q.of])
            spans = network.spans(
                met.state[:, :-1], flowed[-1][:, :-1], page.joints[q.of], page.present[q.of]
            )
        return flowed[-1].exp(), spans

    (together, spans), (alone, own) = last([0, 1]), last([1])
    count = len(pages[1])
    torch.testing.assert_close(together[1, :count], alone[0, :count], atol=1e-5, rtol=1e-4)
    assert together[1, count:-1].max() == 0
    here = own[0] > -1e3
    torch.testing.assert_close(spans[1, :count][here], own[0][here], atol=1e-3, rtol=1e-4)
    assert (spans[1, :count][~here] < -1e3).all() and (spans[1, count:] < -1e3).all()


def test_a_long_page_is_read_in_windows_with_every_word_in_its_place():
    found = localiser()
    page = found.read(grid(700))
    assert len(page.windows) > 10 and len(page.words) > 1024
    answer = found.ask(page, "word400")
    assert answer.steps.shape == (6, len(page.words))
    np.testing.assert_allclose(answer.steps.sum(1) + answer.null, 1, atol=1e-4)
    first, last = answer.candidates[0].span
    x0, y0 = page.words.boxes[first:last, :2].min(0)
    assert answer.candidates[0].box[:2] == (x0, y0)
    flowing = answer.steps[-1] > 0
    assert answer.potential[flowing].max() <= np.sort(answer.potential)[1023] + 1e-6


def test_a_page_without_words_has_no_evidence():
    found = localiser()
    for page in (Page(400, 400, ()), Page(400, 400, (Token("  ", (0, 0, 5, 5)),))):
        answer = found.ask(found.read(page, np.full((400, 400), 255, np.uint8)), "What is the total?")
        assert answer.no_evidence and answer.null_mass == 1 and answer.box is None and answer.text == ""
        assert answer.steps.shape == (6, 0) and answer.candidates == ()


def test_bad_input_is_told():
    found = localiser()
    with pytest.raises(BadInput, match="picture has the shape"):
        found.read(PAGE, np.zeros((5, 5), np.uint8))
    page = found.read(PAGE)
    for empty in ("", "  \n"):
        with pytest.raises(BadInput, match="question is empty"):
            found.ask(page, empty)
    for odd in ("?", "x" * 10_000, "a " * 5000, "\u05d0\u05d1 \u0000 \U0001f600", "total\ud800"):
        assert found.ask(page, odd).steps.shape[0] == 6
    wild = Page(10, 10, (Token("a\ud800", (-5e6, -3, 9e9, 4)), Token("b", (3, 3, 3, 3))))
    assert np.isfinite(found.ask(found.read(wild), "a").steps).all()


def test_weights_come_back_the_same_and_other_files_are_refused(tmp_path):
    found = localiser()
    path = tmp_path / "evidence.safetensors"
    found.save(path, {"pages": 3}, {"pointing": 0.5})
    again = Localiser.load(path)
    assert again.network.config == TINY and again.threshold == found.threshold
    one, two = (m.ask(m.read(PAGE), "word4?") for m in (found, again))
    np.testing.assert_array_equal(one.steps, two.steps)
    from methods.core import checkpoints
    from methods.core.checkpoints import Header

    tensors = found.network.state_dict()
    for header, words in (
        (Header("minim", 1), "not of 'evidence'"),
        (Header("evidence", 99), "reads up to"),
        (Header("evidence", 1), "does not fit"),
        (Header("evidence", 1, {"network": {"dim": 64}}), "does not fit"),
        (Header("evidence", 1, {"network": {"flow": "backwards"}}), "does not fit"),
    ):
        checkpoints.save(path, tensors, header)
        with pytest.raises(BadInput, match=words):
            Localiser.load(path)


def test_runs_that_share_words_are_not_told_twice():
    words = split(Page(500, 20, tuple(Token(t, (50 * i, 0, 50 * i + 40, 10)) for i, t in enumerate("abcd"))))
    logits = np.full((4, 2), -1e4, np.float32)
    logits[1, 1], logits[1, 0], logits[3, 0] = 3, 2.5, 1
    found = answers.candidates(words, logits)
    assert [c.text for c in found] == ["b c", "d"] and found[0].span == (1, 3)
    assert found[0].score == pytest.approx(math.exp(3) / (math.exp(3) + math.exp(2.5) + math.exp(1)))
    assert found[0].box == (50, 0, 140, 10)
    assert answers.clean(" : 12.50 ;") == "12.50" and answers.clean(":") == ":"


def test_the_full_network_is_small_and_quick():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        found = localiser(Config())
        assert parameters(found.network) < 5e6
        page = found.read(grid(307))
        assert len(page.words) == 511
        found.ask(page, "What is the total?")
        times = []
        for _ in range(3):
            start = time.process_time()
            found.ask(page, "What is the total?")
            times.append(time.process_time() - start)
        assert min(times) < 0.3
    finally:
        torch.set_num_threads(threads)
