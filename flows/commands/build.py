"""scrollwork build: raw files -> curated examples -> benchmark samples."""

from __future__ import annotations

import argparse
from typing import Any, Literal

from flows.commands.common import console, execute, print_json, request_of, tell_problems
from flows.commands.compared import Compared, as_json, print_comparisons
from flows.commands.compared import tell_problems as compared_problems
from flows.commands.progress import shown
from tasks.against import comparisons, locate
from tasks.chain import plan
from tasks.results import Results
from tasks.stages import parts

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
    releases = locate(request, arguments.against)
    planned = plan(request)
    with shown(arguments.quiet, len(planned.statuses)):
        chain = execute(arguments, request, planned, "build_datasets")
    rows = Results(request).built()
    compared = comparisons(request, releases)
    if arguments.json:
        print_json([{**row, **compared_json(row, compared)} for row in rows])
    else:
        print_table(rows)
        print_comparisons(compared)
    wanted = ((part.task.name, part.split) for part in (parts(request) if arguments.against else ()))
    unread = compared_problems(compared, wanted)
    return int(tell_problems(chain, request) or unread)


def compared_json(row: dict[str, Any], compared: Compared) -> dict[str, Any]:
    """What a row says of the comparison with a release."""
    one = compared.get((row["task"], row["split"]))
    return {} if one is None else {"against": as_json(one)}


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
