"""A document of pages, whatever file it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np

from methods.core.errors import BadInput
from methods.evidence.page import Box, Token

PDF_SUFFIXES = (".pdf",)
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp")
SUFFIXES = (*PDF_SUFFIXES, *PICTURE_SUFFIXES)


class Document(Protocol):
    """Pages, each read when it is asked for. Pages count from 0 here."""

    path: Path

    def __len__(self) -> int: ...

    def picture(self, page: int) -> np.ndarray:
        """(H, W, 3) uint8, upright."""
        ...

    def words(self, page: int) -> tuple[Token, ...]:
        """Words of the text layer in pixels of the picture; none where there is no such layer."""
        ...

    def points(self, page: int, box: Box) -> Box | None:
        """A box of the picture in PDF points of the page's own coordinates, y upwards; None for pictures."""
        ...

    def close(self) -> None: ...


def check(path: Path) -> Path:
    """The path of a document, or what is wrong with it as far as its first bytes tell.

    Raises:
        BadInput: an empty file, or neither a picture nor a PDF.
    """
    with path.open("rb") as stream:
        head = stream.read(1024)
    if not head:
        raise BadInput(f"{path.name} is empty.", "Choose another file.")
    if not (b"%PDF-" in head or _is_picture(head)):
        raise BadInput(f"{path.name} is neither a PDF nor a picture.", f"Give one of {', '.join(SUFFIXES)}.")
    return path


def _is_picture(head: bytes) -> bool:
    marks = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"BM", b"II+\0", b"MM\0+")
    return head.startswith(marks) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP")


def open_document(path: Path, password: str = "", dpi: float = 150.0) -> Document:
    """Open a document by its content, not its name.

    Raises:
        BadInput: damaged, locked, without pages, or of no known format.
    """
    from methods.evidence.documents.pdf import PdfDocument
    from methods.evidence.documents.pictures import PictureDocument

    check(path)
    with path.open("rb") as stream:
        is_pdf = b"%PDF-" in stream.read(1024)
    document = PdfDocument(path, password, dpi) if is_pdf else PictureDocument(path)
    if not len(document):
        raise BadInput(f"{path.name} has no page.", "Choose another file.")
    return document
