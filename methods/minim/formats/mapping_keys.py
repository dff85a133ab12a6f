"""Names that dumps of user interfaces give to the parts of an element: Android, Windows UIA, macOS AX, web tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

PARTS = {
    "id": "uniqueid nodeid elementid id axidentifier identifier automationid runtimeid bid uid ref index resourceid "
    "viewidresourcename",
    "parent": "parentid parent parentindex",
    "children": "childids childrenids children",
    "role": "role axrole controltype localizedcontroltype friendlyclassname classname class widgettype tag tagname "
    "type",
    "subrole": "subrole axsubrole",
    "name": "name axtitle title label axlabel arialabel accessiblename accessibilitylabel windowtext text innertext",
    "value": "value axvalue currentvalue textvalue inputvalue",
    "description": "description axdescription contentdescription contentdesc help axhelp helptext tooltip tooltiptext",
    "placeholder": "placeholder axplaceholdervalue placeholdervalue hint hinttext",
    "url": "url axurl href src",
    "box": "box bbox boundsinscreen bounds boundingrectangle boundingbox rectangle rect axframe frame",
    "position": "position axposition",
    "size": "size axsize",
}
"""Parts of an element, each with the names it goes by, the surest first (lower case, letters and digits only)."""

STATES = {
    "ispassword": "password", "password": "password", "checked": "checked", "ischecked": "checked",
    "selected": "selected", "isselected": "selected", "axselected": "selected", "focused": "focused",
    "isfocused": "focused", "haskeyboardfocus": "focused", "axfocused": "focused", "clickable": "clickable",
    "isclickable": "clickable", "interactive": "clickable", "expanded": "expanded", "axexpanded": "expanded",
    "required": "required", "isrequiredforform": "required", "readonly": "readonly", "isreadonly": "readonly",
    "disabled": "disabled", "editable": "editable", "iseditable": "editable", "inputtype": "input_type",
    "autocomplete": "autocomplete", "level": "level", "maxlength": "maxlength",
}  # fmt: skip
ENABLED = frozenset("enabled isenabled axenabled".split())
VISIBLE = frozenset("visible isvisible isvisibletouser visibletouser displayed showing".split())
UNSEEN = frozenset("isoffscreen offscreen hidden axhidden ishidden invisible".split())
HARMLESS = frozenset(
    "package packagename windowid processid runtimeid frameworkid nativewindowhandle xpath depth index actions "
    "language encoding orientation".split()
) | frozenset(PARTS["id"].split())
"""Members that say nothing about what is on the screen: ids above all, by which agents act."""

_ROLES = {
    "textbox": "edit edittext textfield securetextfield textarea searchfield searchbox autocompletetextview "
    "textinput textbox multiautocompletetextview input",
    "button": "button imagebutton menubutton disclosuretriangle splitbutton floatingactionbutton",
    "StaticText": "text textview statictext label static string", "link": "link hyperlink",
    "checkbox": "checkbox", "radio": "radio radiobutton", "switch": "switch togglebutton switchcompat toggle",
    "combobox": "combobox popupbutton spinner dropdown", "slider": "slider seekbar", "spinbutton": "incrementor",
    "img": "image imageview img", "heading": "heading", "list": "list listview recyclerview",
    "listitem": "listitem", "table": "table datagrid gridview outline", "row": "row dataitem",
    "cell": "cell", "columnheader": "headeritem", "tablist": "tab tabgroup tablayout", "tab": "tabitem",
    "menu": "menu menubar", "menuitem": "menuitem menubaritem", "treeitem": "treeitem", "dialog": "dialog sheet",
    "progressbar": "progressbar progressindicator", "toolbar": "toolbar", "alert": "alert toast",
    "window": "window application", "rootwebarea": "document webarea webview",
    "generic": "pane group custom framelayout linearlayout relativelayout constraintlayout view viewgroup "
    "scrollview scrollarea splitgroup unknown",
}  # fmt: skip
_ROLE = {kind: role for role, kinds in _ROLES.items() for kind in kinds.split()}
_UIA = {
    50000: "button", 50002: "checkbox", 50003: "combobox", 50004: "textbox", 50005: "link", 50006: "img",
    50007: "listitem", 50008: "list", 50009: "menu", 50010: "menu", 50011: "menuitem", 50013: "radio",
    50015: "slider", 50016: "spinbutton", 50018: "tablist", 50019: "tab", 50020: "StaticText", 50021: "toolbar",
    50023: "tree", 50024: "treeitem", 50025: "generic", 50026: "generic", 50028: "table", 50029: "row",
    50030: "rootwebarea", 50032: "window", 50033: "generic", 50036: "table",
}  # fmt: skip
"""Numbers of Windows control types (UIA_…ControlTypeId)."""

_PART = {key: (part, rank) for part, keys in PARTS.items() for rank, key in enumerate(keys.split())}
_PLAIN = re.compile(r"[^a-z0-9]+")


def plain_key(key: str) -> str:
    """``key`` in lower case without anything but letters and digits."""
    return _PLAIN.sub("", key.lower())


def parts_of(keys: Iterable[str], mapping: Mapping[str, str] | None = None) -> dict[str, str]:
    """Which member of an object holds which part: ``{"name": "AXTitle", …}``.

    Args:
        mapping: parts whose member is known; the others are guessed.
    """
    found: dict[str, tuple[int, str]] = {}
    for key in keys:
        part, rank = _PART.get(plain_key(key), ("", 0))
        if part and (part not in found or rank < found[part][0]):
            found[part] = rank, key
    guessed = {part: key for part, (_, key) in found.items()}
    if not mapping:
        return guessed
    taken = set(mapping.values())
    return {part: key for part, key in guessed.items() if key not in taken} | dict(mapping)


def role_of(kind: str, subkind: str = "") -> str:
    """The ARIA role of a toolkit's kind of element: ``android.widget.EditText``, ``AXTextField``, ``50004`` …"""
    if kind.isascii() and kind.isdecimal() and len(kind) < 8:
        return _UIA.get(int(kind), "generic")
    for given in (subkind, kind):
        short = given.rpartition(".")[2].lower()
        for form in (short, short.removeprefix("ax"), short.removesuffix("control")):
            role = _ROLE.get(_PLAIN.sub("", form))
            if role:
                return role
    return kind or "generic"


def is_secret(kind: str, subkind: str) -> bool:
    """Whether the kind of element alone says that it holds a password."""
    return "securetextfield" in f"{kind} {subkind}".lower() or "passwordbox" in kind.lower()
