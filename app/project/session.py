"""What is open: one document per method, saved together as one project. No Qt."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from app.project.document import Document
from app.project.file import Project, read_project, write_project
from methods.core.atomic import atomic_writer
from methods.core.errors import BadInput


class Codec(Protocol):
    """See :class:`app.panels.base.DocumentCodec`."""

    def save(self, state: Any) -> dict[str, bytes]: ...

    def load(self, members: Mapping[str, bytes]) -> Any: ...


Prepare = Callable[[tuple[str, ...], str], object]


def _nothing(method_ids: tuple[str, ...], active: str) -> None:
    pass


@dataclass
class Entry:
    """A document, how it is stored, and whether there is anything in it worth storing."""

    document: Document[Any]
    codec: Codec


class Session:
    """The open documents and the file they belong to.

    Members of a method lie below ``<method id>/`` in the project file. Those of methods that no panel of this
    session has opened are kept as they are, so that saving never loses them.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.path: Path | None = None
        self.active = ""
        self._others: dict[str, bytes] = {}
        self._listeners: list[Callable[[], None]] = []
        self._unsaved = False

    @property
    def title(self) -> str:
        return self.path.name if self.path else "untitled"

    @property
    def dirty(self) -> bool:
        return self._unsaved or any(entry.document.dirty for entry in self.entries.values())

    @property
    def revision(self) -> tuple[tuple[str, int], ...]:
        """Changes whenever any document does."""
        return tuple((method_id, entry.document.revision) for method_id, entry in self.entries.items())

    def add(self, method_id: str, document: Document[Any], codec: Codec) -> None:
        """A panel has opened: its document takes what the project holds for it.

        Raises:
            BadInput: it cannot be read; it stays in the project as it is, and the panel gets no document.
        """
        waiting = _members_of(self._others, method_id)
        if waiting:
            document.replace(codec.load(waiting), "Open project")
        self._others = {n: d for n, d in self._others.items() if not n.startswith(f"{method_id}/")}
        self.entries[method_id] = Entry(document, codec)
        document.subscribe(lambda _: self._changed())

    def remove(self, method_id: str) -> None:
        """A panel closes: what its document holds waits here until the panel opens again."""
        entry = self.entries.pop(method_id)
        self._unsaved = self._unsaved or entry.document.dirty
        for name, data in entry.codec.save(entry.document.state).items():
            self._others[f"{method_id}/{name}"] = data

    def methods_in_file(self) -> tuple[str, ...]:
        """Methods that the opened project has members of and that no panel has taken yet."""
        return _method_ids(self._others)

    def snapshot(self) -> Project:
        """Everything as a project, now; cheap enough for the main thread, as states are immutable."""
        members = dict(self._others)
        for method_id, entry in self.entries.items():
            for name, data in entry.codec.save(entry.document.state).items():
                members[f"{method_id}/{name}"] = data
        about = {"active": self.active, "path": str(self.path) if self.path else ""}
        return Project(members, about)

    def save(self, path: Path) -> None:
        """Write everything to ``path``, keeping the file that was there as ``<name>~``.

        Raises:
            OSError: it cannot be written; the old file is intact and the documents stay dirty.
        """
        project = self.snapshot()
        if path.exists():
            _keep(path)
        write_project(path, project)
        self.path = path
        self._unsaved = False
        for entry in self.entries.values():
            entry.document.mark_saved()
        self._changed()

    def open(self, path: Path, prepare: Prepare = _nothing) -> None:
        """Replace everything by the project in ``path``.

        Args:
            prepare: called when the file could be read and nothing has changed yet, with the ids of its
                methods and the one that was shown. What it adds must be able to read its members too.

        Raises:
            BadInput, OSError: it cannot be opened; what is open stays.
        """
        project = read_project(path)
        prepare(_method_ids(project.members), _active(project))
        self._take(project, path)

    def recover(self, path: Path, prepare: Prepare = _nothing) -> None:
        """Take over an autosave: its content, unsaved, under the name of the project it came from."""
        project = read_project(path)
        prepare(_method_ids(project.members), _active(project))
        origin = str(project.about.get("path") or "")
        self._take(project, Path(origin) if origin else None)
        self._unsaved = True
        self._changed()

    def new(self) -> None:
        """Forget everything."""
        self._others = {}
        self.path = None
        self._unsaved = False
        for entry in self.entries.values():
            entry.document.replace(type(entry.document.state)(), "New project")
        self._changed()

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` whenever a document, the path or the dirty state changes."""
        self._listeners.append(listener)

    def _take(self, project: Project, path: Path | None) -> None:
        states = {}
        for method_id, entry in self.entries.items():
            members = _members_of(project.members, method_id)
            states[method_id] = entry.codec.load(members) if members else type(entry.document.state)()
        # Everything could be read: only now does anything change.
        for method_id, state in states.items():
            self.entries[method_id].document.replace(state, "Open project")
        known = tuple(f"{method_id}/" for method_id in self.entries)
        self._others = {n: d for n, d in project.members.items() if not (known and n.startswith(known))}
        self.path = path
        self.active = _active(project)
        self._unsaved = False
        self._changed()

    def _changed(self) -> None:
        for listener in tuple(self._listeners):
            listener()


def _keep(path: Path) -> None:
    """Copy ``path`` to ``<name>~`` in one step: a full disk must not cost the copy that is there."""
    with path.open("rb") as old, atomic_writer(path.with_name(path.name + "~")) as stream:
        shutil.copyfileobj(old, stream)


def _method_ids(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.split("/", 1)[0] for name in names))


def _active(project: Project) -> str:
    active = project.about.get("active")
    return active if isinstance(active, str) else ""


def _members_of(members: Mapping[str, bytes], method_id: str) -> dict[str, bytes]:
    prefix = f"{method_id}/"
    return {name.removeprefix(prefix): data for name, data in members.items() if name.startswith(prefix)}


def check_suffix(path: Path, suffix: str) -> Path:
    """``path`` with ``suffix`` appended when it has none.

    Raises:
        BadInput: it has another one, which would be misleading.
    """
    if not path.suffix:
        return path.with_name(path.name + suffix)
    if path.suffix.lower() != suffix:
        raise BadInput(f"{path.name} does not end in {suffix}.", f"Give it the suffix {suffix}.")
    return path
