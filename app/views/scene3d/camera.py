"""The camera's mathematics: matrices, rays, projections. No Qt, no OpenGL."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.views.scene3d.objects import Frame

Floats = NDArray[np.float64]

VIEWS = {"front": (-90.0, 0.0), "right": (0.0, 0.0), "top": (-90.0, 89.9)}
"""Azimuth and elevation in degrees."""

STEEPEST = 89.9


@dataclass
class Camera:
    """Looks at ``center`` from ``distance`` away; turntable and fly controls change the same few numbers.

    Attributes:
        azimuth, elevation: direction from the centre to the eye, degrees; the up axis stays upright.
        fov: vertical field of view in degrees; a parallel projection shows the same at the centre.
        up: 2 for z, 1 for y.
    """

    center: Floats = field(default_factory=lambda: np.zeros(3))
    distance: float = 2.0
    azimuth: float = -60.0
    elevation: float = 22.0
    fov: float = 35.0
    parallel: bool = False
    up: int = 2

    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Right, up and backward (towards the eye) unit vectors."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        back = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
        right = np.array([-math.sin(a), math.cos(a), 0.0])
        if self.up == 1:
            # Turn z up into y up about the x axis.
            back, right = (np.array([v[0], v[2], -v[1]]) for v in (back, right))
        # Written out: np.cross costs ten times as much, and this runs dozens of times per frame.
        (bx, by, bz), (rx, ry, rz) = back, right
        return right, np.array([by * rz - bz * ry, bz * rx - bx * rz, bx * ry - by * rx]), back

    @property
    def eye(self) -> Floats:
        return self.center + self.distance * self.axes()[2]

    def view(self) -> Floats:
        """World to camera, column vectors, the camera looking along -z."""
        right, up, back = self.axes()
        matrix = np.eye(4)
        matrix[:3, :3] = np.stack([right, up, back])
        matrix[:3, 3] = -matrix[:3, :3] @ self.eye
        return matrix

    def projection(self, aspect: float, reach: float = 4.0) -> Floats:
        """Camera to clip coordinates; ``reach`` is how far from the centre anything is drawn."""
        near = max(self.distance - reach, self.distance * 0.01, 1e-7)
        far = self.distance + reach
        half = math.tan(math.radians(self.fov) / 2)
        matrix = np.zeros((4, 4))
        if self.parallel:
            top = half * self.distance
            matrix[0, 0], matrix[1, 1] = 1 / (top * aspect), 1 / top
            near = self.distance - reach
            matrix[2, 2], matrix[2, 3] = -2 / (far - near), -(far + near) / (far - near)
            matrix[3, 3] = 1
        else:
            matrix[0, 0], matrix[1, 1] = 1 / (half * aspect), 1 / half
            matrix[2, 2], matrix[2, 3] = -(far + near) / (far - near), -2 * far * near / (far - near)
            matrix[3, 2] = -1
        return matrix

    def project(self, points: ArrayLike, width: float, height: float) -> Floats:
        """Pixel x, y (from the top left) and depth [-1, 1] of ``points`` [..., 3]; behind the eye is NaN."""
        p = np.asarray(points, float)
        clip = (
            np.concatenate([p, np.ones((*p.shape[:-1], 1))], -1)
            @ (self.projection(width / height) @ self.view()).T
        )
        w = np.where(clip[..., 3:] > 1e-12, clip[..., 3:], np.nan)
        ndc = clip[..., :3] / w
        return np.stack([(ndc[..., 0] + 1) / 2 * width, (1 - ndc[..., 1]) / 2 * height, ndc[..., 2]], -1)

    def ray(self, x: float, y: float, width: float, height: float) -> tuple[Floats, Floats]:
        """Origin and unit direction of the ray through a pixel."""
        right, up, back = self.axes()
        half = math.tan(math.radians(self.fov) / 2)
        sx = (2 * x / width - 1) * half * width / height
        sy = (1 - 2 * y / height) * half
        if self.parallel:
            origin = self.eye + self.distance * (sx * right + sy * up)
            return origin, -back
        direction = sx * right + sy * up - back
        return self.eye, direction / np.linalg.norm(direction)

    def pixel_size(self, point: ArrayLike, height: float) -> float:
        """Length in the scene that covers one pixel at ``point``."""
        depth = self.distance
        if not self.parallel:
            depth = max(float((self.eye - np.asarray(point)) @ self.axes()[2]), 1e-6)
        return 2 * math.tan(math.radians(self.fov) / 2) * depth / height

    def orbit(self, dx: float, dy: float) -> None:
        """Turn by pixels of pointer movement."""
        self.azimuth = (self.azimuth - 0.4 * dx + 180) % 360 - 180
        self.elevation = min(max(self.elevation + 0.4 * dy, -STEEPEST), STEEPEST)

    def pan(self, dx: float, dy: float, height: float) -> None:
        """Move the centre with the pointer."""
        right, up, _ = self.axes()
        step = self.pixel_size(self.center, height)
        self.center = self.center + step * (-dx * right + dy * up)

    def zoom(self, steps: float, x: float, y: float, width: float, height: float) -> None:
        """Come closer by ``steps`` wheel notches, keeping what is under the pointer there."""
        factor = 0.85**steps
        new = min(max(self.distance * factor, 1e-4), 50.0)
        right, up, _ = self.axes()
        step = self.pixel_size(self.center, height) * (1 - new / self.distance)
        self.center = self.center + step * ((x - width / 2) * right + (height / 2 - y) * up)
        self.distance = new

    def fly(self, forward: float, sideways: float, upward: float) -> None:
        """Move eye and centre together, in scene units."""
        right, up, back = self.axes()
        self.center = self.center - forward * back + sideways * right + upward * up

    def frame(self, box: ArrayLike, aspect: float = 1.0) -> None:
        """Show the box [2, 3] whole, with a margin."""
        low, high = np.asarray(box, float)
        radius = max(float(np.linalg.norm(high - low)) / 2, 1e-4)
        self.center = (low + high) / 2
        narrow = math.atan(math.tan(math.radians(self.fov) / 2) * min(aspect, 1.0))
        self.distance = 1.08 * radius / math.sin(narrow)

    def carry_over(self, old: Frame, new: Frame) -> None:
        """Keep looking at the same place in the world when scene coordinates change."""
        self.center = new.to_scene(old.to_world(self.center))
        self.distance *= new.scale / old.scale

    def look_from(self, name: str) -> None:
        """``front``, ``right`` or ``top``."""
        self.azimuth, self.elevation = VIEWS[name]
