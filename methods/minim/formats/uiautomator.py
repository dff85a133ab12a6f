"""Android screens as ``uiautomator dump`` writes them: one ``node`` per view, bounds in pixels of the screen."""

from __future__ import annotations

import re
from collections.abc import Mapping

from methods.core.errors import BadInput
from methods.minim.formats.markup import text_at
from methods.minim.formats.xml_tree import Node, comment, observed, read_nodes, text
from methods.minim.observation import Box, Element, Observation, Screen, Text

FORMAT = "uiautomator-xml"

_HEAD = re.compile(r"<hierarchy[\s>/]")
_BOUNDS = re.compile(r"\s*\[(-?\d{1,7}),(-?\d{1,7})\]\s*\[(-?\d{1,7}),(-?\d{1,7})\]\s*", re.ASCII)

_ROLES = {
    "EditText": "textbox", "TextInputEditText": "textbox", "AutoCompleteTextView": "textbox",
    "MultiAutoCompleteTextView": "textbox", "AppCompatEditText": "textbox", "SearchView": "searchbox",
    "Button": "button", "ImageButton": "button", "AppCompatButton": "button", "MaterialButton": "button",
    "FloatingActionButton": "button", "TextView": "StaticText", "AppCompatTextView": "StaticText",
    "CheckedTextView": "checkbox", "ImageView": "img", "Image": "img", "CheckBox": "checkbox",
    "RadioButton": "radio", "RadioGroup": "radiogroup", "Switch": "switch", "SwitchCompat": "switch",
    "MaterialSwitch": "switch", "ToggleButton": "switch", "Spinner": "combobox", "SeekBar": "slider",
    "RatingBar": "slider", "ProgressBar": "progressbar", "NumberPicker": "spinbutton", "ListView": "list",
    "RecyclerView": "list", "ExpandableListView": "list", "GridView": "grid", "TableLayout": "table",
    "TableRow": "row", "TabWidget": "tablist", "TabLayout": "tablist", "Toolbar": "toolbar",
    "WebView": "document", "Dialog": "dialog", "MenuItem": "menuitem",
}  # fmt: skip

_STATES = {
    "checked": "checked", "selected": "selected", "focused": "focused", "clickable": "clickable",
    "scrollable": "scrollable", "password": "password", "long-clickable": "long_clickable",
}  # fmt: skip

_HARMLESS = frozenset(
    [*_STATES, "class", "checkable", "enabled", "bounds", "visible-to-user", "resource-id",
     "index", "package", "focusable", "NAF", "rotation", "drawing-order", "display-id",
     "text", "content-desc", "hint"]
)  # fmt: skip


def matches(name: str, source: str) -> bool:
    """Whether the text looks like such a dump."""
    return bool(_HEAD.search(source[:4096]))


def read(name: str, source: str) -> Observation:
    """Read a dump.

    A field's text is its value; it is called what its hint says, else the text view just before it, else its
    content description. A name taken from the view before it has no span.

    Raises:
        BadInput: the XML is not well-formed, has a DOCTYPE, or is not a dump of a screen.
    """
    if not source.strip("\ufeff \t\r\n"):
        return Observation(name, FORMAT, source, ())
    nodes = read_nodes(name, source)
    if not any(n.tag == "hierarchy" for n in nodes):
        raise BadInput(
            f"{name}: there is no <hierarchy> in this XML.", "Open a file that `uiautomator dump` wrote."
        )
    elements: list[Element] = []
    label: dict[int, str] = {}
    for uid, node in enumerate(nodes):
        if node.tag == "#comment":
            elements.append(comment(source, uid, node, node.parent))
            continue
        element = _element(source, uid, node, label.pop(node.parent, ""))
        if element.role == "StaticText" and not element.states.get("clickable"):
            label[node.parent] = element.get("name")
        elements.append(element)
    boxes = [e.box for e in elements if e.box]
    size = (max(x + w for x, _, w, _ in boxes), max(y + h for _, y, _, h in boxes)) if boxes else None
    return observed(name, FORMAT, source, elements, Screen(size))


def _element(source: str, uid: int, node: Node, label: str) -> Element:
    values = node.values
    kind = values.get("class", "").rpartition(".")[2]
    role = "document" if node.tag == "hierarchy" else _ROLES.get(kind, "generic")
    states = _states(values)
    if kind:
        states["cls"] = values["class"]
    box = _box(values.get("bounds", ""))
    seen = values.get("visible-to-user") != "false" and not (box and (box[2] <= 0 or box[3] <= 0))
    texts = _texts(source, node, role, label)
    native_id = values.get("resource-id", "")
    return Element(uid, native_id, node.parent, role, tuple(texts), states, box, visible=seen, cuts=node.cuts)


def _states(values: Mapping[str, str]) -> dict[str, object]:
    states: dict[str, object] = {}
    for key, state in _STATES.items():
        if values.get(key) == "true" or (key == "checked" and values.get("checkable") == "true"):
            states[state] = values.get(key) == "true"
    if values.get("enabled") == "false":
        states["disabled"] = True
    if states.get("password"):
        states["input_type"] = "password"
    return states


def _texts(source: str, node: Node, role: str, label: str) -> list[Text]:
    values = node.values
    if role in ("textbox", "searchbox"):
        named = "hint" if values.get("hint") else "" if label else "content-desc"
        texts = text(source, node, named, "name") if named else [Text("name", label)]
        texts += text(source, node, "text", "value")
        rest = {"content-desc": "description", "hint": "placeholder"}
    else:
        texts = text(source, node, "text", "name")
        named = "" if values.get("text") else "content-desc"
        texts += text(source, node, named, "name")
        rest = {"content-desc": "description", "hint": "description"}
    for key, field in rest.items():
        texts += text(source, node, key, field) if key != named else []
    for key in values:
        texts += text(source, node, key, "description") if key not in _HARMLESS else []
    return texts + [text_at(source, "description", run) for run in node.runs]


def _box(bounds: str) -> Box | None:
    match = _BOUNDS.fullmatch(bounds)
    if match is None:
        return None
    left, top, right, bottom = map(float, match.groups())
    return left, top, right - left, bottom - top
