"""Probes: a standardised logistic regression, or a small network, on the hidden states of one layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize
from torch import Tensor, nn

from methods.core import checkpoints
from methods.core.checkpoints import Header
from methods.core.errors import BadInput
from methods.monica.calibrate import Vector
from methods.monica.features import POOLS

METHOD = "monica-probe"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Probe:
    """One trained probe.

    Attributes:
        layer, pool, window: which features (see :class:`methods.monica.features.StepFeatures`). width: D of the model.
        mean, scale: (F,) float32. weights: pairs of (out, in) and (out,) float32, ReLU between; the last out is 1.
        model, sha256: what it was trained on. vectors: for steering, by layer. scores: figures of its evaluation.
    """

    layer: int
    pool: str
    window: int
    width: int
    mean: Tensor
    scale: Tensor
    weights: tuple[tuple[Tensor, Tensor], ...]
    model: str = ""
    sha256: str = ""
    vectors: dict[int, Vector] = field(default_factory=dict)
    scores: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)

    def logits(self, features: Tensor) -> Tensor:
        """(B, F) -> (B,) float32 log-odds."""
        h = (features.float() - self.mean) / self.scale
        for i, (weight, bias) in enumerate(self.weights):
            h = h @ weight.T + bias
            if i + 1 < len(self.weights):
                h = h.relu()
        return h[:, 0]

    def probabilities_of(self, features: np.ndarray) -> np.ndarray:
        """:meth:`probabilities` for arrays."""
        return self.probabilities(torch.from_numpy(np.ascontiguousarray(features, np.float32))).numpy()

    def probabilities(self, features: Tensor) -> Tensor:
        """(B, F) -> (B,) in [0, 1]."""
        return torch.sigmoid(self.logits(features))

    def summary(self) -> dict[str, Any]:
        """What identifies it, JSON-able."""
        return {
            "layer": self.layer, "pool": self.pool, "window": self.window, "width": self.width,
            "kind": "logistic" if len(self.weights) == 1 else "mlp", "model": self.model, "sha256": self.sha256,
        }  # fmt: skip


def fit_logistic(
    features: np.ndarray, labels: np.ndarray, penalty: float = 1e-2
) -> list[tuple[Tensor, Tensor]]:
    """Minimise cross-entropy plus ``penalty`` / 2 times the squared weights, on standardised features (N, F).

    Args:
        labels: (N,) in [0, 1]; soft ones are allowed.
    """
    x = np.concatenate([features, np.ones((len(features), 1))], 1).astype(np.float64)
    ridge = np.full(x.shape[1], penalty)
    ridge[-1] = 0

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = x @ w
        loss = (np.logaddexp(0, z) - labels * z).mean() + 0.5 * (ridge * w * w).sum()
        return loss, x.T @ (_sigmoid(z) - labels) / len(x) + ridge * w

    w = minimize(objective, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return [(torch.tensor(w[None, :-1], dtype=torch.float32), torch.tensor(w[-1:], dtype=torch.float32))]


def fit_mlp(
    features: np.ndarray,
    labels: np.ndarray,
    hidden: int = 32,
    penalty: float = 1e-2,
    seed: int = 0,
    epochs: int = 150,
) -> list[tuple[Tensor, Tensor]]:
    """A network with one hidden layer, by full-batch Adam; arguments as in :func:`fit_logistic`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = nn.Sequential(nn.Linear(features.shape[1], hidden), nn.ReLU(), nn.Linear(hidden, 1))
    x, y = torch.tensor(features, dtype=torch.float32), torch.tensor(labels, dtype=torch.float32)
    optimiser = torch.optim.AdamW(net.parameters(), 1e-2, weight_decay=penalty)
    with torch.enable_grad():
        for _ in range(epochs):
            loss = nn.functional.binary_cross_entropy_with_logits(net(x)[:, 0], y)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return [(m.weight.detach(), m.bias.detach()) for m in net if isinstance(m, nn.Linear)]


def fit(
    features: np.ndarray, labels: np.ndarray, *, layer: int, pool: str, window: int, width: int, kind: str = "logistic",
    penalty: float = 1e-2, seed: int = 0,
) -> Probe:  # fmt: skip
    """A probe on raw features (N, F).

    Raises:
        BadInput: fewer than two kinds of labels: there is nothing to tell apart.
    """
    if len(labels) < 4 or labels.min() == labels.max():
        raise BadInput(
            "All runs ended alike, so there is nothing for a monitor to tell apart.",
            "Use more questions, stronger cues or another model.",
        )
    mean, scale = features.mean(0), features.std(0) + 1e-6
    x = (features - mean) / scale
    weights = (
        fit_mlp(x, labels, penalty=penalty, seed=seed) if kind == "mlp" else fit_logistic(x, labels, penalty)
    )
    return Probe(
        layer, pool, window, width, torch.tensor(mean, dtype=torch.float32), torch.tensor(scale, dtype=torch.float32),
        tuple(weights),
    )  # fmt: skip


def save(path: Path, probe: Probe) -> None:
    """Write a probe with its vectors."""
    tensors = {"mean": probe.mean, "scale": probe.scale}
    for i, (weight, bias) in enumerate(probe.weights):
        tensors |= {f"weight.{i}": weight, f"bias.{i}": bias}
    for layer, vector in probe.vectors.items():
        tensors[f"vector.{layer}"] = vector.direction
    config = probe.summary() | {
        "weights": len(probe.weights),
        "ceilings": {str(layer): vector.ceiling for layer, vector in probe.vectors.items()},
    }
    checkpoints.save(path, tensors, Header(METHOD, FORMAT_VERSION, config, probe.training, probe.scores))


def load(path: Path) -> Probe:
    """Read a probe.

    Raises:
        BadInput: no probe of ours, or a damaged one.
    """
    if not path.is_file():
        raise BadInput(f"{path.name} does not exist.", "Choose a probe, or train one.")
    tensors, header = checkpoints.load(path, METHOD, FORMAT_VERSION)
    c = header.config
    try:
        count = int(c["weights"])
        weights = tuple((tensors[f"weight.{i}"].float(), tensors[f"bias.{i}"].float()) for i in range(count))
        features = len(tensors["mean"])
        sizes = [features, *(w.shape[0] for w, _ in weights)]
        window, width = int(c["window"]), int(c["width"])
        fits = all(
            w.shape == (o, i) and len(b) == o for (w, b), i, o in zip(weights, sizes, sizes[1:], strict=False)
        )
        vectors = {
            int(layer): Vector(int(layer), tensors[f"vector.{layer}"].float(), float(ceiling))
            for layer, ceiling in c["ceilings"].items()
        }
        if (
            not fits or not count or sizes[-1] != 1 or features != width * (1 if window == 1 else 2)
            or len(tensors["scale"]) != features or c["pool"] not in POOLS or not c["layer"] >= 0 or window < 1
            or any(v.direction.shape != (width,) for v in vectors.values())
        ):  # fmt: skip
            raise ValueError("its parts do not fit together")
        return Probe(
            int(c["layer"]), c["pool"], window, width, tensors["mean"].float(), tensors["scale"].float(), weights,
            str(c["model"]), str(c["sha256"]), vectors, header.scores, header.training,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise BadInput(f"{path.name} is a damaged probe ({error}).", "Train or export it again.") from error


def _sigmoid(z: np.ndarray) -> np.ndarray:
    return 0.5 * (1 + np.tanh(0.5 * z))
