"""Ranks of models over several data sets, and how much their scores vary from run to run (SEAM, section 4).

AR, average rank: the mean of a model's ranks. ARSD: the mean of its relative standard deviations, a fraction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from scrollwork.analysis.runs.scores import RunScores, ScoreTable
from scrollwork.analysis.statistics.average_ranks import average_ranks


@dataclass(frozen=True)
class Standing:
    """A model over all data sets.

    ranks: from 1, by data set; equal means share the mean of their places, and models without a score that of the last
    places. relative_stds: of the data sets that count in arsd: those with a mean above 0. arsd: None without any.
    """

    model: str
    ranks: Mapping[str, float]
    ar: float
    relative_stds: Mapping[str, float]
    arsd: float | None


def dataset_ranks(column: Mapping[str, RunScores]) -> dict[str, float]:
    """Rank the models on one data set by unrounded mean."""
    return dict(zip(column, average_ranks([scores.exact_mean for scores in column.values()]), strict=True))


def standings(table: ScoreTable) -> list[Standing]:
    """List every model, the lowest AR first, ties by name."""
    by_dataset = {dataset: dataset_ranks(table.column(dataset)) for dataset in table.datasets}
    found = []
    for model in table.models:
        ranks = {dataset: by_dataset[dataset][model] for dataset in table.datasets}
        relative = {dataset: scores.relative_std for dataset, scores in table.row(model).items()}
        counted = {dataset: value for dataset, value in relative.items() if value is not None}
        found.append(Standing(model, ranks, fsum(ranks.values()) / len(ranks), counted, mean_of(counted)))
    return sorted(found, key=lambda standing: (standing.ar, standing.model))


def dataset_arsd(table: ScoreTable) -> dict[str, float | None]:
    """Average the relative standard deviation over models, by data set; None if no model has one."""
    rows = standings(table)
    return {
        dataset: mean_of({row.model: row.relative_stds[dataset] for row in rows if dataset in row.relative_stds})
        for dataset in table.datasets
    }


def mean_of(values: Mapping[str, float]) -> float | None:
    """Return the mean; None without values."""
    return fsum(values.values()) / len(values) if values else None


def in_order(column: Mapping[str, RunScores]) -> list[str]:
    """List the models with a score on a data set, the highest mean first, ties by name."""
    means = {model: scores.exact_mean for model, scores in column.items()}
    known = {model: mean for model, mean in means.items() if mean is not None}
    return sorted(known, key=lambda model: (-known[model], model))
