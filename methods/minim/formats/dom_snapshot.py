"""``DOMSnapshot.captureSnapshot``: columns of a DOM whose texts all lie in one table, ``strings``.

https://chromedevtools.github.io/devtools-protocol/tot/DOMSnapshot/

The table holds each text once, however many nodes say it. All of them have the same span, so what one of them must
not say, none says any more: a mask or a removal reaches every node with that very text. Words that are also a tag, the
name of an attribute or a style have no span, because the page would no longer be the same without them. A node cannot
leave the columns; to drop it is to empty its texts.

Bounds are CSS pixels of the document; boxes here are of the viewport.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from methods.core.errors import BadInput
from methods.minim.formats.html_roles import NAMED_BY_CONTENT, OUT_TAGS, UNSEEN_TAGS, field_of, role_of
from methods.minim.formats.json_spans import Array, Object, keys, read_json
from methods.minim.formats.json_tree import Family, headers, odd
from methods.minim.formats.json_values import member
from methods.minim.formats.snapshot_columns import Document, Strings, documents
from methods.minim.observation import Box, Element, Observation, Screen, Text

FORMAT = "dom-snapshot"

_ELEMENT, _TEXT, _COMMENT, _DOCUMENT = 1, 3, 8, 9
_STATES = {"type": "input_type", "autocomplete": "autocomplete", "inputmode": "inputmode"}
_STATES |= {"maxlength": "maxlength"}
_FLAGS = ("checked", "selected", "disabled", "required", "readonly")
_BUTTONS = frozenset(("button", "submit", "reset", "image"))


def matches(name: str, source: str) -> bool:
    """Whether the text looks like this format."""
    found = keys(source)
    return "strings" in found and bool({"documents", "nodeName", "parentIndex"} & found)


def read(name: str, source: str) -> Observation:
    """Read the documents of all frames. Agents name a node by its ``backendNodeId``.

    Raises:
        BadInput: the text is no JSON, or has no documents.
    """
    root, shadowed = read_json(name, source)
    held = root["result"] if isinstance(member(root, "result"), Object) else root
    table, raw = member(held, "strings"), member(held, "documents")
    if not isinstance(table, Array) or not isinstance(raw, Array) or not raw:
        raise BadInput(
            f"{name}: there are no 'documents' and 'strings'.",
            "Save the result of DOMSnapshot.captureSnapshot.",
        )
    strings = Strings(table)
    pages = documents(name, raw, strings)
    tree = _Tree(pages, strings)
    elements = _spoken(tree.drafts)
    elements += headers(
        len(elements), [(k, v) for k, v in held.items() if k not in ("strings", "documents")] + shadowed
    )
    return Observation(
        name,
        FORMAT,
        source,
        tuple(elements),
        Screen(scroll=pages[0].scroll),
        warnings=odd(
            tree.circles, "A node is its own ancestor.", "Nodes are their own ancestors at {} places."
        ),
        title=strings[pages[0].title],
    )


@dataclass(slots=True)
class _Draft:
    parent: int
    role: str
    native_id: str
    texts: list[Text] = field(default_factory=list)
    states: dict[str, object] = field(default_factory=dict)
    box: Box | None = None
    frame: str = ""
    visible: bool = True
    exposed: bool = True


class _Tree:
    """Drafts of all nodes that say something or hold what does, parents first."""

    def __init__(self, pages: list[Document], strings: Strings) -> None:
        self.pages, self.strings = pages, strings
        self.drafts: list[_Draft] = []
        self._places = [(d, i) for d, page in enumerate(pages) for i in range(len(page.parents))]
        first = [0]
        for page in pages:
            first.append(first[-1] + len(page.parents))
        family = Family(len(self._places))
        for node, (d, i) in enumerate(self._places):
            inner = pages[d].inner.get(i, -1)
            if d < inner < len(pages):
                family.claim(first[inner], node)
        for node, (d, i) in enumerate(self._places):
            if pages[d].parents[i] >= 0:
                family.claim(node, first[d] + pages[d].parents[i])
        self.family = family
        order, self.circles = family.order()
        shift: list[tuple[float, float]] = [(-page.scroll[0], -page.scroll[1]) for page in pages]
        uids = [-1] * len(self._places)
        out: set[int] = set()
        faint: set[int] = set()
        for node in order:
            d, i = self._places[node]
            page, above = pages[d], family.parents[node]
            uid = uids[above] if above >= 0 else -1
            if above in out or page.tags[i] in OUT_TAGS or page.kinds[i] == _COMMENT:
                out.add(node)
            if above in faint or i in page.faint:
                faint.add(node)
            draft = self._draft(page, i)
            if draft is None:
                uids[node] = uid
                continue
            draft.parent = uid
            draft.frame = strings[page.frame] or f"document {d}" if d else ""
            area = page.boxes.get(i)
            if area is not None:
                draft.box = area[0] + shift[d][0], area[1] + shift[d][1], area[2], area[3]
            inner = page.inner.get(i, -1)
            if d < inner < len(pages) and draft.box:
                scroll = pages[inner].scroll
                shift[inner] = draft.box[0] - scroll[0], draft.box[1] - scroll[1]
            laid_out = area is not None or page.kinds[i] == _DOCUMENT
            draft.exposed = node not in out and (laid_out or page.tags[i] in ("option", "optgroup"))
            draft.visible = draft.exposed and laid_out and node not in faint
            uids[node] = len(self.drafts)
            self.drafts.append(draft)

    def _draft(self, page: Document, i: int) -> _Draft | None:
        kind, text = page.kinds[i], self.strings.text
        native_id = str(page.backends[i]) if page.backends[i] > 0 else ""
        if kind == _DOCUMENT:
            said = [text("name", page.title), text("url", page.url), text("url", page.base)]
            return _Draft(-1, "RootWebArea", native_id, list(dict.fromkeys(t for t in said if t.text)))
        if kind == _ELEMENT and page.tags[i] != "#text":
            return self._element(page, i, native_id)
        said = [text("name", page.values[i])]
        painted = page.painted.get(i, page.values[i])
        if painted != page.values[i]:
            said.append(text("copy" if said[0].text.strip() else "name", painted))
        # White space between tags says nothing, but a text that is quite empty has been masked.
        said = [t for t in said if t.text.strip() or not t.text]
        role = "#comment" if kind == _COMMENT else "StaticText"
        return _Draft(-1, role, native_id, said) if said and (page.values[i] >= 0 or painted >= 0) else None

    def _element(self, page: Document, i: int, native_id: str) -> _Draft | None:
        tag, attributes = page.tags[i], page.attributes[i]
        values = {name: self.strings[at] for name, at in attributes.items()}
        kind = values.get("type", "text" if tag == "input" else "").strip().lower()
        role = role_of(tag, values)
        states: dict[str, object] = {"tag": tag}
        states |= {state: values[name] for name, state in _STATES.items() if name in values}
        if tag == "input":
            states["input_type"] = kind
        states |= {f: True for f in _FLAGS if f in attributes or i in page.flags.get(f, ())}
        if role == "heading" and tag[1:].isdecimal():
            states["level"] = int(tag[1:])
        if i in page.flags["clickable"]:
            states["clickable"] = True
        said: list[Text] = []
        speaks = i in page.filled or i in page.pseudo
        if i in page.filled:
            said.append(self.strings.text("name" if kind in _BUTTONS else "value", page.filled[i]))
        for name, at in attributes.items():
            field = _field(name, self.strings[at])
            if field == "value" and (kind in _BUTTONS or tag in ("option", "button", "li")):
                field = "name" if kind in _BUTTONS and tag == "input" else "description"
            speaks = speaks or bool(field)
            if field and (self.strings[at].strip() or field in ("name", "value")):
                said.append(self.strings.text(field, at))
        said += [self.strings.text("url", found[i]) for found in page.addresses if found.get(i, -1) >= 0]
        if i in page.pseudo and i in page.painted:
            said.append(self.strings.text("name", page.painted[i]))
        said = list(dict.fromkeys(said))
        if tag in UNSEEN_TAGS and not speaks:
            return None
        return _Draft(-1, role, native_id, said, states)


def _field(name: str, value: str) -> str:
    if name == "style":
        return "description" if "url(" in value or "content" in value else ""
    field = "copy" if name == "srcdoc" else field_of(name)
    return "" if field == "url" and value.startswith("data:image/") else field  # no text, may be megabytes


def _spoken(drafts: list[_Draft]) -> list[Element]:
    """Elements; an only text becomes the name of the control around it, and texts that others say are no copies."""
    count = [0] * len(drafts)
    for draft in drafts:
        if draft.parent >= 0:
            count[draft.parent] += 1
    primary = {t.span for d in drafts for t in d.texts if t.field != "copy"}
    places: list[int] = []
    elements: list[Element] = []
    for draft in drafts:
        up = draft.parent
        parent = places[up] if up >= 0 else -1
        said = tuple(
            replace(t, field="description") if t.field == "copy" and t.span in primary else t
            for t in draft.texts
        )
        cuts = tuple(dict.fromkeys((t.span.start, t.span.end) for t in said if t.span))
        if draft.role == "StaticText" and parent >= 0 and count[up] == 1:
            above = elements[parent]
            if (
                above.role in NAMED_BY_CONTENT
                and not any(t.field == "name" for t in above.texts)
                and above.exposed == draft.exposed
            ):
                elements[parent] = replace(above, texts=(*above.texts, *said), cuts=(*above.cuts, *cuts))
                places.append(parent)
                continue
        places.append(len(elements))
        elements.append(
            Element(
                len(elements), draft.native_id, parent, draft.role, said, draft.states, draft.box, draft.frame,
                draft.visible, draft.exposed, cuts,
            )
        )  # fmt: skip
    return elements
