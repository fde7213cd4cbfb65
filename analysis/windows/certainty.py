"""How sure a category is. Beyond the paper, which prints one pair for each problem.

COW: fit/posterior.py; PIG: fit/posterior_pig.py. COW with another oracle or mixture: profile likelihood, in which a
category is as likely as its likeliest pair, all categories being equally likely before anything is observed; so
probabilities are exp(LL of the best pair in it), scaled to sum to 1. Windows that cannot distinguish two categories
give them the same probability. Windows of a problem overlap and see the same evidence, but likelihoods take them for
independent; so log-likelihoods are divided by how many windows see the same unit (`overlap`). docs/dolce.md tells how
often probabilities are right in simulations.

Shares of a task: problems are drawn with replacement, each with a category from its probabilities; the interval holds
95 % of 2,000 such draws. This is the same as drawing categories by the mean probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds, categories
from scrollwork.analysis.windows.fit.candidates import TIE, Candidates
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints

DECIDED = 0.8  # probability from which a problem's category is taken as known
DRAWS = 2000
LEVEL = 95.0


@dataclass(frozen=True)
class Certainty:
    """Categories and how sure they are. probabilities: [problems, categories], rows sum to 1.

    category: that of the best pair (`of_best_pair`), or the likeliest, of exactly equal ones that of the best pair
    (`is_certain`). undecided: [problems], whether the category's probability is below DECIDED.
    """

    probabilities: Floats
    category: Ints
    undecided: np.ndarray[tuple[int], np.dtype[np.bool_]]


def overlap(units: Ints, lengths: Ints, windows: Floats) -> Floats:
    """Return the number of windows of a problem for each independent one: [problems], at least 1.

    n windows of l units show each of C units n l / C times; if that is more than once, they count for C / l. lengths,
    windows: [problems, lengths], 0 windows at a length that was not observed.
    """
    times = np.maximum(1.0, windows * lengths / units[:, None])
    return np.asarray(windows.sum(axis=1) / (windows / times).sum(axis=1))


def certainty(
    likelihoods: Floats, tried: Candidates, best: Ints, limits: Thresholds, times: Floats | float = 1.0
) -> Certainty:
    """Return categories by profile likelihood, and how sure they are.

    likelihoods: log, [problems, candidates]. best: the category of each problem's best pair. times: from `overlap`.
    """
    profile = of_categories(likelihoods, tried, limits)
    odds = np.exp((profile - profile.max(axis=1, keepdims=True)) / np.reshape(times, (-1, 1)))
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    return is_certain(probabilities, best)


def of_categories(likelihoods: Floats, tried: Candidates, limits: Thresholds) -> Floats:
    """Return the log-likelihood of the likeliest pair in each category: [problems, categories].

    What is within TIE of the highest is made equal to it, as for pairs; else rounding would decide.
    """
    of_pair = categories(tried.complexity, tried.redundancy, limits)
    profile = np.stack(
        [np.where(of_pair == one, likelihoods, -np.inf).max(axis=1) for one in range(len(CATEGORIES))], axis=1
    )
    top = profile.max(axis=1, keepdims=True)
    return np.asarray(np.where(profile >= top - TIE, top, profile))


def is_certain(probabilities: Floats, best: Ints) -> Certainty:
    """Take the likeliest category, of equal ones that of the best pair. best: as for `certainty`."""
    highest = probabilities.max(axis=1)
    ties = probabilities[np.arange(len(best)), best] == highest
    return Certainty(probabilities, np.where(ties, best, probabilities.argmax(axis=1)), highest < DECIDED)


def of_best_pair(probabilities: Floats, best: Ints) -> Certainty:
    """Take the category of the best pair, however probable it is. best: as for `certainty`."""
    return Certainty(probabilities, best, probabilities[np.arange(len(best)), best] < DECIDED)


def share_intervals(probabilities: Floats, seed: int = 0) -> Floats:
    """Return [categories, (low, high)] of the shares of a task. Raises ValueError if there are no problems."""
    problems = len(probabilities)
    if not problems:
        raise ValueError("there is no problem")
    random = np.random.Generator(np.random.PCG64(seed))
    mean = probabilities.mean(axis=0)
    found = random.multinomial(problems, mean / mean.sum(), size=DRAWS) / problems
    tail = (100.0 - LEVEL) / 2
    return np.asarray(np.percentile(found, [tail, 100.0 - tail], axis=0).T)
