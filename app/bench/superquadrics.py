"""What the superquadric studio costs: single fits beside EMS, whole objects, and the panel while a part is dragged."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.bench.line import Line, pump
from methods.core.errors import BadInput

MESH_SUFFIXES = (".glb", ".obj", ".stl", ".ply", ".off")


def superquadric_lines(data: Path | None) -> Iterator[Line]:
    """Single fits beside EMS, whole objects, and the panel while a part is dragged."""
    yield from _single_fits()
    yield from _objects(data)
    yield from _panel()


def _single_fits() -> Iterator[Line]:
    from methods.superquadrics.benchmark_rows import rows

    for row in rows():
        seconds, median, worst = row["ems"]
        name = f"fit one: {row['row']}"
        yield Line("superquadrics", f"{name}, CPU", row["seconds"], "s", 0.1, f"EMS {seconds:g} s")
        yield Line(
            "superquadrics",
            f"{name}, 1 - worst IoU",
            1 - row["iou_min"],
            "",
            round(1 - worst, 6) or 0.001,
            f"median {row['iou']:.4f} (EMS {median:.3f}), "
            f"worst {row['iou_min']:.4f} (EMS {worst:.3f}), n {row['n']}",
        )


def _objects(data: Path | None) -> Iterator[Line]:
    from methods.core import methods
    from methods.core.runner import run

    files = [sample.path for sample in next(m for m in methods() if m.id == "superquadrics").samples]
    if data is not None:
        if not data.is_dir():
            raise BadInput(f"{data} is not a folder.", "Give the folder with the meshes.")
        files += sorted(p for p in data.iterdir() if p.suffix.lower() in MESH_SUFFIXES)
    for path in files:
        clock, cpu = time.perf_counter(), time.process_time()
        facts = run("superquadrics.fit", path).facts
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
        iou = "not defined" if facts["iou"] is None else f"{facts['iou']:.3f}"
        note = (
            f"{facts['parts']} parts, IoU {iou}, Chamfer {100 * facts['chamfer_rel']:.2f} %, CPU {cpu:.1f} s"
        )
        yield Line("superquadrics", f"fit object: {path.name}", clock, "s", 10.0, note)


def _panel() -> Iterator[Line]:
    """Drag a part among 32 while the live figures run; needs a screen with OpenGL to count drawing."""
    import numpy as np

    from app.shell.application import make_application, make_window
    from app.views.scene3d.delta import Delta
    from app.views.scene3d.display import drawn_by_processor
    from methods.superquadrics.model import Shape, Superquadric

    app = make_application()
    window = make_window(safe_mode=True)
    window.resize(1400, 900)
    window.show()
    panel = window.show_panel("superquadrics")
    panel.open_sample(panel.method.samples[0])
    pump(app, 3.0, lambda: not panel.busy)
    rng = np.random.default_rng(0)
    parts = tuple(
        Superquadric(
            tuple(rng.uniform(-0.3, 0.3, 3)), size=tuple(rng.uniform(0.02, 0.08, 3)), exponents=(0.3, 0.8)
        )
        for _ in range(32)
    )
    panel.operations.set_shape("32 parts", Shape(parts))
    panel.select((1,))
    pump(app, 2.0)
    costs = []
    panel.scene.transform_started.emit()
    for i in range(120):
        begin = time.thread_time()
        panel.scene.transform_changed.emit(Delta("translate", (0, 0, 0), translation=(0.001 * i, 0, 0)))
        costs.append(time.thread_time() - begin)
        app.processEvents()
        time.sleep(0.003)
    panel.scene.transform_finished.emit(Delta("translate", (0, 0, 0), translation=(0.12, 0, 0)))
    paints = []
    for _ in range(30 if panel.scene.has_picture else 0):
        begin = time.thread_time()
        panel.scene.draw_now()
        paints.append(time.thread_time() - begin)
    note = "with the 3D picture" if panel.scene.has_picture else "without a picture: no OpenGL here"
    yield Line(
        "superquadrics",
        "drag among 32 parts, CPU of the edit",
        1000 * statistics.median(costs),
        "ms",
        16,
        note,
    )
    if paints:
        note = "main thread, OpenGL driver included" + (" (software)" if drawn_by_processor() else "")
        redraw = 1000 * statistics.median(paints)
        yield Line("superquadrics", "redraw of 32 parts, CPU", redraw, "ms", 16, note)
    yield from _gaps_while_fitting(app, panel)
    window.ask_to_save = lambda title: "discard"  # type: ignore[method-assign]
    window.close()


def _gaps_while_fitting(app: Any, panel: Any) -> Iterator[Line]:
    """Event-loop gaps while an object is fitted, and how long a cancel takes."""
    gaps: list[float] = []
    cancels: list[float] = []
    for attempt in range(4):
        panel.run_default()
        begin = last = time.perf_counter()
        while panel.runs.running and time.perf_counter() - begin < 20:
            app.processEvents()
            time.sleep(0.002)
            now = time.perf_counter()
            gaps.append(now - last - 0.002)
            last = now
            if attempt and now - begin > 0.5 * attempt:
                break
        if panel.runs.running:
            panel.runs.stop()
            clock = time.perf_counter()
            while panel.runs.running:
                app.processEvents()
                time.sleep(0.001)
            cancels.append(time.perf_counter() - clock)
    gaps.sort()
    from app.views.scene3d.display import drawn_by_processor

    software = panel.scene.has_picture and drawn_by_processor()
    note = "frames are drawn by the processor here, in the same thread" if software else ""
    yield Line(
        "superquadrics",
        "event-loop gap while fitting, p99",
        1000 * gaps[int(0.99 * len(gaps))],
        "ms",
        33,
        note,
    )
    yield Line("superquadrics", "event-loop gap while fitting, largest", 1000 * gaps[-1], "ms", 100)
    if cancels:
        yield Line(
            "superquadrics", "cancel to idle, largest", 1000 * max(cancels), "ms", 300, f"n {len(cancels)}"
        )
