"""COW with a multiplicative mixture, which appendix L of Dolce names; its formula is lost (fact sheet 11, open).

The natural reading, and ours: oracle and noise are multiplied with their weights as exponents, instead of added,

    P(x) = O(x)^w b(x)^(1 - w) / Z      Z: the sum over right, wrong, declined

with O and b at least FLOOR, since a single 0 would rule out an outcome whatever the other says. O is as in cow.py; if l
< lambda it has the frequencies of the problem's own short windows, none of them right. The noise is that of the
additive fit, or held. The weight of a pair is the likeliest of .05, .10, ..., 1, of equals the smallest: an exponent
has no posterior by which EM could move it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scrollwork.analysis.windows.fit import cow
from scrollwork.analysis.windows.fit.candidates import COW, TIE, best_of, candidates
from scrollwork.analysis.windows.fit.combinatorics import Floats
from scrollwork.analysis.windows.fit.cover import cover_probability

FLOOR = 1e-4  # as for the bins of PIG
WEIGHTS = np.arange(1, 21) / 20


def fit(pieces: Sequence[cow.Counts], options: cow.Options | None = None) -> cow.Fitted:
    """Fit lambda, k and weight of each problem. Raises ValueError."""
    options = options or cow.Options()
    noise = cow.fit(pieces, options).noise
    if options.equal_lengths:
        pieces = [replace(piece, counts=cow.equal_samples(piece.counts)) for piece in pieces]
    found = [_fitted(part, noise, options) for piece in pieces for part, _ in cow.batches(piece)]
    columns = max(one.likelihoods.shape[1] for one in found)
    return cow.Fitted(
        np.concatenate([one.complexity for one in found]),
        np.concatenate([one.redundancy for one in found]),
        np.concatenate([one.weight for one in found]),
        np.concatenate([one.short for one in found]),
        noise,
        np.concatenate([cow.wide_rows(one.likelihoods, columns) for one in found]),
        candidates([int(one) for piece in pieces for one in piece.units], COW),
    )


def _fitted(data: cow.Counts, noise: Floats, options: cow.Options) -> cow.Fitted:
    """Fit a batch of problems."""
    tried = candidates(data.units.tolist(), COW)
    below = data.lengths[:, None, :] < tried.complexity[:, :, None]  # [I, Q, L]
    short = _short(np.einsum("iql,ilx->iqx", below.astype(np.float64), data.counts), options)
    span, copies = tried.complexity[:, :, None], tried.redundancy[:, :, None]
    covered = cover_probability(data.lengths[:, None, :], span, copies, data.units[:, None, None])
    whole = np.stack([covered, np.zeros_like(covered), 1.0 - covered], axis=-1)
    oracle = np.where(below[..., None], short[:, :, None, :], whole)
    best = np.full(tried.complexity.shape, -np.inf)
    weights = np.zeros(best.shape)
    for weight in WEIGHTS:
        likelihoods = (data.counts[:, None] * np.log(mix_with_noise(oracle, noise, float(weight)))).sum(axis=(2, 3))
        better = likelihoods > best + TIE
        best, weights = np.where(better, likelihoods, best), np.where(better, weight, weights)
    best = np.where(tried.allowed, best, -np.inf)
    place = (np.arange(len(best)), best_of(best, tried))
    pairs = (tried.complexity[place], tried.redundancy[place])
    return cow.Fitted(*pairs, weights[place], short[place], noise, best, tried)


def _short(counts: Floats, options: cow.Options) -> Floats:
    """Return frequencies of outcomes of short windows, [I, Q, 3]; (0, 1/2, 1/2) without any."""
    if not options.hybrid:
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), counts.shape)
    found = counts.copy()
    if not options.free_one:
        found[..., cow.RIGHT] = 0.0
    total = found.sum(axis=-1, keepdims=True)
    return np.where(total > 0, found / np.where(total > 0, total, 1.0), np.array([0.0, 0.5, 0.5]))


def mix_with_noise(oracle: Floats, noise: Floats, weight: float) -> Floats:
    """Return P(x) along the last axis, which sums to 1, from an oracle along the last axis."""
    logs = weight * np.log(np.maximum(oracle, FLOOR)) + (1.0 - weight) * np.log(np.maximum(noise, FLOOR))
    found = np.exp(logs)
    return np.asarray(found / found.sum(axis=-1, keepdims=True))
