"""Icons out of QtAwesome's bundled Material Design font, without importing QtAwesome.

Its import loads half of Qt and costs a third of the start; the font and its table of names are all it takes.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import logging
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

log = logging.getLogger("studiolo.icons")

PREFIX = "mdi6."


@functools.cache
def _font() -> tuple[str, dict[str, str]]:
    """Family name, and code points in hexadecimal by icon name; both empty when the font is not there."""
    spec = importlib.util.find_spec("qtawesome")
    folder = Path(spec.origin).parent / "fonts" if spec and spec.origin else Path()
    fonts = sorted(folder.glob("materialdesignicons6-webfont-*.ttf"))
    tables = sorted(folder.glob("materialdesignicons6-webfont-charmap-*.json"))
    if not fonts or not tables:
        log.warning("The icon font is missing; buttons keep their texts and tool tips.")
        return "", {}
    number = QFontDatabase.addApplicationFont(str(fonts[-1]))
    families = QFontDatabase.applicationFontFamilies(number)
    return (families[0] if families else ""), json.loads(tables[-1].read_text(encoding="utf-8"))


class _GlyphEngine(QIconEngine):
    """Draws one character at whatever size and sharpness is asked for."""

    def __init__(self, family: str, glyph: str, color: QColor, disabled: QColor) -> None:
        super().__init__()
        self._family, self._glyph, self._color, self._disabled = family, glyph, color, disabled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        font = QFont(self._family)
        font.setPixelSize(max(round(min(rect.width(), rect.height()) * 0.95), 1))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.setFont(font)
        painter.setPen(self._disabled if mode == QIcon.Mode.Disabled else self._color)
        painter.drawText(QRectF(rect), Qt.AlignmentFlag.AlignCenter, self._glyph)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _GlyphEngine(self._family, self._glyph, self._color, self._disabled)


def glyph_icon(name: str, color: str, disabled: str) -> QIcon:
    """The icon called ``mdi6.<name>``; an empty one when there is no such glyph."""
    family, table = _font()
    code = table.get(name.removeprefix(PREFIX))
    if not family or code is None:
        return QIcon()
    return QIcon(_GlyphEngine(family, chr(int(code, 16)), QColor(color), QColor(disabled)))
