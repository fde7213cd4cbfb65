"""Answers on spans, as rows from a file or a run: `scrollwork dolce fit --observations FILE`.

A row is {task, problem, units, length, score or outcome, count}: units is C, length is l, outcome "1", "0" or "idk",
score 0 to 1, count how many windows said so (1 where it is left out). Other fields are ignored.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

OUTCOMES = {"1": 0, "0": 1, "idk": 2}  # places in counts of outcomes
MOST = 10**6  # units of a context, windows of a row


class ObservationError(ValueError):
    """A row that cannot be used; the message names line and field."""


@dataclass
class Problem:
    """What was observed of a problem. outcomes: count by (length, place in OUTCOMES); scores: count by (length, score).

    IDK answers stand in outcomes whatever the others are.
    """

    name: str
    units: int
    outcomes: dict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    scores: dict[tuple[int, float], float] = field(default_factory=lambda: defaultdict(float))

    @property
    def lengths(self) -> list[int]:
        """Observed ones, ascending."""
        return sorted({length for length, _ in (*self.outcomes, *self.scores)})


@dataclass
class Task:
    """problems: by name, in the order of the rows."""

    name: str
    problems: dict[str, Problem] = field(default_factory=dict)

    @property
    def graded(self) -> bool:
        """Whether some score lies between 0 and 1: else it is accuracy."""
        return any(0 < score < 1 for one in self.problems.values() for _, score in one.scores)


def read_observations(rows: Iterable[Mapping[str, Any]]) -> list[Task]:
    """Tasks in the order of the rows, counted from 1 as lines. Raises ObservationError naming line and field."""
    tasks: dict[str, Task] = {}
    for line, row in enumerate(rows, start=1):
        task = tasks.setdefault(_text(line, row, "task"), Task(str(row["task"])))
        name, units = _text(line, row, "problem"), _whole(line, row, "units", 1)
        problem = task.problems.setdefault(name, Problem(name, units))
        if problem.units != units:
            raise ObservationError(
                f'line {line}: field "units" is {units}, but problem {name!r} has {problem.units} in an earlier line'
            )
        length = _whole(line, row, "length", 0)
        if length > units:
            raise ObservationError(
                f'line {line}: field "length" is {length}, more than the {units} units of the context'
            )
        count = _whole(line, row, "count", 1) if row.get("count") is not None else 1
        outcome, score = row.get("outcome"), row.get("score")
        if (outcome is None) == (score is None):
            raise ObservationError(f'line {line}: one of the fields "outcome" and "score" must stand, the other not')
        if outcome is not None:
            problem.outcomes[length, _outcome(line, outcome)] += count
        else:
            problem.scores[length, _score(line, score)] += count
    if not tasks:
        raise ObservationError("there is no row: a file of observations holds one JSON object a line")
    return list(tasks.values())


def _text(line: int, row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool):  # problems are often numbered
        value = str(value)
    if not isinstance(value, str) or not value:
        raise ObservationError(f'line {line}: field "{name}" must be a text that is not empty, not {value!r:.60}')
    return value


def _whole(line: int, row: Mapping[str, Any], name: str, least: int) -> int:
    value = row.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST:
        raise ObservationError(
            f'line {line}: field "{name}" must be a whole number from {least} to {MOST:,}, not {value!r:.60}'
        )
    return value


def _outcome(line: int, value: Any) -> int:
    name = str(value).lower() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if name not in OUTCOMES:
        raise ObservationError(f'line {line}: field "outcome" must be "1", "0" or "idk", not {value!r:.60}')
    return OUTCOMES[name]


def _score(line: int, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value) or not 0 <= value <= 1:
        raise ObservationError(f'line {line}: field "score" must be a number from 0 to 1, not {value!r:.60}')
    return float(value)
