"""The Jobs, Log and History docks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QPlainTextEdit,
    QProgressBar,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.jobs import Job, JobQueue
from app.project import Document
from app.project.places import state_folder
from app.shell.log_store import Line, LogStore

SHOWN_JOBS = 100
LEVELS = ("everything", "warnings", "errors")


class JobsView(QTreeWidget):
    """One row per job: name, progress, time, outcome, and a button to stop it or to see its error."""

    def __init__(self, jobs: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Jobs")
        self.setColumnCount(5)
        self.setHeaderLabels(["job", "progress", "time", "outcome", ""])
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in ((1, 52), (2, 54), (3, 66), (4, 24)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        self._rows: dict[int, QTreeWidgetItem] = {}
        self._jobs: dict[int, Job] = {}
        self._bars: dict[int, QProgressBar] = {}
        self._clock = QTimer(self)
        self._clock.setInterval(250)
        self._clock.timeout.connect(self._tick)
        jobs.subscribe(self.show_job)

    def show_job(self, job: Job) -> None:
        """Add or update a job's row; quiet previews are listed only when they fail."""
        if not job.long and job.state != "failed" and job.id not in self._rows:
            return
        if job.id not in self._rows:
            self._add(job)
        self._fill(self._rows[job.id], job)
        if job.active and not self._clock.isActive():
            self._clock.start()

    def _add(self, job: Job) -> None:
        item = QTreeWidgetItem()
        item.setText(0, job.title)
        item.setToolTip(0, job.title)
        self.insertTopLevelItem(0, item)
        self._rows[job.id], self._jobs[job.id] = item, job
        bar = QProgressBar()
        bar.setTextVisible(False)
        bar.setRange(0, 100)
        bar.setAccessibleName(f"Progress of {job.title}")
        button = QToolButton()
        button.setText("×")
        button.setProperty("role", "flat")
        button.setAccessibleName(f"Stop {job.title}")
        button.setToolTip("Stop")
        button.clicked.connect(lambda: self._press(job))
        cell = QWidget()
        middle = QVBoxLayout(cell)
        middle.setContentsMargins(4, 0, 4, 0)
        middle.addWidget(bar)
        self.setItemWidget(item, 1, cell)
        self._bars[job.id] = bar
        self.setItemWidget(item, 4, button)
        while self.topLevelItemCount() > SHOWN_JOBS:
            last = self.takeTopLevelItem(SHOWN_JOBS)
            gone = next(i for i, row in self._rows.items() if row is last)
            del self._rows[gone], self._jobs[gone], self._bars[gone]

    def _fill(self, item: QTreeWidgetItem, job: Job) -> None:
        bar, button = self._bars[job.id], self.itemWidget(item, 4)
        bar.setValue(round(100 * job.fraction))
        item.setText(2, f"{job.elapsed:.1f} s" if job.started is not None else "")
        stopping = job.active and job.token.cancelled
        item.setText(3, "stopping" if stopping else job.state)
        tip = job.text if job.active else str(job.error or job.state)
        item.setToolTip(3, tip)
        if job.state in ("done", "cancelled") and button is not None:
            self.removeItemWidget(item, 4)
        elif job.state == "failed" and button is not None:
            button.setText("…")
            button.setToolTip("Show the error")
            button.setAccessibleName(f"Show the error of {job.title}")

    def _press(self, job: Job) -> None:
        if job.active:
            job.cancel()
            self._fill(self._rows[job.id], job)
        elif job.state == "failed":
            show_job_error(job, self)

    def _tick(self) -> None:
        active = [job for job in self._jobs.values() if job.active]
        for job in active:
            self._fill(self._rows[job.id], job)
        if not active:
            self._clock.stop()


def show_job_error(job: Job, parent: QWidget) -> None:
    """The error, its remedy, and the traceback behind a button."""
    box = QMessageBox(QMessageBox.Icon.Warning, "Job failed", f"{job.title} failed.", parent=parent)
    box.setInformativeText(str(job.error))
    box.setDetailedText(job.error_text)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()


class _LinePost(QObject):
    """Carries log lines from any thread to the view."""

    posted = Signal(object)


class LogView(QWidget):
    """The log, with a filter, copy, and the folder it is also written to."""

    def __init__(self, store: LogStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setMaximumBlockCount(5000)
        self._text.setAccessibleName("Log")
        self._filter = QLineEdit()
        self._filter.setPlaceholderText("Filter")
        self._filter.setAccessibleName("Filter the log")
        self._filter.setClearButtonEnabled(True)
        self._level = QComboBox()
        self._level.addItems(LEVELS)
        self._level.setAccessibleName("Least level")
        top = QHBoxLayout()
        top.addWidget(self._filter, 1)
        top.addWidget(self._level)
        for text, act in (("Copy", self.copy), ("Folder", self._open_folder)):
            button = QToolButton()
            button.setText(text)
            button.clicked.connect(act)
            button.setAccessibleName(f"{text} (log)")
            top.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 4)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addWidget(self._text, 1)
        self._filter.textChanged.connect(self._refill)
        self._level.currentIndexChanged.connect(self._refill)
        self._post = _LinePost(self)
        self._post.posted.connect(self._append, Qt.ConnectionType.QueuedConnection)
        self._refill()
        store.listener = self._receive

    def copy(self) -> None:
        """Copy what the filter shows."""
        QGuiApplication.clipboard().setText(self._text.toPlainText())

    def detach(self) -> None:
        """The view goes away; the store lives on."""
        self._store.listener = None

    def _receive(self, line: Line) -> None:
        try:
            self._post.posted.emit(line)
        except RuntimeError:
            self._store.listener = None

    def _append(self, line: Line) -> None:
        if self._passes(line):
            self._text.appendPlainText(str(line))

    def _refill(self) -> None:
        self._text.setPlainText("\n".join(str(line) for line in self._store.lines if self._passes(line)))
        self._text.verticalScrollBar().setValue(self._text.verticalScrollBar().maximum())

    def _passes(self, line: Line) -> bool:
        allowed = {1: ("WARNING", "ERROR", "CRITICAL"), 2: ("ERROR", "CRITICAL")}.get(
            self._level.currentIndex()
        )
        words = self._filter.text().lower().split()
        return (allowed is None or line.level in allowed) and all(w in str(line).lower() for w in words)

    @staticmethod
    def _open_folder() -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(state_folder())))


class HistoryView(QListWidget):
    """The steps of the current document; a click goes there. Undone steps are greyed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("History")
        self._document: Document[Any] | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._shown: tuple[str, ...] = ()
        self.itemClicked.connect(lambda item: self._go(self.row(item)))
        self.itemActivated.connect(lambda item: self._go(self.row(item)))

    def watch(self, document: Document[Any] | None) -> None:
        """Show another document's history."""
        self._unsubscribe()
        self._document = document
        self._unsubscribe = document.subscribe(self._show) if document is not None else (lambda: None)
        self._shown = ()
        self.clear()
        if document is not None:
            self._show(document)

    def _show(self, document: Document[Any]) -> None:
        titles = document.history
        same = 0
        while same < min(len(titles), len(self._shown)) and titles[same] == self._shown[same]:
            same += 1
        for _ in range(same, len(self._shown)):
            self.takeItem(self.count() - 1)
        for title in titles[same:]:
            self.addItem(QListWidgetItem(title))
        self._shown = titles
        for row in range(self.count()):
            item, undone = self.item(row), row > document.position
            brush = self.palette().placeholderText() if undone else self.palette().text()
            if item.foreground() != brush:
                item.setForeground(brush)
        self.setCurrentRow(document.position)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._document is not None:
            self._show(self._document)

    def _go(self, row: int) -> None:
        if self._document is not None:
            self._document.end_merge()
            self._document.go_to(row)


class StatusCells(QWidget):
    """Device, memory, what runs now, and when the work was last kept."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 8, 0)
        layout.setSpacing(16)
        self.device, self.memory, self.job, self.saved, self.seed = (QLabel() for _ in range(5))
        self.bar = QProgressBar()
        self.bar.setFixedWidth(120)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of the running job")
        self.bar.hide()
        for widget in (self.device, self.memory, self.bar, self.job):
            layout.addWidget(widget)
        layout.addStretch(1)
        layout.addWidget(self.saved)
        layout.addWidget(self.seed)
        for label, name in (
            (self.device, "Device"),
            (self.memory, "Memory"),
            (self.job, "Running job"),
            (self.saved, "Autosave"),
            (self.seed, "Seed"),
        ):
            label.setAccessibleName(name)

    def show_job(self, jobs: JobQueue) -> None:
        running = [job for job in jobs.jobs if job.state == "running" and job.long]
        self.bar.setVisible(bool(running))
        if running:
            job = running[-1]
            self.bar.setValue(round(100 * job.fraction))
            self.job.setText(f"{job.title}{' · ' + job.text if job.text else ''}")
        else:
            self.job.setText("")
