"""What the window costs: start, first paint and quit, each in processes of their own."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator

from app.bench.line import Line

_START = """
import sys, time
clock = time.perf_counter()
from app.shell.application import make_application, make_window
from PySide6.QtCore import QEvent, QObject
app = make_application()
window = make_window(safe_mode=True)
class Paint(QObject):
    at = None
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and self.at is None:
            self.at = time.perf_counter() - clock
        return False
paint = Paint()
window.start.viewport().installEventFilter(paint)
window.show()
while paint.at is None:
    app.processEvents()
for _ in range(5):
    app.processEvents()
print(paint.at, time.perf_counter() - clock, "torch" in sys.modules)
window.shut_down()
"""

_QUIT = """
import sys, time
from app.shell.application import make_application, make_window
from PySide6.QtCore import QTimer
app = make_application()
window = make_window(safe_mode=True)
window.show()
def work(context):
    while True:
        context.check()
        time.sleep(0.01)
window.jobs.submit("endless", work)
QTimer.singleShot(300, lambda: (marks.append(time.perf_counter()), window.close()))
marks = []
app.exec()
print(time.perf_counter() - marks[0])
"""


def window_lines(repeats: int = 5) -> Iterator[Line]:
    """Start, first paint, quit: each in processes of their own."""
    starts = [_in_process(_START).split() for _ in range(repeats)]
    loaded = any(words[2] == "True" for words in starts)
    note = "torch was imported" if loaded else "torch not imported"
    yield Line("window", "first paint", statistics.median(float(w[0]) for w in starts), "s", 0.6, note)
    yield Line("window", "usable window", statistics.median(float(w[1]) for w in starts), "s", 1.5)
    yield Line("window", "quit with a job running", float(_in_process(_QUIT)), "s", 2.0)


def _in_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout.strip().splitlines()[-1]
