"""SEAM's ranking of any run scores: `sw.seam.rank`. docs/seam.md says what the numbers mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scrollwork.analysis.runs.ranking import standings
from scrollwork.analysis.runs.score_rows import ScoreRowError, read_run_scores
from scrollwork.frames import polars, rows_of
from scrollwork.library.calls import of_library
from scrollwork.pipeline.errors import UsageError


@of_library()
def rank(scores: polars.DataFrame | polars.LazyFrame | Iterable[Mapping[str, Any]]) -> polars.DataFrame:
    """Rank models over data sets by the scores of their runs, as `scrollwork seam rank`.

    scores: a frame or rows with {model, dataset, run, score}, or {model, dataset, mean, std}; null: no score. Other
    columns are ignored.

    Returns a row for each model, the best first: model, ar (mean rank), arsd (mean of std / mean, a fraction; null
    without any), and for each data set rank_NAME, mean_NAME, std_NAME and runs_NAME, how many runs have a score (null
    where a mean was given). Raises UsageError naming the row, from 1, and the field.
    """
    try:
        table = read_run_scores(rows_of(scores)).table
    except ScoreRowError as error:
        raise UsageError(f"scores, {str(error).replace('line', 'row', 1)}") from error
    rows = []
    for standing in standings(table):
        row: dict[str, Any] = {"model": standing.model, "ar": standing.ar, "arsd": standing.arsd}
        for dataset, found in table.row(standing.model).items():
            runs = None if found.given is not None else len(found.values)
            own = {"rank": standing.ranks[dataset], "mean": found.mean, "std": found.std, "runs": runs}
            row |= {f"{name}_{dataset}": value for name, value in own.items()}
        rows.append(row)
    kinds: dict[str, Any] = {
        name: polars.Int64 if name.startswith("runs_") else polars.Float64 for name in rows[0] if name != "model"
    }
    return polars.DataFrame(rows, schema={"model": polars.String, **kinds})
