"""The mean difference of two systems on the same items, with items of one document (cluster) kept together.

- Standard error: sqrt(C / (C - 1) x the sum over clusters of (sum of its differences - its items x mean)^2) / n, the
  cluster-robust error of a mean (Liang and Zeger 1986; Miller 2024, "Adding error bars to evals", 2.2) with the usual
  factor for C clusters. Without clusters each item is one, and it is the standard error of a paired t-test.
- Interval and equivalence: Student's t with C - 1 degrees of freedom. Equivalence is two one-sided tests at 5 %
  (Schuirmann 1987): the difference is shown to lie within the margin. Few pairs that differ show little of it
  (`PairedScores.equivalence`).
- p: permutation test, whole clusters change sides. Exact with up to 13 clusters that differ, and where all of them
  differ by the same amount; else 9,999 random exchanges, counted with the identity (Phipson and Smyth 2010).
- McNemar's exact test for scores that are only right or wrong; it takes items as independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, exp, fsum, lgamma, log, sqrt

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.logs.log import Floats
from scrollwork.analysis.logs.power import cumulative
from scrollwork.analysis.statistics.intervals import generator
from scrollwork.analysis.statistics.paired import ALPHA, Permuted
from scrollwork.analysis.statistics.permutation_test import EXACT_UP_TO, PERMUTATIONS
from scrollwork.analysis.statistics.student import quantile

ROUNDING = 1e-12  # of the sum of absolute differences: less is rounding
MOST_MARK = 10.0
FEW_DIFFER = 10  # pairs that differ, with fewer of which the t-test of equivalence is too sure
BINOMIAL = 50  # one binomial takes as long as the signs of about so many sizes


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Scores of two systems on the same items, in one order, at least one. cluster: number of each item's cluster."""

    a: Floats
    b: Floats
    cluster: NDArray[np.intp]

    @classmethod
    def of(cls, a: Floats, b: Floats, clusters: Sequence[str] | None) -> PairedScores:
        """Number the clusters; without them each item is one."""
        if clusters is None:
            return cls(a, b, np.arange(len(a)))
        numbers = {name: number for number, name in enumerate(sorted(set(clusters)))}
        return cls(a, b, np.fromiter((numbers[name] for name in clusters), np.intp, len(a)))

    def __len__(self) -> int:
        return len(self.a)

    @cached_property
    def differences(self) -> Floats:
        """Return A minus B of each item; what is only rounding is 0."""
        found: Floats = self.a - self.b
        found[np.abs(found) <= ROUNDING * np.maximum(np.abs(self.a), np.abs(self.b))] = 0.0
        return found

    @cached_property
    def mean(self) -> float:
        """Return the mean difference."""
        return fsum(self.differences) / len(self)

    @cached_property
    def sums(self) -> Floats:
        """Return the sum of the differences of each cluster, shape (clusters,)."""
        return np.asarray(np.bincount(self.cluster, weights=self.differences), dtype=np.float64)

    @property
    def clusters(self) -> int:
        """Return the number of clusters."""
        return len(self.sums)

    @cached_property
    def standard_error(self) -> float | None:
        """Return the clustered standard error of the mean difference; None with one cluster."""
        if self.clusters < 2:
            return None
        sizes = np.bincount(self.cluster)
        deviations = self.sums - sizes * self.mean
        found = sqrt(self.clusters / (self.clusters - 1) * fsum(deviations**2)) / len(self)
        return 0.0 if found <= ROUNDING * fsum(np.abs(self.differences)) / len(self) else found

    @property
    def right(self) -> float | None:
        """Return the score of a right answer, 1 or 100, if all scores are this or 0; None if any is another."""
        both = np.concatenate([self.a, self.b])
        return next((right for right in (1.0, 100.0) if np.isin(both, (0.0, right)).all()), None)

    def interval(self, level: float = 1 - ALPHA) -> tuple[float, float] | None:
        """Return (low, high) of the mean difference; None with one cluster."""
        if self.standard_error is None:
            return None
        width = quantile((1 + level) / 2, self.clusters - 1) * self.standard_error
        return self.mean - width, self.mean + width

    def equivalence(self, margin: float) -> float | None:
        """Return p of two one-sided tests that the true difference lies within (-margin, margin).

        Where nothing varies, p is the chance that no cluster shows it although a difference as large as the margin is
        there, in few clusters. Scores that are right or wrong, where fewer than ten pairs differ, get a pair won and a
        pair lost more (Bonett and Price 2012), else equivalence is found too often. None with one cluster. Raises
        ValueError if the margin is not above 0.
        """
        if not margin > 0:
            raise ValueError(f"a margin must be above 0, not {margin}")
        if self.standard_error is None:
            return None
        if self.standard_error == 0.0:
            return float((1 - min(max(margin - abs(self.mean), 0.0) / self.full, 1.0)) ** self.clusters)
        found = 1 - cumulative((margin - abs(self.mean)) / self.standard_error, self.clusters - 1)
        few = self.right is not None and np.count_nonzero(self.differences) < FEW_DIFFER
        return max(found, self._with_two_more().equivalence(margin) or 0.0) if few else found

    def _with_two_more(self) -> PairedScores:
        """Return the scores and two clusters more, of a pair won and a pair lost; no longer taken as binary."""
        more, full = [self.clusters, self.clusters + 1], self.right or 1.0
        ours, theirs = np.append(self.a, (2 * full, full)), np.append(self.b, (full, 2 * full))
        return PairedScores(ours, theirs, np.append(self.cluster, more))

    @property
    def step(self) -> float:
        """Return the one size of all sums of clusters that are not 0; 0 where they differ, or all are 0."""
        return one_size(np.sort(np.abs(self.sums[self.sums != 0])))

    @property
    def full(self) -> float:
        """Return the largest possible difference: that of the scale, else the largest score."""
        largest = float(max(np.abs(self.a).max(), np.abs(self.b).max()))
        return top_of_scale(largest) or largest


def top_of_scale(largest: float) -> float | None:
    """Return where scores end whose largest is this: at 1 if none is larger; at 100 if it is between 10 and 100.

    None for another scale: marks often end at 5 or at 10.
    """
    return 1.0 if largest <= 1 else 100.0 if MOST_MARK < largest <= 100 else None


def one_size(sizes: Floats) -> float:
    """Return the size that all of these (sorted, above 0) have but for rounding; 0 if they differ or are none."""
    return float(sizes[0]) if len(sizes) and sizes[-1] - sizes[0] <= ROUNDING * sizes[-1] else 0.0


def permutation_test(sums: Floats, name: str) -> Permuted:
    """Test whether the signs of the clusters' sums are chance. name: of the random numbers.

    The result depends on the sizes of the sums, not on their order, nor on which system is called A.
    """
    sizes = np.sort(np.abs(sums))
    sizes = sizes[sizes > ROUNDING * fsum(sizes)]
    count = len(sizes)
    if not count:
        return Permuted(1.0, 1, True)
    observed = abs(fsum(sums)) - ROUNDING * fsum(sizes) * 10
    if step := one_size(sizes):
        positive = round((fsum(sums) / step + count) / 2)
        return Permuted(sign_test(positive, count - positive), 2 ** min(count, 62), True)
    if count <= EXACT_UP_TO:
        signs = 1.0 - 2.0 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1)
        further = int(np.count_nonzero(np.abs(signs @ sizes) >= observed))
        return Permuted(further / 2**count, 2**count, True)
    further = int(np.count_nonzero(np.abs(random_sums(sizes, name)) >= observed))
    return Permuted((1 + further) / (1 + PERMUTATIONS), PERMUTATIONS, False)


def random_sums(sizes: Floats, name: str) -> Floats:
    """Return 9,999 sums of the sizes with random signs, shape (9,999,).

    Equal sizes are drawn together, as a binomial; others eight at a time, by a table of their 256 signed sums: with
    200,000 sizes no array of signs would fit into memory.
    """
    random = generator("sign flips", name, len(sizes))
    distinct, counts = np.unique(sizes, return_counts=True)
    if len(distinct) * BINOMIAL <= len(sizes):
        return (2.0 * random.binomial(counts, 0.5, size=(PERMUTATIONS, len(counts))) - counts) @ distinct
    total = np.zeros(PERMUTATIONS)
    signs = 1.0 - 2.0 * ((np.arange(256)[:, None] >> np.arange(8)) & 1)
    for start in range(0, len(sizes), 8):
        part = sizes[start : start + 8]
        total += (signs[:, : len(part)] @ part)[random.integers(0, 256, PERMUTATIONS, dtype=np.uint8)]
    return total


def sign_test(won: int, lost: int) -> float:
    """Return the two-sided exact p of so many wins and losses; McNemar's exact test (1947) where scores are binary."""
    count, least = won + lost, min(won, lost)
    if won == lost:
        return 1.0
    if count <= 1000:
        tail: int = sum(comb(count, k) for k in range(least + 1))
        return min(1.0, float(2 * tail / 2**count))
    terms = (exp(lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) - count * log(2)) for k in range(least + 1))
    return min(1.0, 2.0 * fsum(terms))
