"""Cells of a leaderboard (a model's score for a task), and their average if none is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scrollwork.records.comparison import interval_note
from scrollwork.records.score import Aggregate, Coverage, why_no_average

ABOUT = " ("  # begins the part of a model's name that says how it was asked: "naive (plain-input900-words)"
NOT_ASKED = "not asked"
NO_GOLD = "no inputs with gold"
NO_WHOLE = "whole contexts not asked"  # for windows (Dolce): the leaderboard scores whole contexts only
WITHOUT_SCORE = (NOT_ASKED, NO_GOLD, NO_WHOLE)  # reasons for no score that are not failures


@dataclass(frozen=True)
class Column:
    """A task of the suite. examples: number of inputs in the paper (of all its runs), None if
    unknown. units: spec of the context's
    units, for windows. parts: names of the numbers that the paper prints for the task, if several: components of the
    score, or the metric and that of a subset. official: whether it is in the average; False if a suite that extends the
    benchmark added it."""

    task: str
    short: str
    metric: str
    examples: int | None
    units: str = ""
    parts: tuple[str, ...] = ()
    official: bool = True


def unfinished_answers(coverage: Coverage) -> list[tuple[str, int]]:
    """(what happened, number) of answers that were cut, refused, filtered or changed, without zeros."""
    counts = {
        "cut at their output limit": coverage.length_cut,
        "refused": coverage.refused,
        "filtered": coverage.filtered,
        "ended by the context": coverage.context,
        "with a key masked": coverage.masked,
    }
    return [(how, count) for how, count in counts.items() if count]


@dataclass(frozen=True)
class Cell:
    """A model's score for a task. reason: why there is none, or why it is incomplete; "" if it is complete.

    value, low, high, spread, components: 0-100, as in Aggregate. members: (name, value) of a family's seeds. subset:
    the aggregate over flagged inputs. parts: values of the column's parts. clusters: as in Aggregate.
    """

    task: str
    metric: str
    value: float | None = None
    value_missing_as_zero: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float | None = None
    seeds: int = 1
    components: Mapping[str, float] | None = None
    coverage: Coverage | None = None
    members: tuple[tuple[str, float | None], ...] = ()
    reason: str = ""
    subset: Aggregate | None = None
    parts: tuple[float | None, ...] = ()
    clusters: int | None = None

    @property
    def interval_note(self) -> str:
        """Why the interval cannot be trusted, "" if it can."""
        return interval_note(self.low, self.high, self.clusters)

    @property
    def complete(self) -> bool:
        """Whether there is a value and no input is unanswered."""
        return self.value is not None and self.coverage is not None and self.coverage.complete

    @property
    def unanswered(self) -> int:
        """Number of inputs (x draws) that some seed did not answer."""
        return self.coverage.expected - self.coverage.answered if self.coverage else 0

    @property
    def seed_values(self) -> tuple[float, ...]:
        """Values of the seeds that answered."""
        return tuple(value for _, value in self.members if value is not None)


@dataclass(frozen=True)
class Average:
    """Plain mean of a model's unrounded task values; None with the reason while a task is missing or incomplete.

    spread: standard deviation of the seeds' own averages, None for a single one.
    """

    value: float | None
    spread: float | None = None
    reason: str = ""


def cell_of(
    column: Column,
    model: str,
    arm: str,
    here: Mapping[tuple[str, str, str], Aggregate],
    messages: Mapping[str, str],
    subset: Aggregate | None,
) -> Cell:
    """Build a model's cell. here: aggregates of the split by (model, arm, task). messages: why tasks failed, by task.
    subset: the aggregate over flagged inputs."""
    row = here.get((model, arm, column.task))
    if row is None:
        return Cell(column.task, column.metric, reason=messages.get(column.task, NOT_ASKED))
    members = [(name, one.value) for (name, of, task), one in here.items() if (of, task) == (arm, column.task)]
    own = tuple(member for member in members if is_member(member[0], model)) if row.seeds > 1 else ()
    coverage = row.coverage
    values = {**row.components, row.metric: row.value, **({subset.metric: subset.value} if subset else {})}
    reason = "" if coverage.expected else NO_WHOLE if column.units else NO_GOLD
    if coverage.expected > coverage.answered:
        reason = f"{coverage.expected - coverage.answered:,} of {coverage.expected:,} unanswered"
    return Cell(
        task=row.task,
        metric=row.metric,
        value=row.value,
        value_missing_as_zero=row.value_missing_as_zero,
        low=row.low,
        high=row.high,
        spread=row.spread,
        seeds=row.seeds,
        components=dict(sorted(row.components.items())),
        coverage=coverage,
        members=own,
        reason=reason,
        subset=subset,
        parts=tuple(values.get(name) for name in column.parts),
        clusters=row.clusters,
    )


def is_member(name: str, family: str) -> bool:
    """Whether a name belongs to a family: "naive:seed=7" to "naive"; "naive:seed=7 (cut)" only to "naive (cut)"."""
    (base, _, about), (own, _, own_about) = name.partition(ABOUT), family.partition(ABOUT)
    return base.startswith(f"{own}:") and about == own_about


def average(cells: Sequence[Cell]) -> Average:
    """The benchmark's average (ZeroSCROLLS 3.2), or why it is withheld."""
    counts = {cell.task: (cell.coverage.expected, cell.coverage.answered) for cell in cells if cell.coverage}
    if reason := why_no_average(len(cells), counts):
        return Average(None, reason=reason)
    values = [cell.value for cell in cells if cell.value is not None]
    return Average(sum(values) / len(values), _spread_of_averages(cells))


def _spread_of_averages(cells: Sequence[Cell]) -> float | None:
    """Standard deviation (n - 1) over seeds of the seed's average; None unless every task has the same seeds."""
    by_task = [{name: value for name, value in cell.members if value is not None} for cell in cells]
    seeds = sorted(by_task[0])
    if len(seeds) < 2 or any(sorted(values) != seeds for values in by_task):
        return None
    averages = [sum(values[seed] for values in by_task) / len(by_task) for seed in seeds]
    mean = sum(averages) / len(averages)
    return float((sum((value - mean) ** 2 for value in averages) / (len(averages) - 1)) ** 0.5)
