"""What readers of JSON observations ask of values that may be missing or of the wrong kind."""

from __future__ import annotations

from collections.abc import Container, Iterable
from math import isfinite

from methods.minim.formats.json_spans import Array, Number, Object, String, strings, text
from methods.minim.observation import Box, Screen, Span, Text

_TRUTH = {"true": True, "false": False}


def plain(value: object) -> object:
    """A scalar as plain Python; "true" and "false" become bools; None for lists and objects."""
    if isinstance(value, String):
        return _TRUTH.get(value, str(value))
    if isinstance(value, Number):
        return int(value) if value.is_integer() and abs(value) < 1e15 else float(value)
    return value if isinstance(value, (bool, type(None))) else None


def identifier(value: object) -> str:
    """An id, whether it is written as a string or as a number; "" for anything else."""
    if isinstance(value, Number):
        return value.raw
    return str(value) if isinstance(value, String) else ""


def numbers(value: object, count: int) -> tuple[float, ...] | None:
    """``count`` finite numbers of a list, None when it is something else."""
    if not isinstance(value, Array) or len(value) < count:
        return None
    found = value[:count]
    if not all(isinstance(v, Number) and isfinite(v) for v in found):
        return None
    return tuple(map(float, found))


def box(value: object) -> Box | None:
    """Left, top, width, height from a list of four numbers."""
    return numbers(value, 4)


def member(value: object, *path: str) -> object:
    """``value[path[0]][path[1]]…``, None where there is no such member."""
    for key in path:
        if not isinstance(value, Object):
            return None
        value = value.get(key)
    return value


def texts(**fields: object) -> list[Text]:
    """Texts of the fields that hold a string or a number."""
    found = (text(name, value) for name, value in fields.items())
    return [t for t in found if t is not None]


def copies(members: Iterable[tuple[str, object]], harmless: Container[str] = ()) -> list[Text]:
    """Everything said at and below the members as texts that never leave, but for what is named harmless."""
    return [
        Text("copy", str(s), Span(s.start, s.end, "json"))
        for name, value in members
        for key, s in strings(value, name)
        if s and key not in harmless
    ]


def screen_of(about: Object) -> Screen:
    """The screen of a capture: ``viewport``, ``devicePixelRatio``, ``scroll`` and ``screenshot_px``."""
    viewport = numbers(about.get("viewport"), 2) or _pair(about.get("viewport"), "width", "height")
    ratio = plain(about.get("devicePixelRatio"))
    ratio = float(ratio) if isinstance(ratio, (int, float)) and 0 < ratio < 100 else 1.0
    scroll = _pair(about.get("scroll"), "x", "y") or numbers(about.get("scroll"), 2) or (0.0, 0.0)
    pixels = numbers(about.get("screenshot_px"), 2)
    doubts = []
    if pixels and viewport and any(abs(v * ratio - p) > 1 for v, p in zip(viewport, pixels, strict=True)):
        doubts.append(
            f"The picture is {pixels[0]:.0f} x {pixels[1]:.0f} pixels, but viewport and pixel ratio make it "
            f"{viewport[0] * ratio:.0f} x {viewport[1] * ratio:.0f}."
        )
    return Screen(viewport, ratio, scroll, _whole(pixels), tuple(doubts))


def _pair(value: object, first: str, second: str) -> tuple[float, float] | None:
    found = member(value, first), member(value, second)
    return tuple(map(float, found)) if all(isinstance(v, Number) and isfinite(v) for v in found) else None


def _whole(size: tuple[float, ...] | None) -> tuple[int, int] | None:
    return (round(size[0]), round(size[1])) if size else None
