"""scrollwork gc: remove what nothing that is kept refers to."""

from __future__ import annotations

import argparse

from scrollwork.cli.terminal.common import print_json, say
from scrollwork.flows.keeping.garbage import Garbage, garbage_of
from scrollwork.flows.keeping.removal import collect, places
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.verify import require_home
from scrollwork.storage.home import Home
from scrollwork.storage.in_use import InUse, alone

LONGEST, SHOWN = 400, 20  # characters of a line; notes that are printed
MOST_DAYS = 100_000


def run(arguments: argparse.Namespace) -> int:
    """Say what would go, or remove it. Returns 0. Raises UsageError, InUse, StorageError."""
    home = Home.at(arguments.home, arguments.store)
    days = days_of(arguments)
    require_home(home)
    if not arguments.yes:
        found = listed(home, days)
        show(arguments, found, "would go")
        if not arguments.json:
            say("nothing was removed: --yes does it" if found.items else "nothing to remove")
        return 0
    done = collect(home, days)
    if arguments.json:
        print_json({**as_json(done.garbage), "removed": places(done.items), "freed": done.bytes, "left": done.left})
        return 0
    show(arguments, done.garbage, "goes")
    for line in done.left:
        say(printable(line, LONGEST))
    print(f"removed: {len(done.items):,} of {len(done.garbage.items):,}, {size(done.bytes)}")
    return 0


def days_of(arguments: argparse.Namespace) -> int:
    """Return the value of --keep-days. Raises UsageError."""
    days: int = arguments.keep_days
    if not 0 <= days <= MOST_DAYS:
        raise UsageError(f"--keep-days {days}: write a number of days from 0 to {MOST_DAYS:,}")
    return days


def listed(home: Home, keep_days: int) -> Garbage:
    """List what would go, alone in the home where that can be had: under a run, some of it may be in use."""
    if "://" in home.url or not home.writable:
        return garbage_of(home, keep_days)
    try:
        with alone(home.url):
            return garbage_of(home, keep_days)
    except InUse:
        found = garbage_of(home, keep_days)
        found.notes.append("a run is at work here: what it uses may be listed, and --yes waits for no run, it refuses")
        return found


def show(arguments: argparse.Namespace, found: Garbage, how: str) -> None:
    """Print what was found, by stage and reason."""
    if arguments.json:
        print_json({**as_json(found), "removed": [], "freed": 0, "left": []})
        return
    for note in found.notes[:SHOWN]:
        say(f"note: {printable(note, LONGEST)}")
    if len(found.notes) > SHOWN:
        say(f"note: {len(found.notes) - SHOWN:,} more; --json has all")
    for row in found.by_stage():
        what = row["stage"] if row["kind"] in ("artifact", row["stage"]) else f"{row['stage']} {row['kind']}"
        print(f"{how}: {row['count']:,} {printable(what, 80)}, {size(row['bytes'])}: {row['why']}")
    every, kept = found.rows
    print(
        f"{how}: {len(found.items):,} in all, {size(sum(one.bytes for one in found.items))}; "
        f"{found.kept:,} artifacts stay, of {kept:,} of {every:,} runs and their plans. Answers in the store stay"
    )


def as_json(found: Garbage) -> dict[str, object]:
    """Return what was found as data."""
    return {
        "items": places(found.items),
        "by_stage": found.by_stage(),
        "bytes": sum(one.bytes for one in found.items),
        "artifacts_kept": found.kept,
        "runs": found.rows[0],
        "runs_kept": found.rows[1],
        "notes": found.notes,
    }


def size(count: int) -> str:
    """Return a number of bytes for people: 1.2 MB."""
    value = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:,.0f} {unit}" if unit == "bytes" else f"{value:,.1f} {unit}"
        value /= 1000
    return f"{value:,.1f} TB"
