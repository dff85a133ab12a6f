"""From a gizmo drag or a typed G/R/S transform to edits of the document, merged into one step. No Qt."""

from __future__ import annotations

import itertools

import numpy as np

from app.panels.superquadrics.operations import PartOperations
from app.views.scene3d.delta import Delta
from methods.superquadrics import edits
from methods.superquadrics.model import Shape

TITLES = {"translate": "Move", "rotate": "Rotate", "scale": "Scale"}
_numbers = itertools.count(1)


class Transform:
    """One transform, from the first movement of the pointer to its end.

    Every step is computed from the shape at the start, so that rounding never adds up and a cancel restores
    it exactly.
    """

    def __init__(self, operations: PartOperations) -> None:
        self._operations = operations
        self._before: Shape = operations.shape
        self._shown = self._before
        self._ids = edits.editable(self._before, operations.selection)
        self._merge = f"transform {next(_numbers)}"

    def apply(self, delta: Delta) -> None:
        """Show the shape as ``delta`` changes it.

        Raises:
            BadInput: no part can be like that, such as one of size 0; what was shown stays.
        """
        title = f"{TITLES[delta.kind]} {self._operations.names(self._ids)}" if self._ids else ""
        self._shown = transformed(self._before, self._ids, delta)
        self._operations.set_shape(title, self._shown, merge=self._merge)

    def is_of(self, shape: Shape) -> bool:
        """Whether ``shape`` is what this transform has shown last, and no other edit came between."""
        return shape is self._shown or shape == self._shown

    def finish(self) -> None:
        self._operations.document.end_merge()

    def cancel(self) -> None:
        """Back to the start, leaving no step behind."""
        self._operations.document.abandon_merge()


def transformed(shape: Shape, ids: tuple[int, ...], delta: Delta) -> Shape:
    """``shape`` with ``delta`` applied to the parts ``ids``."""
    if delta.kind == "translate":
        return edits.translate(shape, ids, delta.translation)
    if delta.kind == "rotate":
        return edits.rotate(shape, ids, delta.rotation, delta.pivot)
    return edits.scale(shape, ids, np.abs(delta.scale), delta.pivot, local=delta.local)
