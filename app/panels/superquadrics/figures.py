"""The figures of the shape against its target, each with its change since the last settled edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.panels.superquadrics.document import Studio
from app.views.histogram import Histogram

if TYPE_CHECKING:
    from app.panels.superquadrics.live_metrics import Reading


@dataclass(frozen=True)
class Figure:
    """One row: how to read it, how to write it, and whether more is better."""

    label: str
    attribute: str
    scale: float
    digits: int
    suffix: str
    more_is_better: bool
    tip: str


FIGURES = (
    Figure("IoU", "iou", 1, 3, "", True, "Shared volume over joint volume; not defined for clouds"),
    Figure(
        "Chamfer / diagonal",
        "chamfer_rel",
        100,
        2,
        " %",
        False,
        "Mean nearest-surface distance, both directions averaged, over the bounding-box diagonal",
    ),
    Figure("F-score @ 1 %", "f_score", 1, 3, "", True, "Share of both surfaces within 1 % of the diagonal"),
    Figure("coverage", "coverage", 100, 1, " %", True, "Share of the target within 1 % of the diagonal"),
)


class Figures(QWidget):
    """A small table of figures and the histogram of distances."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Coarse and fine figures carry different noise: each is compared with its own kind.
        self._before: dict[str, float] = {}
        self._before_drag: dict[str, float] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        self._empty = QLabel("Open a mesh or cloud and fit it: the figures appear here, live while you edit.")
        self._empty.setWordWrap(True)
        self._empty.setProperty("role", "muted")
        layout.addWidget(self._empty)
        self._table = QWidget()
        grid = QGridLayout(self._table)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        self._values: dict[str, QLabel] = {}
        self._changes: dict[str, QLabel] = {}
        for row, figure in enumerate(FIGURES):
            label = QLabel(figure.label)
            label.setToolTip(figure.tip)
            value, change = QLabel("–"), QLabel("")
            for column, text in ((1, value), (2, change)):
                text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                grid.addWidget(text, row, column)
            value.setAccessibleName(figure.label)
            change.setAccessibleName(f"Change of {figure.label}")
            value.setMinimumWidth(56)
            change.setMinimumWidth(64)
            grid.addWidget(label, row, 0)
            self._values[figure.attribute], self._changes[figure.attribute] = value, change
        layout.addWidget(self._table)
        self._histogram = Histogram()
        self._histogram.setAccessibleName("Distances from the target to the shape")
        self._histogram.setFixedHeight(72)
        layout.addWidget(self._histogram)
        self._show_anything(False)

    def _show_anything(self, there: bool) -> None:
        self._empty.setVisible(not there)
        self._table.setVisible(there)
        self._histogram.setVisible(there)

    def show_reading(self, state: Studio, reading: Reading | None) -> None:
        """Show ``reading``; None empties the section."""
        self._show_anything(reading is not None)
        if reading is None or state.target is None:
            self._before, self._before_drag = {}, {}
            return
        values = {f.attribute: getattr(reading.evaluation, f.attribute) for f in FIGURES}
        if not reading.fine and not self._before_drag:
            self._before_drag = values
        for figure in FIGURES:
            before = (self._before if reading.fine else self._before_drag).get(figure.attribute)
            self._show(figure, values[figure.attribute], before)
        if reading.fine:
            self._before, self._before_drag = values, {}
        distances = reading.evaluation.target_distances / state.target.diagonal * 100
        self._histogram.set_values(distances, "distance to the shape, % of the diagonal", low=0.0)

    def _show(self, figure: Figure, value: float | None, before: float | None) -> None:
        text, change = self._values[figure.attribute], self._changes[figure.attribute]
        if value is None:
            text.setText("not defined" if figure.attribute == "iou" else "–")
            change.setText("")
            return
        text.setText(f"{value * figure.scale:.{figure.digits}f}{figure.suffix}")
        step = 0.0 if before is None else (value - before) * figure.scale
        if round(abs(step), figure.digits + 1) == 0:
            change.setText("")
            return
        better = (step > 0) == figure.more_is_better
        change.setText(f"{'▲' if step > 0 else '▼'} {abs(step):.{figure.digits + 1}f}")
        change.setProperty("role", "better" if better else "worse")
        change.style().unpolish(change)
        change.style().polish(change)

    def refresh_theme(self, theme: Any) -> None:
        self._histogram.refresh_theme(theme)
