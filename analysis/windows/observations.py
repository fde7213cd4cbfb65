"""Answers on spans, as rows from a file or a run: `scrollwork dolce fit --observations FILE`.

A row is {task, problem, units, length, score or outcome, count}: units is C, length is l, outcome "1", "0" or "idk",
score 0 to 1, count the number of windows with this answer (default 1; a row of 0 is skipped). `first`, where a window
begins, does not affect a fit (readings/observed_windows.py chooses by it). Other fields are ignored, and reported. A
row that occurs twice is two windows with the same answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

OUTCOMES = {"1": 0, "0": 1, "idk": 2}  # indices in counts of outcomes
FIELDS = ("task", "problem", "units", "length", "outcome", "score", "count", "first")
MOST = 10**6  # units of a context, windows of a row, at most
MOST_GRADED = 100_000  # units of a context in PIG, whose tables take minutes there
EDGE = 1e-6  # by how much a score on an edge may fall short of it: ROUGE's 1e-8, and rounding
MOST_LENGTHS = 10_000  # at which one problem is observed, at most


class ObservationError(ValueError):
    """A row that cannot be used; the message names line and field."""


@dataclass
class Problem:
    """What was observed of a problem. outcomes: count by (length, index in OUTCOMES); scores: count by (length, score).

    IDK answers are in outcomes even if the others have scores.
    """

    name: str
    units: int
    outcomes: dict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    scores: dict[tuple[int, float], float] = field(default_factory=lambda: defaultdict(float))
    seen: set[int] = field(default_factory=set)

    @property
    def lengths(self) -> list[int]:
        """Return the observed lengths, ascending."""
        return sorted(self.seen)

    @property
    def repeated(self) -> int:
        """Return at how many lengths there are more windows than the context has."""
        windows: dict[int, float] = defaultdict(float)
        for (length, _), count in (*self.outcomes.items(), *self.scores.items()):
            windows[length] += count
        return sum(count > (self.units - length + 1 if length else 1) for length, count in windows.items())

    def points(self) -> dict[tuple[int, float], float]:
        """Return windows by (length, score): right is 1, wrong and declined 0."""
        found: dict[tuple[int, float], float] = defaultdict(float, self.scores)
        for (length, place), count in self.outcomes.items():
            found[length, 1.0 if place == 0 else 0.0] += count
        return found

    def solved(self, tau: float) -> bool | None:
        """Return whether at least half of the answers on the whole context are right; None if it was not observed.

        tau: the score from which an answer is right.
        """
        whole = {score: count for (length, score), count in self.points().items() if length == self.units}
        right = sum(count for score, count in whole.items() if is_right(score, tau))
        return 2 * right >= sum(whole.values()) if whole else None

    def right_wrong_declined(self, tau: float) -> dict[tuple[int, int], float]:
        """Return windows by (length, index in OUTCOMES); a score is right from tau on."""
        found: dict[tuple[int, int], float] = defaultdict(float, self.outcomes)
        for (length, score), count in self.scores.items():
            found[length, 0 if is_right(score, tau) else 1] += count
        return found


def is_right(score: float, tau: float) -> bool:
    """Return whether an answer of that score, 0 to 1, is right in COW."""
    return score >= tau - EDGE


@dataclass
class Task:
    """A task's problems, by name, in the order of the rows."""

    name: str
    problems: dict[str, Problem] = field(default_factory=dict)

    @property
    def graded(self) -> bool:
        """Return whether some score is between 0 and 1; else the task is one of accuracy."""
        return any(0 < score < 1 for one in self.problems.values() for _, score in one.scores)


@dataclass(frozen=True)
class Observed:
    """The content of a file. tasks: in the order of the rows. ignored: names of unknown fields."""

    tasks: tuple[Task, ...]
    ignored: tuple[str, ...] = ()


def read_observations(rows: Iterable[Mapping[str, Any]]) -> Observed:
    """Read rows, counted from 1 as lines. Raises ObservationError naming line and field.

    It is raised for a field that is missing, of a wrong type or out of range, an outcome beside a score, units that
    change, a problem with too many lengths or without windows, and for no row at all.
    """
    tasks: dict[str, Task] = {}
    ignored: dict[str, None] = {}
    for line, row in enumerate(rows, start=1):
        ignored.update(dict.fromkeys(name for name in row if name not in FIELDS))
        task = tasks.setdefault(_text(line, row, "task"), Task(str(row["task"])))
        name, units = _text(line, row, "problem"), _whole(line, row, "units", 1)
        problem = task.problems.setdefault(name, Problem(name, units))
        if problem.units != units:
            raise ObservationError(
                f'line {line}: field "units" is {units}, but {problem.units} in an earlier line of problem {name!r:.60}'
            )
        length = _whole(line, row, "length", 0)
        if length > units:
            raise ObservationError(
                f'line {line}: field "length" is {length}, more than the {units} units of the context'
            )
        count = _whole(line, row, "count", 0) if row.get("count") is not None else 1
        outcome, score = row.get("outcome"), row.get("score")
        if (outcome is None) == (score is None):
            raise ObservationError(f'line {line}: one of the fields "outcome" and "score" must be given, and not both')
        place = None if outcome is None else _outcome(line, outcome)
        value = 0.0 if score is None else _score(line, score)
        if not count:  # a table of counts, written out: there was no such window
            continue
        if place is not None:
            problem.outcomes[length, place] += count
        else:
            problem.scores[length, value] += count
        problem.seen.add(length)
        if len(problem.seen) > MOST_LENGTHS:
            raise ObservationError(f'line {line}: field "length": problem {name!r:.60} has more than {MOST_LENGTHS:,}')
    for task in tasks.values():
        for problem in task.problems.values():
            if not problem.seen:
                raise ObservationError(
                    f'field "count": problem {problem.name!r:.60} of task {task.name!r:.60} has no row of 1 or more'
                )
    if not tasks:
        raise ObservationError("there is no row: a file of observations holds one JSON object a line")
    return Observed(tuple(tasks.values()), tuple(ignored))


def _text(line: int, row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool):  # problems are often numbered
        value = str(value)
    if not isinstance(value, str) or not value:
        raise ObservationError(f'line {line}: field "{name}" must be a text that is not empty, not {_told(value)}')
    return value


def _whole(line: int, row: Mapping[str, Any], name: str, least: int) -> int:
    value = row.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST:
        raise ObservationError(
            f'line {line}: field "{name}" must be a whole number from {least} to {MOST:,}, not {_told(value)}'
        )
    return value


def _outcome(line: int, value: Any) -> int:
    name = str(value).lower() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if name not in OUTCOMES:
        raise ObservationError(f'line {line}: field "outcome" must be "1", "0" or "idk", not {_told(value)}')
    return OUTCOMES[name]


def _score(line: int, value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ObservationError(f'line {line}: field "score" must be a number from 0 to 1, not {_told(value)}')
    return float(value)


def _told(value: Any) -> str:
    """Return a value for a message, in at most 60 characters, however large a number is."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**50:
        return "a number of more than 50 digits"
    return f"{value!r:.60}"
