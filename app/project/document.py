"""A document: an immutable state, its history, and who wants to know when it changes. No Qt.

Why states and not commands with inverses: docs/decisions/0001.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

S = TypeVar("S")

STEP_LIMIT = 500
"""Steps kept; older ones are dropped from the start of the history."""


@dataclass(frozen=True)
class Step(Generic[S]):
    """One entry of the history: what was done, and the state after it."""

    title: str
    state: S


class Document(Generic[S]):
    """Holds one state and every state before it.

    Args:
        state: the first state, which counts as saved.
        title: how the history calls it.
    """

    def __init__(self, state: S, title: str = "New") -> None:
        self._steps = [Step(title, state)]
        self._position = 0
        self._saved: Step[S] | None = self._steps[0]
        self._merge: str | None = None
        self._listeners: list[Callable[[Document[S]], None]] = []
        self.revision = 0

    @property
    def state(self) -> S:
        return self._steps[self._position].state

    @property
    def history(self) -> tuple[str, ...]:
        """Titles of all steps, undone ones included; the first is the state at the start."""
        return tuple(step.title for step in self._steps)

    @property
    def position(self) -> int:
        """Index of the present state in :attr:`history`."""
        return self._position

    @property
    def can_undo(self) -> bool:
        return self._position > 0

    @property
    def can_redo(self) -> bool:
        return self._position < len(self._steps) - 1

    @property
    def dirty(self) -> bool:
        """Whether the present state is not the one that was saved; undo and redo count too."""
        return self._steps[self._position] is not self._saved

    def edit(self, title: str, state: S, merge: str | None = None) -> None:
        """Make ``state`` the present one, as a new step.

        Args:
            merge: edits in a row with the same key become one step, until :meth:`end_merge`: a drag is one
                step, however many positions it went through.
        """
        step = Step(title, state)
        if merge is not None and merge == self._merge and not self.can_redo and self.can_undo:
            self._steps[self._position] = step
        else:
            del self._steps[self._position + 1 :]
            self._steps.append(step)
            surplus = len(self._steps) - STEP_LIMIT - 1
            if surplus > 0:
                del self._steps[:surplus]
            self._position = len(self._steps) - 1
        self._merge = merge
        self._changed()

    def end_merge(self) -> None:
        """The next edit starts a step of its own."""
        self._merge = None

    def abandon_merge(self) -> None:
        """Undo the open merged step and forget it, as when a drag is cancelled."""
        if self._merge is not None and self.can_undo and not self.can_redo:
            del self._steps[self._position]
            self._position -= 1
            self._merge = None
            self._changed()

    def undo(self) -> None:
        if self.can_undo:
            self.go_to(self._position - 1)

    def redo(self) -> None:
        if self.can_redo:
            self.go_to(self._position + 1)

    def go_to(self, position: int) -> None:
        """Jump to a step of the history.

        Raises:
            IndexError: there is no such step.
        """
        if not 0 <= position < len(self._steps):
            raise IndexError(position)
        self._merge = None
        if position != self._position:
            self._position = position
            self._changed()

    def mark_saved(self, step: int | None = None) -> None:
        """The present state (or the one at position ``step``) is on disk now."""
        self._saved = self._steps[self._position if step is None else step]
        self._notify()

    def mark_unsaved(self) -> None:
        """Nothing of this is on disk, as after a recovery."""
        self._saved = None
        self._notify()

    def replace(self, state: S, title: str) -> None:
        """Start over with ``state``, as when another project is opened; it counts as saved."""
        self._steps = [Step(title, state)]
        self._position = 0
        self._saved = self._steps[0]
        self._merge = None
        self._changed()

    def subscribe(self, listener: Callable[[Document[S]], None]) -> Callable[[], None]:
        """Call ``listener`` after every change; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def _changed(self) -> None:
        self.revision += 1
        self._notify()

    def _notify(self) -> None:
        for listener in tuple(self._listeners):
            listener(self)
