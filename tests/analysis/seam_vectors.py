"""Run scores of the SEAM fact sheet, section 8.5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.analysis.runs.scores import RunScores, ScoreTable

SAMPLES = {
    "A": (20.1, 20.9, 21.4, 22.0, 21.1, 20.5, 21.8, 22.3, 21.0, 21.6),
    "B": (20.0, 20.6, 21.9, 21.2, 20.8, 21.5, 20.3, 21.0, 22.1, 20.7),
    "C": (19.0, 19.4, 18.8, 19.9, 19.6, 19.1, 19.3, 18.9, 19.7, 19.2),
    "D": (20.3, 21.9, 20.4, 21.7, 20.6, 21.5, 20.2, 21.8, 20.5, 21.6),
}


def scores(values: Sequence[float]) -> RunScores:
    """Runs 0, 1, ..."""
    return RunScores(dict(enumerate(values)))


def table(**datasets: Mapping[str, Sequence[float] | None]) -> ScoreTable:
    """data set = {model: run scores, None for NA}."""
    return ScoreTable.of(
        {
            (model, dataset): scores(values or ())
            for dataset, models in datasets.items()
            for model, values in models.items()
        }
    )
