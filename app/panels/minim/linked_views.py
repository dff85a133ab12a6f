"""The views of one observation: select in one and it is selected in all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage, QImageReader
from PySide6.QtWidgets import QTabBar

from app.panels.minim.document import SCORE
from app.panels.minim.table_rows import TableRows
from app.panels.minim.text_places import Places
from app.theme import Theme
from app.views.axes import Axis
from app.views.boxes_view import BoxesView
from app.views.curve_view import CurveView
from app.views.plane_view import PlaneView
from app.views.text_diff_view import TextDiffView
from app.views.tree_table import TreeTable

if TYPE_CHECKING:
    from app.panels.base import Panel
    from app.panels.minim.readings import Outgoing, Scored
    from methods.minim.observation import Observation
    from methods.minim.policy import Decisions

STYLES = (("good", "plain", "✓"), ("warn", "hatch", "≈"), ("bad", "solid", "✕"))
"""Colour, pattern and letter of keep, abstract and remove."""
FRAME = ("bad", "plain", "")
"""A removed element around others is only outlined, or it would hide what stays inside it."""
REMOVE = 2
REGIONS = (("remove ✕", "bad", -1, 0), ("abstract ≈", "warn", 1, 1), ("keep ✓", "good", 1, -1))
NOTHING = -1
LARGEST_PICTURE_MB = 512
AXES = {"x": "n", "y": "s"}


class LinkedViews(QObject):
    """Screen, outgoing text, element tree, s and n plane, and the trade-off curve, in docks of the panel."""

    selected = Signal(int)
    threshold_moved = Signal(str, float, bool)
    """Axis ``n`` or ``s``, value in [0, 10], whether the move has ended."""

    def __init__(self, panel: Panel) -> None:
        super().__init__(panel)
        self.boxes = BoxesView("Screen")
        self.text = TextDiffView("What leaves the machine")
        self.table = TreeTable("Elements", keys="")
        self.plane = PlaneView("Sensitivity and necessity")
        self.curve = CurveView("Leakage against what the task keeps")
        self._rows = TableRows(self.table, STYLES)
        self._observation: Observation | None = None
        self._places: Places | None = None
        self._image = QImage()
        self._boxed = self._placed = np.zeros(0, np.int64)
        self._around = np.zeros(0, bool)
        self._shown: Scored | None = None
        self._arrange(panel)
        self.plane.set_axes(Axis("necessity n for this task", 0, SCORE), Axis("sensitivity s", 0, SCORE))
        self.plane.set_regions(REGIONS)
        self.curve.set_axes(Axis("leakage (TISL)", 0, 1), Axis("needed elements kept (TCNP)", 0, 1))
        self.boxes.set_empty_text("Open what an agent would see: a sample, a file, or a folder of steps.")
        self.text.set_empty_text(
            "What would leave is shown here, with everything that was masked or removed."
        )
        self.plane.set_empty_text("")
        self.curve.set_empty_text("What each threshold gives away and keeps.")
        for view in (self.boxes, self.table, self.plane):
            view.selected.connect(self.selected)
        self.text.selected.connect(self._text_clicked)
        self.plane.threshold_moved.connect(lambda axis, v, end: self.threshold_moved.emit(AXES[axis], v, end))

    def _arrange(self, panel: Panel) -> None:
        host = panel.host
        self._screen = screen = panel.add_view("screen", "Screen", self.boxes)
        text = panel.add_view("text", "What leaves the machine", self.text)
        tree = panel.add_view("elements", "Elements", self.table)
        plane = panel.add_view("plane", "Sensitivity × necessity", self.plane)
        curve = panel.add_view("curve", "Trade-off", self.curve)
        host.splitDockWidget(screen, text, Qt.Orientation.Horizontal)
        host.splitDockWidget(screen, tree, Qt.Orientation.Vertical)
        host.splitDockWidget(text, plane, Qt.Orientation.Vertical)
        host.tabifyDockWidget(plane, curve)
        for tabs in host.findChildren(QTabBar):
            tabs.setElideMode(Qt.TextElideMode.ElideNone)
        plane.raise_()
        host.resizeDocks([screen, text], [560, 500], Qt.Orientation.Horizontal)
        host.resizeDocks([screen, tree], [420, 380], Qt.Orientation.Vertical)
        host.resizeDocks([text, plane], [420, 380], Qt.Orientation.Vertical)

    # ------------------------------------------------------------------------------------ observation

    def show_observation(self, observation: Observation | None, screenshot: str) -> str:
        """Boxes over the picture, and the tree; returns why the picture cannot be shown, "" if it can."""
        problem = ""
        self._image = QImage()
        if screenshot:
            self._image, problem = read_picture(Path(screenshot))
        if observation is not self._observation:
            self._observation, self._shown = observation, None
            self._rows.show_observation(observation)
            self._places = Places(observation) if observation is not None else None
            self.text.set_texts("", "", ())
            self.clear_decisions()
        self.boxes.set_preview(None)
        self._show_boxes(observation)
        return problem

    def picture_size(self) -> tuple[int, int] | None:
        """Width and height of the screenshot in pixels."""
        return None if self._image.isNull() else (self._image.width(), self._image.height())

    def show_preview(self, covered: tuple[int, ...] | None) -> None:
        """The picture as it is exported, the places of these elements covered; None shows all elements again."""
        observation = self._observation
        self._screen.setWindowTitle("Screen" if covered is None else "Screen as it leaves")
        if observation is None or covered is None:
            self.boxes.set_preview(None)
            self._show_boxes(observation)
            return
        boxes = [observation.elements[uid].box for uid in covered]
        self._boxed = self._around = np.zeros(0, np.int64)
        self.boxes.set_boxes(np.array([b for b in boxes if b is not None], float).reshape(-1, 4))
        self.boxes.set_preview({0})

    def _show_boxes(self, observation: Observation | None) -> None:
        elements = observation.elements if observation is not None else ()
        boxed = [e for e in elements if e.box is not None and e.visible and (e.text or e.interactive)]
        self._boxed = np.array([e.uid for e in boxed], np.int64)
        parents = {e.parent for e in elements}
        self._around = np.array([e.uid in parents for e in boxed], bool)
        rects = np.array([e.box for e in boxed], float).reshape(-1, 4)
        ratio = observation.screen.ratio if observation is not None else 1.0
        self.boxes.set_picture(None if self._image.isNull() else self._image, ratio)
        self.boxes.set_boxes(rects, self._boxed, [e.label for e in boxed])
        if elements and not boxed:
            self.boxes.set_empty_text("This observation has no boxes. The tree and the text show it.")

    # ------------------------------------------------------------------------------ scores, decisions

    def show_thresholds(self, tau_n: float, tau_s: float) -> None:
        self.plane.set_thresholds(tau_n, tau_s)

    def show_decisions(self, scored: Scored, decisions: Decisions) -> None:
        """Colours, patterns and letters everywhere; points move only when there are new scores."""
        if scored is not self._shown:
            self._shown = scored
            elements = scored.page.observation.elements
            placed = [e for e in elements if e.text or e.interactive]
            self._placed = np.array([e.uid for e in placed], np.int64)
            labels = [e.label for e in placed]
            self.plane.set_points(scored.n[self._placed], scored.s[self._placed], self._placed, labels)
        self.plane.set_styles(decisions.codes[self._placed], STYLES)
        boxes = decisions.codes[self._boxed]
        boxes = np.where((boxes == REMOVE) & self._around, len(STYLES), boxes)
        self.boxes.set_styles(boxes, (*STYLES, FRAME))
        self._rows.show_decisions(scored, decisions)

    def clear_decisions(self) -> None:
        self._shown = None
        self._placed = np.zeros(0, np.int64)
        self.plane.set_points((), ())
        self.curve.set_curve((), (), None)
        self._rows.clear_decisions()

    def show_curve(self, points: list[tuple[float, float, float]], current: tuple[float, float]) -> None:
        """``points`` are (tau_n, TISL, TCNP)."""
        self.curve.set_curve([p[1] for p in points], [p[2] for p in points], current)

    def show_outgoing(self, outgoing: Outgoing) -> None:
        assert self._observation is not None
        self.text.set_texts(self._observation.source, outgoing.redaction.source, outgoing.changes)

    def _text_clicked(self, position: int) -> None:
        uid = self._places.at(position) if self._places is not None else None
        if uid is not None:
            self.selected.emit(uid)

    def select(self, uid: int | None) -> None:
        for view in (self.boxes, self.plane):
            view.select(NOTHING if uid is None else uid)
        self._rows.select(uid)
        place = self._places.of(uid) if self._places is not None and uid is not None else None
        if place is not None:
            self.text.scroll_to(*place)

    def refresh_theme(self, theme: Theme) -> None:
        for view in (self.boxes, self.text, self.table, self.plane, self.curve):
            view.refresh_theme(theme)


def read_picture(path: Path) -> tuple[QImage, str]:
    """The picture, or an empty one with the reason."""
    QImageReader.setAllocationLimit(LARGEST_PICTURE_MB)
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    image = reader.read()
    return image, "" if not image.isNull() else f"the picture cannot be read ({reader.errorString().lower()})"
