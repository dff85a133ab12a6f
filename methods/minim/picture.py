"""The screenshot that goes with a minimised observation: what is private or not needed is painted over."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from methods.minim.observation import Box, Observation
from methods.minim.policy import KEEP, REMOVE, Decisions
from methods.minim.redact import Redaction

FILL = (17, 17, 17)
BLUR = "blur (not safe)"
"""The name under which blurring may be offered: blurred text can often be read again."""

Pixels = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""

_CONTAINERS = frozenset(
    "rootwebarea webarea document main form table grid row rowgroup list listitem group generic region navigation "
    "banner article section dialog tree treegrid toolbar tablist tabpanel menu menubar complementary contentinfo "
    "none presentation html body iframe".split()
)
"""Roles that paint nothing of their own: their name is what stands inside them."""
_PICTURES = frozenset("img image canvas video graphics-document svg svgroot".split())


def masked_uids(observation: Observation, decisions: Decisions, redaction: Redaction) -> tuple[int, ...]:
    """Elements whose place in the picture is painted over: each that shows something that does not leave."""
    stays = decisions.codes != REMOVE
    shows = stays & np.fromiter((e.box is not None for e in observation.elements), bool, len(stays))
    for element in reversed(observation.elements):  # now: it or anything below it stays and can be seen
        if shows[element.uid] and element.parent >= 0:
            shows[element.parent] = True
    touched = {uid for (uid, _), parts in redaction.replacements.items() if any(b > a for a, b, _ in parts)}
    found = []
    for element in observation.elements:
        uid, role = element.uid, element.role.lower()
        removed = decisions.codes[uid] == REMOVE
        if role == "#header":  # stands beside the tree in the file and nowhere on the screen
            continue
        if not element.visible or not (
            uid in touched or (role in _PICTURES and decisions.codes[uid] != KEEP)
        ):
            continue
        # What stays inside is seen; what does not is painted over by itself.
        if not ((removed or role in _CONTAINERS) and any(shows[c] for c in observation.children[uid])):
            found.append(uid)
    return tuple(found)


def pixel_boxes(observation: Observation, uids: Iterable[int], size: tuple[int, int]) -> tuple[Pixels, ...]:
    """Boxes in pixels, one pixel larger on each side, cut at the edges; those outside the picture left out."""
    found = []
    for uid in uids:
        box = observation.pixel_box(observation.elements[uid])
        if box is not None and (clipped := _clipped(box, size)):
            found.append(clipped)
    return tuple(found)


def _clipped(box: Box, size: tuple[int, int]) -> Pixels | None:
    if not all(map(math.isfinite, box)) or box[2] <= 0 or box[3] <= 0:
        return None
    x, y, w, h = box
    left, top = max(math.floor(x) - 1, 0), max(math.floor(y) - 1, 0)
    right, bottom = min(math.ceil(x + w) + 1, size[0]), min(math.ceil(y + h) + 1, size[1])
    return (left, top, right, bottom) if left < right and top < bottom else None


def redact_picture(image: Image.Image, boxes: Sequence[Pixels], blur: bool = False) -> bytes:
    """A PNG of the pixels alone, without any metadata, with the boxes painted over.

    Args:
        image: of any mode; transparency is put on white.
        boxes: from :func:`pixel_boxes`.
        blur: blur instead of painting over. **Not safe**, see :data:`BLUR`.
    """
    flat = Image.new("RGB", image.size, "white")
    rgba = image.convert("RGBA")
    flat.paste(rgba, mask=rgba.getchannel("A"))
    draw = ImageDraw.Draw(flat)
    for left, top, right, bottom in boxes:
        if blur:
            patch = flat.crop((left, top, right, bottom)).filter(ImageFilter.GaussianBlur(8))
            flat.paste(patch, (left, top))
        else:
            draw.rectangle((left, top, right - 1, bottom - 1), fill=FILL)
    out = io.BytesIO()
    flat.save(out, "PNG")
    return out.getvalue()


def leaks(png: bytes, boxes: Sequence[Pixels]) -> tuple[str, ...]:
    """Open a written picture again: sentences about boxes that are not one flat colour, and about metadata."""
    with Image.open(io.BytesIO(png)) as image:
        image.load()
        found = ["The picture carries metadata."] if image.info or image.getexif() else []
        pixels = np.asarray(image.convert("RGB"))
    for left, top, right, bottom in boxes:
        part = pixels[top:bottom, left:right]
        if part.size and (part != part[0, 0]).any():
            found.append(f"The picture still shows something at {left}, {top} to {right}, {bottom}.")
    return tuple(found)


def doubts(observation: Observation, size: tuple[int, int], uids: Iterable[int] = ()) -> tuple[str, ...]:
    """Why boxes may not match a picture of that size, as sentences; none when they should.

    Args:
        size: width and height of the picture in pixels.
        uids: elements that must be painted over (:func:`masked_uids`), to say which have no box.
    """
    screen = observation.screen
    found = list(screen.doubts)
    if screen.pixels and tuple(screen.pixels) != tuple(size):
        found.append(
            f"The picture has {size[0]} x {size[1]} pixels, the observation says {screen.pixels[0]} x "
            f"{screen.pixels[1]}."
        )
    expected = _expected(observation)
    if expected is None:
        if any(e.box for e in observation.elements) and not screen.pixels:
            found.append("The observation does not say how large the visible part was.")
    elif any(abs(a - b) > 1 for a, b in zip(expected, size, strict=True)):
        wide = abs(expected[0] - size[0]) <= 1
        if wide and size[1] > expected[1]:
            found.append(
                "The picture is taller than the visible part: it may show the whole page, not scrolled."
                if any(screen.scroll)
                else "The picture is taller than the visible part: it may show the whole page."
            )
        else:
            found.append(
                f"The picture has {size[0]} x {size[1]} pixels, but the visible part at this pixel ratio has "
                f"{round(expected[0])} x {round(expected[1])}."
            )
    found += _without_box(observation, tuple(uids))
    return tuple(dict.fromkeys(found))


def _expected(observation: Observation) -> tuple[float, float] | None:
    screen = observation.screen
    if screen.viewport is None or not (math.isfinite(screen.ratio) and screen.ratio > 0):
        return None
    width, height = (v * screen.ratio for v in screen.viewport)
    return (width, height) if math.isfinite(width) and math.isfinite(height) else None


def _without_box(observation: Observation, uids: tuple[int, ...]) -> list[str]:
    unknown = [
        observation.elements[u]
        for u in uids
        if observation.elements[u].visible
        and (observation.elements[u].box is None or not all(map(math.isfinite, observation.elements[u].box)))
    ]
    if not unknown:
        return []
    few = ", ".join(f"{e.role} {e.native_id or e.uid}" for e in unknown[:3])
    more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
    return [f"It is not known where in the picture these stand: {few}{more}."]
