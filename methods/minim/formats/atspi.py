"""Desktop accessibility trees of OSWorld: AT-SPI as XML, roles as tags, the rest in namespaced attributes."""

from __future__ import annotations

import re

from methods.core.errors import BadInput
from methods.minim.formats.markup import text_at
from methods.minim.formats.xml_tree import Node, comment, observed, read_nodes, text
from methods.minim.observation import Box, Element, Observation, Screen, Span, Text

FORMAT = "atspi-xml"

# ``https://accessibility.ubuntu.example.org/ns/state`` and the older ``uri:deskat:state.at-spi.gnome.org``.
_NAMESPACE = re.compile(r"(?:accessibility\.[\w.]+/ns/|uri:deskat:)(\w+)", re.ASCII)
_PAIR = re.compile(r"\s*\(\s*(-?\d{1,7})\s*,\s*(-?\d{1,7})\s*\)\s*", re.ASCII)

_ROLES = {
    "push-button": "button", "toggle-button": "button", "button": "button", "split-button": "button",
    "push-button-menu": "button", "entry": "textbox", "password-text": "textbox", "edit": "textbox",
    "text": "textbox", "terminal": "textbox", "editbar": "textbox", "autocomplete": "combobox",
    "label": "StaticText", "static": "StaticText", "caption": "StaticText", "paragraph": "paragraph",
    "check-box": "checkbox", "checkbox": "checkbox", "check-menu-item": "menuitemcheckbox",
    "radio-button": "radio", "radio-menu-item": "menuitemradio", "combo-box": "combobox",
    "combobox": "combobox", "list-item": "listitem", "list": "list", "list-box": "listbox", "menu": "menu",
    "menu-item": "menuitem", "menu-bar": "menubar", "page-tab": "tab", "page-tab-list": "tablist",
    "tab-item": "tab", "tab-control": "tablist", "link": "link", "hyperlink": "link", "heading": "heading",
    "image": "img", "icon": "img", "table": "table", "tree-table": "table", "table-cell": "cell",
    "table-row": "row", "table-column-header": "columnheader", "column-header": "columnheader",
    "table-row-header": "rowheader", "row-header": "rowheader", "data-item": "cell", "data-grid": "table",
    "document-spreadsheet": "document", "document-web": "document", "document-frame": "document",
    "document-text": "document", "document": "document", "desktop-frame": "document", "tree": "tree",
    "tree-item": "treeitem", "spin-button": "spinbutton", "spinner": "spinbutton", "slider": "slider",
    "progress-bar": "progressbar", "dialog": "dialog", "alert": "alert", "notification": "alert",
    "tool-bar": "toolbar", "tool-tip": "tooltip", "status-bar": "status", "separator": "separator",
    "application": "application", "frame": "frame", "window": "frame", "form": "form", "landmark": "region",
    "section": "generic", "panel": "generic", "filler": "generic", "pane": "generic", "group": "group",
    "scroll-pane": "generic", "unknown": "generic", "internal-frame": "frame",
}  # fmt: skip

_STATES = {
    "checked": "checked", "selected": "selected", "expanded": "expanded", "focused": "focused",
    "required": "required", "read-only": "readonly", "readonly": "readonly", "pressed": "pressed",
}  # fmt: skip

_FIELDS = {
    "name": "name", "description": "description", "attr:description": "description", "value:value": "value",
    "attr:placeholder-text": "placeholder", "attr:placeholder": "placeholder", "attr:href": "url",
    "attr:src": "url", "attr:url": "url", "document:url": "url", "document:DocURL": "url",
}  # fmt: skip
_IDS = (
    "id",
    "attr:id",
    "automation-id",
    "id:id",
    "attr:automation-id",
    "attr:automationid",
    "attr:control-id",
)
_KINDS = {"attributes": "attr"}
_QUIET = frozenset(("state", "component", "action", "xmlns", "selection"))
_HARMLESS = frozenset(
    """attr:tag attr:class attr:toolkit attr:xml-roles attr:display attr:level attr:explicit-name attr:text-input-type
    attr:layout-guess attr:formatting attr:setsize attr:posinset attr:checkable attr:draggable attr:colindex
    attr:rowindex attr:colcount attr:rowcount attr:window-type attr:haspopup attr:live attr:atomic attr:busy
    attr:table-cell-index attr:margin-left attr:margin-right attr:margin-top attr:margin-bottom attr:text-indent
    attr:text-align attr:hidden attr:sort attr:current attr:relevant attr:container-live value:min value:max
    value:step toolkit role class:class_name class_name""".split()
) | frozenset(_IDS)


def matches(name: str, source: str) -> bool:
    """Whether the text looks like such a tree."""
    head = source[:4096]
    return head.lstrip("\ufeff \t\r\n").startswith("<") and bool(
        _NAMESPACE.search(head) or "<desktop-frame" in head
    )


def read(name: str, source: str) -> Observation:
    """Read a tree; coordinates are taken as pixels of the screen.

    Raises:
        BadInput: the XML is not well-formed, has a DOCTYPE, or knows none of OSWorld's namespaces.
    """
    if not source.strip("\ufeff \t\r\n"):
        return Observation(name, FORMAT, source, ())
    nodes = read_nodes(name, source)
    prefixes = _prefixes(nodes)
    if not prefixes and not any(n.tag == "desktop-frame" for n in nodes):
        raise BadInput(
            f"{name}: this XML is not a desktop accessibility tree.",
            "Its root should declare a namespace such as https://accessibility.ubuntu.example.org/ns/state.",
        )
    known = [{_known(key, prefixes): key for key in node.values} for node in nodes]
    # Writers list only the states that hold. Where nobody says "showing", its absence means nothing.
    says_showing = any("state:showing" in keys for keys in known)
    elements = [
        comment(source, uid, node, node.parent)
        if node.tag == "#comment"
        else _element(source, uid, node, keys, says_showing)
        for uid, (node, keys) in enumerate(zip(nodes, known, strict=True))
    ]
    boxes = [e.box for e in elements if e.box and e.visible]
    size = (max(x + w for x, _, w, _ in boxes), max(y + h for _, y, _, h in boxes)) if boxes else None
    return observed(name, FORMAT, source, elements, Screen(size))


def _prefixes(nodes: list[Node]) -> dict[str, str]:
    """What each declared prefix stands for: state, component, attr, value, text …"""
    found: dict[str, str] = {}
    for node in nodes:
        for key, value in node.values.items():
            if key.startswith("xmlns:") and (match := _NAMESPACE.search(value)):
                found.setdefault(key.removeprefix("xmlns:"), _KINDS.get(match[1], match[1]))
    return found


def _known(key: str, prefixes: dict[str, str]) -> str:
    prefix, colon, local = key.partition(":")
    return f"{prefixes.get(prefix, prefix)}:{local}" if colon else key


def _element(source: str, uid: int, node: Node, keys: dict[str, str], says_showing: bool) -> Element:
    def value(key: str) -> str:
        return node.values[keys[key]] if key in keys else ""

    states: dict[str, object] = {}
    for key, state in _STATES.items():
        if key == "checked" and "state:checkable" in keys:
            states["checked"] = False
        if f"state:{key}" in keys:
            states[state] = value(f"state:{key}") == "true"
    if value("state:enabled") == "false":
        states["disabled"] = True
    tag = node.tag.rpartition(":")[2]
    role = _ROLES.get(tag, tag)
    if tag == "text" and "state:editable" not in keys:
        role = "StaticText"
    if tag == "password-text" or value("attr:text-input-type") == "password":
        states["input_type"], states["password"] = "password", True
    level = value("attr:level")
    if level.isascii() and level.isdecimal() and len(level) < 4:
        states["level"] = int(level)
    states["tag"] = tag
    box = _box(value("component:screencoord") or value("component:windowcoord"), value("component:size"))
    showing = value("state:showing")
    seen = showing != "false" and (bool(showing) or not says_showing or box is None)
    seen = seen and not (box and (box[2] <= 0 or box[3] <= 0))
    native_id = next((v for key in _IDS if (v := value(key))), "")
    texts = _texts(source, node, keys, role)
    return Element(uid, native_id, node.parent, role, tuple(texts), states, box, visible=seen, cuts=node.cuts)


def _texts(source: str, node: Node, keys: dict[str, str], role: str) -> list[Text]:
    texts: list[Text] = []
    for key, written in keys.items():
        if key in _HARMLESS or key.partition(":")[0] in _QUIET:
            continue
        texts += text(source, node, written, _FIELDS.get(key, "description"))
    field = "value" if role in ("textbox", "spinbutton", "combobox") else "name"
    if field == "name" and any(t.field == "name" for t in texts):
        field = "description"
    texts += [text_at(source, field, run) for run in node.runs]
    if role == "textbox" and node.outside == node.inside and not any(t.field == "value" for t in texts):
        texts.append(Text("value", "", Span(node.inside, node.outside, "xml")))
    return texts


def _box(corner: str, size: str) -> Box | None:
    place, extent = _PAIR.fullmatch(corner), _PAIR.fullmatch(size)
    if place is None or extent is None:
        return None
    return float(place[1]), float(place[2]), float(extent[1]), float(extent[2])
