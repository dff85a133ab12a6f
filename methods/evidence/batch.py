"""Pages and questions of different lengths as padded tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor

from methods.evidence.features import CROP, PAIRS, PageFeatures, QuestionFeatures


@dataclass(frozen=True)
class PageBatch:
    """B pages, padded to N words.

    Attributes:
        grams, offsets: of the B * N words, empty where there is no word.
        layout: (B, N, LAYOUT). points: (B, N, 2). joints: (B, N, JOINTS).
        pairs: (B, N, N) int64. present: (B, N) bool.
        crops: (B, N, 16, 48), zero without a picture. seen: (B,) whether there is one.
    """

    grams: Tensor
    offsets: Tensor
    layout: Tensor
    points: Tensor
    joints: Tensor
    pairs: Tensor
    present: Tensor
    crops: Tensor
    seen: Tensor

    def to(self, device: str) -> PageBatch:
        return PageBatch(*(getattr(self, f.name).to(device) for f in fields(self)))


@dataclass(frozen=True)
class QuestionBatch:
    """M questions, padded to T words.

    Attributes:
        grams, offsets: of the M * T words. present: (M, T) bool.
        matches: (M, N, MATCHES) with the words of the page. of: (M,) number of the page in its batch.
    """

    grams: Tensor
    offsets: Tensor
    present: Tensor
    matches: Tensor
    of: Tensor

    def to(self, device: str) -> QuestionBatch:
        return QuestionBatch(*(getattr(self, f.name).to(device) for f in fields(self)))


def pages(found: Sequence[PageFeatures]) -> PageBatch:
    """Pad pages; a batch without words has one empty place."""
    most = max([1, *(len(page) for page in found)])
    grams, offsets, present = _bags([(page.grams, page.offsets) for page in found], most)
    pairs = np.full((len(found), most, most), PAIRS, np.int64)
    crops = np.zeros((len(found), most, *CROP), np.float32)
    for i, page in enumerate(found):
        pairs[i, : len(page), : len(page)] = page.pairs
        if page.crops is not None:
            crops[i, : len(page)] = page.crops
    return PageBatch(
        grams, offsets,
        _padded([page.layout for page in found], most), _padded([page.points for page in found], most),
        _padded([page.joints for page in found], most), torch.from_numpy(pairs), present,
        torch.from_numpy(crops), torch.tensor([page.crops is not None for page in found]),
    )  # fmt: skip


def questions(asked: Sequence[tuple[int, QuestionFeatures]], words: int) -> QuestionBatch:
    """Pad questions.

    Args:
        asked: (number of the page in its batch, features). words: N of the page batch.
    """
    most = max(len(q.offsets) for _, q in asked)
    grams, offsets, present = _bags([(q.grams, q.offsets) for _, q in asked], most)
    matches = _padded([q.matches for _, q in asked], words)
    return QuestionBatch(grams, offsets, present, matches, torch.tensor([page for page, _ in asked]))


def _padded(rows: Sequence[np.ndarray], most: int) -> Tensor:
    padded = np.zeros((len(rows), most, rows[0].shape[1]), np.float32)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row
    return torch.from_numpy(padded)


def _bags(bags: Sequence[tuple[np.ndarray, np.ndarray]], most: int) -> tuple[Tensor, Tensor, Tensor]:
    """All n-grams in one row; a place without a word gets an empty run."""
    offsets, start = [], 0
    present = np.zeros((len(bags), most), bool)
    for i, (grams, begins) in enumerate(bags):
        offsets.append(start + begins)
        start += len(grams)
        offsets.append(np.full(most - len(begins), start, np.int64))
        present[i, : len(begins)] = True
    flat = np.concatenate([grams for grams, _ in bags])
    return torch.from_numpy(flat), torch.from_numpy(np.concatenate(offsets)), torch.from_numpy(present)
