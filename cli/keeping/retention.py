"""scrollwork retention: let Prefect forget old flow runs of a home."""

from __future__ import annotations

import argparse

from scrollwork.cli.keeping.garbage import LONGEST, days_of, size
from scrollwork.cli.terminal.common import print_json, say
from scrollwork.flows.keeping.retention import forget
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.verify import require_home
from scrollwork.storage.epochs import time_text
from scrollwork.storage.home import Home


def run(arguments: argparse.Namespace) -> int:
    """Say what would go, or remove it. Returns 0. Raises UsageError, ServiceError, StorageError."""
    home = Home.at(arguments.home, arguments.store)
    days = days_of(arguments)
    require_home(home)
    found = forget(home, days, doing=arguments.yes)
    if arguments.json:
        files = [{"file": name, "bytes": count} for name, count in found.files]
        told = {"flow_runs": found.runs, "files": files, "kept_of_nights": found.kept, "notes": found.notes}
        print_json({**told, "removed": arguments.yes})
        return 0
    for note in found.notes:
        say(f"note: {printable(note, LONGEST)}")
    how = "removed" if arguments.yes else "would go"
    for row in found.runs:
        ended = time_text(row["ended"]) if row["ended"] else "at an unknown time"
        artifacts = f", {row['artifacts']:,} artifacts" if row["artifacts"] else ""
        print(f"{how}: flow run {printable(row['name'], 80)}, {row['state']}, ended {ended}{artifacts}")
    for name, count in found.files:
        print(f"{how}: {printable(name, LONGEST)}, {size(count)}")
    nights = f"; {found.kept:,} old flow runs of kept nights stay" if found.kept else ""
    print(f"{how}: {len(found.runs):,} flow runs, {len(found.files):,} logs{nights}")
    if not arguments.yes and (found.runs or found.files):
        say("nothing was removed: --yes does it")
    return 0
