"""Made pages on disk, in the form that ``evaluate`` reads."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from methods.core.atomic import atomic_writer
from methods.core.context import Context
from methods.evidence.evaluation import as_samples
from methods.evidence.questions import TrainingPage
from methods.evidence.synthesis import picture
from methods.evidence.synthesis.pages import asked, made


def write(
    folder: Path, count: int, context: Context, held_out: bool = False, degraded: bool = True
) -> dict[str, Any]:
    """Write ``count`` pages with their pictures and ``samples.json``; returns figures about them."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    entries, questions, templates = [], 0, set()
    for i in range(count):
        context.check()
        context.progress(i / count, f"page {i + 1} of {count}")
        rng = Random(f"{context.seed} picture {i} {held_out}")
        sheet, template = made(rng, held_out)
        page = TrainingPage(sheet.page(), None, asked(sheet, rng), template)
        image = picture.draw(sheet)
        image = picture.degrade(image, rng) if degraded else image
        name = f"images/{i:05d}.png"
        image.save(folder / name, optimize=False)
        entries.append(_entry(page, name, i))
        questions += len(page.questions)
        templates.add(template)
    text = json.dumps({"version": 1, "box_format": "x0 y0 x1 y1 in pixels", "pages": entries}, indent=1)
    with atomic_writer(folder / "samples.json") as stream:
        stream.write(text.encode())
    context.progress(1.0, "done")
    return {"pages": count, "questions": questions, "templates": len(templates)}


def _entry(page: TrainingPage, image: str, number: int) -> dict[str, Any]:
    (sample,) = as_samples([page])
    return {
        "id": f"{page.template}_{number}",
        "doc_type": page.template,
        "image": image,
        "width": page.page.width,
        "height": page.page.height,
        "tokens": [{"text": t.text, "box": [round(v, 1) for v in t.box]} for t in page.page.tokens],
        "qa": [
            {
                "question": q.text, "answer": q.answer, "field": q.field, "evidence_mode": q.mode,
                "evidence_boxes": [[round(v, 1) for v in box] for box in q.boxes],
            }
            for q in sample.questions
        ],
    }  # fmt: skip
