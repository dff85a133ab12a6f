"""Panels: one folder per method that has its own, and the generic one for every other method."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.panels.base import Panel


def panel_class(method_id: str) -> type[Panel]:
    """The panel of a method: ``app.panels.<id>.PANEL`` if that folder exists, else the generic panel."""
    own = f"app.panels.{method_id}"
    name = own if importlib.util.find_spec(own) is not None else "app.panels.generic"
    module = importlib.import_module(f"{name}.panel")
    return module.PANEL
