"""How probable each category of a PIG problem is, whatever lambda and k are. Beyond the paper.

As for COW (posterior.py), with the likelihood of pig.py: integrated over the weight, of each length or of the problem
as the fit takes it. Scores may come in steps of 1 / lambda or between them, and nobody knows which: each prior counts
with both oracles, and the task's problems tell how much. Windows of a problem overlap, and all of them see one
placement: its log-likelihoods are divided by how many windows see the same unit (`overlap`) and by SHARED. That was
chosen on simulated tasks; docs/dolce.md has the shares that are right on others.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from analysis.dolce.candidates import PIG
from analysis.dolce.categories import CATEGORIES, Thresholds
from analysis.dolce.certainty import overlap
from analysis.dolce.combinatorics import Floats, Ints, log_mean
from analysis.dolce.pig import ATOMS, BINS, FLOOR, INTERPOLATED, WEIGHTS, Binned, Options, aspects_of, bins
from analysis.dolce.posterior import PRIORS, cells

ORACLES = (ATOMS, INTERPOLATED)
SHARED = 1.75
CELLS = 2_000_000  # of a table
COMPONENTS = PRIORS * len(ORACLES)


def evidence(data: Binned, limits: Thresholds, options: Options) -> Floats:
    """Of problems, for `mixed`: [problems, COMPONENTS, categories]."""
    samples = data.counts.sum(axis=2)
    times = SHARED * overlap(data.units, data.lengths, samples)
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
    totals = [np.zeros((many, len(WEIGHTS) if options.one_weight else 1)) for _ in ORACLES]
    step = max(1, CELLS // (many * len(WEIGHTS) * BINS))
    for begin in range(0, len(lengths), step):
        part = slice(begin, begin + step)
        for total, table in zip(totals, _tables(units, tuple(lengths[part].tolist()), limits), strict=True):
            each = np.einsum("lb,qlwb->qlw", counts[part], table, optimize=True)
            total += each.sum(axis=1) if options.one_weight else log_mean(each).sum(axis=1)[:, None]
    return [log_mean(total) for total in totals]


@lru_cache(maxsize=2)
def _tables(units: int, lengths: tuple[int, ...], limits: Thresholds) -> tuple[Floats, ...]:
    """log of the probability of each bin, by oracle: [cells, lengths, weights, BINS]."""
    known = cells(units, limits, PIG)
    found = [np.empty((len(known.complexity), len(lengths), len(WEIGHTS), BINS)) for _ in ORACLES]
    for place, (complexity, redundancy) in enumerate(
        zip(known.complexity.tolist(), known.redundancy.tolist(), strict=True)
    ):
        aspects, sure = aspects_of(units, lengths, complexity, redundancy)
        for table, oracle in zip(found, ORACLES, strict=True):
            table[place] = np.log(np.maximum(bins(aspects, ATOMS if sure else oracle), FLOOR))
    return tuple(found)
