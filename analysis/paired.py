"""Two models on the same inputs of a task: difference, interval, test, and what difference could have been seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from analysis.intervals import Floats, Headline, Resampled, interval, resampled
from analysis.outcomes import Outcomes
from analysis.student import quantile
from analysis.swaps import Exchange, average_test, swap_test

ALPHA = 0.05
POWER = 0.8


@dataclass(frozen=True)
class Permuted:
    """p: two-sided. exact: every permutation was counted."""

    p: float
    permutations: int
    exact: bool


@dataclass(frozen=True)
class Paired:
    """Ours - theirs in points over the inputs that both answered.

    interval, test, standard_error, detectable: None with fewer than two clusters. left_out: inputs that were asked of
    both and not answered by both.
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
        """Ours - theirs."""
        return self.ours - self.theirs


def shared(ours: Outcomes, theirs: Outcomes) -> tuple[Outcomes, Outcomes]:
    """Both on the inputs that both answered."""
    both = frozenset(ours.names) & frozenset(theirs.names)
    return ours.only(both), theirs.only(both)


def paired(ours: Outcomes, theirs: Outcomes, headline: Headline, name: str) -> Paired | None:
    """The comparison on a task; None where no input was answered by both. name: of the random numbers."""
    left_out = max(ours.asked, theirs.asked)
    ours, theirs = shared(ours, theirs)
    if not len(ours):
        return None
    values = ours.value(headline), theirs.value(headline)
    clusters = len(ours.grouped)
    left_out -= len(ours)
    if clusters < 2:
        return Paired(*values, len(ours), left_out, clusters)
    error = standard_error(ours, theirs, headline)
    return Paired(
        *values,
        len(ours),
        left_out,
        clusters,
        interval([difference(ours, theirs, headline, name)]),
        Permuted(*swap_test(Exchange(ours, theirs, headline), name)),
        error,
        detectable(error, clusters),
    )


def difference(ours: Outcomes, theirs: Outcomes, headline: Headline, name: str) -> Resampled:
    """The difference in every resample of the same clusters."""
    one, other = (resampled(side.components, side.grouped, headline, name) for side in (ours, theirs))
    return Resampled(one.values - other.values, one.clusters)


def standard_error(ours: Outcomes, theirs: Outcomes, headline: Headline) -> float:
    """Of the difference, by the jackknife over clusters, of which there are two or more: sqrt((C - 1) / C x the sum of
    squared deviations of the differences without one cluster each). For a mean it is the cluster-robust error."""
    without = left_one_out(ours, headline) - left_one_out(theirs, headline)
    count = len(without)
    return float(sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum()))


def left_one_out(outcomes: Outcomes, headline: Headline) -> Floats:
    """The headline, averaged over members, without each cluster: shape (clusters,)."""
    grouped = outcomes.grouped
    left = len(outcomes) - grouped.sizes
    means = {}
    for name, values in outcomes.components.items():
        sums = grouped.sums(values)
        means[name] = np.maximum((sums.sum(axis=1, keepdims=True) - sums) / left, 0.0)
    without: Floats = np.asarray(headline(means), dtype=np.float64).mean(axis=0)
    return without


def detectable(error: float, clusters: int, alpha: float = ALPHA, power: float = POWER) -> float:
    """The least true difference that a two-sided test at alpha finds with this power, in points (Bloom 1995):

    (t of 1 - alpha / 2 + t of power) x the clustered standard error of the paired difference, t with C - 1 degrees of
    freedom; 2.8 errors for many clusters. It is of the observed spread, never of the observed difference.
    """
    return (quantile(1 - alpha / 2, clusters - 1) + quantile(power, clusters - 1)) * error


def paired_averages(pairs: Mapping[str, tuple[Outcomes, Outcomes, Headline]]) -> Paired | None:
    """The same of the mean over tasks, by task name; tasks are resampled and exchanged independently.

    None where a task has no shared input; its test and interval need two clusters in every task.
    """
    both = {name: (*shared(ours, theirs), headline) for name, (ours, theirs, headline) in pairs.items()}
    if not both or not all(len(ours) for ours, _, _ in both.values()):
        return None
    inputs = sum(len(ours) for ours, _, _ in both.values())
    asked = sum(max(ours.asked, theirs.asked) for ours, theirs, _ in pairs.values())
    clusters = [len(ours.grouped) for ours, _, _ in both.values()]
    values = np.mean([(ours.value(one), theirs.value(one)) for ours, theirs, one in both.values()], axis=0)
    found = (float(values[0]), float(values[1]), inputs, asked - inputs, sum(clusters))
    if min(clusters) < 2:
        return Paired(*found)
    errors = [standard_error(*sides) for sides in both.values()]
    error = sqrt(sum(one**2 for one in errors)) / len(both)
    exchanges = {name: Exchange(*sides) for name, sides in both.items()}
    return Paired(
        *found,
        interval([difference(*sides, name) for name, sides in both.items()]),
        Permuted(*average_test(exchanges), False),
        error,
        detectable(error, max(2, sum(clusters) - len(clusters) + 1)),
    )


def holm(ps: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p by name (Holm 1979): the least of m times m, the next times m - 1, ..., never falling, at most 1."""
    adjusted: dict[str, float] = {}
    worst = 0.0
    for place, (name, p) in enumerate(sorted(ps.items(), key=lambda item: (item[1], item[0]))):
        worst = max(worst, min(1.0, (len(ps) - place) * p))
        adjusted[name] = worst
    return adjusted
