"""What stands beside a value: the header of its column, the label before it, the texts it is split over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from methods.minim.lexicon import rows
from methods.minim.observation import Element, Observation
from methods.minim.patterns import DATE
from methods.minim.people import known_name, name_like

FIELD_ROLES = frozenset(
    "textbox searchbox combobox spinbutton textarea input edit entry textfield edittext password".split()
)
_CELLS = frozenset("cell gridcell rowheader layouttablecell table-cell td dataitem".split())
_TEXTS = frozenset("statictext text labeltext label".split())
_INLINE = frozenset(
    "strong emphasis mark code insertion deletion subscript superscript b i em span inline".split()
)

_BEFORE = r"(?:your |enter |confirm |current |new |repeat |old |the |re-?enter |retype |existing |verify )*"

_AFTER = r"(?: for (?:the|your|this|my|our|an?)(?: [\w-]+){1,3})?(?: \([\w ,.-]{1,20}\))?"


def _label_pattern() -> re.Pattern[str]:
    """One pattern for all labels; the group that took part names the kind."""
    kinds: dict[str, list[str]] = {}
    for kind, words in rows("labels.txt"):
        kinds.setdefault(kind, []).append(words)
    groups = "|".join(f"(?P<{kind}>{'|'.join(words)})" for kind, words in kinds.items())
    return re.compile(rf"{_BEFORE}(?:{groups}){_AFTER}")


_LABEL = _label_pattern()
_NO_FIELD = re.compile(
    r"\b(?:search|filter|hint|length|minimum|maximum|policy|rules?|strength|age|expiry|manager|find|forgot|expires)\b"
)
_PASSWORD_FIELD = re.compile(
    r"pass ?-?word|pass ?phrase|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|\bpwd\b"
    r"|пароль|密码|パスワード"
)
_AUTOCOMPLETE = {
    hint: kind
    for kind, hints in {
        "person": "name given-name family-name additional-name nickname cc-name",
        "email": "email",
        "phone": "tel tel-national tel-local",
        "address": "street-address address-line1 address-line2 address-line3 postal-code",
        "card": "cc-number",
        "card_part": "cc-exp cc-csc",
        "dob": "bday",
        "otp": "one-time-code",
        "password": "current-password new-password",
        "demographic": "sex",
    }.items()
    for hint in hints.split()
}
_TYPES = {"password": "password", "email": "email", "tel": "phone"}


@lru_cache(maxsize=20_000)
def kind_of(label: str) -> str:
    """The type of values that a label or header announces, or ""."""
    label = " ".join(label.lower().split()).strip(" :*.·?↑↓▲▼▾")
    if not 0 < len(label) <= 40:
        return ""
    match = _LABEL.fullmatch(label)
    return (match and match.lastgroup) or ""


def type_of_kind(kind: str) -> str:
    """Kinds of labels are types, but for two: an insurer, and whoever may be a person or a company."""
    return {"insurer": "insurance", "anyone": "person"}.get(kind, kind)


def fits(kind: str, value: str) -> bool:
    """A value under a label of that kind has the form that such values have (labels stand under labels, too)."""
    value = value.strip()
    if not value or len(value) > 200 or value.endswith(":") or kind_of(value):
        return False
    test = _FITS.get(kind)
    return test is not None and test(value, sum(c.isdigit() for c in value), len(value.split()))


_DEMOGRAPHIC = re.compile(
    r"(?i)male|female|non-?binary|[mfx]|\d{1,3}(?: ?(?:y|yo|yrs?|years?)(?: old)?)?|married|single|divorced|widowed"
    r"|(?:he/him|she/her|they/them)(?:/\w+)?"
)
_NOTHING = re.compile(r"(?i)(?:no|none|not|n/?a|unknown|nil|add|edit|view|see|all|--?)\b")
_FITS: dict[str, Callable[[str, int, int], bool]] = {
    # (value, its digits, its words)
    "person": lambda v, d, w: name_like(v),
    "anyone": lambda v, d, w: name_like(v) and known_name(v),
    "dob": lambda v, d, w: bool(DATE.match(v)) and len(v) < 40,
    "date": lambda v, d, w: bool(DATE.match(v)) and len(v) < 40,
    "phone": lambda v, d, w: d >= 7 and not re.search(r"[^\W\d_]", re.sub("(?i)ext|x", "", v)),
    "gov_id": lambda v, d, w: d >= 4 and w <= 6 and not DATE.match(v) and ":" not in v,
    "bank_account": lambda v, d, w: d >= 4 and w <= 8,
    "card": lambda v, d, w: d >= 12 and w <= 8,
    "insurance": lambda v, d, w: d >= 3 and w <= 3,
    "insurer": lambda v, d, w: 1 <= w <= 6 and v[0].isupper(),
    "doc_number": lambda v, d, w: d >= 3 and w <= 2 and not DATE.fullmatch(v) and v[0] not in "$€£¥",
    "otp": lambda v, d, w: 4 <= len(v) <= 20 and (d > 0 or v.isupper()) and w <= 3,
    "access_code": lambda v, d, w: 4 <= len(v) <= 20 and d > 0 and w <= 3,
    "secret": lambda v, d, w: len(v) >= 8 and d > 0 and w == 1,
    "password": lambda v, d, w: w == 1 and len(v) >= 4 and not v.isalpha(),
    "card_part": lambda v, d, w: 3 <= d <= 6 and len(v) <= 10,
    "amount": lambda v, d, w: (
        d > 0 and not re.search(r"[A-Za-z]{4}|[/%:]", v) and ("." in v or "," in v or d >= 4)
    ),
    "address": lambda v, d, w: d > 0 and (w > 1 or 4 <= len(v) <= 10) and not DATE.match(v),
    "demographic": lambda v, d, w: bool(_DEMOGRAPHIC.fullmatch(v)),
    "health": lambda v, d, w: any(c.isalpha() for c in v) and not _NOTHING.match(v),
}


def is_field(element: Element) -> bool:
    return element.role.lower().replace("-", "") in FIELD_ROLES


def field_kind(element: Element, before: str) -> str:
    """What a field is for, from its type, autocomplete hint, own name or the label before it."""
    states = element.states
    if states.get("password") in (True, "true") or states.get("input_type") == "password":
        return "password"
    for token in str(states.get("autocomplete") or "").lower().split():
        if token in _AUTOCOMPLETE:
            return _AUTOCOMPLETE[token]
    native = (
        element.native_id.rsplit("/", 1)[-1].replace("_", " ").replace("-", " ")
        if "/" in element.native_id
        else ""
    )
    for label in (element.get("name"), element.get("placeholder"), before, native):
        low = label.lower()
        if len(low) <= 60 and _PASSWORD_FIELD.search(low) and not _NO_FIELD.search(low):
            return "password"
        kind = kind_of(label)
        if kind:
            return kind
    return _TYPES.get(str(states.get("input_type") or ""), "")


def headers(observation: Observation) -> dict[int, str]:
    """For each cell of a table its column's header; texts inside a cell have the cell's."""
    elements = observation.elements
    found: dict[int, str] = {}
    table: dict[int, int] = {}
    columns: dict[int, list[int]] = {}
    rows: dict[int, list[int]] = {}
    for e in elements:
        role = e.role.lower()
        if role in ("table", "grid", "treegrid"):
            table[e.uid] = e.uid
        elif e.parent in table:
            table[e.uid] = table[e.parent]
        if role == "columnheader" and e.uid in table:
            columns.setdefault(table[e.uid], []).append(e.uid)
        elif role in _CELLS and e.uid in table:
            rows.setdefault(e.parent, []).append(e.uid)
    texts = _texts_below(observation, {c for row in columns.values() for c in row})
    for row in rows.values():
        heads = columns.get(table[row[0]])
        if not heads:
            continue
        for i, cell in enumerate(row):
            head = heads[i] if i < len(heads) else None
            box = elements[cell].box
            if len(row) != len(heads) and box:
                middle = box[0] + box[2] / 2
                head = next(
                    (h for h in heads if (b := elements[h].box) and b[0] <= middle <= b[0] + b[2]), None
                )
            if head is not None:
                found[cell] = texts[head]
    for e in elements:
        if e.uid not in found and e.parent in found:
            found[e.uid] = found[e.parent]
    return found


def _texts_below(observation: Observation, wanted: set[int]) -> dict[int, str]:
    """The name of each wanted element, or else the texts right below it."""
    elements, children = observation.elements, observation.children
    return {
        u: elements[u].get("name") or " ".join(elements[c].get("name") for c in children[u]) for u in wanted
    }


def labels_before(observation: Observation) -> dict[int, str]:
    """For each text or field the text before it that can be its label: the nearest one, at most two levels up."""
    elements = observation.elements
    found: dict[int, str] = {}
    last: Element | None = None
    for e in elements:
        role = e.role.lower()
        own = e.get("name")
        if role in _TEXTS or role in ("button", "combobox") or is_field(e) or own:
            if last is not None and _near(observation, last, e):
                found[e.uid] = last.get("name")
            elif e.parent in found and elements[e.parent].get("name") in ("", own):
                found[e.uid] = found[e.parent]
        if (
            own
            and len(own) <= 40
            and not observation.children[e.uid]
            and role not in ("button", "link", "option", "tab", "columnheader")
        ) or (own and role in ("labeltext", "term", "rowheader") and len(own) <= 40):
            last = e
    return found


def _near(observation: Observation, label: Element, value: Element) -> bool:
    """Both stand in the same small group, label first."""
    if label.uid in (value.uid, value.parent):
        return False
    up = [value.parent, observation.elements[value.parent].parent if value.parent >= 0 else -2]
    over = [label.parent, observation.elements[label.parent].parent if label.parent >= 0 else -3]
    return value.uid - label.uid <= 4 and any(
        u == o and len(observation.children[u]) <= 60 for u in up for o in over if u >= 0
    )


def runs(observation: Observation) -> Iterator[list[int]]:
    """Neighbouring texts of one block: a secret may be split over them. Each run has two to twelve elements."""
    elements = observation.elements
    run: list[int] = []
    block = -2
    for e in elements:
        role = e.role.lower()
        if role in _TEXTS and e.texts and not observation.children[e.uid]:
            parent = e.parent
            while parent >= 0 and elements[parent].role.lower() in _INLINE:
                parent = elements[parent].parent
            if parent != block or len(run) == 12:
                if len(run) > 1:
                    yield run
                run = []
                block = parent
            run.append(e.uid)
        elif role not in _INLINE and role not in ("inlinetextbox", "generic", "none", "linebreak"):
            if len(run) > 1:
                yield run
            run, block = [], -2
    if len(run) > 1:
        yield run
