"""Logarithms of binomial coefficients of whole numbers, many at once."""

from __future__ import annotations

from functools import lru_cache
from math import lgamma

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@lru_cache(maxsize=4)
def log_factorials(largest: int) -> Floats:
    """log(n!) for n = 0 .. largest."""
    found = np.array([lgamma(number + 1.0) for number in range(largest + 1)])
    found.setflags(write=False)
    return found


def log_binomial(of: Ints | int, among: Ints | int) -> Floats:
    """log of n over r, element by element; -inf where that is 0: for n < r, n < 0 and r < 0."""
    n, r = np.broadcast_arrays(np.asarray(of, dtype=np.int64), np.asarray(among, dtype=np.int64))
    real = (r >= 0) & (n >= r)
    top, under = np.where(real, n, 0), np.where(real, r, 0)
    # tables grow in steps, so that contexts of a task share one
    known = log_factorials(max(1024, 1 << int(top.max(initial=0)).bit_length()))
    return np.where(real, known[top] - known[under] - known[top - under], -np.inf)


def log_mean(logs: Floats, chances: Floats | None = None) -> Floats:
    """log of the mean of what these are the logs of, along the last axis. chances: of each, none: alike."""
    top = logs.max(axis=-1, keepdims=True)
    shares = np.exp(logs - top)
    return np.asarray(top[..., 0] + np.log(shares.mean(axis=-1) if chances is None else shares @ chances))
