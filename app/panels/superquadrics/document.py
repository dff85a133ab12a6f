"""What the superquadric panel edits, and how it lies in a project file. No Qt."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from methods.core.errors import BadInput
from methods.core.results import Source
from methods.superquadrics.model import Shape

if TYPE_CHECKING:
    from methods.superquadrics.target import Target

EMPTY = Shape()
NO_SOURCE = Source("", "")


@dataclass(frozen=True)
class Studio:
    """The parts, the target they are measured against (if any), and the file that target came from."""

    shape: Shape = EMPTY
    target: Target | None = None
    source: Source = NO_SOURCE


class StudioCodec:
    """Reads and writes a :class:`Studio` as JSON and ``.npy`` members of a project file."""

    def __init__(self) -> None:
        # Autosave runs every few seconds while the target never changes: encode it once.
        self._encoded: tuple[Target, dict[str, bytes]] | None = None

    def save(self, state: Studio) -> dict[str, bytes]:
        from methods.superquadrics import formats

        members = {"parts.json": json.dumps(formats.to_json(state.shape)).encode()}
        if state.target is not None:
            members |= self._encode(state.target)
            source = {"path": state.source.path, "sha256": state.source.sha256}
            members["source.json"] = json.dumps(source).encode()
        return members

    def load(self, members: Mapping[str, bytes]) -> Studio:
        from methods.superquadrics import formats

        shape = formats.from_json(_json(members, "parts.json"), allow_empty=True)
        if "target.json" not in members:
            return Studio(shape)
        source = _json(members, "source.json") if "source.json" in members else {}
        return Studio(
            shape,
            _decode_target(members),
            Source(str(source.get("path", "")), str(source.get("sha256", ""))),
        )

    def _encode(self, target: Target) -> dict[str, bytes]:
        if self._encoded is None or self._encoded[0] is not target:
            self._encoded = (target, _encode_target(target))
        return self._encoded[1]


ARRAYS = ("vertices", "faces", "normals", "part_labels")
TEXTS = ("name", "unit")
LISTS = ("part_names", "warnings")


def _encode_target(target: Target) -> dict[str, bytes]:
    import numpy as np

    about: dict[str, Any] = {name: getattr(target, name) for name in TEXTS}
    about |= {name: list(getattr(target, name)) for name in LISTS}
    about["shown_of"] = target.shown_of
    members = {"target.json": json.dumps(about).encode()}
    for name in ARRAYS:
        array = getattr(target, name)
        if array is not None:
            stream = io.BytesIO()
            np.save(stream, array, allow_pickle=False)
            members[f"target/{name}.npy"] = stream.getvalue()
    return members


def _decode_target(members: Mapping[str, bytes]) -> Target:
    import numpy as np

    from methods.superquadrics.target import Target

    about = _json(members, "target.json")
    values: dict[str, Any] = {name: str(about.get(name, "")) for name in TEXTS}
    for name in LISTS:
        listed = about.get(name, [])
        if not isinstance(listed, list):
            raise BadInput(f"The project's target.json is damaged: {name} is not a list.")
        values[name] = tuple(map(str, listed))
    shown_of = about.get("shown_of")
    if shown_of is not None and (not isinstance(shown_of, int) or isinstance(shown_of, bool)):
        raise BadInput("The project's target.json is damaged: shown_of is not a whole number.")
    for name in ARRAYS:
        data = members.get(f"target/{name}.npy")
        try:
            values[name] = None if data is None else np.load(io.BytesIO(data), allow_pickle=False)
        except (ValueError, EOFError, OSError, MemoryError) as error:  # its header may ask for terabytes
            raise BadInput(f"The project's target/{name}.npy is damaged: {error}.") from error
    return Target(**values, shown_of=shown_of)


def _json(members: Mapping[str, bytes], name: str) -> dict[str, Any]:
    if name not in members:
        raise BadInput(f"The project holds no {name}.", "Open a project that this program saved.")
    try:
        value = json.loads(members[name])
    except (ValueError, RecursionError) as error:
        raise BadInput(f"The project's {name} is damaged: {error}.") from error
    if not isinstance(value, dict):
        raise BadInput(f"The project's {name} is not an object.")
    return value
