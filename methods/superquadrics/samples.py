"""Makes the bundled samples: ``python -m methods.superquadrics.samples`` writes them again, always the same.

A stool, a side table and a toy plane as meshes, and a chair as a noisy scan with a missing side. All of them
are ours (CC0): turned, lofted and bevelled solids, not superquadrics, so that a fit has something to do.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from methods.core.declaration import ASSETS
from methods.superquadrics.export import MeshObject, save_mesh, save_points
from methods.superquadrics.model import PALETTE

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mesh = tuple[Floats, Integers]

FOLDER = ASSETS / "samples" / "superquadrics"
SCAN_POINTS = 12_000
_SCAN_NOISE = 0.0015
_SCAN_CAMERAS = ((1.6, 1.4, 1.3), (1.9, -0.7, 0.9), (0.4, 1.9, 0.5))
_AROUND = 40


# ------------------------------------------------------------------------------------------------ solids


def loft(rings: ArrayLike) -> Mesh:
    """Closed solid through rings of points [R, N, 3], anticlockwise when the rings' axis points at you."""
    rings = np.asarray(rings, dtype=np.float64)
    count, around = rings.shape[:2]
    k = np.arange(around)
    following = (k + 1) % around
    faces = []
    for row in range(count - 1):
        a, b = row * around + k, row * around + following
        faces += [np.stack([a, b, b + around], 1), np.stack([a, b + around, a + around], 1)]
    first, last = count * around, count * around + 1
    top = (count - 1) * around
    faces += [np.stack([np.full(around, first), following, k], 1)]
    faces += [np.stack([np.full(around, last), top + k, top + following], 1)]
    ends = np.stack([rings[0].mean(axis=0), rings[-1].mean(axis=0)])
    return np.concatenate([rings.reshape(-1, 3), ends]), np.concatenate(faces)


def turned(profile: Sequence[tuple[float, float]], around: int = _AROUND) -> Mesh:
    """Solid of revolution about z from (radius, height) pairs going up."""
    angle = np.arange(around) * 2 * np.pi / around
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(around)], axis=1)
    return loft([ring * r + (0, 0, z) for r, z in profile])


def rounded_box(size: Sequence[float], corner: float, bevel: float, steps: int = 5) -> Mesh:
    """Box with rounded vertical edges and bevelled rims, centred."""
    x, y, z = (s / 2 for s in size)
    quarter = np.linspace(0, np.pi / 2, steps)

    def ring(inset: float, height: float) -> Floats:
        radius = max(corner - inset, 1e-4 * min(size))
        points = []
        for turn, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
            angle = quarter + turn * np.pi / 2
            middle = (sx * (x - inset - radius), sy * (y - inset - radius))
            points.append(
                np.stack([middle[0] + radius * np.cos(angle), middle[1] + radius * np.sin(angle)], 1)
            )
        flat = np.concatenate(points)
        return np.concatenate([flat, np.full((len(flat), 1), height)], axis=1)

    rim = [(bevel * (1 - np.sin(a)), z - bevel * (1 - np.cos(a))) for a in quarter]
    return loft([ring(i, -h) for i, h in rim] + [ring(i, h) for i, h in reversed(rim)])


def along(start: ArrayLike, end: ArrayLike, profile: Sequence[tuple[float, float]], around: int = 24) -> Mesh:
    """Turned solid between two points; heights of the profile run from 0 to 1."""
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    axis = end - start
    length = float(np.linalg.norm(axis))
    vertices, faces = turned([(r, h * length) for r, h in profile], around)
    z = axis / length
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0), z)
    x /= np.linalg.norm(x)
    return vertices @ np.stack([x, np.cross(z, x), z]) + start, faces


def moved(mesh: Mesh, by: ArrayLike) -> Mesh:
    return mesh[0] + np.asarray(by), mesh[1]


def _parts(named: dict[str, Mesh], unit: str) -> list[MeshObject]:
    return [
        MeshObject(name, vertices, faces, None, PALETTE[i % len(PALETTE)], unit)
        for i, (name, (vertices, faces)) in enumerate(named.items())
    ]


# ------------------------------------------------------------------------------------------------ shapes


def stool() -> list[MeshObject]:
    """Three splayed legs, a dished round seat and a ring of rails; metres."""
    seat = turned([
        (0.150, 0.425), (0.168, 0.429), (0.176, 0.438), (0.178, 0.448), (0.174, 0.457), (0.163, 0.462),
        (0.140, 0.460), (0.100, 0.454), (0.050, 0.451), (0.012, 0.450),
    ])  # fmt: skip
    leg = [
        (0.010, 0.0),
        (0.0125, 0.01),
        (0.0165, 0.3),
        (0.0195, 0.55),
        (0.0185, 0.8),
        (0.0155, 0.97),
        (0.012, 1),
    ]
    rail = [(0.006, 0.0), (0.008, 0.06), (0.0105, 0.5), (0.008, 0.94), (0.006, 1.0)]
    named, tops, feet = {"seat": seat}, [], []
    for i in range(3):
        angle = np.pi / 2 + i * 2 * np.pi / 3
        direction = np.array([np.cos(angle), np.sin(angle), 0.0])
        tops.append(direction * 0.110 + (0, 0, 0.440))
        feet.append(direction * 0.205)
        named[f"leg {i + 1}"] = along(feet[-1], tops[-1], leg)
    for i in range(3):
        k = (i + 1) % 3
        share = 0.30 + 0.07 * i  # at three heights, so that the joints do not weaken each other
        start, end = (feet[j] + share * (tops[j] - feet[j]) for j in (i, k))
        named[f"rail {i + 1}"] = along(start, end, rail, 18)
    return _parts(named, "m")


def side_table() -> list[MeshObject]:
    """A bedside table with one drawer; millimetres."""
    named = {
        "top": moved(rounded_box((460, 400, 24), 40, 8, 7), (0, 0, 548)),
        "case": moved(rounded_box((400, 340, 130), 8, 3), (0, 0, 472)),
        "drawer front": moved(rounded_box((340, 22, 92), 6, 4), (0, -178, 470)),
    }
    knob = [(6, 0), (6, 10), (5, 14), (8, 18), (14, 22), (17, 28), (16, 34), (11, 39), (4, 41)]
    vertices, faces = turned(knob, 32)
    named["knob"] = vertices @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]) + (0, -186, 470), faces
    k = np.arange(4) * np.pi / 2 + np.pi / 4
    for i, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        rings = []
        for height, half in ((0, 11), (6, 13), (200, 17), (430, 22), (500, 22)):
            middle = np.array([sx * (168 + (430 - height) * 0.04), sy * (138 + (430 - height) * 0.035)])
            turn = np.concatenate([k[:, None] - 0.12, k[:, None] + 0.12], axis=1).reshape(-1)
            ring = middle + half * np.sqrt(2) * np.stack([np.cos(turn), np.sin(turn)], axis=1)
            rings.append(np.concatenate([ring, np.full((8, 1), height)], axis=1))
        named[f"leg {i + 1}"] = loft(rings)
    return _parts(named, "mm")


def toy_plane() -> list[MeshObject]:
    """A wooden toy plane, nose towards +x; millimetres."""
    angle = np.arange(_AROUND) * 2 * np.pi / _AROUND

    def hull(x: float, width: float, height: float, z: float) -> Floats:
        """Cross section across x."""
        return np.stack([np.full(_AROUND, x), width * np.cos(angle), z + height * np.sin(angle)], axis=1)

    def wing(stations: Sequence[tuple[float, float, float, float, float]], upright: bool = False) -> Mesh:
        """Sections (span, middle, chord, thickness, rise), rounded in front and thin behind."""
        t = np.arange(28) * 2 * np.pi / 28
        rings = []
        for span, middle, chord, thickness, rise in stations:
            x = middle + 0.5 * chord * np.cos(t)
            lift = 0.5 * thickness * np.sin(t) * (0.72 + 0.28 * np.cos(t))
            across = np.full(28, span)
            columns = [x, lift + rise, across] if upright else [x, across, lift + rise]
            rings.append(np.stack(columns, axis=1))
        return loft(rings if upright else rings[::-1])

    body = [
        (-118, 4, 5, 10), (-114, 6, 8, 10), (-90, 10, 13, 8), (-50, 16, 19, 5), (-10, 21, 23, 2),
        (30, 23, 24, 0), (60, 22, 23, 0), (80, 20, 20, 0), (92, 15, 15, 0), (96, 10, 10, 0),
    ]  # fmt: skip
    spans = [(-1.0, 20, 4), (-0.985, 34, 6), (-0.9, 44, 7.5), (-0.5, 54, 10), (0.0, 60, 12)]
    spans += [(-s, c, t) for s, c, t in spans[-2::-1]]
    named = {
        "fuselage": loft([hull(*section) for section in body]),
        "wing": wing([(150 * s, 24 - 10 * abs(s), c, t, 4 + 14 * abs(s)) for s, c, t in spans]),
        "tailplane": wing([(58 * s, -100 - 4 * abs(s), 0.62 * c, 0.6 * t, 12) for s, c, t in spans]),
        "fin": wing(
            [(8, -98, 38, 7, 0), (30, -102, 32, 6, 0), (48, -106, 24, 5, 0), (53, -107, 14, 3, 0)],
            upright=True,
        ),
        "canopy": moved(turned([(3, 22.5), (9, 21), (13.5, 17), (16, 10), (16.5, 0)][::-1], 32), (8, 0, 17)),
        "spinner": along((92, 0, 0), (116, 0, 0), [(9.5, 0), (9.5, 0.3), (7.5, 0.62), (4, 0.9), (1, 1)], 28),
    }
    blade = []
    for r, chord, twist in ((4, 8, 0.9), (14, 11, 0.75), (30, 13, 0.5), (44, 11, 0.35), (52, 5, 0.3)):
        flat = np.stack([1.4 * np.sin(angle[::2]), 0.5 * chord * np.cos(angle[::2])], axis=1)
        c, s = math.cos(twist), math.sin(twist)
        turned_flat = flat @ np.array([[c, s], [-s, c]])
        blade.append(np.concatenate([turned_flat + np.array([102, 0]), np.full((len(flat), 1), r)], axis=1))
    for i, sign in enumerate((1, -1)):
        rings = [ring * (1, sign, sign) for ring in blade]
        named[f"blade {i + 1}"] = _outward(loft(rings))
    tyre = [(5, -5), (12, -5.5), (15.5, -4), (17, 0), (15.5, 4), (12, 5.5), (5, 5)]
    for name, y in (("left", 34), ("right", -34)):
        vertices, faces = turned(tyre, 32)
        named[f"{name} wheel"] = vertices @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]) + (46, y, -40), faces
        strut = [(2.6, 0), (2.6, 1)]
        named[f"{name} strut"] = along((46, y, -40), (40, math.copysign(16, y), -8), strut, 14)
    return _parts(named, "mm")


def _outward(mesh: Mesh) -> Mesh:
    vertices, faces = mesh
    corners = vertices[faces]
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum()
    return vertices, faces if volume > 0 else faces[:, ::-1]


def chair() -> list[MeshObject]:
    """The chair that is scanned; metres, front towards +y."""
    seat = moved(rounded_box((0.44, 0.42, 0.04), 0.06, 0.012, 7), (0, 0, 0.45))
    named = {"seat": seat}
    leg = [(0.013, 0.0), (0.015, 0.02), (0.021, 0.7), (0.021, 1.0)]
    for i, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        named[f"leg {i + 1}"] = along((sx * 0.205, sy * 0.19, 0), (sx * 0.175, sy * 0.165, 0.44), leg)
    for name, sx in (("left post", -1), ("right post", 1)):
        named[name] = along(
            (sx * 0.175, -0.175, 0.45), (sx * 0.19, -0.235, 0.86), [(0.018, 0), (0.014, 1)], 20
        )
    rings = []
    for share in np.linspace(-1, 1, 15):
        y, z = -0.232 - 0.035 * (1 - share**2), 0.775
        t = np.arange(20) * 2 * np.pi / 20
        taper = min(1.0, (1.03 - abs(share)) * 8) ** 0.5
        ring = [np.full(20, 0.2 * share), y + 0.011 * taper * np.cos(t), z + 0.075 * taper * np.sin(t)]
        rings.append(np.stack(ring, axis=1))
    named["backrest"] = _outward(loft(rings))
    return _parts(named, "m")


def chair_scan(points: int = SCAN_POINTS) -> tuple[Floats, None]:
    """What three cameras in front and to the right see of the chair, with noise and some stray points."""
    import igl

    from methods.superquadrics.target import Target

    objects = chair()
    starts = np.cumsum([0] + [len(o.vertices) for o in objects])
    vertices = np.concatenate([o.vertices for o in objects])
    faces = np.concatenate([o.faces + start for o, start in zip(objects, starts, strict=False)])
    rng = np.random.default_rng(7)
    tree = igl.AABB()
    tree.init(vertices, faces)
    surface, normals = Target("chair", vertices, faces).sample(8 * points, rng)
    seen = np.zeros(len(surface), dtype=bool)
    for camera in _SCAN_CAMERAS:
        ray = np.array(camera) - surface
        distance = np.linalg.norm(ray, axis=1, keepdims=True)
        facing = np.einsum("ij,ij->i", normals, ray / distance[:, 0, None]) > 0.15
        begin = surface + normals * 1e-4
        hit = tree.intersect_ray_first(
            vertices, faces, np.ascontiguousarray(begin), np.ascontiguousarray(ray)
        )
        blocked = np.asarray(hit[0]) >= 0
        seen |= facing & ~blocked
    kept = surface[seen][: points - points // 200]
    kept = kept + rng.normal(scale=_SCAN_NOISE, size=kept.shape)
    low, high = vertices.min(axis=0) - 0.02, vertices.max(axis=0) + 0.02
    stray = rng.uniform(low, high, (points // 200, 3))
    return rng.permutation(np.concatenate([kept, stray])), None


FILES: dict[str, Callable[[Path], None]] = {
    "stool.glb": lambda path: save_mesh(stool(), path),
    "side_table.obj": lambda path: save_mesh(side_table(), path),
    "toy_plane.stl": lambda path: save_mesh(toy_plane(), path),
    "chair_scan.ply": lambda path: save_points(chair_scan(), path),
}


def write_all(folder: Path = FOLDER) -> list[Path]:
    """Write every sample into ``folder`` and give the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in FILES.items():
        write(folder / name)
    return [folder / name for name in FILES]


if __name__ == "__main__":
    for written in write_all(*map(Path, sys.argv[1:2])):
        print(f"{written}  {written.stat().st_size:,} bytes")
