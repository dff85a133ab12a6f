"""Screenshots painted over."""

import io
import json

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from methods.minim import formats, picture
from methods.minim.findings import find
from methods.minim.observation import Element, Observation, Screen, Text
from methods.minim.operators import Pseudonyms
from methods.minim.policy import ABSTRACT, KEEP, REMOVE, Decisions, Policy, decide
from methods.minim.redact import Redaction, redact
from tests.shared import shared_path


def page(*elements: tuple, screen=None) -> Observation:
    """Elements (parent, role, text, box[, visible])."""
    made = tuple(
        Element(
            i,
            str(i),
            parent,
            role,
            (Text("name", text),) if text else (),
            {},
            box,
            visible=not rest or rest[0],
        )
        for i, (parent, role, text, box, *rest) in enumerate(elements)
    )
    return Observation("p", "lines", "", made, screen or Screen((100, 50)))


def masked(observation: Observation, *codes: int) -> tuple[int, ...]:
    decisions = Decisions(np.array(codes, np.uint8), ("model",) * len(codes), ("",) * len(codes))
    done = redact(observation, decisions, (), Policy(), Pseudonyms())
    return picture.masked_uids(observation, decisions, done)


def noise(size=(100, 50)) -> Image.Image:
    rng = np.random.default_rng(1)
    return Image.fromarray(rng.integers(0, 255, (size[1], size[0], 3), np.uint8))


def test_what_is_painted_over():
    box = (10.0, 10.0, 20.0, 10.0)
    observation = page(
        (-1, "main", "Inbox", (0, 0, 100, 50)),
        (0, "StaticText", "private", box),
        (0, "StaticText", "unneeded", box),
        (0, "StaticText", "kept", box),
        (0, "generic", "", box),
        (0, "img", "", box),
        (0, "StaticText", "clear", box, False),
    )
    assert masked(observation, KEEP, ABSTRACT, REMOVE, KEEP, REMOVE, REMOVE, REMOVE) == (1, 2, 5)
    # A removed ancestor of what stays hides nothing; one of what goes is painted as a whole.
    assert masked(observation, REMOVE, KEEP, KEEP, KEEP, KEEP, KEEP, KEEP) == ()
    assert masked(observation, *[REMOVE] * 7) == (0, 1, 2, 3, 5)


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ((10.4, 10.6, 20.0, 5.0), (9, 9, 32, 17)),
        ((0.0, 0.0, 100.0, 50.0), (0, 0, 100, 50)),
        ((-5.0, -5.0, 10.0, 10.0), (0, 0, 6, 6)),
        ((95.0, 45.0, 500.0, 500.0), (94, 44, 100, 50)),
        ((10.0, 10.0, 0.0, 5.0), None),
        ((10.0, 10.0, -3.0, 5.0), None),
        ((200.0, 10.0, 5.0, 5.0), None),
        ((float("nan"), 0.0, 5.0, 5.0), None),
        ((0.0, 0.0, float("inf"), 5.0), None),
    ],
)
def test_boxes_in_pixels(box, expected):
    found = picture.pixel_boxes(page((-1, "img", "x", box)), (0,), (100, 50))
    assert found == ((expected,) if expected else ())


def test_boxes_follow_scroll_and_ratio():
    folder = shared_path("cases", "ui", "08_split_code_and_scroll")
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    observation = formats.load(folder / expected["input"])
    findings = find(observation)
    s = np.zeros(len(observation.elements), np.float32)
    s[[f.uid for f in findings]] = 9
    decisions = decide(observation, s, s * 0 + 5, findings, Policy())
    done = redact(observation, decisions, findings, Policy(), Pseudonyms())
    uids = picture.masked_uids(observation, decisions, done)
    assert [observation.elements[u].native_id for u in uids] == ["3", "4"]
    grown = [(x - 1, y - 1, x + w + 1, y + h + 1) for x, y, w, h in map(expected["boxes_px"].get, "34")]
    boxes = picture.pixel_boxes(observation, uids, (2560, 1800))
    assert list(boxes) == grown
    assert picture.doubts(observation, (2560, 1800), uids) == ()
    png = picture.redact_picture(noise((2560, 1800)), boxes)
    assert picture.leaks(png, boxes) == ()
    after = np.asarray(Image.open(io.BytesIO(png)))
    for left, top, right, bottom in boxes:
        assert (after[top:bottom, left:right] == picture.FILL).all()


def test_only_the_boxes_change():
    image, box = noise(), (10, 20, 30, 40)
    after = np.asarray(Image.open(io.BytesIO(picture.redact_picture(image, [box]))))
    different = (after != np.asarray(image)).any(-1)
    assert (after[20:40, 10:30] == picture.FILL).all()
    different[20:40, 10:30] = False
    assert not different.any()


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "I", "F"])
def test_any_mode_becomes_a_plain_png(mode):
    png = picture.redact_picture(Image.new(mode, (20, 10)), [(1, 1, 5, 5)])
    with Image.open(io.BytesIO(png)) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (20, 10))
    assert picture.leaks(png, [(1, 1, 5, 5)]) == ()


def test_metadata_is_left_behind():
    about = PngImagePlugin.PngInfo()
    about.add_text("Comment", "noor.hallam@inbox.example")
    image = noise()
    exif = image.getexif()
    exif[0x010E] = "noor.hallam@inbox.example"
    stream = io.BytesIO()
    image.save(stream, "PNG", pnginfo=about, exif=exif, dpi=(72, 72))
    assert picture.leaks(stream.getvalue(), []) == ("The picture carries metadata.",)
    png = picture.redact_picture(Image.open(io.BytesIO(stream.getvalue())), [])
    assert b"noor" not in png and picture.leaks(png, []) == ()


def test_transparent_pixels_do_not_come_back():
    image = Image.new("RGBA", (10, 10), (200, 10, 10, 0))
    assert Image.open(io.BytesIO(picture.redact_picture(image, []))).getpixel((5, 5)) == (255, 255, 255)


def test_what_still_shows_is_reported():
    box = (10, 20, 30, 40)
    stream = io.BytesIO()
    noise().save(stream, "PNG")
    assert picture.leaks(stream.getvalue(), [box]) == (
        "The picture still shows something at 10, 20 to 30, 40.",
    )
    assert picture.leaks(picture.redact_picture(noise(), [box], blur=True), [box]) != ()
    assert "not safe" in picture.BLUR


@pytest.mark.parametrize(
    ("screen", "size", "part"),
    [
        (Screen((100, 50), 2.0), (200, 100), ""),
        (Screen((100, 50), 2.0), (100, 50), "at this pixel ratio has 200 x 100"),
        (Screen((100, 50)), (100, 400), "it may show the whole page."),
        (Screen((100, 50), scroll=(0.0, 30.0)), (100, 400), "whole page, not scrolled"),
        (Screen((100, 50), pixels=(200, 100)), (100, 50), "the observation says 200 x 100"),
        (Screen(None), (100, 50), "does not say how large"),
        (Screen((100, 50), float("nan")), (100, 50), "does not say how large"),
        (Screen((100, 50), doubts=("Frames were not found.",)), (100, 50), "Frames were not found."),
    ],
)
def test_doubts(screen, size, part):
    found = picture.doubts(page((-1, "button", "Go", (1.0, 1.0, 5.0, 5.0)), screen=screen), size)
    assert len(found) == bool(part)
    assert not part or part in found[0]


def test_private_elements_without_a_box_are_named():
    observation = page(
        (-1, "cell", "a", None), (-1, "cell", "b", (0, 0, 5, 5)), (-1, "cell", "c", None, False)
    )
    assert picture.doubts(observation, (100, 50), (0, 1, 2)) == (
        "It is not known where in the picture these stand: cell 0.",
    )


def test_what_stands_beside_the_tree_is_in_no_picture():
    observation = page(
        (-1, "#header", "https://shop.example/?u=a@b.example", None), (-1, "cell", "b", (0, 0, 5, 5))
    )
    decisions = Decisions(np.array([1, 1], np.uint8), ("model",) * 2, ("",) * 2)
    redaction = Redaction("", {(0, 0): ((0, 4, "x"),), (1, 0): ((0, 1, "x"),)}, frozenset(), ())
    assert picture.masked_uids(observation, decisions, redaction) == (1,)
