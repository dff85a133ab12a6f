"""Where the single fit starts: orientations, exponents and centres, best first, by the data alone."""

from __future__ import annotations

import numpy as np

from methods.superquadrics.least_squares import Batch, Floats, distances

NEAR_EQUAL = 1.35
"""Principal variances closer than this ratio do not fix the axes between them."""
EXPONENTS = (0.25, 1.0, 1.75)
STARTS = 12
SCOUTS = 120
"""Points by which starts are ranked; callers give the points in no order."""


def spread_starts(points: Floats, variances: Floats, axisymmetric: bool, partial_view: bool) -> Batch:
    """The most promising of many orientations and exponents, judged by the fit before any step."""
    rotations = _orientations(np.ones(3) if partial_view else variances)
    scouts = points[:SCOUTS]
    exponents = np.array([(a, b) for a in EXPONENTS for b in ((1.0,) if axisymmetric else EXPONENTS)])
    count = len(rotations) * len(exponents)
    turned = np.einsum("ni,rij->rnj", scouts, rotations)
    low, high = turned.min(axis=1), turned.max(axis=1)
    middle = np.einsum("rij,rj->ri", rotations, (low + high) / 2)
    size = np.maximum((high - low) / 2, 2e-3)

    def spread(values: Floats) -> Floats:
        return np.repeat(values, len(exponents), axis=0)

    batch = Batch(
        spread(middle),
        spread(rotations),
        spread(size),
        np.tile(exponents, (len(rotations), 1)),
        np.zeros((count, 2)),
    )
    # The mean absolute distance once each start has been scaled to its best: a box around an ellipsoid is
    # no worse a start than a box in a box.
    residual = distances(batch, scouts)
    cost = np.abs(residual - np.median(residual, axis=1, keepdims=True)).mean(axis=1)
    # Every way to choose z keeps its best start: which one leads to the optimum shows only later.
    order = np.argsort(cost, kind="stable")
    first_of = {int(i) // len(exponents): int(i) for i in order[::-1]}
    leading = list(first_of.values())[:9] if len(rotations) <= 9 else []
    chosen = list(dict.fromkeys([*leading, *map(int, order)]))[
        : STARTS if len(rotations) <= 12 else STARTS + 4
    ]
    return batch.take(np.array(chosen, np.intp))


def _orientations(variances: Floats) -> Floats:
    """Rotations [R, 3, 3] relative to the principal axes: each axis as z, turned where axes are ambiguous."""
    cyclic = [np.eye(3)[:, list(order)] for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]
    ratio = [float(variances[i] / max(variances[i + 1], 1e-300)) for i in range(2)]
    turns = [np.eye(3)]
    if max(ratio) < NEAR_EQUAL:
        turns = _spread_turns()
    else:
        for i, axis in ((0, 2), (1, 0)):
            if ratio[i] < NEAR_EQUAL:
                turns += [_about(axis, angle) for angle in (22.5, 45.0, 67.5)]
    # Where no two axes are alike the 45-degree turns still matter: an octahedral outline is a turned box.
    if len(turns) == 1:
        turns += [_about(axis, 45.0) for axis in range(3)]
    return np.array([turn @ order for turn in turns for order in cyclic])


def _about(axis: int, degrees: float) -> Floats:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[i, i] = turn[j, j] = c
    turn[i, j], turn[j, i] = -s, s
    return turn


def _spread_turns() -> list[Floats]:
    """Rotations spread over all that a cube can be told apart by, in a fixed order (Shoemake's sampling)."""
    turns = [np.eye(3)]
    for i in range(1, 14):
        u = np.array([(i * 0.8191725134) % 1, (i * 0.6710436067) % 1, (i * 0.5497004779) % 1])
        a, b = np.sqrt(1 - u[0]), np.sqrt(u[0])
        x, y = a * np.sin(2 * np.pi * u[1]), a * np.cos(2 * np.pi * u[1])
        z, w = b * np.sin(2 * np.pi * u[2]), b * np.cos(2 * np.pi * u[2])
        turns.append(
            np.array(
                [
                    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
                ]
            )
        )
    return turns


def inward_of(points: Floats, normals: Floats | None) -> Floats:
    """Unit vector from the middle of a one-sided view to the unseen side, or zero if nothing tells.

    Without normals it points to the centre of the sphere nearest to the points (linear least squares).
    """
    if normals is not None:
        inward = -normals.mean(axis=0)
    else:
        system = np.concatenate([2 * points, np.ones((len(points), 1))], axis=1)
        inward = np.linalg.lstsq(system, (points**2).sum(axis=1), rcond=None)[0][:3] - points.mean(axis=0)
    depth = float(np.linalg.norm(inward))
    return inward / depth if depth > 0.1 else np.zeros(3)


def completed(points: Floats, inward: Floats) -> Floats:
    """A one-sided view with its mirror image through the likely centre [2N, 3], one after the other.

    A superquadric is symmetric about its centre, and the rim of a half view lies about that centre: the
    deepest points, seen along ``inward``.
    """
    depth = points @ inward
    rim = points[depth >= np.quantile(depth, 0.85)]
    center = rim.mean(axis=0) + (np.quantile(depth, 0.97) - (rim @ inward).mean()) * inward
    return np.stack([points, 2 * center - points], axis=1).reshape(-1, 3)


def principal_axes(points: Floats) -> tuple[Floats, Floats]:
    """Axes [3, 3] as columns, a proper rotation, largest variance first; with its variances."""
    centered = points - points.mean(axis=0)
    variances, axes = np.linalg.eigh(centered.T @ centered / len(centered))
    axes = axes[:, ::-1]
    # The sign of an eigenvector is arbitrary; the third moment fixes it by the data.
    skew = ((centered @ axes) ** 3).sum(axis=0)
    axes = axes * np.where(skew < 0, -1.0, 1.0)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    return axes, variances[::-1]
