"""Colours and spacing of the light and the dark look. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

GRID = 8
RADIUS = 6
BODY_PX = 13
SMALL_PX = 11


@dataclass(frozen=True)
class Tokens:
    """Named colours; the data colours of the methods do not change with the theme."""

    dark: bool
    window: str
    panel: str
    raised: str
    border: str
    text: str
    muted: str
    accent: str
    on_accent: str
    view: str
    selection: str
    good: str
    warn: str
    bad: str


DARK = Tokens(
    dark=True,
    window="#17191d",
    panel="#1e2127",
    raised="#272b32",
    border="#343943",
    text="#e7e9ec",
    muted="#98a0ab",
    accent="#5aa2ff",
    on_accent="#0d1116",
    view="#14161a",
    selection="#203659",
    good="#3fc99b",
    warn="#e6a23c",
    bad="#ff8a5c",
)

LIGHT = Tokens(
    dark=False,
    window="#eef0f3",
    panel="#fbfcfd",
    raised="#f0f2f5",
    border="#d6dae1",
    text="#1c2026",
    muted="#5f6772",
    accent="#2767d2",
    on_accent="#ffffff",
    view="#ffffff",
    selection="#d6e4fb",
    good="#007a59",
    warn="#8f5a00",
    bad="#b54708",
)


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2, relative luminance)."""

    def luminance(color: str) -> float:
        channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)
