"""BrowserGym's observation as JSON: ``axtree_object``, ``extra_element_properties``, ``goal``, ``url``, …

``axtree_object`` holds DevTools nodes of all frames, merged; agents name a node by its ``browsergym_id`` ("bid"), and
nodes without one cannot be acted on. Boxes (``bbox``) are CSS pixels of the viewport.
https://github.com/ServiceNow/BrowserGym
"""

from __future__ import annotations

from methods.core.errors import BadInput
from methods.minim.formats.ax_nodes import Source, elements_of, same_ids
from methods.minim.formats.json_spans import Array, Number, Object, keys, read_json
from methods.minim.formats.json_tree import Lists, headers
from methods.minim.formats.json_values import box, identifier, member, screen_of
from methods.minim.observation import Box, Observation

FORMAT = "browsergym-json"

_SEEN = 0.5
"""Visibility (0 to 1, share of the area) from which BrowserGym counts an element as visible."""


def matches(name: str, source: str) -> bool:
    """Whether the text looks like this format."""
    return bool({"axtree_object", "browsergym_id"} & keys(source))


def read(name: str, source: str) -> Observation:
    """Read an observation. What repeats the tree (``dom_object``, printed trees, pictures) never leaves.

    Raises:
        BadInput: the text is no JSON or has no accessibility tree.
    """
    root, shadowed = read_json(name, source)
    held = _holder(root)
    tree = held.get("axtree_object", held)
    nodes = tree if isinstance(tree, Array) else member(tree, "nodes")
    if not isinstance(nodes, Array):
        raise BadInput(
            f"{name}: 'axtree_object' has no list 'nodes'.", "Save the observation with its axtree_object."
        )
    extra = held.get("extra_element_properties")
    extra = extra if isinstance(extra, Object) else Object()

    def native_id(node: Object) -> str:
        return identifier(node.get("browsergym_id"))

    def seen(node: Object) -> tuple[Box | None, bool]:
        about = extra.get(native_id(node))
        visibility = member(about, "visibility")
        return box(member(about, "bbox")), not isinstance(visibility, Number) or visibility >= _SEEN

    lists = Lists()
    elements, warnings = elements_of([Source(nodes)], native_id, seen, lists)
    for element in elements:  # the layout knows what can be clicked
        if member(extra.get(element.native_id), "clickable") is True:
            element.states["clickable"] = True
    title = elements[0].get("name") if elements else ""
    outer = [(k, v) for k, v in root.items() if v is not held] if isinstance(root, Object) else []
    rest = [(k, v) for k, v in held.items() if v is not tree and k != "extra_element_properties"]
    entries = [(k, v) for k, v in tree.items() if v is not nodes] if isinstance(tree, Object) else []
    around = outer if root is not held else []
    elements += headers(len(elements), [*around, *rest, *(entries if tree is not held else []), *shadowed])
    return Observation(
        name,
        FORMAT,
        source,
        tuple(elements),
        screen_of(held),
        tuple(lists.spans),
        (*warnings, *same_ids(elements)),
        title,
    )


def _holder(root: Array | Object) -> Object:
    """The object with the tree: the whole file, or a member of it such as ``obs``."""
    if isinstance(root, Object) and "axtree_object" not in root and "nodes" not in root:
        for value in root.values():
            if isinstance(value, Object) and "axtree_object" in value:
                return value
    return root if isinstance(root, Object) else Object()
