"""*Copy as command* and *Copy as Python*: a result written as the line that makes it again."""

from __future__ import annotations

import shlex
from typing import Any

from methods.core.registry import method as find_method
from methods.core.results import Provenance


def as_command(provenance: Provenance, out: str | None = None) -> str:
    """The shell line that reproduces a result: every non-default parameter, the seed and the device."""
    action = find_method(provenance.method).action(provenance.action)
    words = ["studiolo", provenance.method, provenance.action]
    for declared in action.inputs:
        source = provenance.inputs.get(declared.name)
        if source is None:
            continue
        if declared.option:
            words.append(f"--{declared.name}")
        words.append(source.path)
    for name, value in provenance.changed.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            words.append(option if value else f"--no-{name.replace('_', '-')}")
        elif isinstance(value, (tuple, list)):
            words += [f"{option}={one}" for one in value]
        elif isinstance(value, str) and value.startswith("-"):
            words.append(f"{option}={value}")  # else it would be read as an option
        else:
            words += [option, str(value) if value is not None else "none"]
    words += ["--seed", str(provenance.seed), "--device", provenance.device]
    if provenance.checkpoint and provenance.checkpoint.path:
        words += ["--checkpoint", provenance.checkpoint.path]
    if out:
        words += ["--out", out]
    words.append("--json")
    return shlex.join(words)


def as_python(provenance: Provenance, out: str | None = None) -> str:
    """The Python lines that reproduce a result."""
    arguments = [repr(f"{provenance.method}.{provenance.action}")]
    arguments += [f"{name}={source.path!r}" for name, source in provenance.inputs.items()]
    options: dict[str, Any] = dict(provenance.changed)
    options["seed"] = provenance.seed
    options["device"] = provenance.device
    if provenance.checkpoint and provenance.checkpoint.path:
        options["checkpoint"] = provenance.checkpoint.path
    if out:
        options["out"] = out
    arguments += [f"{name}={value!r}" for name, value in options.items()]
    return f"from methods.core import run\n\nresult = run({', '.join(arguments)})\nprint(result.facts)\n"
