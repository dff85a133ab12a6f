"""What a scene holds: objects, a target, what is selected, and the coordinates they are drawn in. No Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.views.scene3d.objects import (
    Frame,
    SceneObject,
    checked_mesh,
    checked_normals,
    checked_points,
    checked_transform,
    frame_around,
    rgb,
    thinned,
)
from app.views.scene3d.picking import Pickable

Floats = NDArray[np.float64]

CLIP_MARGIN = 0.01
LEAST_REACH = 4.0
"""Scene units around the camera's centre that are drawn even when nothing is there but the ground."""


@dataclass
class Drawn:
    """An object with its checked arrays, its colours per vertex if any and, once drawn, its buffers."""

    object: SceneObject
    vertices: Floats
    faces: NDArray[np.uint32]
    normals: Any
    buffers: Any = None
    colors: Any = None


@dataclass
class TargetData:
    """The mesh, or with ``faces`` None the cloud, that objects are compared with.

    Attributes:
        chosen: which of the given vertices are drawn.
        total: how many there are in all.
    """

    vertices: Floats
    faces: NDArray[np.uint32] | None
    normals: Any
    chosen: NDArray[np.intp]
    total: int
    buffers: Any = None
    colors: Any = None

    @property
    def summary(self) -> str:
        """What the view says about a cloud; nothing about a mesh."""
        if self.faces is not None:
            return ""
        if self.total > len(self.vertices):
            return f"showing {len(self.vertices):,} of {self.total:,} points"
        return f"{self.total:,} points"


class SceneContents:
    """Checked data and where it stands; knows nothing of how it is drawn."""

    def __init__(self) -> None:
        self.drawn: dict[int, Drawn] = {}
        self.target: TargetData | None = None
        self.selection: tuple[int, ...] = ()
        self.clip: tuple[int, float, bool] | None = None
        self.frame = Frame(np.zeros(3), 1.0)
        self.box: Floats | None = None

    def set_objects(self, objects: Iterable[SceneObject]) -> None:
        """Hold exactly these objects; unchanged meshes keep their buffers."""
        before, self.drawn = self.drawn, {}
        for item in objects:
            self.drawn[item.id] = _checked(item, before.get(item.id))
        self.selection = tuple(i for i in self.selection if i in self.drawn)

    def update_object(self, item: SceneObject) -> None:
        self.drawn[item.id] = _checked(item, self.drawn.get(item.id))

    def set_target(
        self, vertices: ArrayLike, faces: ArrayLike | None, normals: ArrayLike | None, total: int | None
    ) -> None:
        """See :meth:`SceneView.set_target`."""
        if faces is None:
            points = checked_points(vertices)
            chosen = thinned(len(points))
            self.target = TargetData(points[chosen], None, None, chosen, total or len(points))
        else:
            points, triangles = checked_mesh(vertices, faces)
            made = checked_normals(normals, points, triangles)
            self.target = TargetData(points, triangles, made, np.arange(len(points)), len(points))

    def reframe(self) -> None:
        """Choose scene coordinates anew around all there is; the target's buffers follow."""
        self.box = self.box_of(self.drawn.values(), with_target=True)
        frame = frame_around([self.box] if self.box is not None else [])
        if not np.array_equal(frame.origin, self.frame.origin) or frame.scale != self.frame.scale:
            self.frame = frame
            if self.target is not None:
                self.target.buffers = None

    def box_of(self, items: Iterable[Drawn], with_target: bool) -> Floats | None:
        """World box [2, 3] around visible ``items``, and around the target if asked; None around nothing."""
        boxes = []
        for item in items:
            if item.object.visible and len(item.vertices):
                matrix = item.object.transform
                world = item.vertices @ matrix[:3, :3].T + matrix[:3, 3]
                boxes.append(np.stack([world.min(axis=0), world.max(axis=0)]))
        if with_target and self.target is not None and len(self.target.vertices):
            points = self.target.vertices
            boxes.append(np.stack([points.min(axis=0), points.max(axis=0)]))
        if not boxes:
            return None
        return np.stack([np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)])

    def selected(self) -> list[Drawn]:
        return [self.drawn[i] for i in self.selection if i in self.drawn]

    def movable(self) -> bool:
        """Whether anything selected may be moved."""
        return any(not item.object.locked for item in self.selected())

    def selection_place(self) -> tuple[Floats, Floats]:
        """Middle of the selection, and the axes of its last object as columns, in scene coordinates."""
        chosen = self.selected()
        if not chosen:
            return np.zeros(3), np.eye(3)
        centers = [item.object.transform[:3, 3] for item in chosen]
        axes = np.array(chosen[-1].object.transform[:3, :3], float)
        lengths = np.linalg.norm(axes, axis=0)
        return self.frame.to_scene(np.mean(centers, axis=0)), axes / np.where(lengths > 0, lengths, 1)

    def pickables(self) -> list[Pickable]:
        """The visible objects in scene coordinates, for the pointer."""
        return [
            Pickable(item.object.id, item.vertices, item.faces, self.frame.matrix(item.object.transform))
            for item in self.drawn.values()
            if item.object.visible
        ]

    def clip_plane(self) -> tuple[float, float, float, float] | None:
        """Normal and offset in scene coordinates of the plane beyond which nothing is drawn."""
        if self.clip is None:
            return None
        axis, position, flipped = self.clip
        box = np.array([[-0.5] * 3, [0.5] * 3]) if self.box is None else self.frame.to_scene(self.box)
        low, high = box[0, axis] - CLIP_MARGIN, box[1, axis] + CLIP_MARGIN
        sign = -1.0 if flipped else 1.0
        normal = [0.0, 0.0, 0.0]
        normal[axis] = sign
        return (*normal, float(sign * (low + position * (high - low))))  # type: ignore[return-value]

    def reach(self, center: Floats) -> float:
        """How far from ``center`` anything is drawn, in scene units."""
        far = LEAST_REACH
        for item in self.drawn.values():
            stand = self.frame.to_scene(item.object.transform[:3, 3]) - center
            far = max(far, 1.0 + float(np.linalg.norm(stand)))
        return far

    def describe(self) -> str:
        """The scene in words."""
        shown = sum(item.object.visible for item in self.drawn.values())
        target = "no target"
        if self.target is not None:
            points = self.target.faces is None
            count = len(self.target.vertices) if points else len(self.target.faces)  # type: ignore[arg-type]
            target = f"a target of {count:,} {'points' if points else 'faces'}"
        return f"{shown} objects shown, {len(self.selection)} selected, {target}"


def _checked(item: SceneObject, before: Drawn | None) -> Drawn:
    rgb(item.color)
    item = replace(item, transform=checked_transform(item.transform))
    if before is not None and before.object.vertices is item.vertices and before.object.faces is item.faces:
        return replace(before, object=item)
    vertices, faces = checked_mesh(item.vertices, item.faces)
    return Drawn(item, vertices, faces, checked_normals(item.normals, vertices, faces))
