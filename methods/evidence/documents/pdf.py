"""PDF files by PDFium: pictures of pages, and the words of their text layer in the picture's pixels."""

from __future__ import annotations

import ctypes
import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from methods.core.errors import BadInput
from methods.evidence.page import Box, Token

MOST_PIXELS = 40_000_000
MOST_CHARACTERS = 200_000
"""Of a page; what lies beyond is not read."""
_LOCK = threading.RLock()
"""PDFium may be used by one thread at a time."""


class PdfDocument:
    """See :class:`~methods.evidence.documents.document.Document`."""

    def __init__(self, path: Path, password: str = "", dpi: float = 150.0) -> None:
        self.path, self.dpi = path, dpi
        try:
            with _LOCK:
                self._file = pdfium.PdfDocument(path, password=password or None)
                self._count = len(self._file)
        except pdfium.PdfiumError as error:
            if "password" in str(error).lower():
                again = "The password is wrong." if password else "It is locked with a password."
                raise BadInput(f"{path.name} cannot be opened. {again}", "Give its password.") from error
            raise BadInput(
                f"{path.name} is damaged: it cannot be read as a PDF.", "Get the file again."
            ) from error

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        with _LOCK:
            self._file.close()

    def picture(self, page: int) -> np.ndarray:
        with _LOCK:
            sheet = self._page(page)
            bitmap = sheet.render(scale=self._scale(sheet), rev_byteorder=True)
            return np.ascontiguousarray(bitmap.to_numpy()[:, :, :3])

    def words(self, page: int) -> tuple[Token, ...]:
        with _LOCK:
            sheet = self._page(page)
            frame = _Frame(sheet, self._scale(sheet))
            text = sheet.get_textpage()  # its handle is gone as soon as nothing refers to it
            return tuple(_words(text.raw, frame))

    def points(self, page: int, box: Box) -> Box | None:
        with _LOCK:
            sheet = self._page(page)
            return _Frame(sheet, self._scale(sheet)).to_points(box)

    def _page(self, page: int) -> Any:
        try:
            return self._file[page]
        except pdfium.PdfiumError as error:
            raise BadInput(
                f"{self.path.name}, page {page + 1}, is damaged.", "Choose another page."
            ) from error

    def _scale(self, sheet: Any) -> float:
        """Pixels per point."""
        width, height = sheet.get_size()
        if not (0 < width < 1e5 and 0 < height < 1e5):
            raise BadInput(
                f"{self.path.name} has a page of {width:g} x {height:g} points.", "Choose another file."
            )
        return min(self.dpi / 72, math.sqrt(MOST_PIXELS / (width * height)))


class _Frame:
    """Between a page's own coordinates and the pixels of its picture, whatever its crop box and rotation."""

    def __init__(self, sheet: Any, scale: float) -> None:
        width, height = sheet.get_size()
        self.width, self.height = math.ceil(width * scale), math.ceil(height * scale)
        self._page = sheet.raw
        # PDFium answers in whole pixels, so it is asked about a picture 16 times as large.
        self._fine = 16
        self._size = (self.width * self._fine, self.height * self._fine)

    def to_pixels(self, x: float, y: float) -> tuple[float, float]:
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(self._page, 0, 0, *self._size, 0, x, y, across, down)
        return across.value / self._fine, down.value / self._fine

    def to_points(self, box: Box) -> Box:
        corners = []
        for x, y in ((box[0], box[1]), (box[2], box[3])):
            px, py = ctypes.c_double(), ctypes.c_double()
            at = round(x * self._fine), round(y * self._fine)
            raw.FPDF_DeviceToPage(self._page, 0, 0, *self._size, 0, *at, px, py)
            corners.append((px.value, py.value))
        (x0, y0), (x1, y1) = corners
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        ax, ay = self.to_pixels(left, top)
        bx, by = self.to_pixels(right, bottom)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)


def _words(text: Any, frame: _Frame) -> list[Token]:
    """Letters put together to words; those that lie beside the page or have no size are left out."""
    found: list[Token] = []
    letters: list[str] = []
    boxes: list[Box] = []
    line = 0

    def end() -> None:
        if letters:
            x0, y0, x1, y1 = (f(b[i] for b in boxes) for i, f in enumerate((min, min, max, max)))
            x0, y0 = max(x0, 0.0), max(y0, 0.0)
            x1, y1 = min(x1, float(frame.width)), min(y1, float(frame.height))
            if x0 < x1 and y0 < y1:
                found.append(Token("".join(letters), (x0, y0, x1, y1), 1.0, line))
            letters.clear()
            boxes.clear()

    sides = [ctypes.c_double() for _ in range(4)]
    for i in range(min(raw.FPDFText_CountChars(text), MOST_CHARACTERS)):
        code = raw.FPDFText_GetUnicode(text, i)
        letter = chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
        if not letter or letter.isspace() or not letter.isprintable():
            end()
            line += letter in "\r\n" and letter == "\n"
            continue
        left, right, bottom, top = sides
        if not raw.FPDFText_GetCharBox(text, i, left, right, bottom, top):
            continue
        box = frame.box(left.value, bottom.value, right.value, top.value)
        if boxes and _apart(boxes[-1], box):
            end()
        letters.append(letter)
        boxes.append(box)
    end()
    return found


def _apart(a: Box, b: Box) -> bool:
    """Whether two letters that follow each other cannot belong to one word."""
    size = max(a[3] - a[1], b[3] - b[1], a[2] - a[0], b[2] - b[0], 1.0)
    across = max(b[0] - a[2], a[0] - b[2], 0.0)
    down = max(b[1] - a[3], a[1] - b[3], 0.0)
    return across > 1.5 * size or down > 0.7 * size
