"""What a shape is fitted to and measured against: a triangle mesh or a point cloud.

Everything is kept in the file's own coordinates, in float64. Trees and queries work on coordinates that are
centred and divided by the diagonal first, because coordinates like 6,300,000 m leave no digits otherwise.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from methods.core.errors import BadInput
from methods.superquadrics import topology
from methods.superquadrics.limits import FARTHEST
from methods.superquadrics.mesh_tree import COARSE, MeshTree, winding_number

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Check = Callable[[], None]

SOLID_SHARE = 0.2
"""A mesh counts as a solid if just below at least this share of its surface there is an inside."""
_LEAST_VOLUME = 1e-9
"""Of a closed surface, for a diagonal of 1: less is a sheet with two sides."""
_SOLID_DEPTH = 1e-4
_SOLID_PROBES = 512

_RELOAD = "Load it again from its file."
METRES = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "in": 0.0254}
"""Metres per unit."""
_RARITY = {"m": 0.0, "mm": 0.1, "cm": 0.3, "in": 0.6}
"""How much less usual a unit is, in decades of size."""
_USUAL_SIZE = 0.6
"""Diagonal in metres that objects are most likely to have."""


@dataclass(frozen=True, eq=False)
class Target:
    """A mesh or cloud. Arrays are read-only once inside.

    Args:
        name: what to call it, usually the file's name.
        vertices: [V, 3], finite and below :data:`FARTHEST`, in the file's coordinates.
        faces: [F, 3] indices, or None for a point cloud.
        normals: unit normals [V, 3] of a cloud's points, or None. A mesh has its faces for that.
        part_labels: [F] (mesh) or [V] (cloud) index into ``part_names``, or None.
        part_names: names of objects or groups in the file.
        unit: "m", "mm", "cm", "in" when the file says so, else "".
        warnings: what was dropped or changed on the way in, with counts.
        shown_of: number of points in the file when ``vertices`` is only a subset, else None.

    Raises:
        BadInput: no points, a coordinate that is not finite or too far away, or arrays that do not belong together.
    """

    name: str
    vertices: Floats
    faces: Integers | None = None
    normals: Floats | None = None
    part_labels: Integers | None = None
    part_names: tuple[str, ...] = ()
    unit: str = ""
    warnings: tuple[str, ...] = ()
    shown_of: int | None = None
    _cache: dict[str, Any] = field(default_factory=dict, init=False, repr=False)
    _lock: Any = field(default_factory=threading.RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        vertices = self._array("vertices", np.float64, (-1, 3))
        if vertices is None or not len(vertices):
            raise BadInput(f"{self.name} holds no points.", "Choose a file with a mesh or a point cloud.")
        if not np.isfinite(vertices).all():
            raise BadInput(f"{self.name} holds coordinates that are not finite.", "Remove these points.")
        if np.abs(vertices).max() >= FARTHEST:
            raise BadInput(f"{self.name} holds coordinates beyond {FARTHEST:g}.", "Remove these points.")
        faces = self._array("faces", np.int64, (-1, 3))
        if faces is not None and (not len(faces) or faces.min() < 0 or faces.max() >= len(vertices)):
            raise BadInput(f"{self.name} has no faces, or faces that name missing vertices.", _RELOAD)
        self._array("normals", np.float64, (len(vertices), 3))
        labels = self._array("part_labels", np.int64, (len(vertices) if faces is None else len(faces),))
        if labels is not None and (labels.min() < 0 or labels.max() >= len(self.part_names)):
            raise BadInput(f"{self.name} has part labels without a part name.", _RELOAD)

    def _array(self, name: str, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any] | None:
        value = getattr(self, name)
        if value is None:
            return None
        try:
            array = np.ascontiguousarray(value, dtype=dtype)
        except (TypeError, ValueError, OverflowError) as error:
            raise BadInput(f"{self.name}: {name} are not numbers.", _RELOAD) from error
        if array.ndim != len(shape) or any(n not in (m, -1) for n, m in zip(shape, array.shape, strict=True)):
            what = f"{self.name}: {name} have the shape {array.shape}, expected {shape} (-1 = any)."
            raise BadInput(what, _RELOAD)
        if array is value or array.base is not None:
            array = array.view()  # the caller's own array stays writable
        array.flags.writeable = False
        object.__setattr__(self, name, array)  # the documented way to normalise a frozen dataclass
        return array

    def with_warnings(self, warnings: Iterable[str]) -> Target:
        """The same target with these warnings; trees that were built already are shared."""
        other = replace(self, warnings=tuple(warnings))
        other._cache.update(self._cache)
        return other

    # ------------------------------------------------------------------------------------------ what it is

    @property
    def is_cloud(self) -> bool:
        return self.faces is None

    @property
    def bounds(self) -> Floats:
        """Axis-aligned box [2, 3] around the surface (lowest, highest corner)."""
        return self.cached("bounds", self._bounds)

    def _bounds(self) -> Floats:
        used = self.vertices
        if self.faces is not None:
            named = np.zeros(len(used), dtype=bool)
            named[self.faces] = True
            used = used[named]
        return np.stack(topology.box(used))

    @property
    def center(self) -> Floats:
        """Middle of the box [3]."""
        low, high = self.bounds
        return low + 0.5 * (high - low)

    @property
    def diagonal(self) -> float:
        """Length of the box's diagonal, the yardstick of relative distances; never 0."""
        low, high = self.bounds
        return float(np.linalg.norm(high - low)) or 1.0

    @property
    def unit_guess(self) -> str:
        """The file's unit, or the one that gives the object the most usual size ("" if none does)."""
        return self.unit or guess_unit(self.diagonal)

    @property
    def size_text(self) -> str:
        """Size and unit for a person, as in ``0.42 × 0.40 × 0.91 m`` or ``420 × 400 × 910 (mm?)``."""
        low, high = self.bounds
        size = " × ".join(f"{v:.3g}" if v < 1000 else f"{v:,.0f}" for v in high - low)
        if self.unit:
            return f"{size} {self.unit}"
        guess = self.unit_guess
        return f"{size} ({guess}?)" if guess else size

    @property
    def digest(self) -> str:
        """SHA-256 of the geometry, for targets that never were a file."""
        return self.cached("digest", self._digest)

    def _digest(self) -> str:
        import hashlib

        content = hashlib.sha256()
        for name in ("vertices", "faces", "normals", "part_labels"):
            array = getattr(self, name)
            content.update(f"{name} {None if array is None else array.shape};".encode())
            if array is not None:
                content.update(array)
        return content.hexdigest()

    # -------------------------------------------------------------------------------------------- geometry

    def cached(self, name: str, make: Callable[[], Any]) -> Any:
        """``make()``, computed once and kept with the target under ``name``."""
        if name not in self._cache:
            with self._lock:
                if name not in self._cache:
                    self._cache[name] = make()
        return self._cache[name]

    def _local(self, points: ArrayLike) -> Floats:
        points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        return np.ascontiguousarray((points - self.center) / self.diagonal)

    def _outward(self) -> tuple[Floats, topology.Outward]:
        assert self.faces is not None

        def make() -> tuple[Floats, topology.Outward]:
            local = self._local(self.vertices)
            return local, topology.outward(local, self.faces, winding_number)

        return self.cached("outward", make)

    def _tree(self, check: Check | None = None) -> MeshTree:
        local, surface = self._outward()
        return self.cached("tree", lambda: MeshTree(local, surface.faces, check))

    def _points_tree(self) -> Any:
        from scipy.spatial import cKDTree

        return self.cached("points_tree", lambda: cKDTree(self._local(self.vertices)))

    @property
    def turned_faces(self) -> int:
        """Faces that point inwards in the file (0 for a cloud); all queries use them turned outwards."""
        return 0 if self.faces is None else self._outward()[1].turned

    @property
    def area(self) -> float:
        """Surface area, every triangle counted once; 0 for a cloud."""
        return 0.0 if self.faces is None else float(self._areas()[-1]) * self.diagonal**2

    def _areas(self) -> Floats:
        """Running sum of the areas of the outward faces, in local units."""
        local, surface = self._outward()
        return self.cached("areas", lambda: np.cumsum(topology.face_geometry(local, surface.faces)[0]))

    def sample(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """``n`` points on the surface with unit normals, in random order -> ([n, 3], [n, 3]).

        Mesh: uniform by area, one point from each of n equal shares of the area, so that the scatter is less
        than that of independent points; normals face outwards. Cloud: its own points, each used once before
        any is used twice; normals are the file's, or estimated from 16 neighbours and turned outwards.
        """
        points, normals, _ = self.sample_faces(n, rng)
        if normals is None:
            from methods.superquadrics.cloud_normals import estimate_normals

            local = self._local(points)
            normals = estimate_normals(local, self._points_tree())
        return points, normals

    def sample_faces(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats | None, Integers]:
        """As :meth:`sample`, with the face (mesh) or vertex (cloud) [n] each point came from.

        Normals are None for a cloud without them.
        """
        if self.faces is None:
            rounds = [rng.permutation(len(self.vertices)) for _ in range(n // len(self.vertices))]
            rest = n % len(self.vertices)
            rounds.append(rng.choice(len(self.vertices), rest, replace=False, shuffle=True))
            chosen = np.concatenate(rounds)
            return self.vertices[chosen], None if self.normals is None else self.normals[chosen], chosen
        local, surface = self._outward()
        running = self._areas()
        if not len(running):
            raise BadInput(f"{self.name} has no surface: every face is degenerate.", "Export it again.")
        at = (np.arange(n) + rng.random(n)) / max(n, 1) * running[-1]
        chosen = np.minimum(np.searchsorted(running, at, side="right"), len(running) - 1)
        chosen = rng.permutation(chosen)
        u, v = np.sqrt(rng.random((n, 1))), rng.random((n, 1))
        a, b, c = (local[surface.faces[chosen, i]] for i in range(3))
        points = (1.0 - u) * a + u * (1.0 - v) * b + u * v * c
        normals = np.cross(b - a, c - a)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        return points * self.diagonal + self.center, normals, surface.source[chosen]

    def sample_outer(
        self, n: int, rng: np.random.Generator, *, check: Check | None = None
    ) -> tuple[Floats, Floats, float]:
        """As :meth:`sample`, from the outer surface only -> points [n, 3], normals [n, 3], hidden share.

        Where components of a solid overlap or touch, their walls inside the solid are left out; the share of
        the surface that they make up is the third value. Clouds and open surfaces have nothing hidden.
        """
        if not self.is_solid:
            return *self.sample(n, rng), 0.0
        found: list[tuple[Floats, Floats]] = []
        have = tried = 0
        while have < n and tried < 20 * n:
            points, normals = self.sample(n if not tried else max(n // 2, 64), rng)
            outside = ~self.occupancy(points + normals * (_SOLID_DEPTH * self.diagonal), check=check)
            found.append((points[outside], normals[outside]))
            have += int(outside.sum())
            tried += len(points)
        if have < n:  # nearly everything is hidden, or faces point the wrong way
            return *self.sample(n, rng), 0.0
        points, normals = (np.concatenate(column)[:n] for column in zip(*found, strict=True))
        return points, normals, 1.0 - have / tried

    def winding(self, points: ArrayLike, *, check: Check | None = None) -> Floats:
        """Generalised winding number [N] of points [N, 3]: about 1 inside, 0 outside.

        Overlapping components add up; holes are closed by the smoothest surface.

        Raises:
            BadInput: a point cloud has no inside.
        """
        self._must_have_inside()
        return self._tree(check).winding(self._local(points), check)

    def occupancy(self, points: ArrayLike, *, check: Check | None = None) -> NDArray[np.bool_]:
        """Whether each point [N, 3] lies inside the solid -> bool [N]; see :meth:`winding`."""
        self._must_have_inside()
        return self._tree(check).inside(self._local(points), check)

    def _must_have_inside(self) -> None:
        if self.faces is None:
            raise BadInput(f"{self.name} is a point cloud; it has no inside.", "Use distances, or a mesh.")

    def distance(self, points: ArrayLike, *, check: Check | None = None) -> Floats:
        """Exact distance [N] of points [N, 3] to the nearest surface point (mesh) or point (cloud)."""
        return self.nearest(points, check=check)[0]

    def nearest(self, points: ArrayLike, *, check: Check | None = None) -> tuple[Floats, Floats, Integers]:
        """Distance [N], nearest surface point [N, 3] and its face (mesh) or vertex (cloud) [N]."""
        local = self._local(points)
        if self.faces is None:
            distance, vertex = _nearest_of(self._points_tree(), local, check)
            return distance * self.diagonal, self.vertices[vertex], vertex
        distance, face, foot = self._tree(check).nearest(local, check)
        source = self._outward()[1].source
        return distance * self.diagonal, foot * self.diagonal + self.center, source[face]

    def signed_distance(self, points: ArrayLike, *, check: Check | None = None) -> Floats:
        """Distance [N], negative inside; BadInput for a point cloud."""
        inside = self.occupancy(points, check=check)
        distance = self.distance(points, check=check)
        return np.where(inside, -distance, distance)

    @property
    def is_solid(self) -> bool:
        """Whether the mesh encloses a volume, so that occupancy and IoU mean something."""
        return self.cached("is_solid", self._is_solid)

    def _is_solid(self) -> bool:
        if self.faces is None:
            return False
        surface = self._outward()[1]
        if not surface.open_edges:
            return surface.volume > _LEAST_VOLUME
        points, normals, _ = self.sample_faces(_SOLID_PROBES, np.random.default_rng(0))
        below = self._tree().winding(
            self._local(points - normals * (_SOLID_DEPTH * self.diagonal)), accuracy=COARSE
        )
        return float((below > 0.75).mean()) >= SOLID_SHARE


def _nearest_of(tree: Any, points: Floats, check: Check | None) -> tuple[Floats, Integers]:
    distance, index = np.empty(len(points)), np.empty(len(points), dtype=np.int64)
    step = 20_000  # scipy gives the lock free meanwhile; slices are only for cancelling
    for start in range(0, len(points), step):
        if check is not None:
            check()
        part = slice(start, start + step)
        distance[part], index[part] = tree.query(points[part])
    return distance, index


def guess_unit(diagonal: float) -> str:
    """The unit that makes a diagonal of this many units an object of usual size; "" beyond all of them.

    >>> guess_unit(1.1), guess_unit(1100.0), guess_unit(1e7)
    ('m', 'mm', '')
    """
    if not diagonal > 0:
        return ""
    score, unit = min(
        (abs(np.log10(diagonal * metres / _USUAL_SIZE)) + _RARITY[unit], unit)
        for unit, metres in METRES.items()
    )
    return unit if score < 2.0 else ""
