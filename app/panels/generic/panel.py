"""A working panel for any method: open, run, look at the figures, export; all from its declaration."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt

from app.commands import Command
from app.jobs import Job
from app.panels.base import Panel, Services
from app.panels.generic import chaining
from app.panels.generic.commands import panel_commands
from app.panels.generic.document import Setup, SetupCodec
from app.panels.generic.inspector import Inspector, built
from app.panels.generic.messages import MESSAGES
from app.panels.generic.result_view import ArraysView, EntriesView, FiguresView
from app.project import Document
from app.project.places import state_folder
from methods.core.atomic import write_atomically
from methods.core.context import Context
from methods.core.declaration import Action, Input, Method, Sample
from methods.core.devices import choose
from methods.core.errors import BadInput, StudioloError
from methods.core.results import Result
from methods.core.runner import Loaded, load_input, run_action, save_output


class GenericPanel(Panel):
    """Reads the declaration of its method and nothing else."""

    MESSAGES = MESSAGES

    def __init__(self, method: Method, services: Services) -> None:
        super().__init__(method, services)
        self.document: Document[Setup] = Document(Setup(), "Empty")
        self.codec = SetupCodec()
        self._loaded: dict[tuple[str, str], Loaded] = {}
        self._latest: tuple[str, Result] | None = None  # its value is in memory; the text is the document's
        self._shown = ""
        self._job: Job | None = None

        areas = Qt.DockWidgetArea
        self.figures, self.entries, self.arrays = FiguresView(method), EntriesView(), ArraysView()
        self.add_view("figures", "Figures", self.figures)
        self.add_view("entries", "Entries", self.entries, areas.RightDockWidgetArea)
        self.add_view("arrays", "Distribution", self.arrays, areas.RightDockWidgetArea)
        self.inspector = self.inspector_ = Inspector(method)
        self._connect()
        self.document.subscribe(lambda _: self._show())
        self._unsubscribe = services.jobs.subscribe(self._job_changed)
        self.refresh_theme(services.theme)
        self._show()

    def _connect(self) -> None:
        inspector = self.inspector_
        self.figures.entries_chosen.connect(self.entries.show_entries)
        self.figures.sample_requested.connect(self.open_sample)
        inspector.action_chosen.connect(self.choose_action)
        inspector.file_requested.connect(self._ask_file)
        inspector.parameters_changed.connect(self._parameters_changed)
        inspector.run_requested.connect(self.run_default)
        inspector.stop_requested.connect(self.stop)
        inspector.export_requested.connect(self.ask_export)

    # ------------------------------------------------------------------------------------------- open

    @property
    def action(self) -> Action:
        """The chosen action; the first one where the document names none that exists."""
        wanted = self.document.state.action
        return next((a for a in self.method.actions if a.id == wanted), self.method.actions[0])

    def accepts(self, path: Path) -> bool:
        return bool(self._places(path))

    def open_path(self, path: Path) -> None:
        """Read a file for the first input that takes it; what is open stays until that has worked."""
        self._open(path, self._places(path))

    def open_sample(self, sample: Sample) -> None:
        places = self._places(sample.path)
        self._open(sample.path, [p for p in places if p[1].kind == sample.kind] or places)

    def _places(self, path: Path) -> list[tuple[Action, Input]]:
        """Inputs that might take a file: the chosen action's first, empty ones before filled ones."""
        state, chosen, suffix = self.document.state, self.action, path.suffix.lower()
        places = []
        for action in self.method.actions:
            for declared in action.inputs:
                kind = self.method.kind(declared.kind)
                anything = not kind.suffixes and not kind.folder
                fits = path.is_dir() if kind.folder else suffix in kind.suffixes
                if fits or (action is chosen and anything):
                    rank = (action is not chosen, anything, bool(state.file(declared.name)))
                    places.append((rank, action, declared))
        return [(action, declared) for _, action, declared in sorted(places, key=lambda place: place[0])]

    def _open(self, path: Path, places: list[tuple[Action, Input]]) -> None:
        if not places:
            known = dict.fromkeys(s for kind in self.method.kinds if kind.load for s in kind.suffixes)
            self.message("no-input-fits", name=path.name, method=self.method.title, known=", ".join(known))
            return

        def work(context: Context) -> tuple[Action, Input, Loaded]:
            failures = []
            for action, declared in places:
                context.check()
                try:
                    return action, declared, load_input(self.method, declared.kind, path)
                except BadInput as error:
                    failures.append(error)
            raise failures[0]

        self.services.jobs.submit(
            f"Open {path.name}",
            work,
            owner=self,
            on_done=lambda found: self._opened(path, *found),
            on_error=self.show_error,
            on_finished=lambda _: self.idle.emit(),
        )

    def _opened(self, path: Path, action: Action, declared: Input, loaded: Loaded) -> None:
        self.message_bar.clear()
        state = self.document.state
        files = {declared.name: str(path)}
        # A file opened once serves every input of its kind that has none yet.
        for other in (i for a in self.method.actions for i in a.inputs):
            kind = self.method.kind(other.kind)
            same_kind = other.kind == declared.kind or not (kind.suffixes or kind.folder)
            if same_kind and not state.file(other.name):
                files[other.name] = str(path)
        state = replace(state.with_files(files), action=action.id)
        kept = {file for _, file in state.files}
        self._loaded = {key: value for key, value in self._loaded.items() if key[1] in kept}
        self._loaded[declared.kind, str(path)] = loaded
        self.document.edit(f"Open {path.name}", state)

    def _ask_file(self, name: str) -> None:
        declared = next(i for i in self.action.inputs if i.name == name)
        suffixes = self.method.kind(declared.kind).suffixes
        chosen = self.services.open_file_dialog(f"Open {name}", suffixes)
        if chosen:
            self._open(Path(chosen), [(self.action, declared)])

    # ----------------------------------------------------------------------------------------- adjust

    def choose_action(self, action_id: str) -> None:
        """Show another action; its parameters are as they were left."""
        if action_id != self.action.id:
            title = f"Choose {self.method.action(action_id).title}"
            self.document.edit(title, replace(self.document.state, action=action_id), merge="action")

    def _parameters_changed(self, action_id: str, changed: dict[str, Any]) -> None:
        state, action = self.document.state, self.method.action(action_id)
        if changed == state.changed_parameters(action_id):
            return
        new = state.with_parameters(action_id, changed)
        self.document.edit(f"Parameters of {action.title}", new, merge=f"parameters:{action_id}")
        if not action.long and self._missing(action) is None:
            self._submit(live=True)

    def _missing(self, action: Action) -> Input | None:
        """The first required input without a file."""
        state = self.document.state
        return next((i for i in action.inputs if i.required and not state.file(i.name)), None)

    # -------------------------------------------------------------------------------------------- run

    @property
    def running(self) -> bool:
        return self._job is not None

    def run_default(self) -> None:
        """Run the chosen action on the chosen files."""
        missing = self._missing(self.action)
        if self.running:
            return
        if missing is not None:
            self.message("input-missing", action=self.action.title, help=missing.help)
            return
        self._submit()

    def _submit(self, live: bool = False) -> None:
        """Queue a run; live ones follow a slider, so only the newest waiting one is kept."""
        action, state = self.action, self.document.state
        params = built(action, state.changed_parameters(action.id))
        try:
            device = choose(self.services.device(), action.torch)
        except StudioloError as error:
            self.show_error(error)
            return
        files = {i.name: (i.kind, state.file(i.name)) for i in action.inputs if state.file(i.name)}
        loaded, chains = dict(self._loaded), not live and bool(chaining.takers(self.method, action))

        def work(context: Context) -> tuple[Result, str]:
            inputs = {}
            for name, (kind, path) in files.items():
                context.check()
                inputs[name] = loaded.get((kind, path)) or load_input(self.method, kind, path)
            result = run_action(self.method, action, inputs, params, context)
            folder = state_folder() / "inputs"
            return result, chaining.keep(self.method, action, result, folder) if chains else ""

        job = self.services.jobs.submit(
            action.title,
            work,
            owner=self,
            seed=self.services.seed,
            device=device,
            long=not live,
            coalesce="live" if live else None,
            on_done=lambda done: self._done(*done, live_params=params if live else None),
            on_error=self.show_error,
            on_finished=self._finished,
        )
        if not live:
            self.document.end_merge()
            self._job = job
            self._update_running()

    def stop(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _done(self, result: Result, kept_as: str, live_params: Any) -> None:
        """Show a result; a live one only while its parameters are still the chosen ones."""
        action = self.method.action(result.provenance.action)
        live = live_params is not None
        if live and live_params != built(action, self.document.state.changed_parameters(action.id)):
            return
        text = json.dumps(result.to_dict(), default=str)
        self._latest = (text, result)
        # The result of a moved slider belongs to the step that the slider made.
        merge = f"parameters:{action.id}" if live else None
        title = f"Parameters of {action.title}" if live else f"{action.title} done"
        state = replace(self.document.state, result=text)
        if kept_as:
            own = {i.name for i in action.inputs}  # running again starts from the same file
            names = [i.name for i in chaining.takers(self.method, action) if i.name not in own]
            mine = str(state_folder())
            free = [name for name in names if not state.file(name) or state.file(name).startswith(mine)]
            state = state.with_files(dict.fromkeys(free, kept_as))
        self.document.edit(title, state, merge=merge)
        if result.warnings:
            self.message("result-warnings", action=action.title, warnings="; ".join(result.warnings))
        self.result_ready(result)

    def _finished(self, job: Job) -> None:
        if job is self._job:
            self._job = None
            if job.state == "cancelled":
                self.message("stopped", action=job.title)
            self._update_running()
        self.idle.emit()

    def _job_changed(self, job: Job) -> None:
        if job is self._job:
            self.inspector_.show_progress(job.fraction, job.text)

    def _update_running(self) -> None:
        self.inspector_.set_running(self.running)
        self.services.update_commands()

    # ------------------------------------------------------------------------------------------- show

    def _show(self) -> None:
        state = self.document.state
        self.inspector_.show_state(state, self.action)
        if state.result != self._shown:
            self._shown = state.result
            self.figures.show_result(state.shown_result)
            result = self.result_in_memory()
            self.arrays.show_value(result.value if result is not None else None)
        self.inspector_.set_can_export(bool(state.result))
        self.services.update_commands()

    def result_in_memory(self) -> Result | None:
        """The shown result with its value; None when only its figures are known, as after an undo."""
        if self._latest is None or self._latest[0] != self.document.state.result:
            return None
        return self._latest[1]

    def refresh_theme(self, theme: Any) -> None:
        self.arrays.histogram.refresh_theme(theme)

    # ----------------------------------------------------------------------------------------- export

    def ask_export(self) -> None:
        """Write the value of the shown result in one of its kind's formats."""
        result = self.result_in_memory()
        if result is None or result.value is None:
            self.message("result-gone")
            return
        kind = self.method.kind(self.method.action(result.provenance.action).output)
        path = self.services.save_file_dialog(f"Export {kind.title}", kind.suffixes)
        if path:
            self.services.jobs.submit(
                f"Export {Path(path).name}",
                lambda context: save_output(self.method, kind.id, result.value, path),
                owner=self,
                on_done=lambda _: self.message("exported", path=path),
                on_error=self.show_error,
            )

    def ask_export_table(self) -> None:
        path = self.services.save_file_dialog("Export figures", (".csv",))
        if path:
            try:
                write_atomically(Path(path), self.csv().encode())
            except StudioloError as error:
                self.show_error(error)
                return
            self.message("exported", path=path)

    def csv(self) -> str:
        """The entries if some are shown, else the figures."""
        return (self.entries.table if self.entries.table.rows else self.figures.table).csv()

    def commands(self) -> list[Command]:
        return panel_commands(self)

    def closing(self) -> None:
        super().closing()
        self._unsubscribe()


PANEL = GenericPanel
