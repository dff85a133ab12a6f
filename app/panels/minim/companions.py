"""Files that lie beside an observation and belong to it: example tasks and a picture. No Qt."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

log = logging.getLogger("studiolo.panel")

PICTURES = (".png", ".webp", ".jpg", ".jpeg")
MAX_TASKS = 3


def examples_beside(path: Path) -> tuple[str, ...]:
    """Tasks from ``<name>.tasks.json`` (``{"tasks": [...]}``); none when there is no such file."""
    file = next((f for stem in _stems(path) if (f := path.with_name(f"{stem}.tasks.json")).is_file()), None)
    if file is None:
        return ()
    try:
        tasks = json.loads(file.read_text(encoding="utf-8"))["tasks"]
    except (ValueError, KeyError, TypeError, OSError) as error:
        log.warning("%s holds no tasks: %s", file.name, error)  # a convenience only; the observation opens
        return ()
    return tuple(str(task) for task in tasks[:MAX_TASKS]) if isinstance(tasks, list) else ()


def picture_beside(path: Path) -> str:
    """The screenshot that has the observation's name; "" when there is none."""
    files = (path.with_name(stem + suffix) for stem in _stems(path) for suffix in PICTURES)
    return next((str(file) for file in files if file.is_file() and file != path), "")


def _stems(path: Path) -> Iterator[str]:
    """``mail.axtree.json``, ``mail.axtree``, ``mail``."""
    name = path.name
    while name:
        yield name
        shorter = Path(name).stem
        if shorter == name:
            return
        name = shorter
