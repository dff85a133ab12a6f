"""Read ``DOMSnapshot.captureSnapshot``: boxes, attributes and visibility per DOM node.

Bounds in a snapshot are CSS pixels of the document they belong to; inner frames are moved to where the main
document shows them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

Box = tuple[float, float, float, float]
FAINT = 0.02
"""Opacity up to which nothing can be seen."""


@dataclass
class Painted:
    """A DOM node.

    Attributes:
        tag: name in lower case, ``#text`` for text.
        parent: backend id of the parent, 0 for none.
        box: in CSS pixels of the main document, None when it has no layout.
        visible: a part of it lies in the viewport and in all boxes that clip it, and it is painted.
        clickable: the pointer shows that it can be clicked.
    """

    tag: str
    parent: int
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    box: Box | None = None
    visible: bool = False
    clickable: bool = False


@dataclass(frozen=True)
class _Space:
    """What holds for everything below a node: the area that can be seen, and the opacity so far."""

    clip: Box
    opacity: float = 1.0


def read_snapshot(
    raw: dict,
    styles: list[str],
    scroll: tuple[float, float],
    viewport: tuple[float, float],
    content_corner: Callable[[int], tuple[float, float]],
) -> dict[int, Painted]:
    """Nodes by backend id, in document order.

    Args:
        raw: result of ``DOMSnapshot.captureSnapshot``.
        styles: the computed styles asked for, among them opacity, visibility, cursor, overflow-x and -y.
        scroll: of the main document, CSS pixels.
        viewport: width and height, CSS pixels.
        content_corner: gives left and top of a frame element's content, CSS pixels of the viewport.
    """
    found: dict[int, Painted] = {}
    whole = _Space((scroll[0], scroll[1], *viewport))
    spaces: dict[int, tuple[_Space, float, float]] = {0: (whole, 0.0, 0.0)}
    for index, document in enumerate(raw["documents"]):
        if index not in spaces:
            continue  # a frame that is not laid out
        space, dx, dy = spaces[index]
        held = _read_document(document, raw["strings"], styles, space, (dx, dy), found)
        for child, (backend, inner) in held.items():
            left, top = content_corner(backend)
            other = raw["documents"][child]
            x = left + scroll[0] - other.get("scrollOffsetX", 0)
            y = top + scroll[1] - other.get("scrollOffsetY", 0)
            spaces[child] = inner, x, y
    return found


def _read_document(
    document: dict,
    strings: list[str],
    styles: list[str],
    space: _Space,
    shift: tuple[float, float],
    found: dict[int, Painted],
) -> dict[int, tuple[int, _Space]]:
    """Fill ``found``; returns for each inner document its frame element and the space in it."""
    nodes, layout = document["nodes"], document["layout"]
    place = {}
    for i, node in enumerate(layout["nodeIndex"]):
        place.setdefault(node, i)
    values = dict(zip(nodes["inputValue"]["index"], nodes["inputValue"]["value"], strict=True))
    inner = nodes.get("contentDocumentIndex", {"index": [], "value": []})
    inner = dict(zip(inner["index"], inner["value"], strict=True))
    spaces: dict[int, _Space] = {-1: space}
    frames = {}
    for i, parent in enumerate(nodes["parentIndex"]):
        backend = nodes["backendNodeId"][i]
        pairs = [strings[k] if k >= 0 else "" for k in nodes["attributes"][i]]
        node = Painted(
            strings[nodes["nodeName"][i]].lower(),
            nodes["backendNodeId"][parent] if parent >= 0 else 0,
            strings[nodes["nodeValue"][i]] if nodes["nodeValue"][i] >= 0 else "",
            dict(zip(pairs[::2], pairs[1::2], strict=True)),
        )
        if i in values and node.tag != "input":
            node.text = strings[values[i]]
        spaces[i] = spaces[parent]
        if i in place:
            spaces[i] = _lay_out(node, layout, place[i], strings, styles, spaces[parent], shift)
        found[backend] = node
        if i in inner:
            frames[inner[i]] = backend, spaces[i]
    return frames


def _lay_out(
    node: Painted,
    layout: dict,
    at: int,
    strings: list[str],
    styles: list[str],
    space: _Space,
    shift: tuple[float, float],
) -> _Space:
    """Set box, visibility and clickability of ``node``; returns the space of what is inside it."""
    x, y, w, h = layout["bounds"][at]
    node.box = x + shift[0], y + shift[1], w, h
    style = dict(zip(styles, (strings[k] for k in layout["styles"][at]), strict=False))
    if not style:  # a text takes the style of its element
        node.visible = space.opacity > FAINT and _overlap(node.box, space.clip) is not None
        return space
    opacity = space.opacity * float(style.get("opacity") or 1)
    part = _overlap(node.box, space.clip)
    shown = style.get("visibility", "visible") == "visible"
    node.visible = shown and opacity > FAINT and part is not None
    node.clickable = style.get("cursor") == "pointer"
    clip = space.clip
    # The viewport, not the root element, clips what the root holds.
    if node.tag not in ("html", "body") and "visible" not in (
        style.get("overflow-x"),
        style.get("overflow-y"),
    ):
        clip = part or (0.0, 0.0, 0.0, 0.0)
    return _Space(clip, opacity if shown else 0.0)


def _overlap(a: Box, b: Box) -> Box | None:
    left, top = max(a[0], b[0]), max(a[1], b[1])
    right, bottom = min(a[0] + a[2], b[0] + b[2]), min(a[1] + a[3], b[1] + b[3])
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None
