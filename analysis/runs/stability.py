"""How many runs a ranking needs: rankings from n runs of each data set, drawn with replacement, against that of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrollwork.analysis.runs.ranking import standings
from scrollwork.analysis.runs.resampling import resampleable, resampled_ar
from scrollwork.analysis.runs.scores import ScoreTable
from scrollwork.analysis.statistics.intervals import Floats

STABLE = 0.95
FURTHER = (2, 5, 10)  # further points of the curve, as multiples of the number of runs
POINTS = 20  # of the curve, up to the number of runs


@dataclass(frozen=True)
class Stability:
    """Rankings from so many runs.

    same: share of them that order every pair as the full ranking does, except pairs that it ties. tau: mean Kendall's
    tau over these pairs, a tie counting 0 (if the full ranking ties some: Somers' D); None if it ties all.
    """

    runs: int
    same: float
    tau: float | None


def stability(table: ScoreTable, numbers: Sequence[int] = ()) -> list[Stability]:
    """Return the curve for the ranking by AR; for that of one data set pass `table.only([it])`.

    numbers: of runs (default: `curve_numbers`). Empty if a score has fewer than two runs.
    """
    if not resampleable(table):
        return []
    ar = {row.model: row.ar for row in standings(table)}
    full = np.array([ar[model] for model in table.models])
    return [Stability(runs, *agreement(full, resampled_ar(table, runs))) for runs in numbers or curve_numbers(table)]


def curve_numbers(table: ScoreTable) -> list[int]:
    """Return 1 up to as many runs as there are, at most some twenty of them, then 2, 5 and 10 times as many."""
    cells = [scores for dataset in table.datasets for scores in table.column(dataset).values()]
    most = max((len(scores.runs) for scores in cells), default=0) or 1
    up_to = np.unique(np.geomspace(1, most, POINTS).round().astype(int)) if most > POINTS else range(1, most + 1)
    return [*(int(runs) for runs in up_to), *(times * most for times in FURTHER)]


def runs_needed(curve: Sequence[Stability], share: float = STABLE) -> int | None:
    """Return the fewest runs from which on at least that share is the same; None if fewer are at the curve's end."""
    needed = None
    for point in sorted(curve, key=lambda point: -point.runs):
        if point.same < share:
            break
        needed = point.runs
    return needed


def agreement(full: Floats, others: Floats) -> tuple[float, float | None]:
    """Return (`same`, `tau`) of rankings, shape (rankings, models), with the full one, shape (models,)."""
    ordered = 0
    same = np.ones(len(others), dtype=bool)
    total = np.zeros(len(others))
    for place in range(len(full)):
        wanted = np.sign(full[place] - full[:place])
        known = wanted != 0
        signs = np.sign(others[:, [place]] - others[:, :place])[:, known] * wanted[known]
        ordered += int(known.sum())
        same &= (signs > 0).all(axis=1)
        total += signs.sum(axis=1)
    return float(same.mean()), float(total.mean() / ordered) if ordered else None
