"""Model folders in the layout of Hugging Face: what they hold, what is missing, and what they would run.

Nothing in a folder is ever executed: Python files and ``auto_map`` entries are named, not followed.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from methods.core.errors import BadInput
from methods.core.inspect import kinds, safetensors_file
from methods.core.inspect.found import Inspection, TensorInfo, shortened

INDEX = "model.safetensors.index.json"
MAX_JSON = 64 * 1024 * 1024
MAX_FILES = 10_000
SHOWN = ("model_type", "architectures", "torch_dtype", "dtype", "hidden_size", "num_hidden_layers", "vocab_size",
         "max_position_embeddings")  # fmt: skip


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a model folder.

    Raises:
        BadInput: absent, too large, or no JSON object.
    """
    try:
        if path.stat().st_size > MAX_JSON:
            raise BadInput(f"{path.name} is too large for a description of a model.", kinds.AGAIN)
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"{path.name} is missing from {path.parent.name}.", "Get the whole folder.") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path.name} is no JSON ({str(error)[:120]}).", kinds.AGAIN) from error
    if not isinstance(value, dict):
        raise BadInput(f"{path.name} is no JSON object.", kinds.AGAIN)
    return value


def remote_code(folder: Path, config: dict[str, Any]) -> list[str]:
    """Python that the folder asks its user to run: the targets of ``auto_map``, else its Python files."""
    asked = config.get("auto_map")
    if isinstance(asked, dict) and asked:
        return sorted({shortened(target, 80) for target in asked.values()})
    return sorted(p.name for p in folder.glob("*.py"))[:20]


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of the model; empty if it has none.

    Raises:
        BadInput: the index names files that are missing or lie outside the folder.
    """
    if not (folder / INDEX).is_file():
        single = folder / "model.safetensors"
        return [single] if single.is_file() else sorted(folder.glob("*.safetensors"))[:MAX_FILES]
    names = read_json(folder / INDEX).get("weight_map")
    if not isinstance(names, dict) or not names or not all(isinstance(n, str) for n in names.values()):
        raise BadInput(f"{INDEX} names no files.", kinds.AGAIN)
    files = sorted(set(names.values()))
    if any(Path(name).name != name or not name.endswith(".safetensors") for name in files):
        raise BadInput(f"{INDEX} names files outside of the folder.", "Get the folder from its source again.")
    missing = [name for name in files if not (folder / name).is_file()]
    if missing:
        raise BadInput(
            f"{len(missing)} of {len(files)} shards are missing from {folder.name}: {', '.join(missing[:3])}.",
            "Get the whole folder.",
        )
    return [folder / name for name in files]


def inspect_folder(folder: Path) -> Inspection:
    """What is inside a model folder; tensors of all shards together.

    Raises:
        BadInput: no model folder, or a damaged or missing file.
    """
    config = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    refusal, remedy, warnings = "", "", []
    files = weight_files(folder)
    pickles = [p.name for p in sorted(folder.iterdir()) if p.suffix in (".bin", ".pt", ".pth", ".ckpt")]
    if not files and pickles:
        refusal = f"{folder.name} holds its weights only as {pickles[0]}, a pickle, which could run code."
        remedy = "Save it as safetensors: model.save_pretrained(folder, safe_serialization=True)."
    elif not files:
        raise BadInput(
            f"{folder.name} holds no weights.", "Choose a folder with config.json and safetensors."
        )
    elif not config:
        warnings.append("config.json is missing, so the architecture is not known.")
    tensors: list[TensorInfo] = []
    for file in files:
        if kinds.kind(file) != "safetensors":
            raise BadInput(f"{file.name} is not what its name says.", kinds.AGAIN)
        found = safetensors_file.inspect(file)
        refusal, remedy = refusal or found.refusal, remedy or found.remedy
        tensors += found.tensors
    if code := remote_code(folder, config):
        warnings.append(f"It asks to run Python of its own ({', '.join(code)}); this program never does.")
    metadata = {key: shortened(config[key]) for key in SHOWN if key in config}
    metadata["files"] = shortened(", ".join(f.name for f in files))
    found = Inspection(
        folder.name, "folder", tuple(tensors), None, metadata, "", refusal, remedy, tuple(warnings)
    )
    fits = kinds.fits(found)
    if fits and "model_type" in config:
        fits = f"{fits} ({shortened(config['model_type'], 40)})"
    return replace(found, fits=fits)
