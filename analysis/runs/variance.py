"""Where the spread between runs comes from: a designed experiment in which one source varies and the others are held.

Each source has its own runs. Their variance contains the source's and that of the model's own sampling; if the latter
was measured too (runs in which only the sampling changed: GENERATION), it is subtracted. What ordinary runs, in which
everything varies, have beyond the sum is the rest: interactions between sources, or chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean

from scrollwork.analysis.statistics.chi_squared import quantile

GENERATION = "generation"
SOURCES = ("instruction", "document-order", "shots", "shot-order", "instances", "mention-ids")
LEVEL = 0.95
FEWEST = 2  # runs


@dataclass(frozen=True)
class Source:
    """Runs in which only this source varied.

    variance: of the runs (ddof 1). interval: (low, high) of it, 95 %, for normal run scores. own: without that of the
    model's sampling, at least 0. share: of the sum of all `own`; None if that is 0.
    """

    source: str
    runs: int
    mean: float
    variance: float
    interval: tuple[float, float]
    own: float
    share: float | None


@dataclass(frozen=True)
class Split:
    """The variance of a model on a data set. sources: in the order of SOURCES. draws: of the model's own sampling.

    total: of ordinary runs; rest: total - draws - the sources' own, below 0 by chance. None: not measured.
    """

    sources: tuple[Source, ...]
    draws: float | None
    total: float | None
    rest: float | None


def split(runs: Mapping[str, Sequence[float]], ordinary: Sequence[float] = ()) -> Split:
    """Split the variance of runs by its sources. Raises ValueError for an unknown source.

    runs: scores by source, of SOURCES and GENERATION; sources with fewer than two runs are left out. ordinary: scores
    of runs in which all varies.
    """
    if unknown := set(runs) - {*SOURCES, GENERATION}:
        raise ValueError(
            f"unknown sources: {', '.join(sorted(unknown))}; there are: {', '.join(SOURCES)}, {GENERATION}"
        )
    drawn = runs.get(GENERATION, ())
    draws = variance(drawn) if len(drawn) >= FEWEST else None
    measured = {source: runs[source] for source in SOURCES if len(runs.get(source, ())) >= FEWEST}
    own = {source: max(0.0, variance(scores) - (draws or 0.0)) for source, scores in measured.items()}
    known = fsum(own.values())
    total = variance(ordinary) if len(ordinary) >= FEWEST else None
    return Split(
        tuple(
            Source(
                source,
                len(scores),
                fmean(scores),
                variance(scores),
                variance_interval(variance(scores), len(scores)),
                own[source],
                own[source] / known if known else None,
            )
            for source, scores in measured.items()
        ),
        draws,
        total,
        None if total is None else total - (draws or 0.0) - known,
    )


def variance(scores: Sequence[float]) -> float:
    """Return the unbiased variance (ddof 1): terms of a sum must not depend on how many runs each has."""
    if min(scores) == max(scores):
        return 0.0
    mean = fmean(scores)
    return fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1)


def variance_interval(found: float, runs: int, level: float = LEVEL) -> tuple[float, float]:
    """Return (low, high) of the variance of normal scores: (n - 1) found / quantiles of chi squared, n - 1 degrees."""
    freedom = runs - 1
    tail = (1 - level) / 2
    return freedom * found / quantile(1 - tail, freedom), freedom * found / quantile(tail, freedom)
