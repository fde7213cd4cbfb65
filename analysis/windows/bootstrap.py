"""How sure a category is, by redrawing windows: the alternative to fit/posterior.py.

At each length of each problem windows are drawn with replacement and everything is fitted again, with the task's noise
held; the probability of a category is the share of draws that give it. Overlapping windows see the same evidence, so of
n windows of l units no more are drawn than fit side by side, C / l, each counting for more than one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scrollwork.analysis.windows.categories import CATEGORIES, Thresholds
from scrollwork.analysis.windows.certainty import of_categories
from scrollwork.analysis.windows.fit.candidates import Candidates
from scrollwork.analysis.windows.fit.combinatorics import Floats, Ints

CELLS = 1_000_000  # of one array of redrawn counts, unless a single draw has more
Fit = Callable[[Ints, Ints, Floats], tuple[Floats, Candidates]]  # units, lengths, counts -> likelihoods, their pairs


def resample_counts(units: Ints, lengths: Ints, counts: Floats, draws: int, random: np.random.Generator) -> Floats:
    """Return redrawn counts, [draws, problems, lengths, outcomes]; each length keeps its sum.

    counts: [problems, lengths, outcomes]. units: [problems]. lengths: [problems, lengths].
    """
    windows = counts.sum(axis=2)
    apart = np.floor(units[:, None] / np.maximum(lengths, 1))
    drawn = np.minimum(np.maximum(np.round(windows), 1), np.maximum(apart, 1)).astype(np.int64)
    shares = counts / np.where(windows > 0, windows, 1.0)[..., None]
    shares[windows == 0, 0] = 1.0  # these draws are multiplied by 0 in the end
    found = random.multinomial(drawn, shares, size=(draws, *drawn.shape))
    return np.asarray(found * (windows / drawn)[..., None])


def frequencies(
    units: Ints, lengths: Ints, counts: Floats, fit: Fit, limits: Thresholds, draws: int, random: np.random.Generator
) -> Floats:
    """Return the share of draws that give each category, ties divided equally: [problems, categories]."""
    found = np.zeros((len(units), len(CATEGORIES)))
    step = max(1, CELLS // max(1, counts.size))
    for begin in range(0, draws, step):
        some = resample_counts(units, lengths, counts, min(step, draws - begin), random)
        many = len(some)
        fitted = fit(np.tile(units, many), np.tile(lengths, (many, 1)), some.reshape(-1, *counts.shape[1:]))
        profile = of_categories(*fitted, limits)
        best = profile == profile.max(axis=1, keepdims=True)
        found += (best / best.sum(axis=1, keepdims=True)).reshape(many, *found.shape).sum(axis=0)
    return np.asarray(found / draws)
