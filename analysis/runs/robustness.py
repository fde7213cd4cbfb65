"""How sure a ranking over runs is: intervals for AR and ARSD, and how often each model is best.

AR: runs are drawn with replacement (analysis/runs/resampling.py), and the interval is made from the resamples as in
analysis/statistics/intervals.py, with data sets in the place of tasks and runs in the place of clusters.

ARSD: runs are left out one at a time; arsd x exp(-+ t SE / arsd), SE by the jackknife on each data set, t with the
degrees of freedom of Welch and Satterthwaite. In simulations of six data sets with normal scores it covers the expected
ARSD in 93 to 95 % of cases with ten runs and 96 to 98 % with five; percentiles of a bootstrap in 89 to 90 %, because
resampled deviations are too small. The interval of AR covers in 97 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isqrt, sqrt

import numpy as np

from scrollwork.analysis.runs.dominance import FEWEST
from scrollwork.analysis.runs.ranking import Standing, standings
from scrollwork.analysis.runs.resampling import resampleable, resampled_ranks
from scrollwork.analysis.runs.scores import RunScores, ScoreTable
from scrollwork.analysis.statistics.intervals import LEVEL, Floats, Resampled, interval
from scrollwork.analysis.statistics.student import quantile

FEWEST_WITHOUT = 3  # runs, so that one can be left out and a deviation remains
MOST = 300.0  # largest exponent, so that the end of an interval is finite
BITS = 192  # of roots: twice what the smallest difference between deviations of similar numbers needs


@dataclass(frozen=True)
class Sureness:
    """How sure a model's rank is. ar, arsd: (low, high) of 95 % intervals.

    They are None if a score that counts has too few runs. best: share of resamples in which its AR is the lowest,
    divided among equal ones, so that all models' sum to 1.
    """

    model: str
    ar: tuple[float, float] | None
    arsd: tuple[float, float] | None
    best: float | None


def robustness_rows(table: ScoreTable) -> list[Sureness]:
    """Return every model, in the order of `standings`."""
    rows = standings(table)
    if not resampleable(table):
        return [Sureness(row.model, None, arsd_interval(table, row), None) for row in rows]
    ranks = {dataset: resampled_ranks(table, dataset) for dataset in table.datasets}
    best = dict(zip(table.models, shares_of_best(np.mean(list(ranks.values()), axis=0)), strict=True))
    return [
        Sureness(row.model, ar_interval(table, ranks, row.model), arsd_interval(table, row), float(best[row.model]))
        for row in rows
    ]


def ar_interval(table: ScoreTable, ranks: dict[str, Floats], model: str) -> tuple[float, float]:
    """Return the 95 % interval of AR. ranks: in all resamples by data set, shape (RESAMPLES, models) each."""
    place = table.models.index(model)
    return interval([Resampled(found[:, place], fewest_runs(table, dataset)) for dataset, found in ranks.items()])


def arsd_interval(table: ScoreTable, row: Standing) -> tuple[float, float] | None:
    """Return the 95 % interval of ARSD over the data sets that count; None if one has too few runs, or without any."""
    counted = {dataset: table.cell(row.model, dataset) for dataset in row.relative_stds}
    if row.arsd is None or any(len(scores.runs) < FEWEST_WITHOUT for scores in counted.values()):
        return None
    runs = np.array([len(scores.runs) for scores in counted.values()])
    variances = np.array([jackknife_variance(scores) for scores in counted.values()]) / len(counted) ** 2
    if not row.arsd or not variances.any():
        return row.arsd, row.arsd
    freedom = max(1, int(variances.sum() ** 2 / (variances**2 / (runs - 1)).sum() + 1e-9))
    width = quantile((1 + LEVEL) / 2, freedom) * sqrt(variances.sum()) / row.arsd
    return row.arsd * exp(-width), row.arsd * exp(min(width, MOST))


def jackknife_variance(scores: RunScores) -> float:
    """Return the variance of the relative standard deviation of three runs or more, leaving out one at a time.

    (n - 1) / n x the sum of squared deviations of the leave-one-out values. In whole numbers, since sums of squares
    that nearly cancel differ between machines: values as multiples of a power of two, roots to BITS bits after the
    point.
    """
    ratios = [value.as_integer_ratio() for value in scores.values]
    unit = max(below for _, below in ratios)
    values = [above * (unit // below) for above, below in ratios]
    count, total, squares = len(values), sum(values), sum(value * value for value in values)
    relative = []
    for value in values:
        left = total - value
        # n - 1 runs vary less than n: their squared deviations / n / (n - 2) x (n - 1), over the square of their mean
        apart = ((count - 1) * (squares - value * value) - left * left) * (count - 1) ** 2
        relative.append(isqrt((apart << 2 * BITS) // (count * (count - 2) * left * left)) if left > 0 else 0)
    spread = count * sum(one * one for one in relative) - sum(relative) ** 2
    return (count - 1) * spread / (count**2 << 2 * BITS)


def fewest_runs(table: ScoreTable, dataset: str) -> int:
    """Return the fewest runs of any model that has some on the data set; FEWEST if none has."""
    return min((len(scores.runs) for scores in table.column(dataset).values() if scores.runs), default=FEWEST)


def shares_of_best(ar: Floats) -> Floats:
    """Return each model's share, shape (models,), from its AR in each resample, shape (resamples, models)."""
    lowest = ar == ar.min(axis=1, keepdims=True)
    shares: Floats = (lowest / lowest.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares
