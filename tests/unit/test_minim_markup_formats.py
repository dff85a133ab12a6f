"""MINIM: reading HTML pages, uiautomator dumps and AT-SPI trees, and rewriting them in place."""

import contextlib
import gzip
import json
import random
import re
import time
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.core.errors import BadInput
from methods.minim import formats
from methods.minim.codecs import decode
from methods.minim.formats import atspi, html_page, uiautomator
from methods.minim.formats.html_hiding import Hiding, Sheet, hiding_of
from methods.minim.formats.markup import start_tag, tokens, value_of
from methods.minim.writer import rewrite
from tests.shared import shared_path

FORMATS = {"html": html_page, "uiautomator": uiautomator, "atspi": atspi}
EVERY = pytest.mark.parametrize("kind", FORMATS)
NS = "https://accessibility.ubuntu.example.org/ns"
PAGE = """<!doctype html><html><head><title>T</title><style>.x{display:none}</style></head><body data-u="jane">
<!-- note --><p>One <b id="b">two</b><ul><li>a<li title='it&quot;s'>b</ul><form><label for=q>Card</label>
<input id=q value=a&amp;b><input type=password><textarea>
x &lt; y</textarea><select><option selected>1<option>2</select></form>
<iframe srcdoc="&lt;p&gt;in &amp;amp; out&lt;/p&gt; &lt;a href=x&gt;go&lt;/a&gt;"></iframe>
<script>var a = "<p>";</script><svg><title>Logo</title><path d="M0"/></svg>"""
DUMP = """<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation="0"><!-- é --><node text="Hi &amp; é"
class="android.widget.TextView" bounds="[0,0][10,20]"/><node text="" class="android.widget.EditText" hint="Mail"
resource-id="a:id/m" password="true" bounds="[0,20][10,40]"><node content-desc="x"/></node></hierarchy>"""
DESKTOP = f"""<desktop-frame xmlns:st="{NS}/state" xmlns:cp="{NS}/component" xmlns:attr="{NS}/attributes" name="é">
<entry name="Card" attr:id="c" st:showing="true" cp:screencoord="(8, 6)" cp:size="(9, 3)">41 &lt; 11</entry>
<label st:showing="true">Rest<![CDATA[ a & b ]]></label><password-text name="P"></password-text></desktop-frame>"""
SOURCES = {"html": PAGE, "uiautomator": DUMP, "atspi": DESKTOP}


def html(source):
    return html_page.read("page.html", source)


def assert_sound(observation):
    """Parents first, every span decodes to its text, every cut lies in the source."""
    source = observation.source
    for uid, element in enumerate(observation.elements):
        assert element.uid == uid and element.parent < uid
        for start, end in element.cuts:
            assert 0 <= start < end <= len(source)
        for text in element.texts:
            if text.span is not None:
                assert 0 <= text.span.start <= text.span.end <= len(source)
                assert decode(source[text.span.start : text.span.end], text.span.codec) == text.text


def one(observation, role):
    (element,) = [e for e in observation.elements if e.role == role]
    return element


def texts(element):
    return [(t.field, t.text) for t in element.texts]


def subtree(observation, uid):
    found, queue = [], [uid]
    while queue:
        found.append(queue.pop())
        queue.extend(observation.children[found[-1]])
    return found


def replaced(observation, uid, index, new):
    old = observation.elements[uid].texts[index].text
    return rewrite(observation, {(uid, index): [(0, len(old), new)]}, ())


class Attributes(HTMLParser):
    """What another parser says of the tags of a page."""

    def __init__(self, source):
        super().__init__()
        self.seen = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, attrs))


# -- pieces ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quote", ['"', "'", ""])
@given(value=st.text(st.sampled_from("ab&;<>\"'=` \n\té#6"), max_size=12))
def test_a_written_attribute_is_read_back_and_stays_one(quote, value):
    page = html(f"<img id=i alt={quote}old{quote} src=s>")
    image = one(page, "img")
    index = next(i for i, t in enumerate(image.texts) if t.field == "name")
    out = replaced(page, image.uid, index, value)
    again = one(html(out), "img")
    assert again.native_id == "i" and again.get("url") == "s"
    assert again.get("name") == (value or ("" if quote else " "))
    assert [name for name, _ in Attributes(out).seen[0][1]] == ["id", "alt", "src"]


def test_attributes_are_cut_as_browsers_cut_them():
    source = """<p A = "x>y" b='"' c=d/e f/g  h="" =i a="later" j="""
    tag = start_tag(source, 2)
    read = {name: value_of(source, tag.attributes, name) for name in tag.attributes}
    assert read == {
        "a": "x>y", "b": '"', "c": "d/e", "f": "", "g": "", "h": "", "=i": "", "data-repeated-7-a": "later", "j": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("a < b", ["text"]),
        ("<!---->x<!-->y<!--z", ["comment", "text", "comment", "text", "comment"]),
        ("<script><p></script ><p>", ["start", "raw", "end", "start"]),
        ("<title>a<b></title>", ["start", "raw", "end"]),
        ("<p", ["start"]),
        ("</ >x<?php 1 ?></p>", ["comment", "text", "comment", "end"]),
    ],
)
def test_pieces_of_html(source, kinds):
    pieces = list(tokens(source))
    assert [t.kind for t in pieces] == kinds
    assert all(a.end == b.start for a, b in pairwise(pieces))
    assert pieces[-1].end == len(source)


# -- html -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "role", "expected"),
    [
        ("<button><span class=l><b>Save</b></span><svg></svg></button>", "button", [("name", "Save")]),
        ("<a href='/o?a=1&amp;b=2'>Orders</a>", "link", [("url", "/o?a=1&b=2"), ("name", "Orders")]),
        ("<h2>Jane</h2>", "heading", [("name", "Jane")]),
        ("<img alt='Card 4111'>", "img", [("name", "Card 4111")]),
        ("<input placeholder='Your mail' value='j@e'>", "textbox", [("placeholder", "Your mail"), ("value", "j@e")]),
        ("<input type=submit value=Go>", "button", [("name", "Go")]),
        ("<input type=radio value=7 aria-label=Yes>", "radio", [("name", "Yes"), ("description", "7")]),
        ("<textarea>\nline 1\nline 2</textarea>", "textbox", [("value", "line 1\nline 2")]),
        ("<textarea></textarea>", "textbox", [("value", "")]),
        ("<div contenteditable>Dear Jane</div>", "textbox", [("value", "Dear Jane")]),
        ("<button title='Close'><svg></svg></button>", "button", [("name", "Close")]),
        ("<button title='Hint'>X</button>", "button", [("description", "Hint"), ("name", "X")]),
        ("<div role=tab data-k=1 custom='secret'>T</div>", "tab",
         [("description", "1"), ("description", "secret"), ("name", "T")]),
        ("<p style='--who:jane' onclick='pay(1)'></p>", "paragraph",
         [("description", "--who:jane"), ("copy", "pay(1)")]),
    ],
)  # fmt: skip
def test_roles_and_texts(markup, role, expected):
    page = html(f"<body>{markup}</body>")
    assert_sound(page)
    assert texts(one(page, role)) == expected


def test_labels_name_fields_and_many_texts_name_a_control_without_a_span():
    page = html(
        "<label for=a>Card number</label><input id=a><label>Code <input type=password name=b></label>"
        "<span id=s>Total</span><input id=c aria-labelledby='s zz'><a href=x><span>Inbox</span><i>3</i></a>"
    )
    by_id = {e.native_id: e for e in page.elements if e.native_id}
    assert [by_id[i].get("name") for i in "abc"] == ["Card number", "Code", "Total"]
    assert by_id["b"].states["input_type"] == "password"
    link = one(page, "link")
    assert link.get("name") == "Inbox 3" and link.texts[0].span is None
    assert [page.elements[c].role for c in page.children[link.uid]] == ["generic", "generic"]


def test_an_input_without_a_value_has_a_place_for_it():
    page = html("<input type=password id=p><input value='' id=q>")
    first, second = (e for e in page.elements if e.role == "textbox")
    assert first.get("value") == "" and second.texts[-1].span.codec == "html"
    assert replaced(page, first.uid, 0, 'a"b').startswith('<input type=password id=p value="a&quot;b">')
    assert "<input value='[X]' id=q>" in replaced(page, second.uid, 0, "[X]")


def test_states():
    page = html(
        "<input type=checkbox checked required aria-checked=false><input maxlength=6 autocomplete=one-time-code "
        "inputmode=numeric><h3>x</h3><div role=button aria-expanded=false onclick='x()'>y</div>"
    )
    box = one(page, "checkbox").states
    assert (box["checked"], box["required"], box["input_type"]) == (True, True, "checkbox")
    field = one(page, "textbox").states
    assert (field["maxlength"], field["autocomplete"], field["inputmode"]) == (6, "one-time-code", "numeric")
    assert one(page, "heading").states["level"] == 3
    assert one(page, "button").states["expanded"] is False and one(page, "button").states["clickable"] is True


@pytest.mark.parametrize(
    ("markup", "visible", "exposed"),
    [
        ("<p>s</p>", True, True),
        ("<!--s-->", False, False),
        ("<script>s</script>", False, False),
        ("<style>s</style>", False, False),
        ("<meta content=s>", False, False),
        ("<input type=hidden value=s>", False, False),
        ("<template><p>s</p></template>", False, False),
        ("<p hidden>s</p>", False, False),
        ("<div style='DISPLAY : none'><p>s</p></div>", False, False),
        ("<div class=gone><p>s</p></div>", False, False),
        ("<div class='gone' style='display:block'><p>s</p></div>", True, True),
        ("<div class='gone on'><p>s</p></div>", True, True),
        ("<details><p>s</p></details>", False, False),
        ("<details open><p>s</p></details>", True, True),
        ("<details><summary>s</summary></details>", True, True),
        ("<p style='opacity:0'>s</p>", False, True),
        ("<p style='opacity:0.5'>s</p>", True, True),
        ("<p style='opacity: .0;'>s</p>", False, True),
        ("<p class=sr>s</p>", False, True),
        ("<p style='position:absolute;left:-9999px'>s</p>", False, True),
        ("<p aria-hidden=true>s</p>", False, True),
        ("<i aria-describedby='a d'></i><p hidden id=d>s</p>", False, True),
        ("<select><option>s</select>", True, True),
    ],
)
def test_what_is_hidden_and_from_whom(markup, visible, exposed):
    sheet = ".sr{position:absolute;width:1px;overflow:hidden} .gone{display:none} .gone.on{display:block}"
    page = html(f"<style>{sheet} @media print{{p{{display:none}}}}</style>{markup}")
    holder = [e for e in page.elements if any(t.text == "s" for t in e.texts)][-1]
    assert (holder.visible, holder.exposed) == (visible, exposed)


def test_style_sheets_follow_the_cascade():
    sheet = Sheet(
        [
            ".m{display:none} .m.on{display:flex} #z{opacity:0} /* .y{display:none} */ p.k , q{visibility:hidden}"
        ]
    )
    assert sheet.hiding("div", "", "m", "") == Hiding.OUT
    assert sheet.hiding("div", "", "on m", "") == Hiding.SHOWN
    assert sheet.hiding("div", "z", "", "") == Hiding.UNSEEN
    assert sheet.hiding("p", "", "k", "") == sheet.hiding("q", "", "", "") == Hiding.OUT
    assert sheet.hiding("div", "", "k y", "") == Hiding.SHOWN
    assert Sheet([".h{display:none!important} .h{display:block}"]).hiding("p", "", "h", "") == Hiding.OUT
    assert hiding_of("clip: rect(0 0 0 0)") == hiding_of("text-indent:-9999px") == Hiding.UNSEEN
    assert (
        hiding_of("margin-left:-200px") == hiding_of("height:1px") == hiding_of("opacity:10%") == Hiding.SHOWN
    )


def test_a_page_in_an_attribute_is_read_as_a_page():
    source = """<iframe id=f srcdoc="&lt;input type=password value=a&amp;amp;b&gt;&lt;!--c--&gt;"></iframe>"""
    page = html(source)
    assert_sound(page)
    field = one(page, "textbox")
    assert field.get("value") == "a&b" and field.frame == "f" and field.states["input_type"] == "password"
    out = replaced(page, field.uid, 0, "[x y]")
    assert one(html(out), "textbox").get("value") == "[x y]"
    assert out.startswith("<iframe id=f srcdoc=") and out.endswith('&lt;!--c--&gt;"></iframe>')
    note = one(page, "#comment")
    assert "c--" not in rewrite(page, {}, [note.uid])
    unquoted = html("<iframe srcdoc=a&lt;b></iframe>")
    assert one(unquoted, "Iframe").get("description") == "a<b"


def test_missing_and_crossed_end_tags():
    page = html(
        "<ul><li>one<li><b>two<i>x</b>y</i></ul><p>three<div>four</div><table><tr><td>a<td>b<tr><td>c</table>"
    )
    assert_sound(page)
    first, second = (e for e in page.elements if e.role == "listitem")
    cut = {e.uid: page.source[e.cuts[0][0] : e.cuts[0][1]] for e in page.elements}
    assert cut[first.uid] == "<li>one" and cut[second.uid] == "<li><b>two<i>x</b>y</i>"
    assert cut[one(page, "paragraph").uid] == "<p>three"
    rows = [e for e in page.elements if e.role == "row"]
    assert [len(page.children[r.uid]) for r in rows] == [2, 1]
    assert cut[rows[0].uid] == "<tr><td>a<td>b"


def test_the_title_is_the_name_of_the_page_and_what_follows_the_body_counts():
    page = html(
        "<!doctype html><html data-a=b><head><title> Mail &amp; more </title></head><body>x</body></html><!--j-->"
    )
    assert page.title == "Mail & more" and page.elements[0].role == "RootWebArea"
    assert page.elements[0].get("name") == " Mail & more "
    assert rewrite(page, {}, range(len(page.elements))) == "<!doctype html>"


def test_repeated_ids_are_warned_about():
    assert html("<p id=a></p><p id=a></p>").warnings == ("Several elements carry the same id: a.",)


# -- android --------------------------------------------------------------------------------------------------


def test_android_views():
    screen = uiautomator.read("w.xml", DUMP)
    assert_sound(screen)
    _, comment, label, field, inner = screen.elements
    assert (comment.role, comment.exposed, comment.get("description")) == ("#comment", False, "é")
    assert (label.role, texts(label), label.box) == ("StaticText", [("name", "Hi & é")], (0, 0, 10, 20))
    assert (field.role, field.native_id, texts(field)) == (
        "textbox",
        "a:id/m",
        [("name", "Mail"), ("value", "")],
    )
    assert field.states["password"] is True and field.states["input_type"] == "password"
    assert (inner.parent, texts(inner)) == (field.uid, [("name", "x")])
    assert screen.screen.ratio == 1 and screen.screen.viewport == (10, 40)
    written = ElementTree.fromstring(replaced(screen, field.uid, 1, 'a<&">'))
    assert written[1].get("text") == 'a<&">' and written[1].get("resource-id") == "a:id/m"


def test_a_field_is_called_by_the_text_before_it():
    view = '<node text="{}" class="android.widget.{}" content-desc="{}"/>'
    source = f"<hierarchy>{view.format('Card', 'TextView', '')}{view.format('41', 'EditText', 'Visa')}"
    screen = uiautomator.read("w.xml", f"{source}{view.format('9', 'EditText', 'CVV')}</hierarchy>")
    first, second = screen.elements[2:]
    assert texts(first) == [("name", "Card"), ("value", "41"), ("description", "Visa")]
    assert first.texts[0].span is None
    assert texts(second) == [("name", "CVV"), ("value", "9")]


def test_boxes_without_area_are_not_seen_and_the_line_after_the_dump_counts():
    source = '<hierarchy><node bounds="[5,5][5,9]"/><node bounds="[9,9][1,1]"/><node bounds="x"/></hierarchy>'
    screen = uiautomator.read("w.xml", source + "\nUI hierchary dumped to: /dev/tty\n")
    assert [e.visible for e in screen.elements] == [True, False, False, True, False]
    assert screen.elements[-1].get("description") == "UI hierchary dumped to: /dev/tty"
    assert rewrite(screen, {}, range(5)) == "<hierarchy></hierarchy>\n\n"


# -- desktop --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [NS + "/{}", "https://accessibility.windows.example.org/ns/{}",
                                   "uri:deskat:{}.at-spi.gnome.org"])  # fmt: skip
def test_desktop_views_in_each_namespace(space):
    source = re.sub(re.escape(NS) + r"/(\w+)", lambda m: space.format(m[1]), DESKTOP)
    assert atspi.matches("tree.xml", source) and not uiautomator.matches("tree.xml", source)
    tree = atspi.read("tree.xml", source)
    assert_sound(tree)
    root, entry, label, password = tree.elements
    assert (root.role, root.get("name")) == ("document", "é")
    assert (entry.role, entry.native_id, texts(entry)) == (
        "textbox",
        "c",
        [("name", "Card"), ("value", "41 < 11")],
    )
    assert entry.box == (8, 6, 9, 3) and entry.visible
    assert (label.role, texts(label)) == ("StaticText", [("name", "Rest"), ("name", "a & b")])
    assert password.states["input_type"] == "password" and password.get("value") == ""
    assert ElementTree.fromstring(replaced(tree, password.uid, 1, "<x>")).find("password-text").text == "<x>"


def test_what_does_not_show_is_not_visible():
    source = f"<a xmlns:s='{NS}/state' xmlns:c='{NS}/component'>{{}}</a>"
    place = "c:screencoord='(1, 1)' c:size='(2, 2)'"
    tree = atspi.read("t", source.format(f"<label s:showing='true' {place}/><label {place}/><label/>"))
    assert [e.visible for e in tree.elements] == [True, True, False, True]
    assert atspi.read("t", source.format(f"<label {place}/>")).elements[1].visible


# -- all ------------------------------------------------------------------------------------------------------


@EVERY
def test_dropping_any_element_leaves_the_rest_as_it_was(kind):
    module, source = FORMATS[kind], SOURCES[kind]
    before = module.read("t", source)
    assert_sound(before)
    assert module.matches("t.xml" if kind != "html" else "t.html", source)
    unchanged = module.read("t", rewrite(before, {}, ()))
    assert [e.role for e in unchanged.elements] == [e.role for e in before.elements]
    for uid in range(1, len(before.elements)):
        gone = subtree(before, uid)
        after = module.read("t", rewrite(before, {}, gone))
        assert_sound(after)
        left = [e for e in before.elements if e.uid not in gone]
        assert [e.native_id for e in after.elements] == [e.native_id for e in left]
        if kind != "html":
            ElementTree.fromstring(after.source)
            assert [e.role for e in after.elements] == [e.role for e in left]


@EVERY
def test_dropping_everything_leaves_a_file_of_the_format(kind):
    module = FORMATS[kind]
    before = module.read("t", SOURCES[kind])
    out = rewrite(before, {}, range(len(before.elements)))
    assert len(module.read("t", out).elements) <= 1
    assert not re.search("jane|note|é|Card|Rest|Mail", out)


@EVERY
@pytest.mark.parametrize("blank", ["", "\ufeff \n"])
def test_an_empty_file_has_no_elements(kind, blank):
    assert FORMATS[kind].read("t", blank).elements == ()


@pytest.mark.parametrize(
    ("kind", "source", "message"),
    [
        ("html", "just words", "no tag"),
        ("uiautomator", DUMP[:200], "not well-formed XML, line"),
        ("uiautomator", "<a/>", "no <hierarchy>"),
        ("uiautomator", '{"a": 1}', "not well-formed"),
        ("uiautomator", "<!DOCTYPE a [<!ENTITY b 'c'>]><hierarchy/>", "DOCTYPE"),
        ("atspi", f"<!DOCTYPE a [<!ENTITY b 'c'>]>{DESKTOP}", "DOCTYPE"),
        ("atspi", "<a/>", "not a desktop"),
        ("atspi", DESKTOP[:300], "not well-formed"),
        ("uiautomator", "<hierarchy a='\udc80'/>", "not well-formed"),
        ("atspi", "<hierarchy a='\ud800'/>", "not well-formed"),
    ],
)
def test_what_cannot_be_read_is_said(kind, source, message):
    with pytest.raises(BadInput, match=message):
        FORMATS[kind].read("t", source)


@EVERY
def test_a_byte_order_mark_stays(kind):
    source = "\ufeff" + SOURCES[kind].replace("<?xml version='1.0' encoding='UTF-8'?>", "")
    read = FORMATS[kind].read("t", source)
    assert_sound(read)
    assert rewrite(read, {}, range(len(read.elements))).startswith("\ufeff")


PIECES = st.sampled_from(
    """<p> </p> <a <b> </b> <li> <td> <tr> <table> </table> <svg> </svg> <title> </title> <script> </script>
    <!-- --> <![CDATA[ ]]> <input value= value=" srcdoc="&lt;p&gt;" <iframe <select> <option> <textarea>
    </textarea> > / " ' = & &amp; &#64; &#99999999;
    <node text=" <hierarchy> </hierarchy> </node> <?x ?> é \U0001f600 id=a aria-describedby=a
    hidden style="display:none"
    <style>.a{ } <body> </body> <html> </html> <details> <label for=a> \x00 \udc80 a x""".split()
)


@EVERY
@settings(max_examples=150)
@given(pieces=st.lists(PIECES, max_size=40), glue=st.sampled_from(["", " "]))
def test_any_pile_of_markup_is_read_or_refused(kind, pieces, glue):
    try:
        read = FORMATS[kind].read("t", glue.join(pieces))
    except BadInput:
        return
    assert_sound(read)
    out = rewrite(read, {}, range(len(read.elements)))
    assert len(out) <= len(read.source)
    emptied = {(e.uid, i): [(0, len(t.text), "")] for e in read.elements for i, t in enumerate(e.texts)}
    rewrite(read, emptied, ())


@EVERY
def test_damaged_files_are_read_or_refused_in_time(kind):
    dice = random.Random(5)
    for _ in range(150):
        source = list(SOURCES[kind])
        for _ in range(dice.randint(1, 12)):
            at = dice.randrange(len(source))
            source[at : at + dice.randint(0, 9)] = dice.choice(
                ["", "<", ">", '"', "&", "\x00", "</p>", "é", "\udcff"]
            )
        began = time.process_time()
        with contextlib.suppress(BadInput):
            assert_sound(FORMATS[kind].read("t", "".join(source)))
        assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "piece",
    ["<", "<!--", "</", "<a", "<a ", '<a b="', "<!", "<![CDATA[", "<script>", "<b><li>", "<p><i>", "<style>.a{",
     "<b></p>", "<li></li><b>", "<iframe srcdoc='<b>'>", "&amp", "<a><b></a>", "<label><input>", "</body><b>"],
)  # fmt: skip
def test_hostile_repetition_takes_linear_time(piece):
    began = time.process_time()
    assert_sound(html("<p>" + piece * (200_000 // len(piece))))
    assert time.process_time() - began < 5


LARGE = {
    "html": ("<p id=a{}>b <b>c</b></p>", "{}", 33_333),
    "uiautomator": (
        '<node text="é{}" class="a.Button" bounds="[0,0][1,1]"/>',
        "<hierarchy>{}</hierarchy>",
        100_000,
    ),
    "atspi": ('<label name="é{}"/>', "<desktop-frame>{}</desktop-frame>", 100_000),
}
NESTED = {
    "html": "<div>" * 5000 + "x",
    "uiautomator": "<hierarchy>" + "<node text='a'>" * 5000 + "</node>" * 5000 + "</hierarchy>",
    "atspi": "<desktop-frame>" + "<panel>" * 5000 + "</panel>" * 5000 + "</desktop-frame>",
}


@EVERY
def test_a_hundred_thousand_elements_and_deep_nesting(kind):
    one_of, frame, count = LARGE[kind]
    source = frame.format("".join(one_of.format(i) for i in range(count)))
    began = time.process_time()
    read = formats.parse("t", source, FORMATS[kind].FORMAT)
    assert time.process_time() - began < 5
    assert len(read.elements) >= 100_000
    deep = FORMATS[kind].read("t", NESTED[kind])
    assert len(deep.elements) >= 5000 and max(e.parent for e in deep.elements) >= 4999
    assert_sound(deep)


# -- data -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "module"), [("06_hidden_text", html_page), ("07_card_checksum", uiautomator)]
)
def test_every_secret_of_the_cases_lies_in_a_span_of_some_element(case, module):
    expected = json.loads(shared_path("cases", "ui", case, "expected.json").read_text())
    source = shared_path("cases", "ui", case, expected["input"]).read_text()
    read = module.read(expected["input"], source)
    assert_sound(read)
    assert read.format == expected["format"]
    secret = re.compile("|".join(map(re.escape, expected["must_not_survive"])))
    parts = {
        (e.uid, i): [(*m.span(), "[X]") for m in secret.finditer(t.text)]
        for e in read.elements
        for i, t in enumerate(e.texts)
    }
    out = rewrite(read, parts, ())
    assert not secret.search(out)
    again = module.read("t", out)
    assert [(e.role, e.native_id, e.box) for e in again.elements] == [
        (e.role, e.native_id, e.box) for e in read.elements
    ]
    assert {e.native_id for e in read.elements} >= set(expected["ids"])
    assert all(word in out for word in [*expected["must_survive"], *expected.get("bounds", [])])
    unseen = [e for e in read.elements if e.exposed and not e.visible and e.text]
    if module is html_page:
        assert [e.label for e in unseen[:2]] == ["OTP 731 046", "Signed in as noor.hallam@inbox.example"]


def test_recorded_pages_are_read():
    files = sorted(shared_path("data", "ui", "raw").glob("*.html.gz"))
    assert files
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8", newline="") as stream:
            page = html_page.read(file.name, stream.read())
        assert_sound(page)
        assert page.title and len(page.elements) > 100
        for element in page.elements:
            if element.role in ("button", "link") and element.exposed and not element.get("name"):
                inside = [page.elements[uid] for uid in subtree(page, element.uid)]  # an icon, no words
                assert not any(e.get("name") for e in inside if e.exposed)
        tags = [
            t.name for t in tokens(page.source) if t.kind == "start" and t.name in ("button", "input", "a")
        ]
        assert tags == [tag for tag, _ in Attributes(page.source).seen if tag in ("button", "input", "a")]
