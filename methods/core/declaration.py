"""The declaration of a method: who it is, what it can do, and by which paths the work is loaded late.

A declaration imports nothing heavy; functions are named as ``"package.module:function"`` and resolved
on first use, so that listing the methods never costs a second.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from methods.core.params import NoParams

ASSETS = Path(__file__).resolve().parents[2] / "assets"


def resolve(path: str) -> Callable[..., Any]:
    """The function named ``"package.module:function"``."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


@dataclass(frozen=True)
class Paper:
    """What the method stands on, and honestly what of it is ours.

    Attributes:
        ours: what this implementation adds, changes or leaves out.
        theirs: what comes from the paper.
        limits: where the method is known to fail.
    """

    title: str
    venue: str
    year: int
    link: str
    authors: str = ""
    theirs: str = ""
    ours: str = ""
    limits: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind of value that goes into or comes out of actions, with its file formats.

    Attributes:
        suffixes: what a file dialog offers, most usual first.
        load: path of ``load(path: Path) -> value``; "" when values of this kind are never read.
        save: path of ``save(value, path: Path) -> None``; "" when never written.
        sniff: path of ``sniff(path: Path) -> bool``, a quick look whether a file is of this kind; "" when its
            suffix says enough. Asked only where several methods share the suffix.
        folder: it is a folder, not a file; an input without ``load`` is handed over as its path.
    """

    id: str
    title: str
    suffixes: tuple[str, ...] = ()
    load: str = ""
    save: str = ""
    sniff: str = ""
    folder: bool = False

    @property
    def formats(self) -> str:
        """What a file of this kind may be, for a message."""
        return "a folder" if self.folder else ", ".join(self.suffixes)


@dataclass(frozen=True)
class Input:
    """One input of an action. Positional on the command line unless ``option`` is set."""

    name: str
    kind: str
    help: str
    option: bool = False
    required: bool = True


@dataclass(frozen=True)
class Action:
    """Something a method can do.

    Attributes:
        work: path of ``work(params, context, **inputs) -> Outcome``.
        output: kind of the outcome's value, "" when the facts are all there is.
        long: takes more than about 0.3 s, so it is cancelled rather than coalesced.
        torch: needs torch; only then is a device resolved.
        writes: the work itself writes to ``out`` as it goes (an argument ``out: Path``) and needs such a place;
            otherwise the value is saved afterwards, where a place is given.
        checkpoint: id of the shipped weights that it uses when no others are given, or "".
    """

    id: str
    title: str
    summary: str
    work: str
    inputs: tuple[Input, ...] = ()
    output: str = ""
    params: type = NoParams
    long: bool = True
    torch: bool = False
    default_suffix: str = ""
    writes: bool = False
    checkpoint: str = ""

    def __call__(self, params: Any, context: Any, **inputs: Any) -> Any:
        return resolve(self.work)(params, context, **inputs)


@dataclass(frozen=True)
class Sample:
    """A bundled input that opens with one click."""

    id: str
    title: str
    summary: str
    file: str
    kind: str

    @property
    def path(self) -> Path:
        return ASSETS / "samples" / self.file


@dataclass(frozen=True)
class Checkpoint:
    """Weights we ship, with their model card beside them."""

    id: str
    title: str
    file: str
    card: str

    @property
    def path(self) -> Path:
        return ASSETS / "checkpoints" / self.file


@dataclass(frozen=True)
class Method:
    """A method: the single declaration behind the Python call, the command line and the window."""

    id: str
    title: str
    short: str
    summary: str
    icon: str
    paper: Paper
    actions: tuple[Action, ...]
    kinds: tuple[Kind, ...] = ()
    samples: tuple[Sample, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    version: str = "1"

    def action(self, action_id: str) -> Action:
        return next(a for a in self.actions if a.id == action_id)

    def kind(self, kind_id: str) -> Kind:
        return next(k for k in self.kinds if k.id == kind_id)

    def checkpoint(self, checkpoint_id: str) -> Checkpoint:
        return next(c for c in self.checkpoints if c.id == checkpoint_id)
