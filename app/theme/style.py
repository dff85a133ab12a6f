"""One style sheet, written from the tokens."""

from __future__ import annotations

from app.theme.tokens import RADIUS, SMALL_PX, Tokens
from methods.core.declaration import ASSETS


def _icon(name: str) -> str:
    return (ASSETS / "icons" / f"{name}.svg").as_posix()


def style_sheet(t: Tokens) -> str:
    """The sheet for the whole application. ``role`` properties name what a widget is for."""
    return f"""
QWidget {{ color: {t.text}; }}
QMainWindow, QDialog {{ background: {t.window}; }}
QMainWindow::separator {{ background: {t.border}; width: 1px; height: 1px; margin: 1px; }}
QMainWindow::separator:hover {{ background: {t.accent}; }}
QDockWidget > QWidget, QScrollArea, QScrollArea > QWidget > QWidget {{ background: {t.panel}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QToolTip {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.border}; padding: 4px 6px; }}

QLabel {{ background: transparent; }}
QLabel[role="section"] {{ color: {t.muted}; font-size: {SMALL_PX}px; font-weight: 600; }}
QLabel[role="muted"] {{ color: {t.muted}; }}
QLabel[role="small"] {{ color: {t.muted}; font-size: {SMALL_PX}px; }}
QLabel[role="title"] {{ font-weight: 600; }}
QLabel[role="display"] {{ font-size: 22px; font-weight: 600; }}
QLabel[role="better"] {{ color: {t.good}; }}
QLabel[role="worse"] {{ color: {t.bad}; }}
QLabel[role="problem"] {{ color: {t.bad}; font-size: {SMALL_PX}px; }}

QPushButton, QToolButton {{
    background: {t.raised}; border: 1px solid {t.border}; border-radius: {RADIUS}px; padding: 4px 10px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {t.accent}; }}
QPushButton:pressed, QToolButton:pressed, QToolButton:checked {{ background: {t.selection}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {t.muted}; background: {t.panel}; }}
QPushButton:focus, QToolButton:focus, QLineEdit:focus, QComboBox:focus, QAbstractItemView:focus,
QCheckBox:focus, QSlider:focus {{ border: 1px solid {t.accent}; outline: none; }}
QPushButton[role="primary"] {{
    background: {t.accent}; color: {t.on_accent}; border-color: {t.accent}; font-weight: 600; }}
QPushButton[role="primary"]:disabled {{ background: {t.raised}; color: {t.muted}; border-color: {t.border}; }}
QToolButton[role="flat"], QPushButton[role="flat"] {{
    background: transparent; border-color: transparent; padding: 3px; }}
QToolButton[role="flat"]:hover, QPushButton[role="flat"]:hover {{
    background: {t.raised}; border-color: {t.border}; }}
QToolButton[role="flat"]:checked {{ background: {t.selection}; border-color: {t.accent}; }}
QToolButton[role="flat"]:focus {{ border-color: {t.accent}; }}
QToolButton::menu-indicator {{ image: none; }}

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit, QTextEdit {{
    background: {t.raised}; border: 1px solid {t.border}; border-radius: 4px; padding: 3px 6px;
    selection-background-color: {t.accent}; selection-color: {t.on_accent}; }}
QLineEdit:disabled, QComboBox:disabled {{ color: {t.muted}; }}
QLineEdit[invalid="true"] {{ border-color: {t.bad}; }}
QComboBox QAbstractItemView {{ background: {t.raised}; border: 1px solid {t.border};
    selection-background-color: {t.selection}; selection-color: {t.text}; }}
QComboBox::drop-down {{ border: none; width: 20px; }}
QComboBox::down-arrow {{
    image: url({_icon("chevron-dark" if t.dark else "chevron-light")}); width: 10px; height: 10px; }}

QSlider {{ border: 1px solid transparent; border-radius: 4px; }}
QSlider::groove:horizontal {{ height: 4px; background: {t.border}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {t.accent}; border-radius: 2px; }}
QSlider::handle:horizontal {{ width: 12px; height: 12px; margin: -5px 0; border-radius: 7px;
    background: {t.panel}; border: 2px solid {t.accent}; }}
QSlider::sub-page:horizontal:disabled {{ background: {t.border}; }}
QSlider::handle:horizontal:disabled {{ border-color: {t.border}; }}

QAbstractItemView {{ background: {t.panel}; border: 1px solid transparent; outline: none;
    alternate-background-color: {t.raised}; }}
QTreeView::item, QListView::item, QTableView::item {{
    padding: 3px 2px; border-bottom: 1px solid {t.border}; }}
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {{
    background: {t.selection}; color: {t.text}; }}
QTreeView::item:hover:!selected, QListView::item:hover:!selected {{ background: {t.raised}; }}
QHeaderView::section {{ background: {t.panel}; color: {t.muted}; border: none;
    border-bottom: 1px solid {t.border}; padding: 3px 4px; font-size: {SMALL_PX}px; }}

QProgressBar {{ background: {t.border}; border: none; border-radius: 2px; max-height: 4px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 2px; }}

QMenu {{ background: {t.raised}; border: 1px solid {t.border}; padding: 4px; }}
QMenu::item {{ padding: 4px 20px; border-radius: 4px; }}
QMenu::item:selected {{ background: {t.selection}; }}
QMenu::item:disabled {{ color: {t.muted}; }}
QMenu::separator {{ height: 1px; background: {t.border}; margin: 4px 8px; }}
QMenuBar {{ background: {t.window}; }}
QMenuBar::item {{ padding: 4px 8px; background: transparent; }}
QMenuBar::item:selected {{ background: {t.selection}; }}

QTabBar::tab {{ background: transparent; color: {t.muted}; padding: 4px 10px; font-size: {SMALL_PX}px;
    border: none; border-bottom: 2px solid transparent; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom-color: {t.accent}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{
    background: {t.border}; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 1px; }}
QScrollBar::handle:hover {{ background: {t.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
    background: none; border: none; width: 0; height: 0; }}

QStatusBar {{ background: {t.window}; border-top: 1px solid {t.border}; font-size: {SMALL_PX}px; }}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ color: {t.muted}; font-size: {SMALL_PX}px; }}

QWidget[role="topbar"], QWidget[role="rail"] {{ background: {t.window}; }}
QWidget[role="topbar"] {{ border-bottom: 1px solid {t.border}; }}
QWidget[role="rail"] {{ border-right: 1px solid {t.border}; }}
QWidget[role="dock-title"] {{ background: {t.panel}; }}
QWidget[role="rail"] QToolButton {{
    border: none; background: transparent; padding: 6px 0; font-size: {SMALL_PX}px;
    color: {t.muted}; border-radius: {RADIUS}px; }}
QWidget[role="rail"] QToolButton:hover {{ background: {t.raised}; color: {t.text}; }}
QWidget[role="rail"] QToolButton:checked {{ background: {t.selection}; color: {t.accent}; }}
QFrame[role="card"] {{ background: {t.panel}; border: 1px solid {t.border}; border-radius: 8px; }}
QFrame[role="card"]:hover {{ border-color: {t.accent}; }}
QFrame[role="drop"] {{ border: 2px dashed {t.accent}; border-radius: 8px; background: {t.selection}; }}
QFrame[role="message"] {{ background: {t.raised}; border: none; border-left: 3px solid {t.muted}; }}
QFrame[role="message"][severity="error"] {{ border-left-color: {t.bad}; }}
QFrame[role="message"][severity="warning"] {{ border-left-color: {t.warn}; }}
QFrame[role="message"][severity="information"] {{ border-left-color: {t.accent}; }}
QFrame[role="strip"] {{ background: {t.panel}; border-top: 1px solid {t.border}; }}
"""
