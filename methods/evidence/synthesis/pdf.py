"""Made pages as a PDF file with a text layer."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from methods.core.atomic import atomic_writer
from methods.evidence.synthesis.sheet import Placed, Sheet

DPI = 150
"""Pixels of a sheet in an inch of paper."""


def write(sheets: Sequence[Sheet], path: Path) -> None:
    """One page per sheet, in the printer's own Helvetica or Courier."""
    document = pdfium.PdfDocument.new()
    for sheet in sheets:
        scale = 72 / DPI
        page = document.new_page(sheet.width * scale, sheet.height * scale)
        for word in sheet.placed:
            _set(document, page, word, sheet, scale)
        raw.FPDFPage_GenerateContent(page.raw)
    buffer = io.BytesIO()
    document.save(buffer)
    document.close()
    with atomic_writer(path) as stream:
        stream.write(buffer.getvalue())


def _set(document: Any, page: Any, word: Placed, sheet: Sheet, scale: float) -> None:
    family = b"Courier" if sheet.mono else b"Helvetica"
    item = raw.FPDFPageObj_NewTextObj(
        document.raw, family + (b"-Bold" if word.bold else b""), word.size * scale
    )
    # The space of its own keeps a word apart whatever the gap.
    spelled = (word.text + " \0").encode("utf-16-le")
    raw.FPDFText_SetText(item, ctypes.cast(ctypes.c_char_p(spelled), raw.FPDF_WIDESTRING))
    sides = [ctypes.c_float() for _ in range(4)]
    raw.FPDFPageObj_GetBounds(item, *sides)
    natural = max(sides[2].value - sides[0].value, 0.01)
    stretch = (
        (word.box[2] - word.box[0]) * scale / natural
    )  # its letters are not as wide as those it was set with
    baseline = (sheet.height - word.box[1] - 0.85 * (word.box[3] - word.box[1])) * scale
    raw.FPDFPageObj_Transform(item, stretch, 0, 0, 1, word.box[0] * scale, baseline)
    raw.FPDFPage_InsertObject(page.raw, item)
