"""What the privacy panel costs: reading, scoring and deciding of large trees."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from app.bench.line import Line, pump
from methods.core.declaration import ASSETS

if TYPE_CHECKING:
    from methods.minim.observation import Observation

SAMPLE = ASSETS / "samples" / "minim" / "mail.json"
TASKS = ("Read the message from the bank", "Sign in with the code", "Archive the newsletter")
REPEATS = 9


def minim_lines() -> Iterator[Line]:
    """A tree of 2,000 elements on one core, after the weights are loaded; then a line dragged over 5,000."""
    import torch

    from methods.minim import pipeline

    torch.set_num_threads(1)
    page = large(2000)
    clock = time.perf_counter()
    model = pipeline.scorer()
    yield Line("minim", "load the weights", time.perf_counter() - clock, "s")
    count = f"{len(page.elements)} elements"
    rules = _median(lambda _: pipeline.look(page))
    looked = pipeline.look(page)
    ready = model.read(page, looked.findings)
    whole = _median(lambda i: pipeline.score(looked, TASKS[i % 3], model))
    task = _median(lambda i: pipeline.score(looked, TASKS[i % 3], model, ready))
    yield Line("minim", "rules over a tree", 1000 * rules, "ms", None, count)
    yield Line("minim", "score a tree", 1000 * whole, "ms", 150, count)
    yield Line("minim", "score it for another task", 1000 * task, "ms", 150, count)
    yield from _dragged()


def large(count: int) -> Observation:
    """A tree of about ``count`` elements: the nodes of the mail sample again and again, as text."""
    from methods.minim import formats

    source = formats.load(SAMPLE)
    lines, number = ["RootWebArea 'Inbox' focused: True"], 1
    while number < count:
        for e in source.elements[1 : count - number + 1]:
            number += 1
            text = e.text.replace("'", " ")
            lines.append(f"\t[{number}] {e.role} '{text}'")
    return formats.parse("large.txt", "\n".join(lines) + "\n")


def _median(work: Callable[[int], object]) -> float:
    """Median CPU seconds of this thread."""
    work(0)
    costs = []
    for i in range(REPEATS):
        begin = time.thread_time()
        work(i)
        costs.append(time.thread_time() - begin)
    return statistics.median(costs)


def _dragged() -> Iterator[Line]:
    from PySide6.QtCore import QMimeData

    from app.shell.application import make_application, make_window

    app = make_application()
    window = make_window(safe_mode=True)
    window.resize(1400, 900)
    window.show()
    panel = window.show_panel("minim")
    mime = QMimeData()
    mime.setText(large(5000).source)
    panel.paste(mime)
    panel.set_task(TASKS[0])
    pump(app, 30.0, lambda: panel.scoring.scored is not None and panel.scoring.current)
    costs = []
    for i in range(40):
        begin = time.thread_time()
        panel.move_threshold("n", 0.5 + 0.05 * i, final=False)
        app.processEvents()
        costs.append(time.thread_time() - begin)
    note = f"{len(panel.document.state.observation.elements)} elements, decisions and repaint"
    yield Line("minim", "move a threshold", 1000 * statistics.median(costs), "ms", 16, note)
    window.ask_to_save = lambda title: "discard"  # type: ignore[method-assign]
    window.close()
