"""How probable each category of a PIG problem is, whatever lambda and k are. Beyond the paper.

As for COW (posterior.py), with the likelihood of pig.py: integrated over the weight, of each length or of the problem
as the fit takes it. Scores may come in steps of 1 / lambda or between them, and nobody knows which: each prior counts
with both oracles, and the task's problems tell how much. All windows of a problem see one placement of the aspects, in
which they cover more or fewer than the mean over all placements; the likelihood is integrated over that (`placed`).
Windows overlap beyond it: log-likelihoods are divided by how many windows see the same unit (`overlap`) and by SHARED,
chosen on simulated tasks; docs/dolce.md has the shares that are right on others.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from analysis.dolce.candidates import PIG
from analysis.dolce.categories import CATEGORIES, Thresholds
from analysis.dolce.certainty import overlap
from analysis.dolce.combinatorics import Floats, Ints, log_mean
from analysis.dolce.cover import cover_probability
from analysis.dolce.cow import equal
from analysis.dolce.pig import ATOMS, BINS, FLOOR, INTERPOLATED, WEIGHTS, Binned, Options, aspects_of, bins
from analysis.dolce.posterior import PRIORS, cells, deviates, spread

ORACLES = (ATOMS, INTERPOLATED)
SHARED = 1.75
DEVIATES, CHANCES = deviates(4)  # of the aspects that the windows of a placement cover
WIDEST = 1.25  # deviation of the log of the odds that an aspect is covered
LEAST = 1e-12  # variance of the number of aspects
CELLS = 4_000_000  # of a table
TERMS = 300  # aspects up to which tables are sums of terms that are kept: 1 MB each
COMPONENTS = PRIORS * len(ORACLES)


def evidence(data: Binned, limits: Thresholds, options: Options) -> Floats:
    """Of problems, for `mixed`: [problems, COMPONENTS, categories]."""
    samples = data.counts.sum(axis=2)
    times = SHARED * overlap(data.units, data.lengths, samples)
    if options.equal_lengths:
        data = replace(data, counts=equal(data.counts))
    found = np.empty((len(data.units), len(ORACLES), PRIORS, len(CATEGORIES)))
    for place, units in enumerate(data.units.tolist()):
        of = np.argsort(data.lengths[place], kind="stable")
        of = of[samples[place, of] > 0]
        prior = cells(units, limits, PIG).prior
        likelihoods = _likelihoods(
            units, data.lengths[place, of], data.counts[place, of] / times[place], limits, options
        )
        top = max(float(one.max()) for one in likelihoods)
        found[place] = [prior @ np.exp(one - top) for one in likelihoods]
    return found.reshape(len(found), COMPONENTS, len(CATEGORIES))


def _likelihoods(units: int, lengths: Ints, counts: Floats, limits: Thresholds, options: Options) -> list[Floats]:
    """log of the probability of a problem's scores in each cell, by oracle: [cells]."""
    many = len(cells(units, limits, PIG).complexity)
    shape = (many, len(DEVIATES), len(WEIGHTS) if options.one_weight else 1)
    totals = [np.zeros(shape) for _ in ORACLES]
    step = max(1, CELLS // (many * len(DEVIATES) * len(WEIGHTS) * BINS))
    for begin in range(0, len(lengths), step):
        part = slice(begin, begin + step)
        for total, table in zip(totals, _tables(units, tuple(lengths[part].tolist()), limits), strict=True):
            each = np.einsum("lb,qplwb->qplw", counts[part], table, optimize=True)
            total += each.sum(axis=2) if options.one_weight else log_mean(each).sum(axis=2)[..., None]
    return [log_mean(log_mean(total), CHANCES) for total in totals]


@lru_cache(maxsize=2)
def _tables(units: int, lengths: tuple[int, ...], limits: Thresholds) -> tuple[Floats, ...]:
    """log of the probability of each bin, by oracle: [cells, placements, lengths, weights, BINS]."""
    known = cells(units, limits, PIG)
    shape = (len(DEVIATES), len(lengths), len(WEIGHTS), BINS)
    found = [np.empty((len(known.complexity), *shape)) for _ in ORACLES]
    for place, (complexity, redundancy) in enumerate(
        zip(known.complexity.tolist(), known.redundancy.tolist(), strict=True)
    ):
        aspects, sure = aspects_of(units, lengths, complexity, redundancy)
        if not sure:
            aspects = placed(aspects, units, np.array(lengths), redundancy).reshape(-1, complexity + 1)
        for table, oracle in zip(found, ORACLES, strict=True):
            of = _bins(aspects, ATOMS if sure else oracle)
            table[place] = np.log(np.maximum(of, FLOOR)).reshape(-1, *shape[1:])
    return tuple(found)


def _bins(aspects: Floats, oracle: str) -> Floats:
    """`bins`, which but for what the interpolated oracle integrates to is a sum over aspects of its terms."""
    most = aspects.shape[1] - 1
    if most > TERMS:
        return bins(aspects, oracle)
    found = np.tensordot(aspects, _terms(most, oracle), axes=1)
    if oracle == INTERPOLATED:
        found /= (1.0 - (aspects[:, 0] + aspects[:, -1]) / 2)[:, None, None]
    return np.asarray(found)


@lru_cache(maxsize=128)
def _terms(most: int, oracle: str) -> Floats:
    """Of one aspect more each, before division: [aspects + 1, weights, BINS]."""
    found = bins(np.eye(most + 1), oracle)
    if oracle == INTERPOLATED:
        found[[0, most]] /= 2.0
    return found


def placed(aspects: Floats, units: int, lengths: Ints, redundancy: int) -> Floats:
    """How many aspects the windows of one placement cover, for placements that deviate by DEVIATES:
    [placements, lengths, lambda + 1], rows sum to 1. aspects: P(m) over all placements, [lengths, lambda + 1].

    Each aspect is covered as by the k copies of COW with lambda 1, independent of the others; so the variance over
    placements of the mean of m is lambda times that (`spread`). P(m) is tilted, exp(theta m), which moves its mean by
    theta times its variance; theta deviates by WIDEST at most.
    """
    m = np.arange(aspects.shape[1])
    mean = aspects @ m
    variance = (aspects * (m - mean[:, None]) ** 2).sum(axis=1)
    covered = cover_probability(lengths, 1, redundancy, units)
    common = np.sqrt(spread(lengths, np.array(1), np.array(redundancy), units, covered) * m[-1])
    theta = DEVIATES[:, None] * np.minimum(common / np.maximum(variance, LEAST), WIDEST)
    with np.errstate(divide="ignore"):
        power = np.log(aspects) + theta[..., None] * m
    tilted = np.exp(power - power.max(axis=2, keepdims=True))
    return np.asarray(tilted / tilted.sum(axis=2, keepdims=True))
