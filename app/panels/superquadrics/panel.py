"""The superquadric studio: open a mesh, fit it, edit the parts, measure and export them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QColorDialog, QDialog

from app.jobs import Job
from app.panels.base import Panel, Services
from app.panels.superquadrics.commands import panel_commands
from app.panels.superquadrics.dialogs import ExportDialog, MirrorDialog, ReduceDialog
from app.panels.superquadrics.document import Studio, StudioCodec
from app.panels.superquadrics.error_map import ErrorMap
from app.panels.superquadrics.exporting import Exporter
from app.panels.superquadrics.inputs import Inputs
from app.panels.superquadrics.inspector import Inspector
from app.panels.superquadrics.live_metrics import LiveMetrics, Reading
from app.panels.superquadrics.messages import MESSAGES
from app.panels.superquadrics.operations import PartOperations
from app.panels.superquadrics.scene_content import SceneContent
from app.panels.superquadrics.transforms import Transform
from app.project import Document
from app.project.places import state_folder
from app.views.scene3d import SceneView
from app.views.scene3d.delta import Delta
from methods.core.context import Context
from methods.core.declaration import Method, Sample
from methods.core.errors import BadInput, StudioloError
from methods.core.results import Result
from methods.core.runner import Loaded, load_input, run_action
from methods.superquadrics.model import Shape

PARTS_SUFFIXES = (".json",)


class SuperquadricsPanel(Panel):
    """Wires document, views and jobs together; what each does lies in its own module."""

    MESSAGES = MESSAGES

    def __init__(self, method: Method, services: Services) -> None:
        super().__init__(method, services)
        self.document: Document[Studio] = Document(Studio())
        self.codec = StudioCodec()
        self.operations = PartOperations(self.document)
        self._content = SceneContent()
        self._inputs = Inputs(state_folder() / "inputs")
        self._transform: Transform | None = None
        self._preview: Shape | None = None
        self._target_shown: object = None
        self._reading: Reading | None = None
        self._fit_job: Job | None = None

        self.scene = SceneView()
        self.add_view("scene", "3D view", self.scene, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.inspector = Inspector(method, services.theme)
        self.metrics = LiveMetrics(services.jobs, lambda: self.document.state, self, self)
        self.errors = ErrorMap(services.jobs, self.scene, lambda: self.document.state, self)
        self.exporter = Exporter(self)
        self._connect()
        self.document.subscribe(self._document_changed)
        self.refresh_theme(services.theme)
        self._document_changed(self.document)

    def _connect(self) -> None:
        scene, inspector, tree, editor = (
            self.scene,
            self.inspector,
            self.inspector.tree,
            self.inspector.editor,
        )
        scene.selection_changed.connect(self.select)
        scene.transform_started.connect(self._transform_started)
        scene.transform_changed.connect(self._transform_changed)
        scene.transform_finished.connect(self._transform_finished)
        scene.transform_cancelled.connect(self._transform_cancelled)
        tree.selection_requested.connect(self.select)
        tree.rename_requested.connect(lambda i, name: self.attempt(lambda: self.operations.rename(i, name)))
        tree.visible_requested.connect(
            lambda i, on: self.operations.edit_look(
                "Show" if on else "Hide", lambda part: replace(part, visible=on), (i,)
            )
        )
        tree.locked_requested.connect(
            lambda i, on: self.operations.edit_look(
                "Lock" if on else "Unlock", lambda part: replace(part, locked=on), (i,)
            )
        )
        tree.move_requested.connect(lambda i, index: self.operations.move_in_list(i, index))
        tree.menu_requested.connect(self._show_part_menu)
        editor.edit_requested.connect(
            lambda title, edit, merge: self.attempt(
                lambda: self.operations.edit_geometry(title, edit, merge or None)
            )
        )
        editor.drag_finished.connect(self.document.end_merge)
        editor.unlink_requested.connect(lambda: self.attempt(self.operations.unlink))
        editor.mirror_requested.connect(self.ask_mirror)
        inspector.run_requested.connect(self.run)
        inspector.reduce_requested.connect(self.propose_reduction)
        inspector.open_requested.connect(self.ask_open)
        inspector.error_toggled.connect(self.errors.set_mode)
        self.metrics.changed.connect(self._metrics_changed)

    # ------------------------------------------------------------------------------------------ open

    def accepts(self, path: Path) -> bool:
        suffixes = {s for kind in ("target", "parts") for s in self.method.kind(kind).suffixes}
        return path.suffix.lower() in suffixes

    def open_path(self, path: Path) -> None:
        """Read a mesh, a cloud or parts in a job; what is open stays until the new one is there."""
        self.services.jobs.submit(
            f"Open {path.name}",
            lambda context: read(self.method, path),
            owner=self,
            on_done=lambda loaded: self._opened(path, loaded),
            on_error=self.show_error,
        )

    def open_sample(self, sample: Sample) -> None:
        self.open_path(sample.path)

    def paste(self, mime: QMimeData) -> bool:
        """Parts copied as JSON are added; files are opened."""
        if mime.hasUrls():
            for url in mime.urls():
                self.open_path(Path(url.toLocalFile()))
            return True
        text = mime.text()
        if "studiolo-superquadrics" not in text:
            return False
        self.attempt(lambda: self.operations.paste(text))
        return True

    def _opened(self, path: Path, loaded: Loaded) -> None:
        value = loaded.value
        if isinstance(value, Shape):
            self.document.edit(f"Open {path.name}", replace(self.document.state, shape=value))
            self.operations.select(())
        else:
            state = Studio(Shape(unit=value.unit), value, loaded.source)
            self.document.edit(f"Open {path.name}", state)
            self._tell_about_target(value)
        self.scene.frame_all()

    def _tell_about_target(self, target: Any) -> None:
        if target.shown_of:
            total = f"{target.shown_of:,}"
            self.message("subsampled", shown=f"{len(target.vertices):,}", total=total)
        if target.warnings:
            self.message("input-warnings", name=target.name, warnings="; ".join(target.warnings))

    def ask_open(self) -> None:
        self.services.commands.run("file.open")

    # ------------------------------------------------------------------------------------------- run

    def run(self, action_id: str, params: Any) -> None:
        """Run an action of the method on the document as it is now."""
        action = self.method.action(action_id)
        try:
            inputs = self._action_inputs(action_id)
        except StudioloError as error:
            self.show_error(error)
            return
        self._fit_job = self.services.jobs.submit(
            action.title,
            lambda context: run_action(self.method, action, inputs, params, context),
            owner=self,
            seed=self.services.settings.seed,
            on_partial=self._show_preview,
            on_done=self._result,
            on_error=self.show_error,
            on_finished=self._run_finished,
        )
        self.update_commands()

    def run_default(self) -> None:
        """Fit the target with the default parameters."""
        self.run("fit", self.method.action("fit").params())

    def stop(self) -> None:
        if self._fit_job is not None:
            self._fit_job.cancel()

    @property
    def running(self) -> bool:
        return self._fit_job is not None

    def _action_inputs(self, action_id: str) -> dict[str, Loaded]:
        state = self.document.state
        wanted = [declared.name for declared in self.method.action(action_id).inputs]
        inputs = {}
        if "target" in wanted:
            if state.target is None:
                raise BadInput("There is nothing to fit yet.", "Open a mesh or a point cloud first.")
            inputs["target"] = self._inputs.target(state)
        if "parts" in wanted:
            if not state.shape.parts:
                raise BadInput("There are no parts yet.", "Fit the target or add a part (Shift+A).")
            inputs["parts"] = self._inputs.parts(state.shape)
        return inputs

    def _show_preview(self, shape: Any) -> None:
        if isinstance(shape, Shape):
            self._preview = shape
            self._draw()

    def _result(self, result: Result) -> None:
        action = self.method.action(result.provenance.action)
        self._preview = None
        if isinstance(result.value, Shape):
            count = len(result.value.parts)
            title = f"{action.title} → {count} part{'s' if count != 1 else ''}"
            self.operations.set_shape(title, result.value)
        if result.warnings:
            self.message("result-warnings", action=action.title, warnings="; ".join(result.warnings))
        self.result_ready(result)

    def _run_finished(self, job: Job) -> None:
        self._fit_job = None
        found, self._preview = self._preview, None
        if job.state == "cancelled" and found is not None and found.parts:
            count = len(found.parts)
            self.operations.set_shape(f"{job.title} (stopped) → {count} parts", found)
            self.message("kept-partial", count=count)
        self._draw()
        self.update_commands()
        if not self.busy:
            self.idle.emit()

    def propose_reduction(self) -> None:
        """Work out what could be merged or dropped, then ask."""
        from methods.superquadrics import reduce

        state = self.document.state
        if state.target is None or len(state.shape.parts) < 2:
            self.message("no-target" if state.target is None else "nothing-to-reduce")
            return

        def work(context: Context) -> list[Any]:
            merges = reduce.merge_proposals(state.shape, state.target, context)
            drops = reduce.prune_proposals(state.shape, state.target, context)
            return sorted(merges + drops, key=lambda p: -(p.delta_iou or 0.0))

        self.services.jobs.submit(
            "Look for parts to merge or drop",
            work,
            owner=self,
            on_error=self.show_error,
            on_done=lambda proposals: self._offer_reduction(state.shape, proposals),
        )

    def _offer_reduction(self, shape: Shape, proposals: list[Any]) -> None:
        if not proposals or shape != self.operations.shape:
            self.message("nothing-to-reduce")
            return
        dialog = ReduceDialog(proposals, {p.id: p.name for p in shape.parts}, self)
        if dialog.exec() == QDialog.DialogCode.Accepted and (chosen := dialog.chosen()) is not None:
            verb = "Merge" if chosen.kind == "merge" else "Drop"
            names = ", ".join(shape.part(i).name for i in chosen.part_ids)
            self.operations.set_shape(f"{verb} {names}", chosen.result)

    # ------------------------------------------------------------------------------------------ edit

    def select(self, ids: tuple[int, ...]) -> None:
        """Select parts everywhere: list, view, editor."""
        self.operations.select(ids)
        self._show_selection()

    def attempt(self, operation: Callable[[], None]) -> None:
        """Do an edit; what cannot be done is said in the message bar."""
        try:
            operation()
        except StudioloError as error:
            self.show_error(error)
        self._show_selection()

    def ask_mirror(self) -> None:
        bounds = self.operations.bounds()
        if bounds is None or not self.operations.selection:
            self.attempt(lambda: self.operations.mirror("x", 0.0, False))
            return
        dialog = MirrorDialog(bounds.mean(axis=0), self.operations.shape.unit, self)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            plan = dialog.plan()
            self.attempt(lambda: self.operations.mirror(plan.axis, plan.offset, plan.link))

    def ask_color(self) -> None:
        parts = self.operations.parts()
        if parts:
            color = QColorDialog.getColor(QColor(parts[-1].color), self, "Colour of the part")
            if color.isValid():
                self.operations.recolor(color.name().upper())

    def ask_export(self, first: str = "parts") -> None:
        dialog = ExportDialog(first, self)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            try:
                choice, params = dialog.choice()
            except StudioloError as error:
                self.show_error(error)
                return
            self.exporter.ask(choice, params)

    def rename_selected(self) -> None:
        if self.operations.selection:
            self.inspector.tree.edit_name(self.operations.selection[-1])

    def _show_part_menu(self, place: Any) -> None:
        self.services.commands.menu("Parts", self).exec(place)

    def _transform_started(self) -> None:
        self._transform = Transform(self.operations)

    def _transform_changed(self, delta: Delta) -> None:
        if self._transform is not None:
            self._transform.apply(delta)

    def _transform_finished(self, delta: Delta) -> None:
        if self._transform is not None:
            self._transform.apply(delta)
            self._transform.finish()
            self._transform = None
            self.metrics.update()

    def _transform_cancelled(self) -> None:
        if self._transform is not None:
            self._transform.cancel()
            self._transform = None

    # ------------------------------------------------------------------------------------------ show

    def _document_changed(self, document: Document[Studio]) -> None:
        state = document.state
        if state.target is not self._target_shown:
            self._target_shown = state.target
            self._draw_target()
        self._draw()
        self._show_selection()
        self.inspector.show_state(state)
        self.metrics.update(dragging=self._transform is not None)
        self.errors.update()
        self.update_commands()

    def _draw(self) -> None:
        shape = self._preview or self.operations.shape
        changes = self._content.changes(shape, self.operations.solo)
        if changes is None:
            self.scene.set_objects(self._content.objects(shape, self.operations.solo))
        else:
            for changed in changes:
                self.scene.update_object(changed)

    def redraw(self) -> None:
        """Draw every part again, as after solo."""
        shape = self._preview or self.operations.shape
        self.scene.set_objects(self._content.objects(shape, self.operations.solo))

    def _draw_target(self) -> None:
        target = self.document.state.target
        if target is None:
            self.scene.clear_target()
        else:
            self.scene.set_target(target.vertices, target.faces, target.normals, shown_of=target.shown_of)
        self.scene.set_unit(target.unit if target is not None else "")

    def _show_selection(self) -> None:
        chosen = self.operations.selection
        self.scene.set_selection(chosen)
        self.inspector.show_selection(self.operations.shape, chosen)
        self.update_commands()

    def _metrics_changed(self, reading: Reading | None) -> None:
        self._reading = reading
        self.inspector.show_reading(self.document.state, reading)

    # --------------------------------------------------------------------------------- contract of a panel

    def commands(self) -> list[Any]:
        return panel_commands(self)

    @property
    def busy(self) -> bool:
        return self.services.jobs.busy(self)

    def show_error(self, error: BaseException) -> None:
        what = getattr(error, "what", "") or f"{type(error).__name__}: {error}"
        remedy = getattr(error, "remedy", "")
        self.message("bad-input" if isinstance(error, BadInput) else "work-failed", what=what, remedy=remedy)

    def refresh_theme(self, theme: Any) -> None:
        self.scene.set_theme(theme.dark)
        self.inspector.refresh_theme(theme)

    def picture(self) -> QImage:
        return self.scene.screenshot()

    def closing(self) -> None:
        self.services.jobs.release(self)
        self.scene.close_canvas()


def read(method: Method, path: Path) -> Loaded:
    """A mesh, cloud or parts file; which one is told by the suffix, and for .npz by the content."""
    suffix = path.suffix.lower()
    if suffix in PARTS_SUFFIXES:
        return load_input(method, "parts", path)
    if suffix == ".npz":
        from methods.superquadrics.formats import is_parts_npz

        if is_parts_npz(path):
            return load_input(method, "parts", path)
    return load_input(method, "target", path)
