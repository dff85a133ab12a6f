"""A person's decisions: for one element or for all alike, kept with the document. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.panels.minim.document import Masking, Ruling
from app.project import Document
from methods.core.errors import BadInput

if TYPE_CHECKING:
    from app.panels.minim.readings import Page
    from methods.minim.observation import Element
    from methods.minim.policy import Override

WORDS = ("Keep", "Abstract", "Remove")
SCOPES = {
    "element": "this element",
    "text": "all with this text",
    "role": "all with this role",
    "type": "all of this type",
}


def key_of(element: Element, kind: str, scope: str) -> str:
    """What ``element`` shares with the others that a ruling of ``scope`` is about; "" when nothing."""
    return {"element": element.label, "text": element.label, "role": element.role, "type": kind}[scope]


def covers(ruling: Ruling, element: Element, kind: str, where: str) -> bool:
    """Whether ``ruling`` is about ``element``, whose strongest type is ``kind``, in the file ``where``."""
    if ruling.scope != "element":
        return key_of(element, kind, ruling.scope) == ruling.key
    if ruling.where == where:
        return ruling.uid == element.uid
    # In the other steps of a trace a locked element is known by what it is called.
    return ruling.locked and bool(ruling.key) and (ruling.role, ruling.key) == (element.role, element.label)


def resolve(page: Page, rulings: Sequence[Ruling]) -> dict[int, Override]:
    """The override of each element that has one: the last ruling about it, but locked ones win.

    A decision to keep that names no reason does not reach what the floor protects: rulings about all alike and
    secrets that were named later must not let anything out.
    """
    from methods.minim.policy import KEEP, Override

    observation, found = page.observation, {}
    for ruling in rulings:
        for element in observation.elements:
            uid = element.uid
            if not covers(ruling, element, page.types[uid], observation.name):
                continue
            if ruling.decision == KEEP and uid in page.floor and not ruling.reason:
                continue
            before = found.get(uid)
            if before is None or not before.locked or ruling.locked:
                found[uid] = Override(ruling.decision, ruling.reason, ruling.locked)
    return found


class Overrides:
    """Titled edits of the rulings in a document."""

    def __init__(self, document: Document[Masking]) -> None:
        self._document = document

    def rule(self, element: Element, kind: str, scope: str, decision: int, reason: str = "") -> None:
        """Decide about ``element`` (or about all alike) from now on.

        Raises:
            BadInput: it is locked, or has nothing in common with others of that scope.
        """
        state = self._document.state
        key = key_of(element, kind, scope)
        if not key and scope != "element":
            raise BadInput(f"This element has no {scope}.", "Decide about this element alone.")
        if scope == "element" and self.locked(element):
            which = (
                f"{element.role} {element.native_id or element.uid}"  # what it says may be private: no log
            )
            raise BadInput(f"{which} is locked.", "Unlock it first (L).")
        ruling = Ruling(scope, key, decision, reason)
        if scope == "element":
            ruling = self._about(element, ruling)
        what = name(element) if scope == "element" else f"{SCOPES[scope]} ({key[:30]})"
        self._document.edit(f"{WORDS[decision]} {what}", state.with_ruling(ruling))

    def set_locked(self, element: Element, decision: int, locked: bool, reason: str = "") -> None:
        """Lock ``element`` at ``decision``, or let it go."""
        state = self._document.state
        own = self._own(element)
        reason = reason or (own.reason if own is not None else "")
        ruling = self._about(element, Ruling("element", element.label, decision, reason, locked))
        title = f"{'Lock' if locked else 'Unlock'} {name(element)}"
        rulings = state.with_ruling(ruling).rulings
        if not locked and own is not None:
            # A lock may come from another step of the trace: it goes as well.
            rulings = tuple(r for r in rulings if r is ruling or r.target != own.target)
        self._document.edit(title, replace(state, rulings=rulings))

    def withdraw(self, element: Element, kind: str) -> None:
        """Take back the last ruling about ``element``: the model decides again."""
        state = self._document.state
        where = self._where
        about = [r for r in state.rulings if covers(r, element, kind, where)]
        if about:
            left = tuple(r for r in state.rulings if r is not about[-1])
            self._document.edit(f"Withdraw the decision on {name(element)}", replace(state, rulings=left))

    def locked(self, element: Element) -> bool:
        own = self._own(element)
        return own is not None and own.locked

    @property
    def _where(self) -> str:
        observation = self._document.state.observation
        return observation.name if observation is not None else ""

    def _own(self, element: Element) -> Ruling | None:
        """The ruling about this element alone."""
        rulings = (r for r in reversed(self._document.state.rulings) if r.scope == "element")
        return next((r for r in rulings if covers(r, element, "", self._where)), None)

    def _about(self, element: Element, ruling: Ruling) -> Ruling:
        return replace(ruling, uid=element.uid, where=self._where, role=element.role)


def name(element: Element) -> str:
    """How titles and messages call an element."""
    label = " ".join(element.label.split())
    short = label if len(label) <= 40 else label[:39] + "…"
    return f"“{short}”" if short else f"{element.role} {element.native_id or element.uid}"
