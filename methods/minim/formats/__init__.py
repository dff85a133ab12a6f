"""The file formats of observations: which there are, and which one a file is in.

A reader is a module with ``FORMAT``, ``matches(name, source) -> bool`` and ``read(name, source) -> Observation``.
"""

from __future__ import annotations

import gc
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

from methods.core.errors import BadInput
from methods.minim.observation import Observation

FORMATS = {
    "studiolo-screen": "screen_json",
    "browsergym-json": "browsergym_json",
    "cdp-axtree": "cdp",
    "cdp-axtree+boxes": "cdp",
    "dom-snapshot": "dom_snapshot",
    "json-list": "mapping",
    "webarena-text": "axtree_webarena",
    "browsergym-text": "axtree_browsergym",
    "playwright-aria": "aria_yaml",
    "uiautomator-xml": "uiautomator",
    "atspi-xml": "atspi",
    "html": "html_page",
}
"""Id and module of each format, in the order in which they are tried: the most particular first."""

LARGEST = 200_000_000
"""Bytes of a file (unpacked) that is still read."""

_KNOWN = (
    "Known are accessibility trees of WebArena, BrowserGym, Chrome (getFullAXTree) and Playwright, DOM snapshots, "
    "HTML, uiautomator and AT-SPI dumps, and JSON lists of elements."
)


def load(path: Path) -> Observation:
    """Read an observation from a file, also a gzipped one.

    Raises:
        BadInput: the file cannot be read, is too large, is not text in UTF-8, or is in no known format.
    """
    path = Path(path)
    return parse(path.name, _text(path.name, _bytes(path)))


def parse(name: str, source: str, format: str | None = None) -> Observation:
    """Read an observation from text.

    Args:
        name: of the file, for messages; its ending may help to tell the format.
        format: a key of :data:`FORMATS`; found out when None.

    Raises:
        BadInput: the format is not known, or the text is damaged.
    """
    if format and format not in FORMATS:
        raise BadInput(f"There is no format {format!r}.", f"Use one of: {', '.join(FORMATS)}.")
    if not source.strip("\ufeff \t\r\n"):
        raise BadInput(f"{name} is empty.", "Open a saved observation.")
    if "\0" in source:
        raise BadInput(f"{name} is not a text file.", _KNOWN)
    wanted = [FORMATS[format]] if format else dict.fromkeys(FORMATS.values())
    for reader in map(_reader, wanted):
        if format or reader.matches(name, source):
            with _no_collection():
                return reader.read(name, source)
    raise BadInput(f"{name} is in no known format of user interfaces.", _KNOWN)


@contextmanager
def _no_collection() -> Iterator[None]:
    """A tree only grows while it is read: looking for garbage in it again and again doubles the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _reader(module: str) -> ModuleType:
    return import_module(f"{__name__}.{module}")


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            packed = stream.read(2) == b"\x1f\x8b"
        with (gzip.open if packed else open)(path, "rb") as stream:
            data = stream.read(LARGEST + 1)
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist.", "Check the path.") from None
    except IsADirectoryError:
        raise BadInput(f"{path} is a folder.", "Open a file in it.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadInput(f"{path.name} cannot be unpacked ({error}).", "Get the file again.") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror or error}).", "Check the file.") from error
    if len(data) > LARGEST:
        raise BadInput(f"{path.name} is larger than {LARGEST // 1_000_000} MB.", "Save a single screen.")
    return data


def _text(name: str, data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise BadInput(f"{name} is in UTF-16.", "Save it as UTF-8.")
    return data.decode("utf-8", "surrogateescape")
