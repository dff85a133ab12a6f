"""The panel's commands: menus, palette, shortcuts and cheat sheet are made from this list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.commands import Command
from app.panels.minim.overrides import SCOPES, WORDS

if TYPE_CHECKING:
    from app.panels.minim.panel import MinimPanel

KEYS = ("K", "A", "R")
ICONS = ("mdi6.check", "mdi6.approximately-equal", "mdi6.close")


def panel_commands(panel: MinimPanel) -> list[Command]:
    """All commands, bound to one panel."""
    return [*_element_commands(panel), *_observation_commands(panel), *_trace_commands(panel)]


def _element_commands(panel: MinimPanel) -> list[Command]:
    def some() -> bool:
        return panel.selected_element is not None and panel.scoring.decisions is not None

    def rule(scope: str, code: int) -> Command:
        own = scope == "element"
        title = WORDS[code] if own else f"{WORDS[code]} {SCOPES[scope]}"
        name = WORDS[code].lower() if own else f"{WORDS[code].lower()}_{scope}"
        return Command(
            f"privacy.{name}",
            title,
            lambda: panel.deciding.rule(scope, code),
            KEYS[code] if own else "",
            "Element" if own else "",
            ICONS[code] if own else "",
            some,
        )

    def element(name: str, title: str, run: object, key: str = "", icon: str = "") -> Command:
        return Command(f"privacy.{name}", title, run, key, "Element", icon, some)  # type: ignore[arg-type]

    return [
        *(rule("element", code) for code in range(3)),
        element("lock", "Lock or unlock", panel.deciding.toggle_lock, "L", "mdi6.lock-outline"),
        element("withdraw", "Withdraw your decision", panel.deciding.withdraw, "Backspace"),
        element("why", "Why…", panel.show_why, "W", "mdi6.help-circle-outline"),
        *(rule(scope, code) for scope in ("text", "role", "type") for code in range(3)),
        Command("privacy.next", "Next element", lambda: panel.select_near(1), "N", "Element"),
        Command("privacy.previous", "Previous element", lambda: panel.select_near(-1), "P", "Element"),
    ]


def _observation_commands(panel: MinimPanel) -> list[Command]:
    def is_open() -> bool:
        return panel.document.state.observation is not None

    def exportable() -> bool:
        return is_open() and not panel.exporter.obstacle()

    return [
        Command(
            "privacy.task",
            "Type the task",
            panel.focus_task,
            "T",
            "Observation",
            "mdi6.form-textbox",
            is_open,
        ),
        Command("privacy.secrets", "My secrets…", panel.ask_secrets, "", "Observation"),
        Command(
            "privacy.picture",
            "Open a screenshot…",
            panel.opening.ask_picture,
            "",
            "Observation",
            "mdi6.image-outline",
            is_open,
        ),
        Command(
            "privacy.capture",
            "Capture a local page…",
            panel.opening.ask_page,
            "",
            "Observation",
            "mdi6.camera-outline",
        ),
        Command(
            "privacy.preview",
            "Preview the picture that leaves",
            panel.showing.toggle_preview,
            "V",
            "Observation",
            "mdi6.eye-outline",
            lambda: panel.views.picture_size() is not None and panel.scoring.outgoing is not None,
            lambda: panel.showing.preview,
        ),
        Command("privacy.reset", "Thresholds of the paper", panel.reset_thresholds, "", "Observation"),
        Command("export.any", "Export…", panel.exporter.ask, "Ctrl+E", "File", "mdi6.export", exportable),
        Command(
            "edit.copy_text", "Copy what leaves", panel.copy_text, "Ctrl+Shift+C", "Edit", "", exportable
        ),
    ]


def _trace_commands(panel: MinimPanel) -> list[Command]:
    traces = panel.traces

    def has_trace() -> bool:
        return bool(panel.document.state.trace)

    return [
        Command(
            "privacy.open_trace",
            "Open a folder of steps…",
            traces.ask_open,
            "",
            "Trace",
            "mdi6.folder-outline",
        ),
        Command(
            "privacy.next_step",
            "Next step",
            lambda: traces.step(1),
            "Ctrl+PgDown",
            "Trace",
            "",
            lambda: traces.can_step(1),
        ),
        Command(
            "privacy.previous_step",
            "Previous step",
            lambda: traces.step(-1),
            "Ctrl+PgUp",
            "Trace",
            "",
            lambda: traces.can_step(-1),
        ),
        Command("privacy.run_trace", "Minimise all steps…", traces.ask_run, "", "Trace", "", has_trace),
    ]
