"""What a shape is fitted to, as numbers: weighted points in and around the solid, and points on its surface.

Coordinates are centred, divided by the diagonal and turned into the object's main frame, in which most of the
surface of furniture faces along an axis. The volume is cut by planes at the large flat faces, with even steps
between, so that walls far thinner than a step are whole cells; every cell holds one jittered point that
stands for its volume. Sums over points are then unbiased estimates of volumes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from methods.superquadrics.primitive import LOWEST_EXPONENT, Primitive, inside
from methods.superquadrics.target import Target

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Check = Callable[[], None]

STEPS = 44
"""Even grid steps along the longest side."""
SURFACE_POINTS = 16_000
_FACE_SHARE = 0.006
"""A flat face of this share of the surface gets a grid plane of its own."""
_PROBE_REACH = 0.6
"""Probes lie within this share of a step of the surface."""
_BIN = 1 / 1500
_BALL_STEPS = 56
_BALLS = 6
_FEWEST_POINTS = 16
_ASKED = 128
"""Points of a region away from the surface that are asked before it is taken as one."""
_GOLDEN = 0.6180339887498949
_LIFT = 0.8
_CLOSE = 0.03
_SHEET = 0.006
"""Half thickness that a surface without an inside is given, as a share of the diagonal."""


@dataclass(frozen=True)
class Samples:
    """points [N, 3] (N = cells in C order), weights [N] (cell volumes), solid [N]; surface [S, 3], normals [S, 3].

    ``planes``: cell boundaries per axis. ``centre``, ``scale``, ``frame`` (columns = main axes) lead back:
    world = centre + scale * frame @ local. ``area``: of the surface. ``probes`` [P, 3] are points within about
    half a step of the surface, ``probes_solid`` [P] whether they are inside; they sharpen a fit and are no part
    of any volume.
    """

    points: Floats
    weights: Floats
    solid: Bools
    planes: tuple[Floats, Floats, Floats]
    surface: Floats
    normals: Floats
    centre: Floats
    scale: float
    frame: Floats
    probes: Floats
    probes_solid: Bools
    area: float
    warnings: tuple[str, ...] = ()

    @property
    def cells(self) -> tuple[int, int, int]:
        return tuple(len(p) - 1 for p in self.planes)  # type: ignore[return-value]

    @property
    def step(self) -> float:
        """Length of an even step."""
        return max(float(p[-1] - p[0]) for p in self.planes) / STEPS

    @property
    def volume(self) -> float:
        return float(self.weights[self.solid].sum())

    @property
    def probe_weight(self) -> float:
        """Volume that one probe stands for: its share of the surface times the depth of the layer."""
        return self.area / max(len(self.surface), 1) * 2.0 * _PROBE_REACH * self.step

    def block(self, centre: Floats, reach: Floats) -> NDArray[np.int64]:
        """Numbers of the sample points whose cells meet the box ``centre`` +- ``reach``."""
        ranges = []
        for a, plane in enumerate(self.planes):
            first = max(int(np.searchsorted(plane, centre[a] - reach[a], side="right")) - 1, 0)
            ranges.append(
                np.arange(first, min(int(np.searchsorted(plane, centre[a] + reach[a])), len(plane) - 1))
            )
        _, ny, nz = self.cells
        i, j, k = ranges
        return ((i[:, None, None] * ny + j[:, None]) * nz + k).reshape(-1)

    def held_by(self, part: Primitive) -> Bools:
        """Which sample points lie in a part [N]."""
        near = self.block(part.translation, part.world_reach())
        result = np.zeros(len(self.points), bool)
        result[near[inside(part, self.points[near])]] = True
        return result

    def to_local(self, points: Floats) -> Floats:
        return ((points - self.centre) / self.scale) @ self.frame

    def local_part(
        self, translation: Floats, rotation: Floats, size: Floats, exponents: Floats, taper: Floats
    ) -> Primitive:
        return Primitive(
            self.to_local(np.asarray(translation, float)),
            self.frame.T @ rotation,
            np.asarray(size, float) / self.scale,
            np.maximum(np.asarray(exponents, float), LOWEST_EXPONENT),
            np.asarray(taper, float),
        )


def sample_solid(target: Target, rng: np.random.Generator, check: Check, steps: int = STEPS) -> Samples:
    """Samples of a mesh or cloud. Without a usable inside the surface becomes a thin sheet, with a warning."""
    count = min(SURFACE_POINTS, len(target.vertices)) if target.is_cloud else SURFACE_POINTS
    world, normals = target.sample(count, rng)
    check()
    centre, scale = target.center, target.diagonal
    local = (world - centre) / scale
    frame = main_frame(local, normals)
    surface, normals = local @ frame, normals @ frame
    planes = tuple(_planes(surface[:, a], normals[:, a], surface, steps) for a in range(3))
    shape = tuple(len(p) - 1 for p in planes)
    jitter = 0.5 + 0.7 * (rng.random((*shape, 3)) - 0.5)
    points = np.empty((*shape, 3))
    weights = np.ones(shape)
    for a in range(3):
        along = [1, 1, 1]
        along[a] = -1
        low, width = planes[a][:-1].reshape(along), np.diff(planes[a]).reshape(along)
        points[..., a] = low + width * jitter[..., a]
        weights = weights * width
    points, weights = points.reshape(-1, 3), weights.reshape(-1)
    check()
    near = _near_surface(surface, planes)
    solid, warnings = _solid(target, points, near, surface, (centre, scale, frame), check)
    offset = (
        (2.0 * rng.random(len(surface)) - 1.0) * _PROBE_REACH * float(np.ptp(surface, axis=0).max()) / steps
    )
    probes = surface + offset[:, None] * normals if target.is_solid else np.zeros((0, 3))
    probes_solid = np.zeros(len(probes), bool)
    area = target.area / scale**2 or 1.0
    if len(probes):
        probes_solid = target.occupancy(centre + scale * (probes @ frame.T), check=check)
    return Samples(
        points,
        weights,
        solid,
        planes,
        surface,
        normals,
        centre,
        scale,
        frame,
        probes,
        probes_solid,
        area,
        warnings,
    )


def main_frame(points: Floats, normals: Floats) -> Floats:
    """Rotation [3, 3] whose columns are the directions that most of the surface faces along.

    Chosen among frames spanned by frequent normals, the normals' second moments (which show the axis of a body
    of revolution) and the identity; the first kind must win clearly.
    """
    flip = np.where((normals @ np.array([1.0, 1e-3, 1e-6]))[:, None] < 0, -normals, normals)
    _, inverse, counts = np.unique(
        np.round(flip * 12).astype(int), axis=0, return_inverse=True, return_counts=True
    )
    inverse = inverse.reshape(-1)
    strongest = np.argsort(-counts, kind="stable")[:8]
    directions = []
    for i in strongest:
        mean = flip[inverse == i].mean(axis=0)
        for _ in range(2):
            mean /= np.linalg.norm(mean) + 1e-12
            close = flip @ mean
            mean = (flip * np.sign(close)[:, None])[np.abs(close) > 0.98].sum(axis=0)
        length = np.linalg.norm(mean)
        if length > 0:
            directions.append(mean / length)
    away = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(away.T @ away)
    candidates = [np.eye(3), _revolution_frame(normals), axes]
    for i, a in enumerate(directions):
        for b in [*directions[i + 1 :], *np.eye(3)]:
            b = b - (a @ b) * a
            if np.linalg.norm(b) < 0.5:
                continue
            b /= np.linalg.norm(b)
            candidates.append(np.stack([a, b, np.cross(a, b)], axis=1))
    some = normals[:4000]
    scores = [_alignment(some, c) for c in candidates]
    quiet = 1 if scores[1] > scores[0] - 0.02 else 0
    promising = np.argsort(-np.array(scores), kind="stable")[:5]
    settled = [_settled(some, candidates[i]) for i in (quiet, *promising)]
    better = [_alignment(some, c) for c in settled]
    best = int(np.argmax(better))
    chosen = settled[best] if better[best] > scores[quiet] + 0.05 else candidates[quiet]
    if scores[0] > better[best] - 0.01:
        chosen = candidates[0]
    order = np.argmax(np.abs(chosen), axis=1)
    if len(set(order.tolist())) == 3:
        chosen = chosen[:, order]
    chosen = chosen * np.where(np.diag(chosen) < 0, -1.0, 1.0)
    if np.linalg.det(chosen) < 0:
        chosen = chosen * np.array([1.0, 1.0, -1.0])
    return chosen


def _revolution_frame(normals: Floats) -> Floats:
    """Eigenvectors of the normals' second moments; a pair with equal eigenvalues is turned towards the axes."""
    values, axes = np.linalg.eigh(normals.T @ normals / len(normals))
    gaps = np.diff(values)
    if gaps.min() < 0.03 < gaps.max():
        alone = axes[:, 2 if gaps[0] < gaps[1] else 0]
        across = np.eye(3)[np.abs(alone).argmin()]
        across = across - (alone @ across) * alone
        across /= np.linalg.norm(across)
        axes = np.stack([across, np.cross(alone, across), alone], axis=1)
    return axes


def _alignment(normals: Floats, frame: Floats) -> float:
    """How much of the surface faces along an axis: counted softly, so that noise does not hide the optimum."""
    off = 1.0 - np.abs(normals @ frame).max(axis=1)
    return float((0.5 * np.exp(-off / 0.03) + 0.5 * np.exp(-off / 0.002)).mean())


def _settled(normals: Floats, frame: Floats) -> Floats:
    """The rotation closest to ``frame`` that best turns normals near its axes on to them (Kabsch)."""
    for least in (0.9, 0.9, 0.95):
        along = normals @ frame
        axis = np.abs(along).argmax(axis=1)
        value = along[np.arange(len(along)), axis]
        good = np.abs(value) > least
        moment = np.zeros((3, 3))
        for a in range(3):
            mine = good & (axis == a)
            moment[:, a] = (normals[mine] * np.sign(value[mine])[:, None]).sum(axis=0)
        u, strength, vt = np.linalg.svd(moment)
        if strength[1] < 1e-9:
            return frame
        u[:, 2] *= np.sign(np.linalg.det(u @ vt))
        frame = u @ vt
    return frame


def _planes(values: Floats, facing: Floats, surface: Floats, steps: int) -> Floats:
    """Cell boundaries along one axis: large flat faces, even steps between, one step of margin outside."""
    low, high = float(values.min()), float(values.max())
    step = float(np.ptp(surface, axis=0).max()) / steps
    flat = values[np.abs(facing) > 0.9]
    faces: list[float] = []
    if len(flat):
        count = max(int((high - low) / _BIN) + 1, 5)
        hist, edges = np.histogram(flat, bins=count, range=(low - _BIN / 2, high + _BIN / 2))
        wide = np.convolve(hist, np.ones(5), mode="same")
        for i in np.argsort(-wide, kind="stable"):
            if wide[i] < _FACE_SHARE * len(values) or len(faces) >= steps // 2:
                break
            near = flat[np.abs(flat - 0.5 * (edges[i] + edges[i + 1])) < 2.5 * _BIN]
            at = float(np.median(near))
            if all(abs(at - f) > 4 * _BIN for f in faces):
                faces.append(at)
    fixed = sorted({low, high, *[f for f in faces if low + 3 * _BIN < f < high - 3 * _BIN]})
    result = [low - step]
    for a, b in itertools.pairwise(fixed):
        n = max(int(np.ceil((b - a) / step - 1e-9)), 1)
        result.extend(a + (b - a) * np.arange(n) / n)
    if len(fixed) == 1:
        result.append(high - step / 100)
    result.extend([high, high + step])
    return np.array(result)


def _near_surface(surface: Floats, planes: tuple[Floats, ...]) -> Bools:
    """Cells [nx, ny, nz] at most one cell away from a surface sample."""
    from scipy.ndimage import binary_dilation

    shape = tuple(len(p) - 1 for p in planes)
    mask = np.zeros(shape, bool)
    index = [np.clip(np.searchsorted(p, surface[:, a]) - 1, 0, len(p) - 2) for a, p in enumerate(planes)]
    mask[tuple(index)] = True
    return binary_dilation(mask, np.ones((3, 3, 3), bool))


def _solid(
    target: Target,
    points: Floats,
    near: Bools,
    surface: Floats,
    place: tuple[Floats, float, Floats],
    check: Check,
) -> tuple[Bools, tuple[str, ...]]:
    """Which points are inside, and a warning when that had to be guessed."""
    if target.is_solid:
        return _mesh_inside(target, points, near, place, check), ()
    solid = enclosed(surface, points, check)
    if target.is_cloud and _filled(surface, points[solid]):
        return solid, ("A point cloud has no inside; the space its points enclose was taken as solid.",)
    what = f"The surface encloses no volume; it was fitted as a sheet {200 * _SHEET:.1f} % of the diagonal thick."
    if not _filled(surface, points[solid]):
        from scipy.spatial import cKDTree

        solid = cKDTree(surface).query(points, distance_upper_bound=2 * _SHEET)[0] < _SHEET
    return solid, (what,)


def _filled(surface: Floats, solid: Floats) -> bool:
    """Whether most of the surface has solid points [N, 3] close by."""
    from scipy.spatial import cKDTree

    if len(solid) < 8:
        return False
    distance, _ = cKDTree(solid).query(surface[:2000], distance_upper_bound=_CLOSE)
    return float(np.isfinite(distance).mean()) > 0.5


def _mesh_inside(
    target: Target, points: Floats, near: Bools, place: tuple[Floats, float, Floats], check: Check
) -> Bools:
    """Occupancy near the surface point by point; a region away from it is one or the other as a whole."""
    from scipy.ndimage import label

    centre, scale, frame = place

    def occupied(chosen: NDArray[np.int64]) -> Bools:
        return target.occupancy(centre + scale * (points[chosen] @ frame.T), check=check)

    solid = np.zeros(len(points), bool)
    close = np.flatnonzero(near)
    solid[close] = occupied(close)
    regions, count = label(~near)
    regions = regions.reshape(-1)
    for region in range(1, count + 1):
        mine = np.flatnonzero(regions == region)
        # Even steps through the cells would keep to one side of the grid; those of the golden ratio do not.
        chosen = np.unique((len(mine) * (_GOLDEN * np.arange(_ASKED) % 1)).astype(np.int64))
        answer = occupied(mine[chosen])
        # through a hole in the surface a region may be half in, half out
        solid[mine] = answer[0] if answer.all() or not answer.any() else occupied(mine)
    return solid


def enclosed(surface: Floats, points: Floats, check: Check) -> Bools:
    """Points that no empty ball rolling in from outside reaches (the complement of an alpha shape's outside).

    The ball's radius is a little more than the usual distance to the sixth neighbour, so that it does not fall
    through; nothing is asked of normals. (Edelsbrunner & Muecke 1994, on a grid of ball centres.)
    """
    from scipy.ndimage import label
    from scipy.spatial import cKDTree

    surface = np.unique(surface, axis=0)
    if len(surface) < _FEWEST_POINTS:
        return np.zeros(len(points), bool)
    tree = cKDTree(surface)
    some = surface[:: max(len(surface) // 4000, 1)]
    distance, neighbours = tree.query(some, k=min(9, len(surface)))
    spacing = distance[:, min(6, distance.shape[1] - 1)]
    # noise lifts the points that the ball rests on by about one standard deviation
    around = surface[neighbours] - surface[neighbours].mean(axis=1, keepdims=True)
    flatness = np.linalg.eigvalsh(np.einsum("nki,nkj->nij", around, around) / around.shape[1])[:, 0]
    lift = min(_LIFT * float(np.sqrt(max(np.median(flatness), 0.0))), 0.4 * float(np.median(spacing)))
    radius = 1.25 * float(np.quantile(spacing, 0.9))
    low, high = surface.min(axis=0), surface.max(axis=0)
    step = float((high - low).max()) / _BALL_STEPS
    axes = [
        np.arange(a - 1.5 * radius - step, b + 1.5 * radius + 1.5 * step, step)
        for a, b in zip(low, high, strict=True)
    ]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    shape, centres = grid.shape[:3], grid.reshape(-1, 3)
    room = np.empty(len(centres))
    for start in range(0, len(centres), 20_000):
        check()
        room[start : start + 20_000] = tree.query(centres[start : start + 20_000])[0]
    regions, _ = label((room > radius).reshape(shape))
    outside = np.flatnonzero(regions.reshape(-1) == regions[0, 0, 0])
    solid = np.ones(len(points), bool)
    balls = cKDTree(centres[outside])
    for start in range(0, len(points), 20_000):
        check()
        distance, ball = balls.query(points[start : start + 20_000], k=min(_BALLS, len(outside)))
        distance, ball = distance.reshape(len(distance), -1), ball.reshape(len(distance), -1)
        solid[start : start + 20_000] = ~(distance < room[outside[ball]] + lift).any(axis=1)
    return solid
