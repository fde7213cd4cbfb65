"""Planted problems: what a model that follows the mixture would answer, to see how well (lambda, k) are recovered.

IID: outcomes are drawn from the model's own probabilities. FIXED: each problem has one placement of its spans or
aspects and windows at even distances see it, as in a real run (fact sheet 10). Streams are named by the seed alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.dolce.candidates import pairs
from analysis.dolce.categories import CATEGORIES, Thresholds, categories
from analysis.dolce.combinatorics import Floats, Ints
from analysis.dolce.cover import cover_probability
from analysis.dolce.cow import DECLINED, RIGHT, WRONG, Counts

IID, FIXED = "iid", "fixed"
LENGTHS = (0, 1, 2, 5, 10, 20, 50, 100, 200)
NOISE = (0.02, 0.20, 0.78)
WEIGHTS = (0.6, 0.95)


@dataclass(frozen=True)
class Planted:
    """units, complexity, redundancy: [problems]; weight: of the oracle."""

    units: Ints
    complexity: Ints
    redundancy: Ints
    weight: Floats


def planted(problems: int, smallest: int, largest: int, scenario: str, limits: Thresholds, seed: int) -> Planted:
    """Problems of all categories in turn, contexts of smallest to largest units, a pair of the category at random."""
    random = np.random.Generator(np.random.PCG64([seed, 1]))
    rows = []
    for number in range(problems):
        units = int(random.integers(smallest, largest + 1))
        own = np.array(pairs(units, scenario))
        some = own[categories(own[:, 0], own[:, 1], limits) == number % len(CATEGORIES)]
        if not len(some):
            raise ValueError(f"no pair of {units} units is in category {CATEGORIES[number % len(CATEGORIES)]}")
        rows.append((units, *some[random.integers(len(some))]))
    units_of, complexity, redundancy = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return Planted(units_of, complexity, redundancy, random.uniform(*WEIGHTS, size=problems))


def starts(units: int, length: int, windows: int | None) -> Ints:
    """Where the windows begin: all of them, or so many at even distances; one of length 0."""
    last = units - length
    if length == 0:
        return np.zeros(1, dtype=np.int64)
    if windows is None or windows > last:
        return np.arange(last + 1)
    return np.unique(np.round(np.linspace(0, last, windows)).astype(np.int64))


def placed(units: int, complexity: int, redundancy: int, random: np.random.Generator) -> Ints:
    """First units of non-overlapping spans, all placements alike."""
    places = units - complexity * redundancy + redundancy
    chosen = np.sort(random.choice(places, size=redundancy, replace=False))
    return np.asarray(chosen + np.arange(redundancy) * (complexity - 1))


def answered(
    problems: Planted,
    mode: str,
    windows: int | None,
    seed: int,
    lengths: Sequence[int] = LENGTHS,
    noise: Sequence[float] = NOISE,
) -> Counts:
    """Outcomes of COW problems at these lengths and at C. windows: of each length, None for all."""
    random = np.random.Generator(np.random.PCG64([seed, 2]))
    columns = len(lengths) + 1
    counts = np.zeros((len(problems.units), columns, 3))
    at = np.zeros((len(problems.units), columns), dtype=np.int64)
    for number, (units, complexity, redundancy, weight) in enumerate(
        zip(*(one.tolist() for one in vars(problems).values()), strict=True)
    ):
        own = [length for length in lengths if length < units]
        spans = placed(units, complexity, redundancy, random) if complexity > 0 else None
        for column, length in enumerate([*own, units]):
            at[number, column] = length
            begins = starts(units, length, windows)
            if spans is None:
                covered = np.ones(len(begins), dtype=bool)
            elif mode == IID:
                covered = random.random(len(begins)) < cover_probability(length, complexity, redundancy, units)
            else:
                ends = begins[:, None] + length
                covered = ((spans >= begins[:, None]) & (spans + complexity <= ends)).any(axis=1)
            oracle = np.where(covered, RIGHT, DECLINED)
            said = random.choice((RIGHT, WRONG, DECLINED), size=len(begins), p=noise)
            drawn = np.where(random.random(len(begins)) < weight, oracle, said)
            counts[number, column] = np.bincount(drawn, minlength=3)
    return Counts(problems.units, at, counts)
