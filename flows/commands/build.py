"""scrollwork build: raw files -> curated examples -> benchmark samples."""

from __future__ import annotations

import argparse
from typing import Any, Literal

from flows.commands.common import console, execute, print_json, request_of, tell_problems
from flows.commands.progress import shown
from tasks.chain import plan
from tasks.results import Results

COLUMNS: dict[str, Literal["left", "right"]] = {
    "task": "left",
    "split": "left",
    "examples": "right",
    "documents": "right",
    "references": "right",
    "mean words": "right",
    "dropped": "left",
}


def run(arguments: argparse.Namespace) -> int:
    """Build, and print a row a task."""
    request = request_of(arguments)
    planned = plan(request)
    with shown(arguments.quiet, len(planned.statuses)):
        chain = execute(arguments, request, planned, "build_datasets")
    rows = Results(request).built()
    if arguments.json:
        print_json(rows)
    else:
        print_table(rows)
    return int(tell_problems(chain, request))


def print_table(rows: list[dict[str, Any]]) -> None:
    """The rows for people."""
    from rich.table import Table

    table = Table()
    for name, side in COLUMNS.items():
        table.add_column(name, justify=side, no_wrap=name != "dropped")
    for row in rows:
        words = "–" if row["mean_words"] is None else f"{row['mean_words']:,.1f}"
        counts = [f"{row[name]:,}" for name in ("examples", "documents", "references")]
        dropped = ", ".join(f"{reason} {count}" for reason, count in row["dropped"].items()) or "0"
        table.add_row(row["task"], row["split"], *counts, words, dropped)
    console().print(table)
