"""scrollwork nights accept, scrollwork nights mute: what a person decides about nights."""

from __future__ import annotations

import argparse
import getpass
import time

from scrollwork.cli.terminal.common import print_json, say
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.nights.accepted import accepted_lines, as_json, too_few
from scrollwork.readings.nights.register import Nights
from scrollwork.readings.nights.row import named
from scrollwork.records.nights.dates import is_date
from scrollwork.records.nights.decisions import Acceptance, Mute
from scrollwork.records.nights.night import CANARY
from scrollwork.storage.home import Home

LONGEST, LONGEST_LINE = 100, 400  # characters of a name, of a line on what is accepted


def run(arguments: argparse.Namespace) -> int:
    """Accept a night, or mute a task. Raises UsageError."""
    nights = Nights(Home.at(arguments.home, arguments.store).url)
    return accept(nights, arguments) if arguments.subcommand == "accept" else mute(nights, arguments)


def accept(nights: Nights, arguments: argparse.Namespace) -> int:
    """Accept a night, unless it is the one that was accepted last. Raises UsageError for one with too few answers."""
    rows = {row.name: row for row in nights.rows()}
    row = named(rows, arguments.night)
    own = {one.digest: one.name for one in rows.values() if (one.suite, one.settings) == (row.suite, row.settings)}
    accepted = [one for one in nights.accepted() if one.digest in own]
    new = not accepted or accepted[-1].digest != row.digest
    if row.kind == CANARY:
        raise UsageError(
            f"{row.name} is a canary, and full nights are compared with full ones: accept a night with the full set"
        )
    lines = list(accepted_lines(row))
    if new and too_few(row) and not arguments.incomplete:
        for line in lines:
            say(printable(line, LONGEST_LINE))
        raise UsageError(
            f"{row.name} has too few answers to be accepted unseen. Accept it all the same with --incomplete, or first "
            "ask again what failed for good: the command of that night with --fresh never --retry-failed"
        )
    made = Acceptance(row.name, row.digest, person(arguments.by), int(time.time())) if new else accepted[-1]
    if new:
        nights.accept(made)
    tell_notes(nights)
    if arguments.json:
        print_json({"night": row.name, "by": made.by, "at": made.at, "new": new, **as_json(row)})
    elif new:
        print(f"{row.name} is accepted by {made.by or 'an unknown user'}: later nights are compared with it")
        for line in lines:
            print(printable(line, LONGEST_LINE))
    else:
        print(f"{row.name} is the accepted night already, by {made.by or 'an unknown user'}")
    return 0


def mute(nights: Nights, arguments: argparse.Namespace) -> int:
    """Mute a task that stands in some night."""
    if not is_date(arguments.until):
        raise UsageError(f"--until {arguments.until!r}: write a day, such as 2026-12-24")
    known = sorted({task.task for row in nights.rows() for one in row.models for task in one.tasks})
    if arguments.task not in known:
        told = f"; there are: {', '.join(known)}{nearest_known(arguments.task, tuple(known))}" if known else ""
        raise UsageError(f"no stored night has a task {arguments.task!r}{told}")
    made = Mute(arguments.task, arguments.until, person(arguments.by), int(time.time()))
    nights.mute(made)
    tell_notes(nights)
    if arguments.json:
        print_json({"task": made.task, "until": made.until, "by": made.by})
    elif made.until < time.strftime("%Y-%m-%d", time.gmtime()):
        print(f"{made.task} is not muted any more")
    else:
        print(f"{made.task} is muted until {made.until}: a drop raises no alarm up to that day")
    return 0


def person(named_by: str) -> str:
    """Return who decides: as named, else the user of this machine, "" if it has none. Raises UsageError."""
    if named_by and (not named_by.isprintable() or len(named_by) > LONGEST):
        raise UsageError(f"--by: write a name of at most {LONGEST} printable characters")
    try:
        return named_by or getpass.getuser()
    except (OSError, KeyError):
        return ""


def tell_notes(nights: Nights) -> None:
    """Print what was passed over."""
    for note in nights.notes:
        say(f"note: {note}")
