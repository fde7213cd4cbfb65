"""Lengths of longest common subsequences, by rapidfuzz's bit vectors (Hyyro 2004)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import LCSseq

from scoring.rouge.vocabulary import Numbers

BYTES = 256
CHARACTERS = 0x110000

Encoded = bytes | str | list[int]


def prepared(left: Numbers, right: Numbers, codes: int) -> tuple[Encoded, Encoded]:
    """Two sequences of codes below `codes` as what rapidfuzz reads fastest, the shorter one first.

    The first becomes bit vectors, the second is walked: both ways take the same time, but not the same memory.
    """
    short, long = (left, right) if len(left) < len(right) else (right, left)
    return _encoded(short, codes), _encoded(long, codes)


def lengths(pairs: Sequence[tuple[Encoded, Encoded]]) -> Numbers:
    """Of the longest common subsequence of each pair."""
    if not pairs:
        return np.zeros(0, dtype=np.intp)
    left, right = zip(*pairs, strict=True)
    found: Numbers = process.cpdist(left, right, scorer=LCSseq.similarity, dtype=np.int64)
    return found


def _encoded(codes: Numbers, bound: int) -> Encoded:
    if bound <= BYTES:
        return codes.astype(np.uint8).tobytes()
    if bound <= CHARACTERS:
        return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return [int(code) for code in codes]  # more different words than there are characters
