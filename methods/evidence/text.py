"""Text without a vocabulary: words as hashed character n-grams, and the shapes of amounts, dates and codes.

After fastText (Bojanowski et al., TACL 2017): a word that the reader got slightly wrong still shares most n-grams with
the right one. Digits count as one letter there, so that 12.50 and 38.90 look the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from zlib import crc32

BUCKETS = 1 << 14
"""Rows of the table of n-grams; row 0 is left for "no text"."""
LONGEST = 32
"""Letters of a word that count."""
_DIGIT = re.compile(r"\d")
_AMOUNT = re.compile(r"^\W*(?:[a-z]{0,3}\W?)\d{1,3}(?:[., ]?\d{3})*[.,]\d{2}\W*[a-z]?\W*$", re.I)
_DATE = re.compile(r"^\W*\d{1,4}[./-](?:\d{1,2}|[a-z]{3})[./-]\d{2,4}\W*$", re.I)
_TIME = re.compile(r"^\W*\d{1,2}[:.]\d{2}(?::\d{2})?\W*(?:am|pm)?\W*$", re.I)
_MONTH = re.compile(r"^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\W*$", re.I)
_CODE = re.compile(r"^(?=.*\d)[\w#/.-]{4,}\W*$")
_MAIL = re.compile(r"@|www\.|\.(?:com|org|net)\b", re.I)
SHAPES = 16


def normal(word: str) -> str:
    """A word as it is compared: lower case, without the marks around it."""
    return word.casefold().strip(".,:;!?()[]{}\"'*#-–—_/|")


@lru_cache(1 << 17)
def ngrams(word: str) -> tuple[int, ...]:
    """Rows of the table for a word: itself and its 3- to 5-grams, never empty."""
    plain = _DIGIT.sub("0", word.casefold())[:LONGEST]
    found = {f"={normal(plain)}"}
    marked = f"<{plain}>"
    for size in (3, 4, 5):
        found.update(marked[i : i + size] for i in range(len(marked) - size + 1))
    return tuple(sorted(1 + crc32(gram.encode("utf-8", "surrogatepass")) % (BUCKETS - 1) for gram in found))


@lru_cache(1 << 17)
def trigrams(word: str) -> frozenset[str]:
    """Three letters at a time of the compared form, its ends marked; digits as they are."""
    marked = f"<{normal(word)}>"
    return frozenset(marked[i : i + 3] for i in range(max(len(marked) - 2, 1)))


@lru_cache(1 << 17)
def shape(word: str) -> tuple[float, ...]:
    """What a word looks like, ``SHAPES`` numbers in [0, 1]."""
    count = max(len(word), 1)
    digits, upper = sum(c.isdigit() for c in word), sum(c.isupper() for c in word)
    letters = sum(c.isalpha() for c in word)
    flags = (
        bool(_AMOUNT.match(word)), bool(_DATE.match(word)), bool(_TIME.match(word)), bool(_MONTH.match(word)),
        bool(_CODE.match(word)), bool(_MAIL.search(word)), word.endswith(":"), word.endswith((",", ".")),
        word.isdigit(), word[:1].isupper(), not (digits or letters), "%" in word,
    )  # fmt: skip
    shares = digits / count, upper / count, letters / count, min(count, 20) / 20
    return (*map(float, flags), *shares)


@lru_cache(1 << 14)
def amount(word: str) -> float | None:
    """The value of a word that looks like an amount of money, else None."""
    if not _AMOUNT.match(word):
        return None
    digits = re.sub(r"\D", "", word)
    return int(digits) / 100
