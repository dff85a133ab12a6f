"""Loads damaged files one after another in a process of its own.

Usage: ``python -m tests.fuzz.worker FORMAT SEED FIRST COUNT FOLDER``. Prints the number of each file before
it is opened, and a line ``BAD number reason`` for whatever is neither a value nor a BadInput, so that the
parent knows the culprit even if this process dies.
"""

from __future__ import annotations

import faulthandler
import sys
import time
import traceback
import warnings
from pathlib import Path

import numpy as np

from methods.core.errors import BadInput
from methods.evidence.documents.document import open_document
from methods.superquadrics import formats
from methods.superquadrics.loading import load_target
from tests.fuzz import corpus
from tests.fuzz.mutate import mutated

LIMIT_SECONDS = 2.0
HANG_SECONDS = 30.0
MEMORY_BYTES = 1_500_000_000
"""Growth of the process that no small file may cause."""


def open_and_use(kind: str, path: Path) -> None:
    """Read the file and do with the value what the program would do first."""
    if kind in corpus.PARTS:
        shape = formats.load(path)
        if shape.parts:
            shape.bounds()
        return
    if kind in corpus.DOCUMENTS:
        use_document(path)
        return
    target = load_target(path)
    points, normals = target.sample(32, np.random.default_rng(0))
    finite = np.isfinite(points).all() and np.isfinite(normals).all() and target.diagonal > 0
    finite = finite and np.isfinite(target.distance(points)).all() and np.isfinite(target.bounds).all()
    if target.faces is not None:
        target.occupancy(points)
    assert finite, "the target has values that are not finite"
    assert len(target.size_text) < 200 and all("\n" not in w and len(w) < 400 for w in target.warnings)


def use_document(path: Path) -> None:
    """Draw the first and the last page and read their text layer."""
    document = open_document(path, dpi=72)
    try:
        for number in {0, min(len(document), 3) - 1}:
            picture = document.picture(number)
            height, width = picture.shape[:2]
            assert picture.dtype == np.uint8 and picture.shape == (height, width, 3) and picture.size
            for word in document.words(number):
                x0, y0, x1, y1 = word.box
                assert word.text.strip() and 0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height
    finally:
        document.close()


def main(kind: str, seed: int, first: int, count: int, folder: Path) -> None:
    seeds = corpus.files(kind, folder)
    suffix = corpus.SUFFIXES.get(kind, f".{kind}")
    for name in seeds:  # everything is imported before the clock runs
        path = folder / f"healthy{suffix}"
        path.write_bytes(name)
        open_and_use(kind, path)
    warnings.simplefilter("error")
    limit_memory()
    opened = refused = 0
    for number in range(first, first + count):
        print(number, flush=True)
        data = mutated(seeds[number % len(seeds)], seeds, seed, number)
        path = folder / f"damaged{suffix}"
        path.write_bytes(data)
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
        began = time.process_time()
        try:
            open_and_use(kind, path)
            opened += 1
        except BadInput as error:
            refused += 1
            text = str(error)
            if not error.what or "\n" in text or len(text) > 500:
                print(f"BAD {number} message: {text[:200]!r}", flush=True)
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {str(error)[:150]!r}"
            print(f"BAD {number} {what} at {place.filename}:{place.lineno}", flush=True)
        seconds = time.process_time() - began
        faulthandler.cancel_dump_traceback_later()
        if seconds > LIMIT_SECONDS:
            print(f"BAD {number} took {seconds:.1f} s", flush=True)
    print(f"DONE {opened} {refused}", flush=True)


def limit_memory() -> None:
    """More memory than now plus the limit cannot be had; asking for it gives MemoryError."""
    try:
        import resource
    except ImportError:  # not on this platform
        return
    status = Path("/proc/self/statm")
    if status.exists():
        now = int(status.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY_BYTES, now + MEMORY_BYTES))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]))
