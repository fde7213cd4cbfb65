"""scrollwork seam rank: models ranked by the scores of their runs, from a file."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from typing import Any

from analysis.dominance import Dominance, comparable, dominance, neighbours
from analysis.ranking import Standing, dataset_arsd, standings
from analysis.robustness import sureness
from analysis.run_scores import RunScores, ScoreTable
from analysis.score_rows import RunScoreRows, ScoreRowError, read_run_scores
from analysis.stability import runs_needed, stability
from analysis.variance import split
from flows.commands.common import lines_of, print_json, say
from preprocessing.errors import sayable
from scoring.pairs import PairError, read_pairs
from tasks.errors import StageFailed

SHOWN = 10  # names in a line


def run(arguments: argparse.Namespace) -> int:
    """Rank, and print. Raises StageFailed naming line and field, UsageError for a file that is not there."""
    try:
        read = read_run_scores(read_pairs(lines_of(arguments.scores, "--scores")))
    except (PairError, ScoreRowError) as error:
        raise StageFailed(f"{arguments.scores}, {error}") from error
    table, rows, over = read.table, standings(read.table), dominance(read.table)
    more = detail(read) if arguments.detail else {}
    if arguments.json:
        print_json(as_json(table, rows, over) | more)
    else:
        from flows.commands.seam_tables import show, show_detail

        show(table, rows, over)
        if more:
            show_detail(more)
    tell(read)
    return 0


def as_json(table: ScoreTable, rows: Iterable[Standing], over: Iterable[Dominance]) -> dict[str, Any]:
    """{models: [...], dominance: [...]}; means and deviations of NA are null."""
    return {
        "models": [
            {
                "model": row.model,
                "ar": row.ar,
                "arsd": row.arsd,
                "ranks": dict(row.ranks),
                "means": {dataset: scores.mean for dataset, scores in table.row(row.model).items()},
                "stds": {dataset: scores.std for dataset, scores in table.row(row.model).items()},
            }
            for row in rows
        ],
        "dominance": [
            {
                "dataset": one.dataset,
                "better": one.better,
                "worse": one.worse,
                "eps": one.eps,
                "eps_min": one.eps_min,
                "arrow": one.arrow,
            }
            for one in over
        ],
    }


def detail(read: RunScoreRows) -> dict[str, Any]:
    """What --detail adds: {robustness: [{model, ar_interval, arsd_interval, best, minima, maxima}], dataset_arsd,
    stability: {runs_needed, curve: [{runs, same, tau}]}, variance: [{model, dataset, sources, draws, total, rest}]}."""
    curve = stability(read.table)
    return {
        "robustness": [
            {
                "model": one.model,
                "ar_interval": one.ar,
                "arsd_interval": one.arsd,
                "best": one.best,
                "minima": {dataset: scores.minimum for dataset, scores in read.table.row(one.model).items()},
                "maxima": {dataset: scores.maximum for dataset, scores in read.table.row(one.model).items()},
            }
            for one in sureness(read.table)
        ],
        "dataset_arsd": dataset_arsd(read.table),
        "stability": {"runs_needed": runs_needed(curve), "curve": [vars(point) for point in curve]},
        "variance": [
            {"model": model, "dataset": dataset} | variance(found, read.table.cell(model, dataset))
            for (model, dataset), found in sorted(read.designed.items())
        ],
    }


def variance(found: Mapping[str, RunScores], ordinary: RunScores) -> dict[str, Any]:
    """A designed experiment's parts."""
    parts = split({source: scores.values for source, scores in found.items()}, ordinary.values)
    return {**vars(parts), "sources": [vars(source) for source in parts.sources]}


def tell(read: RunScoreRows) -> None:
    """Say what was left out, on standard error."""
    if read.ignored:
        say(f"ignored fields: {names(read.ignored)}")
    for model, dataset, runs in read.left_out:
        say(f"left out: {runs} run(s) of {sayable(model, 80)} on {sayable(dataset, 80)} without a score")
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
    """The first names, for a person."""
    known = [sayable(name, 160) for name in listed]
    more = f" and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
    return ", ".join(known[:SHOWN]) + more
