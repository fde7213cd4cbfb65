"""The partial-points model (PIG). Dolce, section 4 and equation 5 (fact sheet 3 and 5).

A score is x = w x_o + (1 - w) x_n: the share of aspects that the span covers, and noise, uniform on 0 .. 1. Its density
has hard edges and scores sit on them, so probabilities of 20 equal bins are compared, each at least 1e-4:

    P(bin) = integral over the bin of Pr{w x_o <= x <= w x_o + 1 - w} / (1 - w)

With F the distribution function of x_o and G its integral from 0, that is [G(b/w) - G(a/w) - G((b - 1 + w)/w) +
G((a - 1 + w)/w)] w / (1 - w), exactly. x_o: `interpolated` (the paper: aspects as a density, linear between m / lambda) or
`atoms`. The weight of each length, or of all lengths of a problem together, is the likeliest of .05, .10, ..., .95.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.dolce.aspects import aspect_probabilities
from analysis.dolce.candidates import INFINITE, PIG, Candidates, candidates, pairs
from analysis.dolce.combinatorics import Floats, Ints
from analysis.dolce.cow import TIE, best_of

BINS = 20
FLOOR = 1e-4
WEIGHTS = np.arange(1, 20) / 20
PASSES = 5
ATOMS, INTERPOLATED = "atoms", "interpolated"


@dataclass(frozen=True)
class Options:
    """oracle: INTERPOLATED (the paper) or ATOMS. one_weight: a problem's lengths share their weight."""

    oracle: str = INTERPOLATED
    one_weight: bool = False

    def __post_init__(self) -> None:
        if self.oracle not in (ATOMS, INTERPOLATED):
            raise ValueError(f"the oracle is {ATOMS} or {INTERPOLATED}, not {self.oracle!r}")


@dataclass(frozen=True)
class Binned:
    """Scores of a task's problems. units: [problems]; lengths: [problems, lengths]; counts: [problems, lengths, BINS]."""

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
    """As of COW. weights: of each length at the best pair [problems, lengths], NaN for lengths that were not observed;
    weight: their mean over samples [problems]."""

    complexity: Ints
    redundancy: Ints
    weights: Floats
    weight: Floats
    likelihoods: Floats
    tried: Candidates

    @property
    def likelihood(self) -> Floats:
        """Of the best pair of each problem."""
        return np.asarray(self.likelihoods.max(axis=1))


def bin_of(scores: Sequence[float] | Floats) -> Ints:
    """The bin of each score, 0 .. 1. Raises ValueError."""
    values = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(values).all() or (values < 0).any() or (values > 1).any():
        raise ValueError("scores must lie between 0 and 1")
    return np.minimum((values * BINS).astype(np.int64), BINS - 1)


def fit(data: Binned, options: Options | None = None) -> Fitted:
    """lambda, k and weights of each problem. Tables are made once for each number of units. Raises ValueError."""
    options = options or Options()
    if not len(data.units):
        raise ValueError("there is no problem")
    tried = candidates([int(one) for one in data.units], PIG)
    likelihoods = np.full(tried.complexity.shape, -np.inf)
    weights = np.full(data.lengths.shape, np.nan)
    for units in np.unique(data.units):
        for places, lengths in _alike(data, int(units)):
            counts = data.counts[places]
            table = log_bins(int(units), lengths, options.oracle)  # [Q, L, W, B]
            some = np.einsum("ilb,qlwb->iqlw", counts, table, optimize=True)
            own, chosen = _weighed(some, counts.sum(axis=2), options)
            likelihoods[places, : own.shape[1]] = own
            part = Candidates(*(one[places] for one in (tried.complexity, tried.redundancy, tried.allowed)))
            best = best_of(np.where(part.allowed, likelihoods[places], -np.inf), part)
            found = WEIGHTS[chosen[np.arange(len(places)), best]]
            weights[places] = np.where(counts.sum(axis=2) > 0, found, np.nan)
    likelihoods = np.where(tried.allowed, likelihoods, -np.inf)
    best = best_of(likelihoods, tried)
    rows = np.arange(len(best))
    samples = data.counts.sum(axis=2)
    weight = np.nansum(weights * samples, axis=1) / samples.sum(axis=1)
    return Fitted(tried.complexity[rows, best], tried.redundancy[rows, best], weights, weight, likelihoods, tried)


def _alike(data: Binned, units: int) -> list[tuple[Ints, tuple[int, ...]]]:
    """Problems of so many units that were observed at the same lengths, and these."""
    places = np.flatnonzero(data.units == units)
    rows, which = np.unique(data.lengths[places], axis=0, return_inverse=True)
    which = which.reshape(-1)
    return [(places[which == number], tuple(int(one) for one in row)) for number, row in enumerate(rows)]


def _weighed(found: Floats, samples: Floats, options: Options) -> tuple[Floats, Ints]:
    """(log-likelihoods [I, Q], place in WEIGHTS [I, Q, L]) of sums for each length and weight [I, Q, L, W]."""
    if options.one_weight:
        together = found.sum(axis=2)
        chosen = np.broadcast_to(together.argmax(axis=2)[:, :, None], found.shape[:3])
        return together.max(axis=2), chosen
    return found.max(axis=3).sum(axis=2), found.argmax(axis=3)


def log_bins(units: int, lengths: Sequence[int], oracle: str) -> Floats:
    """log of the probability of each bin: [candidates, lengths, weights, BINS]."""
    own = pairs(units, PIG)
    found = np.empty((len(own), len(lengths), len(WEIGHTS), BINS))
    for place, (complexity, redundancy) in enumerate(own):
        if complexity in (0, INFINITE):  # surely 1, surely 0
            aspects = np.zeros((len(lengths), 2))
            aspects[:, 1 if complexity == 0 else 0] = 1.0
            found[place] = bins(aspects, ATOMS)
        else:
            found[place] = bins(aspect_probabilities(lengths, complexity, redundancy, units), oracle)
    return np.log(np.maximum(found, FLOOR))


def bins(aspects: Floats, oracle: str) -> Floats:
    """Probabilities of the bins [lengths, weights, BINS] for P(m) [lengths, lambda + 1]."""
    edges = np.arange(BINS + 1) / BINS
    weight = WEIGHTS[:, None]
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
            self._low = np.cumsum(aspects, axis=1)[:, :-1]  # of F on each segment, where it is constant
            self._density = self._slope = np.zeros_like(self._low)
            area = self._low * step
        else:
            scale = (1.0 - (aspects[:, :1] + aspects[:, -1:]) / 2) / self._segments  # Z, exactly
            flat = scale <= 1e-15  # all on the ends: as atoms there
            z = np.where(flat, 1.0, scale)
            self._density = left / z
            self._slope = (right - left) / (z * step)
            mass = (left + right) / (2 * z) * step
            self._low = np.cumsum(mass, axis=1) - mass
            area = self._low * step + self._density * step**2 / 2 + self._slope * step**3 / 6
        self._start = np.cumsum(area, axis=1) - area
        self._whole = area.sum(axis=1)

    def __call__(self, points: Floats) -> Floats:
        """[lengths, *points]"""
        within = np.clip(points, 0.0, 1.0)
        place = np.minimum((within * self._segments).astype(np.int64), self._segments - 1)
        t = within - place / self._segments
        found = self._start[:, place] + self._low[:, place] * t
        found = found + self._density[:, place] * t**2 / 2 + self._slope[:, place] * t**3 / 6
        return np.asarray(found + np.maximum(points - 1.0, 0.0))


def density(score: float, aspects: Sequence[float]) -> float:
    """The interpolated density of x_o before it is normalised, and at once its constant's other side: p(x) (fact sheet
    3). score: 0 .. 1."""
    many = len(aspects) - 1
    place = min(int(many * score), many - 1)
    t = many * score - place
    return (1 - t) * aspects[place] + t * aspects[place + 1]


__all__ = ["ATOMS", "BINS", "INTERPOLATED", "TIE", "Binned", "Fitted", "Options", "bin_of", "bins", "fit", "log_bins"]
