"""Distances painted on the surfaces: from the target to the shape, or from the shape to the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer

from app.panels.superquadrics.document import Studio
from methods.core.context import Context

if TYPE_CHECKING:
    from app.jobs import JobQueue
    from app.views.scene3d import SceneView

MODES = ("off", "target to shape", "shape to target")
SETTLE_MS = 200


class ErrorMap:
    """Computes and shows the chosen distances; follows the document once it has settled."""

    def __init__(self, jobs: JobQueue, scene: SceneView, state: Callable[[], Studio], owner: Any) -> None:
        self._jobs, self._scene, self._state, self._owner = jobs, scene, state, owner
        self.mode = "off"
        self._timer = QTimer(scene)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self._compute)

    def set_mode(self, mode: str) -> None:
        self.mode = mode
        if mode == "off":
            self._timer.stop()
            self._scene.clear_error()
        else:
            self._compute()

    def stop(self) -> None:
        """The panel closes."""
        self._timer.stop()

    def update(self) -> None:
        """The document has changed."""
        if self.mode != "off":
            self._timer.start()

    def _compute(self) -> None:
        state, mode = self._state(), self.mode
        if mode == "off" or state.target is None or not state.shape.parts:
            self._scene.clear_error()
            return
        self._jobs.submit(
            f"Error map, {mode}",
            lambda context: distances(state, mode, context),
            lane="preview",
            owner=self._owner,
            long=False,
            coalesce="error map",
            on_done=lambda result: self._show(mode, *result),
        )

    def _show(self, mode: str, values: Any, diagonal: float) -> None:
        if mode != self.mode:
            return
        unit = self._state().shape.unit
        if mode == "target to shape":
            self._scene.set_target_error(values, unit, f"{mode}, distance", diagonal)
        else:
            self._scene.set_object_error(values, unit, f"{mode}, distance", diagonal)


def distances(state: Studio, mode: str, context: Context) -> tuple[Any, float]:
    """Per-vertex distances in world units: an array for the target, a dictionary by part for the shape."""
    from methods.superquadrics import metrics

    assert state.target is not None
    if mode == "target to shape":
        return metrics.distances_to_shape(
            state.target.vertices, state.shape, check=context.check
        ), state.target.diagonal
    return metrics.distances_to_target(state.shape, state.target, check=context.check), state.target.diagonal
