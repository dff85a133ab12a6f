"""HTML pages: a saved ``outerHTML``, with everything in it that an agent could read, seen or unseen."""

from __future__ import annotations

import re
from collections import Counter

from methods.core.errors import BadInput
from methods.minim.formats.html_attributes import VALUED, Draft
from methods.minim.formats.html_hiding import Hiding
from methods.minim.formats.html_roles import LABELLED, NAMED_BY_CONTENT
from methods.minim.formats.html_tree import Tree
from methods.minim.observation import Element, Observation, Text

FORMAT = "html"

_HEAD = re.compile(
    r"\s*+(?:<!--.*?-->\s*+|<\?xml[^>]*+>\s*+)*+"
    r"<(?:!doctype\s+html|html|head|body|main|div|span|p|form|table|ul|ol|section|article|button|input|a|h[1-6])\b",
    re.IGNORECASE | re.DOTALL,
)
_MANY = 30
_LONG = 120


def matches(name: str, source: str) -> bool:
    """Whether the text looks like a page or a part of one."""
    head = source[:4096].removeprefix("\ufeff")
    if name.lower().removesuffix(".gz").endswith((".html", ".htm", ".xhtml")):
        return "<" in head
    return bool(_HEAD.match(head))


def read(name: str, source: str) -> Observation:
    """Read a page. Tags that are missing, crossed or cut off are read as browsers read them, as far as that goes.

    A name that comes from elsewhere in the page (a label, the parts of a button) has no span: it is rewritten
    where it stands.

    Raises:
        BadInput: there is text but not one tag in it.
    """
    tree = Tree(source)
    if not source[tree.drafts[0].start :].strip():
        return Observation(name, FORMAT, source, ())
    if not tree.tags and len(tree.drafts) > 1 and tree.drafts[1].role == "StaticText":
        raise BadInput(
            f"{name}: this is not HTML, there is no tag in it.", "Save the page as HTML and open that."
        )
    gone = _fold(tree.drafts)
    _name(tree.drafts, gone)
    elements = _elements(tree.drafts, gone)
    return Observation(name, FORMAT, source, elements, warnings=_warnings(elements), title=tree.title)


def _fold(drafts: list[Draft]) -> set[int]:
    """Give a control the text that is all it holds; returns the drafts that vanish by it."""
    texts: Counter[int] = Counter(
        d.control for d in drafts if d.role == "StaticText" and d.control >= 0 and d.hiding != Hiding.OUT
    )
    gone: set[int] = set()
    for uid, draft in enumerate(drafts):
        if texts[draft.control] != 1 or draft.role != "StaticText" or draft.hiding == Hiding.OUT:
            continue
        control = drafts[draft.control]
        field = "value" if control.role in VALUED else "name"
        if any(t.field == field for t in control.texts) or control.hiding != draft.hiding:
            continue
        between = []
        above = draft.parent
        while above != draft.control and _plain(drafts[above]):
            between.append(above)
            above = drafts[above].parent
        if above == draft.control:
            control.texts.append(Text(field, draft.texts[0].text, draft.texts[0].span))
            gone |= {uid, *between}
    return gone


def _plain(draft: Draft) -> bool:
    """Nothing would be missed if this element were its parent's content."""
    return draft.role == "generic" and not draft.texts and not draft.native_id


def _name(drafts: list[Draft], gone: set[int]) -> None:
    """Name the elements that other elements name."""
    by_id = {}
    labels: dict[str, int] = {}
    for uid, draft in enumerate(drafts):
        if draft.native_id:
            by_id.setdefault(draft.native_id, uid)
        if draft.role == "LabelText" and draft.names:
            labels.setdefault(draft.names, uid)
    for uid, draft in enumerate(drafts):
        if uid in gone or draft.hiding == Hiding.OUT or any(t.field == "name" for t in draft.texts):
            continue
        found = ""
        if draft.names and draft.role != "LabelText":
            found = " ".join(_content(drafts, by_id[i], uid) for i in draft.names.split()[:4] if i in by_id)
        if not found and draft.role in LABELLED:
            label = labels.get(draft.native_id, draft.label) if draft.native_id else draft.label
            found = _content(drafts, label, uid) if label >= 0 else ""
        if not found and draft.role in NAMED_BY_CONTENT:
            found = _content(drafts, uid, uid)
        if found:
            draft.texts.insert(0, Text("name", found))
        elif draft.role in NAMED_BY_CONTENT:  # only a tooltip is left
            at = next((i for i, t in enumerate(draft.texts) if t.field == "description"), -1)
            if at >= 0:
                draft.texts[at] = Text("name", draft.texts[at].text, draft.texts[at].span)


def _content(drafts: list[Draft], top: int, asking: int) -> str:
    """The texts inside an element in one line, as far as a name needs them."""
    pieces: list[str] = []
    end = drafts[top].end
    for uid in range(top, min(top + _MANY, len(drafts))):
        draft = drafts[uid]
        if draft.start >= end or sum(map(len, pieces)) > _LONG:
            break
        if uid != asking and draft.hiding != Hiding.OUT:
            pieces += [" ".join(t.text.split()) for t in draft.texts if t.field == "name"][:1]
    return " ".join(pieces)[: 2 * _LONG].strip()


def _elements(drafts: list[Draft], gone: set[int]) -> tuple[Element, ...]:
    places: list[int] = []
    elements: list[Element] = []
    for uid, draft in enumerate(drafts):
        parent = places[draft.parent] if draft.parent >= 0 else -1
        if uid in gone:  # its children become its parent's
            places.append(parent)
            continue
        places.append(len(elements))
        elements.append(
            Element(
                len(elements),
                draft.native_id,
                parent,
                draft.role,
                tuple(draft.texts),
                draft.states,
                frame=draft.frame,
                visible=draft.hiding == Hiding.SHOWN,
                exposed=draft.hiding != Hiding.OUT,
                cuts=((draft.start, draft.end),) if draft.start < draft.end else (),
            )
        )
    return tuple(elements)


def _warnings(elements: tuple[Element, ...]) -> tuple[str, ...]:
    ids = Counter(e.native_id for e in elements if e.native_id and e.role not in ("radio", "#meta"))
    twice = sorted(i for i, count in ids.items() if count > 1)
    if not twice:
        return ()
    few = ", ".join(twice[:3]) + (", …" if len(twice) > 3 else "")
    return (f"Several elements carry the same id: {few}.",)
