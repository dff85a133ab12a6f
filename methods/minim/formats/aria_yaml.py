r"""Playwright's aria snapshots: ``- role "name" [attribute=value]: text``, indents for depth.

Written in a small part of YAML (https://playwright.dev/docs/aria-snapshots). It is read here line by line, not
as YAML: every text keeps its place in the file, and files that are not quite YAML (an unquoted ``: `` in a name,
a Markdown fence around the tree) are read as they are meant. What is not understood becomes a text.
"""

from __future__ import annotations

import re

from methods.minim.formats.outline import Draft, Line, Outline, lines
from methods.minim.observation import Observation

FORMAT = "playwright-aria"

_DOUBLE = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SINGLE = r"'[^']*+(?:''[^']*+)*+'"
_SCALARS = {'"': re.compile(_DOUBLE, re.DOTALL), "'": re.compile(_SINGLE)}
_OUTER = {"": "plain", "'": "yaml-single", '"': "yaml-double"}
"""Codec of a key by the quote around it."""


_ROLE = re.compile(r"(?:<changed> )?([a-z][a-zA-Z-]*+|/[a-z]+)(?=[ :]|$)")
_NAMES = {"": re.compile(r'\s*"((?:[^"\\]|\\.)*+)"')}
_NAMES["'"] = _NAMES[""]
_NAMES['"'] = re.compile(r'\s*\\"((?:[^"\\]|\\\\(?:\\.|[^\\])|\\[^\\"])*+)\\"')
_NAME_CODECS = {"": "yaml-json", "'": "yaml-single-json", '"': "yaml-double-json"}
_REGEX = re.compile(r"\s*/((?:[^/\\]|\\.)*+)/[a-z]*(?= \[|:|'|\"|$)")
_ATTRIBUTE = re.compile(r"\s*\[(([a-zA-Z-]+)(?:=([^\]\n]*))?)\]")
_BLOCK = re.compile(r"[|>][-+0-9]{0,2}(?:\s+#.*)?")
_ITEM = re.compile(r"-[ \t]+")
_PAGE = re.compile(r"([A-Z][A-Za-z ]{0,40}):(?=\s|$)\s*")
_FENCE = re.compile(r"```\w*|---|\.\.\.")
_UNCHANGED = re.compile(r"ref=(\w+) \[unchanged\]")
_FRAME = re.compile(r"(f\d+)e\d+")
_BOX = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)(?:,\s?|$)")

_FLAGS = frozenset(
    ("active", "checked", "disabled", "expanded", "invalid", "pressed", "readonly", "required", "selected")
)
_FLAG_VALUES = {"true": True, "false": False, "mixed": "mixed", "grammar": "grammar", "spelling": "spelling"}
_EDITABLE = frozenset(("textbox", "searchbox", "combobox", "spinbutton"))
_VALUED = _EDITABLE | {"slider", "progressbar", "meter", "scrollbar"}
_PROPERTIES = {"/url": "url", "/placeholder": "placeholder", "text": "value"}
"""Lines that give a text to the element above; ``text`` only below a field, whose value it is."""

_SNIFF = 200_000
_SURE = re.compile(
    r"""^\ufeff?[ \t]*-[ ](?:/url:[ ]|text:[ ]|['"]?[a-z]+(?:[ ]\\?"[^\n]*)?[ ]\[(?:ref=|level=|checked|active)"""
    r"""|['"]?(?:heading|link|button|textbox|checkbox|navigation|main|banner|list|listitem|img|row|cell|paragraph"""
    r"""|combobox|dialog|table|tab|form|article|region|radio|generic|document|alert)(?:[ ]\\?"|[ ]/|:|$))""",
    re.MULTILINE,
)


def matches(name: str, source: str) -> bool:
    """Whether the text looks like this format."""
    return source.lstrip("\ufeff \t\r\n")[:1] not in ("{", "<", "[") and bool(_SURE.search(source[:_SNIFF]))


def read(name: str, source: str) -> Observation:
    """Read a snapshot, with or without the lines that tools print around it.

    Raises:
        BadInput: no line belongs to such a snapshot.
    """
    reader = _Reader(name, source)
    while reader.at < len(reader.lines):
        reader.line()
    return reader.outline.observation('- link "Orders" [ref=e4]: text')


class _Reader:
    def __init__(self, name: str, source: str) -> None:
        self.source = source
        self.lines = list(lines(source))
        self.at = 0
        self.outline = Outline(name, FORMAT, source)
        self.last: tuple[int, Draft, str] | None = None
        """Indent, element and field of the last text, which lines that are no items continue."""

    def line(self) -> None:
        """Read the line at ``self.at`` and the lines that its text goes on in."""
        line = self.lines[self.at]
        self.at += 1
        if line.blank:
            return
        if item := _ITEM.match(self.source, line.first, line.last):
            self._item(line, item.end())
        elif self.last and line.indent > self.last[0]:
            _, draft, field = self.last
            draft.texts.append(self.outline.text(field, line.first, line.last))
            draft.cuts.append((line.start, line.stop))
        elif not _FENCE.fullmatch(self.source, line.first, line.last):
            self._header(line, "", line.first)

    def _header(self, line: Line, kind: str, start: int) -> None:
        draft = self.outline.header(kind.lower())
        draft.texts.append(self.outline.text("url" if kind.endswith("URL") else "name", start, line.last))
        draft.cuts.append((line.start, line.stop))
        if kind.endswith("Title") and not self.outline.title:
            self.outline.title = draft.texts[0].text

    def _item(self, line: Line, start: int) -> None:
        source = self.source
        if source[start].isupper() and (page := _PAGE.match(source, start, line.last)):
            self.outline.recognised = True
            if page.end() < line.last:
                self._header(line, page[1], page.end())
            return
        quote, end, after = "", line.last, line.last
        key = source[start] in _SCALARS and _SCALARS[source[start]].match(source, start, line.last)
        if key and (key.end() == line.last or self._colon(key.end(), line.last)):
            quote, start, end, after = source[start], start + 1, key.end() - 1, key.end()
        role = _ROLE.match(source, start, end)
        if role and (role[1].startswith("/") or (role[1] == "text" and self._in_field(line))):
            self._property(line, role[1], after if quote else role.end())
            return
        draft = self.outline.node(line.indent, "StaticText")
        self.last = (line.indent, draft, "name")
        at = self._key(draft, role, quote, end) if role else start
        if role and (at == end or (not quote and self._colon(at, end))):
            self._value(line, draft, after if quote else at)
        elif unchanged := _UNCHANGED.fullmatch(source, start, end):
            draft.role, draft.native_id = "#unchanged", unchanged[1]
        elif role and at > role.end():  # something odd after a name or attributes
            draft.texts.append(self.outline.text("description", at, end, _OUTER[quote]))
            self._value(line, draft, after)
        else:
            draft.role = "StaticText"
            draft.texts.append(self.outline.text("name", start, end, _OUTER[quote]))
            self._value(line, draft, after)
        draft.cuts.insert(0, (line.start, self.lines[self.at - 1].stop))

    def _key(self, draft: Draft, role: re.Match[str], quote: str, end: int) -> int:
        """Read role, name and attributes; where they end."""
        draft.role = "StaticText" if role[1] == "text" else role[1]
        at = role.end()
        if name := _NAMES[quote].match(self.source, at, end):
            draft.texts.append(self.outline.text("name", *name.span(1), _NAME_CODECS[quote]))
            at = name.end()
        elif name := _REGEX.match(self.source, at, end):
            draft.texts.append(self.outline.text("name", *name.span(1), _OUTER[quote]))
            draft.states["regex"] = True
            at = name.end()
        while attribute := _ATTRIBUTE.match(self.source, at, end):
            self._attribute(draft, attribute, _OUTER[quote])
            at = attribute.end()
        return at

    def _attribute(self, draft: Draft, match: re.Match[str], codec: str) -> None:
        key, value = match[2], match[3]
        if key == "ref" and value and re.fullmatch(r"[\w.:-]{1,40}", value):
            draft.native_id = value
            frame = _FRAME.fullmatch(value)
            draft.frame = frame[1] if frame else ""
        elif key in _FLAGS and (value is None or value in _FLAG_VALUES):
            draft.states["focused" if key == "active" else key] = value is None or _FLAG_VALUES[value]
        elif key == "level" and value and re.fullmatch(r"\d{1,3}", value):
            draft.states["level"] = int(value)
        elif key == "cursor" and value and re.fullmatch(r"[a-z-]{1,20}", value):
            draft.states["clickable"] = value == "pointer"
        elif key == "box" and value and len(box := _BOX.findall(value)) == 4 and _BOX.sub("", value) == "":
            draft.box = tuple(map(float, box))
        else:
            draft.texts.append(self.outline.text("description", *match.span(1), codec))

    def _property(self, line: Line, key: str, after: int) -> None:
        """``- /url: …`` or a field's ``- text: …``, which belong to the element above."""
        parent = self.outline.parent(line.indent)
        draft = self.outline.drafts[parent] if parent >= 0 else self.outline.header("property")
        field = _PROPERTIES.get(key, "description")
        self.last = (line.indent, draft, field)
        start = self._skip(after + self._colon(after, line.last), line.last)
        if key == "/children" and self.source[start : line.last] in ("contain", "equal", "deep-equal"):
            draft.states["children"] = self.source[start : line.last]
        elif start < line.last:
            self._scalar(line, draft, start, field)
        elif field == "value":
            self._place(line, draft, after)
        draft.cuts.append((line.start, self.lines[self.at - 1].stop))

    def _in_field(self, line: Line) -> bool:
        parent = self.outline.parent(line.indent)
        return parent >= 0 and self.outline.drafts[parent].role in _EDITABLE

    def _value(self, line: Line, draft: Draft, after: int) -> None:
        """What follows a key: a text, nothing, or the place where a text could go."""
        field = "value" if draft.role in _VALUED else "name"
        self.last = (line.indent, draft, field)
        if after >= line.last:
            if draft.role in _EDITABLE:
                draft.texts.append(self.outline.text("value", after, after, "yaml-append"))
            return
        start = self._skip(after + 1, line.last)
        if start < line.last:
            self._scalar(line, draft, start, field)
        elif draft.role in _EDITABLE:
            self._place(line, draft, after)

    def _place(self, line: Line, draft: Draft, after: int) -> None:
        """An empty value, where a line ends in a colon and a space and nothing is below."""
        below = self._below(line) and not self.lines[self.at].blank
        if self.source.startswith(": ", after, line.stop) and not below:
            draft.texts.append(self.outline.text("value", after + 2, after + 2))

    def _scalar(self, line: Line, draft: Draft, start: int, field: str) -> None:
        """Read the scalar that starts at ``start`` and goes on in later lines if it has to."""
        source, quote = self.source, self.source[start]
        if quote in "|>" and _BLOCK.fullmatch(source, start, line.last):
            body = []
            while self._below(line):
                if not (more := self.lines[self.at]).blank:
                    body.append(more)
                self.at += 1
            if body:
                draft.texts.append(self.outline.text(field, body[0].first, body[-1].last))
            return
        if quote in _SCALARS:
            begin = self.at
            last, scalar = line.last, _SCALARS[quote].match(source, start, line.last)
            while not scalar and self._below(line) and not _ITEM.match(source, self.lines[self.at].first):
                last = self.lines[self.at].last
                self.at += 1
            if scalar := scalar or _SCALARS[quote].match(source, start, last):
                while self.at > begin and self.lines[self.at - 1].start >= scalar.end():
                    self.at -= 1
                draft.texts.append(self.outline.text(field, start + 1, scalar.end() - 1, _OUTER[quote]))
                rest = self._skip(scalar.end(), self.lines[self.at - 1].last)
                if rest < self.lines[self.at - 1].last:
                    draft.texts.append(self.outline.text("description", rest, self.lines[self.at - 1].last))
                return
            self.at = begin
            self.outline.odd("the quote around the text is not closed", line.number)
        draft.texts.append(self.outline.text(field, start, line.last))

    def _below(self, line: Line) -> bool:
        """Whether the next line is blank or indented deeper than ``line``."""
        return self.at < len(self.lines) and (
            self.lines[self.at].blank or self.lines[self.at].indent > line.indent
        )

    def _colon(self, at: int, end: int) -> bool:
        """Whether a key ends at ``at``."""
        return self.source.startswith(":", at, end) and (at + 1 == end or self.source[at + 1] in " \t")

    def _skip(self, start: int, end: int) -> int:
        while start < end and self.source[start] in " \t":
            start += 1
        return start
