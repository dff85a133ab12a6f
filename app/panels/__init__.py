"""Panels: one folder per method that needs more than the generic one."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.panels.base import Panel


def panel_class(method_id: str) -> type[Panel]:
    """``app.panels.<id>.panel.PANEL``, or the generic panel where a method has no folder of its own."""
    name = f"app.panels.{method_id.replace('-', '_')}"
    if importlib.util.find_spec(name) is None:
        name = "app.panels.generic"
    return importlib.import_module(f"{name}.panel").PANEL
