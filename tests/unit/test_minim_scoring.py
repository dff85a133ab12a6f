"""The network, the scorer, the bonds and the training loop, on our own labelled pages."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from methods.core.context import Context
from methods.core.errors import BadInput
from methods.minim import formats, labelled, page_features, task_features, training
from methods.minim.bonds import SHARE, bind, bonds
from methods.minim.calibration import Calibration
from methods.minim.findings import find
from methods.minim.navigation import navigation
from methods.minim.network import Committee, Network, softmax_by
from methods.minim.observation import Element, Observation, Screen, Text
from methods.minim.scorer import Scorer
from methods.minim.training import Schedule

PAGES = Path(__file__).parents[2] / "assets" / "samples" / "minim" / "training"
FORM = """RootWebArea 'Sign in'
\t[3] textbox 'E-mail' value='jane.roe@example.org'
\t[4] button 'Send the code'
"""


def network(seed=0, graph=True):
    return training.new_network(graph, seed).eval()


@pytest.fixture(scope="module")
def pairs():
    return labelled.read(PAGES).weak[:6]


def test_features_have_the_columns_they_name():
    page = formats.parse("page.txt", FORM)
    found = page_features.page_features(page, find(page))
    task = task_features.task_features("Send the code", found, task_features.Lexicon(page))
    assert found.numbers.shape == (len(page.elements), len(page_features.NAMES))
    assert task.numbers.shape == (len(page.elements), len(task_features.NAMES))
    button = next(e.uid for e in page.elements if e.role == "button")
    assert task.numbers[button, task_features.NAMES.index("text in task")] == 1
    assert task.numbers[:, task_features.NAMES.index("cosine")].argmax() == button


def test_softmax_by_is_the_softmax_of_each_group():
    score = torch.randn(9, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    group = torch.tensor([0, 0, 1, 2, 2, 2, 0, 1, 2])
    weight = softmax_by(score, group, 4)
    for g in range(3):
        expected = torch.softmax(score[group == g], 0)
        torch.testing.assert_close(weight[group == g], expected, rtol=1e-9, atol=0)


def test_sensitivity_does_not_know_the_task_and_necessity_does():
    page = formats.parse("page.txt", FORM)
    scorer = Scorer(network(), 1.0, 5.0)
    one, two = (scorer.score(page, task, ()) for task in ("Send the code", "Read the weather"))
    assert np.array_equal(one.s, two.s)
    assert not np.array_equal(one.n, two.n)
    for scores in (one.s, one.n):
        assert scores.shape == (len(page.elements),) and scores.min() >= 0 and scores.max() <= 10


def test_a_page_in_a_batch_scores_as_it_does_alone(pairs):
    prepared = training.prepare(pairs[:3], Context())[0]
    net, page, count = network(), prepared.page, len(prepared.screen.s)
    edges, relations = torch.from_numpy(page.edges), torch.from_numpy(page.relations)
    text = torch.from_numpy(page.text)
    state = net.page_state(torch.from_numpy(page.numbers), text, edges, relations)
    tasks = [t for _, t in prepared.pairs]
    numbers = [torch.from_numpy(t.numbers) for t in tasks]
    vectors = torch.from_numpy(np.stack([t.task for t in tasks]))
    copies = len(tasks)
    shift = torch.arange(copies).repeat_interleave(edges.shape[1]) * count
    together = net.necessity_logit(
        state.repeat(copies, 1),
        text.repeat(copies, 1),
        torch.cat(numbers),
        vectors,
        torch.arange(copies).repeat_interleave(count),
        edges.repeat(1, copies) + shift,
        relations.repeat(copies),
    )
    alone = net.necessity_logit(
        state, text, numbers[1], vectors[1:2], torch.zeros(count, dtype=torch.long), edges, relations
    )
    torch.testing.assert_close(together[count : 2 * count], alone, rtol=1e-4, atol=1e-5)


def test_what_a_rule_finds_is_at_least_as_private_as_its_type():
    page = formats.parse("page.txt", FORM)
    field = next(e.uid for e in page.elements if e.role == "textbox")
    scorer = Scorer(network(), 1.0, 5.0)
    assert scorer.score(page, "", find(page)).s[field] >= 7
    assert scorer.score(page, "", ()).s[field] < 7


def test_a_page_without_elements_has_no_scores():
    empty = Observation("empty.txt", "webarena-text", "", ())
    scores = Scorer(network(), 1.0, 5.0).score(empty, "anything", ())
    assert scores.s.shape == scores.n.shape == (0,)


def test_weights_come_back_as_they_were(tmp_path):
    path = tmp_path / "weights.safetensors"
    training.save(path, network(3), 1.5, 5.0, {"seed": 3}, {})
    back, page = Scorer.load(path), formats.parse("page.txt", FORM)
    assert (back.tau_n, back.tau_s) == (1.5, 5.0)
    expected = Scorer(network(3), 1.5, 5.0).score(page, "Send the code", ())
    assert np.array_equal(back.score(page, "Send the code", ()).n, expected.n)


def test_weights_of_nobody_are_refused(tmp_path):
    path = tmp_path / "weights.safetensors"
    path.write_bytes(b"\x10\0\0\0\0\0\0\0{}")
    with pytest.raises(BadInput):
        Scorer.load(path)


@pytest.mark.parametrize("graph", [True, False])
def test_training_lowers_the_loss(pairs, graph):
    prepared = training.prepare(pairs, Context())
    schedule = Schedule(epochs=8, tasks=1.0, tasks_per_step=3)

    def loss(net):
        with torch.inference_mode():
            return sum(training.step_loss(net.eval(), p, list(p.pairs), schedule).item() for p in prepared)

    before = loss(training.new_network(graph, 0))
    assert loss(training.train(prepared, schedule, Context(), graph)) < 0.7 * before


def test_interrupted_training_ends_with_the_same_weights(pairs, tmp_path):
    prepared = training.prepare(pairs, Context())
    schedule = Schedule(epochs=3)
    whole = training.train(prepared, schedule, Context()).state_dict()

    class Stop(Exception):
        pass

    def stop_after_two(fraction, text):
        if text.startswith("epoch 2"):
            raise Stop

    state = tmp_path / "training.pt"
    with pytest.raises(Stop):
        # Progress is reported before the epoch is kept, so the second one is done again.
        training.train(prepared, schedule, Context(on_progress=stop_after_two), resume=state)
    resumed = training.train(prepared, schedule, Context(), resume=state).state_dict()
    for name, tensor in whole.items():
        assert torch.equal(tensor, resumed[name]), name


def element(uid, parent, role, name="", **states):
    texts = (Text("name", name),) if name else ()
    return Element(uid, str(uid), parent, role, texts, states)


def test_a_control_and_its_text_need_each_other():
    page = Observation(
        "page", "", "",
        (element(0, -1, "main"), element(1, 0, "generic", clickable=True), element(2, 1, "StaticText", "Inbox")),
    )  # fmt: skip
    pairs = bonds(page)
    assert sorted(map(tuple, pairs.tolist())) == [(1, 2), (2, 1)]
    assert bind(np.array([0, 8, 1], np.float32), pairs) == pytest.approx([0, 8, 8 * SHARE])
    assert bind(np.array([0, 1, 8], np.float32), pairs) == pytest.approx([0, 8 * SHARE, 8])


def test_a_label_belongs_to_the_field_after_it_and_a_card_is_needed_for_its_texts():
    page = Observation(
        "page", "", "",
        (
            element(0, -1, "form"), element(1, 0, "LabelText"), element(2, 1, "StaticText", "Style name"),
            element(3, 0, "textbox", "e.g. Heading"),
            element(4, 0, "generic", clickable=True),
            *(element(5 + i, 4, "StaticText", w) for i, w in enumerate("abc")),
        ),
    )  # fmt: skip
    found = set(map(tuple, bonds(page).tolist()))
    assert found == {(3, 1), (1, 3), (3, 2), (2, 3), (4, 5), (4, 6), (4, 7)}


def boxed(uid, parent, box, visible=True):
    return Element(uid, "", parent, "generic", (Text("name", "x"),), box=box, visible=visible)


def test_what_can_be_scrolled_to_is_not_hidden():
    page = Observation(
        "page", "", "",
        (
            boxed(0, -1, (0, 0, 1280, 3000)),
            boxed(1, 0, (10, 2000, 100, 20), visible=False),  # below the viewport
            boxed(2, 0, (10, 100, 200, 100)),  # a list that scrolls
            boxed(3, 2, (10, 150, 200, 20)),
            boxed(4, 2, (10, 400, 200, 20), visible=False),  # further down in the list
            boxed(5, 0, (10, 300, 200, 20), visible=False),  # in sight, but fully transparent
            boxed(6, 0, None, visible=False),
            boxed(7, 0, (10, 300, 0, 0), visible=False),
            Element(8, "", 0, "#comment", exposed=False),
        ),
        Screen((1280, 900)),
    )  # fmt: skip
    assert page.hidden == {5, 6, 7, 8}


def menu_page(role, width):
    """A root with a menu of four entries (a button with a text and a count) and a row of three buttons."""
    elements = [Element(0, "", -1, "RootWebArea"), Element(1, "", 0, role)]
    for i, name in enumerate(("Inbox", "Sent", "Drafts", "Spam")):
        uid = len(elements)
        box = (0.0, 80.0 + 40 * i, width, 36.0)
        elements += [
            Element(uid, "", 1, "button", box=box),
            Element(uid + 1, "", uid, "StaticText", (Text("name", name),), box=box),
            Element(uid + 2, "", uid, "StaticText", (Text("name", "12"),), box=box),
        ]
    group = len(elements)
    elements.append(Element(group, "", 0, "group"))
    for i in range(3):
        box = (600.0 + 60 * i, 500.0, 50.0, 20.0)
        elements.append(Element(group + 1 + i, "", group, "button", (Text("name", f"Reply {i}"),), box=box))
    return Observation("page", "test", "", tuple(elements), Screen((1280.0, 900.0)))


@pytest.mark.parametrize(
    ("role", "width", "found"),
    [("generic", 200.0, True), ("generic", 900.0, False), ("navigation", 900.0, True)],
)
def test_a_menu_is_told_by_its_role_or_by_standing_at_an_edge(role, width, found):
    page = menu_page(role, width)
    menu, entry = navigation(page)
    if not found:
        assert (menu == -1).all()
        return
    assert menu[2:14].tolist() == [1] * 12
    assert entry[2:14].tolist() == [2] * 3 + [5] * 3 + [8] * 3 + [11] * 3
    assert (menu[[0, 1, 14, 15, 16, 17]] == -1).all()


def test_an_entry_of_a_menu_is_compared_with_the_other_entries():
    page = menu_page("navigation", 200.0)
    found = page_features.page_features(page, ())
    task = task_features.task_features("Empty the spam folder", found, task_features.Lexicon(page))
    rank = task.numbers[:, task_features.NAMES.index("entry rank")]
    assert rank[11:14].tolist() == [1, 1, 1]
    assert rank[2:11].max() < 1 and (rank[14:] == 0).all()


def test_calibration_takes_out_the_level_of_the_page_and_keeps_the_order():
    logit = np.array([2.0, 1.0, 0.0, -1.0, -2.0], np.float32)
    all_count = np.ones(5, bool)
    assert np.allclose(Calibration().level(logit, all_count), logit)
    whole = Calibration(blend=1.0, share=0.4, shift=-2.0)
    assert np.allclose(whole.level(logit, all_count), logit - 1.0 - 2.0)
    assert np.allclose(whole.level(logit - 5, all_count), whole.level(logit, all_count))
    n = Calibration(blend=0.5, share=0.4).necessity(logit, all_count)
    assert (np.diff(n) < 0).all() and n[1] == pytest.approx(10 / (1 + np.exp(-0.5)), rel=1e-5)
    assert np.allclose(whole.level(logit, np.zeros(5, bool)), logit - 2.0)


def test_an_explanation_is_the_gradient_times_what_was_seen():
    page = menu_page("navigation", 200.0)
    scorer = Scorer(network(), 1.0, 5.0)
    ready, task = scorer.read(page, ()), "Empty the spam folder"
    with torch.inference_mode():  # as in a worker
        told = scorer.explain(ready, task, 12)
    assert len(told.features) == 4 and all(uid != 12 for uid, _ in told.neighbours)
    sizes = [abs(v) for _, v in told.features]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 0
    name, value = next((n, v) for n, v in told.features if n != "its text")
    ours = name.removeprefix("task: ")
    asked = task_features.task_features(task, ready.features, ready.lexicon).numbers
    seen = asked if name.startswith("task: ") else ready.features.numbers
    names = task_features.NAMES if name.startswith("task: ") else page_features.NAMES
    column, step = names.index(ours), 1e-2
    original = seen[12, column]

    def logit(shift):
        numbers, wanted = torch.from_numpy(ready.features.numbers.copy()), torch.from_numpy(asked.copy())
        (wanted if seen is asked else numbers)[12, column] += shift
        net, text = scorer.network, ready.text
        vector = torch.from_numpy(task_features.task_features(task, ready.features, ready.lexicon).task)[None]
        with torch.inference_mode():
            state = net.page_state(numbers, text, ready.edges, ready.relations)
            one = torch.zeros(len(numbers), dtype=torch.long)
            return net.necessity_logit(state, text, wanted, vector, one, ready.edges, ready.relations)[
                12
            ].item()

    slope = (logit(step) - logit(-step)) / (2 * step)
    assert value == pytest.approx(slope * original, rel=0.05, abs=1e-4)


def test_a_committee_says_the_mean_of_its_members(tmp_path):
    page, task = menu_page("navigation", 200.0), "Empty the spam folder"
    members = [network(0, True), network(1, False)]
    alone = [Scorer(member, 1.0, 5.0) for member in members]
    path = tmp_path / "both.safetensors"
    training.save(path, Committee(members), 1.0, 5.0, {}, {})
    both = Scorer.load(path)
    ready = both.read(page, ())
    pages = [scorer.read(page, ()) for scorer in alone]
    assert np.allclose(ready.s, np.mean([p.s for p in pages], 0), atol=1e-5)
    logits = [scorer.logits(p, task) for scorer, p in zip(alone, pages, strict=True)]
    assert np.allclose(both.logits(ready, task), np.mean(logits, 0), atol=1e-5)
    told = both.explain(ready, task, 12)
    assert told.features and told.neighbours


def test_weights_for_other_features_are_refused(tmp_path):
    config = replace(network().config, task_features=3)
    path = tmp_path / "old.safetensors"
    training.save(path, Network(config), 1.0, 5.0, {}, {})
    with pytest.raises(BadInput, match="other features"):
        Scorer.load(path)
