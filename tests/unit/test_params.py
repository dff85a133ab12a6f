"""Typed parameters: ranges, parsing, and declarations that cannot be shown."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.core.errors import BadParameter
from methods.core.params import Choice, Flag, Number, Texts, as_dict, build, changed, params_of, recorded


@dataclass(frozen=True)
class Demo:
    count: Annotated[int, Number("how many", ge=1, le=10)] = 4
    share: Annotated[float, Number("how much", ge=0, le=1, unit="%")] = 0.5
    limit: Annotated[float | None, Number("at most", ge=0)] = None
    mode: Annotated[str, Choice("which", options=("fast", "fine"))] = "fast"
    tidy: Annotated[bool, Flag("whether")] = False


def by_name(name):
    return next(p for p in params_of(Demo) if p.name == name)


def test_specs_are_read_in_order_with_their_defaults():
    assert [p.name for p in params_of(Demo)] == ["count", "share", "limit", "mode", "tidy"]
    assert build(Demo, {}) == Demo()
    assert by_name("limit").nullable and not by_name("share").nullable


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("count", "0"),
        ("count", "11"),
        ("count", "2.5"),
        ("count", "many"),
        ("share", "nan"),
        ("share", "inf"),
        ("share", "1.01"),
        ("mode", "slow"),
        ("tidy", "perhaps"),
        ("count", "1e400"),
    ],
)
def test_text_outside_the_range_is_refused_with_the_option_named(name, text):
    with pytest.raises(BadParameter, match=f"--{name}"):
        by_name(name).parse(text)


@given(st.integers(1, 10))
def test_numbers_survive_text(value):
    assert by_name("count").parse(str(value)) == value


@given(st.floats(0, 1))
def test_floats_survive_text_exactly(value):
    assert by_name("share").parse(repr(value)) == value


@pytest.mark.parametrize("text", ["none", "auto", "None"])
def test_nullable_numbers_can_be_switched_off(text):
    assert by_name("limit").parse(text) is None


def test_values_of_the_wrong_type_are_refused():
    for values in ({"count": True}, {"count": "4"}, {"tidy": 1}, {"mode": 3}, {"share": None}):
        with pytest.raises(BadParameter):
            build(Demo, values)


def test_unknown_names_are_refused_and_the_known_ones_told():
    with pytest.raises(BadParameter, match="count"):
        build(Demo, {"cuont": 3})


def test_only_changed_values_are_told():
    assert changed(build(Demo, {"count": 7, "mode": "fast"})) == {"count": 7}
    assert as_dict(Demo())["share"] == 0.5


def test_an_integer_given_as_whole_float_becomes_an_integer():
    value = build(Demo, {"count": 3.0}).count
    assert value == 3 and isinstance(value, int)


def test_a_declaration_without_default_or_spec_is_a_programming_error():
    @dataclass(frozen=True)
    class NoDefault:
        a: Annotated[int, Number("x")]

    @dataclass(frozen=True)
    class NoSpec:
        a: int = 3

    @dataclass(frozen=True)
    class WrongSpec:
        a: Annotated[int, Flag("x")] = 3

    for broken in (NoDefault, NoSpec, WrongSpec):
        with pytest.raises(TypeError):
            params_of(broken)


@dataclass(frozen=True)
class Lists:
    words: Annotated[tuple[str, ...], Texts("some words")] = ("a",)
    hidden: Annotated[tuple[str, ...], Texts("your own", private=True)] = ()


def test_several_texts_are_one_value():
    words, hidden = params_of(Lists)
    assert words.many and not words.private and hidden.private
    assert build(Lists, {"words": ["b", "c d"]}).words == ("b", "c d")
    assert build(Lists, {}) == Lists(("a",), ())
    assert changed(build(Lists, {"words": ["a"]})) == {}
    for wrong in ("b", [1], None, 3):
        with pytest.raises(BadParameter, match="--words"):
            build(Lists, {"words": wrong})


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]))))
def test_several_texts_survive_one_line(texts):
    param = params_of(Lists)[0]
    assert param.parse(param.show(texts)) == tuple(texts)


def test_a_line_with_half_a_quotation_is_refused():
    with pytest.raises(BadParameter, match="quotation mark"):
        params_of(Lists)[0].parse("it's")


def test_private_values_are_not_recorded():
    values = as_dict(build(Lists, {"hidden": ("mine",)}))
    assert values["hidden"] == ("mine",)
    assert recorded(Lists, values) == {"words": ("a",)}
