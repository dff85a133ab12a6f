"""Damaged weights files of every format: a finding or one clear line, never a crash, a hang or an eaten memory.

Run as ``python -m tests.fuzz.test_fuzz_checkpoints FORMAT FIRST COUNT FOLDER`` this is its own worker process.
"""

import faulthandler
import os
import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import pytest

from methods.core.errors import BadInput
from methods.core.inspect import describe, lines, statistics
from tests.fuzz.mutate import mutated
from tests.fuzz.worker import limit_memory
from tests.shared import ROOT
from tests.unit import monica_tiny as tiny

SEED = 20261203
SECONDS = 2.0
FORMATS = ("safetensors", "gguf", "npz", "pt", "old.pt")


def healthy(kind: str, folder: Path) -> Path:
    import torch
    from safetensors.numpy import save_file

    arrays = {"a.weight": np.arange(12, dtype=np.float32).reshape(3, 4), "b": np.zeros(5, np.float16)}
    path = folder / f"healthy.{kind}"
    if kind == "safetensors":
        save_file(arrays, path, {"format": "pt"})
    elif kind == "gguf":
        tiny.gguf(path, "Q8_0")
    elif kind == "npz":
        np.savez(path, **arrays)
    else:
        state = {name: torch.from_numpy(array) for name, array in arrays.items()}
        torch.save({"state": state, "epoch": 3}, path, _use_new_zipfile_serialization=kind == "pt")
    return path


def use(path: Path) -> None:
    """What the program does with a file: list it, then draw the first tensors."""
    found = describe(path)
    assert all("\n" not in line for line in lines(found))
    for tensor in found["tensors"][:3]:
        statistics(path, tensor["name"])


def main(kind: str, first: int, count: int, folder: Path) -> None:
    path = healthy(kind, folder)
    use(path)
    data = path.read_bytes()
    limit_memory()
    opened = refused = 0
    for number in range(first, first + count):
        print(number, flush=True)
        damaged = folder / f"damaged{path.suffix}"
        damaged.unlink(missing_ok=True)  # a new file: the old one may still be mapped
        damaged.write_bytes(mutated(data, [data], SEED, number))
        faulthandler.dump_traceback_later(30, exit=True)
        began = time.process_time()
        try:
            use(damaged)
            opened += 1
        except BadInput as error:
            refused += 1
            if not error.what or "\n" in str(error) or len(str(error)) > 500:
                print(f"BAD {number} message: {str(error)[:200]!r}", flush=True)
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {str(error)[:150]!r}"
            print(f"BAD {number} {what} at {place.filename}:{place.lineno}", flush=True)
        faulthandler.cancel_dump_traceback_later()
        if time.process_time() - began > SECONDS:
            print(f"BAD {number} took {time.process_time() - began:.1f} s", flush=True)
    print(f"DONE {opened} {refused}", flush=True)


def run(kind: str, first: int, count: int, folder: Path) -> tuple[int, int]:
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.test_fuzz_checkpoints",
        kind,
        str(first),
        str(count),
        str(folder),
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=90 + count
    )
    said = done.stdout.splitlines()
    bad = [line for line in said if line.startswith("BAD")]
    assert not bad, f"{kind}, seed {SEED}:\n" + "\n".join(bad[:20])
    assert said and said[-1].startswith("DONE"), (
        f"{kind}, seed {SEED}: died (code {done.returncode}) at {said[-1:]}\n{done.stderr[-2000:]}"
    )
    opened, refused = map(int, said[-1].split()[1:])
    assert opened + refused == count
    return opened, refused


@pytest.mark.parametrize("kind", FORMATS)
def test_damaged_weights_files(kind, tmp_path):
    opened, refused = run(kind, 0, 150, tmp_path)
    assert opened and refused  # the damage is neither harmless nor total


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", FORMATS)
def test_many_damaged_weights_files(kind, tmp_path):
    run(kind, 150, 3000, tmp_path)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
