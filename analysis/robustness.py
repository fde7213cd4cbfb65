"""How sure a ranking over runs is: intervals for AR and ARSD, and how often each model is best.

Resampling is that of analysis/resampled_runs.py, intervals are made of it as in analysis/intervals.py, data sets in the
place of tasks and runs in the place of clusters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.dominance import FEWEST
from analysis.intervals import Floats, Resampled, interval
from analysis.ranking import Standing, standings
from analysis.resampled_runs import resampleable, resampled_ranks, resampled_relative_std
from analysis.run_scores import ScoreTable


@dataclass(frozen=True)
class Sureness:
    """A model. ar, arsd: (low, high) of the 95 % intervals; None where a score that counts has no two runs.

    best: share of resamples in which its AR is the lowest, divided among equal ones, so that all models' sum to 1.
    """

    model: str
    ar: tuple[float, float] | None
    arsd: tuple[float, float] | None
    best: float | None


def sureness(table: ScoreTable) -> list[Sureness]:
    """Every model, in the order of `standings`."""
    rows = standings(table)
    if not resampleable(table):
        return [Sureness(row.model, None, arsd_interval(table, row), None) for row in rows]
    ranks = {dataset: resampled_ranks(table, dataset) for dataset in table.datasets}
    best = dict(zip(table.models, shares_of_best(np.mean(list(ranks.values()), axis=0)), strict=True))
    return [
        Sureness(row.model, ar_interval(table, ranks, row.model), arsd_interval(table, row), float(best[row.model]))
        for row in rows
    ]


def ar_interval(table: ScoreTable, ranks: dict[str, Floats], model: str) -> tuple[float, float]:
    """95 %. ranks: of all resamples by data set, shape (RESAMPLES, models) each."""
    place = table.models.index(model)
    return interval([Resampled(found[:, place], fewest_runs(table, dataset)) for dataset, found in ranks.items()])


def arsd_interval(table: ScoreTable, row: Standing) -> tuple[float, float] | None:
    """95 %, over the data sets that count in the model's ARSD. None where one has no two runs, or none counts."""
    counted = {dataset: table.cell(row.model, dataset) for dataset in row.relative_stds}
    if not counted or any(len(scores.runs) < FEWEST for scores in counted.values()):
        return None
    return interval(
        [Resampled(resampled_relative_std(scores, dataset), len(scores.runs)) for dataset, scores in counted.items()]
    )


def fewest_runs(table: ScoreTable, dataset: str) -> int:
    """Of any model that has some on the data set; FEWEST where none has."""
    return min((len(scores.runs) for scores in table.column(dataset).values() if scores.runs), default=FEWEST)


def shares_of_best(ar: Floats) -> Floats:
    """Of each model, shape (models,), from its AR in each resample, shape (resamples, models)."""
    lowest = ar == ar.min(axis=1, keepdims=True)
    shares: Floats = (lowest / lowest.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares
