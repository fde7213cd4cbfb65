"""scrollwork dolce units: how many units the contexts of tasks have, and how long units are, by granularity."""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from typing import Any

from scrollwork.cli.terminal.common import print_json, say
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.preprocessing.windows.spans import strategy
from scrollwork.readings.windows.units import TaskUnits, granularities, units_of
from scrollwork.reporting.charts.drawing import quantiles
from scrollwork.storage.home import Home
from scrollwork.suites.request import whole_raw
from scrollwork.suites.suite_files import SAMPLE, load_suite

COLUMNS = ("task", "units", "problems", "median C", "from", "to", "words", "words a unit", "5 to 95 %", "windows")
SHARES = (0.05, 0.5, 0.95)


def run(arguments: argparse.Namespace) -> int:
    """Count, print, and draw where a file is named. Raises UsageError, StageFailed where no raw file is there."""
    suite = load_suite("dolce")
    if arguments.task and arguments.task not in suite.tasks:
        near = nearest_known(arguments.task, list(suite.tasks))
        raise UsageError(f"there is no task {arguments.task!r}; there are: {', '.join(suite.tasks)}{near}")
    kind = Path(arguments.out).suffix.removeprefix(".")
    if arguments.out and kind not in ("svg", "png"):
        raise UsageError(f"--out {arguments.out}: histograms are written as .svg or .png")
    try:
        how = strategy("all" if arguments.strategy is None else arguments.strategy)
    except ValueError as error:
        raise UsageError(f"--strategy: {error}") from None
    raw = folder(arguments)
    asked = [arguments.task] if arguments.task else suite.in_sample if arguments.sample else suite.tasks
    tasks = [suite.tasks[name] for name in asked]
    rows = [units_of(suite, task, raw, how, spec) for task in tasks for spec in granularities(task)]
    if arguments.task and rows[0].problem:
        raise StageFailed(f"{arguments.task}: {rows[0].problem}")
    if arguments.out:
        from scrollwork.reporting.windows.unit_figures import units_figure

        drawn = [(f"{row.task}, {row.spec}", row.counts, row.lengths) for row in rows if not row.problem]
        Path(arguments.out).write_bytes(units_figure(drawn, kind))
    if arguments.json:
        print_json({"tasks": [as_json(row) for row in rows], **({"out": arguments.out} if arguments.out else {})})
        return 0
    from scrollwork.cli.seam.tables import print_rows

    print_rows(COLUMNS, [unit_line(row) for row in rows if not row.problem], "words: of a context; medians")
    for line in dict.fromkeys(f"{row.task}: {row.problem}" for row in rows if row.problem):
        say(line)
    for row in rows:
        for reason, count in row.dropped:
            say(f"{row.task}, {row.spec}: left out: {count:,}, {reason}")
    return 0


def folder(arguments: argparse.Namespace) -> str:
    """Return the folder of raw files, or its URL. Raises UsageError."""
    if arguments.raw and arguments.sample:
        raise UsageError("--raw and --sample exclude each other")
    home = Home.at(arguments.home, arguments.store)
    if arguments.raw:
        return whole_raw(arguments.raw)
    found = SAMPLE if arguments.sample else home.folder / "raw"
    if not found.is_dir():
        raise UsageError(f"{found} has no raw files: try `scrollwork fetch dolce`, --raw DIR or --sample")
    return str(found)


def as_json(row: TaskUnits) -> dict[str, Any]:
    """A task by one granularity; with the problem where it has no raw file."""
    if row.problem:
        return {"task": row.task, "units": row.spec, "problem": row.problem}
    unit = dict(zip(("p5", "p50", "p95"), quantiles(row.lengths, SHARES), strict=True)) if row.lengths else None
    return {
        "task": row.task,
        "units": row.spec,
        "problems": len(row.counts),
        "median_units": median(row.counts) if row.counts else None,
        "smallest": min(row.counts, default=None),
        "largest": max(row.counts, default=None),
        "median_words": median(row.words) if row.words else None,
        "words_a_unit": unit,
        "windows": row.windows,
        "dropped": dict(row.dropped),
    }


def unit_line(row: TaskUnits) -> tuple[str, ...]:
    """Format a row of the table."""
    told = as_json(row)
    unit = told["words_a_unit"] or {}
    return (
        row.task,
        row.spec,
        f"{told['problems']:,}",
        *("–" if told[name] is None else f"{told[name]:g}" for name in ("median_units", "smallest", "largest")),
        "–" if told["median_words"] is None else f"{told['median_words']:,g}",
        f"{unit['p50']:g}" if unit else "–",
        f"{unit['p5']:g} to {unit['p95']:g}" if unit else "–",
        f"{row.windows:,}",
    )
