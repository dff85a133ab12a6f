"""Chrome's ``Accessibility.getFullAXTree``: one result, or several for the frames of a page.

A saved capture has boxes as well: ``{scroll, devicePixelRatio, viewport, screenshot_px, nodes}`` and a
``box_document`` per node, in CSS pixels of the main document.
"""

from __future__ import annotations

from collections.abc import Callable

from methods.core.errors import BadInput
from methods.minim.formats.ax_nodes import Source, elements_of, is_node, same_ids
from methods.minim.formats.json_spans import Array, Object, keys, read_json
from methods.minim.formats.json_tree import Lists, headers
from methods.minim.formats.json_values import box, identifier, member, screen_of
from methods.minim.observation import Box, Observation, Screen

FORMAT = "cdp-axtree"
WITH_BOXES = "cdp-axtree+boxes"


def matches(name: str, source: str) -> bool:
    """Whether the text looks like this format."""
    found = keys(source)
    return "nodeId" in found and bool({"role", "childIds"} & found)


def read(name: str, source: str) -> Observation:
    """Read the trees of all frames that the file holds, joined where one shows another.

    Raises:
        BadInput: the text is no JSON or holds no accessibility nodes.
    """
    root, shadowed = read_json(name, source)
    sources, around = _sources(root)
    if not sources:
        raise BadInput(
            f"{name}: there is no list 'nodes' of accessibility nodes.", "Save the result of getFullAXTree."
        )
    screen = screen_of(root if isinstance(root, Object) else Object())
    boxes = any("box_document" in n for s in sources for n in s.nodes if isinstance(n, Object))
    lists = Lists()
    elements, warnings = elements_of(sources, lambda n: identifier(n["nodeId"]), _seen(screen), lists)
    title = elements[0].get("name") if elements else ""
    elements += headers(len(elements), [*around, *shadowed])
    return Observation(
        name,
        WITH_BOXES if boxes else FORMAT,
        source,
        tuple(elements),
        screen,
        tuple(lists.spans),
        (*warnings, *same_ids(elements)),
        title,
    )


def _seen(screen: Screen) -> Callable[[Object], tuple[Box | None, bool]]:
    left, top = screen.scroll

    def seen(node: Object) -> tuple[Box | None, bool]:
        area = box(node.get("box_document"))
        if area is None:
            return None, node.get("visible") is not False
        x, y, w, h = area[0] - left, area[1] - top, area[2], area[3]
        visible = node.get("visible")
        if not isinstance(visible, bool):
            width, height = screen.viewport or (float("inf"), float("inf"))
            visible = x < width and y < height and x + w > 0 and y + h > 0
        return (x, y, w, h), visible

    return seen


def _sources(root: Array | Object) -> tuple[list[Source], list[tuple[str, object]]]:
    """The lists of nodes in document order, and everything else that the file says."""
    sources: list[Source] = []
    around: list[tuple[str, object]] = []
    waiting: list[tuple[str, object, str]] = [("", root, "")]
    while waiting:
        key, value, frame = waiting.pop()
        if isinstance(value, Array) and (any(map(is_node, value[:5])) or (key == "nodes" and not value)):
            own = next((n for n in value if is_node(n)), None)
            sources.append(Source(value, identifier(member(own, "frameId")) or frame))
            around += [("", n) for n in value if not is_node(n)]
        elif isinstance(value, Array):
            inner = [(key, v, str(i) if i else frame) for i, v in enumerate(value)]
            waiting.extend(reversed(inner))
        elif isinstance(value, Object):
            frame = identifier(value.get("frameId")) or frame
            inner = [
                (k, v, k if isinstance(v, Object) and k != "result" else frame) for k, v in value.items()
            ]
            waiting.extend(reversed(inner))
        else:
            around.append((key, value))
    return sources, around
