"""Metrics by hand, and the baselines against the table published with the labelled screens."""

import numpy as np
import pytest

from methods.minim import baselines, labelled, metrics
from methods.minim.labelled import LabelledScreen, Pair
from methods.minim.metrics import score_pair
from methods.minim.observation import Element, Observation, Text
from methods.minim.policy import ABSTRACT, KEEP, REMOVE
from tests.shared import shared_path


def pair():
    names = ("Page", "Open", "jane.roe@example.org", "Harmless words here", "Save")
    roles = ("RootWebArea", "button", "StaticText", "StaticText", "button")
    elements = tuple(
        Element(i, str(i), 0 if i else -1, role, (Text("name", name),))
        for i, (name, role) in enumerate(zip(names, roles, strict=True))
    )
    s = np.array([0, 0, 7, 1, 0], np.float32)
    screen = LabelledScreen("app-0", "app", Observation("p", "", "", elements), s)
    critical = np.array([False, True, False, False, True])
    return Pair(screen, "Open and save", "target", np.zeros(5, np.float32), critical, s, critical, False)


@pytest.mark.parametrize(
    ("codes", "tcnp", "tisl", "keep"),
    [
        ([KEEP] * 5, 1.0, 1.0, 1.0),
        ([REMOVE] * 5, 0.0, 0.0, 0.0),
        ([KEEP, KEEP, ABSTRACT, REMOVE, REMOVE], 0.5, 0.3 / 5, 0.5),  # 20 characters are 5 tokens
        ([REMOVE, ABSTRACT, REMOVE, KEEP, KEEP], 1.0, 0.0, 0.75),
    ],
)
def test_one_pair_by_hand(codes, tcnp, tisl, keep):
    score = score_pair(pair(), np.array(codes, np.uint8))
    assert (score.tcnp, score.tcnp_i, score.keep) == pytest.approx((tcnp, tcnp, keep))
    assert score.tisl == pytest.approx(tisl)


def test_a_pair_without_private_text_has_no_tisl():
    plain = pair()
    plain.s[2] = 1
    assert score_pair(plain, np.full(5, KEEP)).tisl is None


def test_intervals_hold_the_mean():
    scores = [score_pair(pair(), np.array(c)) for c in ([0, 0, 0, 0, 0], [2, 0, 2, 2, 2], [2, 2, 2, 2, 2])]
    low, high = metrics.interval(scores, "tcnp")
    assert low <= metrics.mean(scores, "tcnp") == 0.5 <= high
    assert (low, high) == metrics.interval(scores, "tcnp")


def test_baselines_give_the_published_figures():
    data = labelled.read(shared_path("data", "ui"))
    weigh = baselines.rarity(data.screens.values())
    rows = {"full": [], "lexical20": []}
    for p in data.hand:
        rows["full"].append(score_pair(p, baselines.full(p)))
        rows["lexical20"].append(score_pair(p, baselines.lexical(p, weigh)))
    table = {
        name: [round(metrics.mean(scores, f), 3) for f in ("tcnp", "tcnp_i", "tisl", "keep")]
        for name, scores in rows.items()
    }
    assert table["full"] == [1.0, 1.0, 1.0, 1.0]
    # Published: .726 .728 .062 .199; ours stems and counts the words of other accents and quotes too.
    assert table["lexical20"] == pytest.approx([0.726, 0.728, 0.062, 0.199], abs=0.05)
