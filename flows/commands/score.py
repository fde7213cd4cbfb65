"""scrollwork score: pairs of predictions and references by one metric, or the files of a system that ran elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from flows.commands.common import print_json
from tasks.errors import StageFailed, UsageError


def run(arguments: argparse.Namespace) -> int:
    """Score, and print the value or the leaderboard."""
    if arguments.suite and arguments.pairs:
        raise UsageError("score takes a suite with --predictions, or --metric with --pairs; not both")
    if arguments.suite:
        from flows.commands.score_files import run as run_files

        return run_files(arguments)
    if not (arguments.metric and arguments.pairs):
        raise UsageError("score needs --metric NAME --pairs FILE, or SUITE --predictions PATH --name NAME")
    if arguments.predictions or arguments.name:
        raise UsageError("--predictions and --name need a suite: score zeroscrolls --predictions PATH --name NAME")
    return pairs(arguments)


def pairs(arguments: argparse.Namespace) -> int:
    """Score a pairs file."""
    from scoring.pairs import PairError, read_pairs, score_pairs
    from scoring.registry import metric

    try:
        chosen = metric(arguments.metric, **({"stem": True} if arguments.stem else {}))
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        result = score_pairs(chosen, read_pairs(lines_of(arguments.pairs)), first_line=arguments.first_line)
    except PairError as error:
        raise StageFailed(f"{arguments.pairs}, {error}") from error
    if arguments.json:
        print_json(result)
        return 0
    print(f"{result['metric']}: {result['value']:.4f} over {result['n']} answers")
    for name, value in result["components"].items():
        print(f"  {name}: {value:.4f}")
    return 0


def lines_of(path: str) -> Iterator[bytes]:
    """The lines of a file, or of standard input for "-", with their ends. Raises UsageError."""
    if path == "-":
        yield from sys.stdin.buffer
        return
    try:
        with Path(path).open("rb") as stream:
            yield from stream
    except OSError as error:
        raise UsageError(f"--pairs {path}: {error.strerror}") from error
