"""The elements of an observation as rows of the tree table; containers without text are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.views.tree_table import Column, TreeTable

if TYPE_CHECKING:
    from app.panels.minim.readings import Scored
    from methods.minim.observation import Element, Observation
    from methods.minim.policy import Decisions

NAMES = ("keep", "abstract", "remove")


class TableRows:
    """Fills the table and keeps it in step with scores and decisions."""

    def __init__(self, table: TreeTable, styles: tuple[tuple[str, str, str], ...]) -> None:
        self._table, self._styles = table, styles
        self._elements: list[Element] = []
        self._uids = np.zeros(0, np.int64)
        self._row_of: dict[int, int] = {}
        self._parents: tuple[int, ...] = ()
        table.set_empty_text("The elements of what is open are listed here.")

    def show_observation(self, observation: Observation | None) -> None:
        elements = observation.elements if observation is not None else ()
        self._parents = tuple(element.parent for element in elements)
        self._elements = [e for e in elements if e.text or e.interactive]
        self._uids = np.array([e.uid for e in self._elements], np.int64)
        self._row_of = {e.uid: row for row, e in enumerate(self._elements)}
        above = [self._nearest(e.parent) for e in self._elements]
        self._table.set_rows(self._columns(None, None), np.array(above, np.int64), self._uids)

    def show_decisions(self, scored: Scored, decisions: Decisions) -> None:
        self._table.set_columns(self._columns(scored, decisions))
        self._table.set_styles(decisions.codes[self._uids], self._styles, NAMES)

    def clear_decisions(self) -> None:
        self._table.set_columns(self._columns(None, None))

    def select(self, uid: int | None) -> None:
        """Go to an element, or to what it lies in when it has no row of its own."""
        row = -1 if uid is None else self._nearest(uid)
        self._table.select(self._elements[row].uid if row >= 0 else -1)

    def _nearest(self, uid: int) -> int:
        """Row of an element or of the nearest one above it that has one, else -1."""
        while uid >= 0 and uid not in self._row_of:
            uid = self._parents[uid]
        return self._row_of.get(uid, -1)

    def _columns(self, scored: Scored | None, decisions: Decisions | None) -> tuple[Column, ...]:
        from methods.minim.findings import TYPES

        elements, uids = self._elements, self._uids.tolist()
        types = scored.page.types if scored is not None else None

        def type_title(row: int) -> str:
            kind = types[uids[row]] if types is not None else ""
            return TYPES[kind].title if kind else ""

        unknown = np.full(len(uids), np.nan)
        return (
            Column("role", lambda row: elements[row].role, "tree", width=102),
            Column("text", lambda row: words(elements[row]), width=140),
            Column("type", type_title, width=80),
            Column("s", unknown if scored is None else scored.s[self._uids], "number", width=40),
            Column("n", unknown if scored is None else scored.n[self._uids], "number", width=40),
            Column("decision", None, "chip", width=88),
            Column(
                "decided by", lambda row: decisions.by[uids[row]] if decisions is not None else "", width=72
            ),
            Column("#", lambda row: elements[row].native_id, width=48),
        )


def words(element: Element) -> str:
    """What an element says, in one line; its address only when it says nothing else."""
    texts = [t.text for t in element.texts if t.field not in ("copy", "url") and t.text]
    return " · ".join(dict.fromkeys(texts)) or element.get("url")
