"""Almost stochastic order of two models' run scores, as SEAM computes it (after Dror et al. 2019).

The violation ratio of A over B is eps = integral of max(G - F, 0)^2 / integral of (G - F)^2 over 0 < p < 1, with F and
G the empirical quantile functions of A and B: 0 if A dominates, 1 if B does. eps_min adds an allowance from resampling:

    eps_min = eps + z * s / sqrt(n * m / (n + m)), clipped to 0..1, n = m = 1,000 draws, z = 1.6449 (alpha = 0.05)

s is the population standard deviation of eps over 1,000 pairs of samples, n draws from A and m from B. The arrow at a
model is 1 - eps_min of the model above over it, eps_min rounded to two decimals first. It is not a probability.

Differences from the official code: eps is exact, not on a grid of 200 points; identical samples have 0.5, not 0; the
direction is always better over worse; random numbers are seeded. `official=True`: the grid, 0 for identical samples.

Random stream: PCG64 named by ("dominance", runs of A, runs of B), ten blocks of 100 pairs: multinomial counts of A's
values in ascending order, then of B's. So eps_min depends only on the two samples: names, order of rows and other
models change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.runs.ranking import in_order
from scrollwork.analysis.runs.scores import RunScores, ScoreTable
from scrollwork.analysis.statistics.intervals import Floats, generator

Counts = NDArray[np.int64]

Z = 1.6449
DRAWS = 1000
BOOTSTRAPS = 1000
BLOCK = 100
GRID = 200
STEP = 0.005
FEWEST = 2  # runs
IDENTICAL = 0.5


@dataclass(frozen=True)
class Dominance:
    """One model over another on a data set. eps, eps_min: 0 to 1."""

    dataset: str
    better: str
    worse: str
    eps: float
    eps_min: float

    @property
    def arrow(self) -> float:
        """Return the arrow in SEAM's table 3, in the row of the worse model."""
        return arrow(self.eps_min)


def arrow(eps_min: float) -> float:
    """Return 1 - eps_min, to two decimals."""
    return round(1 - round(eps_min, 2), 2)


def violation_ratio(ours: Sequence[float], theirs: Sequence[float], *, official: bool = False) -> float:
    """Compute eps of ours over theirs, 0 to 1, from one run or more each. Raises ValueError for none."""
    one, other = _ascending(ours), _ascending(theirs)
    if official:
        steps = (np.arange(1, len(side) + 1)[None, :] for side in (one, other))
    else:
        steps = (np.arange(1, len(side) + 1)[None, :] * len(peer) for side, peer in ((one, other), (other, one)))
    return float(_ratios(one, next(steps), other, next(steps), official)[0])


def eps_min(ours: Sequence[float], theirs: Sequence[float], *, official: bool = False) -> float:
    """Compute the upper bound of eps of ours over theirs, 0 to 1; 0.5 for identical samples."""
    one, other = _ascending(ours), _ascending(theirs)
    eps = violation_ratio(ours, theirs, official=official)
    if not official and np.array_equal(np.repeat(one, len(other)), np.repeat(other, len(one))):
        return IDENTICAL
    found = [_ratios(one, a, other, b, official) for a, b in _bootstraps(len(one), len(other))]
    spread = float(np.concatenate(found).std())
    return min(1.0, max(0.0, eps + Z * spread / sqrt(DRAWS * DRAWS / (DRAWS + DRAWS))))


def neighbours(table: ScoreTable) -> list[tuple[str, str, str]]:
    """List (data set, better, worse) of neighbouring ranks, ties by name, without models that have no score."""
    return [
        (dataset, better, worse)
        for dataset in table.datasets
        for better, worse in pairwise(in_order(table.column(dataset)))
    ]


def comparable(one: RunScores, other: RunScores) -> bool:
    """Return whether both have two runs or more; a mean and a standard deviation are not enough."""
    return min(len(one.runs), len(other.runs)) >= FEWEST


def dominance(table: ScoreTable, *, official: bool = False) -> list[Dominance]:
    """Compute the dominance of neighbouring ranks on each data set, if both models are `comparable`.

    official: as in the official code, but always of the better over the worse.
    """
    found = []
    for dataset, better, worse in neighbours(table):
        one, other = table.cell(better, dataset), table.cell(worse, dataset)
        if comparable(one, other):
            eps, most = (of(one.values, other.values, official=official) for of in (violation_ratio, eps_min))
            found.append(Dominance(dataset, better, worse, eps, most))
    return found


def official_values(samples: Mapping[str, Sequence[float]]) -> dict[tuple[str, str], float]:
    """Return the official code's value for every ordered pair, which depends on the order of its file.

    It is eps_min, to two decimals, of the model that comes first over the later one, and 1 minus that for the other
    direction.
    """
    values: dict[tuple[str, str], float] = {}
    for one, other in combinations(samples, 2):
        value = round(eps_min(samples[one], samples[other], official=True), 2)
        values[one, other], values[other, one] = value, round(1 - value, 2)
    return values


def official_order(samples: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the official code's ranking, best first: by ascending sum of `official_values` over all opponents."""
    values = official_values(samples)
    sums = {one: sum(values[one, other] for other in samples if other != one) for one in samples}
    return sorted(samples, key=lambda name: sums[name])


def _ascending(values: Sequence[float]) -> Floats:
    if not len(values):
        raise ValueError("dominance of no run")
    found: Floats = np.sort(np.asarray(values, dtype=np.float64))
    if not np.isfinite(found).all():
        raise ValueError("a run score is not finite")
    return found


def _bootstraps(ours: int, theirs: int) -> Iterator[tuple[Counts, Counts]]:
    """Yield how many of the DRAWS draws are at most each value, ascending: shapes (BLOCK, ours) and (BLOCK, theirs)."""
    random = generator("dominance", ours, theirs)
    for _ in range(0, BOOTSTRAPS, BLOCK):
        one, other = (
            np.cumsum(random.multinomial(DRAWS, np.full(size, 1 / size), size=BLOCK), axis=1) for size in (ours, theirs)
        )
        yield one, other


def _ratios(one: Floats, first: Counts, other: Floats, second: Counts, official: bool) -> Floats:
    """Return eps of each pair of samples, shape (rows,).

    first, second: cumulative counts of the values of `one` and `other` in the samples, a row for each pair.
    """
    if official:
        places, others = _on_grid(first), _on_grid(second)
        widths = np.ones((1, GRID))
    else:
        places, others, widths = _steps(first, second)
    above = other[others] / 2 - one[places] / 2  # halves: the difference of finite numbers stays finite
    above = np.where(widths > 0, above, 0.0)
    peak = np.abs(above).max(axis=1, keepdims=True)
    alike = peak[:, 0] == 0
    above = above / np.where(peak == 0, 1.0, peak)  # squares neither overflow nor vanish
    squares = widths * above**2
    total = squares.sum(axis=1)
    ratios: Floats = (squares * (above > 0)).sum(axis=1) / np.where(alike, 1.0, total)
    return np.where(alike, 0.0 if official else IDENTICAL, ratios)


def _steps(first: Counts, second: Counts) -> tuple[Counts, Counts, Floats]:
    """Return both quantile functions between their jumps: index of either's value, and width.

    Rows of `first` and `second` end with the same total.
    """
    jumps = np.concatenate([first, second], axis=1)
    order = np.argsort(jumps, axis=1, kind="stable")
    ours = order < first.shape[1]
    passed = np.cumsum(ours, axis=1) - ours  # jumps of the first before this one
    places = np.minimum(passed, first.shape[1] - 1)
    others = np.minimum(np.arange(jumps.shape[1]) - passed, second.shape[1] - 1)
    widths = np.diff(np.take_along_axis(jumps, order, axis=1), axis=1, prepend=0).astype(np.float64)
    return places, others, widths


def _on_grid(cumulated: Counts) -> Counts:
    """Return the index of the value at each p = 0, 0.005, ..., 0.995: the ceil(p * total)-th draw, at least the first.

    p is a float, as in the official code: 0.7 is a little too large, and so gives the eighth of ten draws.
    """
    total = int(cumulated[0, -1])
    draws = np.clip(np.ceil(np.arange(GRID) * STEP * total), 1, total)
    return np.stack([np.searchsorted(row, draws, side="left") for row in cumulated])
