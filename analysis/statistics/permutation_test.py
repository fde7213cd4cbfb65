"""Permutation test of two models on the same inputs: whole clusters are exchanged.

Under the null hypothesis it does not matter which model gave which answers to the questions on a document, so the two
models' outcomes of a cluster may be exchanged, all of its inputs together. What is compared is the headline itself,
computed anew from the exchanged components in every permutation: for rouge_geo, a geometric mean of means, flipping the
sign of a mean difference would be another statistic.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.analysis.statistics.intervals import Clusters, Floats, Headline, generator

EXACT_UP_TO = 13  # clusters that differ: 2 ** 13 = 8,192 ways to exchange them
PERMUTATIONS = 9_999
CHUNK = 1_000
SAME = 1e-9  # differences, in points, that are ties but for rounding

Swaps = NDArray[np.uint8]


class Exchange:
    """The difference of two models' headlines, ours - theirs, for any exchange of clusters. Members are averaged first.

    Both must have the same inputs in the same order; else ValueError is raised.
    """

    def __init__(self, ours: Outcomes, theirs: Outcomes, headline: Headline) -> None:
        if ours.names != theirs.names:
            raise ValueError("a paired test needs the same inputs on both sides")
        grouped = Clusters.of(ours.clusters)
        self._headline, self._inputs = headline, len(ours)
        self._known: dict[str, Floats] = {}
        self._names = sorted(ours.components)
        sums = [
            np.stack([grouped.sums(values)[0] for _, values in sorted(side.averaged.items())])
            for side in (ours, theirs)
        ]
        self._totals = [side.sum(axis=1) for side in sums]
        change = sums[1] - sums[0]  # shape (components, clusters)
        self._change = change[:, np.any(np.abs(change) > SAME, axis=0)]

    @property
    def clusters(self) -> int:
        """Return the number of clusters on which the two differ; exchanging the others changes nothing."""
        return int(self._change.shape[1])

    def differences(self, swaps: Swaps) -> Floats:
        """Return the difference for each row of `swaps`: (permutations, clusters that differ), 1 to exchange one."""
        found = []
        for start in range(0, len(swaps), CHUNK):
            moved = swaps[start : start + CHUNK].astype(np.float64) @ self._change.T
            found.append(self._of(self._totals[0] + moved) - self._of(self._totals[1] - moved))
        return np.concatenate(found)

    def _of(self, totals: Floats) -> Floats:
        """Return the headline from totals of the components, shape (permutations, components)."""
        means = np.maximum(totals / self._inputs, 0.0).T  # exchanging all may leave a rounding error below 0
        return np.asarray(self._headline(dict(zip(self._names, means, strict=True))), dtype=np.float64)

    def randomly(self, name: str) -> Floats:
        """Return the differences of 9,999 random exchanges, by random numbers of that name; computed once."""
        if name not in self._known:
            self._known[name] = self.differences(random_swaps(self.clusters, name))
        return self._known[name]

    @property
    def observed(self) -> float:
        """Return the difference without any exchange."""
        return float(self.differences(np.zeros((1, self.clusters), dtype=np.uint8))[0])


def swap_test(exchange: Exchange, name: str) -> tuple[float, int, bool]:
    """Return (two-sided p, permutations, whether these are all).

    Exact if 13 clusters or fewer differ; else 9,999 random ones, counted with the identity: (1 + those at least as
    extreme) / (1 + permutations) (Phipson & Smyth 2010). name: of the random numbers.
    """
    count = exchange.clusters
    exact = count <= EXACT_UP_TO
    found = exchange.differences(every_swap(count)) if exact else exchange.randomly(name)
    further = at_least(found, exchange.observed)
    return (further / len(found) if exact else (1 + further) / (1 + len(found))), len(found), exact


def average_test(exchanges: dict[str, Exchange]) -> tuple[float, int]:
    """Return (two-sided p, permutations) of the mean difference over tasks, by task name; each exchanged separately."""
    parts = [one.randomly(name) for name, one in exchanges.items()]
    observed = float(np.mean([one.observed for one in exchanges.values()]))
    return (1 + at_least(np.mean(parts, axis=0), observed)) / (1 + PERMUTATIONS), PERMUTATIONS


def at_least(differences: Floats, observed: float) -> int:
    """Return how many differences are as far from 0 as the observed one."""
    return int(np.count_nonzero(np.abs(differences) >= abs(observed) - SAME))


def every_swap(clusters: int) -> Swaps:
    """Return all ways to exchange clusters, the identity first: shape (2 ** clusters, clusters)."""
    ways = np.arange(2**clusters, dtype=np.uint32)[:, None]
    return ((ways >> np.arange(clusters, dtype=np.uint32)) & 1).astype(np.uint8)


@lru_cache(maxsize=16)  # one per task; 5 MB each for 500 clusters
def random_swaps(clusters: int, name: str) -> Swaps:
    """Return random ways to exchange clusters: shape (9,999, clusters)."""
    random = generator("permutation", name, clusters)
    return random.integers(0, 2, size=(PERMUTATIONS, clusters), dtype=np.uint8)
