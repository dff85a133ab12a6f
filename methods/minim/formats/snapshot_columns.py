"""The columns of a DOM snapshot: per document, lists that say the same of each node, and a table of texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

from methods.core.errors import BadInput
from methods.minim.formats.json_spans import Array, Number, Object, String
from methods.minim.formats.json_values import box, member
from methods.minim.observation import Box, Span, Text

_FAINT = 0.02
"""Opacity up to which nothing can be seen."""


class Strings:
    """The table of texts. ``fixed`` are the places of those that the page's structure needs as they are."""

    def __init__(self, table: Array) -> None:
        self.table = table
        self.fixed: set[int] = set()

    def __getitem__(self, index: int) -> str:
        found = self.table[index] if 0 <= index < len(self.table) else ""
        return str(found) if isinstance(found, String) else ""

    def text(self, field: str, index: int) -> Text:
        """A text of the table, without a span where it must stay as it is."""
        found = self.table[index] if 0 <= index < len(self.table) else ""
        if not isinstance(found, String):
            return Text(field, "")
        if index in self.fixed or not found:
            return Text(field, str(found))
        return Text(field, str(found), Span(found.start, found.end, "json"))


@dataclass
class Document:
    """One document; nodes are counted from 0, texts are places in the table (-1 for none).

    Attributes:
        filled: what is in a form field, by node; inner: document shown by a frame element, by node.
        addresses: of images and scripts, by node.
        boxes: CSS pixels of the document; painted: texts as they are laid out; faint: nodes that are transparent.
    """

    parents: list[int]
    kinds: list[int]
    tags: list[str]
    values: list[int]
    backends: list[int]
    attributes: list[dict[str, int]]
    filled: dict[int, int] = field(default_factory=dict)
    inner: dict[int, int] = field(default_factory=dict)
    addresses: list[dict[int, int]] = field(default_factory=list)
    flags: dict[str, set[int]] = field(default_factory=dict)
    pseudo: set[int] = field(default_factory=set)
    boxes: dict[int, Box] = field(default_factory=dict)
    painted: dict[int, int] = field(default_factory=dict)
    faint: set[int] = field(default_factory=set)
    scroll: tuple[float, float] = (0.0, 0.0)
    title: int = -1
    url: int = -1
    base: int = -1
    frame: int = -1


def documents(name: str, raw: Array, strings: Strings) -> list[Document]:
    """Read all documents and note which texts are structure.

    Raises:
        BadInput: a document has no nodes.
    """
    return [_document(name, i, about, strings) for i, about in enumerate(raw)]


def _document(name: str, number: int, about: object, strings: Strings) -> Document:
    nodes = member(about, "nodes")
    names = _whole(member(nodes, "nodeName"))
    if not isinstance(nodes, Object) or not names:
        raise BadInput(
            f"{name}: document {number} has no nodes.", "Save the result of DOMSnapshot.captureSnapshot."
        )
    count = len(names)

    def column(key: str, missing: int = -1) -> list[int]:
        found = _whole(nodes.get(key))[:count]
        return found + [missing] * (count - len(found))

    strings.fixed.update(names)
    found = Document(
        [p if -1 <= p < count else -1 for p in column("parentIndex")],
        column("nodeType", 1),
        [strings[i].lower() for i in names],
        column("nodeValue"),
        column("backendNodeId", 0),
        _attributes(nodes.get("attributes"), count, strings),
    )
    for key in ("textValue", "inputValue"):
        found.filled |= {i: v for i, v in _pairs(nodes.get(key)).items() if v >= 0}
    found.addresses = [_pairs(nodes.get(key)) for key in ("currentSourceURL", "originURL")]
    found.inner = _pairs(nodes.get("contentDocumentIndex"))
    found.pseudo = set(_pairs(nodes.get("pseudoType")))
    flags = (("checked", "inputChecked"), ("selected", "optionSelected"), ("clickable", "isClickable"))
    found.flags = {flag: set(_whole(member(nodes, key, "index"))) for flag, key in flags}
    _lay_out(found, member(about, "layout"), strings)
    x, y = (_number(member(about, f"scrollOffset{axis}")) for axis in "XY")
    found.scroll = x, y
    found.title, found.url, found.frame = (
        _index(member(about, k)) for k in ("title", "documentURL", "frameId")
    )
    return found


def _attributes(raw: object, count: int, strings: Strings) -> list[dict[str, int]]:
    found: list[dict[str, int]] = []
    for entry in raw[:count] if isinstance(raw, Array) else ():
        pairs = _whole(entry)
        strings.fixed.update(pairs[::2])
        found.append({strings[k].lower(): v for k, v in zip(pairs[::2], pairs[1::2], strict=False)})
    return found + [{} for _ in range(count - len(found))]


def _lay_out(found: Document, layout: object, strings: Strings) -> None:
    boxes, texts, styles = (member(layout, k) for k in ("bounds", "text", "styles"))
    texts = _whole(texts)
    rows = [_whole(s) for s in styles] if isinstance(styles, Array) else []
    for row in rows:
        strings.fixed.update(row)
    opacity = _opacity_column(rows, strings)
    for i, node in enumerate(_whole(member(layout, "nodeIndex"))):
        area = box(boxes[i]) if isinstance(boxes, Array) and i < len(boxes) else None
        if area is not None:
            found.boxes.setdefault(node, area)
        if i < len(texts) and texts[i] >= 0:
            found.painted.setdefault(node, texts[i])
        if opacity >= 0 and i < len(rows) and opacity < len(rows[i]):
            value = strings[rows[i][opacity]]
            if value and float(value) <= _FAINT:
                found.faint.add(node)


def _opacity_column(rows: list[list[int]], strings: Strings) -> int:
    """The computed style that can only be the opacity (a snapshot does not name its styles), -1 for none."""
    width = max(map(len, rows), default=0)
    for column in range(width):
        values = {strings[row[column]] for row in rows if column < len(row)} - {""}
        if values and all(_share(v) for v in values):
            return column
    return -1


def _share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _whole(value: object) -> list[int]:
    return [_index(v) for v in value] if isinstance(value, Array) else []


def _index(value: object) -> int:
    return int(value) if isinstance(value, Number) and isfinite(value) else -1


def _number(value: object) -> float:
    return float(value) if isinstance(value, Number) and isfinite(value) else 0.0


def _pairs(value: object) -> dict[int, int]:
    """Data given for few nodes only: node and value."""
    return dict(zip(_whole(member(value, "index")), _whole(member(value, "value")), strict=False))
