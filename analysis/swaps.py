"""Permutation test of two models on the same inputs: members of whole clusters change places.

Under the null hypothesis it does not matter which model gave which answers to the questions on a document, so the two
models' outcomes of a cluster may be exchanged, all of its inputs together. What is compared is the headline itself,
made anew from the exchanged components in every permutation: for rouge_geo, a geometric mean of means, flipping the
sign of a mean difference would be another statistic.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Clusters, Floats, Headline, generator
from analysis.outcomes import Outcomes

EXACT_UP_TO = 13  # clusters that differ; there are 2 ** 13 = 8,192 ways to exchange them
PERMUTATIONS = 9_999
CHUNK = 1_000
SAME = 1e-9  # differences, in points, that are ties but for rounding

Swaps = NDArray[np.uint8]


class Exchange:
    """The difference of two models' headlines, ours - theirs, for any exchange of clusters. Members are averaged first.

    Both must hold the same inputs in the same order.
    """

    def __init__(self, ours: Outcomes, theirs: Outcomes, headline: Headline) -> None:
        if ours.names != theirs.names:
            raise ValueError("a paired test needs the same inputs on both sides")
        grouped = Clusters.of(ours.clusters)
        self._headline, self._inputs = headline, len(ours)
        self._ours = {name: grouped.sums(values)[0] for name, values in ours.averaged.items()}
        self._change = {name: grouped.sums(values)[0] - self._ours[name] for name, values in theirs.averaged.items()}
        self._differing = np.any([np.abs(change) > SAME for change in self._change.values()], axis=0)

    @property
    def clusters(self) -> int:
        """Clusters on which the two differ; exchanging the others changes nothing."""
        return int(self._differing.sum())

    def differences(self, swaps: Swaps) -> Floats:
        """One a row of `swaps`, shape (permutations, clusters that differ): 1 where a cluster is exchanged."""
        found = []
        for start in range(0, len(swaps), CHUNK):
            some = swaps[start : start + CHUNK].astype(np.float64)
            ours, theirs = {}, {}
            for name, change in self._change.items():
                moved = some @ change[self._differing]
                ours[name] = (self._ours[name].sum() + moved) / self._inputs
                theirs[name] = ((self._ours[name] + change).sum() - moved) / self._inputs
            # exchanging all may leave a component of nothing a rounding error below 0
            found.append(np.asarray(self._headline(positive(ours))) - np.asarray(self._headline(positive(theirs))))
        return np.concatenate(found)

    @property
    def observed(self) -> float:
        """The difference as it is."""
        return float(self.differences(np.zeros((1, self.clusters), dtype=np.uint8))[0])


def positive(means: dict[str, Floats]) -> dict[str, Floats]:
    """The same without rounding errors below 0."""
    return {name: np.maximum(values, 0.0) for name, values in means.items()}


def swap_test(exchange: Exchange, name: str) -> tuple[float, int, bool]:
    """(two-sided p, permutations, whether they are all that there are).

    Exact where 13 clusters or fewer differ; else 9,999 random ones, counted with the identity: (1 + those at least as
    far apart) / (1 + permutations) (Phipson & Smyth 2010). name: of the random numbers.
    """
    count = exchange.clusters
    exact = count <= EXACT_UP_TO
    swaps = every_swap(count) if exact else random_swaps(count, name)
    further = at_least(exchange.differences(swaps), exchange.observed)
    return (further / len(swaps) if exact else (1 + further) / (1 + len(swaps))), len(swaps), exact


def average_test(exchanges: dict[str, Exchange]) -> tuple[float, int]:
    """(two-sided p, permutations) of the mean difference over tasks, by task name; each is exchanged by itself."""
    parts = [one.differences(random_swaps(one.clusters, name)) for name, one in exchanges.items()]
    observed = float(np.mean([one.observed for one in exchanges.values()]))
    return (1 + at_least(np.mean(parts, axis=0), observed)) / (1 + PERMUTATIONS), PERMUTATIONS


def at_least(differences: Floats, observed: float) -> int:
    """How many are as far from 0 as the observed one."""
    return int(np.count_nonzero(np.abs(differences) >= abs(observed) - SAME))


def every_swap(clusters: int) -> Swaps:
    """All ways to exchange clusters, the identity first: shape (2 ** clusters, clusters)."""
    ways = np.arange(2**clusters, dtype=np.uint32)[:, None]
    return ((ways >> np.arange(clusters, dtype=np.uint32)) & 1).astype(np.uint8)


@lru_cache(maxsize=8)  # 5 MB each for 500 clusters
def random_swaps(clusters: int, name: str) -> Swaps:
    """Random ways to exchange clusters: shape (9,999, clusters)."""
    random = generator("permutation", name, clusters)
    return random.integers(0, 2, size=(PERMUTATIONS, clusters), dtype=np.uint8)
