"""scrollwork estimate: requests, tokens and price of a run, by task, before anything is sent."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from scrollwork.cli.terminal.common import chain_of, print_json, print_whole, say
from scrollwork.cli.terminal.progress import progress_display
from scrollwork.cli.terminal.spending import sum_known, usd
from scrollwork.flows.epochs import with_epochs
from scrollwork.models.registry import HOSTED, is_outside
from scrollwork.pipeline.design import reader_of
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.answer_lengths import ENOUGH
from scrollwork.readings.model_warnings import vendor_warnings
from scrollwork.reporting.page.text import visible

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS: dict[str, Literal["left", "right"]] = {
    "task": "left",
    "requests": "right",
    "stored": "right",
    "to ask": "right",
    "tokens in": "right",
    "from cache": "right",
    "out, likely": "right",
    "out, most": "right",
    "USD online": "right",
    "most": "right",
    "USD batch": "right",
}
COUNTS = ("requests", "stored", "to_ask", "input_tokens", "cached_tokens", "output_tokens", "output_tokens_most")
PRICES = ("online", "online_most", "batch")


def run(arguments: argparse.Namespace) -> int:
    """Print the estimate."""
    from scrollwork.flows.execute import plan
    from scrollwork.readings.estimate import estimates

    if not arguments.models:
        raise UsageError("estimate needs a model: --model openai:gpt-6-luna")
    if arguments.strategies and arguments.ways:
        raise UsageError("--strategies and --ways: one at a time")
    if arguments.strategies:
        return strategies(arguments)
    if arguments.ways:
        return by_way(arguments)
    chain = with_epochs(chain_of(arguments), opening=False)
    with progress_display(arguments.quiet, len(plan(chain).statuses)):
        rows, free, failed = estimates(chain)
    for problem in failed:
        say(f"error: {problem}")
    if arguments.json:
        print_json(rows)
        return int(bool(failed))
    for model in dict.fromkeys(row["model"] for row in rows):
        print_whole(table_of(model, [row for row in rows if row["model"] == model]))
    others = [model for model, table in chain.resolved.tables.items() if is_outside(table["provider"])]
    known = [model for model in chain.request.models if model not in others]
    told = [*remarks(rows, known), *cuts(free), *vendor_warnings(chain.resolved.calling)]
    told += [
        f"{model}: answers through a module of its own; what it asks and costs is not known here" for model in others
    ]
    for line in told if rows or not failed else []:
        say(line)
    return int(bool(failed))


def strategies(arguments: argparse.Namespace) -> int:
    """Print what each strategy of observing windows would cost."""
    from scrollwork.cli.terminal.strategies import show

    chain = with_epochs(chain_of(arguments), opening=False)
    rows, failed = reader_of(chain.request.config, "estimate --strategies").strategy_costs(chain)
    for problem in failed:
        say(f"error: {problem}")
    if arguments.json:
        print_json(rows)
    else:
        show(rows)
    return int(bool(failed))


def by_way(arguments: argparse.Namespace) -> int:
    """Print what each way of asking would cost."""
    from scrollwork.cli.terminal.ways import show
    from scrollwork.readings.ways import ways

    chain = with_epochs(chain_of(arguments), opening=False)
    rows, failed = ways(chain)
    for problem in failed:
        say(f"error: {problem}")
    if arguments.json:
        print_json(rows)
        return int(bool(failed))
    show(rows)
    if not rows and not failed and not any(t["provider"] in HOSTED for t in chain.resolved.calling.tables.values()):
        say(f"{', '.join(chain.request.models)}: asks no provider and costs nothing")
    priced = {row["model"] for row in rows}
    for model, table in chain.resolved.calling.tables.items():
        if model not in priced and table["provider"] in HOSTED and not failed:
            say(f"{model}: no price in its table, so no way has one")
    return int(bool(failed))


def table_of(model: str, rows: list[dict[str, Any]]) -> Table:
    """Make the table of one model: its rows and their sum."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(visible(model)), title_justify="left", show_footer=len(rows) > 1)
    for (name, side), footer in zip(COLUMNS.items(), cells(total(rows)), strict=True):
        table.add_column(name, justify=side, footer=footer, no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in cells(row)))
    return table


def cells(row: dict[str, Any]) -> list[str]:
    """Format one row."""
    price = row["price"] or {}
    arm = "" if row["arm"] == "full" else f", {row['arm']}"
    return [
        row["task"] + arm,
        *(f"{row[name]:,}" for name in COUNTS),
        *(usd(price.get(name)) for name in PRICES),
    ]


def total(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Add up all rows. The price is None where one row has none."""
    prices = [row["price"] for row in rows]
    known = bool(prices) and all(price is not None for price in prices)
    return {
        "task": "all",
        "arm": "full",
        **{name: sum(row[name] for row in rows) for name in COUNTS},
        "price": {name: sum_known(price[name] for price in prices) for name in PRICES} if known else None,
    }


def cuts(rows: list[dict[str, Any]]) -> list[str]:
    """Say how much of their documents prompts lose by truncation, by model and task."""
    lines = []
    for row in rows:
        if row["truncated"]:
            share = f"{row['dropped_chars'] / row['document_chars']:.1%}"
            cut = f"{row['truncated']:,} of {row['prompts']:,} prompts"
            lines.append(f"{row['model']}: {row['task']}: {cut} are cut to fit, {share} of all documents is lost")
    return lines


def thoughts(rows: list[dict[str, Any]]) -> list[str]:
    """Say by model how many tokens of the output are thoughts, and where that is known from."""
    lines = []
    for model in dict.fromkeys(row["model"] for row in rows if row["thoughts_most"]):
        own = [row for row in rows if row["model"] == model and row["to_ask"]]
        likely, most = (sum(row[name] for row in own) for name in ("thought_tokens", "thoughts_most"))
        asked = sum(row["to_ask"] for row in own)
        measured = sum(row["to_ask"] for row in own if row["outputs_measured"])
        but = f" but for {measured:,} requests" if measured else ""
        known = "by answers in this home" if measured == asked else f"a guess by its effort{but}"
        lines.append(
            f"{model}: its thoughts are paid as output: likely and online hold {likely:,} tokens of them, {known} "
            f"({ENOUGH} answers of a task tell); most holds {most:,}"
        )
    return lines


def remarks(rows: list[dict[str, Any]], models: Sequence[str]) -> list[str]:
    """Return the sentences that are printed below the table."""
    lines = []
    if not rows:
        return [f"{', '.join(models)}: asks no provider and costs nothing"] if models else []
    if any(not row["counted"] for row in rows):
        lines.append(
            "tokens in: estimated (4 characters a token); a model's own tokenizer counts them: --tokenizer NAME, with "
            "--context TOKENS where its context is not known"
        )
    told, asked = (sum(row[name] for row in rows) for name in ("prompts", "requests"))
    if told > asked:
        share = f"{(told - asked) / told:.1%}"
        lines.append(f"{told - asked:,} of {told:,} prompts ({share}) are equal to others: asked once")
    lines += cuts(rows)
    cached, read = (sum(row[name] for row in rows) for name in ("cached_tokens", "input_tokens"))
    if cached:
        lines.append(f"from cache: {cached / read:.1%} of tokens in, where prompts that begin alike follow each other")
    measured = sum(row["to_ask"] for row in rows if row["outputs_measured"])
    but = f", of {measured:,} requests as long as such answers in this home" if measured else ""
    lines.append(
        f"most: nothing from the cache, every answer at its limit; likely: answers as long as the references{but}"
    )
    lines += thoughts(rows)
    for model in dict.fromkeys(row["model"] for row in rows if row["price"] is None):
        lines.append(
            f"{model}: no price in its table; add price = {{ input = ..., output = ... }} (USD per million tokens) "
            "in a file for --models"
        )
    waiting = sum(row["in_batches"] for row in rows)
    if waiting:
        lines.append(f"{waiting:,} requests wait in batches and are not asked again; run with --batch takes them in")
    ended = sum(row["ended"] for row in rows)
    if ended:
        lines.append(f"{ended:,} requests failed for good and are not asked again without --retry-failed")
    return lines
