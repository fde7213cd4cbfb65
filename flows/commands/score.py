"""scrollwork score: any JSONL of predictions and references, by one metric."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

from flows.commands.common import print_json
from scoring.pairs import PairError, read_pairs, score_pairs
from scoring.registry import metric
from tasks.errors import StageFailed, UsageError


def run(arguments: argparse.Namespace) -> int:
    """Score, and print the value."""
    try:
        chosen = metric(arguments.metric, **({"stem": True} if arguments.stem else {}))
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        stream = nullcontext(sys.stdin.buffer) if arguments.pairs == "-" else Path(arguments.pairs).open("rb")
    except OSError as error:
        raise UsageError(f"--pairs {arguments.pairs}: {error.strerror}") from error
    with stream as lines:
        try:
            result = score_pairs(chosen, read_pairs(lines), first_line=arguments.first_line)
        except PairError as error:
            raise StageFailed(f"{arguments.pairs}, {error}") from error
    if arguments.json:
        print_json(result)
        return 0
    print(f"{result['metric']}: {result['value']:.4f} over {result['n']} answers")
    for name, value in result["components"].items():
        print(f"  {name}: {value:.4f}")
    return 0
