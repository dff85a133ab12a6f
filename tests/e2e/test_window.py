"""The real program in a real process: start, quit, crash, recover."""

import os
import signal
import subprocess
import sys
import time

import pytest

ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "QT_QPA_PLATFORM"} | {
    "QT_QPA_PLATFORM": "offscreen"
}


def run(code, home, timeout=60, **options):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=ENVIRONMENT | {"STUDIOLO_HOME": str(home)},
        **options,
    )


START = """
import sys
from app.shell.application import make_application, make_window
from PySide6.QtCore import QTimer
app = make_application()
window = make_window()
window.show()
for _ in range(5):
    app.processEvents()
"""


def test_the_window_opens_without_heavy_libraries(tmp_path):
    heavy = ("torch", "scipy", "trimesh", "igl", "vispy", "pyqtgraph", "PIL", "open3d")
    done = run(START + f"print([m for m in {heavy} if m in sys.modules]); window.shut_down()", tmp_path)
    assert done.stdout.strip() == "[]", done.stderr


def test_no_socket_is_opened(tmp_path):
    block = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('a socket was opened')\n"
        "socket.socket.connect = refuse; socket.create_connection = refuse\n"
    )
    code = (
        block
        + START
        + "window.show_panel('superquadrics'); app.processEvents(); print('fine'); window.shut_down()"
    )
    done = run(code, tmp_path)
    assert done.stdout.strip() == "fine", done.stderr


def test_quitting_with_a_job_running_is_quick_and_clean(tmp_path):
    code = (
        START
        + """
import time
def work(context):
    while True:
        context.check()
        time.sleep(0.01)
window.jobs.submit("endless", work)
begin = []
QTimer.singleShot(200, lambda: (begin.append(time.monotonic()), window.close()))
code = app.exec()
print(time.monotonic() - begin[0])
sys.exit(code)
"""
    )
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 2.0


def test_a_job_that_cannot_be_stopped_does_not_hold_the_program(tmp_path):
    code = """
import sys, time, threading
from pathlib import Path
import app.shell.application as application
from PySide6.QtCore import QTimer
made = application.make_window
def make_window(*args):
    window = made(*args)
    window.jobs.submit("native", lambda context: time.sleep(60))
    QTimer.singleShot(300, window.close)
    return window
application.make_window = make_window
sys.exit(application.run_window([]))
"""
    begin = time.monotonic()
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - begin < 15


def program(home, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "app", *map(str, words)],
        env=ENVIRONMENT | {"STUDIOLO_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_signals_end_the_program_in_order(tmp_path, name):
    process = program(tmp_path)
    time.sleep(3)
    process.send_signal(getattr(signal, name))
    _, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert "Traceback" not in err


def test_sigterm_keeps_unsaved_work_without_asking(tmp_path):
    code = """
import sys
import app.shell.application as application
made = application.make_window
def make_window(*args):
    window = made(*args)
    window.show_panel("superquadrics").operations.add()
    print("ready", flush=True)
    return window
application.make_window = make_window
sys.exit(application.run_window([]))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env=ENVIRONMENT | {"STUDIOLO_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert len(list((tmp_path / "state").glob("autosave-*"))) == 1


EDIT = (
    START
    + """
import os, time
from dataclasses import replace
panel = window.show_panel("superquadrics")
panel.operations.add()
deadline = time.monotonic() + 60
count = 0
while time.monotonic() < deadline:
    app.processEvents()
    time.sleep(0.02)
    count += 1
    if count % 10 == 0:
        panel.operations.add()
        print(len(panel.operations.shape.parts), flush=True)
"""
)


@pytest.mark.parametrize(
    "seconds",
    [3.6, 5.7, *(pytest.param(2.5 + 0.31 * i, marks=pytest.mark.slow) for i in range(25))],
)
def test_killed_work_is_found_again(tmp_path, seconds):
    process = subprocess.Popen(
        [sys.executable, "-c", EDIT],
        env=ENVIRONMENT | {"STUDIOLO_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    first = process.stdout.readline()
    assert first, process.stderr.read()
    begin = time.monotonic()
    seen = [(0.0, int(first))]
    while time.monotonic() - begin < seconds:
        line = process.stdout.readline()
        seen.append((time.monotonic() - begin, int(line)))
    process.send_signal(signal.SIGKILL)
    process.wait()
    end = seen[-1][0]
    at_least = max(n for t, n in seen if t <= max(end - 5.0, 0.0) or t == 0.0)
    code = (
        START
        + """
from app.project.autosave import recoverable
from app.project.places import state_folder
found = recoverable(state_folder())
window.projects.recover(found[0].path)
print(len(found), len(window.panels["superquadrics"].operations.shape.parts), window.session.dirty)
window.shut_down(keep_work=True)
"""
    )
    done = run(code, tmp_path)
    count, parts, dirty = done.stdout.split()
    assert (count, dirty) == ("1", "True"), done.stderr
    assert at_least - 1 <= int(parts) <= seen[-1][1] + 2


def test_the_work_of_a_second_living_window_is_not_offered(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", EDIT],
        env=ENVIRONMENT | {"STUDIOLO_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        process.stdout.readline()
        time.sleep(4)
        assert list((tmp_path / "state").glob("autosave-*"))
        code = (
            "from app.project.autosave import recoverable; from app.project.places import state_folder;"
            "print(len(recoverable(state_folder())))"
        )
        assert run(code, tmp_path).stdout.strip() == "0"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "content", ["{", "[]", "\x00\x01", '{"theme": 5, "recent": "x", "last_layout": [[[]]]}']
)
def test_damaged_settings_do_not_stop_the_start(tmp_path, content):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.json").write_text(content)
    done = run(START + "print(window.settings['theme']); window.shut_down()", tmp_path)
    assert done.stdout.strip() == "system", done.stderr


def test_a_home_that_cannot_be_written_does_not_stop_the_start():
    done = run(START + "print('up'); window.shut_down()", "/proc/nowhere")
    assert done.stdout.strip().endswith("up"), done.stderr


def test_the_program_opens_files_named_on_the_command_line(tmp_path):
    (tmp_path / "bad.obj").write_text("nothing here")
    process = program(tmp_path, tmp_path / "bad.obj")
    log = tmp_path / "state" / "studiolo.log"
    end = time.monotonic() + 40
    while time.monotonic() < end and not (log.exists() and "bad.obj" in log.read_text()):
        time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert "bad.obj" in log.read_text()
