"""Build a leaderboard from aggregates: a section for each split, a line for each model, a cell for each task; an
average only where no answer is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrollwork.records.ranking import ModelRank
from scrollwork.records.score import UPPER_BOUND, Aggregate
from scrollwork.reporting.boards.cells import Average, Cell, Column, average, cell_of, is_member
from scrollwork.reporting.boards.published import Published, published_of
from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.reporting.boards.raw_files import RawNote

ARM = "full"
RANKED = "models are ranked; there is no average"
OBSERVED = "problems are classified; there is no average"


@dataclass(frozen=True)
class Line:
    """The row of a model (a family of seeds is one row). cells: in the suite's order.

    upper_bound: it reads the references, so it is shown below the models, without average, and is not compared.
    """

    model: str
    arm: str
    cells: tuple[Cell, ...]
    average: Average
    upper_bound: bool = False

    @property
    def inputs(self) -> tuple[int, int]:
        """(answered, expected) inputs of all its tasks."""
        counts = [cell.coverage for cell in self.cells if cell.coverage]
        return sum(count.answered for count in counts), sum(count.expected for count in counts)

    @property
    def note(self) -> str:
        """A note to show with the label."""
        return UPPER_BOUND if self.upper_bound else ""

    @property
    def label(self) -> str:
        """The model's name, with its arm unless that is "full"."""
        return self.model if self.arm == ARM else f"{self.model} ({self.arm})"


@dataclass(frozen=True)
class SplitBoard:
    """The leaderboard of one split."""

    split: str
    lines: tuple[Line, ...]

    def differing(self, columns: Sequence[Column]) -> tuple[tuple[Column, str], ...]:
        """(task, numbers of inputs) of tasks that some line was asked with another number of inputs than the
        paper's."""
        asked: dict[str, set[int]] = {}
        for line in self.lines:
            for cell in line.cells:
                if cell.coverage:
                    asked.setdefault(cell.task, set()).add(cell.coverage.expected)
        found = [(column, sorted(asked.get(column.task, ()))) for column in columns if column.examples is not None]
        return tuple(
            (column, " or ".join(f"{number:,}" for number in numbers))
            for column, numbers in found
            if numbers and numbers != [column.examples]
        )


@dataclass(frozen=True)
class Failed:
    """A task of a model that has no score, and the message."""

    task: str
    split: str
    model: str
    message: str


@dataclass(frozen=True)
class Board:
    """All data of a leaderboard. published: the paper's rows, which enter no line and no average.

    settings: options that differ from the suite's (limit, prompts, ...). decoding: how a model's decoding differs from
    the suite's, by model. ranked: models are ranked over runs, without an average. ranks: the ranking, empty if it
    failed. upstream: upstream's name of a task's test split, if it differs. raw: notes on raw files by (split, task).
    extends: title of the benchmark to which the suite adds tasks, "" for none.
    """

    suite: str
    title: str
    columns: tuple[Column, ...]
    sections: tuple[SplitBoard, ...]
    failures: tuple[Failed, ...]
    published: Published | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    decoding: Mapping[str, str] = field(default_factory=dict)
    ranked: bool = False
    ranks: Ranks = field(default_factory=Ranks)
    upstream: Mapping[str, str] = field(default_factory=dict)
    raw: Mapping[tuple[str, str], Sequence[RawNote]] = field(default_factory=dict)
    extends: str = ""

    @property
    def averaged(self) -> tuple[Column, ...]:
        """The tasks over which an average is taken."""
        return tuple(column for column in self.columns if column.official)

    def averaged_inputs(self, line: Line) -> int:
        """Number of inputs behind a line's average."""
        cells = [cell for cell, column in zip(line.cells, self.columns, strict=True) if column.official]
        return sum(cell.coverage.expected for cell in cells if cell.coverage)

    @property
    def of_average(self) -> str:
        """ "of the N tasks of ..." if the average is not over all tasks; else ""."""
        return f"of the {len(self.averaged)} tasks of {self.extends}" if self.extends else ""

    def raw_of(self, section: SplitBoard) -> list[tuple[str, RawNote]]:
        """(task, note on its raw files) of a section, in the suite's order."""
        tasks = [column.task for column in self.columns]
        return [(task, told) for task in tasks for told in self.raw.get((section.split, task), ())]

    def rank(self, section: SplitBoard, line: Line) -> ModelRank | None:
        """A line's rank; None if the suite does not rank models, or not this one."""
        return self.ranks.of(section.split).model(line.model, line.arm) if self.ranked else None


Key = tuple[str, str, str, str]  # split, model, arm, task


def board(
    rows: Sequence[Aggregate],
    params: Mapping[str, Any],
    ranks: Ranks | None = None,
    subsets: Sequence[Aggregate] = (),
) -> Board:
    """Build the leaderboard of a suite.

    rows: aggregates of every task, split and model, with those of a family's members. params: suite, title, models,
    tasks (in official order: name, short, metric, paper, parts), published, failures, upper_bounds (models that read
    the references), ranked, upstream, as made by tasks/report/parameters.py; raw: by tasks/report/known_files.py.
    ranks: for a suite that ranks models. subsets: aggregates over the flagged inputs of a task. Raises ValueError for a
    row of another suite, task or metric, and for two rows that contradict each other.
    """
    columns = tuple(
        Column(
            task["name"],
            task["short"],
            task["metric"],
            task.get("paper", {}).get("asked") or task.get("paper", {}).get("examples"),
            task.get("units", ""),
            tuple(task.get("parts", ())),
            not task.get("added", False),
        )
        for task in params["tasks"]
    )
    models = tuple(params.get("models", ()))
    failures = tuple(Failed(**one) for one in params.get("failures", ()))
    ranked = bool(params.get("ranked"))
    reason = RANKED if ranked else OBSERVED if params.get("observed") else ""
    known = _indexed(rows, str(params["suite"]), columns)
    flagged = {(row.split, row.model, row.arm, row.task): row for row in subsets}
    splits = {split for split, _, _, _ in known} | {one.split for one in failures if one.split}
    return Board(
        suite=str(params["suite"]),
        title=str(params["title"]),
        columns=columns,
        sections=tuple(
            _section(
                split, known, flagged, columns, models, failures, frozenset(params.get("upper_bounds", ())), reason
            )
            for split in sorted(splits, key=lambda name: (name != "test", name))
        ),
        failures=failures,
        published=published_of(params.get("published", {})),
        settings=dict(params.get("run", {})),
        decoding=dict(params.get("decoding", {})),
        ranked=ranked,
        ranks=ranks or Ranks(),
        upstream=dict(params.get("upstream", {})),
        raw=_raw(params.get("raw", ())),
        extends=str(params.get("extends", "")),
    )


def _raw(told: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[RawNote]]:
    """Notes by (split, task); several if models' inputs come from different files."""
    found: dict[tuple[str, str], list[RawNote]] = {}
    for one in told:
        found.setdefault((one["split"], one["task"]), []).append(RawNote.read(one))
    return found


def _indexed(rows: Sequence[Aggregate], suite: str, columns: Sequence[Column]) -> dict[Key, Aggregate]:
    metrics = {column.task: column.metric for column in columns}
    found: dict[Key, Aggregate] = {}
    for row in rows:
        where = f"{row.suite}, task {row.task}, split {row.split}, model {row.model}"
        if row.suite != suite or row.task not in metrics:
            raise ValueError(f"{where}: no task of suite {suite}")
        if row.metric != metrics[row.task]:
            raise ValueError(f"{where}: scored by {row.metric}, but the suite's metric is {metrics[row.task]}")
        key = (row.split, row.model, row.arm, row.task)
        if key in found and found[key].value != row.value:  # naive's seed 7 and naive:seed=7 may both be there
            raise ValueError(f"{where}: two rows with different values, {found[key].value} and {row.value}")
        found[key] = row
    return found


def _section(
    split: str,
    known: Mapping[Key, Aggregate],
    flagged: Mapping[Key, Aggregate],
    columns: Sequence[Column],
    models: Sequence[str],
    failures: Sequence[Failed],
    bounds: frozenset[str],
    no_average: str = "",
) -> SplitBoard:
    here = {key[1:]: row for key, row in known.items() if key[0] == split}
    families = {(model, arm) for (model, arm, _), row in here.items() if row.seeds > 1}
    hidden = {
        (model, arm)
        for model, arm, _ in here
        if model not in models and any(is_member(model, family) for family, of in families if of == arm)
    }
    names = {(model, arm) for model, arm, _ in here} - hidden
    names |= {(one.model, ARM) for one in failures if one.split == split} - {(model, ARM) for model, _ in names}
    scored = {model for _, model, _, _ in known}  # on any split: with scores on another one it was not asked
    names |= {(model, ARM) for model in models if model not in scored and all(model != name for name, _ in names)}
    order = {model: place for place, model in enumerate(models)}
    lines = []

    def place(name: tuple[str, str]) -> tuple[bool, bool, str, int, tuple[str, str]]:
        return name[0] in bounds, name[1] != ARM, name[1], order.get(name[0], len(order)), name

    for model, arm in sorted(names, key=place):
        messages = {one.task: one.message for one in failures if (one.split, one.model) == (split, model)}
        subsets = {column.task: flagged.get((split, model, arm, column.task)) for column in columns}
        cells = tuple(cell_of(column, model, arm, here, messages, subsets[column.task]) for column in columns)
        bound = model in bounds
        mean = Average(None, reason=UPPER_BOUND if bound else no_average)
        own = [cell for cell, column in zip(cells, columns, strict=True) if column.official]
        lines.append(Line(model, arm, cells, mean if mean.reason else average(own), bound))
    return SplitBoard(split, tuple(lines))
