"""Quantiles of chi squared, from a series: intervals of variances need them, and scipy is not a dependency."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log


def cumulative(x: float, freedom: int) -> float:
    """Return P(X <= x) for x >= 0: the regularised incomplete gamma function (Abramowitz & Stegun 26.4.6)."""
    if x <= 0:
        return 0.0
    half, shape = x / 2, freedom / 2
    term = total = 1.0
    step = shape
    while term > total * 1e-17:
        step += 1
        term *= half / step
        total += term
    return min(1.0, exp(shape * log(half) - half - lgamma(shape + 1) + log(total)))


@lru_cache(maxsize=4096)
def quantile(probability: float, freedom: int) -> float:
    """Find the value below which X lies with this probability (between 0 and 1). Raises ValueError."""
    if freedom < 1 or not 0 < probability < 1:
        raise ValueError(f"no quantile of {probability} with {freedom} degrees of freedom")
    low, high = 0.0, 1.0
    while cumulative(high, freedom) < probability:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if cumulative(middle, freedom) < probability else (low, middle)
    return (low + high) / 2
