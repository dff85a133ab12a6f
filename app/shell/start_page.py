"""The first page: a card per method, and the files opened lately."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from methods.core.declaration import ASSETS, Method, Sample

CARD_WIDTH = 320
PICTURE = QSize(CARD_WIDTH - 2, 168)


class StartPage(QScrollArea):
    """Asks by signal for what was clicked."""

    sample_requested = Signal(object, object)  # method, sample
    file_requested = Signal(object)  # method
    panel_requested = Signal(object)  # method
    recent_requested = Signal(str)
    recent_forgotten = Signal(str)

    def __init__(
        self, methods: tuple[Method, ...], icon: Callable[[str], QIcon], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Start page")
        content = QWidget()
        self.setWidget(content)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(32, 24, 32, 24)
        layout.setSpacing(12)
        title = QLabel("Studiolo")
        title.setProperty("role", "display")
        about = QLabel("Look inside machine-learning methods with your own data. Pick one to begin.")
        about.setProperty("role", "muted")
        layout.addWidget(title)
        layout.addWidget(about)
        layout.addSpacing(8)
        self._cards = QGridLayout()
        self._cards.setSpacing(16)
        self._cards.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._all = [self._card(method) for method in methods]
        layout.addLayout(self._cards)
        self._columns = 0
        layout.addSpacing(8)
        self._recent_head = QLabel("RECENT FILES")
        self._recent_head.setProperty("role", "section")
        layout.addWidget(self._recent_head)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(2)
        layout.addLayout(self._recent)
        layout.addStretch(1)
        hint = QLabel("Drop files anywhere · Ctrl+Shift+P finds every command · ? shows all keys")
        hint.setProperty("role", "small")
        layout.addWidget(hint)
        self._flow()

    def show_recent(self, paths: list[str]) -> None:
        """List files opened lately; missing ones are marked and can be forgotten."""
        while self._recent.count():
            entry = self._recent.takeAt(0).widget()
            entry.setParent(None)
            entry.deleteLater()
        self._recent_head.setVisible(bool(paths))
        for path in paths:
            self._recent.addWidget(self._recent_row(path))

    def _recent_row(self, path: str) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        there = Path(path).exists()
        button = QPushButton(Path(path).name)
        button.setProperty("role", "flat")
        button.setEnabled(there)
        button.setToolTip(path)
        button.clicked.connect(lambda: self.recent_requested.emit(path))
        folder = QLabel(str(Path(path).parent) if there else "no longer there")
        folder.setProperty("role", "small")
        layout.addWidget(button)
        layout.addWidget(folder, 1)
        if not there:
            forget = QToolButton()
            forget.setText("Forget")
            forget.setAccessibleName(f"Forget {Path(path).name}")
            forget.clicked.connect(lambda: self.recent_forgotten.emit(path))
            layout.addWidget(forget)
        return row

    def _card(self, method: Method) -> QFrame:
        card = QFrame()
        card.setProperty("role", "card")
        card.setFixedWidth(CARD_WIDTH)
        card.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Maximum)
        layout = QVBoxLayout(card)
        layout.setContentsMargins(1, 1, 1, 12)
        layout.setSpacing(6)
        picture = QLabel()
        picture.setFixedSize(PICTURE)
        picture.setScaledContents(True)
        picture.setAccessibleName(f"Picture of {method.title}")
        pixmap = QPixmap(str(ASSETS / "cards" / f"{method.id}.png"))
        if not pixmap.isNull():
            picture.setPixmap(pixmap)
        layout.addWidget(picture)
        text = QVBoxLayout()
        text.setContentsMargins(15, 4, 15, 0)
        text.setSpacing(4)
        title = QLabel(method.title)
        title.setProperty("role", "title")
        summary = QLabel(method.summary)
        summary.setWordWrap(True)
        summary.setProperty("role", "muted")
        paper = QLabel(f"{method.paper.title} · {method.paper.venue} {method.paper.year}")
        paper.setWordWrap(True)
        paper.setProperty("role", "small")
        for label in (title, summary, paper):
            text.addWidget(label)
        text.addSpacing(4)
        text.addLayout(self._buttons(method))
        layout.addLayout(text)
        return card

    def _buttons(self, method: Method) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        if method.samples:
            sample = QPushButton("Open sample")
            sample.setProperty("role", "primary")
            sample.setAccessibleName(f"Open a sample of {method.title}")
            if len(method.samples) == 1:
                sample.clicked.connect(lambda: self.sample_requested.emit(method, method.samples[0]))
            else:
                menu = QMenu(sample)
                for entry in method.samples:
                    self._add_sample(menu, method, entry)
                sample.setMenu(menu)
            row.addWidget(sample)
        else:
            start = QPushButton("Start")
            start.setProperty("role", "primary")
            start.setAccessibleName(f"Start {method.title}")
            start.clicked.connect(lambda: self.panel_requested.emit(method))
            row.addWidget(start)
        if any(kind.load for kind in method.kinds):
            own = QPushButton("Open my file…")
            own.setAccessibleName(f"Open my file in {method.title}")
            own.clicked.connect(lambda: self.file_requested.emit(method))
            row.addWidget(own)
        row.addStretch(1)
        return row

    def _add_sample(self, menu: QMenu, method: Method, sample: Sample) -> None:
        action = menu.addAction(sample.title)
        action.setToolTip(sample.summary)
        action.triggered.connect(lambda: self.sample_requested.emit(method, sample))

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._flow()

    def _flow(self) -> None:
        """As many cards beside each other as fit."""
        columns = max(1, (self.viewport().width() - 64 + 16) // (CARD_WIDTH + 16))
        if columns == self._columns:
            return
        self._columns = columns
        for i, card in enumerate(self._all):
            self._cards.addWidget(card, i // columns, i % columns, Qt.AlignmentFlag.AlignTop)
