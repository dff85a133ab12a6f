"""The ``.studiolo`` project file: a zip of JSON and array members under a manifest. No Qt.

The reader trusts nothing in the file: names, counts and sizes are checked, sizes while reading, because a
zip's own figures can lie. See docs/project-file.md.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from methods.core.atomic import atomic_writer
from methods.core.errors import BadInput
from methods.core.version import __version__

FORMAT = "studiolo-project"
VERSION = 1
SUFFIX = ".studiolo"
MANIFEST = "manifest.json"

MAX_MEMBERS = 2000
MAX_TOTAL = 2 * 1024**3
MAX_MANIFEST = 4 * 1024**2
MAX_RATIO = 200
"""Largest believable compression of JSON and arrays; beyond it a small file would fill the memory."""
RATIO_FROM = 16 * 1024**2
"""Members up to this size may compress as they like: a flat array of zeros does so for good reason."""
CHUNK = 1024**2

DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)
"""All that zipfile lets through for cut-off, encrypted or otherwise impossible archives."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*\Z")


@dataclass(frozen=True)
class Project:
    """What a project file holds: members by name, and what the manifest says besides."""

    members: Mapping[str, bytes]
    about: Mapping[str, Any] = field(default_factory=dict)
    version: int = VERSION


def write_project(path: Path, project: Project, durable: bool = True) -> None:
    """Write a project file in one step.

    Args:
        durable: False for autosaves: neither forced on to the disk nor compressed, because they come often.

    Raises:
        OSError: it cannot be written; the old file is untouched.
        ValueError: a member has a name that the reader would refuse: a mistake in the program.
    """
    for name in project.members:
        if not _NAME.match(name) or name == MANIFEST:
            raise ValueError(f"{name!r} cannot be the name of a member")
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "app": __version__,
        "saved": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "about": dict(project.about),
        "files": [
            {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in project.members.items()
        ],
    }
    method = zipfile.ZIP_DEFLATED if durable else zipfile.ZIP_STORED
    with (
        atomic_writer(path, durable) as stream,
        zipfile.ZipFile(stream, "w", method, compresslevel=1) as archive,
    ):
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1, allow_nan=False))
        for name, data in project.members.items():
            archive.writestr(name, data)


def read_project(path: Path) -> Project:
    """Read a project file.

    Raises:
        BadInput: it is no project, is damaged, was made by a newer version, or breaks a limit.
        OSError: the file cannot be read.
    """
    with path.open("rb") as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                return _read(archive, path.name)
        except DAMAGE as error:
            raise BadInput(
                f"{path.name} is not a project file or is damaged ({error}).",
                "Open a backup or another file.",
            ) from error


def _read(archive: zipfile.ZipFile, name: str) -> Project:
    entries = archive.infolist()
    if len(entries) > MAX_MEMBERS:
        raise BadInput(f"{name} holds {len(entries)} members; a project has at most {MAX_MEMBERS}.")
    seen: set[str] = set()
    for entry in entries:
        _check_entry(entry, name)
        if entry.filename.lower() in seen:
            raise BadInput(
                f"{name} holds {entry.filename!r} twice.", "The file is damaged or was tampered with."
            )
        seen.add(entry.filename.lower())
    by_name = {entry.filename: entry for entry in entries}
    if MANIFEST not in by_name:
        raise BadInput(f"{name} has no manifest.", "It is not a project of this program.")
    with archive.open(by_name[MANIFEST]) as stream:
        manifest = _manifest(_take(stream, by_name[MANIFEST], MAX_MANIFEST, name), name)
    members: dict[str, bytes] = {}
    total = 0
    for listed in manifest["files"]:
        entry = by_name.get(listed["name"])
        if entry is None:
            raise BadInput(f"{name} lacks its member {listed['name']!r}.", "Open a backup.")
        with archive.open(entry) as stream:
            data = _take(stream, entry, MAX_TOTAL - total, name)
        if len(data) != listed["size"] or hashlib.sha256(data).hexdigest() != listed["sha256"]:
            raise BadInput(f"{name}: the member {listed['name']!r} is damaged.", "Open a backup.")
        total += len(data)
        members[listed["name"]] = data
    return Project(members, manifest.get("about") or {}, manifest["version"])


def _check_entry(entry: zipfile.ZipInfo, name: str) -> None:
    link = stat.S_ISLNK(entry.external_attr >> 16)
    if link or not _NAME.match(entry.filename) or ".." in entry.filename.split("/"):
        raise BadInput(
            f"{name} holds a member with the unsafe name {entry.filename[:80]!r}.",
            "Do not open it; a project of this program never does.",
        )


def _take(stream: IO[bytes], entry: zipfile.ZipInfo, limit: int, name: str) -> bytes:
    """The whole member, counted while it is unpacked."""
    pieces, size = [], 0
    while piece := stream.read(CHUNK):
        size += len(piece)
        if size > limit or (size > RATIO_FROM and size > MAX_RATIO * max(entry.compress_size, 1)):
            raise BadInput(
                f"{name}: the member {entry.filename!r} unpacks to more than a project may hold.",
                "Do not open it; the file was made to fill the memory.",
            )
        pieces.append(piece)
    return b"".join(pieces)


def _manifest(data: bytes, name: str) -> dict[str, Any]:
    def refuse(constant: str) -> float:
        raise ValueError(f"{constant} is not a number")

    try:
        manifest = json.loads(data, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: the manifest is damaged ({error}).", "Open a backup.") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BadInput(f"{name} is not a project of this program.", f"Open a {SUFFIX} file.")
    version = manifest.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadInput(f"{name}: the manifest names no format version.", "Open a backup.")
    if version > VERSION:
        raise BadInput(
            f"{name} was saved by a newer version of the program (format {version}, known {VERSION}).",
            "Update the program to open it.",
        )
    files = manifest.get("files")
    if not isinstance(files, list) or not all(map(_is_listed, files)):
        raise BadInput(f"{name}: the manifest's list of files is damaged.", "Open a backup.")
    if not isinstance(manifest.get("about", {}), dict):
        raise BadInput(f"{name}: the manifest is damaged.", "Open a backup.")
    return manifest


def _is_listed(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("name"), str)
        and isinstance(entry.get("size"), int)
        and isinstance(entry.get("sha256"), str)
    )
