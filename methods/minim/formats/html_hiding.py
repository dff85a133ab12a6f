"""What a page hides from people: by attributes, inline styles and the simple rules of its style sheets.

Two kinds count. Content that is *out* of the accessibility tree (``display:none``) reaches no agent that
reads the tree. Content that is only *unseen* (transparent, clipped, off the screen) does reach it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache


class Hiding(IntEnum):
    """How far an element is hidden; the larger wins."""

    SHOWN = 0
    UNSEEN = 1
    OUT = 2


MAX_RULES = 500
"""Rules about hiding that are looked at; real pages have a few dozen."""

_OUT = re.compile(r"\bdisplay\s*:\s*none|\bvisibility\s*:\s*(?:hidden|collapse)")
_SHOW = re.compile(r"\bdisplay\s*:\s*[a-z]|\bvisibility\s*:\s*visible")
_FAINT = re.compile(r"\bopacity\s*:\s*(?:0?\.0\d*|0+)\s*(?:%|;|!|\Z)")
_TINY = re.compile(r"\b(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|!|\Z)")
_CLIP = re.compile(
    r"\bclip\s*:\s*rect\(\s*(?:0|1px)[\s,]|\bclip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)"
)
_OFF = re.compile(
    r"(?<![\w-])(?:left|right|top|bottom|text-indent)\s*:\s*-\d{3,}|\btranslate[xy]?\(\s*-\d{4,}px"
)
_SMALL_PRINT = re.compile(r"\bfont-size\s*:\s*0(?:px|pt|em|rem)?\s*(?:;|!|\Z)")


def hiding_of(style: str) -> Hiding:
    """How far the declarations of one style hide an element."""
    style = style.lower()
    if _OUT.search(style):
        return Hiding.OUT
    if _FAINT.search(style) or _CLIP.search(style) or _OFF.search(style) or _SMALL_PRINT.search(style):
        return Hiding.UNSEEN
    return Hiding.UNSEEN if "overflow" in style and _TINY.search(style) else Hiding.SHOWN


_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACE = re.compile(r"[^{}]*+([{}])")
_LAST = re.compile(
    r"(?P<tag>[a-z][a-z0-9-]*|\*)?(?P<rest>(?:[.#][\w-]+)*)(?P<more>.*)", re.IGNORECASE | re.DOTALL
)
_PART = re.compile(r"([.#])([\w-]+)")


Rank = tuple[bool, int, int, bool, int]
"""Importance, ids, classes, tag and order of a rule: the greater wins (CSS Cascading, section 6)."""


class Sheet:
    """The rules of a page's style sheets that hide elements.

    Only selectors of one compound (``p.note``) hide: others depend on more than the element. But any rule that
    *might* show an element again (``.dialog.open``, ``body.on .menu``) counts as showing it, so that nothing on
    screen is taken for hidden. Rules inside ``@media`` and the like are left out.
    """

    def __init__(self, sheets: Iterable[str]) -> None:
        self._rules: dict[str, list[tuple[str, frozenset[str], Hiding, Rank]]] = defaultdict(list)
        self._count = 0
        for css in sheets:
            self._read(_COMMENT.sub(" ", css))
        self._by_rule = lru_cache(4096)(self._hiding)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def hiding(self, tag: str, native_id: str, classes: str, style: str) -> Hiding:
        """How far its own style and the sheets hide an element with this tag, id and class attribute."""
        inline = hiding_of(style) if style else Hiding.SHOWN
        if not self._rules or inline == Hiding.OUT:
            return inline
        found = self._by_rule(tag, native_id, classes)
        if found == Hiding.OUT and style and _SHOW.search(style.lower()):
            return inline
        return max(inline, found)

    def _read(self, css: str) -> None:
        depth, selector = 0, ""
        for match in _BRACE.finditer(css):
            body = match.group()[:-1]
            if match[1] == "{":
                depth += 1
                selector = body.rpartition(";")[2] if depth == 1 else selector
                continue
            if depth == 1 and not selector.lstrip().startswith("@"):
                self._add(selector, body)
            depth = max(depth - 1, 0)

    def _add(self, selectors: str, body: str) -> None:
        hides = hiding_of(body)
        if hides == Hiding.SHOWN and not _SHOW.search(body.lower()):
            return
        for selector in selectors.split(","):
            parts = selector.split()
            if not parts or self._count >= MAX_RULES:
                continue
            match = _LAST.match(parts[-1])
            if hides == Hiding.SHOWN or (len(parts) == 1 and not match["more"]):
                self._count += 1
                keys = frozenset(kind + name for kind, name in _PART.findall(match["rest"]))
                tag = (match["tag"] or "*").lower()
                special = sum(selector.count(mark) for mark in ".[:")
                rank = ("!important" in body, selector.count("#"), special, tag != "*", self._count)
                self._rules[max(keys, default=tag)].append((tag, keys, hides, rank))

    def _hiding(self, tag: str, native_id: str, classes: str) -> Hiding:
        keys = {f".{c}" for c in classes.split()} | ({f"#{native_id}"} if native_id else set())
        best: dict[Hiding, Rank] = {}
        for key in (*keys, tag, "*"):
            for wanted, needs, hides, rank in self._rules.get(key, ()):
                if wanted in ("*", tag) and needs <= keys:
                    best[hides] = max(best.get(hides, rank), rank)
        if Hiding.OUT in best and best[Hiding.OUT] > best.get(Hiding.SHOWN, ()):
            return Hiding.OUT
        return Hiding.UNSEEN if Hiding.UNSEEN in best else Hiding.SHOWN
