"""Where settings, state and logs lie on this machine. No Qt."""

from __future__ import annotations

import functools
import logging
import os
import tempfile
from pathlib import Path

HOME_VARIABLE = "STUDIOLO_HOME"
"""One folder for everything; tests and portable installations set it."""


def config_folder() -> Path:
    """Settings, shortcuts and layouts."""
    return _folder("config")


def state_folder() -> Path:
    """Autosaves, logs and inputs of copied commands."""
    return _folder("state")


@functools.cache
def _folder(kind: str) -> Path:
    """The folder, made if needed; a temporary one where the usual place cannot be written to."""
    override = os.environ.get(HOME_VARIABLE)
    if override:
        wanted = Path(override) / kind
    else:
        import platformdirs

        try:
            name = platformdirs.user_config_dir if kind == "config" else platformdirs.user_state_dir
            wanted = Path(name("studiolo", appauthor=False))
        except (RuntimeError, KeyError):  # no home folder at all
            wanted = Path(tempfile.gettempdir()) / "studiolo" / kind
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except OSError as error:
        spare = Path(tempfile.mkdtemp(prefix=f"studiolo-{kind}-"))
        logging.getLogger("studiolo").warning(
            "%s cannot be written to (%s); using %s until the end of this run.", wanted, error, spare
        )
        return spare
