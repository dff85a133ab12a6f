"""Boxes over a picture."""

import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage

from app.views.boxes_view import BoxesView

STYLES = (("#009E73", "plain", "✓"), ("#E69F00", "hatch", "≈"), ("#D55E00", "solid", "✕"))
RECTS = [[0, 0, 400, 300], [20, 20, 200, 100], [30, 30, 50, 40], [np.nan] * 4]


@pytest.fixture
def view(qtbot):
    view = BoxesView("Screen")
    qtbot.addWidget(view)
    view.resize(640, 480)
    view.show()
    view.set_boxes(RECTS, [10, 20, 30, 40], ["page", "card", "button", "nowhere"])
    view.set_styles([0, 1, 2, 0], STYLES)
    qtbot.waitExposed(view)
    return view


def click(qtbot, view, x, y):
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.mapFromScene(QPointF(x, y)))


def color_at(view, x, y):
    at = view.mapFromScene(QPointF(x, y))
    image = view.viewport().grab().toImage()
    return QColor(image.pixel(at * image.devicePixelRatio()))


def test_a_click_takes_the_smallest_box_and_then_the_ones_below(view, qtbot):
    heard = []
    view.selected.connect(heard.append)
    for _ in range(4):
        click(qtbot, view, 50, 50)
    click(qtbot, view, 300, 250)
    assert heard == [30, 20, 10, 30, 10]


def test_a_click_beside_every_box_selects_nothing(view, qtbot):
    heard = []
    view.selected.connect(heard.append)
    click(qtbot, view, 405, 200)
    assert heard == []


def test_a_drag_moves_the_picture_and_selects_nothing(view, qtbot):
    view.zoom(4)
    heard = []
    view.selected.connect(heard.append)
    before = view.mapFromScene(QPointF(50, 50))
    port, left = view.viewport(), Qt.MouseButton.LeftButton
    qtbot.mousePress(port, left, pos=QPoint(300, 200))
    qtbot.mouseMove(port, QPoint(280, 190))
    qtbot.mouseMove(port, QPoint(240, 170))
    qtbot.mouseRelease(port, left, pos=QPoint(240, 170))
    assert heard == [] and view.mapFromScene(QPointF(50, 50)) != before


def test_selecting_by_id_is_silent_and_tells_screen_readers(view):
    heard = []
    view.selected.connect(heard.append)
    view.select(20)
    assert view.accessibleDescription() == "card" and heard == []
    view.select(999)
    assert view.accessibleDescription() == ""
    view.select(40)  # it has no place in the picture
    assert view.accessibleDescription() == "nowhere"


def test_preview_fills_the_named_codes_with_opaque_black(view):
    picture = QImage(400, 300, QImage.Format.Format_RGB32)
    picture.fill(QColor("#ff0000"))
    view.set_picture(picture)
    view.set_preview({2})
    assert color_at(view, 60, 50).name() == "#000000"
    assert color_at(view, 150, 100).name() == "#ff0000"
    view.set_preview(None)
    assert color_at(view, 60, 50).name() != "#000000"


def test_the_page_is_the_picture_in_units_of_the_boxes(view):
    view.set_picture(QImage(800, 600, QImage.Format.Format_RGB32), 2.0)
    assert (view.sceneRect().width(), view.sceneRect().height()) == (400, 300)


def test_boxes_of_any_size_are_drawn(view):
    view.set_boxes([[-1e30, 0, 1e31, 5], [np.inf, 0, 1, 1], [0, 0, -5, 2], [0, 0, 0, 0], [5, 5, 1e-9, 1e-9]])
    view.set_styles(np.array([0, 9, 200, 1], np.uint8), STYLES)  # codes without style, and one too few
    assert not view.grab().isNull()
    assert view.boxes_at(QPointF(3, 3)).tolist() == [0]


def test_ids_must_match(view):
    with pytest.raises(ValueError, match="2 boxes have 1 ids"):
        view.set_boxes(np.zeros((2, 4)), [1])


def test_nothing_shows_what_to_do(view):
    view.set_boxes(np.zeros((0, 4)))
    view.set_empty_text("Open a screen.")
    assert not view.grab().isNull()


def test_five_thousand_boxes_change_style_within_a_frame(view):
    rng = np.random.default_rng(0)
    rects = np.column_stack(
        [
            rng.uniform(0, 1200, 5000),
            rng.uniform(0, 6000, 5000),
            rng.uniform(10, 200, 5000),
            rng.uniform(8, 40, 5000),
        ]
    )
    view.set_boxes(rects)
    view.set_styles(np.zeros(5000, np.uint8), STYLES)
    view.viewport().repaint()
    times = []
    for _ in range(9):
        codes = rng.integers(0, 3, 5000).astype(np.uint8)
        start = time.process_time()  # the processor's time: other programs on the machine do not count
        view.set_styles(codes, STYLES)
        view.viewport().repaint()
        times.append(time.process_time() - start)
    assert np.median(times) < 0.016
