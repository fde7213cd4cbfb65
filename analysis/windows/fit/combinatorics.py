"""Logarithms of binomial coefficients of whole numbers, for arrays."""

from __future__ import annotations

from functools import lru_cache
from math import lgamma

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@lru_cache(maxsize=4)
def log_factorials(largest: int) -> Floats:
    """Return log(n!) for n = 0 .. largest."""
    found = np.array([lgamma(number + 1.0) for number in range(largest + 1)])
    found.setflags(write=False)
    return found


def log_binomial(of: Ints | int, among: Ints | int) -> Floats:
    """Return the log of `of` over `among`, n over r, element-wise; -inf where that is 0: for n < r, n < 0 and r < 0."""
    n, r = np.asarray(of, dtype=np.int64), np.asarray(among, dtype=np.int64)
    real = (r >= 0) & (n >= r)
    if not real.all():
        n, r = np.where(real, n, 0), np.where(real, r, 0)
    # tables grow in steps, so that contexts of a task share one
    known = log_factorials(max(1024, 1 << int(n.max(initial=0)).bit_length()))
    return np.where(real, known[n] - known[r] - known[n - r], -np.inf)


def log_mean(logs: Floats, chances: Floats | None = None) -> Floats:
    """Return the log of the mean of exp(logs) along the last axis. chances: weights, None for equal ones."""
    top = logs.max(axis=-1, keepdims=True)
    shares = np.exp(logs - top)
    return np.asarray(top[..., 0] + np.log(shares.mean(axis=-1) if chances is None else shares @ chances))
