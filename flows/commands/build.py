"""scrollwork build: raw files -> curated examples -> benchmark samples, and their statistics beside the paper's."""

from __future__ import annotations

import argparse
from typing import Any, Literal

from flows.commands.common import console, execute, print_json, request_of, say, tell_problems
from flows.commands.compared import Compared, as_json, print_comparisons
from flows.commands.compared import tell_problems as compared_problems
from flows.commands.progress import shown
from reporting.text import percent
from tasks.against import comparisons, locate
from tasks.chain import plan
from tasks.results import Results
from tasks.stages import parts

COLUMNS: dict[str, Literal["left", "right"]] = {
    "task": "left",
    "split": "left",
    "examples": "right",
    "paper": "right",
    "mean words": "right",
    "paper ": "right",
    "Δ %": "right",
    "words out": "right",
    "spread": "right",
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
    if chain.report is not None and not arguments.quiet:
        say(f"statistics: {chain.report}")
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
        paper = row["published"]
        sizes = (paper.get("examples"), paper.get("rows"))
        published = count(sizes[0]) if sizes[1] is None else f"{count(sizes[1])} rows"
        lengths = [words(row["mean_words"]), count(paper.get("words_in"))]
        difference = percent(row["difference"]["words_in"]).removesuffix(" %")
        dropped = ", ".join(f"{reason} {number}" for reason, number in row["dropped"].items()) or "0"
        rest = [*lengths, difference, words(row["words_out"]), words(row["spread_median"]), dropped]
        table.add_row(row["task"], row["split"], count(row["examples"]), published, *rest)
    console().print(table)


def count(value: int | None) -> str:
    """A number of examples."""
    return "–" if value is None else f"{value:,}"


def words(value: float | None) -> str:
    """A mean or median number of words."""
    return "–" if value is None else f"{value:,.1f}"
