"""Student's t, from finite sums: intervals and power for few clusters need it, and scipy is not a dependency."""

from __future__ import annotations

from functools import lru_cache
from math import atan, cos, pi, sin, sqrt
from statistics import NormalDist

EXPANDED_FROM = 2000  # degrees of freedom from which t is expanded from the normal (Abramowitz & Stegun 26.7.5)


def two_sided_probability(t: float, freedom: int) -> float:
    """Return P(|T| <= t) for whole degrees of freedom >= 1, t >= 0 (Abramowitz & Stegun 26.7.3 and 26.7.4)."""
    angle = atan(t / sqrt(freedom))
    square = cos(angle) ** 2
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(2 + odd, freedom - 1, 2):
        term *= square * (step - 1) / step
        total += term
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


@lru_cache(maxsize=4096)
def quantile(probability: float, freedom: int) -> float:
    """Return the value below which T lies with this probability, 0.5 to 1 exclusive. Raises ValueError."""
    if freedom < 1 or not 0.5 <= probability < 1:
        raise ValueError(f"no quantile of {probability} with {freedom} degrees of freedom")
    if freedom >= EXPANDED_FROM:
        return _expanded(NormalDist().inv_cdf(probability), freedom)
    wanted = 2 * probability - 1
    low, high = 0.0, 1.0
    while two_sided_probability(high, freedom) < wanted:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided_probability(middle, freedom) < wanted else (low, middle)
    return (low + high) / 2


def _expanded(z: float, freedom: int) -> float:
    """Return the quantile of t from the normal's z, by powers of 1 / freedom; beyond the fourth all is rounding."""
    powers = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(powers, 1))
