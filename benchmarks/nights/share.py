"""The 95 % interval of a share of nights, where nights of one sequence depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

Z = 1.959963984540054


def interval_of(counts: Sequence[int], nights: int) -> tuple[float, float]:
    """Return (low, high) of the share, 0 to 1. counts: of each sequence of so many nights.

    Wilson's (1927), the number of nights divided by the design effect (Kish 1965): the variance of the shares of the
    sequences over that of independent nights, at least 1. With one sequence it is taken as 1.
    """
    total = len(counts) * nights
    share = sum(counts) / total
    independent = share * (1 - share) / nights
    effect = 1.0
    if len(counts) > 1 and independent > 0:
        effect = max(1.0, float(np.var(np.asarray(counts) / nights, ddof=1)) / independent)
    of = total / effect
    middle = (share + Z**2 / 2 / of) / (1 + Z**2 / of)
    half = Z * sqrt(share * (1 - share) / of + Z**2 / 4 / of**2) / (1 + Z**2 / of)
    return max(0.0, middle - half), middle + half
