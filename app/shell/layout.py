"""Where the docks are, as plain data. Qt's own byte blobs crash it when damaged, so none are kept."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QMainWindow

AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "top": Qt.DockWidgetArea.TopDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}
SMALLEST = 80


def capture(window: QMainWindow) -> dict[str, Any]:
    """The window's place and its docks' areas, tabs, sizes and visibility."""
    names = {area: name for name, area in AREAS.items()}
    docks = {}
    for order, dock in enumerate(_docks(window)):
        rect = dock.geometry()
        docks[dock.objectName()] = {
            "area": names.get(window.dockWidgetArea(dock), "left"),
            "order": order,
            "size": [dock.width(), dock.height()],
            "visible": not dock.isHidden(),
            "floating": [rect.x(), rect.y(), rect.width(), rect.height()] if dock.isFloating() else None,
            "tabs": [other.objectName() for other in window.tabifiedDockWidgets(dock)],
        }
    rect = window.geometry()
    return {
        "window": [rect.x(), rect.y(), rect.width(), rect.height()],
        "maximized": window.isMaximized(),
        "docks": docks,
    }


def apply(window: QMainWindow, layout: Any) -> None:
    """Arrange the docks as ``layout`` says; whatever in it makes no sense is left as it is."""
    if not isinstance(layout, dict):
        return
    rect = _rect(layout.get("window"))
    if rect is not None and window.isWindow():
        window.setGeometry(on_screen(rect))
        if layout.get("maximized") is True:
            window.showMaximized()
    listed = layout.get("docks")
    if not isinstance(listed, dict):
        return
    docks = {dock.objectName(): dock for dock in _docks(window)}
    wanted = {n: v for n, v in listed.items() if n in docks and isinstance(v, dict)}
    for name, entry in sorted(wanted.items(), key=lambda item: _number(item[1].get("order"))):
        _place(window, docks[name], entry, docks)
    for orientation, axis in ((Qt.Orientation.Horizontal, 0), (Qt.Orientation.Vertical, 1)):
        pairs = [(docks[n], s[axis]) for n, e in wanted.items() if (s := _size(e.get("size"))) is not None]
        if pairs:
            window.resizeDocks([d for d, _ in pairs], [s for _, s in pairs], orientation)


def on_screen(rect: QRect) -> QRect:
    """``rect`` moved and shrunk so that it lies on a screen that is there now."""
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    home = max(screens, key=lambda s: _area(s.intersected(rect)))
    width, height = min(max(rect.width(), 320), home.width()), min(max(rect.height(), 240), home.height())
    x = min(max(rect.x(), home.x()), home.right() + 1 - width)
    y = min(max(rect.y(), home.y()), home.bottom() + 1 - height)
    return QRect(x, y, width, height)


def _place(
    window: QMainWindow, dock: QDockWidget, entry: dict[str, Any], docks: dict[str, QDockWidget]
) -> None:
    window.addDockWidget(AREAS.get(str(entry.get("area")), AREAS["left"]), dock)
    floating = _rect(entry.get("floating"))
    dock.setFloating(floating is not None)
    if floating is not None:
        dock.setGeometry(on_screen(floating))
    tabs = entry.get("tabs")
    for other in tabs if isinstance(tabs, list) else ():
        if isinstance(other, str) and other in docks and docks[other] is not dock and floating is None:
            window.tabifyDockWidget(docks[other], dock)
            break
    dock.setVisible(entry.get("visible") is not False)


def _docks(window: QMainWindow) -> list[QDockWidget]:
    """The window's own docks, not those of windows inside it."""
    return window.findChildren(QDockWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)


def _number(value: Any) -> float:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def _size(value: Any) -> list[int] | None:
    if isinstance(value, list) and len(value) == 2 and all(type(v) is int and 0 < v < 20000 for v in value):
        return [max(v, SMALLEST) for v in value]
    return None


def _rect(value: Any) -> QRect | None:
    if (
        isinstance(value, list)
        and len(value) == 4
        and all(type(v) is int and abs(v) < 100_000 for v in value)
    ):
        return QRect(*value) if value[2] > 0 and value[3] > 0 else None
    return None


def _area(rect: QRect) -> int:
    return rect.width() * rect.height() if rect.isValid() else 0
