"""What an agent sees of a user interface: one tree of elements over the text of the file it came from.

Every format is read into this model, and every text of an element remembers where the file holds it. A
minimised file is the same file with those places rewritten or cut out, so ids, references, structure and
all other bytes stay as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

Box = tuple[float, float, float, float]
"""Left, top, width, height."""

FIELDS = ("name", "value", "description", "url", "placeholder", "copy")
"""Kinds of text. A ``copy`` repeats another text (``name.sources``, InlineTextBox) and never leaves."""

INTERACTIVE_ROLES = frozenset(
    "button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton tab "
    "menuitem menuitemcheckbox menuitemradio treeitem textarea input select".split()
)
"""Roles that a person can act on, in lower case."""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start:end`` of the source, which hold a text in the given :mod:`codec <.codecs>`."""

    start: int
    end: int
    codec: str = "plain"


@dataclass(frozen=True, slots=True)
class Text:
    """One text of an element, decoded. ``span`` is None when the source cannot be rewritten there."""

    field: str
    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Element:
    """One element.

    Attributes:
        uid: its index in :attr:`Observation.elements`.
        native_id: the id that an agent uses to act on it; "" when the format gives none.
        parent: uid of the parent, -1 for a root. A parent always comes before its children.
        role: accessibility role (ARIA names where they exist), e.g. ``textbox``, ``StaticText``, ``#comment``.
        states: what else is known: checked, focused, level, input_type, autocomplete, clickable, tag …
        box: in CSS pixels of the viewport (already corrected for scroll), None when unknown.
        frame: "" for the main document, otherwise a name of the frame.
        visible: a person can see it. An element that is not visible may still reach the agent.
        exposed: False for what is only in the file but not in the accessibility tree: comments, scripts, meta.
        cuts: parts of the source that go when the element is dropped together with everything below it.
        items: the same for members of comma-separated lists: (index into ``Observation.lists``, position).
    """

    uid: int
    native_id: str
    parent: int
    role: str
    texts: tuple[Text, ...] = ()
    states: Mapping[str, object] = field(default_factory=dict)
    box: Box | None = None
    frame: str = ""
    visible: bool = True
    exposed: bool = True
    cuts: tuple[tuple[int, int], ...] = ()
    items: tuple[tuple[int, int], ...] = ()

    def get(self, field: str) -> str:
        """The first text of that field, or ""."""
        return next((t.text for t in self.texts if t.field == field), "")

    @property
    def label(self) -> str:
        """What a person would call it: its name, else its value, placeholder or description."""
        return next((t.text for f in FIELDS for t in self.texts if t.field == f and t.text), "")

    @property
    def text(self) -> str:
        """All its texts in one line, copies left out."""
        return " ".join(t.text for t in self.texts if t.field != "copy" and t.text)

    @property
    def interactive(self) -> bool:
        return self.role.lower() in INTERACTIVE_ROLES or bool(self.states.get("clickable"))


@dataclass(frozen=True, slots=True)
class Screen:
    """How the picture relates to the boxes.

    Attributes:
        viewport: width and height in CSS pixels.
        ratio: device pixels per CSS pixel.
        scroll: how far the document is scrolled, CSS pixels.
        pixels: size of the picture as the observation states it, or None.
        doubts: why boxes may not match the picture, in words.
    """

    viewport: tuple[float, float] | None = None
    ratio: float = 1.0
    scroll: tuple[float, float] = (0.0, 0.0)
    pixels: tuple[int, int] | None = None
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Observation:
    """A read file.

    Attributes:
        source: the file's whole text; ``source.encode("utf-8", "surrogateescape")`` gives its bytes back.
        format: id of the format, e.g. ``webarena-text``.
        lists: for each comma-separated list, the (start, end) of its members in order.
        warnings: sentences about what was odd in the file.
    """

    name: str
    format: str
    source: str
    elements: tuple[Element, ...]
    screen: Screen = Screen()
    lists: tuple[tuple[tuple[int, int], ...], ...] = ()
    warnings: tuple[str, ...] = ()
    title: str = ""

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """uids of the children of each element."""
        found: list[list[int]] = [[] for _ in self.elements]
        for element in self.elements:
            if element.parent >= 0:
                found[element.parent].append(element.uid)
        return tuple(map(tuple, found))

    @cached_property
    def hidden(self) -> frozenset[int]:
        """uids of what a person cannot see even by scrolling: faint, clipped to nothing, or only in the file.

        What merely lies outside the viewport, or outside a container that scrolls, is not hidden.
        """
        whole = (0.0, 0.0, *self.screen.viewport) if self.screen.viewport else None
        clips: list[Box | None] = []
        found = set()
        for element in self.elements:
            clip = clips[element.parent] if element.parent >= 0 else whole
            box = element.box
            if not element.exposed or (not element.visible and (box is None or not _apart(box, clip))):
                found.add(element.uid)
            area = box is not None and box[2] > 0 and box[3] > 0
            clips.append(_common(box, clip) if area and element.parent >= 0 else clip)
        return frozenset(found)

    def pixel_box(self, element: Element) -> Box | None:
        """The element's box in pixels of the picture."""
        if element.box is None:
            return None
        x, y, w, h = (v * self.screen.ratio for v in element.box)
        return x, y, w, h


def _common(a: Box, b: Box | None) -> Box:
    """The part of ``a`` inside ``b``; of no size where they are apart."""
    if b is None:
        return a
    left, top = max(a[0], b[0]), max(a[1], b[1])
    return (
        left,
        top,
        max(min(a[0] + a[2], b[0] + b[2]) - left, 0.0),
        max(min(a[1] + a[3], b[1] + b[3]) - top, 0.0),
    )


def _apart(box: Box, clip: Box | None) -> bool:
    """``box`` has a size, but no part of it lies in ``clip``."""
    if box[2] <= 0 or box[3] <= 0:
        return False
    common = _common(box, clip)
    return common[2] <= 0 or common[3] <= 0
