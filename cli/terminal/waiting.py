"""What waits in batches at providers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from scrollwork.preprocessing.raw.errors import printable

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain


def in_batches(chain: Chain) -> list[str]:
    """Return a line for each open batch of a chain's models."""
    tables = chain.resolved.calling.tables
    if not tables:
        return []
    from scrollwork.readings.open_batches import open_batches

    found = open_batches(chain.session.home)
    return [f"{batch_line(one)}; run the same command with --batch later" for one in found if one["model"] in tables]


def batch_line(one: dict[str, Any]) -> str:
    """Format an open batch as one line."""
    since = time.strftime("%Y-%m-%d %H:%M", time.localtime(one["since"]))
    name = printable(str(one["batch"]), 80) or "that the provider has not confirmed"
    return f"{one['requests']:,} requests of {printable(str(one['model']), 80)} wait in batch {name}, since {since}"
