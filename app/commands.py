"""The one command registry: menus, palette, shortcuts, cheat sheet and the macro log come from it. No Qt."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

log = logging.getLogger("studiolo.commands")


@dataclass(frozen=True)
class Command:
    """Something a person can ask for.

    Attributes:
        id: ``area.verb_noun``, stable, for shortcuts in the settings and for the macro log.
        shortcut: in Qt's portable text, such as ``Ctrl+Shift+P``; "" for none.
        menu: title of the menu it stands in; "" to be found in the palette only.
        enabled, checked: asked whenever the command is shown or about to run.
    """

    id: str
    title: str
    run: Callable[[], None]
    shortcut: str = ""
    menu: str = ""
    icon: str = ""
    enabled: Callable[[], bool] | None = None
    checked: Callable[[], bool] | None = None

    @property
    def is_enabled(self) -> bool:
        return self.enabled is None or self.enabled()


class CommandRegistry:
    """All commands that can be given now, by id."""

    def __init__(self) -> None:
        self._commands: dict[str, tuple[Command, object]] = {}
        self._shortcuts: dict[str, str] = {}
        self._listeners: list[Callable[[], None]] = []
        self.macro: list[tuple[float, str]] = []

    def add(self, commands: Iterable[Command], owner: object = None) -> None:
        """Add commands; with the same id the later one wins until its owner is removed.

        Raises:
            ValueError: two commands of this call share an id: a mistake in the program.
        """
        added = list(commands)
        ids = [command.id for command in added]
        if len(set(ids)) < len(ids):
            raise ValueError(f"two commands are called {next(i for i in ids if ids.count(i) > 1)}")
        for command in added:
            self._commands[command.id] = (command, owner)
        self._changed()

    def remove(self, owner: object) -> None:
        """Take away every command of ``owner``."""
        self._commands = {i: entry for i, entry in self._commands.items() if entry[1] is not owner}
        self._changed()

    def all(self) -> list[Command]:
        """Every command with the shortcut that holds for it, in the order they were added."""
        return [
            replace(command, shortcut=self._shortcuts.get(command.id, command.shortcut))
            for command, _ in self._commands.values()
        ]

    def get(self, command_id: str) -> Command | None:
        return next((command for command in self.all() if command.id == command_id), None)

    def set_shortcuts(self, shortcuts: dict[str, str]) -> None:
        """The person's own shortcuts, by command id; the others keep theirs."""
        self._shortcuts = dict(shortcuts)
        self._changed()

    def conflicts(self) -> dict[str, list[str]]:
        """Shortcuts that more than one command claims, with the ids of those."""
        claims: dict[str, list[str]] = {}
        for command in self.all():
            if command.shortcut:
                claims.setdefault(command.shortcut.lower(), []).append(command.id)
        return {key: ids for key, ids in claims.items() if len(ids) > 1}

    def run(self, command_id: str) -> bool:
        """Run a command; False if there is none or it is not enabled now."""
        command = self.get(command_id)
        if command is None or not command.is_enabled:
            return False
        self.macro.append((time.time(), command_id))
        log.info("%s", command_id)
        command.run()
        return True

    def find(self, query: str) -> list[Command]:
        """Commands whose title or menu holds the letters of ``query`` in order, best first."""
        scored = [
            (score, c) for c in self.all() if (score := match(query, f"{c.menu} {c.title}")) is not None
        ]
        return [command for _, command in sorted(scored, key=lambda entry: entry[0])]

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` when commands come or go; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def _changed(self) -> None:
        for listener in tuple(self._listeners):
            listener()


def match(query: str, text: str) -> tuple[int, int, str] | None:
    """How well ``query`` fits ``text`` (lower is better), None if its letters do not occur in order.

    Whole words beat scattered letters, and early ones beat late ones.
    """
    query, text = query.lower().strip(), text.lower()
    if not query:
        return (0, 0, "")
    if (at := text.find(query)) >= 0:
        word_start = at == 0 or text[at - 1] == " "
        return (0 if word_start else 1, at, text)
    gaps, position = 0, -1
    for letter in query.replace(" ", ""):
        following = text.find(letter, position + 1)
        if following < 0:
            return None
        gaps += following - position - 1
        position = following
    return (2, gaps, text)
