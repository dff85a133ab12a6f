"""Trees that JSON files write down as ids: who belongs to whom, in an order with parents first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from methods.minim.formats.json_spans import Array, Object, String
from methods.minim.observation import Element, Span, Text


class Family:
    """Nodes ``0 … count - 1`` and their parents, each claimed once: the first claim holds."""

    def __init__(self, count: int) -> None:
        self.parents = [-1] * count
        self.children: list[list[int]] = [[] for _ in range(count)]

    def claim(self, child: int, parent: int) -> bool:
        """Make ``parent`` the parent of ``child`` unless it has one."""
        if child == parent or self.parents[child] >= 0:
            return False
        self.parents[child] = parent
        self.children[parent].append(child)
        return True

    def order(self) -> tuple[list[int], int]:
        """All nodes, parents first, and how many circles of parents had to be cut open.

        The first node of a circle in the file becomes a root.
        """
        seen = [False] * len(self.parents)
        order: list[int] = []
        circles = 0
        starts = [i for i, parent in enumerate(self.parents) if parent < 0]
        for start in (*starts, *range(len(self.parents))):
            if seen[start]:
                continue
            if self.parents[start] >= 0:
                circles += 1
                self.parents[start] = -1
            waiting = [start]
            while waiting:
                node = waiting.pop()
                if seen[node]:
                    continue
                seen[node] = True
                order.append(node)
                waiting.extend(reversed(self.children[node]))
        return order, circles


class Lists:
    """The lists of a file of which members may be cut out."""

    def __init__(self) -> None:
        self.spans: list[tuple[tuple[int, int], ...]] = []
        self._known: dict[int, int] = {}

    def item(self, array: Array, position: int) -> tuple[int, int]:
        """What :attr:`Element.items` holds for that member."""
        index = self._known.get(array.start)
        if index is None:
            index = self._known[array.start] = len(self.spans)
            self.spans.append(tuple(array.spans))
        return index, position


_IDS = frozenset("id type method jsonrpc sessionId frameId frame_id version".split())
_COPIES = frozenset("dom_object dom_txt pruned_html axtree_txt html screenshot screenshot_som image".split())
_IMAGE = ("data:image/", "iVBORw0KGgo", "/9j/", "UklGR")


def headers(first: int, members: Iterable[tuple[str, object]]) -> Iterator[Element]:
    """Elements for what a file says around its tree: address, goal, titles, a picture.

    Args:
        first: uid of the first element made.
        members: values with the names of the members that hold them.
    """
    waiting = list(members)[::-1]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, Object):
            waiting.extend((k if key not in _COPIES else key, v) for k, v in reversed(value.items()))
        elif isinstance(value, Array) and key in _COPIES and value and isinstance(value[0], Array):
            cuts = ((value.start + 1, value.end - 1),)
            states = {"header": key}
            yield Element(first, "", -1, "#header", (), states, visible=False, exposed=False, cuts=cuts)
            first += 1
        elif isinstance(value, Array):
            waiting.extend((key, v) for v in reversed(value))
        elif isinstance(value, String) and value and key not in _IDS:
            copy = key in _COPIES or value.startswith(_IMAGE)
            field = "copy" if copy else "url" if "url" in key.lower() else "name"
            said = Text(field, str(value), Span(value.start, value.end, "json"))
            cuts = ((value.start, value.end),)
            yield Element(first, "", -1, "#header", (said,), {"header": key}, exposed=not copy, cuts=cuts)
            first += 1


def odd(count: int, one: str, many: str) -> tuple[str, ...]:
    """A warning when there is something to warn of; ``many`` has a place for the count."""
    return () if not count else (one,) if count == 1 else (many.format(count),)


def twice(ids: Iterable[tuple[object, str]]) -> tuple[str, ...]:
    """A warning about ids, each given with the frame or list it belongs to, that come more than once there."""
    seen: set[tuple[object, str]] = set()
    again = sorted({i[1] for i in ids if i[1] and (i in seen or seen.add(i))})
    few = ", ".join(again[:3]) + (", …" if len(again) > 3 else "")
    return (f"Several elements carry the same id: {few}.",) if again else ()
