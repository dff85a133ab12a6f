"""What the generic panel edits: chosen files, the action, its parameters, and the last figures. No Qt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from methods.core.errors import BadInput

MEMBER = "panel.json"


@dataclass(frozen=True)
class Setup:
    """An immutable state; pairs instead of dictionaries so that steps of the history can share it.

    Attributes:
        files: input name and path.
        action: id of the chosen action, "" for the method's first one.
        parameters: action id and the JSON of what differs from the defaults.
        result: JSON of the last result, "" before the first one.
    """

    files: tuple[tuple[str, str], ...] = ()
    action: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    result: str = ""

    def file(self, name: str) -> str:
        """The path chosen for an input, "" if none."""
        return dict(self.files).get(name, "")

    def with_files(self, chosen: Mapping[str, str]) -> Setup:
        return replace(self, files=tuple((dict(self.files) | chosen).items()))

    def changed_parameters(self, action_id: str) -> dict[str, Any]:
        return json.loads(dict(self.parameters).get(action_id, "{}"))

    def with_parameters(self, action_id: str, changed: Mapping[str, Any]) -> Setup:
        everything = dict(self.parameters) | {action_id: json.dumps(dict(changed), sort_keys=True)}
        return replace(self, parameters=tuple(everything.items()))

    @property
    def shown_result(self) -> dict[str, Any]:
        """The last result as ``--json`` prints it; empty before the first one."""
        return json.loads(self.result) if self.result else {}


class SetupCodec:
    """A :class:`Setup` as one JSON member of a project file."""

    def save(self, state: Setup) -> dict[str, bytes]:
        about = {
            "files": dict(state.files),
            "action": state.action,
            "parameters": {action: json.loads(text) for action, text in state.parameters},
            "result": state.shown_result,
        }
        return {MEMBER: json.dumps(about).encode()}

    def load(self, members: Mapping[str, bytes]) -> Setup:
        try:
            about = json.loads(members[MEMBER])
            files, parameters = about.get("files", {}), about.get("parameters", {})
            result, action = about.get("result", {}), about.get("action", "")
            texts = (action, *files, *files.values())
            if not all(isinstance(text, str) for text in texts) or not isinstance(result, dict):
                raise ValueError("a value has the wrong type")
            state = Setup(tuple(files.items()), action, result=json.dumps(result) if result else "")
            for action_id, changed in parameters.items():
                state = state.with_parameters(action_id, changed)
        except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise BadInput(
                f"The project's {MEMBER} is damaged: {error}.", "Open a project that this program saved."
            ) from error
        return state
