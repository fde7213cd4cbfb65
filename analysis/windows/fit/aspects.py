"""How many of lambda aspects an observed span covers. Dolce, PIG (fact sheet 3, stable form).

lambda k units are marked, k for each aspect, all choices equally likely; an aspect is covered if one of its units is
observed. H(h) is the hypergeometric probability of h marked units among l of C; T[h, m], of m aspects among h marked
units, is a recursion of positive terms and depends only on (lambda, k). P(m) = sum over h of H(h) T[h, m].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from scrollwork.analysis.windows.fit.combinatorics import Floats, log_binomial

SMALL = 70_000  # numbers in a table that is kept; 512 tables are 290 MB at most, those in use some 20
NOTHING = 1e-25  # entries of larger tables below this are dropped: 1e6 rows lose 1e-19 of each
BLOCK = 512  # rows of these at a time


def aspect_probabilities(lengths: Sequence[int], complexity: int, redundancy: int, units: int) -> Floats:
    """Return P(m) for each length: [lengths, lambda + 1], rows sum to 1.

    Raises ValueError for a length outside 0 .. C, C below 1, and a pair that C units cannot hold.
    """
    if units < 1 or min(lengths, default=0) < 0 or max(lengths, default=0) > units:
        raise ValueError("l must lie between 0 and C, and C be at least 1")
    if complexity < 1 or redundancy < 1 or complexity * redundancy > units:
        raise ValueError(f"lambda = {complexity}, k = {redundancy} do not fit into {units} units")
    marked = complexity * redundancy
    found = np.zeros((len(lengths), complexity + 1))
    whole = np.array([length == units for length in lengths], dtype=np.bool_)
    found[whole, complexity] = 1.0
    part = [length for length in lengths if length < units]
    if part:
        most = min(max(part), marked)  # marked units that a window can have, and so aspects, at most
        hit = _hits(part, most, marked, units)
        if redundancy > 1:  # else each marked unit is an aspect
            hit = _aspects(hit, complexity, redundancy, _rounded(most, marked))
        columns = min(hit.shape[1], complexity + 1)
        found[~whole, :columns] = hit[:, :columns]
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _hits(lengths: Sequence[int], most: int, marked: int, units: int) -> Floats:
    """Return H(h) for h = 0 .. most: [lengths, most + 1]."""
    window = np.asarray(lengths, dtype=np.int64)[:, None]
    hits = np.arange(most + 1, dtype=np.int64)
    ways = log_binomial(marked, hits) + log_binomial(units - marked, window - hits)
    return np.asarray(np.exp(ways - log_binomial(units, window)))


def _rounded(most: int, marked: int) -> int:
    """Return a size of tables that windows of similar lengths share."""
    return min(1 << most.bit_length(), marked)


def _aspects(hit: Floats, complexity: int, redundancy: int, most: int) -> Floats:
    """Return the sum over h of H(h) T[h, m], [lengths, m]. hit: H, [lengths, h].

    A table that is not kept is never in memory as a whole: its rows are made in blocks, without entries below NOTHING.
    """
    if most * min(complexity, most) <= SMALL:
        return np.asarray(hit @ covered(complexity, redundancy, most)[: hit.shape[1]])
    marked, columns = complexity * redundancy, min(complexity, most) + 1
    probable = np.flatnonzero((hit > NOTHING).any(axis=0))
    last = int(probable[-1]) if len(probable) else 0
    found = np.zeros((len(hit), columns))
    row, low = np.ones(1), 0  # T[h, low:]
    for begin in range(0, last + 1, BLOCK):
        end = min(begin + BLOCK, last + 1)
        left = low
        block = np.zeros((end - begin, min(len(row) + BLOCK, columns - left)))
        for h in range(begin, end):
            block[h - begin, low - left : low - left + len(row)] = row
            if h < last:
                row, low = _next(row, low, h, complexity, redundancy, marked)
        found[:, left : left + block.shape[1]] += hit[:, begin:end] @ block
    return found


def _next(row: Floats, low: int, h: int, complexity: int, redundancy: int, marked: int) -> tuple[Floats, int]:
    """Return T[h + 1] from T[h], both from their first probable aspect on."""
    m = np.arange(low, low + len(row))
    further = np.zeros(len(row) + 1)
    further[:-1] = row * np.maximum(m * redundancy - h, 0) / (marked - h)
    further[1:] += row * ((complexity - m) * redundancy / (marked - h))
    some = np.flatnonzero(further > NOTHING)
    return further[some[0] : some[-1] + 1], low + int(some[0])


@lru_cache(maxsize=512)
def covered(complexity: int, redundancy: int, most: int) -> Floats:
    """Return T[h, m], that h of the marked units cover m aspects; h = 0 .. most, m = 0 .. min(lambda, most)."""
    marked = complexity * redundancy
    m = np.arange(min(complexity, most) + 1)
    found = np.zeros((most + 1, len(m)))
    found[0, 0] = 1.0
    covering, new = m * redundancy, (complexity - m[:-1]) * redundancy
    for h in range(most):
        before = found[h] / (marked - h)
        found[h + 1] = before * np.maximum(covering - h, 0)
        found[h + 1, 1:] += before[:-1] * new
    found.setflags(write=False)
    return found
