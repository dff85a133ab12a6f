"""The look: follows the system or is chosen, and switches while the program runs."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import QApplication

from app.theme.icons import glyph_icon
from app.theme.style import style_sheet
from app.theme.tokens import BODY_PX, DARK, LIGHT, Tokens

MODES = ("system", "light", "dark")


class Theme(QObject):
    """The present tokens, icons in their colours, and a signal when they change."""

    changed = Signal()

    def __init__(self, mode: str = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mode = mode
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._system = _system_is_dark()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def mode(self) -> str:
        return self._mode

    @property
    def dark(self) -> bool:
        return self._system if self._mode == "system" else self._mode == "dark"

    @property
    def tokens(self) -> Tokens:
        return DARK if self.dark else LIGHT

    def set_mode(self, mode: str) -> None:
        """``system``, ``light`` or ``dark``."""
        self._mode = mode
        self.apply()

    def apply(self) -> None:
        """Dress the whole application."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        tokens = self.tokens
        font = QFont(app.font())
        font.setPixelSize(BODY_PX)
        font.setFeature(QFont.Tag("tnum"), 1)  # digits of equal width, so that changing numbers do not jump
        app.setFont(font)
        app.setPalette(_palette(tokens))
        app.setStyleSheet(style_sheet(tokens))
        self._icons.clear()
        self.changed.emit()

    def icon(self, name: str, color: str = "") -> QIcon:
        """An icon of QtAwesome's fonts in the colour of muted text (or another one)."""
        if not name:
            return QIcon()
        key = (name, color or self.tokens.muted)
        if key not in self._icons:
            self._icons[key] = glyph_icon(name, key[1], self.tokens.border)
        return self._icons[key]

    def _system_changed(self) -> None:
        self._system = _system_is_dark()
        if self._mode == "system":
            self.apply()


def _system_is_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def _palette(tokens: Tokens) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, color in {
        role.Window: tokens.window,
        role.WindowText: tokens.text,
        role.Base: tokens.panel,
        role.AlternateBase: tokens.raised,
        role.Text: tokens.text,
        role.Button: tokens.raised,
        role.ButtonText: tokens.text,
        role.ToolTipBase: tokens.raised,
        role.ToolTipText: tokens.text,
        role.PlaceholderText: tokens.muted,
        role.Highlight: tokens.accent,
        role.HighlightedText: tokens.on_accent,
        role.Link: tokens.accent,
        role.Mid: tokens.border,
    }.items():
        palette.setColor(which, QColor(color))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.muted))
    return palette
