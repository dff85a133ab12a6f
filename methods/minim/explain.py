"""What moved the necessity of one element most: gradient times input, over the named features and the neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from methods.minim import page_features, task_features
from methods.minim.network import Committee, Network
from methods.minim.page_features import PageFeatures
from methods.minim.task_features import TaskFeatures

MOST = 4


@dataclass(frozen=True)
class Explanation:
    """Attributions in the unit of the logit of n / 10; positive ones speak for the element being needed.

    Attributes:
        features: (name, attribution) of the element's own strongest features.
        neighbours: (uid, attribution) of the other elements that were heard most.
    """

    features: tuple[tuple[str, float], ...]
    neighbours: tuple[tuple[int, float], ...]


def explain(network: Network | Committee, page: PageFeatures, task: TaskFeatures, uid: int) -> Explanation:
    """Attribute the necessity of element ``uid`` to what the network saw."""
    # Workers have switched gradients off.
    with torch.inference_mode(False), torch.enable_grad():
        numbers, wanted, text = (
            torch.from_numpy(a).clone().requires_grad_() for a in (page.numbers, task.numbers, page.text)
        )
        edges, relations = torch.from_numpy(page.edges), torch.from_numpy(page.relations)
        one = torch.zeros(len(page.numbers), dtype=torch.long)
        vector = torch.from_numpy(task.task).clone().unsqueeze(0)
        state = network.page_state(numbers, text, edges, relations)
        logit = network.necessity_logit(state, text, wanted, vector, one, edges, relations)
        grads = torch.autograd.grad(logit[uid], (numbers, wanted, text))
        own, asked, said = (g * v.detach() for g, v in zip(grads, (numbers, wanted, text), strict=True))
    named = dict(zip(page_features.NAMES, own[uid].tolist(), strict=True))
    named |= {f"task: {name}": v for name, v in zip(task_features.NAMES, asked[uid].tolist(), strict=True)}
    named["its text"] = float(said[uid].sum())
    heard = (own.sum(1) + asked.sum(1) + said.sum(1)).tolist()
    others = [(i, v) for i, v in enumerate(heard) if i != uid and v]
    return Explanation(
        tuple(sorted(named.items(), key=lambda item: -abs(item[1]))[:MOST]),
        tuple(sorted(others, key=lambda item: -abs(item[1]))[:MOST]),
    )
