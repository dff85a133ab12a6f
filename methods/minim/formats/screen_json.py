"""Screens of the labelled data: one object per screen with ``nodes`` in document order.

Boxes are in CSS pixels of the viewport. As the data is published, a node's id is its place in the list; a minimised
screen has fewer nodes, which keep their ids.
"""

from __future__ import annotations

from dataclasses import replace

from methods.core.errors import BadInput
from methods.minim.formats.json_spans import Array, Object, keys, read_json
from methods.minim.formats.json_values import box, copies, identifier, member, plain, screen_of, texts
from methods.minim.observation import Element, Observation, Screen

FORMAT = "studiolo-screen"

_TEXTS = ("name", "value", "description")
_PROPERTY_TEXTS = {"url": "url", "placeholder": "placeholder"}
_HARMLESS = frozenset(
    "id parent role tag props box visible interactive backend name value description "
    "screen app viewport devicePixelRatio scroll document_height clicks nodes kind type in_tree".split()
)


def matches(name: str, source: str) -> bool:
    """Whether the text looks like this format."""
    return {"screen", "viewport", "nodes"} <= keys(source)


def read(name: str, source: str) -> Observation:
    """Read a screen; the uid of an element is its node's place in the list, so its id as well where nothing was cut.

    Raises:
        BadInput: the text is no JSON, or its nodes do not form a tree in document order.
    """
    root, shadowed = read_json(name, source)
    nodes = member(root, "nodes")
    if not isinstance(nodes, Array) or not all(isinstance(n, Object) for n in nodes):
        raise BadInput(f"{name}: there is no list 'nodes' of objects.", "Open a screen of the labelled data.")
    places: dict[str, int] = {}
    elements: list[Element] = []
    for uid, node in enumerate(nodes):
        elements.append(_element(name, uid, node, places))
        places.setdefault(identifier(node.get("id")), uid)
    if elements:  # what is said outside the nodes repeats them: clicks on the way, injected texts
        outside = [(k, v) for k, v in root.items() if k != "nodes"]
        said = copies(outside, _HARMLESS - set(_TEXTS)) + copies(shadowed)
        elements[0] = replace(elements[0], texts=(*elements[0].texts, *said))
    title = elements[0].get("name") if elements else ""
    return Observation(
        name, FORMAT, source, tuple(elements), _screen(root), (tuple(nodes.spans),), title=title
    )


def _element(name: str, uid: int, node: Object, places: dict[str, int]) -> Element:
    given = identifier(node.get("parent"))
    parent = -1 if given == "-1" else places.get(given)
    if parent is None:
        raise BadInput(f"{name}: node {uid} has no parent before it.", "Get the file again.")
    props = node.get("props")
    props = props if isinstance(props, Object) else Object()
    said = texts(**{f: node.get(f) for f in _TEXTS}, **{f: props.get(k) for k, f in _PROPERTY_TEXTS.items()})
    said += copies((k, v) for k, v in node.items() if k not in _HARMLESS)
    states = {k: plain(v) for k, v in props.items() if k not in _PROPERTY_TEXTS and k != "clickable"}
    states["interactive"] = node.get("interactive") is True
    if states["interactive"]:
        states["clickable"] = True
    if "clickable" in props:  # the pointer changes here, as it does for everything inside a control
        states["pointer"] = True
    if "tag" in node:
        states["tag"] = plain(node["tag"])
    if "backend" in node:
        states["backend"] = plain(node["backend"])
    return Element(
        uid,
        identifier(node.get("id")),
        parent,
        identifier(node.get("role")) or "generic",
        tuple(said),
        states,
        box(node.get("box")),
        visible=node.get("visible") is not False,
        exposed=states.get("ignored") is not True,
        items=((0, uid),),
    )


def _screen(root: Object) -> Screen:
    screen = screen_of(root)
    if screen.viewport is None:
        return screen
    width, height = screen.viewport
    return replace(screen, pixels=(round(width * screen.ratio), round(height * screen.ratio)))
