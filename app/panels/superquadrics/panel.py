"""The superquadric studio: open a mesh, fit it, edit the parts, measure and export them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPoint
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QColorDialog, QDialog

from app.commands import Command
from app.panels.base import Panel, Services, TourStep
from app.panels.superquadrics.commands import panel_commands
from app.panels.superquadrics.dialogs import ExportDialog, MirrorDialog
from app.panels.superquadrics.document import Studio, StudioCodec
from app.panels.superquadrics.error_map import ErrorMap
from app.panels.superquadrics.exporting import Exporter
from app.panels.superquadrics.inspector import Inspector
from app.panels.superquadrics.live_metrics import LiveMetrics, Reading
from app.panels.superquadrics.messages import MESSAGES
from app.panels.superquadrics.operations import PartOperations
from app.panels.superquadrics.runs import Runs
from app.panels.superquadrics.scene_content import SceneContent
from app.panels.superquadrics.transforms import Transform
from app.panels.superquadrics.view_options import ViewOptions
from app.project import Document
from app.theme import Theme
from app.views.scene3d import Delta, SceneView
from methods.core.declaration import Method
from methods.core.errors import BadInput, StudioloError
from methods.core.runner import Loaded, load_input
from methods.superquadrics import edits
from methods.superquadrics.model import Shape


class SuperquadricsPanel(Panel):
    """Wires document, views and jobs together; what each does lies in its own module."""

    MESSAGES = MESSAGES

    def __init__(self, method: Method, services: Services) -> None:
        super().__init__(method, services)
        self.document: Document[Studio] = Document(Studio(), "Empty")
        self.codec = StudioCodec()
        self.operations = PartOperations(self.document)
        self.runs = Runs(self)
        self.exporter = Exporter(self)
        self._content = SceneContent()
        self._transform: Transform | None = None
        self._reading: Reading | None = None

        self.scene = SceneView()
        self._target_shown: object = None
        self.view_options = ViewOptions(self.scene, services.theme)
        self.add_view("scene", "3D view", self.view_options.with_toolbar())
        self.inspector = self.inspector_ = Inspector(method, services.theme)
        self.metrics = LiveMetrics(services.jobs, lambda: self.document.state, self, self)
        self.errors = ErrorMap(services.jobs, self.scene, lambda: self.document.state, self)
        self._connect()
        self.document.subscribe(self._document_changed)
        self.refresh_theme(services.theme)
        self._document_changed(self.document)

    def _connect(self) -> None:
        scene, inspector = self.scene, self.inspector_
        scene.selection_changed.connect(self.select)
        scene.transform_started.connect(self._transform_started)
        scene.transform_changed.connect(self._transform_changed)
        scene.transform_finished.connect(self._transform_finished)
        scene.transform_cancelled.connect(self._transform_cancelled)
        tree, ops = inspector.tree, self.operations
        tree.selection_requested.connect(self.select)
        tree.rename_requested.connect(lambda i, name: self.attempt(lambda: ops.rename(i, name)))
        tree.visible_requested.connect(lambda i, on: ops.set_visible(i, on))
        tree.locked_requested.connect(lambda i, on: ops.set_locked(i, on))
        tree.move_requested.connect(lambda i, index: ops.move_in_list(i, index))
        tree.menu_requested.connect(self._show_part_menu)
        editor = inspector.editor
        editor.edit_requested.connect(self._edit_requested)
        editor.drag_finished.connect(self._drag_finished)
        editor.unlink_requested.connect(lambda: self.attempt(ops.unlink))
        editor.mirror_requested.connect(self.ask_mirror)
        inspector.run_requested.connect(self.runs.run)
        inspector.problem_found.connect(self.show_error)
        inspector.stop_requested.connect(self.runs.stop)
        inspector.reduce_requested.connect(self.runs.propose_reduction)
        inspector.open_requested.connect(lambda: self.services.commands.run("file.open"))
        inspector.error_mode_requested.connect(self.errors.set_mode)
        self.metrics.changed.connect(self._metrics_changed)

    # ------------------------------------------------------------------------------------------ open

    def open_path(self, path: Path) -> None:
        self.services.jobs.submit(
            f"Open {path.name}",
            lambda context: read(self.method, path),
            owner=self,
            on_done=lambda loaded: self._opened(path, loaded),
            on_error=self.show_error,
            on_finished=lambda _: self.idle.emit(),
        )

    def paste(self, mime: QMimeData) -> bool:
        """Parts copied as JSON are added to the ones that are there."""
        if "studiolo-superquadrics" not in mime.text():
            return False
        self.attempt(lambda: self.operations.paste(mime.text()))
        return True

    def _opened(self, path: Path, loaded: Loaded) -> None:
        self.message_bar.clear()
        value = loaded.value
        self.operations.select(())
        if isinstance(value, Shape):
            self.document.edit(f"Open {path.name}", replace(self.document.state, shape=edits.named(value)))
        else:
            self.document.edit(f"Open {path.name}", Studio(Shape(unit=value.unit), value, loaded.source))
            if value.shown_of:
                shown = f"{len(value.vertices):,}"
                self.message("subsampled", shown=shown, total=f"{value.shown_of:,}")
            if value.warnings:
                self.message("input-warnings", name=path.name, warnings="; ".join(value.warnings))
        self.scene.frame_all()

    def run_default(self) -> None:
        self.runs.run("fit")

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
            self.show_error(BadInput("No part is selected.", "Click one in the list or in the view."))
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
                self.exporter.ask(*dialog.choice())
            except StudioloError as error:
                self.show_error(error)

    def rename_selected(self) -> None:
        if self.operations.selection:
            self.inspector_.tree.edit_name(self.operations.selection[-1])

    def copy_parts(self) -> None:
        """The selected parts (or all) as JSON on the clipboard."""
        from methods.superquadrics import formats

        shape = self.operations.shape
        chosen = self.operations.parts() or shape.parts
        QGuiApplication.clipboard().setText(json.dumps(formats.to_json(shape.with_parts(chosen)), indent=1))

    def copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(self.scene.screenshot(2))

    def cycle_error_map(self) -> None:
        self.inspector_.next_error_mode()

    def redraw_solo(self, change: Callable[[], None]) -> None:
        """Do something that changes what is solo, and draw every part again."""
        change()
        self.scene.set_objects(self._content.objects(self._shown_shape, self.operations.solo))

    def _edit_requested(self, title: str, edit: Any, merge: str) -> None:
        self.attempt(lambda: self.operations.edit_geometry(title, edit, merge or None))

    def _drag_finished(self) -> None:
        self.document.end_merge()
        self.metrics.update()

    def _show_part_menu(self, place: QPoint) -> None:
        self.services.popup_menu("Parts", self)

    def _transform_started(self) -> None:
        self._transform = Transform(self.operations)

    def _transform_changed(self, delta: Delta) -> None:
        if self._transform is not None:
            with contextlib.suppress(BadInput):  # "S 0" on the way to "S 0.5"
                self._transform.apply(delta)

    def _transform_finished(self, delta: Delta) -> None:
        if self._transform is not None:
            transform, self._transform = self._transform, None
            self.attempt(lambda: transform.apply(delta))
            transform.finish()
            self.metrics.update()

    def _transform_cancelled(self) -> None:
        if self._transform is not None:
            self._transform.cancel()
            self._transform = None

    # ------------------------------------------------------------------------------------------ show

    @property
    def _shown_shape(self) -> Shape:
        return self.runs.preview or self.operations.shape

    def _document_changed(self, document: Document[Studio]) -> None:
        state = document.state
        if self._transform is not None and not self._transform.is_of(state.shape):
            # Undone, deleted, or replaced by a fit: going on would bring the shape from before back.
            self._transform = None
            self.scene.forget_transform()
        if state.target is not self._target_shown:
            self._target_shown = state.target
            self.runs.target_changed()
            self._draw_target()
        self.draw()
        self.inspector_.show_state(state, self._reading)
        self._show_selection()
        self.metrics.update(dragging=self._transform is not None or self.inspector_.editor.dragging)
        self.errors.update()

    def draw(self) -> None:
        """Bring the scene in line with the document, or with what a running fit has found."""
        changes = self._content.changes(self._shown_shape, self.operations.solo)
        if changes is None:
            self.scene.set_objects(self._content.objects(self._shown_shape, self.operations.solo))
        else:
            for changed in changes:
                self.scene.update_object(changed)

    def _draw_target(self) -> None:
        target = self.document.state.target
        if target is None:
            self.scene.clear_target()
        else:
            self.scene.set_unit(target.unit)
            self.scene.set_target(target.vertices, target.faces, target.normals, total=target.shown_of)

    def _show_selection(self) -> None:
        chosen = self.operations.selection
        self.scene.set_selection(chosen)
        self.inspector_.show_selection(self.operations.shape, chosen)
        self.services.update_commands()

    def _metrics_changed(self, reading: Reading | None) -> None:
        self._reading = reading
        self.inspector_.show_reading(self.document.state, reading)

    def update_running(self) -> None:
        """An action has started or ended."""
        self.inspector_.set_running(self.runs.running)
        self.services.update_commands()

    # --------------------------------------------------------------------------------- contract of a panel

    def commands(self) -> list[Command]:
        return panel_commands(self)

    def show_error(self, error: BaseException) -> None:
        what = getattr(error, "what", "") or f"{type(error).__name__}: {error}"
        remedy = getattr(error, "remedy", "")
        self.message("bad-input" if isinstance(error, BadInput) else "work-failed", what=what, remedy=remedy)

    def refresh_theme(self, theme: Theme) -> None:
        self.scene.set_theme(theme.dark)
        self.view_options.refresh_icons()
        self.inspector_.refresh_theme(theme)

    def picture(self) -> QImage:
        return self.scene.screenshot()

    def tour_steps(self) -> list[TourStep]:
        def select_one() -> None:
            self.select(tuple(part.id for part in self.operations.shape.parts[:1]))

        return [TourStep("fitted", select_one), TourStep("error-map", self.cycle_error_map)]

    def closing(self) -> None:
        super().closing()
        self.metrics.stop()
        self.errors.stop()
        self.scene.close_canvas()


def read(method: Method, path: Path) -> Loaded:
    """A mesh, cloud or parts file; which one is told by its suffix and its head."""
    from methods.superquadrics.formats import is_parts_file

    return load_input(method, "parts" if is_parts_file(path) else "target", path)


PANEL = SuperquadricsPanel
