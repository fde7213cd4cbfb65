"""Which pairs (lambda, k) are tried: those of the 1-2-5 grid, and special ones (fact sheet 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints

COW, PIG = "cow", "pig"
TIE = 1e-6  # difference of log-likelihoods that is a tie
INFINITE = -1  # lambda = inf in arrays of whole numbers: no aspect is ever covered, not even by the whole context


def one_two_five(below: int) -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50, ... below a bound."""
    scale = 1
    while True:
        for step in (scale, 2 * scale, 5 * scale):
            if step >= below:
                return
            yield step
        scale *= 10


@lru_cache(maxsize=4096)
def pairs(units: int, scenario: str) -> tuple[tuple[int, int], ...]:
    """Return (lambda, k) for a context of so many units, ascending. Raises ValueError for fewer than 1.

    (0, 0); the grid below C with lambda k <= C; (C, 1); for PIG also (INFINITE, 1). k = C is left out, so that (0, 0)
    has no equivalent.
    """
    if units < 1:
        raise ValueError("C must be at least 1")
    grid = list(one_two_five(units))
    found = [(0, 0), *((one, many) for one in grid for many in grid if one * many <= units), (units, 1)]
    return (*found, (INFINITE, 1)) if scenario == PIG else tuple(found)


@dataclass(frozen=True)
class Candidates:
    """Pairs of several problems. complexity, redundancy: [problems, candidates].

    allowed: False where a problem has fewer candidates than others.
    """

    complexity: Ints
    redundancy: Ints
    allowed: np.ndarray[tuple[int, int], np.dtype[np.bool_]]


def candidates(units: Sequence[int], scenario: str) -> Candidates:
    """Return the pairs of each problem, by its units."""
    lists = [pairs(one, scenario) for one in units]
    most = max(map(len, lists), default=0)
    complexity, redundancy = (np.zeros((len(lists), most), dtype=np.int64) for _ in range(2))
    allowed = np.zeros((len(lists), most), dtype=np.bool_)
    for place, own in enumerate(lists):
        complexity[place, : len(own)], redundancy[place, : len(own)] = np.array(own).T
        allowed[place, : len(own)] = True
    return Candidates(complexity, redundancy, allowed)


def best_of(likelihoods: Floats, tried: Candidates) -> Ints:
    """Return the place of the likeliest candidate of each problem.

    Of equally likely ones (to 1e-6) it is that of the larger lambda, then that of the smaller k.
    """
    near = likelihoods >= likelihoods.max(axis=1, keepdims=True) - TIE
    infinite = np.iinfo(np.int64).max // 4
    complexity = np.where(tried.complexity < 0, infinite, tried.complexity)
    largest = np.where(near, complexity, -1)
    chosen = near & (largest == largest.max(axis=1, keepdims=True))
    return np.asarray(np.where(chosen, tried.redundancy, infinite).argmin(axis=1))
