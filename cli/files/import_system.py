"""scrollwork import: `score SUITE --predictions PATH --name NAME` by another name, for logs of other tools."""

from __future__ import annotations

import argparse

from scrollwork.cli.files.score_files import run as run_files


def run(arguments: argparse.Namespace) -> int:
    """Take the files in, and score them."""
    arguments.metric, arguments.stem, arguments.first_line = "", False, False
    return run_files(arguments)
