"""The main window: puts the parts together and passes wishes on; what they do lies in their own modules."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.commands import CommandRegistry
from app.jobs import Job, JobQueue
from app.jobs.bridge import MainThread
from app.panels import panel_class
from app.panels.base import Panel, Services
from app.project.file import SUFFIX
from app.shell import file_dialogs, layout
from app.shell.actions import Actions
from app.shell.docks import HistoryView, JobsView, LogView, StatusCells
from app.shell.frame import Rail, TopBar
from app.shell.log_store import LogStore
from app.shell.palette import CommandPalette, ShortcutSheet
from app.shell.projects import Projects
from app.shell.settings import Settings
from app.shell.start_page import StartPage
from app.shell.window_commands import window_commands
from app.theme import Theme
from app.views.dock import DockTitle, make_dock
from methods.core import methods
from methods.core.declaration import Method, Sample
from methods.core.opening import openers

log = logging.getLogger("studiolo.window")

QUIT_SECONDS = 1.5
"""What running jobs get to stop; with saving, quitting stays below two seconds."""


class MainWindow(QMainWindow):
    """One window, one project, one panel at a time."""

    def __init__(
        self, settings: Settings, theme: Theme, log_store: LogStore, safe_mode: bool = False
    ) -> None:
        super().__init__()
        self.settings, self.theme, self.log_store = settings, theme, log_store
        self.setWindowTitle("Studiolo")
        self.setAcceptDrops(True)
        self.resize(1440, 900)
        self.projects = Projects(self)
        self.session, self.autosave = self.projects.session, self.projects.autosave
        self.registry = CommandRegistry()
        self.registry.set_shortcuts(settings["shortcuts"])
        self._bridge = MainThread(self)
        self.jobs = JobQueue(self._bridge.deliver)
        self.panels: dict[str, Panel] = {}
        self.stuck = False
        self._leaving = False
        self._process: Any = None
        self._build()
        self.actions_ = Actions(self, self.registry, theme)
        self.registry.add(window_commands(self), owner=self)
        self.session.subscribe(self._session_changed)
        self.jobs.subscribe(self._job_changed)
        theme.changed.connect(self._theme_changed)
        self._safe_mode = safe_mode
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self._tick)
        self._clock.start()
        self._default_layout = layout.capture(self)
        if not safe_mode:
            self._restore_layout()
        self.show_start()
        # Icons come from a font that takes a moment to load: first paint, then icons.
        QTimer.singleShot(0, self._theme_changed)

    # ------------------------------------------------------------------------------------------ build

    def _build(self) -> None:
        self.rail = Rail(methods())
        self.top = TopBar()
        self.start = StartPage(methods(), self.theme.icon)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.start)
        self._drop_hint = QFrame(self)
        self._drop_hint.setProperty("role", "drop")
        self._drop_hint.hide()
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(self.stack, 1)
        column.addLayout(row, 1)
        self.setCentralWidget(middle)

        self.inspector = QStackedWidget()
        self.inspector.addWidget(QWidget())
        self.jobs_view, self.history, self.log_view = (
            JobsView(self.jobs),
            HistoryView(),
            LogView(self.log_store),
        )
        areas = Qt.DockWidgetArea
        self.docks: dict[str, QDockWidget] = {}
        for dock_id, title, widget, area in (
            ("inspector", "Inspector", self.inspector, areas.RightDockWidgetArea),
            ("jobs", "Jobs", self.jobs_view, areas.BottomDockWidgetArea),
            ("history", "History", self.history, areas.BottomDockWidgetArea),
            ("log", "Log", self.log_view, areas.BottomDockWidgetArea),
        ):
            dock = make_dock(dock_id, title, widget, self.theme.icon)
            self.addDockWidget(area, dock)
            self.docks[dock_id] = dock
        self.setCorner(Qt.Corner.BottomRightCorner, areas.RightDockWidgetArea)
        self.resizeDocks([self.docks["inspector"]], [372], Qt.Orientation.Horizontal)
        self.resizeDocks(
            [self.docks[d] for d in ("jobs", "history", "log")], [150] * 3, Qt.Orientation.Vertical
        )
        self.cells = StatusCells()
        self.statusBar().addWidget(self.cells, 1)
        self.statusBar().setSizeGripEnabled(False)

        self.rail.chosen.connect(lambda i: self.show_panel(i) if i else self.show_start())
        self.top.search_requested.connect(self.show_palette)
        self.top.open_requested.connect(self.ask_open)
        self.top.export_requested.connect(lambda: self.registry.run("export.any"))
        self.top.copy_requested.connect(self.copy_command)
        self.start.sample_requested.connect(self.open_sample)
        self.start.file_requested.connect(lambda method: self.ask_open(method))
        self.start.panel_requested.connect(lambda method: self.show_panel(method.id))
        self.start.recent_requested.connect(lambda path: self.open_files([Path(path)]))
        self.start.recent_forgotten.connect(self._forget_recent)

    # ----------------------------------------------------------------------------------------- panels

    @property
    def panel(self) -> Panel | None:
        """The panel that is shown, None on the start page."""
        widget = self.stack.currentWidget()
        return widget if isinstance(widget, Panel) else None

    def show_start(self) -> None:
        self._leave_panel()
        self.start.show_recent(self.settings["recent"])
        self.stack.setCurrentWidget(self.start)
        self.docks["inspector"].hide()
        self._show_place()

    def show_panel(self, method_id: str) -> Panel:
        """Show the panel of a method, opened if it is not open yet."""
        panel = self.panel_of(method_id)
        self._leave_panel()
        self.stack.setCurrentWidget(panel)
        self.inspector.setCurrentWidget(panel.inspector)
        self.docks["inspector"].show()
        self.registry.add(panel.commands(), owner=panel)
        self.history.watch(panel.document)
        self.session.active = method_id
        self._show_place()
        return panel

    def panel_of(self, method_id: str) -> Panel:
        """The panel of a method, opened if it is not open yet, whether it is shown or not."""
        return self.panels.get(method_id) or self._open_panel(method_id)

    def close_panel(self) -> None:
        """Close the shown panel; its document stays in the project until the window closes."""
        panel = self.panel
        if panel is not None:
            self.show_start()
            self._dispose(panel)

    def _dispose(self, panel: Panel) -> None:
        self.panels = {i: p for i, p in self.panels.items() if p is not panel}
        panel.closing()
        self.session.remove(panel.method.id)
        self.stack.removeWidget(panel)
        self.inspector.removeWidget(panel.inspector)
        panel.inspector.deleteLater()
        panel.deleteLater()

    def _open_panel(self, method_id: str) -> Panel:
        method = next(m for m in methods() if m.id == method_id)
        services = Services(
            jobs=self.jobs,
            commands=self.registry,
            theme=self.theme,
            open_file_dialog=self.open_file_dialog,
            save_file_dialog=self.save_file_dialog,
            update_commands=self.actions_.update,
            popup_menu=lambda title, parent: self.actions_.menu(title, parent).exec(self.cursor().pos()),
            device=lambda: self.settings["device"],
            seed=self.settings["seed"],
        )
        panel = panel_class(method_id)(method, services)
        self.session.add(method_id, panel.document, panel.codec)
        self.panels[method_id] = panel
        self.stack.addWidget(panel)
        self.inspector.addWidget(panel.inspector)
        panel.result_shown.connect(lambda _: self._show_place())
        panel.refresh_icons()
        return panel

    def _leave_panel(self) -> None:
        if self.panel is not None:
            self.registry.remove(self.panel)
            self.history.watch(None)

    def _show_place(self) -> None:
        panel = self.panel
        self.rail.show_chosen(panel.method.id if panel else "")
        self.top.show_place(panel.method.title if panel else "", self.session.title, self.session.dirty)
        self.top.export.setVisible(panel is not None)
        self.top.copy.setVisible(panel is not None and panel.strip.result is not None)
        self.setWindowTitle(f"{self.session.title}{'*' if self.session.dirty else ''} – Studiolo")

    # ------------------------------------------------------------------------------------------- open

    def open_sample(self, method: Method, sample: Sample) -> None:
        self.show_panel(method.id).open_sample(sample)

    def ask_open(self, method: Method | None = None) -> None:
        """Ask for files: of one method, of the shown one, or anything."""
        method = method or (self.panel.method if self.panel else None)
        kinds = method.kinds if method else tuple(k for m in methods() for k in m.kinds)
        suffixes = tuple(dict.fromkeys(s for kind in kinds if kind.load for s in kind.suffixes))
        chosen = self.open_file_dialog("Open", (*suffixes, SUFFIX))
        if chosen:
            self.open_files([Path(chosen)], method)

    def open_files(self, paths: list[Path], method: Method | None = None) -> None:
        """Open projects as projects, other files in the shown panel if it takes them, else where they fit."""
        for path in paths:
            if path.suffix.lower() == SUFFIX:
                self.projects.open(path)
                continue
            panel = self.show_panel(method.id) if method else self.panel
            fitting = [method] if method else openers(path, methods())
            elsewhere = bool(fitting) and panel is not None and panel.method not in fitting
            if panel is None or not panel.accepts(path) or elsewhere:
                if not fitting:
                    self.tell(f"{path.name}: no method opens {path.suffix or 'files without a suffix'}.")
                    continue
                panel = self.show_panel(fitting[0].id)
            if path.exists():
                self.settings.add_recent(path)
            panel.open_path(path)

    def paste(self) -> None:
        mime = QGuiApplication.clipboard().mimeData()
        self._take_mime(mime if mime is not None else QMimeData())

    def _take_mime(self, mime: QMimeData) -> None:
        files = [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
        if files:
            self.open_files(files)
        elif self.panel is None or not self.panel.paste(mime):
            self.statusBar().showMessage("Nothing on the clipboard that could be opened here", 4000)

    def _forget_recent(self, path: str) -> None:
        self.settings.remove_recent(path)
        self.start.show_recent(self.settings["recent"])

    # ------------------------------------------------------------------------------------ small services

    def open_file_dialog(self, title: str, suffixes: tuple[str, ...]) -> str | None:
        return file_dialogs.ask_open(self, self.settings, title, suffixes)

    def save_file_dialog(self, title: str, suffixes: tuple[str, ...]) -> str | None:
        return file_dialogs.ask_save(self, self.settings, title, suffixes)

    def ask_to_save(self, title: str) -> str:
        from app.shell.dialogs import ask_to_save

        return ask_to_save(self, title)

    def tell(self, text: str) -> None:
        """A message that belongs to no panel; never blocks."""
        log.warning("%s", text)
        box = QMessageBox(QMessageBox.Icon.Information, "Studiolo", text, parent=self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def copy_command(self) -> None:
        if self.panel is not None and self.panel.strip.copy_command():
            self.statusBar().showMessage("The command is on the clipboard", 3000)

    def show_palette(self) -> None:
        CommandPalette(self.registry, self).show()

    def show_keys(self) -> None:
        ShortcutSheet(self.registry, self.settings, self).show()

    def set_theme(self, mode: str) -> None:
        self.settings.set("theme", mode)
        self.theme.set_mode(mode)

    def reset_layout(self) -> None:
        layout.apply(self, {"docks": self._default_layout["docks"]})
        self.docks["inspector"].setVisible(self.panel is not None)

    def save_layout(self, name: str) -> None:
        self.settings.set("layouts", {**self.settings["layouts"], name: layout.capture(self)})

    def apply_layout(self, name: str) -> None:
        layout.apply(self, self.settings["layouts"].get(name))

    # ----------------------------------------------------------------------------------------- follow

    def _restore_layout(self) -> None:
        """Unless the last start died while doing so."""
        if self.settings["restoring_layout"]:
            log.warning("The last start did not survive its layout; starting with the default one.")
            self.settings.set("restoring_layout", False)
            return
        saved = self.settings["last_layout"]
        if saved is not None:
            self.settings.set("restoring_layout", True)
            layout.apply(self, saved)
            self.settings.set("restoring_layout", False)

    def _theme_changed(self) -> None:
        self.rail.refresh_icons(self.theme)
        for title in self.findChildren(DockTitle):
            title.refresh_icons()
        for panel in self.panels.values():
            panel.refresh_icons()
            panel.refresh_theme(self.theme)

    def _session_changed(self) -> None:
        self._show_place()

    def _job_changed(self, job: Job) -> None:
        self.cells.show_job(self.jobs)
        if not job.active:
            self.actions_.update()

    def _tick(self) -> None:
        import psutil  # not needed before the first second is over

        self._process = self._process or psutil.Process()
        self.autosave.poll()
        self.cells.device.setText(f"{self.settings['device']} · {psutil.cpu_count()} threads")
        self.cells.memory.setText(f"memory {self._process.memory_info().rss / 1024**3:.2f} GB")
        self.cells.seed.setText(f"seed {self.settings['seed']}")
        last = self.autosave.last
        kept = f"autosaved {round(time.monotonic() - last)} s ago" if last and self.session.dirty else ""
        self.cells.saved.setText(kept)

    # ------------------------------------------------------------------------------------- Qt's own calls

    def sizeHint(self) -> QSize:
        return QSize(1440, 900)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
            self._drop_hint.setGeometry(self.centralWidget().geometry().adjusted(8, 8, -8, -8))
            self._drop_hint.raise_()
            self._drop_hint.show()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drop_hint.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._drop_hint.hide()
        event.acceptProposedAction()
        self._take_mime(event.mimeData())

    def closeEvent(self, event: QCloseEvent) -> None:
        # Qt closes the windows once more when the application quits: what there was to ask has been asked.
        if self._leaving:
            event.accept()
            return
        if not self.projects.may_discard():
            event.ignore()
            return
        self.shut_down()
        event.accept()

    def shut_down(self, keep_work: bool = False) -> None:
        """Stop jobs, keep layout and settings; with ``keep_work`` unsaved work stays recoverable."""
        self._leaving = True
        self._clock.stop()
        self.settings.set("last_layout", layout.capture(self))
        self.stuck = not self.jobs.shutdown(QUIT_SECONDS)
        for panel in self.panels.values():
            panel.closing()
        if keep_work:
            self.autosave.flush()
        else:
            self.autosave.remove()
        self.log_view.detach()
        QGuiApplication.quit()
