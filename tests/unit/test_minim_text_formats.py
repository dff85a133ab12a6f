"""MINIM: reading printed accessibility trees and aria snapshots, and cutting elements out of them."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.minim.codecs import CODECS, decode, encode
from methods.minim.formats import aria_yaml, axtree_browsergym, axtree_webarena
from methods.minim.writer import rewrite
from tests.shared import shared_path

FORMATS = {"webarena": axtree_webarena, "browsergym": axtree_browsergym, "aria": aria_yaml}
EVERY = pytest.mark.parametrize("kind", FORMATS)
ROLES = st.sampled_from(["link", "button", "textbox", "row", "heading", "generic"])
NAMES = st.text(st.sampled_from("abxu0U'\"\\: [](){}#,|=/-\n\t\u2028\ue60bé€😀"), max_size=12)
# (depth relative to the line above: at most one deeper, role, name, value)
TREES = st.lists(st.tuples(st.integers(-3, 1), ROLES, NAMES, NAMES), min_size=1, max_size=25)


def shape(observation):
    """Each element as (native id of its parent, id, role, texts); for comparing what was read."""
    by_uid = observation.elements
    return [
        (
            by_uid[e.parent].native_id if e.parent >= 0 else None,
            e.native_id,
            e.role,
            [(t.field, t.text) for t in e.texts],
        )
        for e in by_uid
    ]


def assert_spans(observation):
    for element in observation.elements:
        assert element.parent < element.uid
        for text in element.texts:
            raw = observation.source[text.span.start : text.span.end]
            assert decode(raw, text.span.codec) == text.text


def quoted_yaml(text, quote):
    return f'"{encode(text, "yaml-double")}"' if quote == '"' else f"'{text.replace(chr(39), chr(39) * 2)}'"


def printed(kind, tree):
    """The tree as the format prints it, and what reading it should give."""
    out, expected, depth, above = [], [], -1, []
    for uid, (step, role, name, value) in enumerate(tree):
        depth = min(max(depth + step, 0), depth + 1)
        del above[depth:]
        parent, native = (above[-1] if above else None), f"e{uid}"
        texts = [("name", name)]
        if kind == "webarena":
            native = str(uid)
            out.append("\t" * depth + f"[{native}] {role} {name!r} focused: True")
        elif kind == "browsergym":
            out.append("\t" * depth + f"[{native}] {role} {name!r} value={value!r}, required, clickable")
            texts.append(("value", value))
        else:
            key = f'{role} "{encode(name, "json")}" [ref={native}]'
            if uid % 3:
                key = quoted_yaml(key, "'\""[uid % 3 - 1])
            out.append("  " * depth + f"- {key}: {quoted_yaml(value, chr(34))}")
            texts.append(("value" if role == "textbox" else "name", value))
        expected.append((parent, native, role, texts))
        above.append(native)
    return "\n".join(out) + "\n", expected


@EVERY
@given(tree=TREES)
def test_a_printed_tree_is_read_as_it_was(kind, tree):
    source, expected = printed(kind, tree)
    observation = FORMATS[kind].read("t", source)
    assert shape(observation) == expected
    assert observation.warnings == ()
    assert_spans(observation)


@EVERY
@given(tree=TREES, seed=st.integers(0, 1000))
def test_dropping_subtrees_leaves_exactly_the_others(kind, tree, seed):
    source, expected = printed(kind, tree)
    observation = FORMATS[kind].read("t", source)
    chance, dropped = random.Random(seed), set()
    for element in observation.elements:
        if element.parent in dropped or chance.random() < 0.3:
            dropped.add(element.uid)
    again = FORMATS[kind].read("t", rewrite(observation, {}, dropped))
    assert shape(again) == [line for uid, line in enumerate(expected) if uid not in dropped]


@EVERY
@given(tree=TREES, new=NAMES)
def test_a_replaced_text_is_read_back_and_nothing_else_changes(kind, tree, new):
    source, expected = printed(kind, tree)
    observation = FORMATS[kind].read("t", source)
    whole = [(0, len(observation.elements[0].texts[0].text), new)]
    again = FORMATS[kind].read("t", rewrite(observation, {(0, 0): whole}, ()))
    parent, native, role, texts = expected[0]
    assert shape(again) == [(parent, native, role, [("name", new), *texts[1:]]), *expected[1:]]


@EVERY
@settings(max_examples=200, deadline=2000)
@given(tree=TREES, edits=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 5), NAMES), max_size=8))
def test_damaged_files_are_read_or_refused(kind, tree, edits):
    source, _ = printed(kind, tree)
    for place, length, text in edits:
        at = place % (len(source) + 1)
        source = source[:at] + text + source[at + length :]
    try:
        observation = FORMATS[kind].read("t", source)
    except BadInput:
        return
    assert_spans(observation)
    rewrite(observation, {}, [e.uid for e in observation.elements])


@EVERY
@settings(deadline=2000)
@given(source=st.text(max_size=300))
def test_any_text_is_read_or_refused(kind, source):
    FORMATS[kind].matches("t", source)
    try:
        assert_spans(FORMATS[kind].read("t", source))
    except BadInput as error:
        assert "t: no line is part of" in str(error)


@EVERY
@given(tree=TREES, place=st.integers(0, 24))
def test_words_that_are_no_structure_never_get_lost(kind, tree, place):
    rows = printed(kind, tree)[0].splitlines()
    rows[place % len(rows)] += " Zq9"
    observation = FORMATS[kind].read("t", "\n".join(rows))
    assert sum("Zq9" in t.text for e in observation.elements for t in e.texts) == 1
    assert_spans(observation)


@given(text=NAMES)
@pytest.mark.parametrize("codec", ["yaml-json", "yaml-single-json", "yaml-double-json"])
def test_nested_codecs_give_the_text_back(codec, text):
    assert decode(CODECS[codec].encode(text), codec) == text


@EVERY
def test_hundred_thousand_lines_are_read_in_seconds(kind):
    tree = [(min(1, i % 7 - 5) if i % 7 else -3, "link", f"Order {i}", "v") for i in range(100_000)]
    source = printed(kind, tree)[0]
    spent = []
    for _ in range(2):
        start = time.process_time()
        observation = FORMATS[kind].read("t", source)
        spent.append(time.process_time() - start)
    assert min(spent) < 6  # 3 s on a core of its own; shared ones run at half their speed
    assert len(observation.elements) == 100_000


@EVERY
def test_deep_trees_and_long_lines(kind):
    source, _ = printed(kind, [(1, "link", "x", "v")] * 5000)
    observation = FORMATS[kind].read("t", source)
    assert observation.elements[-1].parent == 4998
    for junk in ("'" * 100_000, "\\" * 100_000, "[" * 100_000, ": " * 50_000, '- "' * 40_000, "a='" * 40_000):
        start = time.process_time()
        assert_spans(
            FORMATS[kind].read("t", source[:200] + "\n" + junk + "\n" + source.splitlines()[0] + " " + junk)
        )
        assert time.process_time() - start < 2


def test_formats_know_their_own_files_only():
    samples = {
        "webarena": "Tab 0 (current): A\n\n[1] RootWebArea 'A' focused: True\n\t[2] link 'B'\n",
        "browsergym": "RootWebArea 'A', focused\n\t[a2] link 'B', clickable\n",
        "aria": '- main:\n  - link "B" [ref=e2]:\n    - /url: /x\n',
        "json": '{"nodes": [{"nodeId": "1", "role": {"value": "link"}}]}',
        "html": "<!doctype html><p>[1] link 'B'</p>",
        "prose": "Dear all,\n- milk: two\n- eggs\nregards",
    }
    for sample, source in samples.items():
        for kind, module in FORMATS.items():
            assert module.matches("x.txt", source) == (kind == sample), (sample, kind)


def test_prompt_lines_and_tab_titles_are_header_elements():
    source = (
        "OBSERVATION:\nTab 0: Inbox | code 482913 | Tab 1 (current): Orders\n\n"
        "[1] RootWebArea 'Orders' focused: True\n\t[2] link \"Card's\" url: http://a.test/?t=1 hasPopup: menu\n"
        "URL: http://a.test/orders\nOBJECTIVE: cancel it\n"
    )
    observation = axtree_webarena.read("t", source)
    assert [(e.role, e.text, e.states.get("header")) for e in observation.elements] == [
        ("#header", "Inbox | code 482913", "tab"),
        ("#header", "Orders", "tab"),
        ("RootWebArea", "Orders", None),
        ("link", "Card's http://a.test/?t=1", None),
        ("#header", "http://a.test/orders", "url"),
        ("#header", "cancel it", "objective"),
    ]
    assert observation.title == "Orders"
    assert observation.elements[3].states == {"hasPopup": "menu"}
    assert all(e.exposed for e in observation.elements)
    assert rewrite(observation, {}, {0, 5}) == source.replace("Tab 0: Inbox | code 482913 | ", "").replace(
        "OBJECTIVE: cancel it\n", ""
    )


def test_escapes_and_broken_quotes_in_printed_names():
    source = (
        "[1] link '\\ue60b It\\'s \"x\" \\xe9'\r\n[2] cell 'Card's number' required: True\n[3] cell 'cut of\n"
        "[3] cell 'b' code: 482913\n"
    )
    observation = axtree_webarena.read("t", source)
    assert [e.text for e in observation.elements] == [
        '\ue60b It\'s "x" é',
        "Card's number",
        "cut of",
        "b code: 482913",
    ]
    assert observation.warnings == (
        "Line 3: the quote around the name is not closed.",
        "Several elements carry the same id: 3.",
    )


def test_browsergym_attributes():
    source = (
        "RootWebArea 'A', focused\n"
        "\t[a31] textbox 'Card' value='4929 1234', box=\"(1,2,30.5,4)\", required, checked='mixed'\n"
        "\t[b2] slider '' value=50, valuemax=100, url='http://a.test/x, y', description=\"it's\"\n"
        "\t[b3] textbox '' value='', level=2, Noor\n\tStaticText 'Welcome'\n"
    )
    root, card, slider, empty, static = axtree_browsergym.read("t", source).elements
    assert (root.native_id, root.states) == ("", {"focused": True})
    assert (card.get("value"), card.box, card.states) == (
        "4929 1234",
        (1.0, 2.0, 30.5, 4.0),
        {"required": True, "checked": "mixed"},
    )
    assert [(t.field, t.text) for t in slider.texts] == [
        ("name", ""),
        ("value", "50"),
        ("url", "http://a.test/x, y"),
        ("description", "it's"),
    ]
    assert slider.states == {"valuemax": 100}
    assert empty.texts[1].span.start == empty.texts[1].span.end
    assert "Noor" in empty.get("description")
    assert empty.states == {"level": 2}
    assert (static.native_id, static.role, static.text, static.parent) == ("", "StaticText", "Welcome", 0)


ARIA = r"""### Page state
- Page URL: http://a.test/
- Page Title: Orders
- Page Snapshot:
```yaml
- generic [ref=f2e1]:
  - 'link "It''s: \"x\"" [ref=e2] [cursor=pointer]':
    - /url: "/a: b?c"
  - "button \"Say \\\"hi\\\"\" [ref=e3]": 'it''s'
  - textbox "Note" [ref=e4]:
    - /placeholder: Type here
    - text: hunter2
  - text: |-
      - one
      two
  - heading /Issues \d+/ [level=2]
  - paragraph: "long
      quoted"
  - paragraph: plain
      more
  - ref=e7 [unchanged]
  - <changed> button "B" [nth=2] [disabled]
  - some free text
  - 'textbox "A: b" [ref=e9]'
  - textbox "C": 
```
"""


def test_aria_quoting_properties_and_blocks():
    observation = aria_yaml.read("t", ARIA)
    assert_spans(observation)
    assert observation.title == "Orders"
    assert observation.warnings == ()
    found = [(e.native_id, e.role, [(t.field, t.text) for t in e.texts]) for e in observation.elements]
    assert found == [
        ("", "#header", [("name", "### Page state")]),
        ("", "#header", [("url", "http://a.test/")]),
        ("", "#header", [("name", "Orders")]),
        ("f2e1", "generic", []),
        ("e2", "link", [("name", 'It\'s: "x"'), ("url", "/a: b?c")]),
        ("e3", "button", [("name", 'Say "hi"'), ("name", "it's")]),
        ("e4", "textbox", [("name", "Note"), ("placeholder", "Type here"), ("value", "hunter2")]),
        ("", "StaticText", [("name", "- one\n      two")]),
        ("", "heading", [("name", r"Issues \d+")]),
        ("", "paragraph", [("name", "long\n      quoted")]),
        ("", "paragraph", [("name", "plain"), ("name", "more")]),
        ("e7", "#unchanged", []),
        ("", "button", [("name", "B"), ("description", "nth=2")]),
        ("", "StaticText", [("name", "some free text")]),
        ("e9", "textbox", [("name", "A: b"), ("value", "")]),
        ("", "textbox", [("name", "C"), ("value", "")]),
    ]
    assert [e.frame for e in observation.elements[3:5]] == ["f2", ""]
    assert observation.elements[4].states == {"clickable": True}
    assert observation.elements[12].states == {"disabled": True}
    assert observation.elements[8].states == {"regex": True, "level": 2}
    # An element goes with the lines of its properties and with the lines that its text goes on in.
    left = rewrite(observation, {}, {4, 6, 7, 9, 10})
    assert left.splitlines() == [
        line
        for number, line in enumerate(ARIA.splitlines())
        if number not in {6, 7, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19}
    ]


def test_empty_fields_have_a_place_for_a_state():
    source = '- textbox "A" [ref=e1]\n- \'textbox "B: c"\'\n- textbox "D": \n- button "E"\n'
    observation = aria_yaml.read("t", source)
    fills = {(uid, 1): [(0, 0, "empty")] for uid in range(3)}
    assert rewrite(observation, fills, ()) == (
        '- textbox "A" [ref=e1]: empty\n- \'textbox "B: c"\': empty\n- textbox "D": empty\n- button "E"\n'
    )
    assert [t.field for t in observation.elements[3].texts] == ["name"]


def test_byte_order_mark_stays():
    source = '\ufeff- link "A" [ref=e1]\n- link "B" [ref=e2]\n'
    observation = aria_yaml.read("t", source)
    assert [e.parent for e in observation.elements] == [-1, -1]
    assert rewrite(observation, {}, {0}) == '\ufeff- link "B" [ref=e2]\n'


def test_a_text_that_is_no_tree_is_refused():
    for module in FORMATS.values():
        with pytest.raises(BadInput, match=r"letter\.txt: no line is part of"):
            module.read("letter.txt", "(dear all)\n(regards)\n")
        assert module.read("empty", "").elements == ()


@pytest.mark.parametrize(
    ("case", "module", "file", "count", "ids"),
    [
        ("01_password_value", aria_yaml, "snapshot.yaml", 7, ["e2", "e5", "e9", "e10", "e11", "e12"]),
        ("02_short_secret", aria_yaml, "snapshot.yaml", 5, ["e20", "e24", "e2", "e99"]),
        ("04_id_by_header", axtree_webarena, "tree.txt", 14, [str(n) for n in range(1, 14)]),
        ("05_split_record", axtree_browsergym, "tree.txt", 14, ["a10", "a11", "a12", "a24", "a30"]),
    ],
)
def test_hard_small_inputs(case, module, file, count, ids):
    source = shared_path("cases", "ui", case, file).read_text("utf-8")
    assert [m for m in FORMATS.values() if m.matches(file, source)] == [module]
    observation = module.read(file, source)
    assert_spans(observation)
    assert observation.warnings == ()
    assert len(observation.elements) == count
    assert [i for i in (e.native_id for e in observation.elements) if i in ids] == ids
    assert rewrite(observation, {}, ()) == source


def test_filled_and_empty_passwords_have_values():
    source = shared_path("cases", "ui", "01_password_value", "snapshot.yaml").read_text("utf-8")
    by_id = {e.native_id: e for e in aria_yaml.read("s", source).elements}
    assert by_id["e9"].get("value") == "Lantern#4417qz"
    assert by_id["e9"].states["focused"] is True
    assert [(t.field, t.text) for t in by_id["e10"].texts] == [("name", "Repeat password"), ("value", "")]
    assert by_id["e11"].states["checked"] is True
