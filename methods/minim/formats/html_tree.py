"""The elements of a page as its tags nest them, each with its texts, its place and how far it is hidden."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from methods.minim.codecs import decode, offsets
from methods.minim.formats.html_attributes import VALUED, Draft, describe
from methods.minim.formats.html_hiding import Hiding, Sheet
from methods.minim.formats.html_roles import (
    BARRIERS,
    CLOSES,
    NAMED_BY_CONTENT,
    OUT_TAGS,
    UNSEEN_TAGS,
    VOID,
)
from methods.minim.formats.markup import WS, Attribute, Tag, Token, text_at, tokens, value_of
from methods.minim.observation import Span, Text

NEAR = 8
"""How far up a start tag looks for the tags that it ends; keeps odd nesting linear."""


@dataclass(slots=True)
class _Open:
    tag: str
    uid: int
    own: bool
    hiding: Hiding
    inside: Hiding
    ended: bool = False


_NESTED = {"plain": "html", "html": "html-nested"} | {
    f"html-{kind}": f"html-nested-{kind}" for kind in ("unquoted", "append")
}
_IDREFS = ("aria-describedby", "aria-labelledby")


class Tree:
    """Builds the drafts of a page, and of the pages inside its ``srcdoc`` attributes.

    Attributes:
        drafts: in document order, a parent before its children; the first is the page itself.
        tags: how many start tags there were.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.drafts: list[Draft] = []
        self.title = ""
        self.tags = 0
        begin = int(source.startswith("\ufeff"))
        self.drafts.append(Draft(-1, "RootWebArea", begin, len(source)))
        _Page(self, source, begin, 0).read()


class _Page:
    """One document: the file itself, or a page in an attribute, whose characters lie at ``places``."""

    def __init__(
        self, tree: Tree, source: str, begin: int, root: int, places: list[int] | None = None
    ) -> None:
        self.tree, self.source, self.root, self.places = tree, source, root, places
        self.frame = tree.drafts[root].frame if places is None else tree.drafts[root].native_id or "srcdoc"
        self.begin = begin
        self.started = False
        hiding = tree.drafts[root].hiding
        self.stack = [_Open("", root, False, hiding, hiding)]
        self.open: Counter[str] = Counter()
        self.outer: dict[str, _Open] = {}

    def read(self) -> None:
        pieces = list(tokens(self.source, self.begin))
        raws = [t for t in pieces if t.kind == "raw" and t.name == "style"]
        self.sheet = Sheet(self.source[t.start : t.end] for t in raws)
        self.described = {
            one
            for t in pieces
            if t.kind == "start"
            for name in _IDREFS
            if name in t.tag.attributes
            for one in (self._value(t.tag, name) or "").split()
        }
        act = {"start": self._start, "end": self._end, "text": self._text, "raw": self._raw}
        for token in pieces:
            if token.kind == "doctype":
                if not self.started and self.places is None:
                    self.tree.drafts[self.root].start = token.end
                continue
            act.get(token.kind, self._comment)(token)
        end = len(self.source)
        while len(self.stack) > 1:
            self._close(end)

    def _start(self, token: Token) -> None:
        name, tag = token.name, token.tag
        self.tree.tags += 1
        self._imply(name, token.start)
        above = self.stack[-1]
        if name == "html" and not self.started and self.places is None:
            self.started = True
            self.tree.drafts[self.root].start = token.start
            describe(self.tree.drafts[self.root], name, self.source, tag, self._place)
            self._push(_Open(name, self.root, True, above.hiding, above.inside))
            return
        self.started = True
        hiding = self._hiding(name, tag, above)
        entry = _Open(name, above.uid, False, hiding, hiding)
        if name == "details" and "open" not in tag.attributes:
            entry.inside = Hiding.OUT
        draft = Draft(above.uid, "", self._at(token.start), self._at(token.end), hiding, frame=self.frame)
        if name != "title":
            describe(draft, name, self.source, tag, self._place)
        inner_page = tag.attributes.get("srcdoc")
        if name != "title" and (name not in UNSEEN_TAGS or draft.texts or inner_page):
            self._adopt(draft, entry, above)
            if inner_page:
                self._srcdoc(entry.uid, inner_page)
        closed = tag.closed and (self.open["svg"] or self.open["math"] or name == "svg")
        if name not in VOID and not closed:
            self._push(entry)

    def _push(self, entry: _Open) -> None:
        self.stack.append(entry)
        self.open[entry.tag] += 1
        if entry.tag in ("html", "body"):
            self.outer.setdefault(entry.tag, entry)

    def _adopt(self, draft: Draft, entry: _Open, above: _Open) -> None:
        """Make a draft part of the tree."""
        drafts = self.tree.drafts
        entry.uid, entry.own = len(drafts), True
        if draft.hiding == Hiding.OUT > above.inside and not draft.role.startswith("#"):
            draft.role = "#hidden"
        parent = drafts[above.uid]
        named = draft.role in NAMED_BY_CONTENT or draft.role in VALUED
        draft.control = entry.uid if named else parent.control
        draft.label = entry.uid if draft.role == "LabelText" else parent.label
        drafts.append(draft)

    def _end(self, token: Token) -> None:
        name = token.name
        if not self.open[name]:
            return
        if name in ("html", "body"):  # what follows still belongs to the body
            entry = self.outer.get(name)
            if entry and entry.own and not entry.ended:
                entry.ended = True
                self.tree.drafts[entry.uid].end = self._at(token.end)
            return
        while self.stack[-1].tag != name:
            self._close(token.start)
        self._close(token.end)

    def _close(self, position: int) -> None:
        entry = self.stack.pop()
        self.open[entry.tag] -= 1
        if entry.own and not entry.ended:
            self.tree.drafts[entry.uid].end = self._at(position)

    def _imply(self, name: str, position: int) -> None:
        """Close the elements that a start tag ends without an end tag."""
        closes = CLOSES.get(name)
        while closes and any(self.open[tag] for tag in closes):
            ends = next(
                (e for e in self.stack[: -NEAR - 1 : -1] if e.tag in closes or e.tag in BARRIERS), None
            )
            if ends is None or ends.tag not in closes:
                return
            while self.stack[-1] is not ends:
                self._close(position)
            self._close(position)

    def _text(self, token: Token, codec: str = "html", hiding: Hiding = Hiding.SHOWN) -> None:
        raw = self.source[token.start : token.end]
        start = token.start + len(raw) - len(raw.lstrip(WS))
        end = token.start + len(raw.rstrip(WS))
        if start >= end:
            return
        above = self.stack[-1]
        parent = self.tree.drafts[above.uid]
        draft = Draft(above.uid, "StaticText", self._at(start), self._at(end), max(above.inside, hiding))
        draft.texts.append(self._place("name", start, end, codec))
        draft.control, draft.label, draft.frame = parent.control, parent.label, self.frame
        self.tree.drafts.append(draft)

    def _raw(self, token: Token) -> None:
        entry = self.stack[-1]
        start, end = token.start, token.end
        draft = self.tree.drafts[entry.uid]
        if entry.tag == "textarea":
            start += self.source.startswith("\n", start, end)  # a first line break is not part of the value
            draft.texts.append(self._place("value", start, end, "html"))
        elif entry.tag == "title":
            self._title(draft, start, end)
        elif entry.tag in OUT_TAGS:
            if start < end:
                draft.texts.append(self._place("description", start, end, "plain"))
        else:
            self._text(token, "plain", Hiding.OUT if entry.tag == "iframe" else Hiding.SHOWN)

    def _title(self, draft: Draft, start: int, end: int) -> None:
        if start == end:
            return
        if self.open["svg"]:
            draft.texts.append(self._place("name", start, end, "html"))
            return
        text = self._place("description" if self.tree.title else "name", start, end, "html")
        self.tree.title = self.tree.title or text.text.strip()
        self.tree.drafts[self.root].texts.append(text)

    def _comment(self, token: Token) -> None:
        start, end = self._at(token.start), self._at(token.end)
        draft = Draft(self.stack[-1].uid, "#comment", start, end, Hiding.OUT, frame=self.frame)
        if token.inner < token.outer:
            draft.texts.append(self._place("description", token.inner, token.outer, "plain"))
        self.tree.drafts.append(draft)

    def _hiding(self, name: str, tag: Tag, above: _Open) -> Hiding:
        found = tag.attributes
        inherited = above.hiding if name == "summary" and above.tag == "details" else above.inside
        own = Hiding.SHOWN
        if "hidden" in found or name in OUT_TAGS or (name == "dialog" and "open" not in found):
            own = Hiding.OUT
        elif name == "input" and (self._value(tag, "type") or "").strip().lower() == "hidden":
            return Hiding.OUT
        elif found or self.sheet:
            values = (self._value(tag, part) or "" for part in ("id", "class", "style"))
            own = self.sheet.hiding(name, *values)
            if "aria-hidden" in found and (self._value(tag, "aria-hidden") or "").lower() == "true":
                own = max(own, Hiding.UNSEEN)
        hiding = max(own, inherited)
        if hiding == Hiding.OUT and "id" in found and name not in OUT_TAGS:
            # A hidden text still reaches the agent as the description of what points to it.
            return Hiding.UNSEEN if self._value(tag, "id") in self.described else hiding
        return hiding

    def _srcdoc(self, uid: int, place: Attribute) -> None:
        if place.start < 0:
            return
        if self.places is not None or place.codec != "html":
            # A page within a page within a page, or one without quotes: seen as one text.
            text = self._place("description", place.start, place.end, place.codec)
            self.tree.drafts[uid].texts.append(text)
            return
        raw = self.source[place.start : place.end]
        places = [place.start + at for at in offsets(raw, "html")]
        _Page(self.tree, decode(raw, "html"), 0, uid, places).read()

    def _value(self, tag: Tag, name: str) -> str | None:
        return value_of(self.source, tag.attributes, name)

    def _at(self, position: int) -> int:
        return position if self.places is None else self.places[position]

    def _place(self, field: str, start: int, end: int, codec: str) -> Text:
        if self.places is not None:
            start, end, codec = self.places[start], self.places[end], _NESTED[codec]
        return text_at(self.tree.source, field, Span(start, end, codec))
