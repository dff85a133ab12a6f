"""Read words off a picture with rapidocr in a helper process, which ends with the work that started it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import select
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import platformdirs

from methods.core.atomic import atomic_writer
from methods.core.context import Context
from methods.core.errors import WorkFailed
from methods.evidence.page import Token

ENGINE = "rapidocr"
VERSION = "rapidocr-3.10-1"
"""Of the engine and of the way it is used: older readings are not taken for these."""
_LOCK = threading.Lock()
_process: subprocess.Popen[bytes] | None = None


def read(picture: np.ndarray, context: Context, folder: Path | None = None) -> tuple[Token, ...]:
    """Words of a picture (H, W, 3) uint8 with their confidence, in reading order; kept by content.

    Args:
        folder: where readings are kept; the user's cache by default.

    Raises:
        Cancelled: the recogniser is ended at once. WorkFailed: it failed.
    """
    name = hashlib.sha256(VERSION.encode() + repr(picture.shape).encode() + picture.tobytes()).hexdigest()
    kept = (folder or Path(platformdirs.user_cache_dir("studiolo")) / "readings") / f"{name}.json"
    words = _kept(kept)
    if words is None:
        with _LOCK:
            words = _asked(picture, context)
        _keep(kept, words)
    return tuple(Token(str(t), (x0, y0, x1, y1), c, int(n)) for t, x0, y0, x1, y1, c, n in words)


def _kept(path: Path) -> list | None:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _keep(path: Path, words: list) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(path) as stream:
            stream.write(json.dumps(words).encode())
    except OSError:
        pass  # a reading that cannot be kept is read again


def _asked(picture: np.ndarray, context: Context) -> list:
    process = _running()
    assert process.stdin is not None and process.stdout is not None
    try:
        sender = threading.Thread(target=_send, args=(process, picture), daemon=True)
        sender.start()
        while not select.select([process.stdout], [], [], 0.05)[0]:
            context.check()
        line = process.stdout.readline()
        answer = json.loads(line) if line else {"error": "it ended"}
    except BaseException:
        stop()
        raise
    if "error" in answer:
        stop()
        raise WorkFailed(f"The text recogniser failed: {answer['error']}.", "Try a smaller picture.")
    return answer["words"]


def _send(process: subprocess.Popen[bytes], picture: np.ndarray) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(f"{picture.shape[0]} {picture.shape[1]}\n".encode())
        process.stdin.write(picture.tobytes())
        process.stdin.flush()
    except (OSError, ValueError):
        pass  # it has ended, which the reader of its answer notices


def _running() -> subprocess.Popen[bytes]:
    global _process
    if _process is None or _process.poll() is not None:
        root = Path(__file__).resolve().parents[3]
        paths = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
        _process = subprocess.Popen(
            [sys.executable, "-m", "methods.evidence.reading.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # an interrupt of the terminal is answered here, not there
        )
    return _process


def stop() -> None:
    """End the helper process, if there is one."""
    global _process
    if _process is not None:
        _process.kill()
        _process.wait()
        for stream in (_process.stdin, _process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        _process = None
