"""scrollwork models: what is known of hosted models, and what their vendors say of them today."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal

from scrollwork.cli.terminal.common import console, print_json, say
from scrollwork.readings.model_warnings import SOON_DAYS
from scrollwork.readings.vendor_models import check_models, ending_soon, known_models, missing_keys
from scrollwork.reporting.page.text import visible

MOST_SHOWN = 120  # characters of what is sent
COLUMNS: dict[str, Literal["left", "right"]] = {
    "model": "left",
    "context": "right",
    "USD per million tokens: in, cached, out": "left",
    "ends": "left",
    "sent for 100 tokens": "left",
}


def run(arguments: argparse.Namespace) -> int:
    """List the models, or ask their vendors."""
    return check(arguments) if arguments.action == "check" else listing(arguments)


def listing(arguments: argparse.Namespace) -> int:
    """Print what the tables and the vendors' files say of each model."""
    from rich.table import Table

    rows = known_models(arguments.models_file)
    if arguments.json:
        print_json(rows)
        return 0
    for vendor in dict.fromkeys(row["vendor"] for row in rows):
        own = [row for row in rows if row["vendor"] == vendor and not (row["days_left"] or 1) <= 0]
        if not own:
            continue
        table = Table(title=vendor or "servers of your own, and models that are no more")
        for name, justify in COLUMNS.items():
            table.add_column(name, justify=justify)
        for row in own:
            table.add_row(visible(row["model"]), f"{row['context']:,}" if row["context"] else "", prices(row),
                          row["ends"] or "", visible(sent_line(row["sent"])))  # fmt: skip
        console().print(table)
    for line in ending_soon(rows, SOON_DAYS):
        say(f"warning: {line}")
    return 0


def prices(row: Mapping[str, Any]) -> str:
    """Format the prices of a row: today's, those above a prompt length, those from a later day."""
    parts, dated = [], len({one["from"] for one in row["price"]}) > 1
    for one in row["price"]:
        above = f" above {one['above']:,}" if one["above"] else ""
        since = f" from {one['from']}" if dated else ""
        parts.append(f"{one['input']:g}, {one['cached']:g}, {one['output']:g}{above}{since}")
    return "\n".join(parts)


def sent_line(found: Mapping[str, Any]) -> str:
    """Format the parameters of a request as one line."""
    text = ", ".join(f"{name}={value}" for name, value in found.items())
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def check(arguments: argparse.Namespace) -> int:
    """Print where vendors differ from what is known here. Exit status 1 where a vendor could not be asked."""
    found = check_models(arguments.models_file)
    if found and (missing := missing_keys(arguments.models_file)):
        say(f"not asked, for want of a key: {', '.join(missing)}")
    if arguments.json:
        print_json([asdict(one) for one in found])
        return int(any(one.problem for one in found))
    if not found:
        say("no key is set, so no vendor was asked; OPENAI_API_KEY, ANTHROPIC_API_KEY and the like say where")
    for one in found:
        print(f"{one.address}: {one.problem or f'{one.models:,} models'}")
        for line in one.differences:
            print(f"  {line}")
        if not one.problem and not one.differences:
            print("  as it is known here")
    return int(any(one.problem for one in found))
