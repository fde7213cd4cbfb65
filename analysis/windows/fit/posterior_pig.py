"""How probable each category of a PIG problem is, whatever lambda and k are. Beyond the paper.

As for COW (posterior.py), with the likelihood of pig.py: integrated over the weight, of each length or of the problem
as in the fit. Scores may come in steps of 1 / lambda or between them, and nobody knows which: each prior counts with
both oracles, and the task's problems tell how much. All windows of a problem see one placement of the aspects, in which
they cover more or fewer than on average over all placements; the likelihood is integrated over that (`placed_aspects`).
Beyond it a window counts for ALONE, one that overlaps with others for less (SHARED). Both were chosen on simulated
tasks; docs/dolce.md has the shares that are right on others.

If all windows are observed, scores determine the weight and lambda k to a percent. Weights and cells must be as dense
(FINE, PIG_PER_DECADE): between them a wrong lambda fits better than the true one. That costs time, so cells that are
far from the likeliest one (BEHIND), by the fit's weights and the mean over placements, keep that value.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds
from scrollwork.analysis.windows.fit.candidates import PIG
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints, log_mean
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.fit.cow import equal_samples
from scrollwork.analysis.windows.fit.pig import ATOMS, BINS, FLOOR, INTERPOLATED, Binned, Options, aspects_of, bins
from scrollwork.analysis.windows.fit.posterior import (
    PRIORS,
    cells,
    effective_windows,
    normal_deviates,
    placement_variance,
)

ORACLES = (ATOMS, INTERPOLATED)
ALONE, SHARED = 0.5, 0.04  # of `effective_windows`
DEVIATES, CHANCES = normal_deviates(6)  # of the number of aspects that a placement's windows cover
WIDEST = 2.0  # largest deviation of the log odds that an aspect is covered
LEAST = 1e-12  # least variance of the number of aspects
FINE = 40  # steps of the weights
BEHIND = 25.0  # log-likelihood below that of the likeliest cell
TERMS = 200  # aspects up to which tables are sums of kept terms, of 1.2 MB at most
COMPONENTS = PRIORS * len(ORACLES)


def evidence(data: Binned, limits: Thresholds, options: Options) -> Floats:
    """Return the evidence of problems for `mixed_posterior`: [problems, COMPONENTS, categories]."""
    samples = data.counts.sum(axis=2)
    if options.equal_lengths:
        data = replace(data, counts=equal_samples(data.counts))
    found = np.empty((len(data.units), len(ORACLES), PRIORS, len(CATEGORIES)))
    for place, units in enumerate(data.units.tolist()):
        of = np.argsort(data.lengths[place], kind="stable")
        of = of[samples[place, of] > 0]
        lengths = data.lengths[place, of]
        each = effective_windows(units, lengths, samples[place, of], ALONE, SHARED)
        likelihoods = _likelihoods(units, lengths, data.counts[place, of] * each[:, None], limits, options)
        found[place] = [cells(units, limits, PIG).prior @ one for one in np.exp(likelihoods - likelihoods.max())]
    return found.reshape(len(found), COMPONENTS, len(CATEGORIES))


def _likelihoods(units: int, lengths: Ints, counts: Floats, limits: Thresholds, options: Options) -> Floats:
    """Return the log of the probability of a problem's scores in each cell: [oracles, cells]."""
    known = cells(units, limits, PIG)
    pairs = list(zip(known.complexity.tolist(), known.redundancy.tolist(), strict=True))
    of = partial(aspects_of, units, tuple(lengths.tolist()))
    found = np.array([_weighed(*of(*pair), 20, counts, options) for pair in pairs]).T
    for cell in np.flatnonzero((found >= found.max() - BEHIND).any(axis=0)).tolist():
        aspects, sure = of(*pairs[cell])
        if not sure:
            aspects = placed_aspects(aspects, units, lengths, pairs[cell][1])
        found[:, cell] = _weighed(aspects, sure, FINE, counts, options)
    return found


def _weighed(aspects: Floats, sure: bool, steps: int, counts: Floats, options: Options) -> Floats:
    """Return the log of the mean likelihood over weights and placements: [oracles].

    aspects: P(m), [lengths, lambda + 1], or that of each placement.
    """
    rows = aspects.reshape(-1, aspects.shape[-1])
    found = []
    for oracle in ORACLES:
        table = _bins(rows, ATOMS if sure else oracle, steps).reshape(-1, len(counts), steps - 1, BINS)
        each = np.matmul(np.log(np.maximum(table, FLOOR)), counts[:, :, None])[..., 0]  # [placements, lengths, weights]
        total = log_mean(each.sum(axis=1)) if options.one_weight else log_mean(each).sum(axis=1)
        found.append(log_mean(total, CHANCES) if len(total) > 1 else total[0])
    return np.array(found)


def _bins(aspects: Floats, oracle: str, steps: int) -> Floats:
    """Return what `bins` does; for few aspects, as a sum of kept terms, over the interpolated oracle's integral."""
    most = aspects.shape[1] - 1
    if most > TERMS:
        return bins(aspects, oracle, _weights(steps))
    found = np.tensordot(aspects, _terms(most, oracle, steps), axes=1)
    if oracle == INTERPOLATED:
        found /= (1.0 - (aspects[:, 0] + aspects[:, -1]) / 2)[:, None, None]
    return np.asarray(found)


@lru_cache(maxsize=256)
def _terms(most: int, oracle: str, steps: int) -> Floats:
    """Return the terms of each number of aspects, before that division: [aspects + 1, weights, BINS]."""
    found = bins(np.eye(most + 1), oracle, _weights(steps))
    if oracle == INTERPOLATED:
        found[[0, most]] /= 2.0
    return found


def _weights(steps: int) -> Floats:
    """Return 1 / steps, 2 / steps, .. below 1."""
    return np.arange(1, steps) / steps


def placed_aspects(aspects: Floats, units: int, lengths: Ints, redundancy: int) -> Floats:
    """Return P(m) of the windows of one placement, for placements that deviate by DEVIATES.

    [placements, lengths, lambda + 1], rows sum to 1. aspects: P(m) over all placements, [lengths, lambda + 1].

    Each aspect is covered as by the k copies of COW with lambda 1, independently of the others; so the variance over
    placements of the mean of m is lambda times `placement_variance`. P(m) is tilted, exp(theta m), which moves its mean
    by theta times its variance; theta deviates by at most WIDEST.
    """
    m = np.arange(aspects.shape[1])
    mean = aspects @ m
    variance = (aspects * (m - mean[:, None]) ** 2).sum(axis=1)
    covered = cover_probability(lengths, 1, redundancy, units)
    common = np.sqrt(placement_variance(lengths, np.array(1), np.array(redundancy), units, covered) * m[-1])
    theta = DEVIATES[:, None] * np.minimum(common / np.maximum(variance, LEAST), WIDEST)
    with np.errstate(divide="ignore"):
        power = np.log(aspects) + theta[..., None] * m
    tilted = np.exp(power - power.max(axis=2, keepdims=True))
    return np.asarray(tilted / tilted.sum(axis=2, keepdims=True))
