"""Do scores have one mode or two? Hartigan's dip test, by which a task with graded scores becomes COW or PIG.

The dip is the largest distance between the empirical distribution function and the nearest unimodal one (Hartigan &
Hartigan 1985); p is the share of uniform samples of the same size with a dip as large. Scores go into buckets of 0.1,
and those of a bucket are spread evenly over it: bucket centres alone would reject unimodality nearly always (fact sheet
7).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

import numpy as np

from scrollwork.analysis.windows.dip_table import QUANTILES, SHARES, SMALLEST
from scrollwork.analysis.windows.fit.combinatorics import Floats
from scrollwork.analysis.windows.observations import EDGE

BUCKETS = 10
SPLIT = 0.5  # p below which scores have two modes

Corner = tuple[float, float]  # (value, number of values up to it)


def dip_test(scores: Floats, counts: Floats | None = None) -> tuple[float, float]:
    """Return (dip, p) of scores from 0 to 1. Raises ValueError for other scores and for none.

    counts: how often each score occurs, by default once.
    """
    held = bucket_counts(scores, counts)
    found = dip(spread_over_buckets(held))
    return found, p_value(found, int(held.sum()))


def bucket_counts(scores: Floats, counts: Floats | None = None) -> Floats:
    """Return how many scores each bucket has. Raises ValueError for scores outside 0 to 1."""
    values = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(values).all() or (values < 0).any() or (values > 1).any():
        raise ValueError("scores must lie between 0 and 1")
    place = np.minimum((values * BUCKETS + EDGE).astype(np.int64), BUCKETS - 1)
    return np.bincount(place, weights=counts, minlength=BUCKETS).astype(np.float64)


def spread_over_buckets(held: Sequence[float] | Floats) -> list[Corner]:
    """Return the first and last value of each bucket, ascending; value r of c in bucket i is (i + (r + 0.5) / c) / 10.

    Values between the two are on the line through them, and so are never a corner of what the dip compares. Raises
    ValueError if there are no scores.
    """
    corners: list[Corner] = []
    below = 0.0
    for place, count in enumerate(held):
        if count >= 1:
            corners.append(((place + 0.5 / count) / BUCKETS, below + 1))
        if count >= 2:
            corners.append(((place + (count - 0.5) / count) / BUCKETS, below + count))
        below += count
    if not corners:
        raise ValueError("there is no score")
    return corners


def dip(corners: Sequence[Corner]) -> float:
    """Return the dip, 1 / (2n) to 1/4, of n values.

    corners: the smallest and the largest value and all others where the empirical distribution function bends,
    ascending, none twice.

    The paper's algorithm: on an interval that shrinks around the mode, the greatest convex minorant below it and the
    least concave majorant above it are the nearest unimodal function outside; the widest gap between the two inside
    tells where the mode must be.
    """
    low, high, found = 0, len(corners) - 1, 1.0  # in steps: the function rises by one at each value
    while low < high:
        convex, concave = _hull(corners, low, high, 1), _hull(corners, low, high, -1)
        gap, left, right = _widest(corners, convex, concave)
        if gap <= found:
            break
        outside = [
            *(_distance(corners, a, b, 1) for a, b in pairwise(convex) if b <= left),
            *(_distance(corners, a, b, -1) for a, b in pairwise(concave) if a >= right),
        ]
        found = max(found, *outside) if outside else found
        if (left, right) == (low, high):
            break
        low, high = left, right
    return found / (2 * corners[-1][1])


def _hull(corners: Sequence[Corner], low: int, high: int, sign: int) -> list[int]:
    """Return the corners of the convex minorant (sign 1) or the concave majorant (-1), low to high."""
    kept: list[int] = []
    for point in range(low, high + 1):
        x, y = corners[point]
        while len(kept) > 1:
            (x1, y1), (x2, y2) = corners[kept[-2]], corners[kept[-1]]
            if sign * ((x2 - x1) * (y - y1) - (x - x1) * (y2 - y1)) > 0:
                break
            kept.pop()
        kept.append(point)
    return kept


def _widest(corners: Sequence[Corner], convex: list[int], concave: list[int]) -> tuple[float, int, int]:
    """Return (the largest gap at a corner of either, the ends of the modal interval there).

    The lower line passes below the step at a value and the upper one above it, which is one step more than their
    values.
    """
    best = (0.0, convex[0], concave[-1])
    place = 0
    for corner in convex:
        while place < len(concave) - 2 and concave[place + 1] < corner:
            place += 1
        gap = _at(corners, concave[place], concave[place + 1], corner) - corners[corner][1] + 1
        if gap > best[0]:
            right = corner if corner == concave[place] else concave[place + 1]
            best = (gap, corner, right)
    place = 0
    for corner in concave:
        while place < len(convex) - 2 and convex[place + 1] <= corner:
            place += 1
        gap = corners[corner][1] - _at(corners, convex[place], convex[place + 1], corner) + 1
        if gap > best[0]:
            left = corner if corner == convex[place + 1] else convex[place]
            best = (gap, left, corner)
    return best


def _at(corners: Sequence[Corner], a: int, b: int, point: int) -> float:
    """Return the height of the line from a to b at the value of a point."""
    (x1, y1), (x2, y2) = corners[a], corners[b]
    return y1 + (y2 - y1) * (corners[point][0] - x1) / (x2 - x1)


def _distance(corners: Sequence[Corner], a: int, b: int, sign: int) -> float:
    """Return the function's largest distance from a segment of its minorant (1) or majorant (-1), in steps."""
    return max(sign * (corners[point][1] - _at(corners, a, b, point)) for point in range(a, b + 1)) + 1


def p_value(found: float, size: int) -> float:
    """Return the share of uniform samples of this size whose dip is as large, 0 to 1, from a table of simulated ones.

    sqrt(size) * dip is tabulated; between sizes it is interpolated in 1 / sqrt(size), beyond the largest it stays.
    Within .02 of the share of 20,000 fresh samples; 0 means below 1 in 10,000. Fewer than four values always have one
    mode.
    """
    sizes = list(QUANTILES)
    if size < sizes[0] or found * 2 * size <= 1 + 1e-9:  # the smallest possible dip
        return 1.0
    near = [1 / sqrt(one) for one in reversed(sizes)]
    columns = np.array([QUANTILES[one] for one in reversed(sizes)])
    own = [float(np.interp(1 / sqrt(size), near, column)) for column in columns.T]
    known = list(zip(own, SHARES, strict=True))
    if size in SMALLEST:  # so many samples have the smallest dip: no share below that is another one's
        known = [(1 / (2 * sqrt(size)), SMALLEST[size]), *(pair for pair in known if pair[1] > SMALLEST[size])]
    dips, shares = (list(column) for column in zip(*known, strict=True))
    return float(1.0 - np.interp(sqrt(size) * found, dips, shares, left=0.0, right=1.0))


def simulated_dips(size: int, samples: int, seed: int) -> Floats:
    """Return sqrt(size) * dip of uniform samples, ascending: what the table is made from."""
    random = np.random.Generator(np.random.PCG64([seed, size]))
    ranks = np.arange(1.0, size + 1).tolist()
    drawn = (np.sort(random.random(size)).tolist() for _ in range(samples))
    return np.sort([sqrt(size) * dip(list(zip(values, ranks, strict=True))) for values in drawn])
