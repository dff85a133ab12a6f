"""Forms made from parameter declarations."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QSlider

from app.forms import ParamForm
from app.views.histogram import Histogram
from app.views.number_field import NumberField
from app.views.units import parse_length
from methods.core import methods
from methods.core.errors import BadParameter
from methods.core.params import Choice, Flag, Number


@dataclass(frozen=True)
class Demo:
    count: Annotated[int, Number("how many", ge=1, le=100)] = 10
    cost: Annotated[float, Number("how dear", ge=0.001, le=1, log=True, unit="m")] = 0.1
    limit: Annotated[float | None, Number("at most", ge=0)] = None
    mode: Annotated[str, Choice("which", options=("fast", "fine"))] = "fine"
    tidy: Annotated[bool, Flag("whether", advanced=True)] = True


@pytest.fixture
def form(qtbot):
    form = ParamForm(Demo)
    qtbot.addWidget(form)
    form.show()
    return form


def field(form, kind, name):
    return next(w for w in form.findChildren(kind) if w.accessibleName() == name)


def test_a_form_shows_the_defaults_and_reads_them_back(form):
    assert form.value() == Demo()
    assert field(form, QComboBox, "mode").currentText() == "fine"
    assert field(form, QLineEdit, "cost").text() == "0.1 m"
    assert not field(form, QCheckBox, "tidy").isVisible()


def test_values_set_are_values_read(form):
    wanted = Demo(count=77, cost=0.005, limit=2.5, mode="fast", tidy=False)
    form.set_value(wanted)
    assert form.value() == wanted


def test_a_wrong_value_is_explained_and_refused(form, qtbot):
    line = field(form, QLineEdit, "count")
    line.selectAll()
    qtbot.keyClicks(line, "1000")
    problems = [
        label.text() for label in form.findChildren(QLabel) if label.isVisible() and "range" in label.text()
    ]
    assert len(problems) == 1 and not form.valid
    with pytest.raises(BadParameter):
        form.value()


def test_a_slider_and_its_field_agree(form):
    slider = field(form, QSlider, "cost slider")
    slider.setValue(0)
    assert form.value().cost == pytest.approx(0.001)
    slider.setValue(slider.maximum())
    assert form.value().cost == pytest.approx(1)
    form.set_value(Demo(cost=0.0316228))
    assert slider.value() == pytest.approx(slider.maximum() / 2, abs=2)


def test_every_declared_form_can_be_built_and_rebuilt(qtbot):
    for _ in range(20):
        for method in methods():
            for action in method.actions:
                form = ParamForm(action.params)
                assert form.value() == action.params()
                form.deleteLater()


# ----------------------------------------------------------------------------------------- number fields


@pytest.fixture
def number(qtbot):
    number = NumberField("width", lambda text: parse_length(text, "m"), 0.0, 10.0, 0.5)
    qtbot.addWidget(number)
    number.show()
    number.set_value(2.0)
    return number


def typed(qtbot, number, text):
    number.selectAll()
    qtbot.keyClicks(number, text)
    qtbot.keyClick(number, Qt.Key.Key_Return)


def test_a_number_is_committed_once_and_units_are_understood(number, qtbot):
    seen = []
    number.committed.connect(seen.append)
    typed(qtbot, number, "30 mm")
    typed(qtbot, number, "30 mm")
    assert seen == [0.03]


@pytest.mark.parametrize("text", ["abc", "11", "-1", "", "1e999"])
def test_wrong_text_is_put_back(number, qtbot, text):
    seen = []
    number.committed.connect(seen.append)
    typed(qtbot, number, text)
    assert seen == [] and number.value() == 2.0 and number.text() == "2"


def test_arrow_keys_step_within_the_range(number, qtbot):
    for _ in range(40):
        qtbot.keyClick(number, Qt.Key.Key_Up)
    assert number.value() == 10.0


@pytest.mark.parametrize("values", [[], [float("nan")], [1.0], [0.0] * 5, list(range(1000)), [1e300, -1e300]])
def test_histograms_draw_whatever_they_get(qtbot, values):
    histogram = Histogram()
    qtbot.addWidget(histogram)
    histogram.resize(200, 60)
    histogram.set_values(values, "things")
    assert not histogram.grab().isNull()
