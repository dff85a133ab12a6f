"""``studiolo tour``: opens every panel on its sample, runs it, and saves a picture of each."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 180.0
"""Seconds that one panel may take before the tour goes on without it."""

SETTLE = 1.2


def run_tour(out: Path, as_json: bool = False) -> int:
    """Write ``out/<nn>-<what>-<theme>.png``; exit code 1 if a panel did not finish its sample."""
    import os

    from app.project.places import HOME_VARIABLE

    # The tour must neither see nor touch the person's settings and unsaved work.
    os.environ.setdefault(HOME_VARIABLE, tempfile.mkdtemp(prefix="studiolo-tour-"))
    out.mkdir(parents=True, exist_ok=True)
    from app.shell.application import make_application, make_window
    from methods.core import methods

    app = make_application()
    window = make_window(safe_mode=True)
    window.resize(1600, 960)
    window.theme.set_mode("dark")
    window.show()
    pictures: list[dict[str, Any]] = []
    failed = False

    def pump(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            app.processEvents()
            time.sleep(0.005)

    def wait(done: Callable[[], bool]) -> bool:
        end = time.monotonic() + PATIENCE
        while not done() and time.monotonic() < end:
            pump(0.05)
        pump(SETTLE)
        return done()

    def picture(name: str, **facts: Any) -> None:
        pump(0.3)
        path = out / f"{len(pictures) + 1:02d}-{name}.png"
        image = window.screen().grabWindow(window.winId())
        image = image if not image.isNull() else window.grab()
        image.save(str(path))
        pictures.append({"picture": str(path), **facts})
        print(f"{path}", file=sys.stderr)

    pump(0.5)
    picture("start-dark")
    for method in methods():
        panel = window.show_panel(method.id)
        sample = method.samples[0] if method.samples else None
        if sample is None:
            continue
        panel.open_sample(sample)
        opened = wait(lambda panel=panel: not panel.busy)
        picture(f"{method.id}-open-dark", sample=sample.id)
        clock = time.monotonic()
        panel.run_default()
        ran = wait(lambda panel=panel: not panel.busy) and panel.strip.result is not None
        seconds = round(time.monotonic() - clock, 2)
        failed = failed or not (opened and ran)
        facts = panel.strip.result.facts if panel.strip.result is not None else {}
        for step in panel.tour_steps():
            step.run()
            wait(lambda panel=panel: not panel.busy)
            picture(f"{method.id}-{step.name}-dark", seconds=seconds, facts=facts)
        window.theme.set_mode("light")
        picture(f"{method.id}-light", seconds=seconds, facts=facts)
        window.theme.set_mode("dark")
    window.show_start()
    window.theme.set_mode("light")
    picture("start-light")
    window.shut_down()
    if as_json:
        print(json.dumps({"pictures": pictures, "ok": not failed}))
    else:
        print(f"{len(pictures)} pictures in {out.resolve()}")
    return 1 if failed else 0
