"""Run an action with provenance: the one way in for scripts, the command line and the window."""

from __future__ import annotations

import datetime
import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from methods.core import params as parameters
from methods.core.context import Context
from methods.core.declaration import Action, Method, resolve
from methods.core.devices import choose
from methods.core.errors import BadInput
from methods.core.registry import method as find_method
from methods.core.results import Outcome, Provenance, Result, Source
from methods.core.version import __version__


@dataclass(frozen=True)
class Loaded:
    """An input value together with the file it was read from."""

    value: Any
    source: Source


def load_input(method: Method, kind_id: str, path: str | Path) -> Loaded:
    """Read a file as ``kind_id``.

    Raises:
        BadInput: no such file, a folder where a file is wanted or the reverse, unreadable, or not of this kind.
    """
    path = Path(path)
    kind = method.kind(kind_id)
    if not path.exists():
        raise BadInput(f"{path} does not exist.", "Check the name and the folder.")
    if path.is_dir() and not kind.folder:
        raise BadInput(f"{path} is a folder.", f"Give a file ({kind.formats}).")
    if kind.folder and not path.is_dir():
        raise BadInput(f"{path} is not a folder.", f"Give the folder of a {kind.title}.")
    try:
        source = Source(str(path), sha256_of_folder(path) if kind.folder else sha256_of_file(path))
        value = resolve(kind.load)(path) if kind.load else path
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read: {error.strerror or error}.", "Check its permissions."
        ) from error
    return Loaded(value, source)


def save_output(method: Method, kind_id: str, value: Any, path: str | Path) -> None:
    """Write a value of ``kind_id``; the suffix of ``path`` chooses the format.

    Raises:
        BadInput: unknown suffix, or the place cannot be written to.
    """
    path = Path(path)
    check_place(method, kind_id, path)
    kind = method.kind(kind_id)
    try:
        resolve(kind.save)(value, path)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written: {error.strerror or error}.", "Choose another place."
        ) from error


def check_place(method: Method, kind_id: str, path: Path) -> None:
    """Whether a value of ``kind_id`` can be written to ``path``, as far as its name tells.

    Raises:
        BadInput: unknown suffix, or a file where a folder is to be.
    """
    kind = method.kind(kind_id)
    if kind.folder:
        if path.exists() and not path.is_dir():
            raise BadInput(f"{path} is a file.", "Give a folder; it is made if there is none.")
    elif path.suffix.lower() not in kind.suffixes:
        raise BadInput(
            f"{path.name}: {path.suffix or 'no suffix'} is not a format for {kind.title}.",
            f"Use {kind.formats}.",
        )


def run_action(
    method: Method,
    action: Action,
    inputs: Mapping[str, Any],
    params: Any,
    context: Context,
    out: Path | None = None,
) -> Result:
    """Do the work of ``action`` and record where the result came from.

    Args:
        inputs: by input name, either plain values or :class:`Loaded` ones.
        out: where an action that writes by itself does so.

    Raises:
        BadInput: such an action has no place to write to.
    """
    params = parameters.checked(params)
    if action.writes and out is None:
        raise BadInput(f"{action.title} needs a place for its result.", "Give one with --out.")
    values: dict[str, Any] = {"out": out} if action.writes else {}
    values |= {name: v.value if isinstance(v, Loaded) else v for name, v in inputs.items()}
    sources = {name: v.source if isinstance(v, Loaded) else _source_of_value(v) for name, v in inputs.items()}
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    clock = time.perf_counter()
    outcome = action(params, context, **values)
    seconds = time.perf_counter() - clock
    assert isinstance(outcome, Outcome), f"{action.work} must return an Outcome"
    provenance = Provenance(
        method=method.id,
        action=action.id,
        version=f"{__version__}/{method.version}",
        parameters=parameters.recorded(type(params), parameters.as_dict(params)),
        changed=parameters.recorded(type(params), parameters.changed(params)),
        seed=context.seed,
        device=context.device,
        inputs=sources,
        checkpoint=_weights(method, action, context),
        started=started,
        seconds=seconds,
    )
    return Result(outcome.value, outcome.facts, outcome.warnings, provenance, outcome.failed)


def _weights(method: Method, action: Action, context: Context) -> Source | None:
    """The weights that were used: those that were given, else the shipped ones."""
    if context.checkpoint:
        return Source(str(context.checkpoint), sha256_of_file(Path(context.checkpoint)))
    if not action.checkpoint:
        return None
    path = method.checkpoint(action.checkpoint).path
    return Source("", sha256_of_file(path)) if path.is_file() else None


def run(
    name: str,
    *inputs: Any,
    out: str | Path | None = None,
    seed: int = 0,
    device: str = "auto",
    checkpoint: str | None = None,
    context: Context | None = None,
    **values: Any,
) -> Result:
    """Run ``"method.action"`` from Python; what *Copy as Python* writes.

    Args:
        inputs: file paths or values, in the order the action declares its inputs.
        out: also write the result there, unless it :attr:`failed <methods.core.results.Outcome.failed>`.
        values: inputs by name, and parameters by name.

    Example::

        from methods.core import run
        result = run("superquadrics.fit", "chair.obj", max_parts=12, out="chair.json")
        print(result.facts["iou"])
    """
    method_id, _, action_id = name.partition(".")
    method = find_method(method_id)
    action = next((a for a in method.actions if a.id == action_id), None)
    if action is None:
        raise BadInput(
            f"{method_id} has no action {action_id!r}.", f"Known: {', '.join(a.id for a in method.actions)}."
        )
    given = dict(zip((i.name for i in action.inputs), inputs, strict=False))
    if len(inputs) > len(action.inputs):
        raise BadInput(f"{name} takes {len(action.inputs)} inputs, not {len(inputs)}.")
    given.update({i.name: values.pop(i.name) for i in action.inputs if i.name in values})
    loaded = {}
    for declared in action.inputs:
        value = given.get(declared.name)
        if value is None:
            if declared.required:
                raise BadInput(f"{name} needs the input {declared.name!r}: {declared.help}")
            continue
        is_path = isinstance(value, (str, Path))
        loaded[declared.name] = load_input(method, declared.kind, value) if is_path else value
    context = context or Context(seed=seed, device=choose(device, action.torch), checkpoint=checkpoint)
    place = None if out is None else Path(out)
    result = run_action(method, action, loaded, parameters.build(action.params, values), context, place)
    if out is not None and not action.writes and not result.failed:
        save_output(method, action.output, result.value, out)
    return result


def sha256_of_file(path: Path) -> str:
    """SHA-256 of a file's content, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_of_folder(path: Path) -> str:
    """SHA-256 of the names and sizes of all files below a folder: reading them all may take longer than the work."""
    listing = sorted((str(f.relative_to(path)), f.stat().st_size) for f in path.rglob("*") if f.is_file())
    return hashlib.sha256(json.dumps(listing).encode("utf-8", "surrogateescape")).hexdigest()


def _source_of_value(value: Any) -> Source:
    """Values that never were a file are hashed by their JSON form, when they have one."""
    to_json = getattr(value, "to_json", None)
    if to_json is None:
        return Source("", "")
    text = json.dumps(to_json(), sort_keys=True)
    return Source("", hashlib.sha256(text.encode()).hexdigest())
