"""Documents in one frame: modes, EXIF, frames, crop boxes and rotation; damaged and locked files are one clear line."""

import ctypes
import io

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw
import pytest
from PIL import Image

from methods.core.errors import BadInput
from methods.evidence.documents.document import check, open_document
from methods.evidence.documents.pictures import rgb

WORD = "ANCHOR"


def pdf(path, rotation=0, crop=None, word=WORD, at=(200, 400), size=(600, 800)):
    """A page with one word whose baseline begins at ``at`` in points."""
    document = pdfium.PdfDocument.new()
    page = document.new_page(*size)
    item = raw.FPDFPageObj_NewTextObj(document.raw, b"Helvetica", 20)
    text = ctypes.c_char_p((word + "\0").encode("utf-16-le"))
    raw.FPDFText_SetText(item, ctypes.cast(text, raw.FPDF_WIDESTRING))
    raw.FPDFPageObj_Transform(item, 1, 0, 0, 1, *at)
    raw.FPDFPage_InsertObject(page.raw, item)
    raw.FPDFPage_GenerateContent(page.raw)
    page.set_rotation(rotation)
    if crop:
        page.set_cropbox(*crop)
    buffer = io.BytesIO()
    document.save(buffer)
    path.write_bytes(buffer.getvalue())
    return path


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (100, 100, 500, 700)])
def test_the_box_lies_on_the_ink(tmp_path, rotation, crop):
    document = open_document(pdf(tmp_path / "a.pdf", rotation, crop), dpi=72)
    (word,) = document.words(0)
    assert word.text == WORD
    ink = np.argwhere(document.picture(0).min(-1) < 128)
    (y0, x0), (y1, x1) = ink.min(0), ink.max(0) + 1
    assert np.abs(np.array(word.box) - (x0, y0, x1, y1)).max() <= 2
    left, bottom, right, top = document.points(0, word.box)
    assert left == pytest.approx(200, abs=3) and bottom == pytest.approx(400, abs=3)
    assert right > left and top > bottom


def test_a_finer_picture_keeps_the_frame(tmp_path):
    path = pdf(tmp_path / "a.pdf")
    coarse, fine = (open_document(path, dpi=d).words(0)[0].box for d in (72, 300))
    assert np.allclose(np.array(fine) / 300, np.array(coarse) / 72, atol=0.01)


def test_exif_turns_once(tmp_path):
    image = Image.new("RGB", (300, 600), "white")
    image.paste("black", (0, 0, 50, 20))
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(tmp_path / "a.jpg", exif=exif)
    picture = open_document(tmp_path / "a.jpg").picture(0)
    assert picture.shape == (300, 600, 3)
    assert picture[10, 590].max() < 60 and picture[10, 10].min() > 200


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16", "RGB"])
def test_every_mode_is_black_on_white(tmp_path, mode):
    grey = Image.new("L", (40, 30), 255)
    grey.paste(0, (5, 5, 20, 20))
    if mode == "I;16":
        image = Image.fromarray(np.asarray(grey, np.uint16) * 257)
    else:
        image = grey.convert("RGB").convert(mode)
    name = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    image.save(name)
    picture = open_document(name).picture(0)
    assert picture.shape == (30, 40, 3) and picture.dtype == np.uint8
    assert picture[12, 12].max() < 30 and picture[25, 35].min() > 225


def test_what_is_transparent_is_paper():
    clear = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    assert np.asarray(rgb(clear)).min() == 255


def test_frames_are_pages(tmp_path):
    frames = [Image.new("L", (20 + i, 10), 255) for i in range(3)]
    frames[0].save(tmp_path / "a.tif", save_all=True, append_images=frames[1:])
    document = open_document(tmp_path / "a.tif")
    assert len(document) == 3 and document.picture(2).shape == (10, 22, 3)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.pdf", b"", "is empty"),
        ("a.pdf", b"hello there", "neither a PDF nor a picture"),
        ("a.pdf", b"%PDF-1.7\njunk" * 30, "damaged"),
        ("a.png", b"\x89PNG\r\n\x1a\nrest", "cannot be read as a picture"),
        ("a.tif", b"II*\0" + b"\xff" * 40, "cannot be read as a picture"),
    ],
)
@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_bad_files_are_one_clear_line(tmp_path, name, content, told):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput, match=told):
        open_document(path)


def test_a_picture_that_is_cut_off(tmp_path):
    noise = np.random.default_rng(0).integers(0, 255, (200, 200, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "a.png")
    whole = (tmp_path / "a.png").read_bytes()
    (tmp_path / "a.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadInput, match="page 1, is damaged"):
        open_document(tmp_path / "a.png").picture(0)


def test_a_huge_picture_is_refused_before_it_is_decoded(tmp_path):
    Image.new("1", (30_000, 30_000)).save(tmp_path / "a.png")
    with pytest.raises(BadInput, match=r"30000 x 30000|too large"):
        open_document(tmp_path / "a.png").picture(0)


def test_content_counts_not_the_name(tmp_path):
    path = pdf(tmp_path / "a.png")
    assert check(path) == path
    assert open_document(path).words(0)[0].text == WORD
