"""PNG, JPEG, TIFF with its frames, and WebP as pages of RGB8, turned upright."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from methods.core.errors import BadInput
from methods.evidence.page import Box, Token

MOST_PIXELS = 250_000_000
"""About 1 GB while a page is turned into RGB; more is refused before it is decoded."""
_WIDE = ("I;16", "I;16B", "I;16L", "I", "F")


class PictureDocument:
    """See :class:`~methods.evidence.documents.document.Document`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _decoding(path, f"{path.name} cannot be read as a picture"), Image.open(path) as image:
            self._count = getattr(image, "n_frames", 1)

    def __len__(self) -> int:
        return self._count

    def picture(self, page: int) -> np.ndarray:
        """See the protocol.

        Raises:
            BadInput: cut off or damaged, or larger than fits into memory.
        """
        fault = f"{self.path.name}, page {page + 1}, is damaged"
        with _decoding(self.path, fault), Image.open(self.path) as image:
            image.seek(page)
            _check_size(self.path, image)
            return np.asarray(rgb(ImageOps.exif_transpose(image)))

    def words(self, page: int) -> tuple[Token, ...]:
        return ()

    def points(self, page: int, box: Box) -> Box | None:
        return None

    def close(self) -> None:
        pass


@contextlib.contextmanager
def _decoding(path: Path, fault: str) -> Iterator[None]:
    """Whatever a decoder raises on damaged data becomes one line; what it only warns about is let pass."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except BadInput:
        raise
    except Image.DecompressionBombError:
        raise BadInput(
            f"{path.name} is too large to decode.", f"Scale it to at most {MOST_PIXELS // 10**6} megapixels."
        ) from None
    except (
        Exception
    ) as error:  # decoders of damaged data raise nearly anything, TypeError and KeyError included
        raise BadInput(f"{fault}: {' '.join(str(error).split())[:200]}.", "Get the file again.") from error


def _check_size(path: Path, image: Image.Image) -> None:
    if image.width * image.height > MOST_PIXELS:
        raise BadInput(
            f"{path.name} has {image.width} x {image.height} pixels.",
            f"Scale it to at most {MOST_PIXELS // 10**6} megapixels.",
        )


def rgb(image: Image.Image) -> Image.Image:
    """RGB8 of any mode; what is transparent is paper, and 16 bits keep their upper half."""
    if image.mode in _WIDE:
        values = np.asarray(image, np.float64)
        top = 255 if values.max(initial=0) <= 255 else max(65535, values.max())
        image = Image.fromarray((255 * np.clip(values / top, 0, 1)).astype(np.uint8))
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image = image.convert("RGBA")
        paper = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(paper, image)
    return image.convert("RGB")
