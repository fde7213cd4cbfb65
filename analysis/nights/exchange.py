"""Permutation test of nights: within each document the nights may be exchanged, all of its inputs together.

Where a model did not change, a document's scores of all nights, the reference's too, are equally likely in any order:
nights that share one reference are not independent, but they are exchangeable. So whole nights change places, in each
document separately, and the test holds whatever the spread, the tails, the correlation of inputs on a document, and the
number of nights.

The contrast of a window is the mean of the last m nights minus the mean of the nights before them, in units of its
standard deviation under exchange, sqrt(V (1 / m + 1 / (T - m))), V the sum over documents of the variance of its T
nights. Windows are the last 1, 2, 3 nights, and all nights after the reference; the least (largest) contrast of them is
the statistic for a drop (rise), so that looking through several windows is paid for once, exactly.

It is half of the gate's test. A model that repeats its answers and was altered is not exchangeable before and after,
also if its mean did not move: `aligned.one_sided` asks the clustered t-test as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import ceil, comb

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.statistics.intervals import Floats, generator

FIRST, SECOND = 199, 1_999  # permutations after which the test stops where no p is near the level
COUNTED = 20  # as extreme, at the level: so many permutations that the level is that of about 20
MOST = 4_000_000
EVERY = 20_000  # permutations up to which all are counted
CHUNK = 2_000_000  # documents times permutations at a time
ROUNDING = 1e-9  # of the standard deviation

Orders = NDArray[np.intp]


@dataclass(frozen=True)
class Contrast:
    """The last `nights` nights against those before. standardized: in standard deviations under exchange."""

    nights: int
    standardized: float


@dataclass(frozen=True)
class Exchanged:
    """One-sided p of a drop and of a rise, and the furthest contrasts. exact: every permutation was counted."""

    drop: float
    rise: float
    lowest: Contrast
    highest: Contrast
    exact: bool


def windows_of(nights: int, most: int, since_first: bool = True) -> tuple[int, ...]:
    """Return the lengths of the windows: 1 to `most`, as far as a night stands before them.

    since_first: and all nights but the first.
    """
    return tuple(sorted({*range(1, min(most, nights - 1) + 1), *([nights - 1] if since_first else [])}))


def least_p(nights: int, documents: int, windows: int, since_first: bool = True) -> float:
    """Return the smallest p that a test of so many nights and documents can give.

    The lowest m of T nights are one of C(T, m) choices in each document, so it is max C(T, m) ** -documents over the
    windows m. windows, since_first: as of `exchange_test`.
    """
    choices = max(comb(nights, length) for length in windows_of(nights, windows, since_first))
    return float(choices) ** -documents


def exchange_test(
    sums: Floats, windows: int, level: float, tests: int, name: str, since_first: bool = True
) -> Exchanged:
    """Test tonight and the last nights against those before.

    sums: what each document adds to a night's mean, shape (nights, documents), tonight last; two nights or more.
    windows: the longest window of last nights. A p at or below the level comes from the full number of permutations,
    which is enough for one of so many `tests`. name: of the random numbers. since_first: all nights but the first, the
    reference, are a window as well. Raises ValueError.
    """
    nights = len(sums)
    if nights < 2:
        raise ValueError("a test of nights needs two nights")
    lengths, longest = windows_of(nights, windows, since_first), min(windows, nights - 1)
    centred = np.ascontiguousarray((sums - sums.mean(axis=0)).T)
    scale = float(np.abs(sums).max(initial=0.0))
    centred = centred[np.ptp(centred, axis=1) > ROUNDING * scale]  # documents that differ
    if not len(centred):
        still = Contrast(lengths[-1], 0.0)
        return Exchanged(1.0, 1.0, still, still, True)
    spread = np.sqrt((centred**2).sum() / (nights - 1))
    scales = np.array([nights / (one * (nights - one)) for one in lengths])
    units = scales / (spread * np.sqrt(scales))
    orders = _orders(nights, longest, lengths[-1] > longest)

    def contrasts(picks: Orders) -> Floats:
        """Return the contrasts of permutations: shape (permutations, windows). picks: an order for each document."""
        start = np.arange(len(centred), dtype=np.intp) * nights
        chosen = [centred.ravel()[places[picks] + start].sum(axis=1) for places in orders]
        # centred: all nights sum to 0, so all but the first sum to minus the first
        sums = [*np.cumsum(chosen[:longest], axis=0), *(-one for one in chosen[longest:])]
        found: Floats = np.stack(sums, axis=1) * units
        return found

    observed = contrasts(np.zeros((1, len(centred)), dtype=np.intp))[0]
    low, high = float(observed.min()) + ROUNDING, float(observed.max()) - ROUNDING
    furthest = Contrast(lengths[int(observed.argmin())], low), Contrast(lengths[int(observed.argmax())], high)

    def counted(picks: Orders) -> NDArray[np.intp]:
        found = contrasts(picks)
        return np.array([np.count_nonzero(found.min(axis=1) <= low), np.count_nonzero(found.max(axis=1) >= high)])

    ways = len(orders[0]) ** len(centred) if len(centred) < 60 else EVERY + 1
    if ways <= EVERY:
        drop, rise = counted(_every(len(orders[0]), len(centred))) / ways
        return Exchanged(float(drop), float(rise), *furthest, True)
    random = generator("nights", name, nights, len(centred))
    full = min(MOST, max(EVERY, ceil(COUNTED * tests / level)) - 1)
    # Valid for every threshold: a p that is below one where the test stops is below it at that stage already.
    for size, enough in ((FIRST, 2 * level), (SECOND, 4 * level / tests), (full, 0.0)):
        further, left = np.zeros(2, dtype=np.intp), size
        while left:
            part = min(left, max(1, CHUNK // len(centred)))
            further += counted(random.integers(0, len(orders[0]), (part, len(centred))))
            left -= part
        drop, rise = (1 + further) / (1 + size)
        if min(drop, rise) > enough:
            break
    return Exchanged(float(drop), float(rise), *furthest, False)


@lru_cache(maxsize=64)
def _orders(nights: int, longest: int, first: bool) -> tuple[Orders, ...]:
    """Return which night stands last, last but one, ... and, if asked for, first, in every order; the given one first.

    An array for each of these places, with an entry for each order.
    """
    places = [*range(nights - 1, nights - 1 - longest, -1), *([0] if first else [])]
    every = np.array(list(permutations(range(nights), len(places))), dtype=np.intp)
    given = int(np.flatnonzero((every == places).all(axis=1))[0])
    every[[0, given]] = every[[given, 0]]
    return tuple(np.ascontiguousarray(column) for column in every.T)


def _every(orders: int, documents: int) -> Orders:
    """Return every choice of an order for each document: shape (orders ** documents, documents)."""
    numbers = np.arange(orders**documents, dtype=np.intp)[:, None]
    found: Orders = numbers // orders ** np.arange(documents, dtype=np.intp) % orders
    return found
