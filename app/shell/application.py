"""Starts Qt, the window and everything that must be in place before them."""

from __future__ import annotations

import logging
import os
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from app.project.places import config_folder, state_folder
from app.shell.faults import Faults, watch_crashes
from app.shell.log_store import LogStore, install
from app.shell.settings import Settings
from app.theme import Theme
from app.window import MainWindow
from methods.core.declaration import ASSETS
from methods.core.version import __version__

log = logging.getLogger("studiolo")

SWITCH_INTERVAL = 0.001
"""Seconds a worker may hold the interpreter: the default of 5 ms makes two of five frames late."""


def make_application() -> QApplication:
    """The QApplication, with what has to be set before it exists."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    if os.environ.get("XDG_SESSION_TYPE") == "wayland" or os.environ.get("WAYLAND_DISPLAY"):
        # vispy draws through PyOpenGL, which must know the platform before it is first imported.
        os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
    # Without shared contexts a 3D view goes blank when its dock floats, as Qt then makes a new context.
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Studiolo")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("studiolo")
    app.setStyle("Fusion")
    app.setWindowIcon(QIcon(str(ASSETS / "icons" / "studiolo.svg")))
    return app


def make_window(safe_mode: bool = False, log_store: LogStore | None = None) -> MainWindow:
    """A window with the person's settings; an application must exist."""
    settings = Settings(config_folder() / "settings.json")
    theme = Theme(settings["theme"])
    theme.apply()
    return MainWindow(settings, theme, log_store or install(state_folder()), safe_mode)


def run_window(files: list[Path], safe_mode: bool = False) -> int:
    """Open the window and stay until it closes; returns the exit code."""
    app = make_application()
    log_store = install(state_folder())
    faults = Faults()
    crashed, _stream = watch_crashes(state_folder())
    window = make_window(safe_mode, log_store)
    _quit_on_signals(window)
    app.commitDataRequest.connect(lambda _: window.autosave.flush())
    window.show()

    def after_first_paint() -> None:
        if window.settings.problem:
            window.tell(window.settings.problem)
        if crashed:
            log.error("The last run crashed:\n%s", crashed)
        window.projects.offer_recovery()
        if files:
            window.open_files(files)

    QTimer.singleShot(0, after_first_paint)
    code = app.exec()
    del faults
    if window.stuck:
        # A worker inside native code cannot be stopped; everything is saved, so leave without it.
        logging.shutdown()
        os._exit(code)
    return code


def _quit_on_signals(window: MainWindow) -> None:
    """SIGTERM and Ctrl-C end the program in order and keep unsaved work for the next start."""

    def handle(signum: int, frame: object) -> None:
        window.shut_down(keep_work=True)

    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, handle)
    # Python runs signal handlers between its own instructions only; this gives it some.
    pulse = QTimer(window)
    pulse.timeout.connect(lambda: None)
    pulse.start(200)
