"""XML as a list of elements with exact places in the source: what the readers of XML dumps share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from methods.core.errors import BadInput
from methods.minim.formats.markup import WS, text_at
from methods.minim.observation import Element, Observation, Screen, Span, Text

_NAME = re.compile(rf"<[^{WS}/>]++")
# expat has checked a tag before these read it, so they may be simple.
_ATTRIBUTE = re.compile(rf"[{WS}]++([^{WS}=]++)[{WS}]*+=[{WS}]*+[\"']((?<=\")[^\"]*+|(?<=')[^']*+)[\"']")
_TAG = re.compile(r"<(?:[^\"'>]++|\"[^\"]*+\"|'[^']*+')*+>")


@dataclass(slots=True)
class Node:
    """One XML element: ``source[start:end]``, its start tag ends at ``inside``, its end tag begins at ``outside``.

    Attributes:
        values: the decoded value of each attribute.
        tag: as written, with its prefix; ``#comment`` for comments and processing instructions.
        runs: stretches of text directly inside, without the white space around them.
    """

    tag: str
    parent: int
    start: int
    named: int
    inside: int
    values: dict[str, str] = field(default_factory=dict)
    runs: list[Span] = field(default_factory=list)
    outside: int = -1
    end: int = -1
    _places: dict[str, tuple[int, int]] = field(default_factory=dict)
    _searched: int = -1

    def place(self, source: str, name: str) -> Span:
        """Where an attribute's raw value lies. Looked for only when asked: most attributes hold no text."""
        while name not in self._places:
            match = _ATTRIBUTE.match(source, max(self._searched, self.named))
            self._places[match[1]] = match.span(2)
            self._searched = match.end()
        return Span(*self._places[name], "xml")

    @property
    def cuts(self) -> tuple[tuple[int, int], ...]:
        """What to cut out to drop it. Of the root, the bare tags stay, so that the file is still XML."""
        if self.parent >= 0 or self.tag == "#comment":
            return ((self.start, self.end),)
        bare = self.inside - (2 if self.outside < 0 else 1)
        inner = ((self.inside, self.outside),) if self.inside < self.outside else ()
        return ((self.named, bare), *inner) if self.named < bare else inner


class _Reader:
    """Collects nodes from expat's events; expat counts bytes of UTF-8, everything else here characters."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source
        self.nodes: list[Node] = []
        self._open: list[int] = []
        self._byte = self._char = 0
        self._text = -1
        self._codec = "xml"
        # ``uiautomator dump /dev/tty`` adds a line after the last tag.
        self.stop = source.rfind(">") + 1
        self.data = source[: self.stop].encode("utf-8", "surrogatepass")
        parser = self.parser = expat.ParserCreate("utf-8")
        parser.buffer_text = False
        parser.StartElementHandler = self._start
        parser.EndElementHandler = lambda _: self._end()
        parser.CharacterDataHandler = lambda _: self._characters()
        parser.CommentHandler = lambda _: self._comment("-->")
        parser.ProcessingInstructionHandler = lambda *_: self._comment("?>")
        parser.StartCdataSectionHandler = lambda: self._cdata(9, "plain")
        parser.EndCdataSectionHandler = lambda: self._cdata(3, "xml")
        parser.StartDoctypeDeclHandler = lambda *_: self._refuse()

    def read(self) -> list[Node]:
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            raise BadInput(
                f"{self.name}: not well-formed XML, line {error.lineno}: {expat.ErrorString(error.code)}.",
                "Dump the screen again; the file may have been cut off.",
            ) from error
        for start, end in _trimmed(self.source, self.stop, len(self.source)):
            self.nodes.append(Node("#comment", -1, start, start, end, {}, [Span(start, end)], end, end))
        return self.nodes

    def _at(self) -> int:
        """Where the current event begins, in characters."""
        byte = self.parser.CurrentByteIndex
        self._char += len(self.data[self._byte : byte].decode("utf-8", "surrogatepass"))
        self._byte = byte
        return self._char

    def _start(self, tag: str, values: dict[str, str]) -> None:
        start = self._at()
        self._end_text(start)
        named, inside = (part.match(self.source, start).end() for part in (_NAME, _TAG))
        parent = self._open[-1] if self._open else -1
        self._open.append(len(self.nodes))
        self.nodes.append(Node(tag, parent, start, named, inside, values))

    def _end(self) -> None:
        at = self._at()
        self._end_text(at)
        node = self.nodes[self._open.pop()]
        if self.source.startswith("/>", node.inside - 2):  # an empty element: one tag
            node.end = node.inside
            return
        node.outside, node.end = at, self.source.index(">", at) + 1

    def _characters(self) -> None:
        if self._text < 0:
            self._text = self._at()

    def _cdata(self, marker: int, codec: str) -> None:
        at = self._at()
        self._end_text(at)
        self._codec = codec
        self._text = -1 if codec == "xml" else at + marker

    def _comment(self, close: str) -> None:
        at = self._at()
        self._end_text(at)
        end = self.source.index(close, at) + len(close)
        inner = (at + 4 if close == "-->" else at + 2), end - len(close)
        parent = self._open[-1] if self._open else -1
        runs = [Span(start, stop) for start, stop in _trimmed(self.source, *inner)]
        self.nodes.append(Node("#comment", parent, at, at, end, {}, runs, end, end))

    def _end_text(self, at: int) -> None:
        if self._text >= 0 and self._open:
            runs = self.nodes[self._open[-1]].runs
            runs.extend(Span(*run, self._codec) for run in _trimmed(self.source, self._text, at))
        self._text = -1

    def _refuse(self) -> None:
        raise BadInput(
            f"{self.name}: the file declares a DOCTYPE, which may define entities.",
            "Remove the <!DOCTYPE …> declaration; dumps of screens have none.",
        )


def _trimmed(source: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretch without the white space around it, if anything is left."""
    raw = source[start:end]
    first, last = start + len(raw) - len(raw.lstrip(WS)), start + len(raw.rstrip(WS))
    if first < last:
        yield first, last


def read_nodes(name: str, source: str) -> list[Node]:
    """All elements and comments in document order.

    Raises:
        BadInput: the XML is not well-formed, or it has a DOCTYPE.
    """
    return _Reader(name, source).read()


def comment(source: str, uid: int, node: Node, parent: int) -> Element:
    """The element for a comment, a processing instruction or what follows the last tag."""
    texts = tuple(text_at(source, "description", run) for run in node.runs)
    return Element(uid, "", parent, "#comment", texts, visible=False, exposed=False, cuts=node.cuts)


def text(source: str, node: Node, name: str, field: str) -> list[Text]:
    """The attribute's text in a list of one, or of none where it is absent or empty and no value."""
    value = node.values.get(name)
    if value is None or not (value or field == "value"):
        return []
    return [text_at(source, field, node.place(source, name))]


def observed(name: str, format: str, source: str, elements: list[Element], screen: Screen) -> Observation:
    """The observation, with warnings about ids that several elements carry."""
    ids = Counter(e.native_id for e in elements if e.native_id)
    twice = sorted(i for i, count in ids.items() if count > 1)
    few = ", ".join(twice[:3]) + (", …" if len(twice) > 3 else "")
    warnings = (f"Several elements carry the same id: {few}.",) if twice else ()
    return Observation(name, format, source, tuple(elements), screen, warnings=warnings)
