"""Bootstrap intervals, clustered by document: questions on one story are not independent.

Whole clusters are drawn with replacement. Components are summed by cluster once, so that a resample is a product of
matrices and no metric is computed again. Draws depend on a name and the number of clusters, never on the order of rows.

The percentile interval is expanded as in Hesterberg (2015, "What teachers should know about the bootstrap", 5.3): its
tails are Phi(-sqrt(C / (C - 1)) t) instead of (1 - level) / 2, with t the quantile of Student's t with C - 1 degrees of
freedom, C the number of clusters. With 25 clusters the plain one covers the truth some 2 points too rarely
(benchmarks/statistics.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.statistics.student import quantile
from scrollwork.records.stable_choice import stable_int

Floats = NDArray[np.float64]
Headline = Callable[[Mapping[str, Floats]], float | Floats]

RESAMPLES = 2000
SEED = 20230523
LEVEL = 0.95
BLOCK_BYTES = 64 << 20  # of counts that are held as floats


@dataclass(frozen=True)
class Clusters:
    """Inputs by cluster, clusters in the order of their names. index: cluster of each input. sizes: in inputs."""

    index: NDArray[np.intp]
    sizes: Floats

    @classmethod
    def of(cls, names: Sequence[str]) -> Clusters:
        """Group inputs by the names of their clusters, one name per input."""
        _, index, sizes = np.unique(np.asarray(names), return_inverse=True, return_counts=True)
        return cls(index, sizes.astype(np.float64))

    def __len__(self) -> int:
        return len(self.sizes)

    def sums(self, values: Floats) -> Floats:
        """Return the sums over each cluster: from shape (members, inputs) to (members, clusters)."""
        return np.stack([np.bincount(self.index, weights=row, minlength=len(self)) for row in values])


@dataclass(frozen=True)
class Resampled:
    """A headline in every resample, shape (RESAMPLES,), and how many clusters they were drawn from."""

    values: Floats
    clusters: int


def generator(*names: object) -> np.random.Generator:
    """Return a random generator that depends only on SEED and the names."""
    return np.random.Generator(np.random.PCG64(stable_int(SEED, *names)))


def resample_counts(clusters: int, name: str) -> NDArray[np.uint8]:
    """Return how often each cluster is in each resample, shape (RESAMPLES, clusters); see `drawn_counts`."""
    return (few_counts if len(blocks(clusters)) == 1 else many_counts)(clusters, name)


def drawn_counts(clusters: int, name: str) -> NDArray[np.uint8]:
    """Draw how often each cluster is in each resample.

    A byte holds it: of more clusters than 255, one is drawn as often as that with a chance below 1e-500.
    """
    random = generator("bootstrap", name, clusters)
    counts = np.empty((RESAMPLES, clusters), dtype=np.uint8)
    for some in blocks(clusters):
        counts[some] = random.multinomial(clusters, np.full(clusters, 1 / clusters), size=some.stop - some.start)
    counts.setflags(write=False)  # the cached array is shared
    return counts


few_counts = lru_cache(maxsize=16)(drawn_counts)  # one per task; 1 MB each for 500 clusters
many_counts = lru_cache(maxsize=1)(drawn_counts)  # 2 kB a cluster


def blocks(clusters: int) -> list[slice]:
    """Return which resamples are taken together: all of up to 4,194 clusters, else as many as BLOCK_BYTES hold."""
    step = max(1, BLOCK_BYTES // (8 * max(1, clusters)))
    return [slice(start, min(start + step, RESAMPLES)) for start in range(0, RESAMPLES, step)]


def resampled_headlines(
    components: Mapping[str, Floats], clusters: Clusters, headline: Headline, name: str
) -> Resampled:
    """Return the headline, averaged over members, in every resample.

    components: by name, array of shape (members, inputs), 0-100; members (seeds) share the resampled inputs. name: of
    the draws; two samples of the same inputs under one name are resampled together.
    """
    counts = resample_counts(len(clusters), name)
    sums = {one: clusters.sums(values) for one, values in components.items()}
    means = {one: np.empty((len(of), RESAMPLES)) for one, of in sums.items()}
    for some in blocks(len(clusters)):
        drawn = counts[some].astype(np.float64)
        totals = drawn @ clusters.sizes
        for one, of in sums.items():
            means[one][:, some] = (of @ drawn.T) / totals
    return Resampled(np.asarray(headline(means)).mean(axis=0), len(clusters))


def clustered_interval(
    components: Mapping[str, Floats], clusters: Sequence[str], headline: Headline, level: float = LEVEL, name: str = ""
) -> tuple[float, float] | None:
    """Return (low, high) of the headline score; None with fewer than two clusters.

    components, name: as for `resampled_headlines`. clusters: one name per input.
    """
    grouped = Clusters.of(clusters)
    return interval([resampled_headlines(components, grouped, headline, name)], level) if len(grouped) > 1 else None


def interval(parts: Sequence[Resampled], level: float = LEVEL) -> tuple[float, float]:
    """Return (low, high) of the mean of independent parts (tasks), each with two clusters or more.

    The degrees of freedom of several parts are Welch's and Satterthwaite's, rounded down.
    """
    values = np.mean([part.values for part in parts], axis=0)
    clusters = np.array([part.clusters for part in parts], dtype=np.float64)
    variances = np.array([part.values.var() for part in parts])
    if not variances.any():
        return float(values[0]), float(values[0])
    inflated = variances * clusters / (clusters - 1)
    freedom = max(1, int(inflated.sum() ** 2 / (inflated**2 / (clusters - 1)).sum() + 1e-9))
    width = sqrt(inflated.sum() / variances.sum()) * quantile((1 + level) / 2, freedom)
    tail = NormalDist().cdf(-width)
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
