"""Dolce's fit of any answers on windows of contexts: `sw.dolce.fit`. docs/dolce.md says what the numbers mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scrollwork.analysis.windows.categories import CATEGORIES
from scrollwork.analysis.windows.fit.counting import TAU
from scrollwork.analysis.windows.fit.fitting import AUTO, Settings, fit_tasks
from scrollwork.analysis.windows.observations import ObservationError, read_observations
from scrollwork.frames import polars, rows_of
from scrollwork.library.calls import of_library
from scrollwork.pipeline.errors import UsageError


@of_library()
def fit(
    observations: polars.DataFrame | polars.LazyFrame | Iterable[Mapping[str, Any]],
    *,
    scenario: str = AUTO,
    tau: float = TAU,
    bootstrap: int = 0,
) -> polars.DataFrame:
    """Fit how complex and redundant the evidence of each problem is, as `scrollwork dolce fit`.

    observations: a frame or rows with {task, problem, units, length, score (0 to 1) or outcome ("1", "0", "idk"),
    count}; other columns are ignored. scenario: cow, pig or auto. tau: the score from which an answer is right.
    bootstrap: draws over windows for the probabilities of categories; 0 for none.

    Returns a row for each problem: task, scenario, problem, units, complexity (lambda; null for infinite), redundancy
    (k), weight (of the oracle), likelihood (log), category, undecided, solved (by the whole context; null if that was
    not observed), and p_I to p_V, the probabilities of the categories, 0 to 1. Raises UsageError naming the row, from
    1, and the field, or the setting.
    """
    try:
        settings = Settings(scenario=scenario, tau=tau, draws=bootstrap)
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        fits = fit_tasks(read_observations(rows_of(observations)).tasks, settings)
    except ObservationError as error:
        raise UsageError(f"observations, {str(error).replace('line', 'row', 1)}") from error
    rows = [
        {
            "task": task.task,
            "scenario": task.scenario,
            "problem": one.problem.name,
            "units": one.problem.units,
            "complexity": None if one.complexity < 0 else one.complexity,
            "redundancy": one.redundancy,
            "weight": one.weight,
            "likelihood": one.likelihood,
            "category": CATEGORIES[one.category],
            "undecided": one.undecided,
            "solved": one.solved,
            **{f"p_{name}": value for name, value in zip(CATEGORIES, one.probabilities, strict=True)},
        }
        for task in fits
        for one in task.problems
    ]
    schema: dict[str, Any] = dict.fromkeys(("task", "scenario", "problem"), polars.String)
    schema |= dict.fromkeys(("units", "complexity", "redundancy"), polars.Int64)
    schema |= {"weight": polars.Float64, "likelihood": polars.Float64, "category": polars.String}
    schema |= {"undecided": polars.Boolean, "solved": polars.Boolean}
    return polars.DataFrame(rows, schema=schema | {f"p_{name}": polars.Float64 for name in CATEGORIES})
