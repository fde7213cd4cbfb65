"""Box-plot numbers (Tukey), as SEAM's figure 3 draws the run scores of a model on a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

REACH = 1.5  # interquartile ranges


@dataclass(frozen=True)
class Box:
    """A box plot. low, high: ends of the whiskers, the last values within 1.5 interquartile ranges of the box.

    fliers: the values beyond, ascending.
    """

    q1: float
    median: float
    q3: float
    low: float
    high: float
    fliers: tuple[float, ...]


def box(values: Sequence[float]) -> Box:
    """Compute the numbers of a box plot; quartiles interpolate linearly. Raises ValueError for no value."""
    if not len(values):
        raise ValueError("a box plot of no value")
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    q1, median, q3 = (float(found) for found in np.quantile(ordered, [0.25, 0.5, 0.75]))
    reach = REACH * (q3 - q1)
    inside = ordered[(ordered >= q1 - reach) & (ordered <= q3 + reach)]
    low, high = min(float(inside[0]), q1), max(float(inside[-1]), q3)
    fliers = tuple(float(value) for value in ordered if value < low or value > high)
    return Box(q1, median, q3, low, high, fliers)
