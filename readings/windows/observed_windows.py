"""Apply strategies to stored observations: choose, among all answered windows, those that a strategy takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.pipeline.errors import StageFailed
from scrollwork.preprocessing.windows.spans import Strategy, windows

Row = Mapping[str, Any]


def windows_taken(rows: Sequence[Row], one: Strategy, seed: int) -> list[Row]:
    """Return the rows of the windows that the strategy takes, as in `run`, among the lengths that were observed.

    rows: as scrollwork.analysis.windows.observations reads them, with `first`, the unit that the window begins with.
    Raises StageFailed for a row without it (with its line), and if nothing is taken.
    """
    lengths: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for line, row in enumerate(rows, start=1):
        units, length, first = int(row["units"]), int(row["length"]), row.get("first")
        last = units - length if length else 0
        if not isinstance(first, int) or isinstance(first, bool) or not 0 <= first <= last:
            raise StageFailed(
                f'line {line}: field "first" must be the unit that the window begins with, from 0 to {last:,}, not '
                f"{first!r:.60}: --strategy chooses by it"
            )
        lengths[_problem(row)].add(length)
    wanted = {
        (task, problem, units): {
            (window.length, window.first)
            for window in windows(units, sorted(listed), True, one, seed=seed, task=task, problem=problem)
        }
        for (task, problem, units), listed in lengths.items()
    }
    found = [row for row in rows if (int(row["length"]), row["first"]) in wanted[_problem(row)]]
    if not found:
        raise StageFailed("--strategy takes none of these windows")
    return found


def _problem(row: Row) -> tuple[str, str, int]:
    """Return (task, problem, number of units of its context)."""
    return str(row["task"]), str(row["problem"]), int(row["units"])
