"""JSON dumps of elements in no fixed format: flat lists with ids, or objects nested in each other.

Which member holds the name, the value or the box is given by a mapping or guessed from its name: forests of
AndroidWorld, Windows UIA and macOS AX dumps, lists of web tools. Boxes are taken as pixels of the screen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from methods.core.errors import BadInput
from methods.minim.formats.json_spans import Array, Number, Object, String, keys, read_json, strings, text
from methods.minim.formats.json_tree import Family, Lists, headers, odd, twice
from methods.minim.formats.json_values import identifier, plain
from methods.minim.formats.mapping_keys import (
    ENABLED,
    HARMLESS,
    PARTS,
    STATES,
    UNSEEN,
    VISIBLE,
    is_secret,
    parts_of,
    plain_key,
    role_of,
)
from methods.minim.observation import Box, Element, Observation, Text

FORMAT = "json-list"

_TEXTS = ("name", "value", "description", "placeholder", "url")
_FILLED = frozenset(("textbox", "combobox", "spinbutton"))
_BOUNDS = re.compile(r"\[?\(?(-?\d{1,7}), ?(-?\d{1,7})(?:\]\[|, ?)(-?\d{1,7}), ?(-?\d{1,7})\)?\]?")


def matches(name: str, source: str) -> bool:
    """Whether the text may hold such elements: of kind, place and something said, at least two are there."""
    found = parts_of(keys(source)).keys()
    return {"role", "box"} <= found or bool(found & {"role", "box"} and found & set(_TEXTS))


def read(name: str, source: str, mapping: Mapping[str, str] | None = None) -> Observation:
    """Read all elements of the file.

    Args:
        mapping: names of members by part, e.g. ``{"name": "caption", "box": "area"}``; parts are the keys of
            ``mapping_keys.PARTS``. What is left out is guessed.

    Raises:
        BadInput: the text is no JSON, no element is found, or the mapping names no such part.
    """
    for part in mapping or ():
        if part not in PARTS:
            raise BadInput(f"An element has no part {part!r}.", f"Use some of: {', '.join(PARTS)}.")
    root, shadowed = read_json(name, source)
    found, around = _find(root, mapping)
    if not any({"role", "box"} & f.parts.keys() for f in found) and not (mapping and found):
        raise BadInput(
            f"{name}: no list of elements was found.",
            "Say which members hold the elements' role, name, value and box.",
        )
    lists = Lists()
    family = _family(found, lists)
    order, circles = family.order()
    corners = _are_corners(found)
    uids = [-1] * len(found)
    elements: list[Element] = []
    for i in order:
        uids[i] = len(elements)
        parent = family.parents[i]
        elements.append(_element(found[i], uids[i], uids[parent] if parent >= 0 else -1, corners))
    title = elements[0].label if elements else ""
    elements += headers(len(elements), [*around, *shadowed])
    warnings = odd(circles, "Elements are their own ancestors.", "Elements are their own ancestors {} times.")
    warnings += twice((e.items[0][0] if e.items else -1, e.native_id) for e in elements)
    return Observation(
        name, FORMAT, source, tuple(elements), lists=tuple(lists.spans), warnings=warnings, title=title
    )


@dataclass(slots=True)
class _Found:
    """An object that is an element: the one around it, its place in lists, and what objects inside it say."""

    raw: Object
    parts: dict[str, str]
    around: int
    scope: int
    places: list[tuple[Array, int]] = field(default_factory=list)
    inside: list[tuple[str, object]] = field(default_factory=list)


def _find(
    root: Array | Object, mapping: Mapping[str, str] | None
) -> tuple[list[_Found], list[tuple[str, object]]]:
    """All elements in document order, and what is said outside of them."""
    found: list[_Found] = []
    outside: list[tuple[str, object]] = []
    known: dict[tuple[str, ...], dict[str, str]] = {}
    waiting: list[tuple[str, object, int, Array | None, int]] = [("", root, -1, None, 0)]
    while waiting:
        key, value, around, array, position = waiting.pop()
        if isinstance(value, Array):
            waiting.extend((key, v, around, value, p) for p, v in reversed(list(enumerate(value))))
            continue
        if not isinstance(value, Object):
            (found[around].inside if around >= 0 else outside).append((key, value))
            continue
        names = tuple(value)
        parts = known.get(names)
        if parts is None:
            parts = known[names] = parts_of(names, mapping)
        here = around
        if _is_element(value, parts):
            here = len(found)
            places = [(array, position)] if array is not None else []
            found.append(_Found(value, parts, around, array.start if array is not None else -1, places))
        used = (
            {parts[p] for p in (*_TEXTS, "box", "position", "size") if p in parts} if here != around else ()
        )
        waiting.extend(
            (k, v, here, None, 0) for k, v in reversed(value.items()) if k not in used or isinstance(v, Array)
        )
    return found, outside


def _is_element(raw: Object, parts: Mapping[str, str]) -> bool:
    def scalar(part: str) -> bool:
        return part in parts and isinstance(raw.get(parts[part]), (String, Number))

    says = any(map(scalar, _TEXTS))
    return scalar("role") or (says and ("box" in parts or scalar("id") or scalar("parent")))


def _family(found: list[_Found], lists: Lists) -> Family:
    """Parents by ids where there are any, else by what is nested in what."""
    within: dict[tuple[int, str], int] = {}
    anywhere: dict[str, int] = {}
    for i, f in enumerate(found):
        key = identifier(f.raw.get(f.parts.get("id", "")))
        if key:
            within.setdefault((f.scope, key), i)
            anywhere.setdefault(key, i)
    family = Family(len(found))

    def find(scope: int, value: object) -> int | None:
        key = identifier(value)
        return within.get((scope, key), anywhere.get(key)) if key else None

    for i, f in enumerate(found):
        children = f.raw.get(f.parts.get("children", ""))
        for position, value in enumerate(children if isinstance(children, Array) else ()):
            child = find(f.scope, value)
            if child is not None and family.claim(child, i):
                found[child].places.append((children, position))
    for i, f in enumerate(found):
        parent = find(f.scope, f.raw.get(f.parts.get("parent", "")))
        if parent is not None:
            family.claim(i, parent)
        if f.around >= 0:
            family.claim(i, f.around)
        f.places = [lists.item(array, position) for array, position in f.places]
    return family


def _element(f: _Found, uid: int, parent: int, corners: bool) -> Element:
    raw, parts = f.raw, f.parts
    kind, subkind = (identifier(raw.get(parts.get(p, ""))) for p in ("role", "subrole"))
    role = role_of(kind, subkind)
    states, visible = _states(raw)
    if is_secret(kind, subkind):
        states["password"] = True
    if states.get("password"):
        states["input_type"] = "password"
    if kind:
        states["cls"] = kind
    said = _texts(f, role)
    area = _box(raw, parts, corners)
    if area is not None and (area[2] <= 0 or area[3] <= 0):
        visible = False
    cuts = () if f.places else tuple((t.span.start, t.span.end) for t in said if t.span.codec == "json")
    native_id = identifier(raw.get(parts.get("id", "")))
    return Element(
        uid, native_id, parent, role, said, states, area, visible=visible, cuts=cuts, items=tuple(f.places)
    )


def _states(raw: Object) -> tuple[dict[str, object], bool]:
    states: dict[str, object] = {}
    visible = True
    for key, value in raw.items():
        short, value = plain_key(key), plain(value)
        if short in STATES and value is not None:
            states[STATES[short]] = value
        elif short in ENABLED and value is False:
            states["disabled"] = True
        elif (short in VISIBLE and value is False) or (short in UNSEEN and value is True):
            visible = False
    return states, visible


def _texts(f: _Found, role: str) -> tuple[Text, ...]:
    """What the element and the objects inside it say; what has no known name counts as description."""
    # What Android calls the text of a field is its content, and its hint is what it is called.
    content = role in _FILLED and "value" not in f.parts and plain_key(f.parts.get("name", "")) == "text"
    fields = {"name": "value", "placeholder": "name"} if content else {}
    if role == "StaticText" and "name" not in f.parts:
        fields = {"value": "name"}
    said = []
    for part in _TEXTS:
        found = text(fields.get(part, part), f.raw.get(f.parts.get(part, "")))
        if found is not None and (found.text or found.field == "value"):
            said.append(found)
    silent = {f.parts[p] for p in ("id", "parent", "children", "role", "subrole") if p in f.parts}
    for key, value in f.inside:
        if key in silent or plain_key(key) in HARMLESS or plain_key(key) in STATES:
            continue
        said += [t for _, s in strings(value, key) if s and (t := text("description", s))]
    return tuple(said)


def _box(raw: Object, parts: Mapping[str, str], corners: bool) -> Box | None:
    held = raw.get(parts.get("box", ""))
    numbers = _four(held)
    if numbers is None:
        numbers = _pair(raw.get(parts.get("position", ""))) + _pair(raw.get(parts.get("size", "")))
        return numbers if len(numbers) == 4 else None
    if isinstance(held, Object):
        corners = not {"width", "w"} & {k.lower() for k in held}
    left, top, right, bottom = numbers
    return (left, top, right - left, bottom - top) if corners or isinstance(held, String) else numbers


def _four(held: object) -> Box | None:
    """Four numbers of a list, an object or a string."""
    if isinstance(held, String):
        match = _BOUNDS.fullmatch(held)
        return tuple(map(float, match.groups())) if match else None
    if isinstance(held, Object):
        low = {k.lower(): v for k, v in held.items()}
        names = (
            ("left", "x", "l"),
            ("top", "y", "t"),
            ("width", "w", "right", "r"),
            ("height", "h", "bottom", "b"),
        )
        held = [next((low[n] for n in options if n in low), None) for options in names]
    if isinstance(held, list) and len(held) == 4 and all(isinstance(v, Number) and isfinite(v) for v in held):
        return tuple(map(float, held))
    return None


def _pair(held: object) -> tuple[float, ...]:
    if isinstance(held, Object):
        held = list(held.values())
    elif isinstance(held, String):
        return tuple(map(float, re.findall(r"-?\d{1,7}(?:\.\d{1,6})?", held[:60])[:2]))
    if isinstance(held, list) and len(held) == 2 and all(isinstance(v, Number) and isfinite(v) for v in held):
        return tuple(map(float, held))
    return ()


def _are_corners(found: list[_Found]) -> bool:
    """Whether lists of four numbers named bounds or rectangle can be left, top, right, bottom in all elements."""
    lists = []
    for f in found:
        key = f.parts.get("box", "")
        held = f.raw.get(key)
        if isinstance(held, Array) and ("bounds" in plain_key(key) or "rect" in plain_key(key)):
            lists.append(_four(held))
    return bool(lists) and all(b[2] >= b[0] and b[3] >= b[1] for b in lists if b)
