"""The static list of methods. A new method is one folder and one line here."""

from __future__ import annotations

import functools
import importlib

from methods.core.declaration import Method
from methods.core.errors import BadInput

METHOD_IDS = ("superquadrics", "minim", "evidence", "monica")


@functools.cache
def methods() -> tuple[Method, ...]:
    """All declarations, in the order of the method rail. Light: imports no heavy library."""
    return tuple(importlib.import_module(f"methods.{method_id}").METHOD for method_id in METHOD_IDS)


def method(method_id: str) -> Method:
    """The declaration of one method."""
    for candidate in methods():
        if candidate.id == method_id:
            return candidate
    raise BadInput(f"There is no method {method_id!r}.", f"Known: {', '.join(m.id for m in methods())}.")
