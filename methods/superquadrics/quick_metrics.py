"""Figures coarse and quick enough to follow a part while it is dragged."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.core.errors import BadInput
from methods.superquadrics import geometry
from methods.superquadrics.metrics import Evaluation, probes_of, sobol, summary, target_samples
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.surface import SurfaceSampler
from methods.superquadrics.surface_distance import part_distances
from methods.superquadrics.target import Target
from methods.superquadrics.union import occupancy

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

POINTS = 1500
PROBES, PROBES_AROUND = 4096, 2048
AROUND = 1.6
"""What a shape fills beyond the target counts up to a box this many times as large."""
CLOUD = 8192
RESOLUTION = 16
_REMEMBERED = 512


def evaluate_quickly(shape: Shape, target: Target, *, threshold_rel: float = 0.01) -> Evaluation:
    """Coarse figures from about 1,500 samples and approximate distances.

    Near the target within a few per cent of :func:`~methods.superquadrics.metrics.evaluate`; they show the
    tendency until a drag has settled. What concerns single parts, or two of them, is remembered with the
    target, so that only parts that moved cost time. The samples stick to the parts: figures do not flicker.

    Raises:
        BadInput: the shape has no parts.
    """
    if not shape.parts:
        raise BadInput("The shape has no parts.", "Add a part first.")
    memory: _Memory = target.cached("quick metrics", lambda: _Memory(target))
    about = [memory.of_part(part) for part in shape.parts]
    points, owner = _visible_samples(shape, memory)
    fit = _distance_to_target(points, target)
    back = np.abs(np.min([facts.distances for facts in about], axis=0))
    ratio = None
    if target.is_solid:
        filled = np.any([facts.filled for facts in about], axis=0)
        ratio = memory.ratio(filled)
    hidden_share = target_samples(target, CLOUD)[2]
    threshold = threshold_rel * target.diagonal
    return summary(shape, target, fit, owner, back, ratio, threshold, hidden_share)


@dataclass(frozen=True)
class _Facts:
    """About one part: its area and box, its approximate distances to the target's samples, what it fills."""

    area: float
    box: Floats
    distances: Floats
    filled: Mask


class _Memory:
    """What is known about the parts seen last, for one target."""

    def __init__(self, target: Target) -> None:
        self._samples = target_samples(target, CLOUD)[0][:POINTS]
        low, high = target.bounds
        middle, half = 0.5 * (low + high), 0.5 * AROUND * (high - low)
        self._volume = float(np.prod(high - low))
        inner = low + sobol(PROBES) * (high - low)
        around = middle + (2.0 * sobol(4 * PROBES_AROUND) - 1.0) * half
        around = around[((around < low) | (around > high)).any(axis=1)][:PROBES_AROUND]
        self._probes = np.concatenate([inner, around])
        self._volume_around = self._volume * (AROUND**3 - 1.0)
        self._inside = probes_of(target)[1][:PROBES] if target.is_solid else np.zeros(PROBES, dtype=bool)
        # the caches hang on this object, so they end with the target
        self.of_part = functools.lru_cache(_REMEMBERED)(self._of_part)
        self.samples = functools.lru_cache(_REMEMBERED)(self._draw)
        self.covered = functools.lru_cache(32 * _REMEMBERED)(self._covered)

    def _of_part(self, part: Superquadric) -> _Facts:
        return _Facts(
            area=SurfaceSampler(part, RESOLUTION).area,
            box=part.bounds(),
            distances=part_distances(self._samples, part),
            filled=occupancy(Shape((part,)), self._probes),
        )

    def _draw(self, part: Superquadric, count: int) -> Floats:
        return SurfaceSampler(part, RESOLUTION).draw(count, np.random.default_rng(0))[0]

    def _covered(self, part: Superquadric, count: int, other: Superquadric) -> Mask:
        """Which samples of ``part`` lie inside ``other``."""
        local = other.to_local(self.samples(part, count))
        return geometry.gauge(local, other.size, other.exponents, other.taper) < 1.0 - 1e-6

    def ratio(self, filled: Mask) -> float:
        """IoU when the shape fills these of the probes."""
        inner, around = filled[:PROBES], filled[PROBES:]
        joint = self._volume * float((inner | self._inside).mean())
        joint += self._volume_around * float(around.mean())
        return self._volume * float((inner & self._inside).mean()) / joint if joint > 0 else 0.0


def _visible_samples(shape: Shape, memory: _Memory) -> tuple[Floats, Integers]:
    """About 1,500 points [n, 3], at least one, outside all other parts, and the part [n] of each."""
    about = [memory.of_part(part) for part in shape.parts]
    area = np.array([facts.area for facts in about])
    each = np.maximum(np.round(POINTS * area / area.sum()).astype(int), 1).tolist()
    low, high = (np.array([facts.box[i] for facts in about]) for i in (0, 1))
    meet = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    np.fill_diagonal(meet, False)
    found = []
    for i, (part, count) in enumerate(zip(shape.parts, each, strict=True)):
        gone = np.zeros(count, dtype=bool)
        for k in np.flatnonzero(meet[i]):
            gone |= memory.covered(part, count, shape.parts[k])
        found.append(memory.samples(part, count)[~gone])
    owner = np.repeat(np.arange(len(found)), [len(points) for points in found])
    if not len(owner):  # parts that hide each other completely
        return memory.samples(shape.parts[0], each[0]), np.zeros(each[0], dtype=np.int64)
    return np.concatenate(found), owner


def _distance_to_target(points: Floats, target: Target) -> Floats:
    """Distance [N] to the tangent discs of the target's samples: exact where it is flat."""
    samples, normals, _ = target_samples(target, CLOUD)

    def build() -> Any:
        from scipy.spatial import cKDTree

        return cKDTree((samples - target.center) / target.diagonal)

    tree = target.cached("quick tree", build)
    distance, index = tree.query((points - target.center) / target.diagonal)
    distance = distance * target.diagonal
    if target.is_cloud:
        return distance
    height = np.einsum("ij,ij->i", points - samples[index], normals[index])
    beside = np.sqrt(np.maximum(distance**2 - height**2, 0.0))
    radius = 1.5 * np.sqrt(target.area / (np.pi * len(samples)))
    return np.hypot(height, np.maximum(beside - radius, 0.0))
