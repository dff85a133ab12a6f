"""Render our own pages into samples and exactly labelled training screens of MINIM.

    python scripts/render_minim_pages.py [--only mail] [--seeds 6]

Each page of ``assets/samples/minim/pages`` is a template. Its elements carry labels that are read and taken
off before the capture: ``data-s`` (inherent sensitivity, 0 to 10), ``data-pii`` (type of what it says) and
``data-n-1`` to ``data-n-3`` (necessity for the page's three tasks, 0 to 10). Labels hold for everything
inside the element that has none of its own. Seed 0 is the sample that is shipped; other seeds change people,
codes, numbers and wordings. Needs Chromium, and the font Inter for the same look.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from methods.minim.capture.devtools import Chromium
from methods.minim.capture.page import STYLES, Capture, capture, open_page
from methods.minim.capture.snapshot import read_snapshot
from methods.minim.observation import INTERACTIVE_ROLES
from scripts.minim_fakes import Fakes

SAMPLES = Path(__file__).resolve().parent.parent / "assets" / "samples" / "minim"
SHIPPED = ("mail", "checkout", "clinic", "orders")
PAGES = (*SHIPPED, "bank", "people", "chat", "signin")
VIEWPORT = (1280, 900)
TASKS = (1, 2, 3)
_STRIP = """for (const e of document.querySelectorAll('*'))
  for (const a of [...e.attributes]) if (/^data-(s|pii|n-)/.test(a.name)) e.removeAttribute(a.name);
document.querySelectorAll('meta[name=task]').forEach(e => e.remove())"""
_PROPS = """focusable checked expanded selected disabled required level url input_type autocomplete placeholder
inputmode maxlength clickable""".split()


@dataclass
class Label:
    """Labels of one DOM node; ``text`` is what it says, for finding copies of it elsewhere."""

    s: float | None
    pii: str
    n: dict[int, float]
    text: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=PAGES, help="pages to render")
    parser.add_argument("--seeds", type=int, default=6, help="variants per page")
    options = parser.parse_args()
    pages = Environment(
        loader=FileSystemLoader(SAMPLES / "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    screens, sensitivity, tasks = {}, [], []
    with Chromium() as browser, tempfile.TemporaryDirectory() as folder:
        for page in options.only:
            for seed in range(options.seeds):
                html = pages.get_template(f"{page}.html").render(fake=Fakes(page, seed))
                path = Path(folder, f"{page}.html")
                path.write_text(html, encoding="utf-8")
                shot, labels, intents = render(browser, path)
                name = f"own-{page}-{seed:03d}"
                nodes, s, pii, needs = labelled_nodes(shot, labels)
                screens[name] = _screen(name, page, shot, nodes)
                sensitivity.append({"screen": name, "s": s, "pii": pii})
                for k, intent in zip(TASKS, intents, strict=True):
                    tasks.append(
                        {"screen": name, "task": f"{page}/{k}", "intent": intent, "kind": "target"}
                        | {"source": "own", "difficulty": "", "n": needs[k]}
                    )
                if seed == 0 and page in SHIPPED:
                    write_sample(page, shot, intents)
            print(f"{page}: {len(nodes)} elements, {len(pii)} private texts")
    if tuple(options.only) == PAGES:
        write_training(screens, sensitivity, tasks)


def render(browser: Chromium, path: Path) -> tuple[Capture, dict[int, Label], list[str]]:
    """Capture a page without its labels; the labels by backend node id, and its tasks."""
    open_page(browser, path.as_uri(), *VIEWPORT)
    raw = browser.send("DOMSnapshot.captureSnapshot", computedStyles=STYLES)
    dom = read_snapshot(raw, STYLES, (0, 0), VIEWPORT, lambda owner: (0, 0))
    labels: dict[int, Label] = {}
    intents = []
    for backend, node in dom.items():
        a = node.attributes
        above = labels.get(node.parent)
        n = dict(above.n) if above else {}
        n |= {k: float(a[f"data-n-{k}"]) for k in TASKS if f"data-n-{k}" in a}
        s = float(a["data-s"]) if "data-s" in a else above.s if above else None
        labels[backend] = Label(s, a.get("data-pii", ""), n, a.get("data-pii-text", a.get("value", "")))
        if node.tag == "meta" and a.get("name") == "task":
            intents.append(a["content"])
        if node.tag == "#text" or node.text:
            parent = backend if node.tag != "#text" else node.parent
            while parent in dom:
                if labels[parent].pii and "data-pii-text" not in dom[parent].attributes:
                    labels[parent].text = f"{labels[parent].text} {node.text}".strip()
                    break
                parent = dom[parent].parent
    browser.send("Runtime.evaluate", expression=_STRIP)
    shot = capture(browser)
    shot.document["url"] = f"https://{path.stem}.example/"
    shot.document["nodes"][0]["properties"] = [
        p | {"value": {"type": "string", "value": shot.document["url"]}} if p["name"] == "url" else p
        for p in shot.document["nodes"][0]["properties"]
    ]
    for node in shot.document["nodes"]:
        for p in node["properties"]:
            if p["name"] == "url" and str(p["value"]["value"]).startswith("file:"):
                p["value"]["value"] = shot.document["url"] + p["value"]["value"].partition(".html")[2]
    return shot, labels, intents


def labelled_nodes(shot: Capture, labels: dict[int, Label]) -> tuple[list, list, list, dict]:
    """The screen's nodes in the layout of labelled folders, s per node, private texts, n per task."""
    raw = shot.document["nodes"]
    by_id = {n["nodeId"]: n for n in raw}
    number: dict[str, int] = {}
    nodes: list[dict] = []
    sources: list[Label] = []
    for node in _in_order(raw, by_id):
        parent = node.get("parentId")
        while parent is not None and parent not in number:
            parent = by_id[parent].get("parentId")
        if not _counts(node, by_id):
            continue
        number[node["nodeId"]] = len(nodes)
        nodes.append(_row(node, len(nodes), number.get(parent, -1)))
        own = labels.get(node["backendDOMNodeId"], Label(None, "", {}))
        # What only the picture shows, such as initials, serves no task.
        sources.append(replace(own, n={}) if node.get("ignored") else own)
    private = list({(p.text, p.pii): p for p in labels.values() if p.pii}.values())
    s, pii = [], []
    for node, own in zip(nodes, sources, strict=True):
        plain = bool(node.get("interactive")) or node["role"] == "StaticText"
        best = own.s if own.s is not None and (node["name"] or node.get("value")) else 0.5 if plain else 0.0
        for label in private:
            text = " ".join(label.text.split())
            for field in ("name", "value", "description"):
                if label.s and text and _says(node.get(field, ""), text, label.text == own.text):
                    best = max(best, label.s)
                    pii.append(
                        {"node": node["id"], "field": field, "text": text, "type": label.pii, "s": label.s}
                    )
        s.append(best)
    needs = {k: {str(i): o.n[k] for i, o in enumerate(sources) if k in o.n} for k in TASKS}
    return nodes, [int(v) if v == int(v) else v for v in s], pii, needs


def _says(text: str, private: str, own: bool) -> bool:
    return private in text if own or len(private) >= 5 else private == text


def _in_order(raw: list[dict], by_id: dict[str, dict]) -> list[dict]:
    found, stack = [], [raw[0]["nodeId"]]
    while stack:
        node = by_id[stack.pop()]
        found.append(node)
        stack.extend(reversed(node.get("childIds", [])))
    return found


def _counts(node: dict, by_id: dict[str, dict]) -> bool:
    """False for an only text that repeats its parent's name, and for boxes without a role."""
    role, parent = node["role"]["value"], by_id.get(node.get("parentId"))
    if role == "StaticText" and parent is not None and len(parent["childIds"]) == 1:
        return node["name"]["value"].strip() != parent.get("name", {}).get("value", "").strip()
    return role not in ("generic", "none", "MenuListPopup") or bool(node.get("name", {}).get("value"))


def _row(node: dict, number: int, parent: int) -> dict:
    value = {k: node.get(k, {}).get("value", "") for k in ("role", "name", "value", "description")}
    props = {p["name"]: p["value"].get("value") for p in node["properties"]}
    row = {"id": number, "parent": parent, "role": value["role"], "name": value["name"]}
    row |= {k: value[k] for k in ("value", "description") if value[k] != ""}
    row["tag"] = props.get("tag", "#text")
    kept = {k: props[k] for k in _PROPS if props.get(k)} | ({"ignored": True} if node.get("ignored") else {})
    if kept:
        row["props"] = kept
    box = node.get("box_document")
    row |= {"box": [round(v, 1) for v in box] if box else None, "visible": node.get("visible", False)}
    if value["role"].lower() in INTERACTIVE_ROLES:
        row["interactive"] = True
    return row


def _screen(name: str, page: str, shot: Capture, nodes: list) -> dict:
    return {
        "screen": name,
        "app": f"own-{page}",
        "viewport": list(VIEWPORT),
        "devicePixelRatio": 1,
        "scroll": {"x": 0, "y": 0, "inner": None},
        "document_height": VIEWPORT[1],
        "clicks": 0,
        "clicked": [],
        "nodes": nodes,
        "injected": [],
    }


def write_sample(page: str, shot: Capture, intents: list[str]) -> None:
    """``<page>.json``, ``<page>.png`` and ``<page>.tasks.json``."""
    (SAMPLES / f"{page}.json").write_text(_compact(shot.document) + "\n", encoding="utf-8")
    (SAMPLES / f"{page}.tasks.json").write_text(json.dumps({"tasks": intents}, indent=1) + "\n")
    with Image.open(io.BytesIO(shot.png)) as image:
        image.convert("RGB").save(SAMPLES / f"{page}.png", optimize=True)


def write_training(screens: dict, sensitivity: list, tasks: list) -> None:
    """A labelled folder, the same bytes each time."""
    folder = SAMPLES / "training"
    (folder / "screens").mkdir(parents=True, exist_ok=True)
    for name, screen in screens.items():
        data = gzip.compress(_compact(screen).encode(), 9, mtime=0)
        (folder / "screens" / f"{name}.json.gz").write_bytes(data)
    for name, rows in (("sensitivity", sensitivity), ("tasks", tasks)):
        (folder / f"{name}.jsonl").write_text("".join(_compact(r) + "\n" for r in rows), encoding="utf-8")


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
