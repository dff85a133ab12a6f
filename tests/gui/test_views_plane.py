"""Points in a plane with two thresholds, and a curve."""

import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from app.views.axes import Axes, Axis
from app.views.curve_view import CurveView
from app.views.plane_view import PlaneView
from app.views.spread import LARGEST, spread

STYLES = (("#009E73", "plain", "✓"), ("#E69F00", "hatch", "≈"), ("#D55E00", "solid", "✕"))
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(qtbot):
    view = PlaneView("s and n")
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.set_axes(Axis("n"), Axis("s"))
    view.set_regions(
        [("remove", "#D55E00", -1, 0), ("abstract", "#E69F00", 1, 1), ("keep", "#009E73", 1, -1)]
    )
    view.set_points([5.0, 8.0, np.nan], [2.0, 9.0, 1.0], [7, 8, 9])
    view.set_thresholds(1.0, 5.0)
    view.show()
    qtbot.waitExposed(view)
    view.grab()
    return view


def place(view, x, y):
    return QPoint(round(view._axes.to_x(x)), round(view._axes.to_y(y)))


def drag(qtbot, view, start, end):
    qtbot.mousePress(view, LEFT, pos=start)
    qtbot.mouseMove(view, end)
    qtbot.mouseRelease(view, LEFT, pos=end)


def test_a_click_on_a_point_selects_it(view, qtbot):
    heard = []
    view.selected.connect(heard.append)
    for at in [(5, 2), (8, 9), (3, 3)]:
        qtbot.mouseClick(view, LEFT, pos=place(view, *at))
    assert heard == [7, 8]


def test_selecting_by_id_is_silent_and_marks_the_point(view):
    heard = []
    view.selected.connect(heard.append)
    view.select(7)
    ring = place(view, 5, 2) + QPoint(8, 0)
    assert QColor(view.grab().toImage().pixel(ring)).blue() > 180
    for missing in (9, 1000):  # one without a place, one that is not there
        view.select(missing)
        view.grab()
    assert heard == []


def test_lines_are_dragged_and_the_last_move_is_final(view, qtbot):
    heard = []
    view.threshold_moved.connect(lambda *move: heard.append(move))
    drag(qtbot, view, place(view, 1, 8), place(view, 4, 8))
    assert [move[2] for move in heard][-1] and not any(move[2] for move in heard[:-1])
    assert heard[-1][0] == "x" and heard[-1][1] == pytest.approx(4, abs=0.02)
    heard.clear()
    drag(qtbot, view, place(view, 7, 5), place(view, 7, 30))
    assert heard[-1] == ("y", 10.0, True)


def test_the_horizontal_line_ends_at_the_vertical_one(view, qtbot):
    heard = []
    view.set_thresholds(6.0, 5.0)
    view.threshold_moved.connect(lambda *move: heard.append(move))
    drag(qtbot, view, place(view, 3, 5), place(view, 3, 8))
    assert heard == []


def test_arrow_keys_move_the_thresholds(view, qtbot):
    heard = []
    view.threshold_moved.connect(lambda *move: heard.append(move))
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert heard == [("x", 1.1, True), ("y", 4.9, True)]
    assert "1.1 and 4.9" in view.accessibleDescription()


def test_ids_must_match(view):
    with pytest.raises(ValueError, match="2 points have 1 ids"):
        view.set_points([1, 2], [1, 2], [1])


def test_points_at_one_place_are_spread_in_the_same_way_each_time():
    points = np.vstack([np.full((50, 2), 3.0), [[8, 8], [np.nan, 1]]])
    span = np.array([10.0, 10.0])
    first = spread(points, span)
    assert np.array_equal(first, spread(points, span), equal_nan=True)
    assert first[0].tolist() == [3, 3] and first[50].tolist() == [8, 8] and np.isnan(first[51, 0])
    assert len(np.unique(first[:50].round(6), axis=0)) == 50
    assert np.hypot(*(first[:50] - 3).T).max() <= LARGEST * 10
    assert spread(np.zeros((0, 2)), span).shape == (0, 2)


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (Axis("", 0, 10), [0, 2, 4, 6, 8, 10]),
        (Axis("", 0.5, 1), [0.5, 0.6, 0.7, 0.8, 0.9, 1]),
        (Axis("", -3, 4), [-2, 0, 2, 4]),
    ],
)
def test_ticks_are_round_numbers_in_the_range(axis, ticks):
    assert axis.ticks() == pytest.approx(ticks)


def test_axes_map_back_and_forth(view):
    axes = Axes(Axis("n", 0, 10), Axis("s", -1, 1))
    axes.place(300, 200, view.font())
    assert axes.from_x(axes.to_x(2.5)) == pytest.approx(2.5)
    assert axes.from_y(axes.to_y(0.25)) == pytest.approx(0.25)
    assert axes.to_y(1) < axes.to_y(-1)


def test_five_thousand_points_change_colour_within_a_frame(view):
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 10, (2, 5000))
    view.set_points(x, y)
    view.repaint()
    times = []
    for tau in np.linspace(0, 10, 9):
        start = time.process_time()  # the processor's time: other programs on the machine do not count
        view.set_thresholds(tau, 5)
        view.set_styles(np.where(x < tau, 2, y >= 5), STYLES)
        view.repaint()
        times.append(time.process_time() - start)
    assert np.median(times) < 0.016


def test_a_curve_tells_where_one_stands(qtbot):
    curve = CurveView("trade-off")
    qtbot.addWidget(curve)
    curve.set_axes(Axis("leak", 0, 1), Axis("kept", 0, 1))
    curve.set_curve([0, 0.5, np.nan, 1], [0, 0.8, 1, 1], (0.5, 0.8))
    assert curve.accessibleDescription() == "now 0.5, 0.8"
    curve.resize(200, 150)
    image = curve.grab().toImage()
    at = QPoint(round(curve._axes.to_x(0.5)), round(curve._axes.to_y(0.8)))
    assert QColor(image.pixel(at)).name() == "#2767d2"
    curve.set_curve([], [], None)
    assert curve.accessibleDescription() == "" and not curve.grab().isNull()
