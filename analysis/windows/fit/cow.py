"""The correct-or-wrong model (COW) and its EM with a hybrid oracle. Dolce, section 3 (fact sheet 4).

An answer on a span is right (1), wrong (0) or declined (IDK). With the problem's weight w the oracle gives it, else the
task's noise b:

    P(x) = w O(x) + (1 - w) b(x)
    O    = (pi, 0, 1 - pi)      if l >= lambda
           (h1, h0, hI)         if l < lambda: free, fitted to the problem's shorter samples; h1 = 0 by default

Every candidate (lambda, k) has its own track through ten passes; the noise follows the best ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scrollwork.analysis.windows.fit.candidates import COW, Candidates, best_of, candidates, pairs
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints
from scrollwork.analysis.windows.fit.cover import cover_probability

RIGHT, WRONG, DECLINED = 0, 1, 2  # indices of the last axis
PASSES = 10
FLOOR = 1e-300
BATCH = 64  # problems at a time, fewer if they have many candidates or lengths
CELLS = 500_000  # of one array of a batch, [problems, candidates, lengths, 3], unless a single problem has more
KEPT = 10_000_000  # of arrays that are kept between passes (two of 80 MB); those of further problems are computed again


@dataclass(frozen=True)
class Options:
    """Options of the fit. passes: of EM. hybrid: short samples have a free oracle; else they are declined.

    free_one: that oracle may be right (the published numbers do not decide). noise: held at (b1, b0, bI), or one per
    pass; None to fit it. equal_lengths: every observed length weighs the same, not every sample (appendix L: named
    there without a formula). start: the noise of the first pass; None for that of all answers.
    """

    passes: int = PASSES
    hybrid: bool = True
    free_one: bool = False
    noise: Sequence[Sequence[float]] | Sequence[float] | None = None
    equal_lengths: bool = False
    start: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if self.passes < 1:
            raise ValueError("EM needs at least one pass")
        self.held(0)
        if self.start is not None:
            _noise(self.start)

    def held(self, step: int) -> Floats | None:
        """Return the noise that is held in a pass, None if it is fitted. Raises ValueError."""
        if self.noise is None:
            return None
        given = np.asarray(self.noise, dtype=np.float64)
        return _noise(given if given.ndim < 2 or not len(given) else given[min(step, len(given) - 1)])


def _noise(given: Sequence[float] | Floats) -> Floats:
    """Return (b1, b0, bI), scaled to sum to 1. Raises ValueError."""
    now = np.asarray(given, dtype=np.float64)
    if now.shape != (3,) or not np.isfinite(now).all() or (now < 0).any() or abs(now.sum() - 1) > 1e-6:
        raise ValueError(f"noise must be three probabilities that sum to 1, not {now.tolist()}")
    return np.asarray(now / now.sum())


@dataclass(frozen=True)
class Counts:
    """Outcomes of a task's problems. units: C of each, [problems].

    lengths: l of each column, [problems, lengths], 0 to C, all different among those at which a problem was observed.
    counts: [problems, lengths, 3], zeros where it was not observed.
    """

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
    """The fit of each problem at its best pair. complexity, redundancy, weight: [problems].

    short: the hybrid oracle, [problems, 3]. noise: [3]. likelihoods: log, [problems, candidates], -inf for impossible
    pairs. tried: the candidates.
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
        """Return the log-likelihood of each problem's best pair, [problems]."""
        return np.asarray(self.likelihoods.max(axis=1))


def fit(data: Counts | Sequence[Counts], options: Options | None = None) -> Fitted:
    """Fit lambda, k and weight of each problem, and the noise that they share. Raises ValueError.

    data: in one piece, or in several, so that a problem of many lengths does not make the others' arrays as wide. The
    noise of a pass depends on all problems, so each pass goes over them in batches. Between passes a problem is only
    its weights and hybrid oracles; of tables and posteriors, which are larger, a bounded part is kept.
    """
    options = options or Options()
    pieces = [data] if isinstance(data, Counts) else data
    if not sum(len(piece.units) for piece in pieces):
        raise ValueError("there is no problem")
    if options.equal_lengths:
        pieces = [replace(piece, counts=equal_samples(piece.counts)) for piece in pieces]
    tracks = list(_tracks(pieces, options))
    totals = np.sum([piece.counts.sum(axis=(0, 1)) for piece in pieces], axis=0)
    noise = totals / totals.sum() if options.start is None else _noise(options.start)
    mass = np.zeros(3)
    for step in range(options.passes):
        held = options.held(step)
        if held is not None:
            noise = held
        elif step and mass.sum() > 0:  # else every sample is the oracle's, and the noise stays as it was
            noise = mass / mass.sum()
        mass = np.zeros(3)
        for track in tracks:
            mass += track.go(noise)
    columns = max(track.likelihoods.shape[1] for track in tracks)
    found = [track.best() for track in tracks]
    likelihoods = np.concatenate([wide_rows(track.likelihoods, columns) for track in tracks])
    tried = candidates([int(one) for piece in pieces for one in piece.units], COW)
    return Fitted(
        np.concatenate([one[0] for one in found]),
        np.concatenate([one[1] for one in found]),
        np.concatenate([one[2] for one in found]),
        np.concatenate([one[3] for one in found]),
        noise,
        likelihoods,
        tried,
    )


class _Track:
    """EM of a batch of problems: one track per candidate, all at once."""

    def __init__(self, data: Counts, options: Options, kept: bool) -> None:
        self._data = data
        self._counts = data.counts[:, None]  # [I, 1, L, 3]
        self._total = data.counts.sum(axis=(1, 2))[:, None]
        self.tried = candidates([int(one) for one in data.units], COW)
        shape = self.tried.complexity.shape
        self._short = (data.lengths[:, None, :] < self.tried.complexity[:, :, None])[..., None]  # [I, Q, L, 1]
        self._kept = kept
        self._whole: Floats | None = None
        self._mass: Floats | None = None
        self._options = options
        self._noise: Floats | None = None  # of the last pass; None before the first
        self._weight: Floats = np.zeros(shape)
        self._hybrid: Floats = np.zeros((*shape, 3))
        self.likelihoods: Floats = np.zeros(shape)

    def go(self, noise: Floats) -> Floats:
        """Run one pass; return the noise's expected outcomes at the best pairs after it: [3]."""
        whole = self._oracle() if self._whole is None else self._whole
        if self._mass is not None:
            mass = self._mass
        elif self._noise is None:  # before the first pass
            mass = np.broadcast_to(self._counts * 0.5, whole.shape)
        else:
            own, both = self._mixed(whole, self._noise)
            mass = self._counts * (own / both)
        self._weight = mass.sum(axis=(2, 3)) / self._total
        self._hybrid = self._fitted_hybrid(mass)
        self._noise = noise
        own, both = self._mixed(whole, noise)
        likelihoods = (self._counts * np.log(both)).sum(axis=(2, 3))
        self.likelihoods = np.where(self.tried.allowed, likelihoods, -np.inf)
        posterior = own / both
        if self._kept:
            self._whole, self._mass = whole, self._counts * posterior
        rows = np.arange(len(own))
        return np.asarray((self._counts[:, 0] * (1.0 - posterior[rows, self._best()])).sum(axis=(0, 1)))

    def best(self) -> tuple[Ints, Ints, Floats, Floats]:
        """Return (lambda, k, w, hybrid oracle) of each problem."""
        place = (np.arange(len(self.likelihoods)), self._best())
        return (
            self.tried.complexity[place],
            self.tried.redundancy[place],
            self._weight[place],
            self._hybrid[place],
        )

    def _oracle(self) -> Floats:
        """Return its probabilities of outcomes if l >= lambda: [I, Q, L, 3]."""
        pair = (self.tried.complexity[:, :, None], self.tried.redundancy[:, :, None])
        covered = cover_probability(self._data.lengths[:, None, :], *pair, self._data.units[:, None, None])
        return np.stack([covered, np.zeros_like(covered), 1.0 - covered], axis=-1)

    def _mixed(self, whole: Floats, noise: Floats) -> tuple[Floats, Floats]:
        """Return w O and w O + (1 - w) b, the latter at least 1e-300: [I, Q, L, 3] each."""
        weight = self._weight[:, :, None, None]
        own = weight * np.where(self._short, self._hybrid[:, :, None, :], whole)
        return own, np.maximum(own + (1.0 - weight) * noise, FLOOR)

    def _fitted_hybrid(self, mass: Floats) -> Floats:
        """Return (h1, h0, hI) of each track, from its samples with l < lambda; (0, 1/2, 1/2) without any."""
        if not self._options.hybrid:
            return np.broadcast_to(np.array([0.0, 0.0, 1.0]), self._hybrid.shape)
        found = np.where(self._short, mass, 0.0).sum(axis=2)
        if not self._options.free_one:
            found[..., RIGHT] = 0.0
        total = found.sum(axis=-1, keepdims=True)
        return np.where(total > 0, found / np.maximum(total, FLOOR), np.array([0.0, 0.5, 0.5]))

    def _best(self) -> Ints:
        return best_of(self.likelihoods, self.tried)


def _tracks(pieces: Sequence[Counts], options: Options) -> Iterator[_Track]:
    kept = 0
    for piece in pieces:
        for part, cells in batches(piece):
            kept += cells
            yield _Track(part, options, kept <= KEPT)


def batches(data: Counts) -> Iterator[tuple[Counts, int]]:
    """Yield neighbouring problems, without lengths at which none was observed, and the cells of their arrays."""
    observed = data.counts.sum(axis=2) > 0
    wide = np.array([len(pairs(int(one), COW)) for one in data.units])
    begin = 0
    while begin < len(wide):
        end = begin + 1
        columns, most = observed[begin], wide[begin]
        while end < min(len(wide), begin + BATCH):
            columns, most = columns | observed[end], max(most, wide[end])
            if (end + 1 - begin) * most * columns.sum() * 3 > CELLS:
                break
            end += 1
        some = slice(begin, end)
        columns = observed[some].any(axis=0)
        part = Counts(data.units[some], data.lengths[some][:, columns], data.counts[some][:, columns])
        yield part, int((end - begin) * wide[some].max() * columns.sum()) * 3
        begin = end


def equal_samples(counts: Floats) -> Floats:
    """Return as many samples in all, spread evenly over the lengths that were observed."""
    at = counts.sum(axis=2, keepdims=True)
    lengths = (at > 0).sum(axis=1, keepdims=True)
    each = counts.sum(axis=(1, 2), keepdims=True) / lengths
    return np.asarray(np.where(at > 0, counts / np.maximum(at, FLOOR), 0.0) * each)


def wide_rows(rows: Floats, columns: int) -> Floats:
    """Pad rows with -inf to so many columns."""
    return np.pad(rows, ((0, 0), (0, columns - rows.shape[1])), constant_values=-np.inf)
