"""Correlation of two measures: format adherence with score, length with score (SEAM, A.6 and figure 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import fmean

from scrollwork.analysis.statistics.average_ranks import average_ranks

LONGEST = 7500  # tokens of the longest prompt in figure 5


@dataclass(frozen=True)
class Correlation:
    """A correlation. r: -1 to 1; None with fewer than two points, or if one of the numbers never changes. n: points."""

    r: float | None
    n: int


@dataclass(frozen=True)
class Measured:
    """One answer. length: of its prompt, in tokens."""

    model: str
    dataset: str
    instance: str
    length: int
    score: float


@dataclass(frozen=True)
class Point:
    """A model on an instance. length: in tokens. score: 0 (its worst answer on the data set) to 1 (its best)."""

    model: str
    dataset: str
    instance: str
    length: int
    score: float


def pearson(xs: Sequence[float], ys: Sequence[float]) -> Correlation:
    """Compute Pearson's r of pairs. Raises ValueError if the lengths differ."""
    if len(xs) != len(ys):
        raise ValueError(f"{len(xs)} and {len(ys)} numbers make no pairs")
    if len(xs) < 2 or len(set(xs)) == 1 or len(set(ys)) == 1:
        return Correlation(None, len(xs))
    across, along = _centred(xs), _centred(ys)
    product = fsum(x * y for x, y in zip(across, along, strict=True))
    scale = sqrt(fsum(x * x for x in across)) * sqrt(fsum(y * y for y in along))
    return Correlation(max(-1.0, min(1.0, product / scale)), len(xs))


def spearman(xs: Sequence[float], ys: Sequence[float]) -> Correlation:
    """Compute the correlation of ranks; equal numbers share the mean of their ranks."""
    return pearson(average_ranks(xs), average_ranks(ys))


def min_max(values: Sequence[float]) -> list[float]:
    """Scale numbers so that the lowest is 0 and the highest 1; all 0 if they are equal."""
    low, high = min(values), max(values)
    if low == high:
        return [0.0] * len(values)
    return [(value - low) / (high - low) for value in values]


def lengths_and_scores(answers: Iterable[Measured], longest: int = LONGEST) -> list[Point]:
    """Return a point for each model and instance of at most `longest` tokens, sorted by name.

    answers: of all runs, in their order: an instance's length is the first one seen on a data set, whatever the model.
    Scores are scaled to 0..1 by model and data set over all its answers, then averaged over the runs that have the
    instance.
    """
    groups: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    lengths: dict[tuple[str, str], int] = {}
    for answer in answers:
        groups[answer.model, answer.dataset].append(answer)
        lengths.setdefault((answer.dataset, answer.instance), answer.length)
    points = []
    for (model, dataset), group in sorted(groups.items()):
        by_instance: Mapping[str, list[float]] = defaultdict(list)
        for answer, score in zip(group, min_max([answer.score for answer in group]), strict=True):
            by_instance[answer.instance].append(score)
        for instance, scores in sorted(by_instance.items()):
            length = lengths[dataset, instance]
            if length <= longest:
                points.append(Point(model, dataset, instance, length, fmean(scores)))
    return points


def _centred(values: Sequence[float]) -> list[float]:
    """Return distances from the mean, the largest 1: their squares neither overflow nor vanish."""
    mean = fsum(values) / len(values)
    apart = [value - mean for value in values]
    peak = max(map(abs, apart))
    return [value / peak for value in apart]
