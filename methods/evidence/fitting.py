"""Train, choose the threshold of "no evidence" on templates that were not trained on, measure, and write weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from methods.core.context import Context
from methods.evidence import evaluation as ev
from methods.evidence import training
from methods.evidence.localiser import Localiser
from methods.evidence.network import Config
from methods.evidence.synthesis.pages import MadePages
from methods.evidence.training import Plan

PLAN = Plan(rate=1.5e-3, pages=8, questions=8, pictured=0, keep=50)
"""Words and layout alone: crops of words made training twice as slow and no figure better."""
TUNING, TEST = 11, 7
"""Seeds of the held-out pages that choose the threshold, and of those that measure."""


def config(dim: int = 96) -> Config:
    """The network that is shipped, or a narrower or wider one."""
    return Config(dim=dim, page_layers=2, cross_layers=2, dropout=0.05)


def fit(
    pages: int, dim: int, context: Context, out: Path, resume: Path | None = None
) -> tuple[Localiser, dict[str, Any]]:
    """Train on ``pages`` made pages and write the weights with their figures."""
    network = training.train(MadePages(pages, context.seed), config(dim), PLAN, context, resume)
    localiser = Localiser(network)
    quiet = Context(token=context.token)
    held = [ev.as_samples(MadePages(n, seed, held_out=True)) for n, seed in ((150, TUNING), (200, TEST))]
    localiser.threshold = ev.best_threshold(ev.judge(held[0], ev.by_model(localiser), quiet))
    found = ev.summary(ev.judge(held[1], ev.by_model(localiser), quiet))
    scores = {name: found[name]["mean"] for name in ("pointing", "iou50", "anls")}  # type: ignore[index]
    scores |= {"auroc": found["auroc"], "n": found["n"]}
    record = {"pages": pages, "steps": -(-pages // PLAN.pages), "seed": context.seed}
    localiser.save(out, record, {"unseen templates": scores})
    context.progress(1.0, "done")
    return localiser, {**record, "threshold": localiser.threshold, **scores}
