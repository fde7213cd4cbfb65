"""How probable it is that an observed span holds a whole ground-truth span. Dolce, COW (fact sheet 2, closed form).

k non-overlapping spans of lambda units each are in a context of C units, all placements equally likely; the observation
is a window of l units, all positions equally likely. With n = C - k lambda + k and total = (C - l + 1) binom(n, k):

    pi = 1 - (F2 + F3) / total
    F2 = 2 binom(C - l - (k - 1) lambda + k, k + 1)
    F3 = (k - 1) binom(C - l - (k - 2) lambda + k - 1, k + 1)                 if l >= 2 lambda - 2, else
         (k - 1) [(n + 1) / (k + 1) + 2 lambda - 2 - l] binom(n, k)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints, log_binomial


def cover_probability(length: ArrayLike, complexity: ArrayLike, redundancy: ArrayLike, units: ArrayLike) -> Floats:
    """Return pi(l; lambda, k, C), element-wise, shapes broadcast; 0 to 1.

    0 if l < lambda, and for pairs that no context of C units can hold (lambda k > C); 1 at l = C, and for the pair (0,
    0), which is answered whatever is shown. Raises ValueError for l > C or below 0, C below 1, negative lambda or k,
    and a pair with only one 0.
    """
    arrays = [np.asarray(one, dtype=np.int64) for one in (length, complexity, redundancy, units)]
    window, span, copies, context = np.broadcast_arrays(*arrays)
    _check(window, span, copies, context)
    free = (span == 0) & (copies == 0)
    possible = (span >= 1) & (span <= window) & (span * copies <= context)
    window, span, copies, context = (np.where(possible, one, 1) for one in (window, span, copies, context))
    places = context - copies * span + copies  # n
    total = np.log(context - window + 1.0) + log_binomial(places, copies)
    two_sided = np.log(2.0) + log_binomial(context - window - (copies - 1) * span + copies, copies + 1)
    missed = np.exp(two_sided - total)
    wide = window >= 2 * span - 2
    others = log_binomial(context - window - (copies - 2) * span + copies - 1, copies + 1)
    others = np.where(wide, others - total, -np.inf)  # meaningless elsewhere, and perhaps far above 0
    bracket = (places + 1) / (copies + 1) + 2 * span - 2 - window
    narrow = bracket * np.exp(log_binomial(places, copies) - total)
    missed = missed + (copies - 1) * np.where(wide, np.exp(others), narrow)
    found = np.clip(1.0 - missed, 0.0, 1.0)
    found = np.where(window == context, 1.0, found)
    return np.where(free, 1.0, np.where(possible, found, 0.0))


def _check(window: Ints, span: Ints, copies: Ints, context: Ints) -> None:
    if (context < 1).any():
        raise ValueError("C must be at least 1")
    if (window < 0).any() or (window > context).any():
        raise ValueError("l must lie between 0 and C")
    if (span < 0).any() or (copies < 0).any() or ((span == 0) != (copies == 0)).any():
        raise ValueError("lambda and k must be at least 1, or both 0")
