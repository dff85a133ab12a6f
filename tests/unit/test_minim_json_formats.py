"""Readers of JSON observations: places of texts, trees, frames, boxes, and files that are damaged."""

import gzip
import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.minim import formats
from methods.minim.codecs import decode
from methods.minim.formats import cdp, dom_snapshot, mapping
from methods.minim.formats.json_spans import Array, Number, Object, String, read_json
from methods.minim.writer import replace_parts, rewrite
from tests.shared import shared_path


def check(observation):
    """What holds for every observation: order, spans, members of lists."""
    for uid, e in enumerate(observation.elements):
        assert e.uid == uid
        assert -1 <= e.parent < uid
        for t in e.texts:
            if t.span is not None:
                assert decode(observation.source[t.span.start : t.span.end], t.span.codec) == t.text
        for which, position in e.items:
            start, end = observation.lists[which][position]
            assert 0 <= start < end <= len(observation.source)
        for t in e.texts:  # dropping an element drops all it says; copies leave anyway
            if t.span is not None and t.span.end > t.span.start and t.field != "copy":
                gone = [observation.lists[w][p] for w, p in e.items] + list(e.cuts)
                assert any(a <= t.span.start and t.span.end <= b for a, b in gone)
    return observation


def parse(document, name="screen.json"):
    return check(formats.parse(name, document if isinstance(document, str) else json.dumps(document)))


def said(element):
    return [(t.field, t.text) for t in element.texts]


def load_case(*parts):
    path = shared_path("cases", "ui", *parts)
    return check(formats.load(path))


# JSON with places

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@given(
    st.lists(json_values) | st.dictionaries(st.text(), json_values),
    st.booleans(),
    st.none() | st.integers(0, 3),
)
def test_json_is_read_as_the_standard_library_reads_it(value, ascii_only, indent):
    source = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    root, shadowed = read_json("x", source)
    assert root == json.loads(source, parse_int=float)
    assert shadowed == []
    waiting = [root]
    while waiting:
        v = waiting.pop()
        if isinstance(v, (Array, Object)):
            assert json.loads(source[v.start : v.end], parse_int=float) == v
            waiting.extend(v if isinstance(v, Array) else v.values())
        if isinstance(v, Array):
            assert [json.loads(source[a:b], parse_int=float) for a, b in v.spans] == v
        if isinstance(v, String):
            assert json.loads('"' + source[v.start : v.end] + '"', strict=False) == v
        if isinstance(v, Number):
            assert float(source[v.start : v.end]) == v


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("", 1, 1), ("7", 1, 1), ('"a"', 1, 1), ("[1,]", 1, 4), ("[,1]", 1, 2), ('{"a"}', 1, 2), ("[1 2]", 1, 4),
        ('{"a":1,}', 1, 8), ("[1],", 1, 4), ("[1]]", 1, 4), ("[", 1, 2), ("[}", 1, 2), ('{"a":1\n "b":2}', 2, 2),
        ("{1}", 1, 2), ("[][]", 1, 3), ('["a":1]', 1, 2), ('["\\q"]', 1, 2), ('["a]', 1, 2), ("[01]", 1, 3),
    ],
)  # fmt: skip
def test_json_errors_say_where(source, line, column):
    with pytest.raises(BadInput, match=f"x.json, line {line}, column {column}: this is no JSON"):
        read_json("x.json", source)


def test_repeated_names_are_kept_aside():
    root, shadowed = read_json("x", '{"a": "first", "a": "second"}')
    assert root == {"a": "second"}
    assert shadowed == [("a", "first")]


def test_nesting_costs_no_stack():
    deep = read_json("x", "[" * 100_000 + "]" * 100_000).root
    for _ in range(99_999):
        (deep,) = deep
    assert deep == []


def test_masked_numbers_stay_numbers():
    o = parse([{"role": "textbox", "name": "PIN", "value": 482913, "id": 1}])
    span = next(t for t in o.elements[0].texts if t.field == "value").span
    for part in ((0, 6), (0, 2), (2, 6), (1, 3)):
        edits = replace_parts(o.source, span, [(*part, "[CODE]")])
        new = o.source[: edits[0].start] + edits[0].raw + o.source[edits[0].end :]
        assert isinstance(json.loads(new)[0]["value"], int)
        assert "482913" not in new


# Chrome's accessibility tree

LINK = {
    "nodeId": "2", "parentId": "1", "role": {"value": "link"}, "childIds": ["3"],
    "name": {"value": "Ann\n\"A\" Lee", "sources": [
        {"type": "attribute", "attribute": "title", "value": {"type": "computedString", "value": "Ann's page"}},
        {"type": "relatedElement", "attributeValue": {"type": "idrefList", "value": "l1", "relatedNodes": [
            {"backendDOMNodeId": 7, "idref": "l1", "text": "Ann Lee, patient"}]}}]},
    "description": {"type": "computedString", "value": "Write to Ann"},
    "properties": [
        {"name": "focusable", "value": {"type": "booleanOrUndefined", "value": True}},
        {"name": "checked", "value": {"type": "tristate", "value": "mixed"}},
        {"name": "level", "value": {"type": "integer", "value": 2}},
        {"name": "url", "value": {"type": "string", "value": "https://x.example/?t=abc"}},
        {"name": "roledescription", "value": {"type": "string", "value": "Card of Ann"}},
    ],
    "backendDOMNodeId": 31,
}  # fmt: skip


def ax(node_id, role, name="", **more):
    return {"nodeId": node_id, "ignored": False, "role": {"value": role}, "name": {"value": name}} | more


def page(*nodes, **root):
    children = [n["nodeId"] for n in nodes if n.get("parentId") == "1"]
    return {"nodes": [ax("1", "RootWebArea", "Page", childIds=children), *nodes]} | root


def test_every_field_of_an_ax_node_is_read():
    o = parse(page(LINK, ax("3", "StaticText", 'Ann\n"A" Lee', parentId="2", childIds=["-4"]),
                   ax("-4", "InlineTextBox", "Ann", parentId="3")))  # fmt: skip
    assert o.format == "cdp-axtree"
    assert [e.role for e in o.elements] == ["RootWebArea", "link"]
    link = o.elements[1]
    assert said(link) == [
        ("name", 'Ann\n"A" Lee'), ("copy", "Ann's page"), ("copy", "l1"), ("copy", "Ann Lee, patient"),
        ("description", "Write to Ann"), ("url", "https://x.example/?t=abc"), ("description", "Card of Ann"),
        ("copy", 'Ann\n"A" Lee'), ("copy", "Ann"),
    ]  # fmt: skip
    assert link.states == {"focusable": True, "checked": "mixed", "level": 2, "backend": 31}
    assert (link.native_id, link.parent) == ("2", 0)


def test_a_dropped_ax_node_leaves_list_and_parent():
    o = parse(
        page(LINK, ax("3", "StaticText", 'Ann\n"A" Lee', parentId="2"), ax("5", "button", "Go", parentId="1"))
    )
    new = json.loads(rewrite(o, {}, {1}))
    assert new["nodes"] == [
        ax("1", "RootWebArea", "Page", childIds=["5"]), ax("5", "button", "Go", parentId="1")
    ]  # fmt: skip
    assert json.loads(rewrite(o, {}, {0, 1, 2})) == {"nodes": []}


def test_copies_leave_even_when_everything_is_kept():
    o = parse(page(LINK))
    (link,) = json.loads(rewrite(o, {}, ()))["nodes"][1:]
    assert link["name"]["value"] == 'Ann\n"A" Lee'
    assert "patient" not in json.dumps(link["name"]["sources"])
    assert link["properties"] == LINK["properties"]


def test_ignored_containers_give_their_children_to_the_element_above():
    o = parse(page({"nodeId": "2", "parentId": "1", "ignored": True, "role": {"value": "none"}, "childIds": ["3"]},
                   ax("3", "button", "Go", parentId="2")))  # fmt: skip
    assert [(e.role, e.parent) for e in o.elements] == [("RootWebArea", -1), ("button", 0)]
    assert json.loads(rewrite(o, {}, {1}))["nodes"][1]["childIds"] == []


def test_ignored_text_is_not_exposed():
    o = parse(page(ax("2", "StaticText", "painted", parentId="1") | {"ignored": True, "visible": True}))
    assert (o.elements[1].exposed, o.elements[1].visible, o.elements[1].get("name")) == (
        False,
        True,
        "painted",
    )


def test_empty_value_keeps_its_place():
    o = parse(page(ax("2", "textbox", "Card", parentId="1", value={"type": "string", "value": ""})))
    index, value = next((i, t) for i, t in enumerate(o.elements[1].texts) if t.field == "value")
    assert value.text == "" and value.span.start == value.span.end
    new = json.loads(rewrite(o, {(1, index): [(0, 0, "[EMPTY]")]}, ()))
    assert new["nodes"][1]["value"]["value"] == "[EMPTY]"


def test_tree_without_child_ids_and_nodes_in_any_order():
    nodes = [
        ax("3", "button", "Go", parentId="2"),
        ax("2", "form", "Pay", parentId="1"),
        ax("1", "RootWebArea"),
    ]
    o = parse({"nodes": nodes})
    assert [(e.native_id, e.parent) for e in o.elements] == [("1", -1), ("2", 0), ("3", 1)]


def test_circles_and_repeated_ids_are_warned_of():
    nodes = [
        ax("1", "form", childIds=["2"]),
        ax("2", "group", childIds=["1"]),
        ax("2", "button", "Go", parentId="1"),
    ]
    o = parse({"nodes": [*nodes, ax("4", "button", childIds=["4", "9"])]})
    assert sorted(e.native_id for e in o.elements) == ["1", "2", "2", "4"]
    assert o.warnings == ("Nodes are their own ancestors.", "Several elements carry the same id: 2.")


@pytest.mark.parametrize("as_dict", [False, True])
def test_frames_are_joined_by_their_id(as_dict):
    main = page(
        ax("2", "Iframe", "Pay", parentId="1", frameId="F2"), ax("3", "Iframe", parentId="1", frameId="F3")
    )
    main["nodes"][0]["frameId"] = "F1"
    third = {"nodes": [ax("1", "RootWebArea", "Third", frameId="F3")]}
    second = {
        "nodes": [ax("1", "RootWebArea", "Second", frameId="F2", childIds=["2"]), ax("2", "textbox", "Card")]
    }
    results = {"F1": main, "F3": third, "F2": second} if as_dict else [main, third, second]
    o = parse(results)
    assert [(e.get("name"), e.parent, e.frame) for e in o.elements] == [
        ("Page", -1, ""), ("Pay", 0, "F2"), ("Second", 1, "F2"), ("Card", 2, "F2"), ("", 0, "F3"), ("Third", 4, "F3")
    ]  # fmt: skip
    assert o.warnings == ("Several elements carry the same id: 2.",) or not o.warnings


def test_frames_without_ids_are_joined_in_order():
    o = parse([page(ax("2", "Iframe", parentId="1")), {"nodes": [ax("1", "RootWebArea", "Inner")]}])
    assert [(e.role, e.parent, e.frame) for e in o.elements] == [
        ("RootWebArea", -1, ""), ("Iframe", 0, ""), ("RootWebArea", 1, "1")
    ]  # fmt: skip


def test_what_stands_around_the_tree_is_read():
    picture = "data:image/png;base64,AAAA"
    o = parse(page(url="https://x.example/?token=abc", screenshot=picture, id=7))
    assert [(e.role, said(e), e.exposed) for e in o.elements[1:]] == [
        ("#header", [("url", "https://x.example/?token=abc")], True), ("#header", [("copy", picture)], False)
    ]  # fmt: skip
    new = json.loads(rewrite(o, {}, {1}))
    assert (new["url"], new["screenshot"]) == ("", "")


def test_pointer_over_text_inside_a_control_is_no_control():
    pointer = [{"name": "clickable", "value": {"type": "boolean", "value": True}}]
    o = parse(page(ax("2", "generic", parentId="1", childIds=["3", "4"], properties=pointer),
                   ax("3", "StaticText", "Open", properties=pointer),
                   ax("4", "image", properties=pointer)))  # fmt: skip
    assert [e.interactive for e in o.elements] == [False, True, False, False]


def test_case_field_copies():
    o = load_case("03_field_copies", "axtree.json")
    assert o.format == "cdp-axtree"
    assert [(e.native_id, e.role) for e in o.elements] == [
        ("1", "RootWebArea"),
        ("2", "link"),
        ("7", "button"),
    ]
    new = rewrite(o, {}, {1})
    assert "noor.hallam" not in new
    assert [(n["nodeId"], n["backendDOMNodeId"]) for n in json.loads(new)["nodes"]] == [("1", 1), ("7", 20)]


def test_case_boxes_are_corrected_for_scroll_and_ratio():
    o = load_case("08_split_code_and_scroll", "capture.json")
    want = json.loads(shared_path("cases", "ui", "08_split_code_and_scroll", "expected.json").read_text())
    assert o.format == want["format"] == "cdp-axtree+boxes"
    found = {e.native_id: o.pixel_box(e) for e in o.elements}
    assert {i: list(found[i]) for i in want["boxes_px"]} == want["boxes_px"]
    assert [e.native_id for e in o.elements if not e.visible] == want["off_screen"]
    assert (o.screen.viewport, o.screen.ratio, o.screen.scroll) == ((1280, 900), 2, (0, 700))
    assert o.screen.pixels == (2560, 1800)
    assert o.screen.doubts == ()


def test_a_picture_of_another_size_raises_doubts():
    o = parse(page(viewport=[1280, 900], devicePixelRatio=2, screenshot_px=[1280, 900]))
    assert o.screen.doubts == (
        "The picture is 1280 x 900 pixels, but viewport and pixel ratio make it 2560 x 1800.",
    )


# BrowserGym


def gym():
    return {
        "goal": "Pay the bill", "url": "https://x.example/?s=1", "open_pages_titles": ["Bills"],
        "axtree_object": page(
            ax("2", "button", "Pay", parentId="1", browsergym_id="a20"), ax("3", "StaticText", "Emma", parentId="1")
        ),
        "extra_element_properties": {
            "a20": {"visibility": 0.2, "bbox": [1, 2, 30, 40], "clickable": True, "set_of_marks": False}
        },
        "dom_object": {"strings": ["Emma", "secret"]}, "screenshot": [[[0, 0, 0]]],
    }  # fmt: skip


@pytest.mark.parametrize("wrap", [False, True])
def test_browsergym(wrap):
    o = parse({"obs": gym(), "step": 3} if wrap else gym())
    assert o.format == "browsergym-json"
    _, button, text, *around = o.elements
    assert (button.native_id, button.box, button.visible, button.interactive) == (
        "a20",
        (1, 2, 30, 40),
        False,
        True,
    )
    assert (text.native_id, text.get("name")) == ("", "Emma")
    assert [(t.field, t.text) for e in around for t in e.texts] == [
        ("name", "Pay the bill"), ("url", "https://x.example/?s=1"), ("name", "Bills"),
        ("copy", "Emma"), ("copy", "secret"),
    ]  # fmt: skip
    new = json.loads(rewrite(o, {}, {around[-1].uid}))
    new = new["obs"] if wrap else new
    assert (new["dom_object"]["strings"], new["screenshot"]) == (["", ""], [])
    assert new["axtree_object"] == gym()["axtree_object"]


# Labelled screens


def screen(**more):
    node = {"id": 1, "parent": 0, "role": "textbox", "name": "Search", "tag": "input", "box": [1, 2, 3, 4],
            "props": {"input_type": "text", "placeholder": "Search mail", "clickable": True},
            "visible": True, "interactive": True, "value": "from: Ann", "backend": 9}  # fmt: skip
    root = {"id": 0, "parent": -1, "role": "RootWebArea", "name": "Mail", "box": None, "visible": False}
    return {"screen": "mail-1", "app": "mail", "viewport": [1280, 900], "devicePixelRatio": 2,
            "scroll": {"x": 0, "y": 5, "inner": None}, "nodes": [root, node],
            "injected": [{"kind": "otp_toast", "texts": [{"text": "482913", "type": "otp", "s": 10}]}],
    } | more  # fmt: skip


def test_labelled_screen():
    o = parse(screen())
    assert o.format == "studiolo-screen"
    root, box = o.elements
    assert (root.visible, root.box, said(root)) == (False, None, [("name", "Mail"), ("copy", "482913")])
    assert (box.native_id, box.box, box.interactive) == ("1", (1, 2, 3, 4), True)
    assert said(box) == [("name", "Search"), ("value", "from: Ann"), ("placeholder", "Search mail")]
    assert box.states["input_type"] == "text"
    assert o.screen.pixels == (2560, 1800)
    new = json.loads(rewrite(o, {}, {1}))
    assert [n["id"] for n in new["nodes"]] == [0]
    assert new["injected"][0] == {"kind": "otp_toast", "texts": [{"text": "", "type": "otp", "s": 10}]}


def test_labelled_screen_must_be_in_order():
    nodes = screen()["nodes"]
    with pytest.raises(BadInput, match="node 0 has no parent before it"):
        parse(screen(nodes=nodes[::-1]))


def test_labelled_screens_have_one_element_per_node():
    for path in sorted(shared_path("data", "ui", "screens").glob("*.json.gz"))[::40]:
        o = check(formats.load(path))
        nodes = json.loads(gzip.decompress(path.read_bytes()))["nodes"]
        assert o.format == "studiolo-screen"
        assert [(e.native_id, e.parent, e.role, e.get("name"), e.get("value")) for e in o.elements] == [
            (str(n["id"]), n["parent"], n["role"], n["name"], n.get("value", "")) for n in nodes
        ]


@pytest.mark.parametrize("screen_id", ["mail-000", "careers-000", "workspace-settings-002"])
def test_raw_trees_have_the_elements_of_the_labelled_screens(screen_id):
    raw = check(formats.load(shared_path("data", "ui", "raw", f"{screen_id}.axtree.json.gz")))
    labelled = formats.load(shared_path("data", "ui", "screens", f"{screen_id}.json.gz")).elements

    def repeats(e):
        return (
            e.role == "StaticText" and e.parent > 0 and e.get("name") == labelled[e.parent].get("name") != ""
        )

    same = [(e.role, e.get("name")) for e in labelled if e.exposed and not repeats(e)]
    assert raw.format == "cdp-axtree"
    assert [(e.role, e.get("name").strip()) for e in raw.elements] == same
    assert raw.warnings == ()


@pytest.mark.parametrize("which", range(6))
@pytest.mark.parametrize("seed", range(6))
def test_minimised_files_are_read_alike(which, seed):
    chance = random.Random(seed)
    raw = ("axtree", "domsnapshot")
    if which < 2:
        o = formats.load(shared_path("data", "ui", "raw", f"patient-messages-001.{raw[which]}.json.gz"))
    else:
        o = formats.parse("x", SEEDS[which])
    dropped = {e.uid for e in o.elements if e.parent >= 0 and chance.random() < 0.5}
    for e in reversed(o.elements):
        if any(c not in dropped for c in o.children[e.uid]):
            dropped.discard(e.uid)
    masks, places = {}, set()
    for e in o.elements:
        for i, t in enumerate(e.texts):
            if t.span and t.text and t.field != "copy" and chance.random() < 0.3 and t.span not in places:
                places.add(t.span)
                masks[e.uid, i] = [(0, len(t.text), "" if o.children[e.uid] else f"<{e.uid}>")]
    again = check(formats.parse("x", rewrite(o, masks, dropped)))
    assert again.format == o.format
    found = iter([e.native_id for e in again.elements])
    assert all(e.native_id in found for e in o.elements if e.uid not in dropped and e.native_id)


# DOM snapshots


def snapshot():
    strings = ["Shop", "https://x.example/", "#document", "HTML", "BODY", "INPUT", "#text", "type", "password",
               "hunter2", "Jane\nRoe", "0", "1", "BUTTON", "Jane Roe"]  # fmt: skip
    nodes = {
        "parentIndex": [-1, 0, 1, 2, 2, 2, 5, 2], "nodeType": [9, 1, 1, 1, 3, 1, 3, 3],
        "nodeName": [2, 3, 4, 5, 6, 13, 6, 6], "nodeValue": [-1, -1, -1, -1, 10, -1, 10, 12],
        "backendNodeId": [1, 2, 3, 4, 5, 6, 7, 8], "attributes": [[], [], [], [7, 8], [], [], [], []],
        "inputValue": {"index": [3], "value": [9]}, "isClickable": {"index": [5]},
    }  # fmt: skip
    layout = {
        "nodeIndex": [1, 2, 3, 4, 5, 6, 7], "bounds": [[0, 700, 9, 9]] * 7, "text": [-1, -1, -1, 14, -1, 14, 12],
        "styles": [[12], [12], [12], [], [11], [], []],
    }  # fmt: skip
    document = {"title": 0, "documentURL": 1, "nodes": nodes, "layout": layout, "scrollOffsetY": 650}
    return {"documents": [document], "strings": strings}


def test_dom_snapshot():
    o = parse(snapshot())
    assert o.format == "dom-snapshot"
    assert [(e.native_id, e.role, e.visible) for e in o.elements] == [
        ("1", "RootWebArea", True), ("2", "generic", True), ("3", "generic", True), ("4", "textbox", True),
        ("5", "StaticText", True), ("6", "button", False), ("8", "StaticText", True),
    ]  # fmt: skip
    assert said(o.elements[0]) == [("name", "Shop"), ("url", "https://x.example/")]
    assert said(o.elements[3]) == [("value", "hunter2")]
    assert o.elements[3].states["input_type"] == "password"
    assert o.elements[3].box == (0, 50, 9, 9)
    assert said(o.elements[4]) == said(o.elements[5]) == [("name", "Jane\nRoe"), ("copy", "Jane Roe")]
    assert o.elements[5].interactive


def test_a_text_that_two_nodes_share_goes_for_both():
    o = parse(snapshot())
    assert o.elements[4].texts[0].span == o.elements[5].texts[0].span
    new = json.loads(rewrite(o, {}, {5}))
    assert new["strings"] == [s if "Jane" not in s else "" for s in snapshot()["strings"]]
    assert new["documents"] == snapshot()["documents"]


def test_texts_that_are_styles_as_well_stay():
    o = parse(snapshot())
    assert [(t.text, t.span) for t in o.elements[6].texts] == [("1", None)]


def test_inner_documents_are_moved_to_their_frame():
    outer, inner = snapshot(), snapshot()["documents"][0]
    outer["documents"][0]["nodes"]["contentDocumentIndex"] = {"index": [3], "value": [1]}
    outer["documents"].append(inner | {"frameId": 9, "scrollOffsetY": 700})
    o = parse(outer)
    roots = [e for e in o.elements if e.role == "RootWebArea"]
    assert [(e.parent, e.frame) for e in roots] == [(-1, ""), (3, "hunter2")]
    assert [e.box for e in o.elements if e.frame and e.role == "textbox"] == [(0, 50, 9, 9)]


def test_raw_snapshots_are_read():
    for path in sorted(shared_path("data", "ui", "raw").glob("*.domsnapshot.json.gz"))[::6]:
        o = check(formats.load(path))
        assert o.format == "dom-snapshot"
        json.loads(rewrite(o, {}, range(len(o.elements))))
        screen = formats.load(path.parents[1] / "screens" / path.name.replace(".domsnapshot", ""))
        texts = {" ".join(t.text.split()) for e in o.elements for t in e.texts}
        names = {
            " ".join(e.get("name").split()) for e in screen.elements if e.role == "StaticText" and e.visible
        }
        assert len(names - texts) <= len(names) // 10


# Other lists

ANDROID = {"windows": [{"tree": {"nodes": [
    {"unique_id": 1, "child_ids": [2, 3], "bounds_in_screen": {"left": 0, "top": 0, "right": 1080, "bottom": 2400},
     "class_name": "android.widget.FrameLayout", "is_visible_to_user": True},
    {"unique_id": 2, "bounds_in_screen": {"left": 42, "top": 310, "right": 1038, "bottom": 442},
     "class_name": "android.widget.EditText", "text": "jane@example.com", "hint_text": "Email",
     "view_id_resource_name": "com.app:id/email", "is_clickable": True, "is_visible_to_user": False},
    {"unique_id": 3, "bounds_in_screen": {"left": 0, "top": 0, "right": 9, "bottom": 9}, "is_password": True,
     "class_name": "android.widget.EditText", "text": ""}]}}]}  # fmt: skip


def test_android_forest():
    o = parse(ANDROID)
    assert o.format == "json-list"
    assert [(e.native_id, e.parent, e.role) for e in o.elements] == [
        ("1", -1, "generic"), ("2", 0, "textbox"), ("3", 0, "textbox")
    ]  # fmt: skip
    field, secret = o.elements[1:]
    assert said(field) == [("value", "jane@example.com"), ("name", "Email")]
    assert (field.box, field.visible, field.interactive) == ((42, 310, 996, 132), False, True)
    assert (said(secret), secret.states["input_type"]) == ([("value", "")], "password")
    new = json.loads(rewrite(o, {}, {1}))["windows"][0]["tree"]["nodes"]
    assert [(n["unique_id"], n.get("child_ids")) for n in new] == [(1, [3]), (3, None)]


def test_windows_uia():
    fields = {"Name": "Card number", "AutomationId": "txtCard", "Value": "4929 1234 5678 9012"}
    edit = {"ControlType": "Edit", "IsPassword": True, "BoundingRectangle": [96, 300, 1042, 668]} | fields
    o = parse([{"ControlType": 50032, "Name": "Pay", "Children": [edit]}])
    assert [(e.native_id, e.parent, e.role, e.box) for e in o.elements] == [
        ("", -1, "window", None), ("txtCard", 0, "textbox", (96, 300, 946, 368))
    ]  # fmt: skip
    assert said(o.elements[1]) == [("name", "Card number"), ("value", "4929 1234 5678 9012")]
    assert o.elements[1].states["password"] is True
    assert json.loads(rewrite(o, {}, {1}))[0]["Children"] == []


def test_macos():
    secret = {"role": "AXTextField", "subrole": "AXSecureTextField", "AXValue": "hunter2", "AXHelp": "Your password",
              "AXPosition": {"x": 10, "y": 20}, "AXSize": {"width": 100, "height": 30}}  # fmt: skip
    o = parse(
        {
            "role": "AXWindow",
            "AXTitle": "Login",
            "children": [secret, {"role": "AXStaticText", "AXValue": "Hi"}],
        }
    )
    window, field, text = o.elements
    assert (window.role, field.role, text.role) == ("window", "textbox", "StaticText")
    assert said(field) == [("value", "hunter2"), ("description", "Your password")]
    assert (field.states["input_type"], field.box) == ("password", (10, 20, 100, 30))
    assert said(text) == [("name", "Hi")]
    assert json.loads(rewrite(o, {}, {0, 1, 2}))["AXTitle"] == ""


def test_a_mapping_names_the_members():
    source = json.dumps([{"caption": "Go", "area": [1, 2, 3, 4], "extra": {"note": "for Ann"}, "no": 5}])
    with pytest.raises(BadInput, match="no list of elements was found"):
        mapping.read("x", source)
    o = check(mapping.read("x", source, {"name": "caption", "box": "area", "id": "no"}))
    (element,) = o.elements
    assert (element.native_id, element.box) == ("5", (1, 2, 3, 4))
    assert said(element) == [("name", "Go"), ("description", "for Ann")]
    with pytest.raises(BadInput, match="no part 'colour'"):
        mapping.read("x", source, {"colour": "caption"})


# Files


def test_gz_bom_and_bytes_that_are_no_text(tmp_path):
    data = b"\xef\xbb\xbf" + json.dumps(page(ax("2", "button", "Go\udcff"))).encode() + b"\n"
    data = data.replace(b"\\udcff", b"\xff")
    path = tmp_path / "tree.json.gz"
    path.write_bytes(gzip.compress(data))
    o = check(formats.load(path))
    assert (o.name, o.format) == ("tree.json.gz", "cdp-axtree")
    assert rewrite(o, {}, ()).encode("utf-8", "surrogateescape") == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"), (b"\xef\xbb\xbf \n", "is empty"), (b"\x00\x01", "is not a text file"),
        (b"\xff\xfe{\x00", "is in UTF-16"), (b"\x1f\x8bxx", "cannot be unpacked"),
        (gzip.compress(b"{}" * 99)[:-9], "cannot be unpacked"), (b'{"a": 1}', "in no known format"),
        (b'{"nodes": [{"nodeId": "1", "role": 1', "line 1, column 37: this is no JSON"),
    ],
)  # fmt: skip
def test_unreadable_files(tmp_path, data, message):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=message):
        formats.load(path)


def test_missing_folders_and_formats(tmp_path, monkeypatch):
    with pytest.raises(BadInput, match="does not exist"):
        formats.load(tmp_path / "none.json")
    with pytest.raises(BadInput, match="is a folder"):
        formats.load(tmp_path)
    with pytest.raises(BadInput, match="There is no format 'pdf'"):
        formats.parse("x", "y", "pdf")
    monkeypatch.setattr(formats, "LARGEST", 1000)
    (tmp_path / "bomb.json.gz").write_bytes(gzip.compress(b" " * 5000))
    with pytest.raises(BadInput, match="is larger than"):
        formats.load(tmp_path / "bomb.json.gz")


def test_a_format_can_be_asked_for():
    source = json.dumps(page())
    assert formats.parse("x", source, "cdp-axtree+boxes").format == "cdp-axtree"
    with pytest.raises(BadInput, match="no 'documents' and 'strings'"):
        formats.parse("x", source, "dom-snapshot")


# Anything

SEEDS = [json.dumps(d) for d in (
    page(LINK, ax("3", "StaticText", 'Ann\n"A" Lee', parentId="2")),
    [page(ax("2", "Iframe", parentId="1")), page()],
    gym(), screen(), snapshot(), ANDROID,
)]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
def test_damaged_files_are_read_or_refused(seed, chance):
    source = list(seed)
    for _ in range(chance.randint(1, 4)):
        at, to = sorted((chance.randrange(len(source)), chance.randrange(len(source))))
        what = chance.randrange(4)
        if what == 0:
            source[at] = chance.choice('{}[],:"\\0-9.aé\ud800')
        elif what == 1:
            del source[at : min(to, at + 40)]
        elif what == 2:
            source[at:at] = source[at : min(to, at + 200)]
        else:
            source = source[: max(to, 1)]
    started = time.process_time()
    try:
        o = parse("".join(source))
    except BadInput as error:
        assert error.what and "\n" not in str(error)
    else:
        rewrite(o, {}, range(len(o.elements)))
    assert time.process_time() - started < 2


@settings(max_examples=200, deadline=None)
@given(json_values, st.sampled_from(SEEDS), st.randoms(use_true_random=False))
def test_values_of_any_kind_anywhere(value, seed, chance):
    document = json.loads(seed)
    spots = []
    waiting = [document]
    while waiting:
        here = waiting.pop()
        inner = list(here.items() if isinstance(here, dict) else enumerate(here))
        spots += [(here, k) for k, _ in inner]
        waiting += [v for _, v in inner if isinstance(v, (dict, list))]
    for _ in range(chance.randint(1, 3)):
        here, key = chance.choice(spots)
        here[key] = value
    try:
        o = parse(document)
    except BadInput as error:
        assert "\n" not in error.what
    else:
        json.loads(rewrite(o, {}, range(len(o.elements))))


def random_trees():
    """Nodes with any parents and children: circles, gaps, repeated ids."""
    ids = st.integers(0, 6).map(str)
    node = st.fixed_dictionaries(
        {"nodeId": ids, "role": st.sampled_from(["button", "StaticText", "none", "InlineTextBox", "Iframe"]),
         "name": st.sampled_from(["", "a", "b"]), "childIds": st.lists(ids, max_size=4)},
        optional={"parentId": ids, "ignored": st.booleans(), "frameId": ids},
    )  # fmt: skip
    return st.lists(st.lists(node, max_size=8).map(lambda n: {"nodes": n}), min_size=1, max_size=3)


@settings(max_examples=300)
@given(random_trees(), st.randoms(use_true_random=False))
def test_any_tree_can_be_cut(results, chance):
    try:
        o = check(cdp.read("x", json.dumps(results)))
    except BadInput:
        return
    assert len({item for e in o.elements for item in e.items[:1]}) == len(o.elements)
    dropped = {e.uid for e in o.elements if chance.random() < 0.5}
    for e in reversed(o.elements):  # only whole branches are dropped
        if any(c not in dropped for c in o.children[e.uid]):
            dropped.discard(e.uid)
    new = json.loads(rewrite(o, {}, dropped))
    left = sum(len(r["nodes"]) for r in new)
    assert left == sum(len(r["nodes"]) for r in results) - len(
        {i for uid in dropped for i in o.elements[uid].items if o.source[o.lists[i[0]][i[1]][0]] == "{"}
    )


@pytest.mark.slow
def test_a_hundred_thousand_nodes_in_seconds():
    nodes = [ax("0", "RootWebArea", "Big", childIds=[str(i) for i in range(1, 100_000)])]
    nodes += [ax(str(i), "button", f"Item {i}", backendDOMNodeId=i) for i in range(1, 100_000)]
    source = json.dumps({"nodes": nodes})
    started = time.process_time()
    o = formats.parse("x", source)
    assert time.process_time() - started < 10  # on a slow machine; 3 s on a desktop
    assert len(o.elements) == 100_000
    assert random.Random(0).choice(o.elements[1:]).parent == 0


def test_json_formats_are_told_apart():
    assert [formats.parse("x", s).format for s in SEEDS] == [
        "cdp-axtree", "cdp-axtree", "browsergym-json", "studiolo-screen", "dom-snapshot", "json-list"
    ]  # fmt: skip
    for text in ("[12] RootWebArea 'Home'\n\t[13] link 'Out'", '- button "Go" [ref=e1]', "<p>{}</p>"):
        assert not any(m.matches("x", text) for m in (cdp, dom_snapshot, mapping))
