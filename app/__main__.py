"""Entry point: looks at the arguments first, then runs a headless command or opens the window."""

from __future__ import annotations

import sys
from pathlib import Path

WINDOW_OPTIONS = ("--safe-mode", "--reset-settings")


def main(argv: list[str] | None = None) -> int:
    """Returns the exit code."""
    words = sys.argv[1:] if argv is None else argv
    if "--info" in words:
        return _info()
    files = [word for word in words if word not in WINDOW_OPTIONS]
    if all(_is_file(word) for word in files):
        return _window([Path(word) for word in files], words)
    from app.cli import main as run_command

    return run_command(words)


def _is_file(word: str) -> bool:
    """Methods and commands come first: a file called ``tour`` opens as ``./tour``."""
    from app.cli import is_command

    return not word.startswith("-") and not is_command(word) and Path(word).exists()


def _window(files: list[Path], words: list[str]) -> int:
    try:
        from app.shell.application import run_window
    except ImportError as error:
        print(f"studiolo: the window cannot start: {error}. Run `make setup`.", file=sys.stderr)
        return 1
    if "--reset-settings" in words:
        from app.project.places import config_folder
        from app.shell.settings import Settings

        Settings(config_folder() / "settings.json").reset()
    return run_window(files, safe_mode="--safe-mode" in words)


def _info() -> int:
    import platform

    from app.project.places import config_folder, state_folder
    from methods.core.version import __version__

    print(f"studiolo {__version__}, Python {platform.python_version()}, {platform.platform()}")
    print(f"settings: {config_folder()}\nstate and log: {state_folder()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
