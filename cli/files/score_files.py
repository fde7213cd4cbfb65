"""scrollwork score SUITE --predictions: what a system that ran elsewhere gets, in the same leaderboard as models."""

from __future__ import annotations

import argparse
from typing import Any

from scrollwork.cli.terminal.common import chain_of, print_json, say
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.scoring.files.released import BENCHMARKS

SHOWN_IDS = 10


def run(arguments: argparse.Namespace) -> int:
    """Score, and print the leaderboard; exit status 1 where an id or a task has no partner."""
    if not arguments.predictions:
        raise UsageError(f"score {arguments.suite} needs --predictions PATH")
    if arguments.suite in BENCHMARKS:
        return score_released(arguments)
    if arguments.metric or arguments.stem or arguments.first_line:
        raise UsageError("--metric, --stem and --first-line are for --pairs; a suite's tasks have their own metrics")
    if not arguments.name:
        raise UsageError("--predictions needs --name NAME, under which the system stands in the leaderboard")
    from scrollwork.cli.commands.run import run_with_progress, tell
    from scrollwork.readings.results import Results
    from scrollwork.storage.home import Home
    from scrollwork.suites.outside_systems import adopt_predictions, passed_over, table_of

    home = Home.at(arguments.home, arguments.store)
    model = adopt_predictions(
        arguments.predictions, arguments.name, arguments.suite, tuple(arguments.tasks or ()), home
    )
    arguments.models = [model]
    chain = chain_of(arguments)
    outcome = run_with_progress(arguments, chain)
    matched = Results(chain).matched(outcome)
    inside = table_of(model, home)["tasks"]
    lacking = [name for name in chain.request.config.tasks if name not in inside]
    others = passed_over(arguments.predictions)
    status = tell(arguments, chain, outcome, ids=matched, tasks_without_predictions=lacking, not_read=others)
    for row in matched:
        what = f"{row['task']}, {row['split']}"
        for kind, told in (("missing", "have no prediction"), ("unknown", "are no input of it")):
            if ids := row[kind]:
                say(f"{kind}: {what}: {len(ids):,} ids {told}: {first_ids(ids)}")
        if row["left_out"]:
            say(f"left out: {what}: {row['left_out']:,} predictions for inputs that were not chosen (--limit)")
    if others:
        say(f"not read in the folder: {first_ids(others)}")
    if not arguments.quiet:
        say(f"beside the models of this home: scrollwork report {chain.request.suite}")
    if lacking and not arguments.tasks:
        say(f"no predictions for: {', '.join(lacking)}")
    return int(status or any(row["missing"] or row["unknown"] for row in matched))


def first_ids(ids: list[str]) -> str:
    """Format the first ids for a message."""
    more = f" and {len(ids) - SHOWN_IDS:,} more" if len(ids) > SHOWN_IDS else ""
    return ", ".join(printable(name, 80) for name in ids[:SHOWN_IDS]) + more


def score_released(arguments: argparse.Namespace) -> int:
    """Score files that bring their own gold, each by itself."""
    from scrollwork.exchange.released import score_files

    rows: list[dict[str, Any]] = []
    result = score_files(
        arguments.suite, arguments.predictions, arguments.name, tuple(arguments.tasks or ()), arguments.metric or ""
    )
    rows = result["tasks"]
    if arguments.json:
        print_json(result)
    else:
        for row in rows:
            print(f"{row['task']}  {row['metric']}: {row['value']:.2f} over {row['n']:,} answers  ({row['file']})")
    for row in result["not_scored"]:
        say(f"not scored: {printable(row['file'], 300)}: {row['why']}")
    for row in result["failed"]:
        say(f"error: {row['error']}")
    return int(bool(result["failed"]) or not rows)
