"""Panels: one folder per method."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.panels.base import Panel


def panel_class(method_id: str) -> type[Panel]:
    """The panel of a method, ``app.panels.<id>.panel.PANEL``."""
    return importlib.import_module(f"app.panels.{method_id}.panel").PANEL
