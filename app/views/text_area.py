"""Text with line numbers; only the rows on screen are drawn, so that a megabyte scrolls like a page."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QFrame,
    QMenu,
    QToolTip,
)

from app.theme.tokens import LIGHT, Tokens
from app.views.diff_text import MASKED, REMOVED, DiffText, seen
from app.views.marks import faded

MASK = "#E69F00"
FONT_PX = 12
GAP = 8
LONGEST_TIP = 300
CLICK = 4
"""Pixels the mouse may move between press and release of a click."""


class TextArea(QAbstractScrollArea):
    """Rows of a :class:`DiffText` with line numbers."""

    clicked = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.viewport().setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self._tokens: Tokens = LIGHT
        self._font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self._font.setPixelSize(FONT_PX)
        self._metrics = QFontMetricsF(self._font)
        self._height = round(self._metrics.height() * 1.25)
        self._text = DiffText("", (), False)
        self._rows = self._text.rows(80)
        self._digits = 1
        self._wanted: tuple[int, int | None] | None = None
        self._marked = (0, 0)
        self._chosen = (0, 0)
        self._anchor = 0
        self._pressed: QPoint | None = None
        self._empty_text = "Nothing to show yet."

    # -------------------------------------------------------------------------------------- content

    def set_text(self, text: DiffText) -> None:
        """Show another text, at the place in the text before where the view stands."""
        top = self._text.before_position(self._top_position())
        self._text, self._chosen = text, (0, 0)
        self._lay_out()
        self._find_marked()
        self.verticalScrollBar().setValue(self._rows.at(text.shown_position(top)))

    def set_empty_text(self, text: str) -> None:
        self._empty_text = text
        self.viewport().update()

    def set_tokens(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self.viewport().update()

    def reveal(self, start: int, end: int | None) -> None:
        self._wanted = (start, end)
        self._find_marked()
        row, bar = self._rows.at(self._marked[0]), self.verticalScrollBar()
        if not bar.value() <= row < bar.value() + bar.pageStep():
            bar.setValue(row - bar.pageStep() // 3)

    def unmark(self) -> None:
        """Nothing is marked any more."""
        self._wanted = None
        self._find_marked()

    def _find_marked(self) -> None:
        """Where the marked part of the text before is shown now."""
        self._marked = (0, 0)
        if self._wanted is not None:
            start, end = self._wanted
            first = self._text.shown_position(start)
            if end is None:
                line_end = self._text.text.find("\n", first)
                last = line_end if line_end >= 0 else len(self._text.text)
            else:
                last = self._text.shown_position(end)
            self._marked = (first, max(last, first))
        self.viewport().update()

    # ------------------------------------------------------------------------------------- geometry

    @property
    def _left(self) -> float:
        return self._digits * self._metrics.horizontalAdvance("0") + 2.5 * GAP

    def _top_position(self) -> int:
        return int(self._rows.starts[min(self.verticalScrollBar().value(), len(self._rows.starts) - 1)])

    def _lay_out(self) -> None:
        self._digits = len(str(self._text.text.count("\n") + 1))
        room = self.viewport().width() - self._left - GAP
        self._rows = self._text.rows(max(int(room / self._metrics.horizontalAdvance("0")), 8))
        page = max(self.viewport().height() // self._height, 1)
        bar = self.verticalScrollBar()
        bar.setPageStep(page)
        bar.setRange(0, max(len(self._rows.starts) - page, 0))
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        top = self._top_position()
        self._lay_out()
        self.verticalScrollBar().setValue(self._rows.at(top))

    def position_at(self, at: QPointF) -> int:
        """The shown character under a point, or the last one before it."""
        row = min(self.verticalScrollBar().value() + int(at.y() // self._height), len(self._rows.starts) - 1)
        start, end = int(self._rows.starts[row]), int(self._rows.ends[row])
        x = self._left
        for piece in self._text.pieces(start, end):
            for i, character in enumerate(seen(piece.text)):
                x += self._metrics.horizontalAdvance(character)
                if x > at.x():
                    return piece.start + i
        return end

    # -------------------------------------------------------------------------------------- drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), QColor(self._tokens.view))
        if not self._text.text:
            painter.setPen(QColor(self._tokens.muted))
            area = self.viewport().rect().adjusted(GAP, GAP, -GAP, -GAP)
            flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(area, flags, self._empty_text)
            painter.end()
            return
        top = self.verticalScrollBar().value()
        shown = self.viewport().height() // self._height + 2
        for row in range(top, min(top + shown, len(self._rows.starts))):
            self._draw_row(painter, row, (row - top) * self._height)
        painter.end()

    def _draw_row(self, painter: QPainter, row: int, y: int) -> None:
        baseline = y + (self._height + self._metrics.capHeight()) / 2
        painter.setFont(self._font)
        number = int(self._rows.numbers[row])
        if number:
            painter.setPen(QColor(self._tokens.muted))
            gutter = QRectF(0, y, self._left - 1.5 * GAP, self._height)
            painter.drawText(
                gutter, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), str(number)
            )
        x = self._left
        for piece in self._text.pieces(int(self._rows.starts[row]), int(self._rows.ends[row])):
            text = seen(piece.text)
            width = self._metrics.horizontalAdvance(text)
            box = QRectF(x, y + 1, width, self._height - 2)
            if piece.kind == MASKED:
                painter.fillRect(box, faded(QColor(MASK), 80))
            for (first, last), color in ((self._marked, "selection"), (self._chosen, "accent")):
                low, high = (
                    max(first, piece.start) - piece.start,
                    min(last, piece.start + len(text)) - piece.start,
                )
                if low < high:
                    left = x + self._metrics.horizontalAdvance(text[:low])
                    part = QRectF(left, y, self._metrics.horizontalAdvance(text[low:high]), self._height)
                    painter.fillRect(part, faded(QColor(getattr(self._tokens, color)), 150))
            font = QFont(self._font)
            font.setStrikeOut(piece.kind == REMOVED)
            font.setUnderline(piece.kind == MASKED)
            painter.setFont(font)
            painter.setPen(QColor(self._tokens.bad if piece.kind == REMOVED else self._tokens.text))
            painter.drawText(QPointF(x, baseline), text)
            x += width

    # --------------------------------------------------------------------------------------- acting

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()
            self._anchor = self.position_at(event.position())
            self._chosen = (0, 0)
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None:
            head = self.position_at(event.position())
            self._chosen = (min(self._anchor, head), max(self._anchor, head))
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        moved = (event.position().toPoint() - self._pressed).manhattanLength()
        self._pressed = None
        if moved <= CLICK and self._text.text:
            self.clicked.emit(self._text.before_position(self._anchor))

    def copy(self) -> None:
        """Copy the chosen part, or everything; never what was removed."""
        start, end = self._chosen
        chosen = (start, end) if end > start else (0, len(self._text.text))
        QGuiApplication.clipboard().setText(self._text.outgoing(*chosen))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.addAction("Copy", self.copy)
        menu.addAction("Select all", self._choose_all)
        menu.exec(event.globalPos())

    def _choose_all(self) -> None:
        self._chosen = (0, len(self._text.text))
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            original = self._text.original(self.position_at(QPointF(event.pos())))
            tip = f"masked: {original[:LONGEST_TIP]}" if original else ""
            QToolTip.showText(event.globalPos(), seen(tip), self)
            return True
        return super().viewportEvent(event)

    def event(self, event: QEvent) -> bool:
        # The window may have a command on Ctrl+C; inside a text it means the text.
        override = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if override and (
            event.matches(QKeySequence.StandardKey.Copy) or event.matches(QKeySequence.StandardKey.SelectAll)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._choose_all()
        elif event.key() == Qt.Key.Key_Home:
            bar.setValue(0)
        elif event.key() == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        else:
            super().keyPressEvent(event)
