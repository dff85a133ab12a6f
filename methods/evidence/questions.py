"""A page with questions whose evidence is known: what the localiser is trained and measured on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from methods.evidence.page import Page


@dataclass(frozen=True)
class Question:
    """A question about one page.

    Attributes:
        answer: as it is written on the page; "" where the page has none.
        evidence: indices of the tokens that hold the answer; any of them counts where the value stands repeatedly.
        answerable: False when the page does not tell.
        kind: of the field or relation asked for, e.g. "total", "date", "cell".
        decoys: values of the same type elsewhere on the page.
    """

    text: str
    answer: str
    evidence: tuple[int, ...]
    answerable: bool = True
    kind: str = ""
    decoys: int = 0


@dataclass(frozen=True)
class TrainingPage:
    """A page with its questions.

    Attributes:
        picture: (height, width) uint8, grey, of the page's size; None where only the tokens are known.
        template: what the page was made from; whole templates are held out.
    """

    page: Page
    picture: np.ndarray | None
    questions: tuple[Question, ...]
    template: str = ""
