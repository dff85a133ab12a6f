"""Draw a made page, and make it look photographed or badly scanned without moving its words."""

from __future__ import annotations

import io
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from methods.evidence.synthesis.sheet import MONO, Sheet


def draw(sheet: Sheet) -> Image.Image:
    """The sheet in black on white, "L"."""
    image = Image.new("L", (sheet.width, sheet.height), 255)
    pen = ImageDraw.Draw(image)
    for x0, y0, x1, y1 in sheet.rules:
        pen.line((x0, y0, x1, y1), fill=90)
    for word in sheet.placed:
        # A little smaller than measured: readers of pictures want wider gaps than the font has.
        font = ImageFont.load_default(0.95 * word.size)
        x, y = word.box[0], word.box[1] - 0.1 * word.size
        stroke = 1 if word.bold and word.size > 14 else 0
        if not sheet.mono:
            pen.text((x, y), word.text, fill=20, font=font, stroke_width=stroke)
            continue
        for letter in word.text:
            cell = MONO * word.size
            pen.text(
                (x + (cell - font.getlength(letter)) / 2, y), letter, fill=20, font=font, stroke_width=stroke
            )
            x += cell
    return image


def degrade(image: Image.Image, rng: Random) -> Image.Image:
    """Shading, blur, noise and JPEG marks of random strength, "L"."""
    values = np.asarray(image, np.float32)
    noise = np.random.default_rng(rng.randrange(1 << 32))
    height, width = values.shape
    across, down = np.linspace(-1, 1, width), np.linspace(-1, 1, height)[:, None]
    shade = 1 - rng.uniform(0, 0.25) * (0.5 + 0.5 * (rng.uniform(-1, 1) * across + rng.uniform(-1, 1) * down))
    faded = 255 - (255 - values) * rng.uniform(0.55, 1.0)
    values = faded * shade + noise.normal(0, rng.uniform(0, 9), values.shape)
    spoiled = Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))
    if rng.random() < 0.6:
        spoiled = spoiled.filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 0.9)))
    buffer = io.BytesIO()
    spoiled.save(buffer, "JPEG", quality=rng.randint(35, 90))
    return Image.open(buffer).convert("L")
