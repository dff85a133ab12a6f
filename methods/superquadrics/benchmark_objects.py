"""Measures whole-object fits: ``python -m methods.superquadrics.benchmark_objects [quick|all]``.

Figures are against the original mesh: IoU by Monte Carlo in the joint box, both directional mean distances
(to the exact nearest surface for fit to target, to a dense mesh of the union for target to fit) over the
bounding box's diagonal, and their mean.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from methods.core.context import Context
from methods.superquadrics.fit_object import fit_object
from methods.superquadrics.model import Shape
from methods.superquadrics.target import Target
from methods.superquadrics.union import occupancy, sample_union

SHARED = Path(os.environ.get("STUDIOLO_SHARED", "../shared"))
FURNITURE = ("chair", "desk", "lamp", "square_table")


@dataclass(frozen=True)
class Figures:
    name: str
    parts: int
    iou: float | None
    chamfer_rel: float
    fit_to_target: float
    target_to_fit: float
    cpu: float
    wall: float
    warnings: tuple[str, ...] = ()

    def line(self) -> str:
        iou = "  -  " if self.iou is None else f"{self.iou:.3f}"
        return (
            f"{self.name:<26} {self.parts:>3} {iou:>6} {100 * self.chamfer_rel:>6.2f} "
            f"{100 * self.fit_to_target:>6.2f} {100 * self.target_to_fit:>6.2f} {self.cpu:>6.2f} {self.wall:>6.2f}  "
            + "; ".join(self.warnings)
        )


HEADER = (
    f"{'target':<26} {'K':>3} {'IoU':>6} {'CD %':>6} {'f->t %':>6} {'t->f %':>6} {'CPU s':>6} {'wall s':>6}"
)


def measure(name: str, target: Target, seed: int = 0, truth: Target | None = None) -> tuple[Figures, Shape]:
    """Fit and figures; ``truth`` is what to compare with when the target is a damaged copy of it."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = fit_object(target, Context(seed=seed))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    truth = truth or target
    iou, back, forth = compare(found.shape, truth)
    return Figures(
        name, len(found.shape), iou, 0.5 * (back + forth), back, forth, cpu, wall, found.warnings
    ), found.shape


def compare(shape: Shape, target: Target, points: int = 20_000) -> tuple[float | None, float, float]:
    """IoU (None without inside), mean distance fit to target and target to fit, over the diagonal."""
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(12345)
    on_fit = sample_union(shape, 5 * points, rng)[0]
    on_target = target.sample(points, rng)[0]
    back = float(target.distance(on_fit[:points]).mean()) / target.diagonal
    forth = float(cKDTree(on_fit).query(on_target)[0].mean()) / target.diagonal
    if not target.is_solid:
        return None, back, forth
    boxes = np.stack([shape.bounds(), target.bounds])
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    random = low + (high - low) * rng.random((100_000, 3))
    a, b = occupancy(shape, random), target.occupancy(random)
    return float((a & b).sum() / max((a | b).sum(), 1)), back, forth


# ------------------------------------------------------------------------------------------- procedural


def mesh_target(mesh: object, name: str = "mesh") -> Target:
    return Target(name, np.asarray(mesh.vertices), np.asarray(mesh.faces))  # type: ignore[attr-defined]


def _box(size: object, at: object = (0, 0, 0)) -> object:
    import trimesh

    return trimesh.creation.box(size, transform=trimesh.transformations.translation_matrix(at))


def _turned(mesh: object, rng: np.random.Generator, noise: float = 0.0) -> object:
    import trimesh

    q = rng.normal(size=4)
    mesh.apply_transform(trimesh.transformations.quaternion_matrix(q / np.linalg.norm(q)))  # type: ignore[attr-defined]
    if noise:
        mesh.vertices = mesh.vertices + rng.normal(size=mesh.vertices.shape) * noise * mesh.scale  # type: ignore
    return mesh


def table(
    leg: float, rng: np.random.Generator, *, union: bool, turned: bool = True, noise: float = 0.0
) -> Target:
    """Top 1 x 1 x .06 (proportions vary with the generator) on four square legs: five true parts."""
    import trimesh

    wide, deep = rng.uniform(0.7, 1.3, 2)
    high, thick = rng.uniform(0.45, 0.9), rng.uniform(0.04, 0.09)
    inset = leg / 2 + rng.uniform(0.0, 0.08)
    boxes = [_box((wide, deep, thick), (0, 0, high))]
    for sx in (-1, 1):
        for sy in (-1, 1):
            lift = thick if union else thick / 2
            top = high - thick / 2 + (lift - thick / 2)
            boxes.append(_box((leg, leg, top), (sx * (wide / 2 - inset), sy * (deep / 2 - inset), top / 2)))
    mesh = trimesh.boolean.union(boxes, engine="manifold") if union else trimesh.util.concatenate(boxes)
    if noise:
        for _ in range(3):
            mesh = mesh.subdivide()
    return mesh_target(_turned(mesh, rng, noise) if turned else mesh, f"table {leg}")


def look_alikes(rng: np.random.Generator) -> Iterator[tuple[str, Target]]:
    """Procedural furniture of the kinds a fit will meet."""
    import trimesh

    def union(parts: list) -> object:
        return trimesh.boolean.union(parts, engine="manifold")

    def hollow(outer: tuple, wall: float, at: tuple = (0, 0, 0)) -> object:
        inner = (outer[0] - 2 * wall, outer[1] - 2 * wall, outer[2])
        return trimesh.boolean.difference(
            [_box(outer, at), _box(inner, np.add(at, (0, 0, wall)))], engine="manifold"
        )

    yield "open box, wall 2 %", mesh_target(hollow((1, 0.8, 0.5), 0.02))
    yield "open box, wall 1 %, turned", mesh_target(_turned(hollow((1, 0.8, 0.5), 0.01), rng))
    body = trimesh.boolean.difference(
        [_box((0.8, 0.4, 1.0)), _box((0.76, 0.4, 0.96), (0, 0.02, 0))], engine="manifold"
    )
    doors = [_box((0.37, 0.02, 0.94), (s * 0.19, 0.21, 0)) for s in (-1, 1)]
    knobs = [trimesh.creation.icosphere(2, 0.02).apply_translation((s * 0.04, 0.235, 0)) for s in (-1, 1)]
    yield "cabinet with doors", mesh_target(trimesh.util.concatenate([body, *doors, *knobs]))
    drawer = [
        hollow((0.5, 0.4, 0.2), 0.012),
        _box((0.56, 0.02, 0.26), (0, -0.21, 0.02)),
        _box((0.1, 0.03, 0.02), (0, -0.235, 0.02)),
    ]
    yield "drawer", mesh_target(union(drawer))
    cylinder = trimesh.creation.cylinder
    round_table = [
        cylinder(0.5, 0.05, sections=64).apply_translation((0, 0, 0.7)),
        cylinder(0.05, 0.66, sections=32).apply_translation((0, 0, 0.36)),
        cylinder(0.25, 0.04, sections=48).apply_translation((0, 0, 0.02)),
    ]
    yield "round table", mesh_target(union(round_table))
    stool = [cylinder(0.2, 0.05, sections=48).apply_translation((0, 0, 0.5))]
    for k in range(4):
        turn = trimesh.transformations.rotation_matrix(np.pi / 2 * k + np.pi / 4, (0, 0, 1))
        lean = trimesh.transformations.rotation_matrix(0.2, (0, 1, 0))
        leg = cylinder(0.022, 0.52, sections=24)
        leg.apply_transform(lean).apply_translation((-0.18, 0, 0.25)).apply_transform(turn)
        stool.append(leg)
    yield "stool, tilted legs", mesh_target(union(stool))
    yield "stool, turned", mesh_target(_turned(union(stool), rng))
    shelf = [_box((0.02, 0.3, 1.2), (s * 0.4, 0, 0.6)) for s in (-1, 1)]
    shelf += [_box((0.8, 0.3, 0.02), (0, 0, z)) for z in (0.02, 0.3, 0.6, 0.9, 1.18)]
    yield "shelf", mesh_target(union(shelf))
    yield "conical shell", mesh_target(cone_shell(0.35, 0.2, 0.4, 0.02))
    lamp = [
        cone_shell(0.3, 0.18, 0.3, 0.015),
        cylinder(0.03, 0.6).apply_translation((0, 0, -0.2)),
        cylinder(0.2, 0.05).apply_translation((0, 0, -0.5)),
    ]
    yield "lamp look-alike", mesh_target(trimesh.util.concatenate(lamp))
    chair = [_box((0.45, 0.45, 0.04), (0, 0, 0.45)), _box((0.45, 0.03, 0.5), (0, 0.21, 0.72))]
    chair += [_box((0.04, 0.04, 0.45), (sx * 0.2, sy * 0.2, 0.22)) for sx in (-1, 1) for sy in (-1, 1)]
    yield "chair look-alike", mesh_target(_turned(union(chair), rng))


def cone_shell(bottom: float, top: float, height: float, wall: float, sections: int = 64) -> object:
    """Closed thin conical wall, open at both ends."""
    import trimesh

    outline = np.array([[bottom, 0], [top, height], [top - wall, height], [bottom - wall, 0], [bottom, 0]])
    return trimesh.creation.revolve(outline, sections=sections)


def broken(rng: np.random.Generator) -> Iterator[tuple[str, Target, Target | None]]:
    """Damaged or incomplete targets, with what they should have been."""
    import trimesh

    cube = _box((1, 0.7, 0.5))
    whole = mesh_target(cube)
    yield "box minus 2 faces", Target("open", cube.vertices, cube.faces[2:]), whole
    yield "box inside out", Target("inverted", cube.vertices, cube.faces[:, ::-1]), whole
    yield "box, faces twice", Target("twice", cube.vertices, np.concatenate([cube.faces, cube.faces])), whole
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 0.6, 0], [0, 0.6, 0]], float)
    yield "single sheet", Target("sheet", square, np.array([[0, 1, 2], [0, 2, 3]])), None
    yield "single triangle", Target("triangle", square[:3], np.array([[0, 1, 2]])), None
    two = trimesh.util.concatenate([_box((1, 1, 0.1)), _box((0.3, 0.3, 0.3), (0, 0, 2))])
    yield "two components", mesh_target(two), None
    whole = table(0.06, np.random.default_rng(1), union=True, turned=False)
    for n, noise in ((4000, 0.0), (4000, 0.01), (4000, 0.02), (1000, 0.005)):
        points, normals = whole.sample(n, rng)
        points = points + rng.normal(size=points.shape) * noise * whole.diagonal
        yield f"table cloud {n}, {100 * noise:g} %, normals", Target("cloud", points, normals=normals), whole
        yield f"table cloud {n}, {100 * noise:g} %", Target("cloud", points), whole
    yield "three points", Target("three", rng.normal(size=(3, 3))), None
    yield "one point", Target("one", np.ones((1, 3))), None
    yield "points on a line", Target("line", np.outer(np.linspace(0, 1, 50), [1.0, 2.0, 3.0])), None


def rows(which: str = "all") -> Iterator[str]:
    """The lines of the report, as they are measured."""
    from methods.superquadrics.loading import load_target

    yield HEADER
    if which in ("all", "furniture"):
        for name in FURNITURE:
            path = SHARED / "data/meshes" / f"{name}.glb"
            if path.exists():
                yield measure(name, load_target(path))[0].line()
    if which in ("all", "tables"):
        for leg in (0.12, 0.06, 0.03):
            for union in (False, True):
                for noise in (0.0, 0.002):
                    counts: list[int] = []
                    cpu = time.process_time()
                    worst = 1.0
                    for seed in range(6):
                        target = table(leg, np.random.default_rng(seed), union=union, noise=noise)
                        figures, _ = measure("", target, seed)
                        counts.append(figures.parts)
                        worst = min(worst, figures.iou or 0.0)
                    cpu = (time.process_time() - cpu) / len(counts)
                    kind = "union" if union else "boxes"
                    name = f"table leg {leg} {kind} noise {noise}"
                    yield f"{name}: parts {counts}, worst IoU {worst:.3f}, {cpu:.1f} s each"
    if which in ("all", "look_alikes"):
        for name, target in look_alikes(np.random.default_rng(7)):
            yield measure(name, target)[0].line()
    if which in ("all", "broken"):
        for name, target, truth in broken(np.random.default_rng(3)):
            yield measure(name, target, truth=truth)[0].line()
    if which in ("all", "random_parts"):
        for path in sorted((SHARED / "data/meshes/random_parts").glob("*.obj")):
            yield measure(path.name, load_target(path))[0].line()


def main() -> None:
    for line in rows(*sys.argv[1:2]):
        print(line, flush=True)


if __name__ == "__main__":
    main()
