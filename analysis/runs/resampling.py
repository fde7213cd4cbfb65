"""Runs drawn with replacement: means and ranks in every resample.

A run is one sampling for all models, so models with the same runs on a data set are drawn together, others separately;
data sets are independent. Random numbers are named by data set, runs and how many are drawn: the order of rows and
other models change nothing.
"""

from __future__ import annotations

import numpy as np

from scrollwork.analysis.runs.dominance import FEWEST
from scrollwork.analysis.runs.scores import RunScores, ScoreTable
from scrollwork.analysis.statistics.intervals import RESAMPLES, Floats, generator

DIGITS = 10  # means that agree to so many decimals, in units of the largest score, are ties but for rounding


def resampleable(table: ScoreTable) -> bool:
    """Return whether every score that is not NA has two runs or more."""
    cells = [scores for dataset in table.datasets for scores in table.column(dataset).values()]
    return all(scores.missing or len(scores.runs) >= FEWEST for scores in cells)


def weights(scores: RunScores, dataset: str, drawn: int = 0) -> Floats:
    """Return the weight of each run in each resample, shape (RESAMPLES, runs); rows sum to 1.

    drawn: runs in a resample, 0 for as many as there are.
    """
    runs = sorted(scores.runs)
    drawn = drawn or len(runs)
    random = generator("runs", dataset, ",".join(map(str, runs)), drawn)
    found: Floats = random.multinomial(drawn, np.full(len(runs), 1 / len(runs)), size=RESAMPLES) / drawn
    return found


def resampled_means(table: ScoreTable, dataset: str, drawn: int = 0) -> Floats:
    """Return means in units of the data set's largest score, shape (RESAMPLES, models); minus infinity for NA."""
    column = table.column(dataset)
    largest = max((abs(value) for scores in column.values() for value in scores.values), default=0.0) or 1.0
    known: dict[tuple[int, ...], Floats] = {}
    found = []
    for scores in column.values():
        if scores.missing:
            found.append(np.full(RESAMPLES, -np.inf))
            continue
        runs = tuple(sorted(scores.runs))
        if runs not in known:
            known[runs] = weights(scores, dataset, drawn)
        found.append((known[runs] @ (np.array(scores.values) / largest)).round(DIGITS))
    return np.stack(found, axis=1)


def resampled_ranks(table: ScoreTable, dataset: str, drawn: int = 0) -> Floats:
    """Return ranks as in `average_ranks` (analysis/statistics), shape (RESAMPLES, models)."""
    means = resampled_means(table, dataset, drawn)
    above, alike = np.zeros(means.shape), np.zeros(means.shape)
    for place in range(means.shape[1]):
        above += means[:, [place]] > means
        alike += means[:, [place]] == means
    ranks: Floats = above + (alike + 1) / 2
    return ranks


def resampled_ar(table: ScoreTable, drawn: int = 0) -> Floats:
    """Return AR, shape (RESAMPLES, models)."""
    found: Floats = np.mean([resampled_ranks(table, dataset, drawn) for dataset in table.datasets], axis=0)
    return found
