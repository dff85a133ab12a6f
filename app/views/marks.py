"""How a class of things is marked: a colour, a pattern and a letter, so that none is told by colour alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen, QPixmap, QPolygonF

from app.theme.tokens import Tokens

PLAIN, HATCH, SOLID = "plain", "hatch", "solid"
TILE = 8
"""Side of the hatch's tile, in pixels of the screen's scale."""


class Mark(NamedTuple):
    """One class.

    Attributes:
        color: a colour's name among the :class:`Tokens`, or ``#rrggbb``.
        pattern: ``plain``, ``hatch`` or ``solid``; anything else is plain.
        letter: one or two characters, such as ``✓``.
    """

    color: str
    pattern: str = PLAIN
    letter: str = ""


def as_marks(styles: Sequence[tuple[str, str, str]]) -> tuple[Mark, ...]:
    return tuple(Mark(*style) for style in styles)


def as_codes(codes: ArrayLike, count: int, styles: int) -> np.ndarray:
    """``codes`` as (count,) small integers; what is missing or names no style becomes 0."""
    given = np.asarray(codes).ravel()[:count].astype(np.int64)
    given[(given < 0) | (given >= styles)] = 0
    return np.pad(given, (0, count - len(given)))


def color_of(name: str, tokens: Tokens) -> QColor:
    """The colour of a token, or of ``#rrggbb``; the text's where there is none of that name."""
    return QColor(name if name.startswith("#") else getattr(tokens, name, tokens.text))


def faded(color: QColor, alpha: int) -> QColor:
    """The same colour with an opacity of 0 to 255."""
    return QColor(color.red(), color.green(), color.blue(), alpha)


def fill_brush(mark: Mark, tokens: Tokens, ratio: float) -> QBrush:
    """What fills the boxes of ``mark``: a tint, a tint with diagonals, or nearly opaque."""
    color = color_of(mark.color, tokens)
    if mark.pattern == SOLID:
        return QBrush(QColor(62, 65, 72, 225))
    if mark.pattern != HATCH:
        return QBrush(faded(color, 34))
    side = max(round(TILE * ratio), 1)
    tile = QPixmap(side, side)
    tile.fill(faded(color, 34))
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(faded(color, 130), ratio))
    for shift in (-side, 0, side):
        painter.drawLine(QPointF(shift, side), QPointF(shift + side, 0))
    painter.end()
    tile.setDevicePixelRatio(ratio)
    return QBrush(tile)


def letter_sprite(
    letter: str, ink: QColor, ground: QColor | None, font: QFont, width: int, height: int, ratio: float
) -> QPixmap:
    """A letter ready to be drawn thousands of times."""
    sprite = _transparent(width, height, ratio)
    painter = QPainter(sprite)
    if letter and ground is not None:
        painter.fillRect(0, 0, width, height, ground)
    painter.setFont(font)
    painter.setPen(ink)
    painter.drawText(QRect(0, 0, width, height), Qt.AlignmentFlag.AlignCenter, letter)
    painter.end()
    return sprite


def point_sprite(mark: Mark, tokens: Tokens, radius: float, ratio: float) -> QPixmap:
    """A point of a scatter: a disc, a triangle (hatch) or a cross (solid)."""
    side = 2 * radius + 4
    sprite = _transparent(side, side, ratio)
    painter = QPainter(sprite)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(side / 2, side / 2)
    color = color_of(mark.color, tokens)
    painter.setPen(QPen(color, 1))
    painter.setBrush(faded(color, 120))
    if mark.pattern == SOLID:
        painter.setPen(QPen(faded(color, 210), 1.6))
        arm = 0.8 * radius
        painter.drawLine(QPointF(-arm, -arm), QPointF(arm, arm))
        painter.drawLine(QPointF(-arm, arm), QPointF(arm, -arm))
    elif mark.pattern == HATCH:
        corners = [(0, -1.1 * radius), (radius, 0.8 * radius), (-radius, 0.8 * radius)]
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
    else:
        painter.drawEllipse(QPointF(0, 0), 0.9 * radius, 0.9 * radius)
    painter.end()
    return sprite


def _transparent(width: float, height: float, ratio: float) -> QPixmap:
    sprite = QPixmap(round(width * ratio), round(height * ratio))
    sprite.setDevicePixelRatio(ratio)
    sprite.fill(Qt.GlobalColor.transparent)
    return sprite
