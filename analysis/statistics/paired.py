"""Two models on the same inputs of a task: difference, interval, test, and what difference could have been detected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.analysis.statistics.intervals import Floats, Headline, Resampled, interval, resampled_headlines
from scrollwork.analysis.statistics.permutation_test import SAME, Exchange, average_test, swap_test
from scrollwork.analysis.statistics.student import quantile

ALPHA = 0.05
POWER = 0.8


@dataclass(frozen=True)
class Permuted:
    """A permutation test. p: two-sided. exact: every permutation was counted."""

    p: float
    permutations: int
    exact: bool


@dataclass(frozen=True)
class Paired:
    """Ours - theirs in points over the inputs that both answered.

    interval, test, standard_error, detectable: None with fewer than two clusters; detectable also if there is no such
    difference. left_out: inputs that were asked of both and not answered by both.
    """

    ours: float
    theirs: float
    inputs: int
    left_out: int
    clusters: int
    interval: tuple[float, float] | None = None
    test: Permuted | None = None
    standard_error: float | None = None
    detectable: float | None = None

    @property
    def difference(self) -> float:
        """Return ours - theirs."""
        return float(without_rounding_noise(np.asarray(self.ours - self.theirs)))


@dataclass(frozen=True)
class Pair:
    """Two models on the inputs of a task that both answered. asked: inputs of the task. name: of the random numbers."""

    ours: Outcomes
    theirs: Outcomes
    headline: Headline
    name: str
    asked: int

    @classmethod
    def of(cls, ours: Outcomes, theirs: Outcomes, headline: Headline, name: str) -> Pair:
        """Restrict both to the inputs that both answered."""
        both = frozenset(ours.names) & frozenset(theirs.names)
        return cls(ours.only(both), theirs.only(both), headline, name, max(ours.asked, theirs.asked))

    @property
    def clusters(self) -> int:
        """Return the number of groups of documents."""
        return len(self.ours.grouped)

    @property
    def values(self) -> tuple[float, float]:
        """Return both headlines."""
        return self.ours.value(self.headline), self.theirs.value(self.headline)

    @cached_property
    def exchange(self) -> Exchange:
        """Return the differences under exchange, for the permutation test."""
        return Exchange(self.ours, self.theirs, self.headline)

    @cached_property
    def difference(self) -> Resampled:
        """Return the difference in every resample, with the same clusters on both sides."""
        one, other = (
            resampled_headlines(side.components, side.grouped, self.headline, self.name)
            for side in (self.ours, self.theirs)
        )
        return Resampled(without_rounding_noise(one.values - other.values), one.clusters)

    @cached_property
    def standard_error(self) -> float:
        """Return the standard error of the difference, by the jackknife over two or more clusters.

        sqrt((C - 1) / C x the sum of squared deviations of the differences without one cluster each). For a mean it is
        the cluster-robust error.
        """
        without = left_one_out(self.ours, self.headline) - left_one_out(self.theirs, self.headline)
        count = len(without)
        return float(sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum()))


def paired_comparison(pair: Pair) -> Paired | None:
    """Return the comparison on a task; None if no input was answered by both."""
    inputs = len(pair.ours)
    if not inputs:
        return None
    found = (*pair.values, inputs, pair.asked - inputs, pair.clusters)
    if pair.clusters < 2:
        return Paired(*found)
    error = pair.standard_error
    tested = Permuted(*swap_test(pair.exchange, pair.name))
    return Paired(*found, interval([pair.difference]), tested, error, detectable_difference(error, pair.clusters))


def without_rounding_noise(differences: Floats) -> Floats:
    """Return the differences, with 0 for those that are only rounding."""
    rounded: Floats = np.where(np.abs(differences) < SAME, 0.0, differences)
    return rounded


def left_one_out(outcomes: Outcomes, headline: Headline) -> Floats:
    """Return the headline, averaged over members, without each cluster in turn: shape (clusters,)."""
    grouped = outcomes.grouped
    left = len(outcomes) - grouped.sizes
    means = {}
    for name, values in outcomes.components.items():
        sums = grouped.sums(values)
        means[name] = np.maximum((sums.sum(axis=1, keepdims=True) - sums) / left, 0.0)
    without: Floats = np.asarray(headline(means), dtype=np.float64).mean(axis=0)
    return without


def detectable_difference(error: float, clusters: int, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """Return the least true difference, in points, that a two-sided test at alpha finds with this power (Bloom 1995).

    (t of 1 - alpha / 2 + t of power) x the clustered standard error of the paired difference, t with C - 1 degrees of
    freedom; 2.8 errors for many clusters. It depends on the observed spread, never on the observed difference. None if
    so few clusters can be exchanged that no p is below alpha, and if there is no spread.
    """
    if 2.0 ** (1 - clusters) > alpha or error < SAME:
        return None
    return (quantile(1 - alpha / 2, clusters - 1) + quantile(power, clusters - 1)) * error


def paired_averages(pairs: Sequence[Pair]) -> Paired | None:
    """Compare means over tasks, from a pair for each task; tasks are resampled and exchanged independently.

    None if a task has no shared input. Test and interval need two clusters in every task.
    """
    if not pairs or not all(len(pair.ours) for pair in pairs):
        return None
    inputs, asked = sum(len(pair.ours) for pair in pairs), sum(pair.asked for pair in pairs)
    clusters = sum(pair.clusters for pair in pairs)
    ours, theirs = np.mean([pair.values for pair in pairs], axis=0)
    found = (float(ours), float(theirs), inputs, asked - inputs, clusters)
    if min(pair.clusters for pair in pairs) < 2:
        return Paired(*found)
    error = sqrt(sum(pair.standard_error**2 for pair in pairs)) / len(pairs)
    tested = Permuted(*average_test({pair.name: pair.exchange for pair in pairs}), False)
    free = clusters - len(pairs) + 1
    return Paired(
        *found, interval([pair.difference for pair in pairs]), tested, error, detectable_difference(error, free)
    )


def holm(ps: Mapping[str, float]) -> dict[str, float]:
    """Return adjusted p by name (Holm 1979): the least of m times m, the next times m - 1, ..., monotone, at most 1."""
    adjusted: dict[str, float] = {}
    worst = 0.0
    for place, (name, p) in enumerate(sorted(ps.items(), key=lambda item: (item[1], item[0]))):
        worst = max(worst, min(1.0, (len(ps) - place) * p))
        adjusted[name] = worst
    return adjusted
