"""The correct-or-wrong model (COW) and its EM with a hybrid oracle. Dolce, section 3 (fact sheet 4).

An answer on a span is right (1), wrong (0) or declined (IDK). With the problem's weight w the oracle gives it, else the
task's noise b:

    P(x) = w O(x) + (1 - w) b(x)
    O    = (pi, 0, 1 - pi)      where l >= lambda
           (h1, h0, hI)         where l < lambda: free, of the problem's shorter samples alone; h1 = 0 unless said otherwise

Every candidate (lambda, k) has a track of its own through ten passes; the noise follows the best ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.dolce.candidates import COW, Candidates, candidates
from analysis.dolce.combinatorics import Floats, Ints
from analysis.dolce.cover import cover_probability

RIGHT, WRONG, DECLINED = 0, 1, 2  # of the last axis
PASSES = 10
FLOOR = 1e-300
TIE = 1e-6
BATCH = 64  # problems at a time: what is held is about 5 MB a problem of 60 candidates and 12 lengths at most


@dataclass(frozen=True)
class Options:
    """passes: of EM. hybrid: short samples have a free oracle; else they are declined. free_one: that oracle may be
    right (the published numbers do not decide). noise: held at (b1, b0, bI), or one a pass; None to fit it.
    equal_lengths: every observed length weighs the same, not every sample (appendix L)."""

    passes: int = PASSES
    hybrid: bool = True
    free_one: bool = False
    noise: Sequence[Sequence[float]] | Sequence[float] | None = None
    equal_lengths: bool = False

    def held(self, step: int) -> Floats | None:
        """The noise that is held in a pass, None where it is fitted. Raises ValueError."""
        if self.noise is None:
            return None
        given = np.asarray(self.noise, dtype=np.float64)
        now = given if given.ndim == 1 else given[min(step, len(given) - 1)]
        if now.shape != (3,) or not np.isfinite(now).all() or (now < 0).any() or abs(now.sum() - 1) > 1e-6:
            raise ValueError(f"noise must be three probabilities that sum to 1, not {given.tolist()}")
        return np.asarray(now / now.sum())


@dataclass(frozen=True)
class Counts:
    """Outcomes of a task's problems. units: C of each [problems]. lengths: l of each column [problems, lengths], 0 to C;
    counts: [problems, lengths, 3], zeros where a problem was not observed so."""

    units: Ints
    lengths: Ints
    counts: Floats

    def __post_init__(self) -> None:
        shape = (len(self.units), self.lengths.shape[1], 3)
        if self.counts.shape != shape or self.lengths.shape != shape[:2]:
            raise ValueError(f"counts have the shape {self.counts.shape}, not {shape}")
        if not np.isfinite(self.counts).all() or (self.counts < 0).any():
            raise ValueError("counts must be finite and not negative")
        if (self.counts.sum(axis=(1, 2)) == 0).any():
            raise ValueError(f"problem {int(np.argmin(self.counts.sum(axis=(1, 2))))} has no observation")


@dataclass(frozen=True)
class Fitted:
    """What was fitted, of each problem at its best pair. complexity, redundancy, weight, likelihood: [problems];
    short: the hybrid oracle [problems, 3]; noise: [3]. likelihoods: [problems, candidates], -inf where a pair cannot be.
    """

    complexity: Ints
    redundancy: Ints
    weight: Floats
    short: Floats
    noise: Floats
    likelihoods: Floats
    tried: Candidates

    @property
    def likelihood(self) -> Floats:
        """Of the best pair of each problem."""
        return np.asarray(self.likelihoods.max(axis=1))


def fit(data: Counts, options: Options | None = None) -> Fitted:
    """lambda, k and weight of each problem, and the noise that they share.

    The noise of a pass depends on all problems, so each pass goes over them in batches; memory does not grow with the
    task beyond its posteriors. Raises ValueError.
    """
    options = options or Options()
    if options.equal_lengths:
        data = replace(data, counts=_equal(data.counts))
    tracks = [_Track(_part(data, begin), options) for begin in range(0, len(data.units), BATCH)]
    if not tracks:
        raise ValueError("there is no problem")
    totals = data.counts.sum(axis=(0, 1))
    noise = totals / totals.sum()
    for step in range(options.passes):
        held = options.held(step)
        if held is not None:
            noise = held
        elif step:
            left = np.sum([track.noise_mass() for track in tracks], axis=0)
            noise = left / left.sum() if left.sum() > 0 else noise
        for track in tracks:
            track.go(noise)
    found = [track.best() for track in tracks]
    columns = max(track.likelihoods.shape[1] for track in tracks)
    complexity, redundancy, weight, short = (np.concatenate(rows) for rows in zip(*found, strict=True))
    likelihoods = np.concatenate([_wide(track.likelihoods, columns) for track in tracks])
    return Fitted(
        complexity, redundancy, weight, short, noise, likelihoods, candidates([int(one) for one in data.units], COW)
    )


class _Track:
    """EM of a batch of problems: one track a candidate, all at once."""

    def __init__(self, data: Counts, options: Options) -> None:
        self._counts = data.counts[:, None]  # [I, 1, L, 3]
        self._total = data.counts.sum(axis=(1, 2))[:, None]
        self.tried = candidates([int(one) for one in data.units], COW)
        complexity, redundancy = (one[:, :, None] for one in (self.tried.complexity, self.tried.redundancy))
        lengths = data.lengths[:, None, :]
        covered = cover_probability(lengths, complexity, redundancy, data.units[:, None, None])
        self._short = (lengths < complexity)[..., None]  # [I, Q, L, 1]
        self._whole = np.stack([covered, np.zeros_like(covered), 1.0 - covered], axis=-1)
        self._posterior = np.full(self._whole.shape, 0.5)
        self._options = options
        self.likelihoods = np.zeros(covered.shape[:2])
        self._hybrid = np.zeros((*covered.shape[:2], 3))
        self._weight = np.zeros(covered.shape[:2])

    def go(self, noise: Floats) -> None:
        """One pass."""
        mass = self._counts * self._posterior
        self._weight = mass.sum(axis=(2, 3)) / self._total
        self._hybrid = self._fitted_hybrid(mass)
        oracle = np.where(self._short, self._hybrid[:, :, None, :], self._whole)
        own = self._weight[:, :, None, None] * oracle
        both = own + (1.0 - self._weight)[:, :, None, None] * noise
        self._posterior = own / np.maximum(both, FLOOR)
        likelihoods = (self._counts * np.log(np.maximum(both, FLOOR))).sum(axis=(2, 3))
        self.likelihoods = np.where(self.tried.allowed, likelihoods, -np.inf)

    def _fitted_hybrid(self, mass: Floats) -> Floats:
        """(h1, h0, hI) of each track, from its samples with l < lambda; (0, 1/2, 1/2) without any."""
        if not self._options.hybrid:
            return np.broadcast_to(np.array([0.0, 0.0, 1.0]), self._hybrid.shape)
        found = (mass * self._short).sum(axis=2)
        if not self._options.free_one:
            found[..., RIGHT] = 0.0
        total = found.sum(axis=-1, keepdims=True)
        return np.where(total > 0, found / np.maximum(total, FLOOR), np.array([0.0, 0.5, 0.5]))

    def noise_mass(self) -> Floats:
        """Expected outcomes of the noise at the best pairs: [3]."""
        best = self._best()
        posterior = self._posterior[np.arange(len(best)), best]
        return np.asarray((self._counts[:, 0] * (1.0 - posterior)).sum(axis=(0, 1)))

    def best(self) -> tuple[Ints, Ints, Floats, Floats]:
        """(lambda, k, w, hybrid oracle) of each problem."""
        place = (np.arange(len(self.likelihoods)), self._best())
        return (
            self.tried.complexity[place],
            self.tried.redundancy[place],
            self._weight[place],
            self._hybrid[place],
        )

    def _best(self) -> Ints:
        return best_of(self.likelihoods, self.tried)


def best_of(likelihoods: Floats, tried: Candidates) -> Ints:
    """The likeliest candidate of each problem; of equally likely ones (to 1e-6) that of the larger lambda, then the
    smaller k."""
    near = likelihoods >= likelihoods.max(axis=1, keepdims=True) - TIE
    infinite = np.iinfo(np.int64).max // 4
    complexity = np.where(tried.complexity < 0, infinite, tried.complexity)
    largest = np.where(near, complexity, -1)
    chosen = near & (largest == largest.max(axis=1, keepdims=True))
    return np.asarray(np.where(chosen, tried.redundancy, infinite).argmin(axis=1))


def _equal(counts: Floats) -> Floats:
    """The same number of samples in all, spread evenly over the lengths that were observed."""
    at = counts.sum(axis=2, keepdims=True)
    lengths = (at > 0).sum(axis=1, keepdims=True)
    each = counts.sum(axis=(1, 2), keepdims=True) / lengths
    return np.asarray(np.where(at > 0, counts / np.maximum(at, FLOOR), 0.0) * each)


def _part(data: Counts, begin: int) -> Counts:
    some = slice(begin, begin + BATCH)
    return Counts(data.units[some], data.lengths[some], data.counts[some])


def _wide(rows: Floats, columns: int) -> Floats:
    return np.pad(rows, ((0, 0), (0, columns - rows.shape[1])), constant_values=-np.inf)
