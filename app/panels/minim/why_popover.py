"""The evidence for one decision, as a popover: the sentence first, then what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.panels.minim.why import Hit, Why, short
from app.theme.tokens import Tokens

WIDTH = 460
TALLEST = 520


class WhyPopover(QFrame):
    """Closes when one clicks elsewhere or presses Escape."""

    def __init__(self, why: Why, tokens: Tokens, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Why")
        self.setFixedWidth(WIDTH)
        self._tokens = tokens
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(16, 14, 16, 14)
        self._column.setSpacing(5)
        first = QLabel(why.sentence)
        first.setWordWrap(True)
        first.setProperty("role", "title")
        self._column.addWidget(first)
        self._section("What the rules found", [self._hit(hit) for hit in why.hits] or ["nothing"])
        shared = ", ".join(f"<b>{escape(word)}</b>" for word in why.shared)
        self._section("In common with the task", [shared or "no word"])
        rows = [self._neighbour(*n) for n in why.neighbours]
        if rows:
            self._section("Around it", [f"<table cellspacing='0' cellpadding='2'>{''.join(rows)}</table>"])
        scroll = QScrollArea()
        scroll.setWidget(content)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.addWidget(scroll)
        self._content = content
        self._fit()

    def add_influences(self, influences: Sequence[tuple[str, float]]) -> None:
        """Show what the network went by; it comes later than the rest, because it takes a pass backwards."""
        if influences:
            rows = [self._influence(*i) for i in influences]
            self._section("What moved necessity most (gradient × input)", ["<br>".join(rows)])
            self._fit()

    def _fit(self) -> None:
        content = self._content
        self._column.activate()
        tall = (
            content.heightForWidth(WIDTH - 4) if content.hasHeightForWidth() else content.sizeHint().height()
        )
        self.setFixedHeight(min(tall + 6, TALLEST))

    def show_at(self, place: QPoint) -> None:
        """Open with the right upper corner at ``place``, but on the screen."""
        screen = self.screen().availableGeometry()
        x = min(max(place.x() - self.width(), screen.left() + 8), screen.right() - self.width() - 8)
        y = min(max(place.y(), screen.top() + 8), screen.bottom() - self.height() - 8)
        self.move(x, y)
        self.show()

    def _section(self, title: str, rows: list[str]) -> None:
        head = QLabel(title.upper())
        head.setProperty("role", "section")
        self._column.addSpacing(6)
        self._column.addWidget(head)
        head.show()  # what is added to an open window counts for its size only once it is shown
        for row in rows:
            label = QLabel(row)
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setWordWrap(True)
            self._column.addWidget(label)
            label.show()

    def _hit(self, hit: Hit) -> str:
        t = self._tokens
        check = {True: " · check digit right", False: " · check digit wrong", None: ""}[hit.checksum]
        found = (
            f"{escape(hit.before)}<span style='background-color:{t.selection}; font-weight:600'>"
            f"{escape(hit.match)}</span>{escape(hit.after)}"
        )
        return (
            f"<b>{escape(hit.title)}</b> <span style='color:{t.muted}'>{escape(hit.why)}{check}</span>"
            f"<br>{found}"
        )

    def _influence(self, name: str, weight: float) -> str:
        color = self._tokens.good if weight > 0 else self._tokens.bad
        return f"{escape(name)} <span style='color:{color}'>{weight:+.2f}</span>"

    def _neighbour(self, relation: str, label: str, s: float, n: float) -> str:
        muted = f"color:{self._tokens.muted}"
        return (
            f"<tr><td style='{muted}'>{relation}</td><td>{escape(short(label))}</td>"
            f"<td style='{muted}'>s {s:.1f}</td><td style='{muted}'>n {n:.1f}</td></tr>"
        )
