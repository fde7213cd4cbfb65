"""What a paired comparison can find: chances of t-tests with a known standard error, exact for normal means.

With S = sqrt(chi squared of f / f), f degrees of freedom, the estimated error is S times the true one, independent of
the mean. A chance is a mean over S, taken on a grid: of Phi(d - t S) + Phi(-d - t S) for the two-sided test (the
noncentral t), d the true difference in standard errors and t the critical value; and of what both one-sided tests leave
between the margins for equivalence (Schuirmann 1987).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, erf, log, log1p, sqrt
from statistics import NormalDist

import numpy as np

from scrollwork.analysis.logs.log import Floats
from scrollwork.analysis.statistics.paired import ALPHA, POWER
from scrollwork.analysis.statistics.student import quantile, two_sided_probability
from scrollwork.records.comparison import FEWEST_CLUSTERS

MOST_ITEMS = 1_000_000_000  # beyond it "items to decide" says nothing
GRID = 401
EXPANDED_FROM = 20_000  # degrees of freedom from which t is taken from the normal


def cumulative(t: float, freedom: int) -> float:
    """Return P(T <= t) of Student's t."""
    if freedom >= EXPANDED_FROM:
        # Abramowitz and Stegun 26.7.8
        return NormalDist().cdf(t * (1 - 1 / (4 * freedom)) / sqrt(1 + t * t / (2 * freedom)))
    inside = two_sided_probability(abs(t), freedom)
    return (1 + inside) / 2 if t >= 0 else (1 - inside) / 2


def power_of(true_difference: float, error: float, clusters: int) -> float | None:
    """Return the chance that a two-sided test at 5 % finds a true difference of this size; None if nothing varies.

    0 with so few clusters that no p is below 5 %.
    """
    if error == 0.0:
        return None
    if clusters < FEWEST_CLUSTERS:
        return 0.0
    return _difference_found(abs(true_difference) / error, clusters - 1)


def detectable_difference(error: float, clusters: int) -> float | None:
    """Return the least true difference that is found with a chance of 80 %; None where there is none."""
    if error == 0.0 or clusters < FEWEST_CLUSTERS:
        return None
    low, high = 0.0, 1.0
    while _difference_found(high, clusters - 1) < POWER:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _difference_found(middle, clusters - 1) < POWER else (low, middle)
    return high * error


def clusters_to_decide(
    items: int,
    clusters: int,
    error: float | None,
    difference: float,
    margin: float,
    full: float = 1.0,
    step: float = 0.0,
) -> int | None:
    """Return how many clusters like these decide with a chance of 80 %. step: the size of all sums of clusters that are
    not 0, where they have one: the test is the sign test then, whose p come in steps. 0 where they differ.

    Decided means: a true difference as large as the observed one is found by the two-sided test at 5 %; or, if it is
    below the margin, is shown to lie within the margin: the fewer of the two. Where no item differs, so many that this
    shows equality (`PairedScores.equivalence`; full: the largest possible difference). None with one cluster (error
    None), where all differ alike, without a margin (0) where none differs, or beyond 10^9 items.
    """
    if error == 0.0 and difference == 0.0:
        share = min(margin / full, 1.0) if full else 0.0
        if share == 0.0:
            return None
        return 1 if share == 1.0 else ceil(log(ALPHA) / log1p(-share))
    if not error:
        return None
    effect, one_cluster = abs(difference), error * sqrt(clusters)

    def found(count: int) -> float:
        seen = max(effect - step * clusters / items / count, 0.0)  # continuity correction
        by_t = _difference_found(seen * sqrt(count) / one_cluster, count - 1)
        # of six, the permutation test finds a difference only where all have one sign
        right = NormalDist().cdf(effect / one_cluster) if count == FEWEST_CLUSTERS else 1.0
        return min(by_t, right**count + (1 - right) ** count)

    def equivalent(count: int) -> float:
        scale = sqrt(count) / one_cluster
        return _equivalence_shown(effect * scale, margin * scale, count - 1)

    most = ceil(MOST_ITEMS * clusters / items)
    enough = [_least(found, most), _least(equivalent, most) if effect < margin else None]
    return min((count for count in enough if count is not None), default=None)


def items_in(wanted: int | None, items: int, clusters: int) -> int | None:
    """Return how many items so many clusters hold, at the present number of items in each."""
    return None if wanted is None else ceil(wanted * items / clusters)


def _least(chance: Callable[[int], float], most: int) -> int | None:
    """Return the least number of clusters, at least six, whose chance is 80 %; None if the most are not enough."""
    low, high = FEWEST_CLUSTERS, FEWEST_CLUSTERS
    while chance(high) < POWER:
        if high >= most:
            return None
        low, high = high + 1, min(high * 2, most)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if chance(middle) < POWER else (low, middle)
    return low


def _difference_found(shift: float, freedom: int) -> float:
    """Return the power of the two-sided t-test at 5 %. shift: true difference in standard errors."""
    errors, weights = _estimated_errors(freedom)
    limits = quantile(1 - ALPHA / 2, freedom) * errors
    return float(weights @ (_normal(shift - limits) + _normal(-shift - limits)))


def _equivalence_shown(shift: float, margin: float, freedom: int) -> float:
    """Return the chance that both one-sided tests at 5 % succeed. shift, margin: in standard errors."""
    errors, weights = _estimated_errors(freedom)
    limits = quantile(1 - ALPHA, freedom) * errors
    return float(weights @ np.maximum(_normal(margin - shift - limits) - _normal(limits - margin - shift), 0.0))


@lru_cache(maxsize=64)
def _estimated_errors(freedom: int) -> tuple[Floats, Floats]:
    """Return values of S and their weights, which sum to 1."""
    spread = 8 / sqrt(2 * freedom)
    values = np.linspace(max(1e-9, 1 - spread), 1 + spread, GRID)
    densities = (freedom - 1) * np.log(values) - freedom / 2 * values**2
    weights = np.exp(densities - densities.max())
    weights[[0, -1]] /= 2
    return values, weights / weights.sum()


def _normal(values: Floats) -> Floats:
    """Return the normal distribution function of each value."""
    return np.array([(1 + erf(value / sqrt(2))) / 2 for value in values])
