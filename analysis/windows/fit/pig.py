"""The partial-points model (PIG). Dolce, section 4 and equation 5 (fact sheet 3 and 5).

A score is x = w x_o + (1 - w) x_n: the share of aspects that the span covers, and noise, uniform on 0 .. 1. Its density
has hard edges, and scores lie on them, so probabilities of 20 equal bins are compared, each at least 1e-4:

    P(bin) = integral over the bin of Pr{w x_o <= x <= w x_o + 1 - w} / (1 - w)

With F the distribution function of x_o and G its integral from 0, that is [G(b/w) - G(a/w) - G((b - 1 + w)/w) + G((a -
1 + w)/w)] w / (1 - w), exactly. x_o: `interpolated` (the paper: a density, linear between the m / lambda) or `atoms`.
The weight of each length, or of all lengths of a problem together, is the likeliest of .05, .10, ..., .95.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.windows.fit.aspects import aspect_probabilities
from scrollwork.analysis.windows.fit.candidates import INFINITE, PIG, TIE, Candidates, best_of, candidates, pairs
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints
from scrollwork.analysis.windows.fit.cow import equal_samples
from scrollwork.analysis.windows.observations import EDGE

BINS = 20
FLOOR = 1e-4
WEIGHTS = np.arange(1, 20) / 20
CELLS = 4_000_000  # of one array
ATOMS, INTERPOLATED = "atoms", "interpolated"


@dataclass(frozen=True)
class Options:
    """Options of the fit. oracle: INTERPOLATED (the paper) or ATOMS. one_weight: a problem's lengths share one weight.

    normalised: the interpolated density integrates to 1; else it is P times lambda (fact sheet 3: the paper's factor is
    lost). equal_lengths: as in COW.
    """

    oracle: str = INTERPOLATED
    one_weight: bool = False
    normalised: bool = True
    equal_lengths: bool = False

    def __post_init__(self) -> None:
        if self.oracle not in (ATOMS, INTERPOLATED):
            raise ValueError(f"the oracle is {ATOMS} or {INTERPOLATED}, not {self.oracle!r}")


@dataclass(frozen=True)
class Binned:
    """Scores of a task's problems, in bins. units: [problems]. counts: [problems, lengths, BINS].

    lengths: [problems, lengths], 0 to C, all different among those at which a problem was observed.
    """

    units: Ints
    lengths: Ints
    counts: Floats

    def __post_init__(self) -> None:
        shape = (len(self.units), self.lengths.shape[1], BINS)
        if self.counts.shape != shape or self.lengths.shape != shape[:2]:
            raise ValueError(f"counts have the shape {self.counts.shape}, not {shape}")
        if not np.isfinite(self.counts).all() or (self.counts < 0).any():
            raise ValueError("counts must be finite and not negative")
        if (self.counts.sum(axis=(1, 2)) == 0).any():
            raise ValueError(f"problem {int(np.argmin(self.counts.sum(axis=(1, 2))))} has no observation")


@dataclass(frozen=True)
class Fitted:
    """The fit, as in COW. weights: of each length at the best pair, [problems, lengths], NaN if it was not observed.

    weight: their mean over samples, [problems].
    """

    complexity: Ints
    redundancy: Ints
    weights: Floats
    weight: Floats
    likelihoods: Floats
    tried: Candidates

    @property
    def likelihood(self) -> Floats:
        """Return the log-likelihood of each problem's best pair, [problems]."""
        return np.asarray(self.likelihoods.max(axis=1))


def bin_of(scores: Sequence[float] | Floats) -> Ints:
    """Return the bin of each score. Raises ValueError for scores outside 0 .. 1.

    A score on an edge, up to rounding, is in the upper bin.
    """
    values = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(values).all() or (values < 0).any() or (values > 1).any():
        raise ValueError("scores must lie between 0 and 1")
    return np.minimum((values * BINS + EDGE).astype(np.int64), BINS - 1)


def fit(data: Binned, options: Options | None = None) -> Fitted:
    """Fit lambda, k and weights of each problem. Raises ValueError.

    Tables are made once for problems with the same number of units; arrays hold a bounded part of problems and lengths.
    """
    options = options or Options()
    if not len(data.units):
        raise ValueError("there is no problem")
    if options.equal_lengths:
        data = replace(data, counts=equal_samples(data.counts))
    tried = candidates([int(one) for one in data.units], PIG)
    likelihoods = np.full(tried.complexity.shape, -np.inf)
    weights = np.full(data.lengths.shape, np.nan)
    samples = data.counts.sum(axis=2)
    for units in np.unique(data.units):
        places = np.flatnonzero(data.units == units)
        own, chosen = _weighed(Binned(data.units[places], data.lengths[places], data.counts[places]), options)
        likelihoods[places, : own.shape[1]] = own
        rows = Candidates(tried.complexity[places], tried.redundancy[places], tried.allowed[places])
        best = best_of(likelihoods[places], rows)
        weights[places] = WEIGHTS[chosen[np.arange(len(places)), best]]
    best = best_of(likelihoods, tried)
    at = np.arange(len(best))
    weights = np.where(samples > 0, weights, np.nan)
    weight = np.nansum(weights * samples, axis=1) / samples.sum(axis=1)
    return Fitted(tried.complexity[at, best], tried.redundancy[at, best], weights, weight, likelihoods, tried)


def _weighed(data: Binned, options: Options) -> tuple[Floats, NDArray[np.uint8]]:
    """Return log-likelihoods at the best weights, [I, Q], and the places of these in WEIGHTS, [I, Q, L].

    All problems have the same number of units. Places are 0 for lengths that were not observed.
    """
    units, samples = int(data.units[0]), data.counts.sum(axis=2)
    pairs_of = len(pairs(units, PIG))
    together = np.zeros((len(data.units), pairs_of, len(WEIGHTS) if options.one_weight else 1))
    chosen = np.zeros((len(data.units), pairs_of, data.lengths.shape[1]), dtype=np.uint8)
    lengths = np.unique(data.lengths[samples > 0])
    step = max(1, CELLS // max(pairs_of * len(WEIGHTS) * BINS, 2 * units))
    for first in range(0, len(lengths), step):
        some = lengths[first : first + step]
        table = log_bins(units, [int(one) for one in some], options)  # [Q, L, W, B]
        of = (samples > 0) & np.isin(data.lengths, some)
        rows = np.flatnonzero(of.any(axis=1))
        batch = max(1, CELLS // (table.size // BINS))
        for begin in range(0, len(rows), batch):
            part = rows[begin : begin + batch]
            row, column = np.nonzero(of[part])
            place = np.searchsorted(some, data.lengths[part[row], column])
            counts = np.zeros((len(part), len(some), BINS))
            np.add.at(counts, (row, place), data.counts[part[row], column])
            found = np.einsum("ilb,qlwb->iqlw", counts, table, optimize=True)
            if options.one_weight:
                together[part] += found.sum(axis=2)
            else:
                together[part, :, 0] += found.max(axis=3).sum(axis=2)
                chosen[part[row], :, column] = _smallest(found).swapaxes(1, 2)[row, place]
    if options.one_weight:
        chosen[:] = _smallest(together)[:, :, None]
    return together.max(axis=2), chosen


def _smallest(found: Floats) -> Ints:
    """Return the place of the likeliest weight along the last axis, of equally likely ones the smallest."""
    return np.asarray((found >= found.max(axis=-1, keepdims=True) - TIE).argmax(axis=-1))


def log_bins(units: int, lengths: Sequence[int], options: Options) -> Floats:
    """Return the log of the probability of each bin: [candidates, lengths, weights, BINS]."""
    own = pairs(units, PIG)
    found = np.empty((len(own), len(lengths), len(WEIGHTS), BINS))
    for place, (complexity, redundancy) in enumerate(own):
        aspects, sure = aspects_of(units, lengths, complexity, redundancy)
        found[place] = bins(aspects, ATOMS if sure else options.oracle)
        if not sure and options.oracle == INTERPOLATED and not options.normalised:
            found[place] *= (1.0 - (aspects[:, 0] + aspects[:, -1]) / 2)[:, None, None]
    return np.log(np.maximum(found, FLOOR))


def aspects_of(units: int, lengths: Sequence[int], complexity: int, redundancy: int) -> tuple[Floats, bool]:
    """Return P(m), [lengths, lambda + 1], of a candidate, and whether the share covered is certain.

    It is always 1 for lambda 0, and always 0 for an infinite lambda.
    """
    if complexity not in (0, INFINITE):
        return aspect_probabilities(lengths, complexity, redundancy, units), False
    aspects = np.zeros((len(lengths), 2))
    aspects[:, 1 if complexity == 0 else 0] = 1.0
    return aspects, True


def bins(aspects: Floats, oracle: str, weights: Floats = WEIGHTS) -> Floats:
    """Return the probabilities of the bins, [lengths, weights, BINS]. aspects: P(m), [lengths, lambda + 1]."""
    edges = np.arange(BINS + 1) / BINS
    weight = weights[:, None]
    upper, lower = edges / weight, (edges - (1 - weight)) / weight  # [W, B + 1]
    integral = _Integral(aspects, oracle)
    rising = integral(upper) - integral(lower)
    return np.asarray(np.diff(rising, axis=2) * (weight / (1 - weight)))


class _Integral:
    """G(t), the integral from 0 to t of the distribution function of x_o, for each length."""

    def __init__(self, aspects: Floats, oracle: str) -> None:
        self._segments = aspects.shape[1] - 1
        step = 1.0 / self._segments
        left, right = aspects[:, :-1], aspects[:, 1:]
        if oracle == ATOMS:
            self._low = np.cumsum(aspects, axis=1)[:, :-1]  # F on each segment, where it is constant
            self._density = self._slope = np.zeros_like(self._low)
            area = self._low * step
        else:
            z = (1.0 - (aspects[:, :1] + aspects[:, -1:]) / 2) / self._segments  # integral of the unscaled density
            self._density = left / z
            self._slope = (right - left) / (z * step)
            mass = (left + right) / (2 * z) * step
            self._low = np.cumsum(mass, axis=1) - mass
            area = self._low * step + self._density * step**2 / 2 + self._slope * step**3 / 6
        self._start = np.cumsum(area, axis=1) - area
        self._whole = area.sum(axis=1)

    def __call__(self, points: Floats) -> Floats:
        """Return G at the points: [lengths, *points]."""
        within = np.clip(points, 0.0, 1.0)
        place = np.minimum((within * self._segments).astype(np.int64), self._segments - 1)
        t = within - place / self._segments
        found = self._start[:, place] + self._low[:, place] * t
        found = found + self._density[:, place] * t**2 / 2 + self._slope[:, place] * t**3 / 6
        return np.asarray(found + np.maximum(points - 1.0, 0.0))


def density(score: float, aspects: Sequence[float]) -> float:
    """Return P(m) interpolated at a score of 0 .. 1 (fact sheet 3): the density of x_o times its integral Z."""
    many = len(aspects) - 1
    place = min(int(many * score), many - 1)
    t = many * score - place
    return (1 - t) * aspects[place] + t * aspects[place + 1]
