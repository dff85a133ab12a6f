"""What a start tag of a page says about its element: role, id, states and the texts in its attributes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from methods.minim.formats.html_hiding import Hiding
from methods.minim.formats.html_roles import TEST_IDS, field_of, role_of
from methods.minim.formats.markup import Attribute, Tag, value_of
from methods.minim.observation import Text

VALUED = frozenset(("textbox", "searchbox", "combobox", "spinbutton"))
"""Roles whose own text is their value."""

Place = Callable[[str, int, int, str], Text]
"""Makes the text of a field from its start, end and codec in the document that is read."""


@dataclass(slots=True)
class Draft:
    """An element in the making.

    Attributes:
        control: the draft that its text may name; label: the label around it; -1 for none.
        names: ids of the elements that name it; of a label, the id of the element that it names.
    """

    parent: int
    role: str
    start: int
    end: int
    hiding: Hiding = Hiding.SHOWN
    native_id: str = ""
    texts: list[Text] = field(default_factory=list)
    states: dict[str, object] = field(default_factory=dict)
    frame: str = ""
    control: int = -1
    label: int = -1
    names: str = ""


_PICTURE = re.compile(r"data:(?:image|font|audio|video)/[\w.+-]+;base64,", re.IGNORECASE)
_WRITES = re.compile(r"content|url\(|--", re.IGNORECASE)
_OF_ROLE = ("role", "type", "list", "multiple", "size", "scope", "contenteditable")
_IDS = ("id", *TEST_IDS, "name")
_FLAGS = ("checked", "selected", "expanded", "disabled", "required", "readonly", "pressed")
_NUMBERS = ("maxlength", "aria-level")
_WORDS = ("autocomplete", "inputmode")
_STATEFUL = frozenset((*_FLAGS, *(f"aria-{flag}" for flag in _FLAGS), *_NUMBERS, *_WORDS, "onclick"))


def describe(draft: Draft, name: str, source: str, tag: Tag, place: Place) -> None:
    """Fill a draft from the start tag of an element called ``name``; a role that it has already stays."""
    found = tag.attributes
    kind = _value(source, tag, "type", "text").strip().lower() if name == "input" else ""
    if not draft.role:
        draft.role = role_of(name, {key: _value(source, tag, key) for key in _OF_ROLE if key in found})
    draft.states["tag"] = name
    if draft.role == "heading" and len(name) == 2 and name[1].isdecimal():
        draft.states["level"] = int(name[1])
    if kind:
        draft.states["input_type"] = kind
    if name == "details":
        draft.states["expanded"] = "open" in found
    if draft.role in VALUED and name == "input" and "value" not in found:
        draft.texts.append(place("value", tag.last, tag.last, "html-append"))
    if not found:
        return
    if not _STATEFUL.isdisjoint(found):
        draft.states |= _states(source, tag)
    draft.names = _value(source, tag, "for" if name == "label" else "aria-labelledby")
    draft.native_id = next((v for key in _IDS if key in found and (v := _value(source, tag, key))), "")
    for attribute, span in found.items():
        if span.start >= 0 and (field := _field(attribute, name, kind, source, span)):
            text = place(field, *span)
            draft.texts.insert(0 if attribute == "aria-label" else len(draft.texts), text)


def _field(attribute: str, name: str, kind: str, source: str, span: Attribute) -> str:
    """The kind of text that an attribute of this element holds, "" for none."""
    if attribute == "srcdoc":
        return ""  # a page of its own
    if attribute == "style":
        return "description" if _WRITES.search(source, span.start, span.end) else ""
    field = field_of(attribute)
    if field == "value" and attribute == "value":
        if kind in ("button", "submit", "reset", "image"):
            field = "name"
        elif name in ("option", "button", "li", "data") or kind in ("checkbox", "radio"):
            field = "description"
    if field == "copy" and span.codec == "html-unquoted":
        field = "description"  # emptying it would break the tag
    if span.start == span.end and field != "value":
        return ""
    # A picture inside the address is no text, and may be megabytes.
    return "" if field == "url" and _PICTURE.match(source, span.start) else field


def _states(source: str, tag: Tag) -> dict[str, object]:
    found = tag.attributes
    states: dict[str, object] = {key: _value(source, tag, key) for key in _WORDS if key in found}
    for key in _NUMBERS:
        value = _value(source, tag, key)
        if value.isascii() and value.isdecimal() and len(value) < 10:
            states[key.removeprefix("aria-")] = int(value)
    for key in _FLAGS:
        aria = _value(source, tag, f"aria-{key}")
        if key in found or aria in ("true", "false"):
            states[key] = key in found or aria == "true"
    if "onclick" in found:
        states["clickable"] = True
    return states


def _value(source: str, tag: Tag, name: str, otherwise: str = "") -> str:
    value = value_of(source, tag.attributes, name)
    return otherwise if value is None else value
