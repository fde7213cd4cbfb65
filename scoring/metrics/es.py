"""Exponential similarity (ZeroSCROLLS 3.2; zeroscrolls.md 7.4): space_digest.

2 ** (-|p - q| / 10), with p and q in percentage points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, GoldError, Outcome, check_texts, single
from scrollwork.scoring.reading.parsing import percentage

NAME = "es"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)

HALVING_POINTS = 10.0  # the paper's d = 2 and c = 10, which take percentages as fractions


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the best similarity to any reference, 0 to 100 (ZeroSCROLLS 3.2).

    0 if the prediction has no percentage. Percentages are not clipped to 0-100: "150%" is 90 points off "60%". `parsed`
    is the number found, in percentage points; the flag `format_ok` says whether there is one. Raises GoldError if there
    is no reference or one has no finite percentage, PredictionError if the prediction is not text.
    """
    check_texts(prediction, references)
    gold = [_gold_percentage(reference) for reference in references]
    answer = percentage(prediction)
    if answer is None:
        return single(NAME, 0.0, None, {"format_ok": False})
    best = max(similarity(answer, points) for points in gold)
    return single(NAME, best, repr(answer), {"format_ok": True})


def similarity(answer: float, gold: float) -> float:
    """Return 2 ** (-|answer - gold| / 10), 0 to 1, both in percentage points; 0 for an infinite answer."""
    return float(2.0 ** (-abs(answer - gold) / HALVING_POINTS))


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean similarity, 0 to 100."""
    return means[NAME]


def _gold_percentage(reference: str) -> float:
    points = percentage(reference)
    if points is None or not math.isfinite(points):
        raise GoldError(f'reference {reference[:80]!r} holds no percentage: digits directly before a "%"')
    return points
