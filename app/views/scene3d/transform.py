"""A transform under way: pointer or typed number in, :class:`Delta` out. No Qt, no OpenGL.

The same class serves a drag of the gizmo and the keys G, R, S; only what starts it differs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.views.scene3d.camera import Camera
from app.views.scene3d.delta import Delta
from app.views.scene3d.objects import Frame
from app.views.units import show

Floats = NDArray[np.float64]

ANGLE_SNAP = 5.0
SCALE_SNAP = 0.1
FINE = 0.1
TYPED = "0123456789.-"


@dataclass(frozen=True)
class Constraint:
    """``free``, along one ``axis``, or in the ``plane`` across one axis."""

    kind: str = "free"
    axis: int = 0
    local: bool = False

    def next_for(self, axis: int, plane: bool) -> Constraint:
        """What pressing an axis key does: world, then local, then free again."""
        kind = "plane" if plane else "axis"
        if (self.kind, self.axis) != (kind, axis):
            return Constraint(kind, axis, False)
        return Constraint() if self.local else Constraint(kind, axis, True)


@dataclass
class TransformDrag:
    """From where the pointer was when it began to where it is now.

    Args:
        pivot: centre of the transform in scene coordinates.
        axes: columns are the local axes of the object, scene coordinates.
        size: width and height of the view in pixels.
        grid: translation snaps to multiples of it, in world units.
    """

    kind: str
    camera: Camera
    frame: Frame
    pivot: Floats
    axes: Floats
    size: tuple[float, float]
    start: tuple[float, float]
    constraint: Constraint = field(default_factory=Constraint)
    unit: str = ""
    grid: float = 0.01
    typed: str = ""

    def __post_init__(self) -> None:
        self.pointer = self._seen = self.start
        self._angle = 0.0

    def move(self, x: float, y: float, fine: bool = False) -> None:
        """The pointer has moved; with ``fine`` that counts a tenth, without a jump when it is let go."""
        share = FINE if fine else 1.0
        self.pointer = (
            self.pointer[0] + share * (x - self._seen[0]),
            self.pointer[1] + share * (y - self._seen[1]),
        )
        self._seen = (x, y)

    def key(self, text: str) -> bool:
        """Take a key as part of a typed number; False if it is none."""
        if text == "\b":
            self.typed = self.typed[:-1]
            return True
        if text == "-":
            self.typed = self.typed[1:] if self.typed.startswith("-") else "-" + self.typed
            return True
        if len(text) == 1 and text in TYPED and not (text == "." and "." in self.typed):
            self.typed += text
            return True
        return False

    def lock(self, axis: int, plane: bool = False) -> None:
        """Constrain to an axis or to the plane across it; again makes it local, and then free."""
        self.constraint = self.constraint.next_for(axis, plane)
        self._angle = 0.0

    def delta(self, snap: bool = False, fine: bool = False) -> Delta:
        """The change that the pointer, or the typed number, stands for now."""
        number = self._typed_number()
        make = {"translate": self._translate, "rotate": self._rotate, "scale": self._scale}[self.kind]
        return make(number, snap, FINE if fine else 1.0)

    # ------------------------------------------------------------------------------------------ kinds

    def _translate(self, number: float | None, snap: bool, fine: float) -> Delta:
        constraint, axes = self.constraint, self._frame_axes()
        if number is not None:
            # Without an axis a typed number means x, as in other editors.
            axis = constraint.axis if constraint.kind == "axis" else 0
            world = number * axes[:, axis]
        else:
            world = fine * self._moved() / self.frame.scale
            if snap:
                along = axes.T @ world
                world = axes @ (np.round(along / self.grid) * self.grid)
        along = axes.T @ world
        shown = range(3)
        if constraint.kind == "axis":
            shown = (constraint.axis,)
        elif constraint.kind == "plane":
            shown = tuple(i for i in range(3) if i != constraint.axis)
        unit = f" {self.unit}" if self.unit else ""
        text = "  ".join(f"d{'xyz'[i]} {show(float(along[i]), 3)}{unit}" for i in shown)
        return self._delta(text, translation=_triple(world))

    def _moved(self) -> Floats:
        """Movement of the grabbed point in scene coordinates."""
        constraint, axes = self.constraint, self._frame_axes()
        if constraint.kind == "axis":
            axis = axes[:, constraint.axis]
            ends = [self._along_axis(axis, p) for p in (self.start, self.pointer)]
            if None not in ends:
                return (ends[1] - ends[0]) * axis  # type: ignore[operator]
            return axis * float(self._in_view_plane() @ axis)
        if constraint.kind == "plane":
            normal = axes[:, constraint.axis]
            hits = [self._on_plane(normal, p) for p in (self.start, self.pointer)]
            if hits[0] is not None and hits[1] is not None:
                return hits[1] - hits[0]
            free = self._in_view_plane()
            return free - normal * float(free @ normal)
        return self._in_view_plane()

    def _rotate(self, number: float | None, snap: bool, fine: float) -> Delta:
        axes = self._frame_axes()
        _, _, back = self.camera.axes()
        if self.constraint.kind == "free":
            axis, name = back, "view"
        else:
            axis, name = axes[:, self.constraint.axis], "xyz"[self.constraint.axis]
        if number is not None:
            degrees = number
        else:
            turned = self._turned(axis)
            self._angle += (turned - self._angle + math.pi) % (2 * math.pi) - math.pi
            degrees = fine * math.degrees(self._angle)
            if snap:
                degrees = round(degrees / ANGLE_SNAP) * ANGLE_SNAP
        half = math.radians(degrees) / 2
        quaternion = (math.cos(half), *(float(v) for v in math.sin(half) * axis))
        return self._delta(f"{name} {show(degrees, 3)}°", rotation=quaternion)

    def _turned(self, axis: Floats) -> float:
        """Angle about ``axis`` from the first pointer position to the present one."""
        seen_from_front = float(axis @ self.camera.axes()[2])
        if abs(seen_from_front) > 0.15:
            hits = [self._on_plane(axis, p) for p in (self.start, self.pointer)]
            if hits[0] is not None and hits[1] is not None:
                a, b = hits[0] - self.pivot, hits[1] - self.pivot
                return math.atan2(float(np.cross(a, b) @ axis), float(a @ b))
        # Nearly edge-on the plane is useless: roll it like a wheel under the pointer.
        right, up, _ = self.camera.axes()
        dx, dy = self.pointer[0] - self.start[0], self.start[1] - self.pointer[1]
        across = np.array([-float(axis @ up), float(axis @ right)])
        length = float(np.linalg.norm(across)) or 1.0
        return 0.01 * float(np.array([dx, dy]) @ across) / length

    def _scale(self, number: float | None, snap: bool, fine: float) -> Delta:
        if number is not None:
            factor = abs(number) or 1.0
        else:
            centre = self.camera.project(self.pivot, *self.size)[:2]
            before = math.dist(centre, self.start)
            factor = 1 + fine * (math.dist(centre, self.pointer) / max(before, 4.0) - 1)
            if snap:
                factor = round(factor / SCALE_SNAP) * SCALE_SNAP
        factor = max(factor, 0.01)
        constraint = self.constraint
        factors = [factor] * 3
        if constraint.kind == "axis":
            factors = [factor if i == constraint.axis else 1.0 for i in range(3)]
        elif constraint.kind == "plane":
            factors = [1.0 if i == constraint.axis else factor for i in range(3)]
        name = "" if constraint.kind == "free" else f"{'xyz'[constraint.axis]} "
        return self._delta(f"{name}× {show(factor, 3)}", scale=_triple(np.array(factors)))

    # ---------------------------------------------------------------------------------------- geometry

    def _delta(self, text: str, **change: object) -> Delta:
        where = " (local)" if self.constraint.local else ""
        pivot = _triple(self.frame.to_world(self.pivot))
        return Delta(
            kind=self.kind,
            pivot=pivot,
            local=self.constraint.local,
            text=text + where,
            **change,  # type: ignore[arg-type]
        )

    def _frame_axes(self) -> Floats:
        return self.axes if self.constraint.local else np.eye(3)

    def _typed_number(self) -> float | None:
        try:
            return float(self.typed)
        except ValueError:
            return None

    def _along_axis(self, axis: Floats, pointer: tuple[float, float]) -> float | None:
        """Where on the axis through the pivot the ray through ``pointer`` passes closest."""
        origin, direction = self.camera.ray(*pointer, *self.size)
        cosine = float(axis @ direction)
        if abs(cosine) > 0.995:
            return None
        offset = origin - self.pivot
        return (float(offset @ axis) - cosine * float(offset @ direction)) / (1 - cosine * cosine)

    def _on_plane(self, normal: Floats, pointer: tuple[float, float]) -> Floats | None:
        """Where the ray through ``pointer`` meets the plane through the pivot."""
        origin, direction = self.camera.ray(*pointer, *self.size)
        facing = float(normal @ direction)
        if abs(facing) < 0.05:
            return None
        t = float(normal @ (self.pivot - origin)) / facing
        return origin + t * direction if t > 0 or self.camera.parallel else None

    def _in_view_plane(self) -> Floats:
        """Pointer movement in the plane through the pivot that faces the eye."""
        right, up, _ = self.camera.axes()
        step = self.camera.pixel_size(self.pivot, self.size[1])
        dx, dy = self.pointer[0] - self.start[0], self.pointer[1] - self.start[1]
        return step * (dx * right - dy * up)


def _triple(values: Floats) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z
