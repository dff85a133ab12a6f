"""What every panel is: views in docks, a document, commands, declared messages, one latest result."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDockWidget, QMainWindow, QVBoxLayout, QWidget

from app.commands import Command, CommandRegistry
from app.jobs import JobQueue
from app.project import Document
from app.theme import Theme
from app.views.dock import DockTitle, make_dock
from app.views.message_bar import Message, MessageBar
from app.views.result_strip import ResultStrip
from methods.core.declaration import Method, Sample
from methods.core.errors import BadInput
from methods.core.results import Result

log = logging.getLogger("studiolo.panel")

__all__ = ["FAILURES", "DocumentCodec", "Message", "Panel", "Services", "TourStep"]

FAILURES = (
    Message("bad-input", "error", "{what}", "{remedy}"),
    Message("work-failed", "error", "{what}", "{remedy}"),
)
"""What :meth:`Panel.show_error` says; every panel declares these two."""


class DocumentCodec(Protocol):
    """How a document's state lies in a project file: JSON and ``.npy`` members by name."""

    def save(self, state: Any) -> dict[str, bytes]: ...

    def load(self, members: Mapping[str, bytes]) -> Any: ...


@dataclass
class Services:
    """What the window lends to a panel.

    Attributes:
        open_file_dialog: ``(title, suffixes) -> path or None``; tests replace it, as they do its sibling.
        update_commands: tells menus and toolbar to ask again what is enabled.
        seed: the seed that actions started in the window use.
    """

    jobs: JobQueue
    commands: CommandRegistry
    theme: Theme
    open_file_dialog: Callable[[str, tuple[str, ...]], str | None]
    save_file_dialog: Callable[[str, tuple[str, ...]], str | None]
    update_commands: Callable[[], None]
    popup_menu: Callable[[str, QWidget], None]
    device: Callable[[], str]
    seed: int = 0


@dataclass(frozen=True)
class TourStep:
    """One picture of the tour: its name, and what to do before it is taken."""

    name: str
    run: Callable[[], None]


class Panel(QWidget):
    """Base of all panels; subclasses add views with :meth:`add_view` and say what they can do."""

    idle = Signal()
    """The last job of the panel has ended and its result is shown."""

    result_shown = Signal(object)

    MESSAGES: tuple[Message, ...] = ()

    document: Document[Any]
    codec: DocumentCodec
    inspector: QWidget

    def __init__(self, method: Method, services: Services) -> None:
        super().__init__()
        self.method = method
        self.services = services
        self.setAccessibleName(method.title)
        self.message_bar = MessageBar()
        self.host = QMainWindow()
        self.host.setWindowFlags(Qt.WindowType.Widget)
        self.host.setDockNestingEnabled(True)
        self.strip = ResultStrip()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.message_bar)
        layout.addWidget(self.host, 1)
        layout.addWidget(self.strip)

    # ------------------------------------------------------------------------ what a subclass implements

    def commands(self) -> list[Command]:
        """The panel's commands, bound to it; they are there while the panel is the current one."""
        return []

    def accepts(self, path: Path) -> bool:
        """Whether a file looks like something this panel opens, by its suffix."""
        suffixes = {suffix for kind in self.method.kinds if kind.load for suffix in kind.suffixes}
        return path.suffix.lower() in suffixes

    def open_path(self, path: Path) -> None:
        """Open a file; what is open stays until the new one has been read."""
        raise NotImplementedError

    def run_default(self) -> None:
        """Run the method's first action on what is open."""
        raise NotImplementedError

    def open_sample(self, sample: Sample) -> None:
        self.open_path(sample.path)

    def paste(self, mime: QMimeData) -> bool:
        """Take what was pasted; False if it means nothing here."""
        return False

    def refresh_theme(self, theme: Theme) -> None:
        """The look has changed."""

    def picture(self) -> QImage:
        """A picture of the main view."""
        return self.host.grab().toImage()

    def tour_steps(self) -> list[TourStep]:
        """What ``studiolo tour`` shows after the first run."""
        return [TourStep("result", lambda: None)]

    def closing(self) -> None:
        """The panel goes away: release jobs and native resources."""
        self.services.jobs.release(self)

    # -------------------------------------------------------------------------------- what it gets for free

    @property
    def busy(self) -> bool:
        """Whether a job of this panel waits or runs."""
        return self.services.jobs.busy(self)

    def add_view(
        self,
        view_id: str,
        title: str,
        widget: QWidget,
        area: Qt.DockWidgetArea = Qt.DockWidgetArea.LeftDockWidgetArea,
    ) -> QDockWidget:
        """Add a dockable view."""
        dock = make_dock(f"{self.method.id}.{view_id}", title, widget, self.services.theme.icon)
        self.host.addDockWidget(area, dock)
        return dock

    def docks(self) -> list[QDockWidget]:
        return self.host.findChildren(QDockWidget)

    def refresh_icons(self) -> None:
        for title in self.host.findChildren(DockTitle):
            title.refresh_icons()

    def message(self, message_id: str, **fields: object) -> None:
        """Show one of :attr:`MESSAGES`.

        Raises:
            KeyError: the panel has not declared this message.
        """
        declared = {message.id: message for message in self.MESSAGES}[message_id]
        text = self.message_bar.show_message(declared, fields)
        level = {"error": logging.ERROR, "warning": logging.WARNING}.get(declared.severity, logging.INFO)
        log.log(level, "%s: %s", self.method.title, text)

    def show_error(self, error: BaseException) -> None:
        """Say what went wrong and what can be done about it."""
        what = getattr(error, "what", "") or f"{type(error).__name__}: {error}"
        remedy = getattr(error, "remedy", "")
        self.message("bad-input" if isinstance(error, BadInput) else "work-failed", what=what, remedy=remedy)

    def result_ready(self, result: Result) -> None:
        """Show how the latest result can be copied."""
        self.strip.show_result(result, self.method.action(result.provenance.action).title)
        self.result_shown.emit(result)
        self.services.update_commands()
