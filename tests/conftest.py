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
