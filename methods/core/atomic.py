"""Write files so that a crash at any moment leaves the old or the new one, never half of it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from methods.core.errors import WorkFailed


@contextlib.contextmanager
def atomic_writer(path: Path, durable: bool = True) -> Iterator[IO[bytes]]:
    """A binary stream whose content becomes ``path`` when the block ends without an error.

    Args:
        durable: also force the data and the folder entry on to the disk (for a person's own files).

    Raises:
        OSError: the folder cannot be written to, the disk is full; the old file is untouched.
    """
    path = path.resolve()  # a link keeps pointing at the file it names
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
        with contextlib.suppress(OSError):  # a new file gets the usual mode instead of mkstemp's private one
            os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    if durable and os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_atomically(path: Path, content: bytes) -> None:
    """Write a person's file in one step.

    Raises:
        WorkFailed: it could not be written; a file that was there before is unchanged.
    """
    try:
        with atomic_writer(path) as stream:
            stream.write(content)
    except OSError as error:
        raise WorkFailed(
            f"{path.name} could not be saved: {error.strerror}.", "Choose another folder or free space."
        ) from error
