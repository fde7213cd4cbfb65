"""scrollwork score: pairs of predictions and references by one metric, or the files of a system that ran elsewhere."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from scrollwork.cli.terminal.common import lines_of, print_json
from scrollwork.pipeline.entry_points import METRICS, installed_entry_points
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.scoring.names import JUDGED, MODULES
from scrollwork.scoring.registry import metric
from scrollwork.suites.plugins import resolve_name

if TYPE_CHECKING:
    from scrollwork.scoring.outcome import Metric


def run(arguments: argparse.Namespace) -> int:
    """Score, and print the value or the leaderboard."""
    if arguments.suite and arguments.pairs:
        raise UsageError("score takes a suite with --predictions, or --metric with --pairs; not both")
    judging = (arguments.faithfulness, arguments.coverage, arguments.models_file)
    if any(judging) and not (arguments.pairs and arguments.metric in JUDGED):
        raise UsageError(f"--faithfulness, --coverage and --models are for --metric {', '.join(JUDGED)} --pairs FILE")
    if arguments.suite:
        from scrollwork.cli.files.score_files import run as run_files

        return run_files(arguments)
    if not (arguments.metric and arguments.pairs):
        raise UsageError("score needs --metric NAME --pairs FILE, or SUITE --predictions PATH --name NAME")
    if arguments.predictions or arguments.name:
        raise UsageError("--predictions and --name need a suite: score zeroscrolls --predictions PATH --name NAME")
    return pairs(arguments)


def pairs(arguments: argparse.Namespace) -> int:
    """Score a pairs file."""
    from scrollwork.scoring.files.pairs import PairError, read_pairs, score_pairs

    chosen = metric_of(arguments)
    try:
        result = score_pairs(chosen, read_pairs(lines_of(arguments.pairs, "--pairs")), first_line=arguments.first_line)
    except PairError as error:
        raise StageFailed(f"{arguments.pairs}, {error}") from error
    if judges := getattr(chosen, "judges", None):
        result["judges"] = judges
    if arguments.json:
        print_json(result)
        return 0
    print(f"{result['metric']}: {result['value']:.4f} over {result['n']} answers")
    for name, value in result["components"].items():
        print(f"  {name}: {value:.4f}")
    return 0


def metric_of(arguments: argparse.Namespace) -> Metric:
    """The metric that is asked for. Raises UsageError."""
    if arguments.metric in JUDGED:
        from scrollwork.storage.home import Home
        from scrollwork.suites.judging_models import ROLES, judging_tables
        from scrollwork.tasks.score.judge_models import fic_of

        if arguments.stem:
            raise UsageError(f"--stem is no option of {arguments.metric}")
        home = Home.at(arguments.home, arguments.store)
        return fic_of(judging_tables({role: getattr(arguments, role) for role in ROLES}, arguments.models_file, home))
    name = arguments.metric
    if "." in name or name in installed_entry_points(METRICS):
        name = resolve_name(METRICS, name, MODULES, "--metric")
    try:
        return metric(name, **({"stem": True} if arguments.stem else {}))
    except ValueError as error:
        raise UsageError(str(error)) from error
