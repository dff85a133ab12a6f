"""From a shape to the objects a 3D scene draws: meshes in each part's own frame, re-made only when needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.views.scene3d import SceneObject
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.surface import part_mesh

FINE = 32
COARSE = 16
"""Resolution while many parts are reshaped at once: half the edge length costs a quarter of the triangles."""

IDENTITY = (1.0, 0.0, 0.0, 0.0)
ORIGIN = (0.0, 0.0, 0.0)

Mesh = tuple[np.ndarray, np.ndarray, np.ndarray]


class SceneContent:
    """Remembers the mesh of every part, so that moving a part costs a matrix and nothing else."""

    def __init__(self) -> None:
        self._meshes: dict[int, tuple[object, Mesh]] = {}
        self._drawn: dict[int, Superquadric] = {}

    def objects(self, shape: Shape, solo: frozenset[int] = frozenset()) -> list[SceneObject]:
        """Every part of ``shape`` as a scene object; with ``solo``, only those are visible."""
        ids = {part.id for part in shape.parts}
        self._meshes = {i: entry for i, entry in self._meshes.items() if i in ids}
        self._drawn = {part.id: part for part in shape.parts}
        return [self._object(part, solo) for part in shape.parts]

    def changes(self, shape: Shape, solo: frozenset[int] = frozenset()) -> Iterator[SceneObject] | None:
        """Only the objects that differ from the last drawing; None when parts came or went."""
        if [part.id for part in shape.parts] != list(self._drawn):
            return None
        changed = [part for part in shape.parts if part != self._drawn[part.id]]
        self._drawn |= {part.id: part for part in changed}
        return (self._object(part, solo) for part in changed)

    def _object(self, part: Superquadric, solo: frozenset[int]) -> SceneObject:
        vertices, faces, normals = self._mesh(part)
        transform = np.eye(4)
        transform[:3, :3] = part.rotation_matrix()
        transform[:3, 3] = part.translation
        return SceneObject(
            id=part.id,
            vertices=vertices,
            faces=faces,
            normals=normals,
            color=part.color,
            visible=part.visible and (not solo or part.id in solo),
            locked=part.locked,
            transform=transform,
        )

    def _mesh(self, part: Superquadric) -> Mesh:
        key = (part.size, part.exponents, part.taper)
        known = self._meshes.get(part.id)
        if known is not None and known[0] == key:
            return known[1]
        vertices, faces, normals = part_mesh(replace(part, translation=ORIGIN, rotation=IDENTITY), FINE)
        mesh = (vertices.astype(np.float32), faces, normals.astype(np.float32))
        self._meshes[part.id] = (key, mesh)
        return mesh
