"""The privacy panel: open what an agent would see, type the task, see and decide what leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QPoint
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QDialog
from shiboken6 import isValid

from app.commands import Command
from app.panels.base import Panel, Services, TourStep
from app.panels.minim.commands import panel_commands
from app.panels.minim.companions import PICTURES
from app.panels.minim.deciding import Deciding
from app.panels.minim.dialogs import SecretsDialog
from app.panels.minim.document import TAU_N, TAU_S, Masking, MaskingCodec
from app.panels.minim.exporting import Exporter
from app.panels.minim.inspector import Inspector
from app.panels.minim.linked_views import LinkedViews
from app.panels.minim.messages import MESSAGES
from app.panels.minim.opening import Opening
from app.panels.minim.scoring import Scoring
from app.panels.minim.showing import Showing
from app.panels.minim.task_bar import TaskBar
from app.panels.minim.traces import Traces
from app.panels.minim.why import explain, influences
from app.panels.minim.why_popover import WhyPopover
from app.project import Document
from app.theme import Theme
from methods.core.declaration import Method, Sample

if TYPE_CHECKING:
    from app.panels.minim.readings import Scored
    from methods.minim.explain import Explanation
    from methods.minim.observation import Element


class MinimPanel(Panel):
    """Wires document, views and jobs together; what each does lies in its own module."""

    MESSAGES = MESSAGES

    def __init__(self, method: Method, services: Services) -> None:
        super().__init__(method, services)
        self.document: Document[Masking] = Document(Masking(), "Empty")
        self.selected: int | None = None
        self.scoring = Scoring(services.jobs, lambda: self.document.state, self, self)
        self.codec = MaskingCodec(self.scoring.tokens)
        self.exporter = Exporter(self)
        self.traces = Traces(self)
        self.opening = Opening(self)
        self.deciding = Deciding(self)
        self.task_bar = TaskBar()
        self.layout().insertWidget(1, self.task_bar)  # type: ignore[union-attr]
        self.views = LinkedViews(self)
        self.inspector = self.inspector_ = Inspector()
        self.showing = Showing(self)
        self._connect()
        self.document.subscribe(lambda _: self._document_changed())
        self.refresh_theme(services.theme)
        self._document_changed()

    def _connect(self) -> None:
        bar, views, inspector = self.task_bar, self.views, self.inspector_
        bar.task_edited.connect(self.set_task)
        bar.task_finished.connect(self.document.end_merge)
        bar.example_chosen.connect(self._choose_example)
        bar.step_requested.connect(self.traces.step)
        views.selected.connect(self.select)
        views.threshold_moved.connect(self.move_threshold)
        element, policy = inspector.element, inspector.policy
        element.ruled.connect(self.deciding.rule)
        element.lock_requested.connect(lambda _: self.deciding.toggle_lock())
        element.withdrawn.connect(self.deciding.withdraw)
        element.why_requested.connect(self.show_why)
        policy.threshold_moved.connect(self.move_threshold)
        policy.operator_chosen.connect(self.choose_operator)
        policy.secrets_requested.connect(self.ask_secrets)
        inspector.observation.exposed_chosen.connect(self.select)
        inspector.open_requested.connect(lambda: self.services.commands.run("file.open"))
        inspector.sample_requested.connect(lambda: self.open_sample(self.method.samples[0]))
        inspector.export.export_requested.connect(self.exporter.ask)
        self.scoring.decided.connect(self.showing.decisions)
        self.scoring.checked.connect(self.showing.check)
        self.scoring.failed.connect(self.show_error)

    # ------------------------------------------------------------------------------------------ open

    def accepts(self, path: Path) -> bool:
        return path.is_dir() or path.suffix.lower() in PICTURES or super().accepts(path)

    def open_path(self, path: Path) -> None:
        """An observation, a folder of them, or a screenshot for the one that is open."""
        self.opening.path(path)

    def open_sample(self, sample: Sample) -> None:
        self.opening.path(sample.path)

    def paste(self, mime: QMimeData) -> bool:
        return mime.hasText() and self.opening.text(mime.text())

    def doubts(self) -> tuple[str, ...]:
        """Why boxes may not match the picture."""
        return self.showing.doubts()

    def run_default(self) -> None:
        """Nothing is to be started: everything follows the document."""
        if self.document.state.observation is None:
            self.message("nothing-open")
        else:
            self.scoring.update()

    # ------------------------------------------------------------------------------------------ edit

    @property
    def selected_element(self) -> Element | None:
        observation = self.document.state.observation
        if observation is None or self.selected is None or self.selected >= len(observation.elements):
            return None
        return observation.elements[self.selected]

    def select(self, uid: int) -> None:
        """Select an element everywhere; a negative id selects nothing."""
        self.selected = uid if uid >= 0 else None
        self.showing.selection()
        self.services.update_commands()

    def select_near(self, by: int) -> None:
        """The next or previous element that has a text."""
        observation = self.document.state.observation
        filled = [e.uid for e in observation.elements if e.text] if observation is not None else []
        if filled:
            at = self.selected if self.selected is not None else -by
            later = [u for u in filled if u > at] if by > 0 else [u for u in reversed(filled) if u < at]
            self.select(later[0] if later else filled[0 if by > 0 else -1])

    def set_task(self, task: str) -> None:
        if task != self.document.state.task:
            self.document.edit(f"Task “{task[:40]}”", replace(self.document.state, task=task), merge="task")

    def _choose_example(self, task: str) -> None:
        self.document.end_merge()
        self.set_task(task)
        self.document.end_merge()
        self.task_bar.show_task(task)

    def focus_task(self) -> None:
        self.task_bar.box.setFocus()
        self.task_bar.box.selectAll()

    def move_threshold(self, axis: str, value: float, final: bool = True) -> None:
        """``axis`` is ``n`` or ``s``; a drag is one step of the history."""
        state = self.document.state
        field = "tau_n" if axis == "n" else "tau_s"
        if value != getattr(state, field):
            title = f"τ {'necessity' if axis == 'n' else 'sensitivity'} {value:.2f}"
            self.document.edit(title, replace(state, **{field: float(value)}), merge=field)
        if final:
            self.document.end_merge()

    def reset_thresholds(self) -> None:
        self.document.edit("Thresholds of the paper", replace(self.document.state, tau_n=TAU_N, tau_s=TAU_S))

    def choose_operator(self, types: tuple[str, ...], operator: str) -> None:
        what = types[0] if len(types) == 1 else "everything"
        state = self.document.state.with_operator(types, operator)
        self.document.edit(f"Abstract {what} as {operator}", state)

    def ask_secrets(self) -> None:
        dialog = SecretsDialog(self.document.state.secrets, self)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self.set_secrets(dialog.secrets())

    def set_secrets(self, secrets: tuple[str, ...]) -> None:
        state = self.document.state
        if secrets != state.secrets:
            self.document.edit(f"{len(secrets)} own secrets", replace(state, secrets=secrets))
            for short in (secret for secret in secrets if len(secret) < 4):
                self.message("short-secret", length=len(short))

    # ------------------------------------------------------------------------------------------ show

    def show_why(self) -> None:
        """Open the popover for the selected element."""
        element, scoring = self.selected_element, self.scoring
        if element is None or scoring.scored is None or scoring.decisions is None:
            return
        why = explain(scoring.scored, scoring.decisions, self.document.state, scoring.overrides, element.uid)
        corner = self.inspector_.element.mapToGlobal(QPoint(-8, 0))
        self.popover = WhyPopover(why, self.services.theme.tokens, self)
        self.popover.show_at(corner)
        self.scoring.ask_evidence(element.uid, self._show_evidence)

    def _show_evidence(self, scored: Scored, evidence: Explanation) -> None:
        if isValid(self.popover) and scored is self.scoring.scored:
            self.popover.add_influences(influences(scored.page.observation, evidence))

    def copy_text(self) -> None:
        outgoing = self.scoring.outgoing
        if outgoing is not None and self.scoring.current and outgoing.ok:
            QGuiApplication.clipboard().setText(outgoing.redaction.source)

    def _document_changed(self) -> None:
        self.showing.document()
        self.scoring.update()
        self.services.update_commands()

    # --------------------------------------------------------------------------------- contract of a panel

    def commands(self) -> list[Command]:
        return panel_commands(self)

    def refresh_theme(self, theme: Theme) -> None:
        self.views.refresh_theme(theme)
        self.task_bar.refresh_icons(theme)
        self.inspector_.refresh_theme(theme.tokens)

    def picture(self) -> QImage:
        return self.host.grab().toImage()

    def tour_steps(self) -> list[TourStep]:
        def other_task() -> None:
            examples: Any = self.document.state.examples
            if len(examples) > 1:
                self._choose_example(examples[1])

        return [
            TourStep("scored", lambda: self.select_near(1)),
            TourStep("other-task", other_task),
        ]

    def closing(self) -> None:
        super().closing()
        self.scoring.stop()
        self.showing.stop()


PANEL = MinimPanel
