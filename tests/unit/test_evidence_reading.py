"""Reading pages: engines, odd boxes, tiles, cancelling, and words from a file."""

import json
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from methods.core.context import Cancelled, CancelToken, Context
from methods.core.errors import BadInput
from methods.evidence.documents.document import open_document
from methods.evidence.page import Token
from methods.evidence.reading import ocr, tokens_file, worker
from methods.evidence.reading.reader import clipped, read_page


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / "cache"))


def written(path, size, *texts):
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    for x, y, text in texts:
        pen.text((x, y), text, fill="black", font=ImageFont.load_default(30))
    image.save(path)
    return open_document(path)


def test_words_have_boxes_of_their_own(tmp_path):
    document = written(tmp_path / "a.png", (700, 200), (40, 60, "Invoice No: INV-1"))
    reading = read_page(document, 0, Context())
    assert [t.text for t in reading.page.tokens] == ["Invoice", "No:", "INV-1"]
    assert reading.page.source == "rapidocr"
    lefts = [t.box[0] for t in reading.page.tokens]
    assert lefts == sorted(lefts) and all(t.confidence > 0.9 for t in reading.page.tokens)
    assert list((tmp_path / "cache").rglob("*.json")), "a reading is kept"
    again = read_page(document, 0, Context())
    assert again.page == reading.page and again.seconds < 0.5


def test_a_blank_page_is_no_fault(tmp_path):
    reading = read_page(written(tmp_path / "a.png", (400, 400)), 0, Context())
    assert reading.page.tokens == () and reading.warnings == ("No text was found on the page.",)


def test_small_print_at_the_end_of_a_long_receipt(tmp_path):
    document = written(tmp_path / "a.png", (600, 6000), (40, 5900, "TOTAL 9.00"), (40, 40, "CORNER SHOP"))
    texts = [t.text for t in read_page(document, 0, Context()).page.tokens]
    assert texts == ["CORNER", "SHOP", "TOTAL", "9.00"]


def test_cancel_ends_the_recogniser(tmp_path):
    token = CancelToken()
    token.cancel()
    picture = np.full((300, 300, 3), 255, np.uint8)
    with pytest.raises(Cancelled):
        ocr.read(picture, Context(token=token), tmp_path)
    assert ocr.read(picture, Context(), tmp_path) == ()


@pytest.mark.parametrize("length", [1, 1599, 1600, 1601, 3000, 12_000])
def test_tiles_cover_a_page_once(length):
    tiles = worker._tiles(length)
    assert tiles[0][1] == 0 and tiles[-1][2] == length
    assert [a[2] for a in tiles[:-1]] == [b[1] for b in tiles[1:]]
    for start, low, high in tiles:
        assert start <= low < high <= start + worker.TILE
    for (_, _, cut), (start, _, _) in pairwise(tiles):
        assert cut - start >= worker.OVERLAP // 2 - 1


def test_boxes_that_cannot_be_words():
    tokens = (
        Token("__", (0, 0, 100, 100)),
        Token("edge", (90, 90, 130, 95)),
        Token("beside", (120, 10, 140, 20)),
        Token("word", (10, 10, 30, 20)),
    )
    found = clipped(tokens, 100, 100)
    assert [t.text for t in found] == ["edge", "word"] and found[0].box == (90, 90, 100, 95)


def test_words_from_a_file(tmp_path):
    document = written(tmp_path / "a.png", (400, 300))
    path = tmp_path / "words.json"
    path.write_text(json.dumps({"tokens": [{"text": "Total", "box": [50, 20, 10, 10]}]}))
    (token,) = tokens_file.reading(path, document, 0).page.tokens
    assert token.text == "Total" and token.box == (10, 10, 50, 20)
    for content, told in [
        ("[", "cannot be read"),
        ("3", "no list"),
        ('[{"text": "a"}]', "token 1, is wrong"),
        ('[{"text": "a", "box": [1, 2, NaN, 4]}]', "not finite"),
        ('[{"text": "a", "box": [1, 2, 3]}]', "token 1"),
        ("[7]", "token 1"),
    ]:
        path.write_text(content)
        with pytest.raises(BadInput, match=told):
            tokens_file.reading(path, document, 0)
    with pytest.raises(BadInput, match="no page 2"):
        tokens_file.reading(path, document, 1)
