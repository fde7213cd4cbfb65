"""Bootstrap intervals of a task's score, clustered by document: questions on one story are not independent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Headline = Callable[[Mapping[str, Floats]], float | Floats]

RESAMPLES = 2000
SEED = 20230523


def clustered_interval(
    components: Mapping[str, Floats], clusters: Sequence[str], headline: Headline, level: float = 0.95
) -> tuple[float, float] | None:
    """(low, high) of the headline score, percentile bootstrap over whole clusters.

    components: by name, array of shape (members, inputs), 0-100; members (seeds) share the resampled inputs and their
    headline values are averaged. clusters: one name an input. None with fewer than two clusters.
    """
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    if len(names) < 2:
        return None
    random = np.random.Generator(np.random.PCG64(SEED))
    draws = random.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES).astype(np.float64)
    totals = draws @ np.bincount(index, minlength=len(names)).astype(np.float64)
    means = {name: resampled_means(values, index, draws, totals) for name, values in components.items()}
    values = np.asarray(headline(means)).mean(axis=0)
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def resampled_means(values: Floats, index: NDArray[np.intp], draws: Floats, totals: Floats) -> Floats:
    """Means of each member in each resample: shape (members, resamples)."""
    sums = np.stack([np.bincount(index, weights=row, minlength=draws.shape[1]) for row in values])
    means: Floats = (sums @ draws.T) / totals
    return means
