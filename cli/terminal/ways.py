"""scrollwork estimate --ways: what each way of asking hosted models costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.cli.seam.tables import print_rows
from scrollwork.cli.terminal.common import say
from scrollwork.cli.terminal.spending import usd
from scrollwork.readings.answer_lengths import ENOUGH

COLUMNS = ("way", "cache", "USD", "of the bound", "time", "")


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print one table per model, one row per way."""
    for model in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == model]
        print_rows(COLUMNS, [cells(row) for row in own], model)
    if rows:
        say(
            "USD: what is still to be asked, answers as long as the references, or as those of this home from "
            f"{ENOUGH} of a task on; the bound: each common prefix of prompts, by whole parts, is written once and "
            "read by all others"
        )
        for row in {row["model"]: row for row in rows if row["thought_tokens"]}.values():
            known = "by answers in this home" if row["outputs_measured"] else "a guess"
            tokens = f"{row['thought_tokens']:,} tokens of thoughts a call, {known}"
            say(f"{row['model']}: {tokens}; where it thinks more, batch and flex gain")
        say("cheapest: of the ways of `run --way`, which keeps prefixes for the shortest time that the vendor has")


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Format one row."""
    seconds = row["seconds"]
    time = "–" if seconds is None else f"{seconds / 60:,.0f} min" if seconds < 3600 else f"{seconds / 3600:,.1f} h"
    return (
        row["way"],
        f"{row['lifetime'] or 'yes'}" if row["cache"] else "no",
        usd(row["usd"]),
        "–" if row["ratio"] is None else f"{row['ratio']:.2f}",
        f"up to {time}" if row["at_most"] else time,
        "cheapest" if row["best"] else "",
    )
