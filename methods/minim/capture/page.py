"""Capture one page: accessibility trees of all frames, boxes in document pixels, and a picture.

The result has the same shape as a saved ``cdp-axtree+boxes`` observation. InlineTextBox nodes and
``sources`` only repeat other texts, and unpainted ignored nodes hold none, so none of them is captured.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from methods.core.errors import BadInput
from methods.minim.capture.devtools import Chromium
from methods.minim.capture.snapshot import Painted, read_snapshot

STYLES = ["opacity", "visibility", "cursor", "overflow-x", "overflow-y", "position"]
_ATTRIBUTES = {"type": "input_type", "autocomplete": "autocomplete", "inputmode": "inputmode"}
_ATTRIBUTES |= {"maxlength": "maxlength", "placeholder": "placeholder"}
_NOISE = {"invalid", "settable", "labelledby", "describedby"}
LARGEST = 4096
"""Pixels; the longest side of a viewport."""


@dataclass(frozen=True)
class Capture:
    """``document`` is the observation (plain JSON), ``png`` the picture of the viewport."""

    document: dict[str, Any]
    png: bytes


def checked_url(target: str | Path) -> str:
    """The URL to open: a local file, or an http address of this machine.

    Raises:
        BadInput: anything else, so that a capture never talks to the network.
    """
    text = str(target)
    parts = urlsplit(text)
    if parts.scheme in ("http", "https"):
        try:
            host = parts.hostname or ""
            local = host == "localhost" or ip_address(host).is_loopback
        except ValueError:
            local = False
        if local:
            return text
        raise BadInput(
            f"{text} is not on this machine.", "Give an HTML file or an address like http://127.0.0.1:8000/."
        )
    if "://" in text and parts.scheme != "file":
        raise BadInput(f"{text}: only files and pages of this machine can be captured.", "Give an HTML file.")
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost"):
            raise BadInput(f"{text} names a file of another machine.", "Give a local file.")
        return text
    path = Path(text).expanduser()
    if not path.is_file():
        raise BadInput(f"{path} is no file.", "Give an HTML file or an address like http://127.0.0.1:8000/.")
    return path.resolve().as_uri()


def capture_page(
    target: str | Path, width: int = 1280, height: int = 900, ratio: float = 1.0, scroll: float = 0.0
) -> Capture:
    """Open ``target`` in an installed Chromium and capture what an agent would see of it.

    Args:
        target: path of an HTML file, or a ``file:`` or loopback ``http:`` address.
        width: of the viewport, CSS pixels.
        height: of the viewport, CSS pixels.
        ratio: device pixels per CSS pixel, 0.25 to 4.
        scroll: how far to scroll down before the capture, CSS pixels.

    Raises:
        BadInput: the target is not on this machine or cannot be opened, a size is out of range, no Chromium.
        WorkFailed: the browser fails.
    """
    url = checked_url(target)
    with Chromium() as browser:
        open_page(browser, url, width, height, ratio, scroll)
        return capture(browser)


def open_page(
    browser: Chromium, url: str, width: int, height: int, ratio: float = 1.0, scroll: float = 0.0
) -> None:
    """Load ``url`` in a viewport of that size and scroll down."""
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST and 0.25 <= ratio <= 4):
        raise BadInput(
            f"A viewport of {width} x {height} at pixel ratio {ratio} is out of range.",
            f"Use 1 to {LARGEST} pixels and a ratio of 0.25 to 4.",
        )
    for domain in ("Page", "DOM", "Accessibility"):
        browser.send(f"{domain}.enable")
    browser.send(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=height,
        deviceScaleFactor=ratio,
        mobile=False,
    )
    browser.send("Page.setDownloadBehavior", behavior="deny")
    browser.forget_events()
    failure = browser.send("Page.navigate", url=url).get("errorText")
    if failure:
        raise BadInput(f"{url} cannot be opened ({failure}).", "Check that it opens in a browser.")
    browser.wait_for("Page.loadEventFired")
    _evaluate(browser, "document.fonts.ready.then(() => true)")
    if scroll:
        _evaluate(browser, f"window.scrollTo(0, {float(scroll)})")
    # Two frames later the page is painted where it was scrolled to.
    _evaluate(browser, "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")


def capture(browser: Chromium) -> Capture:
    """Capture the open page."""
    with _animations_paused(browser):
        png = base64.b64decode(browser.send("Page.captureScreenshot", format="png")["data"])
        raw = browser.send("DOMSnapshot.captureSnapshot", computedStyles=STYLES)
        trees = list(_trees(browser))
    metrics = browser.send("Page.getLayoutMetrics")
    view = metrics["cssLayoutViewport"]
    viewport = (view["clientWidth"], view["clientHeight"])
    scroll = (view["pageX"], view["pageY"])
    painted = read_snapshot(raw, STYLES, scroll, viewport, lambda owner: _content_corner(browser, owner))
    nodes = _merge(trees, painted)
    return Capture(
        {
            "url": raw["strings"][raw["documents"][0]["documentURL"]],
            "scroll": {"x": scroll[0], "y": scroll[1]},
            "devicePixelRatio": _evaluate(browser, "window.devicePixelRatio"),
            "viewport": list(viewport),
            "screenshot_px": list(_size(png)),
            "nodes": nodes,
        },
        png,
    )


@contextmanager
def _animations_paused(browser: Chromium) -> Iterator[None]:
    """Picture and boxes of the same moment."""
    browser.send("Animation.enable")
    browser.send("Animation.setPlaybackRate", playbackRate=0)
    try:
        yield
    finally:
        browser.send("Animation.setPlaybackRate", playbackRate=1)


def _evaluate(browser: Chromium, code: str) -> Any:
    found = browser.send("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
    return found["result"].get("value")


def _size(png: bytes) -> tuple[int, int]:
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return image.size


def _trees(browser: Chromium) -> Iterator[tuple[str, int | None, list[dict]]]:
    """For each frame, parents first: its id, the DOM node that holds it, its accessibility nodes."""
    waiting = [browser.send("Page.getFrameTree")["frameTree"]]
    while waiting:
        tree = waiting.pop()
        frame = tree["frame"]["id"]
        owner = None
        if "parentId" in tree["frame"]:
            owner = browser.send("DOM.getFrameOwner", frameId=frame)["backendNodeId"]
        yield frame, owner, browser.send("Accessibility.getFullAXTree", frameId=frame)["nodes"]
        waiting.extend(reversed(tree.get("childFrames", [])))


def _content_corner(browser: Chromium, node: int) -> tuple[float, float]:
    """Left and top of what a frame element shows, in CSS pixels of the viewport."""
    quad = browser.send("DOM.getBoxModel", backendNodeId=node)["model"]["content"]
    return quad[0], quad[1]


def _merge(trees: list[tuple[str, int | None, list[dict]]], painted: dict[int, Painted]) -> list[dict]:
    """One list of nodes, parents first; nodes of inner frames hang below the element that holds the frame."""
    merged: list[dict] = []
    by_backend: dict[int, dict] = {}
    for number, (frame, owner, nodes) in enumerate(trees):
        prefix = f"f{number}." if number else ""
        holder = by_backend.get(owner) if owner is not None else None
        for node in _kept(nodes, prefix, holder, painted):
            if number:
                node["frameId"] = frame
            backend = node.get("backendDOMNodeId")
            if backend is not None:
                by_backend.setdefault(backend, node)
                if backend in painted:
                    _describe(node, painted[backend])
            merged.append(node)
    _append_unseen(merged, by_backend, painted)
    return merged


def _kept(nodes: list[dict], prefix: str, holder: dict | None, painted: dict[int, Painted]) -> Iterator[dict]:
    """The nodes that an agent is given, in document order; children of left-out nodes move up."""
    by_id = {n["nodeId"]: n for n in nodes}
    kept: dict[str, dict] = {}
    stack: list[tuple[str, dict | None]] = [
        (n["nodeId"], holder) for n in reversed(nodes) if n.get("parentId") not in by_id
    ]
    while stack:
        key, parent = stack.pop()
        if key in kept:
            continue
        raw = by_id[key]
        node = parent
        if not raw.get("ignored") and not _repeats(raw, parent, painted):
            node = {k: raw[k] for k in ("role", "name", "value", "description") if raw.get(k)}
            node = {"nodeId": prefix + key} | {k: {"value": v.get("value", "")} for k, v in node.items()}
            node["properties"] = [_plain(p) for p in raw.get("properties", ()) if p["name"] not in _NOISE]
            if "backendDOMNodeId" in raw:
                node["backendDOMNodeId"] = raw["backendDOMNodeId"]
            if parent is not None:
                node["parentId"] = parent["nodeId"]
                parent.setdefault("childIds", []).append(node["nodeId"])
            kept[key] = node
            yield node
        stack.extend((c, node) for c in reversed(raw.get("childIds", ())) if c in by_id)


def _repeats(raw: dict, parent: dict | None, painted: dict[int, Painted]) -> bool:
    """A node without a text of its own: line boxes, spaces between words, the inside of an input."""
    role = raw["role"].get("value")
    if role in ("InlineTextBox", "LineBreak"):
        return True
    if role == "StaticText" and not raw.get("name", {}).get("value", "").strip():
        return True
    inside = raw.get("backendDOMNodeId") not in painted and role in ("generic", "StaticText")
    return inside and parent is not None and any(p["name"] == "editable" for p in parent["properties"])


def _plain(item: dict) -> dict:
    """A property without the related nodes, whose texts are in the tree already."""
    value = {k: v for k, v in item["value"].items() if k != "relatedNodes"}
    return {"name": item["name"], "value": value}


def _describe(node: dict, seen: Painted) -> None:
    """Add what the DOM and the layout know: attributes that matter, box, whether a person sees it."""
    extra = {} if seen.tag.startswith("#") else {"tag": seen.tag}
    extra |= {ours: seen.attributes[name] for name, ours in _ATTRIBUTES.items() if name in seen.attributes}
    for name, value in extra.items():
        node["properties"].append({"name": name, "value": {"type": "string", "value": value}})
    for name in ("clickable",) if seen.clickable else ():
        node["properties"].append({"name": name, "value": {"type": "boolean", "value": True}})
    if seen.box is not None:
        node["box_document"] = [round(v, 2) for v in seen.box]
    node["visible"] = seen.visible


def _append_unseen(merged: list[dict], by_backend: dict[int, dict], painted: dict[int, Painted]) -> None:
    """Texts on the picture that the accessibility tree lacks, e.g. below aria-hidden: they need masks too."""
    root = merged[0]
    for backend, seen in painted.items():
        if seen.tag != "#text" or not seen.visible or backend in by_backend or not seen.text.strip():
            continue
        if seen.parent in by_backend and seen.text.strip() in _texts(by_backend[seen.parent]):
            continue
        node = {
            "nodeId": f"dom{backend}",
            "ignored": True,
            "role": {"value": "StaticText"},
            "name": {"value": seen.text.strip()},
            "properties": [],
            "backendDOMNodeId": backend,
            "parentId": root["nodeId"],
            "box_document": [round(v, 2) for v in seen.box],
            "visible": True,
        }
        root.setdefault("childIds", []).append(node["nodeId"])
        merged.append(node)


def _texts(node: dict) -> str:
    return " ".join(str(node.get(k, {}).get("value", "")) for k in ("name", "value"))
