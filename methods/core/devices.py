"""Which device a job runs on."""

from __future__ import annotations

from methods.core.errors import BadInput

DEVICES = ("auto", "cpu", "cuda", "mps")


def available() -> tuple[str, ...]:
    """Devices that work here, best first. Imports torch."""
    import torch

    found = []
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return (*found, "cpu")


def choose(name: str, needs_torch: bool) -> str:
    """The device behind ``name``.

    Work that does not use torch runs on the CPU whatever is asked, so torch is not imported for it.
    """
    if name not in DEVICES:
        raise BadInput(f"There is no device {name!r}.", f"Use one of {', '.join(DEVICES)}.")
    if not needs_torch or name == "cpu":
        return "cpu"
    here = available()
    if name == "auto":
        return here[0]
    if name not in here:
        raise BadInput(f"The device {name!r} is not available on this machine.", f"Use {' or '.join(here)}.")
    return name
