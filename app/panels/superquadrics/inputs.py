"""Inputs for actions from what the window holds, named by files that hold exactly the same. No Qt."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from app.panels.superquadrics.document import Studio
from methods.core.atomic import write_atomically
from methods.core.results import Source
from methods.core.runner import Loaded, sha256_of_file
from methods.superquadrics.model import Shape


class Inputs:
    """Turns the document into :class:`Loaded` inputs; see docs/decisions/0004.

    Args:
        folder: where parts and targets that are not files get one, named by the hash of their content.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def parts(self, shape: Shape) -> Loaded:
        from methods.superquadrics import formats

        data = json.dumps(formats.to_json(shape), indent=1).encode()
        digest = hashlib.sha256(data).hexdigest()
        path = self._folder / f"parts-{digest[:16]}.json"
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)  # half a file under this name would be taken for the whole one
        return Loaded(shape, Source(str(path), digest))

    def target(self, state: Studio) -> Loaded:
        """The target, by its own file while that is unchanged, else by a copy."""
        assert state.target is not None
        path = Path(state.source.path)
        if state.source.path and path.is_file() and sha256_of_file(path) == state.source.sha256:
            return Loaded(state.target, Source(str(path.resolve()), state.source.sha256))
        from methods.superquadrics.export import save_target

        self._folder.mkdir(parents=True, exist_ok=True)
        copy = self._folder / f"target-{(state.source.sha256 or state.target.digest)[:16]}.npz"
        if not copy.exists():
            save_target(state.target, copy)
        return Loaded(state.target, Source(str(copy), sha256_of_file(copy)))
