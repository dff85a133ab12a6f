"""What a shape is fitted to, as numbers: weighted points in and around the solid, and points on its surface.

Coordinates are centred, divided by the diagonal and turned into the object's main frame, in which most of the
surface of furniture faces along an axis. The volume is cut by planes at the large flat faces, with even steps
between, so that walls far thinner than a step are whole cells; every cell holds one jittered point that
stands for its volume. Sums over points are then unbiased estimates of volumes.
"""

from __future__ import annotations

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
_BIN = 1 / 1500
_SHEET = 0.006
"""Half thickness that a surface without an inside is given, as a share of the diagonal."""


@dataclass(frozen=True)
class Samples:
    """points [N, 3] (N = cells in C order), weights [N] (cell volumes), solid [N]; surface [S, 3], normals [S, 3].

    ``planes``: cell boundaries per axis. ``centre``, ``scale``, ``frame`` (columns = main axes) lead back:
    world = centre + scale * frame @ local.
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

    def block(self, centre: Floats, reach: Floats) -> NDArray[np.int64]:
        """Numbers of the sample points whose cells meet the box ``centre`` +- ``reach``."""
        ranges = []
        for a, plane in enumerate(self.planes):
            first = max(int(np.searchsorted(plane, centre[a] - reach[a], side="right")) - 1, 0)
            ranges.append(np.arange(first, min(int(np.searchsorted(plane, centre[a] + reach[a])), len(plane) - 1)))
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

    def local_part(self, translation: Floats, rotation: Floats, size: Floats, exponents: Floats, taper: Floats) -> Primitive:
        return Primitive(
            self.to_local(np.asarray(translation, float)),
            self.frame.T @ rotation,
            np.asarray(size, float) / self.scale,
            np.maximum(np.asarray(exponents, float), LOWEST_EXPONENT),
            np.asarray(taper, float),
        )


def sample_solid(target: Target, rng: np.random.Generator, check: Check, steps: int = STEPS) -> Samples:
    """Samples of a mesh or cloud. Without a usable inside the surface becomes a thin sheet, with a warning."""
    world, normals = target.sample(SURFACE_POINTS, rng)
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
    solid, warnings = _solid(target, points, near, shape, surface, normals, (centre, scale, frame), check)
    return Samples(points, weights, solid, planes, surface, normals, centre, scale, frame, warnings)


def main_frame(points: Floats, normals: Floats) -> Floats:
    """Rotation [3, 3] whose columns are the directions that most of the surface faces along.

    Chosen among frames spanned by frequent normals, and the identity; a clear win is asked of any other frame
    than the identity.
    """
    bins: dict[tuple[int, int, int], int] = {}
    flip = np.where((normals @ np.array([1.0, 1e-3, 1e-6]))[:, None] < 0, -normals, normals)
    keys, inverse, counts = np.unique(np.round(flip * 12).astype(int), axis=0, return_inverse=True, return_counts=True)
    del bins, keys
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
    candidates = [np.eye(3)]
    _, axes = np.linalg.eigh(np.cov(points.T))
    candidates.append(axes)
    for i, a in enumerate(directions):
        for b in [*directions[i + 1 :], *np.eye(3)]:
            b = b - (a @ b) * a
            if np.linalg.norm(b) < 0.5:
                continue
            b /= np.linalg.norm(b)
            candidates.append(np.stack([a, b, np.cross(a, b)], axis=1))
    scores = [_alignment(normals, c) for c in candidates]
    best = int(np.argmax(scores))
    chosen = candidates[best] if scores[best] > scores[0] + 0.01 else candidates[0]
    order = np.argmax(np.abs(chosen), axis=1)
    if len(set(order.tolist())) == 3:
        chosen = chosen[:, order]
    chosen = chosen * np.where(np.diag(chosen) < 0, -1.0, 1.0)
    if np.linalg.det(chosen) < 0:
        chosen = chosen * np.array([1.0, 1.0, -1.0])
    return chosen


def _alignment(normals: Floats, frame: Floats) -> float:
    return float((np.abs(normals @ frame).max(axis=1) > 0.995).mean() + 0.1 * (np.abs(normals @ frame) ** 4).sum(axis=1).mean())


def _planes(values: Floats, facing: Floats, surface: Floats, steps: int) -> Floats:
    """Cell boundaries along one axis: large flat faces, even steps between, one step of margin outside."""
    low, high = float(values.min()), float(values.max())
    step = float(np.ptp(surface, axis=0).max()) / steps
    flat = values[np.abs(facing) > 0.98]
    faces: list[float] = []
    if len(flat):
        count = max(int((high - low) / _BIN), 1) + 1
        hist, edges = np.histogram(flat, bins=count, range=(low - _BIN / 2, high + _BIN / 2))
        wide = hist + np.concatenate([[0], hist[:-1]]) + np.concatenate([hist[1:], [0]])
        for i in np.argsort(-wide, kind="stable"):
            if wide[i] < _FACE_SHARE * len(values) or len(faces) >= steps // 2:
                break
            near = flat[np.abs(flat - 0.5 * (edges[i] + edges[i + 1])) < 1.5 * _BIN]
            at = float(np.median(near))
            if all(abs(at - f) > 3 * _BIN for f in faces):
                faces.append(at)
    fixed = sorted({low, high, *[f for f in faces if low + 3 * _BIN < f < high - 3 * _BIN]})
    result = [low - step]
    for a, b in zip(fixed[:-1], fixed[1:], strict=True):
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


def _solid(target: Target, points: Floats, near: Bools, shape: tuple[int, ...], surface: Floats, normals: Floats,
           place: tuple[Floats, float, Floats], check: Check) -> tuple[Bools, tuple[str, ...]]:
    from scipy.ndimage import label

    centre, scale, frame = place

    def occupied(chosen: Floats) -> Bools:
        if target.is_solid:
            return target.occupancy(centre + scale * (chosen @ frame.T), check=check)
        return _cloud_inside(surface, normals, chosen, check)

    warnings: tuple[str, ...] = ()
    far, count = label(~near)
    solid = np.zeros(len(points), bool)
    asked = np.flatnonzero(near.reshape(-1))
    flat = far.reshape(-1)
    ones = np.array([np.flatnonzero(flat == i)[0] for i in range(1, count + 1)], dtype=np.int64)
    everything = np.concatenate([asked, ones])
    answer = occupied(points[everything])
    solid[asked] = answer[: len(asked)]
    for i, inside in enumerate(answer[len(asked) :], start=1):
        if inside and not _touches_border(far == i):
            solid[flat == i] = True
    if not target.is_solid:
        share = _agreement(surface, normals, solid, points, shape)
        if share < 0.5:
            from scipy.spatial import cKDTree

            distance, _ = cKDTree(surface).query(points[asked], distance_upper_bound=2 * _SHEET)
            solid[:] = False
            solid[asked] = distance < _SHEET
            what = "The surface encloses no volume"
            warnings = (f"{what}; it was fitted as a sheet {200 * _SHEET:.1f} % of the diagonal thick.",)
        elif target.is_cloud:
            warnings = ("The inside of the point cloud was estimated from its normals.",)
    return solid, warnings


def _touches_border(mask: Bools) -> bool:
    return bool(mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any() or mask[..., 0].any() or mask[..., -1].any())


def _cloud_inside(surface: Floats, normals: Floats, points: Floats, check: Check) -> Bools:
    """Winding number (Barill et al. 2018, dipole sum) of oriented points, with areas from their spacing."""
    from scipy.spatial import cKDTree

    chosen = slice(0, 4000)
    p, n = surface[chosen], normals[chosen]
    tree = cKDTree(p)
    k = min(7, len(p))
    spacing = tree.query(p, k=k)[0][:, -1]
    area = np.pi * spacing**2 / max(k - 1, 1)
    soft = (0.5 * spacing) ** 2
    result = np.empty(len(points))
    weighted = (n * area[:, None]).astype(np.float32)
    p32 = p.astype(np.float32)
    offset = np.einsum("ij,ij->i", weighted, p32)
    squares = (p32**2).sum(axis=1) + soft.astype(np.float32)
    for start in range(0, len(points), 512):
        check()
        q = points[start : start + 512].astype(np.float32)
        d2 = np.maximum(squares - 2 * q @ p32.T + (q**2).sum(axis=1)[:, None], 1e-12)
        result[start : start + 512] = ((offset - q @ weighted.T) / (d2 * np.sqrt(d2))).sum(axis=1)
    return result / (4 * np.pi) > 0.5


def _agreement(surface: Floats, normals: Floats, solid: Bools, points: Floats, shape: tuple[int, ...]) -> float:
    """Share of the surface samples with solid close below them."""
    from scipy.spatial import cKDTree

    if not solid.any():
        return 0.0
    spacing = float(np.median(np.ptp(points, axis=0) / np.array(shape)))
    distance, _ = cKDTree(points[solid]).query(surface[:2000], distance_upper_bound=2.0 * spacing)
    return float(np.isfinite(distance).mean())
