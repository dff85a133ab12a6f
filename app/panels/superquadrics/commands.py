"""The panel's commands: menus, palette, shortcuts and cheat sheet are made from this list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.commands import Command

if TYPE_CHECKING:
    from app.panels.superquadrics.panel import SuperquadricsPanel


def panel_commands(panel: SuperquadricsPanel) -> list[Command]:
    """All commands, bound to one panel."""
    return [*_part_commands(panel), *_fit_commands(panel), *_view_commands(panel), *_export_commands(panel)]


def _part_commands(panel: SuperquadricsPanel) -> list[Command]:
    ops, begin = panel.operations, panel.view_options.begin

    def some() -> bool:
        return bool(ops.selection)

    def edit(
        command_id: str,
        title: str,
        operation: Callable[[], None],
        shortcut: str = "",
        needs: Callable[[], bool] = some,
        icon: str = "",
    ) -> Command:
        return Command(
            f"shapes.{command_id}", title, lambda: panel.attempt(operation), shortcut, "Parts", icon, needs
        )

    def solo() -> None:
        panel.redraw_solo(ops.toggle_solo)

    def show_all() -> None:
        panel.redraw_solo(ops.show_all)

    def any_part() -> bool:
        return bool(ops.shape.parts)

    return [
        edit("add", "Add part", ops.add, "Shift+A", lambda: True, "mdi6.plus"),
        edit("duplicate", "Duplicate", ops.duplicate, "Shift+D", icon="mdi6.content-copy"),
        Command(
            "shapes.mirror", "Mirror…", panel.ask_mirror, "Ctrl+M", "Parts", "mdi6.flip-horizontal", some
        ),
        edit("link", "Link as symmetric pair", ops.link, "Ctrl+L", lambda: len(ops.selection) == 2),
        edit("unlink", "Unlink", ops.unlink, "", lambda: any(p.mirror is not None for p in ops.parts())),
        edit("group", "Group", ops.group, "Ctrl+G"),
        edit("ungroup", "Ungroup", ops.ungroup, "Ctrl+Shift+G", lambda: any(p.group for p in ops.parts())),
        edit("delete", "Delete", ops.delete, "Del", icon="mdi6.delete-outline"),
        edit("hide", "Hide or show", ops.toggle_visible, "H"),
        edit("show_all", "Show all", show_all, "Alt+H", any_part),
        edit("solo", "Solo", solo, "/", lambda: some() or bool(ops.solo)),
        edit("lock", "Lock or unlock", ops.toggle_locked, "L"),
        Command("shapes.rename", "Rename", panel.rename_selected, "F2", "Parts", "", some),
        Command("shapes.recolor", "Colour…", panel.ask_color, "", "Parts", "", some),
        edit("select_all", "Select all parts", ops.select_all, "Ctrl+A", any_part),
        Command("shapes.move", "Move", lambda: begin("translate"), "G", "Parts", "", some),
        Command("shapes.rotate", "Rotate", lambda: begin("rotate"), "R", "Parts", "", some),
        Command("shapes.scale", "Scale", lambda: begin("scale"), "S", "Parts", "", some),
    ]


def _fit_commands(panel: SuperquadricsPanel) -> list[Command]:
    def has_target() -> bool:
        return panel.document.state.target is not None and not panel.runs.running

    def has_both() -> bool:
        return has_target() and bool(panel.operations.shape.parts)

    return [
        Command(
            "shapes.fit", "Fit object", panel.run_default, "Ctrl+Return", "Fit", "mdi6.auto-fix", has_target
        ),
        Command(
            "shapes.refine",
            "Refine selected",
            panel.runs.refine_selected,
            "Ctrl+R",
            "Fit",
            "mdi6.tune",
            has_both,
        ),
        Command("shapes.reduce", "Merge and drop…", panel.runs.propose_reduction, "", "Fit", "", has_both),
        Command(
            "shapes.stop", "Stop", panel.runs.stop, "Ctrl+.", "Fit", "mdi6.stop", lambda: panel.runs.running
        ),
    ]


def _view_commands(panel: SuperquadricsPanel) -> list[Command]:
    scene, options = panel.scene, panel.view_options

    def view(
        command_id: str,
        title: str,
        run: Callable[[], None],
        shortcut: str = "",
        checked: Callable[[], bool] | None = None,
    ) -> Command:
        return Command(f"view3d.{command_id}", title, run, shortcut, "3D view", checked=checked)

    return [
        view("frame_selection", "Frame selection", scene.frame_selection, "F"),
        view("frame_all", "Frame all", scene.frame_all, "Home"),
        view("front", "Front", lambda: scene.look_from("front"), "1"),
        view("right", "Right", lambda: scene.look_from("right"), "3"),
        view("top", "Top", lambda: scene.look_from("top"), "7"),
        view("projection", "Perspective or parallel", scene.toggle_projection, "5"),
        view("fly", "Fly camera", options.toggle_fly, "Shift+F"),
        view("display", "Solid, wireframe, points", options.cycle_display, "Z"),
        view("target", "Show target", options.toggle_target, "T", checked=lambda: panel.scene.target_visible),
        view("error", "Error map", panel.cycle_error_map, "E", checked=lambda: panel.errors.mode != "off"),
        view("up", "y up or z up", options.toggle_up),
        view("clip", "Clip plane", options.toggle_clip, "C"),
    ]


def _export_commands(panel: SuperquadricsPanel) -> list[Command]:
    def any_part() -> bool:
        return bool(panel.operations.shape.parts)

    def export(kind: str, title: str) -> Command:
        return Command(f"export.{kind}", title, lambda: panel.ask_export(kind), "", "Export", "", any_part)

    return [
        Command("export.any", "Export…", panel.ask_export, "Ctrl+E", "File", "mdi6.export", any_part),
        export("parts", "Export parts…"),
        export("mesh", "Export mesh…"),
        export("points", "Export point cloud…"),
        export("picture", "Export picture…"),
        export("turntable", "Export turntable…"),
        Command("edit.copy_parts", "Copy parts", panel.copy_parts, "Ctrl+C", "Edit", "", any_part),
        Command("edit.copy_picture", "Copy picture", panel.copy_picture, "Ctrl+Shift+C", "Edit"),
    ]
