"""Ranks of numbers, the highest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction


def average_ranks(values: Sequence[Fraction | float | None]) -> list[float]:
    """Return ranks from 1, the highest value first; equal values share the mean of theirs. None is below everything."""
    counts = Counter(values)
    unknown = counts.pop(None, 0)
    places: dict[Fraction | float | None, float] = {None: len(values) - (unknown - 1) / 2}
    above = 0
    for value in sorted((value for value in counts if value is not None), reverse=True):
        places[value] = above + (counts[value] + 1) / 2
        above += counts[value]
    return [places[value] for value in values]
