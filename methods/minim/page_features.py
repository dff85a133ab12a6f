"""What the scorer knows of an element before any task is given: role, state, place, text shape, privacy rules."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from methods.minim.encoder import encoder
from methods.minim.findings import Finding, rule_sensitivity
from methods.minim.graph import edges
from methods.minim.navigation import navigation
from methods.minim.observation import Element, Observation

ROLES = (
    "button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton tab tablist "
    "menuitem menu navigation banner main form dialog alert status table row cell "
    "gridcell columnheader rowheader list listitem "
    "heading img statictext labeltext generic paragraph article complementary contentinfo rootwebarea group "
    "separator toolbar treeitem none"
).split()
_ALIAS = {
    "image": "img", "text": "statictext", "inlinetextbox": "statictext", "label": "labeltext",
    "alertdialog": "dialog",
    "grid": "table", "treegrid": "table", "menubar": "menu", "menuitemcheckbox": "menuitem",
    "menuitemradio": "menuitem",
    "textarea": "textbox", "entry": "textbox", "push-button": "button", "webarea": "rootwebarea",
    "document": "rootwebarea",
    "frame": "rootwebarea", "layouttablecell": "cell", "layouttablerow": "row", "layouttable": "table",
    "region": "group",
    "section": "group", "log": "status", "presentation": "none", "static": "statictext", "radiogroup": "group",
}  # fmt: skip
_ROLE_INDEX = {role: i for i, role in enumerate(ROLES)}
INPUT_TYPES = ("text", "password", "email", "tel", "search", "number", "date", "url", "checkbox", "radio")
FLAGS = ("checked", "selected", "expanded", "disabled", "required", "focused", "readonly")
REGIONS = ("navigation", "banner", "main", "dialog", "table", "row", "list", "form", "alert", "complementary")
RULES = (
    "password otp secret card bank_account gov_id health dob insurance email phone address access_code amount "
    "ip_address message person doc_number date"
).split()
"""Types of findings with a column of their own; the others count through their sensitivity only."""
SHAPE = 12
PLACE = 14


@dataclass(frozen=True)
class PageFeatures:
    """Everything about a page that does not depend on the task.

    Attributes:
        numbers: ``(N, F)`` float32, see :data:`NAMES`.
        text: ``(N, 256)`` float32, embedding of each element's label.
        edges, relations: from :func:`methods.minim.graph.edges`.
        menu, entry: from :func:`methods.minim.navigation.navigation`.
    """

    numbers: np.ndarray
    text: np.ndarray
    edges: np.ndarray
    relations: np.ndarray
    menu: np.ndarray
    entry: np.ndarray


NAMES = (
    tuple(f"role {r}" for r in ROLES)
    + tuple(f"type {t}" for t in INPUT_TYPES)
    + FLAGS
    + ("level", "has value", "interactive", "visible", "exposed")
    + tuple(f"in {r}" for r in REGIONS)
    + ("dialog open",)
    + tuple(f"rule {t}" for t in RULES)
    + ("rule s",)
    + ("length", "words", "digits", "upper", "letters", "punctuation", "symbols", "at sign", "same text",
    "entropy", "is number", "empty")
    + ("depth", "children", "position", "siblings", "subtree", "leaf", "x", "y", "w", "h", "has box",
    "order", "peers", "size")
    + ("navigation", "menu size", "menu position")
)  # fmt: skip
"""What each column of :attr:`PageFeatures.numbers` means."""


def page_features(observation: Observation, findings: Sequence[Finding]) -> PageFeatures:
    """All task-independent features, in one pass over the tree."""
    elements = observation.elements
    columns = [_roles(elements), _states(elements), _regions(observation), _rules(len(elements), findings)]
    menu, entry = navigation(observation)
    columns += [_shapes(elements), _places(observation), _menus(menu, entry)]
    numbers = np.concatenate(columns, axis=1)
    text = encoder().embed([e.label[:300] for e in elements])
    graph, relations = edges(observation)
    return PageFeatures(numbers, text, graph, relations, menu, entry)


def role_index(role: str) -> int:
    """Index into :data:`ROLES` of any format's role name."""
    role = role.lower().replace(" ", "").replace("_", "-")
    role = _ALIAS.get(role, role)
    return _ROLE_INDEX.get(role, _ROLE_INDEX["generic"])


def _roles(elements: Sequence[Element]) -> np.ndarray:
    hot = np.zeros((len(elements), len(ROLES)), np.float32)
    known: dict[str, int] = {}
    for i, e in enumerate(elements):
        index = known.get(e.role)
        if index is None:
            index = known[e.role] = role_index(e.role)
        hot[i, index] = 1
    return hot


def _true(value: object) -> bool:
    return value not in (None, False, "", "false", 0)


def _states(elements: Sequence[Element]) -> np.ndarray:
    out = np.zeros((len(elements), len(INPUT_TYPES) + len(FLAGS) + 5), np.float32)
    base = len(INPUT_TYPES)
    for i, e in enumerate(elements):
        states = e.states
        if states:
            kind = states.get("input_type") or ("password" if _true(states.get("password")) else None)
            if kind in INPUT_TYPES:
                out[i, INPUT_TYPES.index(str(kind))] = 1
            for j, flag in enumerate(FLAGS):
                if flag in states and _true(states[flag]):
                    out[i, base + j] = 1
            level = states.get("level")
            if isinstance(level, (int, float)) or (isinstance(level, str) and level.isdigit()):
                out[i, base + len(FLAGS)] = min(float(level), 6) / 6
        out[i, -4] = bool(e.get("value"))
        out[i, -3] = e.interactive
        out[i, -2] = e.visible
        out[i, -1] = e.exposed
    return out


def _regions(observation: Observation) -> np.ndarray:
    elements = observation.elements
    out = np.zeros((len(elements), len(REGIONS) + 1), np.float32)
    index = {r: i for i, r in enumerate(REGIONS)}
    for i, e in enumerate(elements):
        if e.parent >= 0:
            out[i] = out[e.parent]
        own = index.get(ROLES[role_index(e.role)])
        if own is not None:
            out[i, own] = 1
    out[:, -1] = out[:, index["dialog"]].max(initial=0)
    return out


def _rules(count: int, findings: Sequence[Finding]) -> np.ndarray:
    out = np.zeros((count, len(RULES) + 1), np.float32)
    index = {t: i for i, t in enumerate(RULES)}
    for f in findings:
        if f.type in index:
            out[f.uid, index[f.type]] = 1
    out[:, -1] = rule_sensitivity(count, findings) / 10
    return out


def _shapes(elements: Sequence[Element]) -> np.ndarray:
    out = np.zeros((len(elements), SHAPE), np.float32)
    texts = [e.text[:400] for e in elements]
    repeats = Counter(texts)
    known: dict[str, list[float]] = {}
    for i, text in enumerate(texts):
        if text not in known:
            known[text] = _shape(text, repeats[text])
        out[i] = known[text]
    return out


def _shape(text: str, repeats: int) -> list[float]:
    n = len(text)
    if not n:
        return [0.0] * (SHAPE - 1) + [1.0]
    digits = sum(map(str.isdigit, text))
    upper = sum(map(str.isupper, text))
    letters = sum(map(str.isalpha, text))
    spaces = sum(map(str.isspace, text))
    rest = n - digits - letters - spaces
    odd = sum(ord(c) > 0x2000 for c in text)
    counts = Counter(text).values()
    entropy = -sum(c / n * math.log2(c / n) for c in counts)
    return [
        math.log1p(n) / 6, math.log1p(spaces + 1) / 5, digits / n, upper / n, letters / n, rest / n, odd / n,
        float("@" in text), math.log(repeats) / 4, entropy / 5, float(digits == n - rest and digits > 0), 0.0,
    ]  # fmt: skip


def _places(observation: Observation) -> np.ndarray:
    elements = observation.elements
    count = len(elements)
    out = np.zeros((count, PLACE), np.float32)
    depth = [0] * count
    subtree = [1] * count
    for i, e in enumerate(elements):
        if e.parent >= 0:
            depth[i] = depth[e.parent] + 1
    for i in range(count - 1, 0, -1):
        if elements[i].parent >= 0:
            subtree[elements[i].parent] += subtree[i]
    width, height = observation.screen.viewport or (0.0, 0.0)
    if not width:
        boxes = [e.box for e in elements if e.box]
        width = max((b[0] + b[2] for b in boxes), default=1.0) or 1.0
        height = min(max((b[1] + b[3] for b in boxes), default=1.0) or 1.0, 2.5 * width)
    for children in observation.children:
        roles = Counter(elements[c].role for c in children)
        for position, c in enumerate(children):
            out[c, 2] = position / max(len(children) - 1, 1)
            out[c, 3] = math.log1p(len(children)) / 5
            out[c, 12] = math.log1p(roles[elements[c].role]) / 5
    size = math.log1p(count) / 8
    for i, e in enumerate(elements):
        children = len(observation.children[i])
        row = out[i]
        row[0] = min(depth[i], 30) / 20
        row[1] = math.log1p(children) / 5
        row[4] = math.log1p(subtree[i]) / 8
        row[5] = children == 0
        if e.box is not None:
            x, y, w, h = e.box
            row[6:11] = x / width, y / height, w / width, h / height, 1
        row[11] = i / max(count - 1, 1)
        row[13] = size
    np.clip(out, -2, 3, out=out)
    return out


def _menus(menu: np.ndarray, entry: np.ndarray) -> np.ndarray:
    out = np.zeros((len(menu), 3), np.float32)
    for uid in np.unique(menu[menu >= 0]):
        members = menu == uid
        entries, position = np.unique(entry[members], return_inverse=True)
        out[members, 0] = 1
        out[members, 1] = np.log1p(len(entries)) / 4
        out[members, 2] = position / len(entries)
    return out
