"""scrollwork build: raw files -> curated examples -> benchmark samples, and their statistics beside the paper's."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal

from scrollwork.cli.terminal.common import chain_of, console, execute, print_json, say, tell_problems
from scrollwork.cli.terminal.progress import progress_display
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import plan
from scrollwork.flows.lacking import refuse_lacking
from scrollwork.readings.results import Results
from scrollwork.reporting.boards.raw_files import RawNote, remarks, summary
from scrollwork.reporting.page.sizes import Sizes, counted_by, merge_splits, title
from scrollwork.reporting.page.text import percent

if TYPE_CHECKING:
    from scrollwork.cli.terminal.compared import Against

COLUMNS: dict[str, Literal["left", "right"]] = {
    "task": "left",
    "split": "left",
    "examples": "right",
    "paper": "right",
    "words in": "right",
    "paper ": "right",
    "Δ %": "right",
    "words out": "right",
    "spread": "right",
    "dropped": "left",
}


def run(arguments: argparse.Namespace) -> int:
    """Build, and print a row a task."""
    chain = chain_of(arguments)
    against = compare_with_releases(chain, arguments.against) if arguments.against else None
    planned = plan(chain)
    refuse_lacking(chain, planned)
    with progress_display(arguments.quiet, len(planned.statuses)):
        outcome = execute(arguments, chain, planned, "build_datasets")
    results = Results(chain)
    rows = results.built()
    if against:
        against.compare()
    if arguments.json:
        print_json([{**row, **(against.as_json(row) if against else {})} for row in rows])
    else:
        print_table(rows)
        if sizes := results.sizes():
            print_sizes(sizes, {name: list(task.splits) for name, task in chain.request.config.tasks.items()})
        if against:
            against.show()
    tell_raw(rows, arguments.quiet)
    if outcome.report is not None and not arguments.quiet:
        say(f"statistics: {outcome.report}")
    unread = against is not None and against.tell_problems()
    return int(tell_problems(results, outcome) or unread)


def compare_with_releases(chain: Chain, releases: Sequence[str]) -> Against:
    """Return what compares with releases (`--against`). Imported here, so that other builds do not load it."""
    from scrollwork.cli.terminal.compared import Against

    return Against(chain, releases)


def tell_raw(rows: Sequence[Mapping[str, Any]], quiet: bool) -> None:
    """Print which raw files differ from the published ones and, unless quiet, how many there are of each state."""
    told = [(f"{row['task']}, {row['split']}", RawNote.read(row["raw"])) for row in rows]
    for line in [*remarks(told), *([] if quiet or not told else [summary(one for _, one in told)])]:
        say(line)


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print the rows as a table."""
    from rich.table import Table

    caption = "words: means, white-space words; Δ %: of words in; spread: median, in words"
    if any("all_splits" in row for row in rows):
        caption += "; the paper's means are over all splits"
    table = Table(caption=caption, caption_justify="left")
    for name, side in COLUMNS.items():
        table.add_column(name, justify=side, no_wrap=name != "dropped")
    for row, following in zip_longest(rows, rows[1:]):
        paper = row["published"]
        sizes = (paper.get("examples"), paper.get("rows"))
        published = count(sizes[0]) if sizes[1] is None else f"{count(sizes[1])} rows"
        lengths = [words(row["mean_words"]), count(paper.get("words_in"))]
        difference = percent(row["difference"]["words_in"]).removesuffix(" %")
        dropped = ", ".join(f"{reason} {number}" for reason, number in row["dropped"].items()) or "0"
        rest = [*lengths, difference, words(row["words_out"]), words(row["spread_median"]), dropped]
        table.add_row(row["task"], row["split"], count(row["examples"]), published, *rest)
        if "all_splits" in row and (following is None or following["task"] != row["task"]):
            table.add_row(row["task"], "all splits", "–", "–", *over_splits(row["all_splits"]), "–", "")
    console().print(table)


def over_splits(found: Mapping[str, Any]) -> list[str]:
    """Words in, the paper's, the difference and words out of a task over all of its splits; where some are not built
    the paper's alone."""
    own = [words(found[name]) if found["whole"] else "–" for name in ("words_in", "words_out")]
    difference = percent(found["difference"]["words_in"]).removesuffix(" %")
    return [own[0], count(found["published"]["words_in"]), difference, own[1]]


def print_sizes(sizes: Mapping[str, Sequence[Sizes]], known: Mapping[str, Sequence[str]]) -> None:
    """Table 1 of a suite that draws from its data sets: these whole, beside what the paper prints of all splits."""
    from rich.table import Table

    tokenizer = next(one.tokenizer for listed in sizes.values() for one in listed)
    table = Table(
        caption="the data sets whole, before anything is drawn; paper: over all splits, its tokenizer is not stated; "
        "Δ %: of all splits only; "
        f"ours: {counted_by(tokenizer)}; in: documents as a prompt shows them; out: what is to be written",
        caption_justify="left",
    )
    for name in (
        "task",
        "split",
        "samples",
        "paper",
        "documents",
        "paper",
        "in",
        "paper",
        "Δ %",
        "out",
        "paper",
        "Δ %",
    ):
        table.add_column(name, justify="left" if name in ("task", "split") else "right")
    for task, listed in sizes.items():
        for one in [*listed, *([merge_splits(listed, known[task])] if len(listed) > 1 else [])]:
            cells = [count(one.samples), count(one.published.get("samples"))]
            cells += [words(one.mean("documents")), words(one.published.get("documents"))]
            for measure in ("tokens_in", "tokens_out"):
                difference = percent(one.difference(measure)).removesuffix(" %")
                cells += [words(one.mean(measure)), count(one.published.get(measure)), difference]
            table.add_row(task, title(one), *cells)
    console().print(table)


def count(value: int | None) -> str:
    """Format a number of examples."""
    return "–" if value is None else f"{value:,}"


def words(value: float | None) -> str:
    """Format a mean or median number of words."""
    return "–" if value is None else f"{value:,.1f}"
