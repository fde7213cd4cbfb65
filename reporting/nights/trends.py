"""What the page over nights shows: the nights of each suite with the same settings, by model and task."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scrollwork.records.nights.night import CANARY, FULL, NightModel, NightRow, NightTask
from scrollwork.reporting.page.text import number

MOST = 120  # nights on a page; of more, the last ones


@dataclass(frozen=True)
class Point:
    """A task of a model on a night. at: place of the night among those shown, from 0."""

    at: int
    night: NightRow
    task: NightTask
    accepted: bool

    @property
    def canary(self) -> bool:
        """Return whether only a few inputs were asked."""
        return self.night.kind == CANARY

    @property
    def interval(self) -> str:
        """Return the 95 % interval, with a mark where too few documents make it untrustworthy; "" for none."""
        low, high = self.task.low, self.task.high
        mark = " ⚠" if self.task.interval_note else ""
        return "" if low is None or high is None else f"{number(low)} to {number(high)}{mark}"

    @property
    def told(self) -> str:
        """Return the point in words, as its title."""
        within = f" ({self.interval})" if self.interval else ""
        return f"{self.night.name}, {self.night.kind}: {number(self.task.value)}{within}, {self.verdict}"

    @property
    def verdict(self) -> str:
        """Return what the gate says of it; of a canary, that it is one."""
        muted = f", muted until {self.task.muted_until}" if self.task.muted_until else ""
        state = "canary" if self.canary else self.task.state + muted
        return f"{state}, accepted" if self.accepted else state


@dataclass(frozen=True)
class Line:
    """A night of a model in the table. accepted: by whom, "" for nobody. cost_usd: of the answers."""

    night: NightRow
    model: NightModel
    accepted: str

    @property
    def accepted_by(self) -> str:
        """Return who accepted the night; the first whole one is accepted by itself. "–" for nobody."""
        first = self.night.kind == FULL and not self.model.reference and not self.model.failed
        return self.accepted or ("itself, the first" if first else "–")

    @property
    def verdict(self) -> str:
        """Return whether the model ended the night as failed."""
        return "failed" if self.model.failed else "no alarm"

    @property
    def coverage(self) -> str:
        """Return how many inputs were answered, of all."""
        tasks = self.model.tasks
        return f"{sum(one.answered for one in tasks):,} of {sum(one.expected for one in tasks):,}"

    @property
    def cost(self) -> str:
        """Return the cost in USD; answers without a known price are told."""
        unknown = f" + {self.model.cost_unknown:,} without a price" if self.model.cost_unknown else ""
        return f"${self.model.cost_usd:,.4f}{unknown}"


@dataclass(frozen=True)
class ModelTrend:
    """A model over the nights. tasks: points by task, in order of the nights. lines: the last night first."""

    model: str
    lines: Sequence[Line]
    tasks: Mapping[str, Sequence[Point]]


@dataclass(frozen=True)
class Trend:
    """The nights of a suite with the same settings. nights: those shown, the oldest first; count: of all there are."""

    suite: str
    options: Sequence[str]
    nights: Sequence[NightRow]
    count: int
    models: Sequence[ModelTrend]

    @property
    def kinds(self) -> str:
        """Return how many nights are of which kind."""
        full = sum(one.kind == FULL for one in self.nights)
        return f"{full} full, {len(self.nights) - full} canary"


def trends(rows: Sequence[NightRow], accepted: Mapping[str, str]) -> list[Trend]:
    """Group nights by suite and settings, those with the newest night first.

    rows: the oldest first. accepted: who accepted a night, by its digest.
    """
    groups: dict[tuple[str, str], list[NightRow]] = {}
    for row in rows:
        groups.setdefault((row.suite, row.settings), []).append(row)
    ordered = sorted(groups.values(), key=lambda own: (own[-1].ended, own[-1].name), reverse=True)
    return [_trend(own, accepted) for own in ordered]


def _trend(rows: Sequence[NightRow], accepted: Mapping[str, str]) -> Trend:
    shown = rows[-MOST:]
    models = dict.fromkeys(one.model for row in reversed(shown) for one in row.models)
    return Trend(
        shown[-1].suite,
        shown[-1].options,
        shown,
        len(rows),
        [ModelTrend(model, _lines(shown, model, accepted), _tasks(shown, model, accepted.keys())) for model in models],
    )


def _lines(rows: Sequence[NightRow], model: str, accepted: Mapping[str, str]) -> list[Line]:
    named = ((row, row.of(model)) for row in reversed(rows))
    return [Line(row, one, accepted.get(row.digest, "")) for row, one in named if one is not None]


def _tasks(rows: Sequence[NightRow], model: str, accepted: Collection[str]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for task, point in _points(rows, model, accepted):
        found.setdefault(task, []).append(point)
    return {task: found[task] for task in sorted(found)}


def _points(rows: Sequence[NightRow], model: str, accepted: Collection[str]) -> Iterator[tuple[str, Point]]:
    for at, row in enumerate(rows):
        one = row.of(model)
        for task in one.tasks if one is not None else ():
            yield task.task, Point(at, row, task, row.digest in accepted)
