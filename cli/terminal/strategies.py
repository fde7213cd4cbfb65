"""scrollwork estimate --strategies: windows, tokens and price of each strategy of observing contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.cli.seam.tables import print_rows
from scrollwork.cli.terminal.common import say
from scrollwork.cli.terminal.spending import sum_known, usd

COLUMNS = ("strategy", "windows", "a problem", "tokens in", "from cache %", "out, likely", "USD online", "USD batch")
COUNTS = ("windows", "problems", "input_tokens", "cached_tokens", "output_tokens")
PRICES = ("online", "batch")


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print one table per model, one row per strategy over all tasks."""
    for model in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == model]
        together = [sum_over_tasks([row for row in own if row["strategy"] == name]) for name in names(own)]
        print_rows(COLUMNS, [cells(row) for row in together], f"{model}, {together[0]['problems']:,} problems")
    say(
        "tokens in: estimated (4 characters a token), every window new; from cache: questions on one window, one "
        "after another; what is stored and equal prompts come off: estimate --strategy S"
    )


def names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the strategies in order."""
    return list(dict.fromkeys(row["strategy"] for row in rows))


def sum_over_tasks(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up a strategy over all tasks. The price is None where one task has none."""
    prices = [row["price"] for row in rows]
    known = all(price is not None for price in prices)
    return {
        "strategy": rows[0]["strategy"],
        **{name: sum(row[name] for row in rows) for name in COUNTS},
        **{name: sum_known(price[name] for price in prices) if known else None for name in PRICES},
    }


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Format one row."""
    cached = 100 * row["cached_tokens"] / row["input_tokens"] if row["input_tokens"] else 0.0
    return (
        row["strategy"],
        f"{row['windows']:,}",
        f"{row['windows'] / row['problems']:,.1f}" if row["problems"] else "–",
        f"{row['input_tokens']:,}",
        f"{cached:.1f}",
        f"{row['output_tokens']:,}",
        *(usd(row[name]) for name in PRICES),
    )
