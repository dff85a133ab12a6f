"""The list of parts: groups, names, colours, visibility, locks, sizes and residuals."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QDropEvent, QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from app.views.units import show
from methods.superquadrics.model import Shape, Superquadric

NAME, SIZE, RESIDUAL, VISIBLE, LOCKED = range(5)
PART_ID = Qt.ItemDataRole.UserRole


class PartTree(QTreeWidget):
    """Shows a shape; asks for edits by signal and never makes them itself."""

    selection_requested = Signal(object)  # tuple of ids
    rename_requested = Signal(int, str)
    visible_requested = Signal(int, bool)
    locked_requested = Signal(int, bool)
    move_requested = Signal(int, int)  # id, new position
    menu_requested = Signal(QPoint)

    def __init__(self, icon: Callable[[str], QIcon], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = icon
        self._items: dict[int, QTreeWidgetItem] = {}
        self._structure: tuple[object, ...] = ()
        self._filling = False
        self.setAccessibleName("Parts")
        self.setColumnCount(5)
        self.setHeaderLabels(["part", "half size", "residual", "", ""])
        self.headerItem().setToolTip(SIZE, "Semi-axes a1, a2, a3")
        self.headerItem().setToolTip(RESIDUAL, "Mean distance of the part's visible surface to the target")
        self.setRootIsDecorated(False)
        self.setIndentation(12)
        self.setIconSize(QSize(12, 12))
        self.setUniformRowHeights(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked
        )
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(22)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column, width in ((SIZE, 112), (RESIDUAL, 50)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, width)
        for column in (VISIBLE, LOCKED):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, 22)
        self.itemSelectionChanged.connect(self._selected)
        self.itemChanged.connect(self._edited)
        self.itemClicked.connect(self._clicked)
        self.customContextMenuRequested.connect(lambda p: self.menu_requested.emit(self.mapToGlobal(p)))

    def show_shape(self, shape: Shape, residuals: Mapping[int, str]) -> None:
        """Bring the rows in line with ``shape``; rebuilds only when rows come, go or move."""
        self._filling = True
        structure = tuple((p.id, p.group) for p in shape.parts)
        if structure != self._structure:
            self._rebuild(shape)
            self._structure = structure
        for part in shape.parts:
            self._fill(self._items[part.id], part, residuals.get(part.id, ""))
        self._filling = False

    def select(self, ids: tuple[int, ...]) -> None:
        """Mark these rows without asking back."""
        if set(ids) == set(self._selected_ids()):
            return
        self._filling = True
        self.clearSelection()
        for part_id in ids:
            if part_id in self._items:
                self._items[part_id].setSelected(True)
        if ids and ids[-1] in self._items:
            self.scrollToItem(self._items[ids[-1]])
        self._filling = False

    def edit_name(self, part_id: int) -> None:
        """Start renaming in place."""
        self.editItem(self._items[part_id], NAME)

    def refresh_icons(self) -> None:
        """Draw the icons again, in the colours of the present theme."""
        for item in self._items.values():
            for column in (VISIBLE, LOCKED):
                item.setData(column, PART_ID, None)

    def _rebuild(self, shape: Shape) -> None:
        self.clear()
        self._items = {}
        groups: dict[str, QTreeWidgetItem] = {}
        for part in shape.parts:
            parent: QTreeWidget | QTreeWidgetItem = self
            if part.group:
                if part.group not in groups:
                    row = QTreeWidgetItem(self, [part.group])
                    row.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                    row.setFirstColumnSpanned(True)
                    row.setExpanded(True)
                    groups[part.group] = row
                parent = groups[part.group]
            item = QTreeWidgetItem(parent)
            item.setFlags(
                Qt.ItemFlag.ItemIsEnabled
                | Qt.ItemFlag.ItemIsSelectable
                | Qt.ItemFlag.ItemIsEditable
                | Qt.ItemFlag.ItemIsDragEnabled
            )
            item.setData(NAME, PART_ID, part.id)
            for column in (SIZE, RESIDUAL):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._items[part.id] = item
        self.expandAll()

    def _fill(self, item: QTreeWidgetItem, part: Superquadric, residual: str) -> None:
        if item.text(NAME) != part.name:
            item.setText(NAME, part.name)
        look = (part.color, part.mirror is not None)
        if item.data(SIZE, PART_ID) != look:
            item.setData(SIZE, PART_ID, look)
            item.setIcon(NAME, swatch(part.color))
        size = " ".join(show(v, 2).removeprefix("0") for v in part.size)
        if item.text(SIZE) != size:
            item.setText(SIZE, size)
        if item.text(RESIDUAL) != residual:
            item.setText(RESIDUAL, residual)
        self._flag(item, VISIBLE, part.visible, "mdi6.eye-outline", "mdi6.eye-off-outline", "Shown", "Hidden")
        self._flag(
            item, LOCKED, part.locked, "mdi6.lock", "mdi6.lock-open-variant-outline", "Locked", "Not locked"
        )

    def _flag(
        self, item: QTreeWidgetItem, column: int, on: bool, yes: str, no: str, yes_tip: str, no_tip: str
    ) -> None:
        if item.data(column, PART_ID) is not on:
            item.setData(column, PART_ID, on)
            item.setIcon(column, self._icon(yes if on else no))
            item.setToolTip(column, yes_tip if on else no_tip)
            item.setData(column, Qt.ItemDataRole.AccessibleTextRole, yes_tip if on else no_tip)

    def _selected_ids(self) -> tuple[int, ...]:
        ids: list[int] = []
        for item in self.selectedItems():
            rows = [item] if item.data(NAME, PART_ID) else [item.child(i) for i in range(item.childCount())]
            ids += [i for row in rows if (i := row.data(NAME, PART_ID)) not in ids]
        return tuple(ids)

    def _selected(self) -> None:
        if not self._filling:
            self.selection_requested.emit(self._selected_ids())

    def _edited(self, item: QTreeWidgetItem, column: int) -> None:
        if not self._filling and column == NAME and item.data(NAME, PART_ID):
            self.rename_requested.emit(item.data(NAME, PART_ID), item.text(NAME))

    def _clicked(self, item: QTreeWidgetItem, column: int) -> None:
        part_id = item.data(NAME, PART_ID)
        if part_id and column == VISIBLE:
            self.visible_requested.emit(part_id, not item.data(VISIBLE, PART_ID))
        elif part_id and column == LOCKED:
            self.locked_requested.emit(part_id, not item.data(LOCKED, PART_ID))

    def dropEvent(self, event: QDropEvent) -> None:
        """Reorder through the document, never by moving rows here."""
        target = self.itemAt(event.position().toPoint())
        moved = self.currentItem()
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        if moved is None or not moved.data(NAME, PART_ID):
            return
        order = [part_id for part_id, _ in self._structure]  # type: ignore[misc]
        at = target.data(NAME, PART_ID) if target is not None else None
        index = order.index(at) if at in order else len(order)
        if (
            at is not None
            and self.dropIndicatorPosition() == QAbstractItemView.DropIndicatorPosition.BelowItem
        ):
            index += 1
        if order.index(moved.data(NAME, PART_ID)) < index:
            index -= 1
        self.move_requested.emit(moved.data(NAME, PART_ID), index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Letters are commands of the panel, not a search in the list.
        if (
            event.text()
            and not event.modifiers()
            and event.key()
            not in (
                Qt.Key.Key_F2,
                Qt.Key.Key_Return,
                Qt.Key.Key_Enter,
                Qt.Key.Key_Space,
            )
        ):
            event.ignore()
            return
        super().keyPressEvent(event)


def swatch(color: str, size: int = 12) -> QIcon:
    """A small square in a part's colour."""
    pixmap = QPixmap(size * 2, size * 2)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    painter.drawRoundedRect(1, 1, size - 2, size - 2, 2, 2)
    painter.end()
    return QIcon(pixmap)
