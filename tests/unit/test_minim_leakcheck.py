"""The check that nothing private and no changed id leaves."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.minim import formats
from methods.minim.leakcheck import Leak, LeakReport, check
from methods.minim.redact import Redaction
from methods.minim.writer import rewrite

SOURCE = """Tab 0 (current): Home

[1] RootWebArea 'Home'
\t[2] link 'Open' url: https://shop.example/a
\t[3] StaticText 'one'
\t[4] StaticText 'two'
"""


def report(source: str, *originals: str, dropped=(), extra=()) -> LeakReport:
    observation = formats.parse("tree.txt", SOURCE)
    return check(observation, Redaction(source, {}, frozenset(dropped), originals), extra)


def leaking(text: str, original: str) -> list[str]:
    return sorted({leak.form for leak in report(SOURCE.replace("one", text), original).leaks})


@pytest.mark.parametrize(
    ("text", "original", "form"),
    [
        ("to noor@inbox.example.", "noor@inbox.example", "as it is"),
        ("NOOR@inbox.example", "noor@inbox.example", "as it is"),
        ("ｎｏｏｒ@inbox.example", "noor@inbox.example", "as it is"),
        ("no\u200bor@inbox.example", "noor@inbox.example", "as it is"),
        ("noor%40inbox.example", "noor@inbox.example", "URL-encoded"),
        ("noor&#64;inbox.example", "noor@inbox.example", "escaped for HTML"),
        ("noor\\\\u0040inbox.example", "noor@inbox.example", "escaped for JSON"),
        ("n o o r @ inbox.example", "noor@inbox.example", "spaced"),
        ("4111111111111112", "4111 1111 1111 1112", "as digits"),
        ("4111-1111-1111-1112", "4111111111111112", "as digits"),
        ("７３１０４６", "731 046", "as digits"),
        ("Hallam, N.", "HALLAM", "as it is"),
        ("e2 level", "e2", "as it is"),
    ],
)
def test_forms_that_are_found(text, original, form):
    assert form in leaking(text, original)


@pytest.mark.parametrize(
    ("text", "original"),
    [
        ("Hallamshire", "Hallam"),
        ("12731046", "731046"),
        ("1731 0462", "731 046"),
        ("e24 and Savee2 and E2E", "e2"),
        ("<EMAIL>", "noor@inbox.example"),
        ("731", "731 046"),
        ("nothing", "StaticText"),
    ],
)
def test_what_is_no_leak(text, original):
    assert leaking(text, original) == []


def test_a_code_split_over_neighbouring_texts():
    found = report(SOURCE.replace("one", "code 731").replace("two", "046 ok"), "731046")
    assert found.leaks == (Leak("7… (6 characters)", "StaticText 3, name", "split over neighbouring texts"),)
    assert not found.ok
    assert found.ids_ok


def test_short_texts_are_never_looked_for_in_ids():
    assert report(SOURCE, "3", "4").leaks == ()
    assert report(SOURCE.replace("one", "3"), "3").leaks[0].where == "StaticText 3, name"


def test_places_that_are_no_text_are_searched_too():
    observation = formats.parse("page.html", '<p class="x">a</p><button id="go">Go</button>')
    left = '<p class="noor.hallam@inbox.example">a</p><button id="go">Go</button>'
    found = check(observation, Redaction(left, {}, frozenset(), ("noor.hallam@inbox.example",)))
    assert found.leaks == (Leak("n… (25 characters)", "the file outside its texts", "as it is"),)


def test_everything_that_leaves_with_it_is_searched():
    found = report(SOURCE, "Lantern#4417qz", extra={"the manifest": '{"reason": "it is lantern#4417qz"}'})
    assert found.leaks == (Leak("L… (14 characters)", "the manifest", "as it is"),)
    assert report(SOURCE, "e2", extra=[("the manifest", '"sha": "e24b"')]).ok


def test_ids():
    assert report(SOURCE).changed_ids == ()
    assert report(SOURCE.replace("[3]", "[7]")).changed_ids == ("3", "7")
    assert report(SOURCE.replace("\t[3] StaticText 'one'\n", "")).changed_ids == ("3",)
    assert report(SOURCE.replace("\t[3] StaticText 'one'\n", ""), dropped=(3,)).changed_ids == ()
    # Of two that changed places, either can be called out of order.
    swapped = SOURCE.replace("[3]", "[x]").replace("[4]", "[3]").replace("[x]", "[4]")
    assert report(swapped).changed_ids in (("3",), ("4",))


def test_an_output_that_cannot_be_read_again_is_no_success():
    found = report("", "one")
    assert found.changed_ids == ("1", "2", "3", "4")


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet="abcXYZ019 @.-#%&\\<>\"'", min_size=1, max_size=20))
def test_a_text_left_as_it_is_is_always_found(secret):
    """Whatever an original looks like, leaving it alone in an element is seen."""
    secret = secret.strip()
    if not any(c.isalnum() for c in secret):
        return
    observation = formats.parse("page.html", "<p>x</p><p>y</p>")
    import html

    found = check(observation, Redaction(f"<p>{html.escape(secret)}</p><p>y</p>", {}, frozenset(), (secret,)))
    assert not found.ok


def test_a_piece_that_says_what_its_parent_says_after_masking_is_not_lost():
    def node(id, parent, role, name, *children):
        return {
            "nodeId": str(id), "parentId": parent, "ignored": False, "role": {"type": "role", "value": role},
            "name": {"type": "computedString", "value": name}, "childIds": [str(c) for c in children],
        }  # fmt: skip

    tree = [
        node(1, None, "RootWebArea", "Mail", 2),
        node(2, "1", "link", "Drafts 1", 3, 4),
        node(3, "2", "StaticText", "Drafts"),
        node(4, "2", "StaticText", "1"),
    ]
    observation = formats.parse("tree.json", json.dumps({"nodes": tree}))
    assert [e.native_id for e in observation.elements] == ["1", "2", "3", "4"]
    masked = {(1, 0): ((0, 8, "<PRIVATE>"),), (2, 0): ((0, 6, "<PRIVATE>"),)}
    source = rewrite(observation, masked, frozenset())
    assert [e.native_id for e in formats.parse("tree.json", source).elements] == ["1", "2", "4"]
    assert check(observation, Redaction(source, masked, frozenset(), ())).changed_ids == ()
    lost = json.dumps({"nodes": [tree[0] | {"childIds": []}]})
    assert check(observation, Redaction(lost, {}, frozenset(), ())).changed_ids == ("2", "3", "4")
