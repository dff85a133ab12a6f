"""Every test has its own home, a fixed number of threads, and leaves no worker thread behind."""

import os
import threading

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory, monkeypatch):
    """Settings, autosaves and logs of a test go to a folder of its own."""
    from app.project import places

    monkeypatch.setenv(places.HOME_VARIABLE, str(tmp_path_factory.mktemp("home")))
    places._folder.cache_clear()
    yield
    places._folder.cache_clear()


@pytest.fixture
def no_new_threads():
    """Fails when a lane outlives the test."""
    before = set(threading.enumerate())
    yield
    left = [t.name for t in threading.enumerate() if t not in before and t.name.startswith("studiolo")]
    assert left == []


@pytest.fixture
def window(qapp):
    """A main window that is gone after the test."""
    from app.shell.application import make_window

    window = make_window(safe_mode=True)
    window.resize(1400, 900)
    window.show()
    qapp.processEvents()
    yield window
    window.ask_to_save = lambda title: "discard"
    window.jobs.shutdown(5)
    window._clock.stop()
    window.log_view.detach()
    window.close()
    window.deleteLater()
    qapp.processEvents()


@pytest.fixture(scope="session")
def qapp():
    """The application as the program makes it, for pytest-qt too."""
    from app.shell.application import make_application

    return make_application()
