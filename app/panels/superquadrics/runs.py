"""Runs the method's actions on the document: live while they work, kept when they are stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QDialog

from app.jobs import Job
from app.panels.superquadrics.dialogs import ReduceDialog
from app.panels.superquadrics.inputs import Inputs
from app.project.places import state_folder
from methods.core.context import Context
from methods.core.devices import choose
from methods.core.errors import BadInput, StudioloError
from methods.core.results import Result
from methods.core.runner import Loaded, run_action
from methods.superquadrics.model import Shape
from methods.superquadrics.params import RefineParams

if TYPE_CHECKING:
    from app.panels.superquadrics.panel import SuperquadricsPanel
    from methods.superquadrics.target import Target


PREVIEW_MS = 150
"""At most this often the parts found so far are drawn; more would only take time from the fit."""


class Runs:
    """At most one action at a time; its partial shapes are shown until it ends."""

    def __init__(self, panel: SuperquadricsPanel) -> None:
        self._panel = panel
        self.inputs = Inputs(state_folder() / "inputs")
        self._job: Job | None = None
        self._target: Target | None = None  # of the run under way
        self.preview: Shape | None = None
        self._pace = QTimer(panel)
        self._pace.setSingleShot(True)
        self._pace.setInterval(PREVIEW_MS)
        self._pace.timeout.connect(panel.draw)

    @property
    def running(self) -> bool:
        return self._job is not None

    def run(self, action_id: str, params: Any = None) -> None:
        """Run an action on the document as it is now; what is missing is told."""
        panel = self._panel
        action = panel.method.action(action_id)
        params = action.params() if params is None else params
        try:
            inputs = self._action_inputs(action_id)
            device = choose(panel.services.device(), action.torch)
        except (StudioloError, OSError) as error:
            panel.show_error(error)
            return
        self._target = panel.document.state.target
        self._job = panel.services.jobs.submit(
            action.title,
            lambda context: run_action(panel.method, action, inputs, params, context),
            owner=panel,
            seed=panel.services.seed,
            device=device,
            on_partial=self._show_preview,
            on_done=self._done,
            on_error=panel.show_error,
            on_finished=self._finished,
        )
        panel.update_running()

    def refine_selected(self) -> None:
        """Refine the selected parts, or all when none is selected."""
        order = [part.id for part in self._panel.operations.shape.parts]
        numbers = sorted(order.index(i) + 1 for i in self._panel.operations.selection)
        self.run("refine", RefineParams(only=",".join(map(str, numbers)) or None))

    def stop(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def target_changed(self) -> None:
        """Another target is shown: a run on the one before is stopped, and what it found is left out."""
        if self._job is not None and not self._still_wanted:
            self.preview = None
            self._job.cancel()

    def _action_inputs(self, action_id: str) -> dict[str, Loaded]:
        state = self._panel.document.state
        wanted = {declared.name for declared in self._panel.method.action(action_id).inputs}
        inputs = {}
        if "parts" in wanted:
            if not state.shape.parts:
                raise BadInput("There are no parts yet.", "Fit the target or add a part (Shift+A).")
            inputs["parts"] = self.inputs.parts(state.shape)
        if "target" in wanted:
            if state.target is None:
                raise BadInput("There is nothing to fit yet.", "Open a mesh or a point cloud first.")
            inputs["target"] = self.inputs.target(state)
        return inputs

    def _show_preview(self, shape: Any) -> None:
        if isinstance(shape, Shape) and self.running and self._still_wanted:
            self.preview = shape
            if not self._pace.isActive():
                self._pace.start()

    def _done(self, result: Result) -> None:
        panel = self._panel
        action = panel.method.action(result.provenance.action)
        self.preview = None
        if not self._still_wanted:
            return
        if isinstance(result.value, Shape):
            count = len(result.value.parts)
            title = f"{action.title} → {count} part{'s' if count != 1 else ''}"
            panel.operations.set_shape(title, result.value)
        target = panel.document.state.target
        known = target.warnings if target is not None else ()  # said when the file was opened
        fresh = [warning for warning in result.warnings if warning not in known]
        if fresh:
            panel.message("result-warnings", action=action.title, warnings="; ".join(fresh))
        panel.result_ready(result)

    @property
    def _still_wanted(self) -> bool:
        """Whether the document still holds the target that the run was started on."""
        return self._panel.document.state.target is self._target

    def _finished(self, job: Job) -> None:
        panel = self._panel
        self._job = None
        found, self.preview = self.preview, None
        if not self._still_wanted:
            panel.message("left-out", action=job.title)
        elif job.state == "cancelled" and found is not None and found.parts:
            count = len(found.parts)
            panel.operations.set_shape(f"{job.title} (stopped) → {count} parts", found)
            panel.message("kept-partial", count=count)
        panel.draw()
        panel.update_running()
        panel.idle.emit()

    def propose_reduction(self) -> None:
        """Work out what could be merged or dropped, then ask."""
        panel, state = self._panel, self._panel.document.state
        if state.target is None:
            panel.message("no-target")
            return
        if len(state.shape.parts) < 2:
            panel.message("nothing-to-reduce")
            return

        def work(context: Context) -> list[Any]:
            from methods.superquadrics import reduce

            merges = reduce.merge_proposals(state.shape, state.target, context)
            drops = reduce.prune_proposals(state.shape, state.target, context)
            return sorted([*merges, *drops], key=lambda p: p.delta_chamfer_rel - (p.delta_iou or 0.0))

        panel.services.jobs.submit(
            "Look for parts to merge or drop",
            work,
            owner=panel,
            on_error=panel.show_error,
            on_done=lambda proposals: self._offer(state.shape, proposals),
        )

    def _offer(self, shape: Shape, proposals: list[Any]) -> None:
        panel = self._panel
        if not proposals or shape != panel.operations.shape:
            panel.message("nothing-to-reduce")
            return
        dialog = ReduceDialog(proposals, {p.id: p.name for p in shape.parts}, panel)
        if dialog.exec() == QDialog.DialogCode.Accepted and (chosen := dialog.chosen()) is not None:
            self.apply_proposal(shape, chosen)

    def apply_proposal(self, shape: Shape, chosen: Any) -> None:
        """Do what a proposal says, as one step."""
        verb = "Merge" if chosen.kind == "merge" else "Drop"
        names = ", ".join(shape.part(i).name for i in chosen.part_ids)
        self._panel.operations.set_shape(f"{verb} {names}", chosen.result)
