"""The superquadric studio through its real widgets, with a real 3D picture."""

import collections
import gc
import json
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from app.panels.superquadrics.exports import PictureParams, TurntableParams
from app.shell.application import make_window
from methods.core.runner import load_input
from methods.superquadrics.model import Shape, Superquadric
from methods.superquadrics.params import FitParams, MeshParams, SampleParams

pytestmark = pytest.mark.gl


@pytest.fixture
def studio(window, qapp):
    panel = window.show_panel("superquadrics")
    if not panel.scene.has_picture:
        pytest.skip("no OpenGL on this platform")
    pump(qapp, 0.1)
    return panel


def pump(qapp, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        qapp.processEvents()
        time.sleep(0.002)


def wait(qapp, condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        pump(qapp, 0.02)
    assert condition()


def settle(qapp, panel):
    wait(qapp, lambda: not panel.busy)
    pump(qapp, 0.4)
    wait(qapp, lambda: not panel.busy)


def table_mesh():
    """A table of five boxes."""
    top = trimesh.creation.box((1, 0.7, 0.06))
    legs = []
    for x in (-0.42, 0.42):
        for y in (-0.28, 0.28):
            leg = trimesh.creation.box((0.08, 0.08, 0.6))
            leg.apply_translation((x, y, -0.33))
            legs.append(leg)
    return trimesh.util.concatenate([top, *legs])


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("meshes") / "table.obj"
    table_mesh().export(path)
    return path


@pytest.fixture
def opened(studio, qapp, table, window):
    """The table, opened."""
    window.open_files([table])
    settle(qapp, studio)
    return studio


@pytest.fixture
def fitted(opened, qapp):
    """The table and the five parts that explain it, without the seconds of a fit."""
    box = {"exponents": (0.05, 0.05)}
    parts = [Superquadric(size=(0.5, 0.35, 0.03), name="top", **box)]
    for x in (-0.42, 0.42):
        for y in (-0.28, 0.28):
            name = f"leg {len(parts)}"
            parts.append(Superquadric((x, y, -0.33), size=(0.04, 0.04, 0.3), name=name, **box))
    opened.operations.set_shape("Parts", Shape(tuple(parts), opened.operations.shape.unit))
    settle(qapp, opened)
    return opened


def place_of(panel, part_id):
    """Pixel of a part's centre in the view."""
    part = panel.operations.shape.part(part_id)
    scene = panel.scene
    x, y, _ = scene.camera.project(scene.contents.frame.to_scene(part.translation), *scene._size())
    return QPoint(round(x), round(y))


def colors(panel):
    picture = panel.scene.render(320, 240)
    return len(np.unique(picture.reshape(-1, 3), axis=0))


def test_open_fit_select_drag_undo_mirror_export_save(opened, window, qapp, tmp_path):
    panel, scene = opened, opened.scene
    panel.run_default()
    settle(qapp, panel)
    assert len(panel.operations.shape.parts) == 5
    assert colors(panel) > 50
    assert panel.document.history[-1] == "Fit object → 5 parts"
    leg = min(
        panel.operations.shape.parts, key=lambda p: (p.translation[2], -p.translation[0], p.translation[1])
    )

    # Click a leg in the picture: it is selected in the list and in the editor too.
    wait(qapp, lambda: scene.pick(*place_of(panel, leg.id).toTuple()) is not None)
    QTest.mouseClick(scene._surface, Qt.MouseButton.LeftButton, pos=place_of(panel, leg.id))
    assert len(panel.operations.selection) == 1
    chosen = panel.operations.selection[0]
    assert panel.inspector_.tree._selected_ids() == (chosen,)
    before = panel.operations.shape.part(chosen).translation

    # G, X, a number, Enter.
    scene.setFocus()
    window.registry.run("shapes.move")
    for key in (Qt.Key.Key_X, Qt.Key.Key_Period, Qt.Key.Key_2):
        QTest.keyClick(scene, key)
    QTest.keyClick(scene, Qt.Key.Key_Return)
    moved = panel.operations.shape.part(chosen).translation
    assert moved == pytest.approx((before[0] + 0.2, before[1], before[2]))
    assert panel.document.history[-1].startswith("Move")
    window.registry.run("edit.undo")
    assert panel.operations.shape.part(chosen).translation == before
    assert window.session.dirty

    # Mirror, linked.
    panel.operations.mirror("x", 0.0, link=True)
    assert len(panel.operations.shape.parts) == 6
    partner = panel.operations.selection[0]
    panel.select((chosen,))
    steps = len(panel.document.history)
    panel.operations.edit_geometry("Nothing", lambda part: part)
    assert len(panel.document.history) == steps
    assert panel.operations.shape.part(partner).mirror == chosen

    # Export everything.
    for kind, params, name in (
        ("parts", None, "parts.json"),
        ("parts", None, "parts.npz"),
        ("mesh", MeshParams(resolution=16), "mesh.glb"),
        ("mesh", MeshParams(union=True), "union.stl"),
        ("points", SampleParams(points=500), "points.ply"),
        ("picture", PictureParams(), "view.png"),
        ("turntable", TurntableParams(frames=8, size=64), "turn.gif"),
    ):
        panel.exporter.write(kind, params, tmp_path / name)
        settle(qapp, panel)
        assert (tmp_path / name).stat().st_size > 100, name
    again = load_input(panel.method, "parts", tmp_path / "parts.json").value
    assert again == panel.operations.shape

    # Save, start anew, open again.
    assert window.projects.save_to(tmp_path / "work.studiolo")
    kept = panel.document.state
    window.session.new()
    assert panel.document.state.shape.parts == ()
    window.projects.open(tmp_path / "work.studiolo")
    assert panel.document.state.shape == kept.shape
    assert np.array_equal(panel.document.state.target.vertices, kept.target.vertices)


def test_a_copied_command_gives_the_same_numbers(opened, qapp):
    panel = opened
    panel.run_default()
    settle(qapp, panel)
    line = panel.strip.copy_command()
    assert QGuiApplication.clipboard().text() == line
    words = shlex.split(line)
    done = subprocess.run(
        [sys.executable, "-m", "app", *words[1:]], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    printed, shown = json.loads(done.stdout), panel.strip.result.facts
    for name in ("parts", "iou", "chamfer_rel", "f_score"):
        assert printed[name] == shown[name]
    code = panel.strip.copy_python()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and repr(shown["iou"])[:8] in done.stdout, done.stderr


def test_a_command_on_edited_parts_names_a_file_that_holds_them(fitted, qapp):
    panel = fitted
    panel.operations.select_all()
    panel.operations.edit_geometry("Grow", lambda p: p)
    panel.select((panel.operations.shape.parts[0].id,))
    panel.operations.duplicate()
    panel.runs.run("refine")
    settle(qapp, panel)
    words = shlex.split(panel.strip.copy_command())
    parts = load_input(panel.method, "parts", words[3]).value
    assert len(parts.parts) == 6 and Path(words[words.index("--target") + 1]).exists()


def test_a_drag_of_the_gizmo_is_one_step_and_escape_drops_it(fitted, qapp, window):
    panel, scene = fitted, fitted.scene
    chosen = panel.operations.shape.parts[0].id
    panel.select((chosen,))
    scene.look_from("front")
    pump(qapp, 0.1)
    before, steps = panel.operations.shape.part(chosen), len(panel.document.history)
    start = place_of(panel, chosen)
    along = scene._strokes()[0].points
    x, y, _ = scene.camera.project(along[1] * 0.6 + along[0] * 0.4, *scene._size())
    handle = QPoint(round(x), round(y))
    surface = scene._surface
    QTest.mousePress(surface, Qt.MouseButton.LeftButton, pos=handle)
    for i in range(1, 11):
        QTest.mouseMove(surface, handle + QPoint(6 * i, 0))
        pump(qapp, 0.01)
    assert len(panel.document.history) == steps + 1
    QTest.mouseRelease(surface, Qt.MouseButton.LeftButton, pos=handle + QPoint(60, 0))
    after = panel.operations.shape.part(chosen)
    assert len(panel.document.history) == steps + 1
    assert after.translation[0] > before.translation[0] and after.translation[1:] == pytest.approx(
        before.translation[1:]
    )
    assert start != place_of(panel, chosen)

    QTest.mousePress(surface, Qt.MouseButton.LeftButton, pos=handle + QPoint(60, 0))
    QTest.mouseMove(surface, handle + QPoint(160, 0))
    pump(qapp, 0.02)
    QTest.keyClick(scene, Qt.Key.Key_Escape)
    QTest.mouseRelease(surface, Qt.MouseButton.LeftButton, pos=handle + QPoint(160, 0))
    assert panel.operations.shape.part(chosen) == after
    assert len(panel.document.history) == steps + 1


def begin(panel, window, kind, *keys):
    """A transform by keys of the first part, left open."""
    panel.select((panel.operations.shape.parts[0].id,))
    panel.scene.setFocus()
    window.registry.run(f"shapes.{kind}")
    for key in keys:
        QTest.keyClick(panel.scene, key)


def test_an_undo_in_the_middle_of_a_transform_ends_it(fitted, window):
    before, steps = fitted.operations.shape, fitted.document.position
    begin(fitted, window, "move", Qt.Key.Key_X, Qt.Key.Key_5)
    assert fitted.document.position == steps + 1
    window.registry.run("edit.undo")
    QTest.keyClick(fitted.scene, Qt.Key.Key_Return)
    assert fitted.operations.shape is before and fitted.document.position == steps


def test_a_result_that_comes_in_the_middle_of_a_transform_is_not_overwritten(fitted, window):
    begin(fitted, window, "move", Qt.Key.Key_X, Qt.Key.Key_5)
    found = Shape((Superquadric(name="found"),), fitted.operations.shape.unit)
    fitted.operations.set_shape("Fit object", found)
    for key in (Qt.Key.Key_6, Qt.Key.Key_Return):
        QTest.keyClick(fitted.scene, key)
    assert [part.name for part in fitted.operations.shape.parts] == ["found"]
    assert fitted.document.history[-1] == "Fit object"


def test_saving_in_the_middle_of_a_transform_leaves_it_open(fitted, window, tmp_path):
    x = fitted.operations.shape.parts[0].translation[0]
    begin(fitted, window, "move", Qt.Key.Key_X, Qt.Key.Key_5)
    assert window.projects.save_to(tmp_path / "a.studiolo")
    QTest.keyClick(fitted.scene, Qt.Key.Key_0)
    QTest.keyClick(fitted.scene, Qt.Key.Key_Return)
    assert fitted.operations.shape.parts[0].translation[0] == pytest.approx(x + 50)


def test_numbers_no_part_can_have_are_told_and_change_nothing(fitted, window):
    before, steps = fitted.operations.shape, fitted.document.position
    begin(fitted, window, "move", Qt.Key.Key_X, *[Qt.Key.Key_9] * 31)
    QTest.keyClick(fitted.scene, Qt.Key.Key_Return)
    assert "every number must be below 1e+30" in fitted.message_bar.texts[-1]
    fitted.document.undo()
    assert fitted.operations.shape == before and fitted.document.position == steps


def test_a_fit_of_a_target_that_is_gone_is_left_out(opened, window, qapp):
    opened.run_default()
    wait(qapp, lambda: opened.runs.preview is not None or not opened.runs.running)
    window.session.new()
    assert opened.runs.preview is None
    settle(qapp, opened)
    assert opened.operations.shape.parts == () and not window.session.dirty
    assert "the result was left out" in opened.message_bar.texts[-1]


def test_figures_follow_an_edit(fitted, qapp):
    panel = fitted
    settle(qapp, panel)
    before = panel._reading.evaluation.iou
    panel.select((panel.operations.shape.parts[0].id,))
    from dataclasses import replace

    panel.operations.edit_geometry("Lift", lambda p: replace(p, translation=(p.translation[0], 3.0, 0.0)))
    settle(qapp, panel)
    assert panel._reading.fine and panel._reading.evaluation.iou < before - 0.1
    assert panel.inspector_.figures._changes["iou"].text().startswith("▼")


def test_error_maps_in_both_directions(fitted, qapp):
    panel = fitted
    for mode in ("target to shape", "shape to target", "off"):
        panel.cycle_error_map()
        settle(qapp, panel)
        assert panel.errors.mode == mode
        assert panel.scene._bar.isVisible() == (mode != "off")
        assert colors(panel) > 20


def test_floating_and_docking_keeps_the_picture(fitted, qapp):
    panel = fitted
    dock = panel.docks()[0]
    before = panel.scene.render(200, 150)
    for floating in (True, False, True, False):
        dock.setFloating(floating)
        pump(qapp, 0.3)
        np.testing.assert_array_equal(panel.scene.render(200, 150), before)
        shown = panel.scene._surface.grabFramebuffer()
        assert len({shown.pixel(x, shown.height() // 2) for x in range(0, shown.width(), 5)}) > 5
    dock.hide()
    pump(qapp, 0.1)
    dock.show()
    pump(qapp, 0.2)
    np.testing.assert_array_equal(panel.scene.render(200, 150), before)
    assert not panel.scene._draw_failed


def test_cancelling_a_fit_is_quick_and_keeps_what_was_found(studio, window, qapp, table):
    window.open_files([table])
    settle(qapp, studio)
    found = []
    studio.runs.run("fit", FitParams())
    end = time.monotonic() + 30
    while time.monotonic() < end and not found and studio.runs.running:
        pump(qapp, 0.005)
        if studio.runs.preview is not None:
            found.append(len(studio.runs.preview.parts))
            clock = time.monotonic()
            studio.runs.stop()
    wait(qapp, lambda: not studio.runs.running)
    if not found:
        pytest.skip("the fit ended before it could be stopped")
    assert time.monotonic() - clock < 1.0
    assert len(studio.operations.shape.parts) >= found[0] >= 1


def test_closing_the_panel_while_it_works_is_harmless(studio, window, qapp, table):
    window.open_files([table])
    settle(qapp, studio)
    studio.run_default()
    pump(qapp, 0.2)
    window.close_panel()
    pump(qapp, 2.0)
    assert window.panel is None and "superquadrics" not in window.panels
    again = window.show_panel("superquadrics")
    pump(qapp, 0.2)
    assert again.document.state.target is not None
    assert again.scene.has_picture


@pytest.mark.parametrize("text", ["", "v nan nan nan\nf 1 1 1\n"])
@pytest.mark.parametrize("suffix", [".obj", ".stl", ".json", ".ply", ".npz"])
def test_a_bad_file_says_so_and_keeps_what_is_open(studio, window, qapp, tmp_path, text, suffix):
    studio.operations.add()
    before = studio.document.state
    path = tmp_path / f"bad{suffix}"
    path.write_text(text)
    window.open_files([path])
    settle(qapp, studio)
    assert studio.document.state == before
    assert len(studio.message_bar.texts) == 1 and "Traceback" not in studio.message_bar.texts[0]


def test_a_full_disk_keeps_every_file_that_was_exported_before(fitted, qapp, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    for kind, params, name in (
        ("parts", None, "parts.json"),
        ("mesh", MeshParams(resolution=4), "mesh.glb"),
        ("points", SampleParams(points=50), "points.ply"),
        ("picture", PictureParams(), "view.png"),
        ("turntable", TurntableParams(frames=4, size=32), "turn.gif"),
    ):
        (tmp_path / name).write_text("before")
        fitted.message_bar.clear()
        fitted.exporter.write(kind, params, tmp_path / name)
        settle(qapp, fitted)
        assert "o space left on device" in fitted.message_bar.texts[-1], name
        assert (tmp_path / name).read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 5
    assert list(fitted.runs.inputs._folder.glob("*")) == []


def test_tables_of_earlier_tools_open_as_parts_with_names(studio, window, qapp, tmp_path):
    np.save(tmp_path / "rows.npy", np.tile([0.5, 1, 0.1, 0.2, 0.3, 0, 0, 0, 1, 2, 3], (2, 1)))
    nameless = {"translation": [0, 0, 0], "rotation": [1, 0, 0, 0], "size": [1, 1, 1], "exponents": [1, 1]}
    parts = {"format": "studiolo-superquadrics", "version": 1, "parts": [nameless, nameless]}
    (tmp_path / "nameless.json").write_text(json.dumps(parts))
    for name in ("rows.npy", "nameless.json"):
        window.open_files([tmp_path / name])
        settle(qapp, studio)
        assert [part.name for part in studio.operations.shape.parts] == ["part 1", "part 2"]


def test_actions_without_what_they_need_say_so(studio, qapp):
    studio.run_default()
    studio.runs.run("refine")
    studio.runs.propose_reduction()
    assert len(studio.message_bar.texts) >= 2 and not studio.runs.running


def test_merging_shows_the_cost_first_and_can_be_undone(fitted, qapp, monkeypatch):
    panel, offered = fitted, []
    panel.select((panel.operations.shape.parts[0].id,))
    panel.operations.duplicate()
    monkeypatch.setattr(panel.runs, "_offer", lambda shape, proposals: offered.append((shape, proposals)))
    panel.runs.propose_reduction()
    wait(qapp, lambda: bool(offered), 90)
    shape, proposals = offered[0]
    assert proposals and proposals[0].delta_chamfer_rel < 0.001
    panel.runs.apply_proposal(shape, proposals[0])
    assert len(panel.operations.shape.parts) == 5
    panel.document.undo()
    assert len(panel.operations.shape.parts) == 6


def test_box_selection_and_view_commands(fitted, window, qapp):
    panel, surface = fitted, fitted.scene._surface
    corner = QPoint(2, 2)
    far = QPoint(surface.width() - 3, surface.height() - 3)
    QTest.mousePress(surface, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, corner)
    QTest.mouseMove(surface, far)
    QTest.mouseRelease(surface, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, far)
    assert len(panel.operations.selection) == 5
    for command in (
        "front",
        "right",
        "top",
        "projection",
        "display",
        "display",
        "display",
        "clip",
        "clip",
        "target",
        "target",
        "frame_all",
        "frame_selection",
        "up",
        "up",
    ):
        assert window.registry.run(f"view3d.{command}")
        pump(qapp, 0.02)
        assert colors(panel) > 5


def test_every_part_command_runs_on_a_selection(fitted, window, qapp):
    panel = fitted
    for command in (
        "add",
        "duplicate",
        "group",
        "ungroup",
        "hide",
        "show_all",
        "lock",
        "lock",
        "solo",
        "solo",
        "select_all",
        "delete",
    ):
        if not panel.operations.selection:
            panel.select((panel.operations.shape.parts[0].id,))
        assert window.registry.run(f"shapes.{command}"), command
        pump(qapp, 0.02)
    assert panel.operations.shape.parts == ()
    while panel.document.can_undo:
        panel.document.undo()
    while panel.document.can_redo:
        panel.document.redo()


def test_parts_can_be_copied_and_pasted(fitted, window):
    panel = fitted
    panel.select(tuple(p.id for p in panel.operations.shape.parts[:2]))
    panel.copy_parts()
    window.paste()
    assert len(panel.operations.shape.parts) == 7
    assert len({p.name for p in panel.operations.shape.parts}) == 7


@pytest.mark.parametrize("factor, offset", [(1e-4, 0.0), (1e6, 0.0), (1.0, 6.3e6)])
def test_tiny_huge_and_far_data_fill_the_view(studio, window, qapp, tmp_path, factor, offset):
    mesh = table_mesh()
    mesh.apply_scale(factor)
    mesh.apply_translation([offset, offset, 0])
    path = tmp_path / "t.ply"
    path.write_text("")
    vertices, faces = mesh.vertices, mesh.faces
    lines = [
        "ply",
        "format ascii 1.0",
        f"element vertex {len(vertices)}",
        "property double x",
        "property double y",
        "property double z",
        f"element face {len(faces)}",
        "property list uchar int vertex_indices",
        "end_header",
    ]
    lines += [" ".join(repr(float(v)) for v in row) for row in vertices] + [
        f"3 {a} {b} {c}" for a, b, c in faces
    ]
    path.write_text("\n".join(lines))
    window.open_files([path])
    settle(qapp, studio)
    picture = studio.scene.render(300, 200).astype(int)
    lit = (picture.max(axis=2) > 90).mean()
    assert lit > 0.03


def test_a_large_cloud_says_how_much_is_shown(studio, window, qapp, tmp_path):
    points = np.random.default_rng(0).random((2_300_000, 3), np.float32)
    np.savez(tmp_path / "cloud.npz", points=points)
    window.open_files([tmp_path / "cloud.npz"])
    settle(qapp, studio)
    assert "2,300,000" in studio.scene._count.text()
    assert any("2,300,000" in text for text in studio.message_bar.texts)


def test_two_windows_share_nothing(window, qapp, table):
    other = make_window(safe_mode=True)
    other.show_panel("superquadrics").operations.add()
    assert not window.session.dirty and other.session.dirty
    other.ask_to_save = lambda title: "discard"
    other.jobs.shutdown(5)
    other._clock.stop()
    other.log_view.detach()
    other.deleteLater()


@pytest.mark.slow
def test_opening_and_closing_the_panel_leaves_nothing_behind(window, qapp):
    import threading

    import psutil
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    process = psutil.Process()

    def cycle(count):
        for _ in range(count):
            panel = window.show_panel("superquadrics")
            panel.operations.add()
            pump(qapp, 0.05)
            window.close_panel()
            # Without a running event loop deleteLater has to be helped along.
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            pump(qapp, 0.02)

    cycle(10)
    widgets, threads, memory = (
        len(QApplication.allWidgets()),
        threading.active_count(),
        process.memory_info().rss,
    )
    cycle(40)
    kinds = collections.Counter(type(w).__name__ for w in QApplication.allWidgets())
    assert len(QApplication.allWidgets()) <= widgets + 20, kinds.most_common(8)
    assert threading.active_count() <= threads
    gc.collect()
    assert not any(type(o).__name__ == "SuperquadricsPanel" for o in gc.get_objects())
    # What stays is the graphics driver's: about 3 MB for each OpenGL context in software.
    assert process.memory_info().rss < memory + 40 * 6e6
