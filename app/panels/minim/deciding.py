"""What a person does to the selected element: keep, abstract, remove, lock, and withdraw it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog

from app.panels.minim.dialogs import ReasonDialog
from app.panels.minim.overrides import SCOPES, Overrides, key_of, name
from methods.core.errors import StudioloError

if TYPE_CHECKING:
    from app.panels.minim.panel import MinimPanel
    from methods.minim.observation import Element

KEEP = 0


class Deciding:
    """Asks for a reason where the floor wants one; what cannot be done is said in the message bar."""

    def __init__(self, panel: MinimPanel) -> None:
        self._panel = panel
        self.overrides = Overrides(panel.document)

    def rule(self, scope: str, decision: int) -> None:
        """Decide about the selected element, or about all that share its text, role or type."""
        element, page = self._panel.selected_element, self._panel.scoring.page
        if element is None or page is None:
            return
        reason = ""
        floored = self._floored(scope, element)
        if decision == KEEP and floored:
            what = name(element) if scope == "element" else SCOPES[scope].capitalize()
            reason = self.ask_reason(what, floored)
            if not reason:
                self._panel.showing.selection()
                return
        kind = page.types[element.uid]
        self._attempt(lambda: self.overrides.rule(element, kind, scope, decision, reason))

    def toggle_lock(self) -> None:
        element, decisions = self._panel.selected_element, self._panel.scoring.decisions
        if element is not None and decisions is not None:
            locked, code = self.overrides.locked(element), int(decisions.codes[element.uid])
            self._attempt(lambda: self.overrides.set_locked(element, code, not locked))

    def withdraw(self) -> None:
        element, page = self._panel.selected_element, self._panel.scoring.page
        if element is not None and page is not None:
            self._attempt(lambda: self.overrides.withdraw(element, page.types[element.uid]))

    def ask_reason(self, what: str, kind: str) -> str:
        """Why something the floor protects may leave; "" for no. Tests replace it."""
        dialog = ReasonDialog(what, kind, self._panel)
        return dialog.reason() if dialog.exec() == QDialog.DialogCode.Accepted else ""

    def _floored(self, scope: str, element: Element) -> str:
        """What the floor protects among the elements that a ruling of ``scope`` is about; "" for nothing."""
        from methods.minim.findings import TYPES

        page = self._panel.scoring.page
        assert page is not None
        key = key_of(element, page.types[element.uid], scope)
        others = (element,) if scope == "element" else page.observation.elements
        uids = (e.uid for e in others if e.uid in page.floor and key_of(e, page.types[e.uid], scope) == key)
        first = next(uids, None)
        if first is None:
            return ""
        return TYPES[page.types[first]].title.lower() if page.types[first] else "a password"

    def _attempt(self, operation: Callable[[], None]) -> None:
        try:
            operation()
        except StudioloError as error:
            self._panel.show_error(error)
        self._panel.showing.selection()
