"""The scores of one night, by task, as the gate takes them; what cannot be a score is refused with its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite, nan

import numpy as np

from scrollwork.analysis.statistics.intervals import Floats

LONGEST_NAME = 300


class NightError(ValueError):
    """A night that cannot be compared. The message names night, task, item and field."""


@dataclass(frozen=True)
class ItemScore:
    """One input of a task. score: 0 to 100, None if it was not answered. answer: digest of the answer's text, if known.

    document: inputs on one document are kept together; an input without one is given its own id.
    """

    item: str
    document: str
    score: float | None
    answer: str | None = None


@dataclass(frozen=True, eq=False)
class TaskScores:
    """The inputs of a task on one night, each once. scores: 0 to 100, NaN where there is no answer."""

    items: tuple[str, ...]
    documents: tuple[str, ...]
    scores: Floats
    answers: tuple[str | None, ...]

    @classmethod
    def of(cls, rows: Iterable[ItemScore], place: str = "a task") -> TaskScores:
        """Check the rows and put them in order of their ids. place: named in errors. Raises NightError."""
        known: dict[str, ItemScore] = {}
        for number, row in enumerate(rows, 1):
            where = f"{place}, row {number}"
            _check_name(row.item, f'{where}, field "item"')
            _check_name(row.document, f'{where}, field "document"')
            if row.item in known:
                raise NightError(f"{where}: the item {row.item!r} stands there twice")
            _check_score(row.score, f'{where}, item {row.item!r}, field "score"')
            known[row.item] = row
        if not known:
            raise NightError(f"{place}: no items")
        ordered = [known[item] for item in sorted(known)]
        return cls(
            tuple(row.item for row in ordered),
            tuple(row.document for row in ordered),
            np.array([nan if row.score is None else row.score for row in ordered], dtype=np.float64),
            tuple(row.answer for row in ordered),
        )

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, eq=False)
class Night:
    """One run over all tasks. name: as sentences call it, such as its date.

    reported: tasks whose drop was reported on that night, or stood reported (`Verdict.dropped`).
    """

    name: str
    tasks: Mapping[str, TaskScores]
    reported: frozenset[str] = field(default=frozenset())

    @classmethod
    def of(cls, name: str, tasks: Mapping[str, Iterable[ItemScore]], reported: frozenset[str] = frozenset()) -> Night:
        """Make a night from rows by task. Raises NightError."""
        _check_name(name, 'a night, field "name"')
        for task in tasks:
            _check_name(task, f'night {name!r}, field "task"')
        found = {task: TaskScores.of(rows, f"night {name!r}, task {task!r}") for task, rows in tasks.items()}
        if not found:
            raise NightError(f"night {name!r}: no tasks")
        return cls(name, found, reported)


def _check_name(name: object, where: str) -> None:
    """Raise NightError unless it is a text that can stand in one line of a report."""
    if not isinstance(name, str) or not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise NightError(f"{where}: {str(name)[:80]!r} is not one printable line of 1 to {LONGEST_NAME} characters")


def _check_score(score: object, where: str) -> None:
    """Raise NightError unless it is None or a number from 0 to 100."""
    if score is None:
        return
    number = isinstance(score, (int, float, np.integer, np.floating)) and not isinstance(score, bool)
    if not number or not isfinite(float(score)) or not 0.0 <= float(score) <= 100.0:  # type: ignore[arg-type]
        raise NightError(f"{where}: {str(score)[:80]} is not a score from 0 to 100")
