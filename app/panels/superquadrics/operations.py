"""What a person can do to the selected parts: each a titled edit of the document. No Qt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from app.panels.superquadrics.document import Studio
from app.project import Document
from methods.core.errors import BadInput
from methods.superquadrics import edits
from methods.superquadrics.model import Shape, Superquadric

Edit = Callable[[Superquadric], Superquadric]


class PartOperations:
    """The selection, and edits of the selected parts.

    The selection is not part of the document: undoing an edit keeps what is selected, as long as it exists.
    """

    def __init__(self, document: Document[Studio]) -> None:
        self.document = document
        self._selection: tuple[int, ...] = ()
        self.solo: frozenset[int] = frozenset()

    @property
    def shape(self) -> Shape:
        return self.document.state.shape

    @property
    def selection(self) -> tuple[int, ...]:
        """Ids of the selected parts that still exist, the last one clicked at the end."""
        here = {part.id for part in self.shape.parts}
        return tuple(i for i in self._selection if i in here)

    def select(self, ids: Iterable[int]) -> None:
        self._selection = tuple(dict.fromkeys(ids))

    def select_all(self) -> None:
        self.select(part.id for part in self.shape.parts if part.visible)

    def parts(self) -> tuple[Superquadric, ...]:
        """The selected parts."""
        chosen = set(self.selection)
        return tuple(part for part in self.shape.parts if part.id in chosen)

    def names(self, ids: Iterable[int] | None = None) -> str:
        """The selection in words: one name, or how many parts."""
        chosen = self.selection if ids is None else tuple(ids)
        return self.shape.part(chosen[0]).name if len(chosen) == 1 else f"{len(chosen)} parts"

    def set_shape(self, title: str, shape: Shape, merge: str | None = None) -> None:
        """One step of the history; nothing when nothing changed."""
        if shape != self.shape:
            self.document.edit(title, replace(self.document.state, shape=shape), merge=merge)

    def edit_geometry(self, title: str, edit: Edit, merge: str | None = None) -> None:
        """Change the selected, unlocked parts and their symmetric partners."""
        self._need_editable()
        self.set_shape(f"{title} of {self.names()}", edits.change(self.shape, self.selection, edit), merge)

    def edit_look(self, title: str, edit: Edit, ids: Iterable[int] | None = None) -> None:
        """Change name, colour, visibility or lock; locked parts too."""
        chosen = set(self.selection if ids is None else ids)
        if chosen:
            self.set_shape(f"{title} {self.names(chosen)}", edits.describe(self.shape, chosen, edit))

    def add(self) -> None:
        """A new ellipsoid in the middle of what is there, a tenth of its size."""
        centre, reach = np.zeros(3), 1.0
        box = self.bounds()
        if box is not None:
            centre, reach = box.mean(axis=0), float(np.ptp(box, axis=0).max())
        part = Superquadric(translation=tuple(centre), size=(reach / 10,) * 3)
        shape, new = edits.add(self.shape, part)
        self.set_shape("Add a part", shape)
        self.select((new,))

    def paste(self, text: str) -> None:
        """Add parts that were copied as JSON.

        Raises:
            BadInput: the text is no parts file.
        """
        from methods.superquadrics import formats

        try:
            data = json.loads(text)
        except ValueError as error:
            raise BadInput(f"What was pasted is not JSON: {error}.", "Copy the parts again.") from error
        pasted = formats.from_json(data, source="What was pasted")
        shape, new = edits.append(self.shape, pasted.parts)
        self.set_shape(f"Paste {len(new)} part{'s' if len(new) != 1 else ''}", shape)
        self.select(new)

    def delete(self) -> None:
        self._need_editable()
        self.set_shape(f"Delete {self.names()}", edits.delete(self.shape, self.selection))

    def duplicate(self) -> None:
        self._need_selection()
        shape, new = edits.duplicate(self.shape, self.selection)
        self.set_shape(f"Duplicate {self.names()}", shape)
        self.select(new)

    def mirror(self, axis: str, offset: float, link: bool) -> None:
        self._need_selection()
        shape, new = edits.mirror(self.shape, self.selection, axis, offset, link)
        self.set_shape(f"Mirror {self.names()}", shape)
        self.select(new)

    def link(self) -> None:
        """Make the second of two selected parts the mirror image of the first, across the plane between."""
        if len(self.selection) != 2:
            raise BadInput("Two parts are needed for a symmetric pair.", "Select exactly two.")
        first, second = self.selection
        between = np.array([self.shape.part(i).translation for i in (first, second)])
        axis = int(np.abs(np.diff(between, axis=0)[0]).argmax())
        shape = edits.link_pair(self.shape, first, second, "xyz"[axis], float(between[:, axis].mean()))
        self.set_shape(f"Link {self.shape.part(first).name} and {self.shape.part(second).name}", shape)

    def unlink(self) -> None:
        self.set_shape(f"Unlink {self.names()}", edits.unlink(self.shape, self.selection))

    def group(self) -> None:
        self._need_selection()
        taken = {part.group for part in self.shape.parts}
        name = next(n for i in range(1, len(taken) + 2) if (n := f"group {i}") not in taken)
        self.set_shape(f"Group {self.names()}", edits.group(self.shape, self.selection, name))

    def ungroup(self) -> None:
        self.set_shape(f"Ungroup {self.names()}", edits.group(self.shape, self.selection, ""))

    def toggle_visible(self) -> None:
        shown = any(part.visible for part in self.parts())
        self.edit_look("Hide" if shown else "Show", lambda part: replace(part, visible=not shown))

    def set_visible(self, part_id: int, on: bool) -> None:
        self.edit_look("Show" if on else "Hide", lambda part: replace(part, visible=on), (part_id,))

    def set_locked(self, part_id: int, on: bool) -> None:
        self.edit_look("Lock" if on else "Unlock", lambda part: replace(part, locked=on), (part_id,))

    def show_all(self) -> None:
        self.solo = frozenset()
        hidden = [part.id for part in self.shape.parts if not part.visible]
        self.edit_look("Show", lambda part: replace(part, visible=True), hidden)

    def toggle_locked(self) -> None:
        locked = any(part.locked for part in self.parts())
        self.edit_look("Unlock" if locked else "Lock", lambda part: replace(part, locked=not locked))

    def toggle_solo(self) -> None:
        """Show only the selected parts, without changing the document."""
        self.solo = frozenset() if self.solo else frozenset(self.selection)

    def recolor(self, color: str) -> None:
        self.edit_look("Recolour", lambda part: replace(part, color=color))

    def rename(self, part_id: int, name: str) -> None:
        before = self.shape.part(part_id).name
        self.set_shape(f"Rename {before}", edits.rename(self.shape, part_id, name))

    def move_in_list(self, part_id: int, index: int) -> None:
        self.set_shape(f"Reorder {self.shape.part(part_id).name}", edits.reorder(self.shape, part_id, index))

    def bounds(self) -> Any:
        """World box [2, 3] around target and visible parts; None when there is nothing."""
        boxes = []
        if self.document.state.target is not None:
            boxes.append(np.asarray(self.document.state.target.bounds))
        if any(part.visible for part in self.shape.parts):
            boxes.append(self.shape.bounds(visible_only=True))
        if not boxes:
            return None
        return np.stack([np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)])

    def _need_selection(self) -> None:
        if not self.selection:
            raise BadInput("No part is selected.", "Click one in the list or in the view.")

    def _need_editable(self) -> None:
        self._need_selection()
        if not edits.editable(self.shape, self.selection):
            raise BadInput(f"{self.names()} cannot be changed while locked.", "Unlock first (L).")
