"""Accessibility nodes of Chrome's DevTools protocol (``Accessibility.AXNode``) as elements.

https://chromedevtools.github.io/devtools-protocol/tot/Accessibility/

Nodes that say nothing of their own are part of the element around them: line boxes (InlineTextBox), ignored
containers, and StaticText that repeats the name of its parent. Their texts never leave; trees printed for agents skip
them too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from methods.minim.formats.json_spans import Array, Object, String, text
from methods.minim.formats.json_tree import Family, Lists, odd, twice
from methods.minim.formats.json_values import copies, identifier, member, plain
from methods.minim.observation import Box, Element, Text

_MENTIONS = frozenset("type attribute nativeSource idref name".split())
_KNOWN = frozenset(
    "nodeId parentId childIds backendDOMNodeId frameId browsergym_id ignored ignoredReasons box_document box visible "
    "role chromeRole properties name value description".split()
)
_TOKENS = frozenset(
    "input_type autocomplete inputmode maxlength minlength tag checked pressed expanded selected disabled focused "
    "focusable editable required readonly invalid live hasPopup orientation relevant atomic busy level multiline "
    "multiselectable modal settable hidden hiddenRoot root keyshortcuts clickable valuemin valuemax".split()
)
_OWN = frozenset(("name", "value", "description"))
_FIELDS = {"url": "url", "placeholder": "placeholder", "valuetext": "value"}
_FRAMES = frozenset(("Iframe", "IframePresentational", "iframe"))
_IMAGES = frozenset(("image", "img", "SvgRoot"))


class Source(NamedTuple):
    """The nodes of one frame, or of several that have been merged."""

    nodes: Array
    frame: str = ""


class _Node(NamedTuple):
    raw: Object
    source: int
    position: int


def is_node(value: object) -> bool:
    """Whether this looks like an AXNode."""
    return isinstance(value, Object) and "nodeId" in value and ("role" in value or "childIds" in value)


def ax_value(value: object) -> object:
    """What an AXValue holds; simplified dumps have the bare value."""
    return value.get("value") if isinstance(value, Object) else value


def elements_of(
    sources: Sequence[Source],
    native_id: Callable[[Object], str],
    seen: Callable[[Object], tuple[Box | None, bool]],
    lists: Lists,
) -> tuple[list[Element], list[str]]:
    """Elements, parents first, and warnings.

    Args:
        sources: nodes by frame, the main document first.
        native_id: gives the id by which an agent names a node.
        seen: gives a node's box (CSS pixels of the viewport) and whether a person sees it.
        lists: is filled with the lists that the elements' ``items`` name.
    """
    nodes = [
        _Node(raw, s, p)
        for s, source in enumerate(sources)
        for p, raw in enumerate(source.nodes)
        if is_node(raw)
    ]
    strange = sum(len(s.nodes) for s in sources) - len(nodes)
    family, items = _family(sources, nodes, lists)
    _join_frames(nodes, family)
    order, circles = family.order()
    folded, above = _fold(nodes, family, order)
    warnings = [
        *odd(strange, "One entry of the list is no node.", "{} entries of the lists are no nodes."),
        *odd(circles, "Nodes are their own ancestors.", "Nodes are their own ancestors at {} places."),
    ]
    return _elements(sources, nodes, order, folded, above, items, native_id, seen), warnings


def _family(sources: Sequence[Source], nodes: list[_Node], lists: Lists) -> tuple[Family, list[list]]:
    """Parents by ``childIds`` and, where those are silent, by ``parentId``; and what goes with each node."""
    within: dict[tuple[int, str], int] = {}
    anywhere: dict[str, int] = {}
    for i, node in enumerate(nodes):
        key = identifier(node.raw["nodeId"])
        within.setdefault((node.source, key), i)
        anywhere.setdefault(key, i)

    def find(source: int, value: object) -> int | None:
        key = identifier(value)
        return within.get((source, key), anywhere.get(key)) if key else None

    family = Family(len(nodes))
    items = [[lists.item(sources[n.source].nodes, n.position)] for n in nodes]
    for i, node in enumerate(nodes):
        children = node.raw.get("childIds")
        for position, value in enumerate(children if isinstance(children, Array) else ()):
            child = find(node.source, value)
            if child is not None:
                family.claim(child, i)
                items[child].append(lists.item(children, position))
    for i, node in enumerate(nodes):
        parent = find(node.source, node.raw.get("parentId"))
        if parent is not None:
            family.claim(i, parent)
    return family, items


def _join_frames(nodes: list[_Node], family: Family) -> None:
    """Hang the documents of frames below the elements that show them: by frame id, else by order."""
    roots = [i for i, n in enumerate(nodes) if family.parents[i] < 0 and n.source > 0]
    holders = [i for i, n in enumerate(nodes) if _role(n.raw) in _FRAMES and not family.children[i]]
    if not roots or not holders:
        return
    by_frame = {frame: i for i in holders if (frame := identifier(nodes[i].raw.get("frameId")))}
    left = []
    for root in roots:
        holder = by_frame.get(identifier(nodes[root].raw.get("frameId")))
        if holder is None or nodes[holder].source == nodes[root].source or not family.claim(root, holder):
            left.append(root)
    free = [i for i in holders if not family.children[i]]
    if len(left) == len(free):
        for root, holder in zip(left, free, strict=True):
            if nodes[root].source != nodes[holder].source:
                family.claim(root, holder)


def _fold(nodes: list[_Node], family: Family, order: list[int]) -> tuple[list[bool], list[int]]:
    """Which nodes are part of the element above them, and for each node the closest one above that is not.

    What decides is still the same after elements were masked or dropped, so that a minimised file is read alike.
    """
    folded = [False] * len(nodes)
    above = [-1] * len(nodes)
    for i in order:
        up = family.parents[i]
        if up < 0:
            continue
        up = above[i] = above[up] if folded[up] else up
        raw = nodes[i].raw
        role = _role(raw)
        if raw.get("ignored") is True:
            folded[i] = _OWN.isdisjoint(raw)
        elif role == "StaticText":
            name, own = ax_value(nodes[up].raw.get("name")), ax_value(raw.get("name"))
            folded[i] = above[up] >= 0 and _repeats(own, name)
        else:
            folded[i] = role == "InlineTextBox"
    return folded, above


def _repeats(own: object, name: object) -> bool:
    """Whether a text says what the name says already; copies that were emptied still count."""
    if not isinstance(own, String) or not isinstance(name, String):
        return False
    return not own or own.strip() == name.strip() != ""


def _role(raw: Object) -> str:
    return identifier(ax_value(raw.get("role")))


def _elements(
    sources: Sequence[Source],
    nodes: list[_Node],
    order: list[int],
    folded: list[bool],
    above: list[int],
    items: list[list],
    native_id: Callable[[Object], str],
    seen: Callable[[Object], tuple[Box | None, bool]],
) -> list[Element]:
    inside: dict[int, list[int]] = {}
    for i in order:
        if folded[i]:
            inside.setdefault(above[i], []).append(i)
    main = sources[0].frame if sources else ""
    uids = [-1] * len(nodes)
    frames = [""] * len(nodes)
    elements: list[Element] = []
    for i in order:
        if folded[i]:
            continue
        raw, source = nodes[i].raw, nodes[i].source
        up = above[i]
        parent = uids[up] if up >= 0 else -1
        frame = identifier(raw.get("frameId")) or (sources[source].frame if source else "")
        if not frame and up >= 0:
            frame = frames[up]
        frames[i] = "" if frame == main else frame
        said, states = _describe(raw)
        more = items[i]
        for j in inside.get(i, ()):
            said += _repeated(nodes[j].raw)
            more = more + items[j]
        role = _role(raw) or "generic"
        if states.pop("clickable", None) is True:
            states["pointer"] = True
            covered = parent >= 0 and "pointer" in elements[parent].states
            if role not in _IMAGES and not (covered and role == "StaticText"):
                states["clickable"] = True
        area, visible = seen(raw)
        uids[i] = len(elements)
        elements.append(
            Element(
                uids[i], native_id(raw), parent, role, tuple(said), states, area, frames[i], visible,
                raw.get("ignored") is not True, items=tuple(dict.fromkeys(more)),
            )
        )  # fmt: skip
    return elements


def _describe(raw: Object) -> tuple[list[Text], dict[str, object]]:
    """All texts of a node, wherever it holds them, and its states."""
    said: list[Text] = []
    states: dict[str, object] = {}
    for field in ("name", "value", "description"):
        if field in raw:
            said += _said(field, raw[field])
    properties = raw.get("properties")
    for entry in properties if isinstance(properties, Array) else ():
        name = identifier(member(entry, "name"))
        held = entry.get("value") if isinstance(entry, Object) else None
        value = ax_value(held)
        if name in _FIELDS or (isinstance(value, String) and name not in _TOKENS):
            field = _FIELDS.get(name, "description")
            if field == "value" and any(t.field == "value" and t.text for t in said):
                field = "copy"
            said += _said(field, held)
        else:
            states[name] = plain(value)
            if isinstance(held, Object):
                said += copies(held.items(), _MENTIONS | {"value"})
    if "backendDOMNodeId" in raw:
        states["backend"] = plain(raw["backendDOMNodeId"])
    if "ignoredReasons" in raw:
        said += copies([("ignoredReasons", raw["ignoredReasons"])], _MENTIONS)
    for key, value in raw.items():
        if key not in _KNOWN:
            said += [Text("description", t.text, t.span) for t in copies([(key, value)])]
    return said, states


def _said(field: str, held: object) -> list[Text]:
    """The text of an AXValue, and what repeats it: the places it was computed from, related nodes."""
    found = text(field, ax_value(held))
    said = [found] if found is not None else []
    if isinstance(held, Object):
        rest = [(k, v) for k, v in held.items() if k != "value" or not isinstance(v, String)]
        said += copies(rest, _MENTIONS)
    return said


def _repeated(raw: Object) -> list[Text]:
    """The texts of a node that is part of another element."""
    said, _ = _describe(raw)
    return [Text("copy", t.text, t.span) for t in said if t.text]


def same_ids(elements: Sequence[Element]) -> tuple[str, ...]:
    """A warning when an agent could not tell elements apart."""
    return twice((e.frame, e.native_id) for e in elements)
