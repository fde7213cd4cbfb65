"""Student's t, from finite sums: intervals and powers of few clusters need it, and scipy is no dependency."""

from __future__ import annotations

from functools import lru_cache
from math import atan, cos, pi, sin, sqrt
from statistics import NormalDist

NORMAL_FROM = 2000  # degrees of freedom from which the normal distribution stands in: 97.5 % quantiles differ by 0.0012


def within(t: float, freedom: int) -> float:
    """P(|T| <= t) for whole degrees of freedom >= 1, t >= 0 (Abramowitz & Stegun 26.7.3 and 26.7.4)."""
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
    """The value below which T lies with this probability, 0.5 to 1 exclusive. Raises ValueError."""
    if freedom < 1 or not 0.5 <= probability < 1:
        raise ValueError(f"no quantile of {probability} with {freedom} degrees of freedom")
    if freedom >= NORMAL_FROM:
        return NormalDist().inv_cdf(probability)
    wanted = 2 * probability - 1
    low, high = 0.0, 1.0
    while within(high, freedom) < wanted:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, freedom) < wanted else (low, middle)
    return (low + high) / 2
