"""Planted problems: what a model that follows the mixture would answer, to see how well (lambda, k) are recovered.

IID: outcomes are drawn from the model's own probabilities. FIXED: each problem has one placement of its spans or
aspects, which windows at even distances see, as in a real run (fact sheet 10). Random streams are named by the seed
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds, categories
from scrollwork.analysis.windows.fit.aspects import aspect_probabilities
from scrollwork.analysis.windows.fit.candidates import COW, PIG, pairs
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.fit.cow import DECLINED, RIGHT, WRONG, Counts
from scrollwork.analysis.windows.fit.pig import BINS, Binned, bin_of

IID, FIXED = "iid", "fixed"
LENGTHS = (0, 1, 2, 5, 10, 20, 50, 100, 200)
NOISE = (0.02, 0.20, 0.78)
TYPICAL = ((0, 0), (1, 50), (2, 5), (20, 2), (100, 1))  # a pair of each category in contexts of 120 to 500 units
WEIGHTS = {COW: (0.6, 0.95), PIG: (0.4, 0.9)}


@dataclass(frozen=True)
class Planted:
    """Planted problems. units, complexity, redundancy, weight (of the oracle): [problems]."""

    units: Ints
    complexity: Ints
    redundancy: Ints
    weight: Floats


def planted_problems(
    problems: int, smallest: int, largest: int, scenario: str, limits: Thresholds, seed: int, typical: bool = False
) -> Planted:
    """Plant problems of all categories in turn, with contexts of smallest to largest units and random pairs.

    typical: the pair of TYPICAL instead. Raises ValueError if a category has no pair.
    """
    random = np.random.Generator(np.random.PCG64([seed, 1]))
    rows = []
    for number in range(problems):
        units = int(random.integers(smallest, largest + 1))
        own = np.array(pairs(units, scenario))
        some = own[categories(own[:, 0], own[:, 1], limits) == number % len(CATEGORIES)]
        if typical:
            some = some[(some == TYPICAL[number % len(CATEGORIES)]).all(axis=1)]
        if not len(some):
            raise ValueError(f"no pair of {units} units is in category {CATEGORIES[number % len(CATEGORIES)]}")
        rows.append((units, *some[random.integers(len(some))]))
    units_of, complexity, redundancy = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Planted(units_of, complexity, redundancy, random.uniform(*WEIGHTS[scenario], size=problems))


def window_starts(units: int, length: int, windows: int | None) -> Ints:
    """Return where the windows begin: all of them, or so many at even distances; one for length 0."""
    last = units - length
    if length == 0:
        return np.zeros(1, dtype=np.int64)
    if windows is None or windows > last:
        return np.arange(last + 1)
    return np.unique(np.round(np.linspace(0, last, windows)).astype(np.int64))


def place_evidence(units: int, complexity: int, redundancy: int, random: np.random.Generator) -> Ints:
    """Return the first units of non-overlapping spans, all placements equally likely."""
    places = units - complexity * redundancy + redundancy
    chosen = np.sort(random.choice(places, size=redundancy, replace=False))
    return np.asarray(chosen + np.arange(redundancy) * (complexity - 1))


def simulate_cow_outcomes(
    problems: Planted,
    mode: str,
    windows: int | None,
    seed: int,
    lengths: Sequence[int] = LENGTHS,
    noise: Sequence[float] = NOISE,
) -> Counts:
    """Simulate outcomes of COW problems at these lengths and at C. windows: of each length, None for all."""
    random = np.random.Generator(np.random.PCG64([seed, 2]))
    counts = np.zeros((len(problems.units), len(lengths) + 1, 3))
    at = np.zeros(counts.shape[:2], dtype=np.int64)
    for number, (units, complexity, redundancy, weight) in enumerate(_rows(problems)):
        spans = place_evidence(units, complexity, redundancy, random) if complexity > 0 else None
        for column, length in enumerate(_lengths(lengths, units)):
            at[number, column] = length
            begins = window_starts(units, length, windows)
            if spans is None:
                covered: NDArray[np.bool_] = np.ones(len(begins), dtype=np.bool_)
            elif mode == IID:
                known = float(cover_probability(length, complexity, redundancy, units))
                covered = np.array(random.random(len(begins)) < known)
            else:
                ends = begins[:, None] + length
                covered = np.array(((spans >= begins[:, None]) & (spans + complexity <= ends)).any(axis=1))
            oracle = np.where(covered, RIGHT, DECLINED)
            said = random.choice((RIGHT, WRONG, DECLINED), size=len(begins), p=noise)
            drawn = np.where(random.random(len(begins)) < weight, oracle, said)
            counts[number, column] = np.bincount(drawn, minlength=3)
    return Counts(problems.units, at, counts)


def simulate_pig_scores(
    problems: Planted,
    mode: str,
    windows: int | None,
    seed: int,
    lengths: Sequence[int] = LENGTHS,
    noise: tuple[float, float] = (1.0, 1.0),
) -> Binned:
    """Simulate scores of PIG problems, in bins. noise: of a beta distribution; (1, 1) is uniform, as in the model."""
    random = np.random.Generator(np.random.PCG64([seed, 3]))
    counts = np.zeros((len(problems.units), len(lengths) + 1, BINS))
    at = np.zeros(counts.shape[:2], dtype=np.int64)
    for number, (units, complexity, redundancy, weight) in enumerate(_rows(problems)):
        marked = random.permutation(units)[: max(complexity, 0) * redundancy].reshape(max(complexity, 0), redundancy)
        for column, length in enumerate(_lengths(lengths, units)):
            at[number, column] = length
            begins = window_starts(units, length, windows)
            if complexity < 1:
                shown = np.full(len(begins), 1.0 if complexity == 0 else 0.0)
            elif mode == IID:
                known = aspect_probabilities([length], complexity, redundancy, units)[0]
                shown = random.choice(complexity + 1, size=len(begins), p=known) / complexity
            else:
                first = begins[:, None, None]
                shown = ((marked >= first) & (marked < first + length)).any(axis=2).sum(axis=1) / complexity
            scores = weight * shown + (1 - weight) * random.beta(*noise, size=len(begins))
            counts[number, column] = np.bincount(bin_of(np.clip(scores, 0.0, 1.0)), minlength=BINS)
    return Binned(problems.units, at, counts)


def _rows(problems: Planted) -> Iterator[tuple[int, int, int, float]]:
    """Return (C, lambda, k, w) of each problem."""
    columns = (problems.units, problems.complexity, problems.redundancy, problems.weight)
    return zip(*(column.tolist() for column in columns), strict=True)


def _lengths(lengths: Sequence[int], units: int) -> list[int]:
    """Return the lengths below C, and C."""
    return [*(length for length in lengths if length < units), units]
