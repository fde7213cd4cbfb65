"""Count the problems, units, words and windows of each task of a suite that observes windows, from its raw files
(`scrollwork dolce units`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scrollwork.pipeline.raw_files import first_match, in_archive, member_of, place_of
from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.windows.observable import observable_rows
from scrollwork.preprocessing.windows.observations import Observed
from scrollwork.preprocessing.windows.spans import Strategy, windows
from scrollwork.preprocessing.windows.units import units
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.suites.suite_files import Suite, TaskConfig, load_suite


@dataclass(frozen=True)
class TaskUnits:
    """The numbers of a task at one granularity (spec). problem: why there are none, "" if there are.

    counts: number of units of each problem's context. words: its white-space words. lengths: white-space words of each
    unit of each document. windows: how many a strategy takes, over all problems. dropped: number of records, by reason.
    """

    task: str
    spec: str
    problem: str = ""
    files: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    words: tuple[int, ...] = ()
    lengths: tuple[int, ...] = ()
    windows: int = 0
    dropped: tuple[tuple[str, int], ...] = ()


def observed_of(task: TaskConfig, spec: str = "") -> Observed:
    """Return how a task is observed. spec: one of its granularities, "" for its default. Raises ValueError for
    another."""
    table = task.observed(spec)
    return Observed(table["units"], tuple(table["lengths"]), table["full"], table.get("more"))


def granularities(task: TaskConfig) -> list[str]:
    """List the specs of a task's granularities, its default first."""
    return [one["units"] for one in task.granularities]


def units_of(suite: Suite, task: TaskConfig, raw: str | Path, one: Strategy, spec: str = "") -> TaskUnits:
    """Count a task's problems and units from the raw folder. Missing or malformed files are reported in `problem`."""
    how = observed_of(task, spec)
    root, roles = str(raw), {}
    for role, patterns in task.raw.items():
        pattern, paths = first_match(root, patterns)
        if not paths:
            return TaskUnits(task.name, how.spec, f"no raw file: {' or '.join(patterns)}")
        member = in_archive(pattern)[1]
        names = [f"{path}!{member_of(path, root, member)}" if member else path for path in paths]
        roles[role] = tuple((name, place_of(root, path)) for name, path in zip(names, paths, strict=True))
    files = tuple(name for found in roles.values() for name, _ in found)
    split = suite.default_splits[0]
    spans: dict[str, int] = {}
    sizes: dict[str, int] = {}
    counts, words, lengths, total = [], [], [], 0
    dropped: Counter[str] = Counter()

    def seen(rows: Iterator[Row]) -> Iterator[Row]:
        return observable_rows(rows, how.spec)

    try:
        rows = curate(task.dataset, RawFiles(task.dataset, roles), task.name, split, task.options, through=seen)
        for row in rows:
            if isinstance(row, Document):
                own = units(row.text, how.spec)
                spans[row.document_id], sizes[row.document_id] = len(own), row.words
                lengths += [len(row.text[start:end].split()) for start, end in own]
            elif isinstance(row, Drop):
                dropped[row.reason] += 1
            elif isinstance(row, Example):
                count = spans[row.document_ids[0]]
                counts.append(count)
                words.append(sizes[row.document_ids[0]])
                total += count_windows_taken(suite, how, one, row, count)
    except MalformedFile as error:
        return TaskUnits(task.name, how.spec, str(error), files)
    told = tuple(dropped.items())
    return TaskUnits(task.name, how.spec, "", files, tuple(counts), tuple(words), tuple(lengths), total, told)


def count_windows_taken(suite: Suite, how: Observed, one: Strategy, problem: Example, count: int) -> int:
    """Return how many windows a strategy takes of a problem whose context has `count` units."""
    lengths = how.lengths_of(problem.facts)
    name = problem.example_id
    found = windows(count, lengths, how.full, one, seed=suite.seed, task=problem.task, problem=name)
    return sum(1 for _ in found)


def table(raw: str | Path, one: Strategy, suite: str = "dolce") -> Iterator[TaskUnits]:
    """Yield every task at each of its granularities, in the suite's order."""
    found = load_suite(suite)
    for task in found.tasks.values():
        for spec in granularities(task):
            yield units_of(found, task, raw, one, spec)
