"""The five categories of problems by (lambda, k) (Dolce, section 3.3; fact sheet 6).

I: no context needed, lambda = 0. II, easy: lambda small, k large. III, retrieval: both small. IV, balanced: lambda
between. V, holistic: lambda large or infinite. Small: up to the first tertile of the candidates; large: beyond the
second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from scrollwork.analysis.windows.fit.candidates import one_two_five
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints

CATEGORIES = ("I", "II", "III", "IV", "V")


@dataclass(frozen=True)
class Thresholds:
    """Limits of categories. low: the largest small lambda, and small k. high: the largest lambda that is not large."""

    low: int
    high: int


def thresholds(units: int) -> Thresholds:
    """Return those of a task whose largest context has so many units. Raises ValueError for fewer than 1."""
    if units < 1:
        raise ValueError("C must be at least 1")
    grid = [*one_two_five(units), units]
    return Thresholds(grid[ceil(len(grid) / 3) - 1], grid[ceil(2 * len(grid) / 3) - 1])


def of_two_suites(first: Thresholds, second: Thresholds) -> Thresholds:
    """Return the smaller thresholds, which a task of two suites has in both (the paper)."""
    return Thresholds(min(first.low, second.low), min(first.high, second.high))


def categories(complexity: Ints, redundancy: Ints, limits: Thresholds) -> Ints:
    """Return the place in CATEGORIES of each pair; a negative lambda is infinite."""
    easy = np.where(redundancy > limits.low, 1, 2)
    small = np.where(complexity <= limits.low, easy, np.where(complexity <= limits.high, 3, 4))
    return np.asarray(np.where(complexity < 0, 4, np.where(complexity == 0, 0, small)), dtype=np.int64)


def category_shares(found: Iterable[int]) -> Floats:
    """Return the share of problems in each category; sums to 1. Raises ValueError if there are no problems."""
    counts = np.bincount(np.fromiter(found, dtype=np.int64), minlength=len(CATEGORIES)).astype(np.float64)
    if not counts.sum():
        raise ValueError("there is no problem")
    return np.asarray(counts / counts.sum())


def most_typical(complexity: Sequence[int], redundancy: Sequence[int], category: int) -> int:
    """Return the place of the most typical one of problems that are all in a category (fact sheet 6, inferred).

    II: smallest lambda, then largest k. III: smallest of both. IV and V: largest lambda, then smallest k. Of equals,
    and in I: the first.
    """

    def key(place: int) -> tuple[float, float]:
        own = float("inf") if complexity[place] < 0 else float(complexity[place])
        return {1: (own, -redundancy[place]), 2: (own, redundancy[place])}.get(category, (-own, redundancy[place]))

    return 0 if category == 0 else min(range(len(complexity)), key=key)
