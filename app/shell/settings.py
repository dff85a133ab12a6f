"""The person's settings as one JSON file: read leniently, written atomically, kept when damaged. No Qt."""

from __future__ import annotations

import contextlib
import json
import logging
from pathlib import Path
from typing import Any

from methods.core.atomic import atomic_writer

log = logging.getLogger("studiolo.settings")

DEFAULTS: dict[str, Any] = {
    "theme": "system",
    "device": "auto",
    "seed": 0,
    "recent": [],
    "shortcuts": {},
    "layouts": {},
    "last_layout": None,
    "restoring_layout": False,
    "last_folder": "",
    "last_method": "",
}

RECENT_LIMIT = 12


class Settings:
    """Values by name, each of the type of its default; anything else in the file is ignored.

    Attributes:
        problem: why the file could not be used, "" if it could; its old content is kept beside it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._values = dict(DEFAULTS)
        self.problem = ""
        self._load()

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def set(self, name: str, value: Any) -> None:
        """Change one value and write the file; a failure is logged and never stops the program."""
        if name not in DEFAULTS:
            raise KeyError(name)
        self._values[name] = value
        self._write()

    def reset(self) -> None:
        """Back to the defaults."""
        self._values = dict(DEFAULTS)
        self._write()

    def add_recent(self, path: Path) -> None:
        """Put a file on top of the recent ones."""
        text = str(path.resolve())
        self.set("recent", [text, *(p for p in self["recent"] if p != text)][:RECENT_LIMIT])

    def remove_recent(self, path: str) -> None:
        self.set("recent", [p for p in self["recent"] if p != path])

    def _load(self) -> None:
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
            if not isinstance(data, dict):
                raise ValueError("it is not an object")
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as error:
            backup = self._path.with_suffix(".damaged.json")
            with contextlib.suppress(OSError):
                self._path.replace(backup)
            self.problem = (
                f"The settings could not be read ({error}); the defaults hold. Kept: {backup.name}."
            )
            log.warning(self.problem)
            return
        for name, default in DEFAULTS.items():
            value = data.get(name, default)
            if default is None or type(value) is type(default):
                self._values[name] = value
        self._values["recent"] = [p for p in self._values["recent"] if isinstance(p, str)]

    def _write(self) -> None:
        try:
            with atomic_writer(self._path, durable=False) as stream:
                stream.write(json.dumps(self._values, indent=1).encode())
        except OSError as error:
            log.warning("The settings could not be saved: %s", error)
