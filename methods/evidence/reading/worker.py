"""The recogniser's process: reads ``height width`` and the RGB8 bytes of a picture, answers with one line of JSON.

It is started by :mod:`methods.evidence.reading.ocr`; nothing that goes wrong here can take the workbench along.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import pairwise
from typing import Any, BinaryIO

import numpy as np

TILE, OVERLAP = 1600, 240
"""Pixels; a larger picture would be shrunk by the recogniser until small print is lost."""


def main() -> None:
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)
    from rapidocr import RapidOCR

    options = {
        "Global.log_level": "critical",
        "Global.return_word_box": True,
        "EngineConfig.onnxruntime.intra_op_num_threads": 1,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    }
    engine = RapidOCR(params=options)
    source = sys.stdin.buffer
    while line := source.readline():
        height, width = map(int, line.split())
        picture = np.frombuffer(_exactly(source, height * width * 3), np.uint8).reshape(height, width, 3)
        try:
            answer: Any = {"words": read(engine, picture)}
        except Exception as error:  # the next page may be read all the same
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer).encode() + b"\n")


def _exactly(source: BinaryIO, count: int) -> bytes:
    data = source.read(count)
    if len(data) != count:
        raise SystemExit
    return data


def read(engine: Any, picture: np.ndarray) -> list[list[Any]]:
    """[text, x0, y0, x1, y1, confidence, line] of each word; of two tiles the one whose core holds a word counts."""
    height, width = picture.shape[:2]
    found, line = [], 0
    for top, low, high in _tiles(height):
        for left, near, far in _tiles(width):
            tile = np.ascontiguousarray(picture[top : top + TILE, left : left + TILE])
            result = engine(tile[:, :, ::-1])
            if result.boxes is None:
                continue
            for words in result.word_results:
                kept = False
                for text, confidence, quad in words:
                    if not text.strip() or quad is None:
                        continue
                    x, y = [p[0] + left for p in quad], [p[1] + top for p in quad]
                    middle = (min(x) + max(x)) / 2, (min(y) + max(y)) / 2
                    if low <= middle[1] < high and near <= middle[0] < far:
                        box = [float(v) for v in (min(x), min(y), max(x), max(y))]
                        found.append([text, *box, float(confidence), line])
                        kept = True
                line += kept
    return found


def _tiles(length: int) -> list[tuple[int, int, int]]:
    """(start, first and end of the core) of tiles that cover a length."""
    if length <= TILE:
        return [(0, 0, length)]
    count = -(-(length - OVERLAP) // (TILE - OVERLAP))
    starts = [round(i * (length - TILE) / (count - 1)) for i in range(count)]
    cuts = [0, *((a + TILE + b) // 2 for a, b in pairwise(starts)), length]
    return [(start, cuts[i], cuts[i + 1]) for i, start in enumerate(starts)]


if __name__ == "__main__":
    main()
