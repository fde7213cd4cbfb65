"""How many of lambda aspects an observed span covers. Dolce, PIG (fact sheet 3, stable form).

lambda k units are marked, k of each aspect, all choices alike; an aspect is covered when one of its units is observed.
H(h) is the hypergeometric probability of h marked units among l of C; T[h, m], of m aspects among h marked units, is a
recursion of positive terms and depends on (lambda, k) alone. P(m) = sum over h of H(h) T[h, m].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from analysis.dolce.combinatorics import Floats, log_binomial


def aspect_probabilities(lengths: Sequence[int], complexity: int, redundancy: int, units: int) -> Floats:
    """P(m) for each length: [lengths, lambda + 1], rows sum to 1.

    Raises ValueError for a length outside 0 .. C, C below 1, and a pair that C units cannot hold.
    """
    if units < 1 or min(lengths, default=0) < 0 or max(lengths, default=0) > units:
        raise ValueError("l must lie between 0 and C, and C be 1 at least")
    if complexity < 1 or redundancy < 1 or complexity * redundancy > units:
        raise ValueError(f"lambda = {complexity}, k = {redundancy} do not fit into {units} units")
    marked = complexity * redundancy
    most = min(max(lengths, default=0), marked)
    window = np.asarray(lengths, dtype=np.int64)[:, None]
    hits = np.arange(most + 1, dtype=np.int64)
    terms = log_binomial(np.int64(marked), hits) + log_binomial(np.int64(units - marked), window - hits)
    hit = np.exp(terms - log_binomial(np.int64(units), window))
    if redundancy == 1:  # each marked unit is an aspect
        found = np.zeros((len(lengths), complexity + 1))
        found[:, : most + 1] = hit
    else:
        found = hit @ covered(complexity, redundancy, most)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


@lru_cache(maxsize=256)
def covered(complexity: int, redundancy: int, most: int) -> Floats:
    """T[h, m]: m aspects are covered by h of the marked units; h = 0 .. most."""
    marked = complexity * redundancy
    m = np.arange(complexity + 1)
    found = np.zeros((most + 1, complexity + 1))
    found[0, 0] = 1.0
    for h in range(most):
        stays = np.clip(m * redundancy - h, 0, None) / (marked - h)
        gains = (complexity - m[:-1]) * redundancy / (marked - h)
        found[h + 1] = found[h] * stays
        found[h + 1, 1:] += found[h, :-1] * gains
    found.setflags(write=False)
    return found
