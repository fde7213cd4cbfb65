"""scrollwork seam rank: models ranked by the scores of their runs, from a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from scrollwork.analysis.runs.dominance import comparable, dominance, neighbours
from scrollwork.analysis.runs.ranking import dataset_arsd, standings
from scrollwork.analysis.runs.ranking_json import as_json, detail_json
from scrollwork.analysis.runs.robustness import robustness_rows
from scrollwork.analysis.runs.score_rows import RunScoreRows, ScoreRowError, read_run_scores
from scrollwork.analysis.runs.stability import runs_needed, stability
from scrollwork.analysis.runs.variance import split
from scrollwork.cli.terminal.common import lines_of, print_json, say
from scrollwork.pipeline.errors import StageFailed
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.scoring.files.pairs import PairError, read_pairs

SHOWN = 10  # names in a line


def run(arguments: argparse.Namespace) -> int:
    """Rank, and print. Raises StageFailed naming line and field, UsageError for a file that is not there."""
    try:
        read = read_run_scores(read_pairs(lines_of(arguments.scores, "--scores")))
    except (PairError, ScoreRowError) as error:
        raise StageFailed(f"{arguments.scores}, {error}") from error
    table, rows, over = read.table, standings(read.table), dominance(read.table)
    more = more_of(read) if arguments.detail else {}
    if arguments.json:
        print_json(as_json(table, rows, over) | more)
    else:
        from scrollwork.cli.seam.tables import show, show_detail

        show(table, rows, over)
        if more:
            show_detail(more)
    tell(read)
    return 0


def more_of(read: RunScoreRows) -> dict[str, Any]:
    """Return what --detail adds to the document."""
    curve = stability(read.table)
    splits = {
        names: split({source: scores.values for source, scores in found.items()}, read.table.cell(*names).values)
        for names, found in sorted(read.designed.items())
    }
    return detail_json(
        read.table, robustness_rows(read.table), dataset_arsd(read.table), curve, runs_needed(curve), splits
    )


def tell(read: RunScoreRows) -> None:
    """Print on standard error what was left out."""
    if read.ignored:
        say(f"ignored fields: {names(read.ignored)}")
    for model, dataset, runs in read.left_out:
        say(f"left out: {runs} run(s) of {printable(model, 80)} on {printable(dataset, 80)} without a score")
    table = read.table
    absent = [
        f"{model} on {dataset}"
        for dataset in table.datasets
        for model in table.models
        if (model, dataset) not in table.cells
    ]
    if absent:
        say(f"no row, so NA: {names(absent)}")
    unknown = [
        f"{better} over {worse} on {dataset}"
        for dataset, better, worse in neighbours(table)
        if not comparable(table.cell(better, dataset), table.cell(worse, dataset))
    ]
    if unknown:
        say(f"no dominance without two runs of both: {names(unknown)}")


def names(listed: Iterable[str]) -> str:
    """Format the first names for a message."""
    known = [printable(name, 160) for name in listed]
    more = f" and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
    return ", ".join(known[:SHOWN]) + more
