"""scrollwork store: answers to a file and from one, backed up and restored; the store checked and repaired."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.cli.terminal.common import print_json
from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.home import Home

if TYPE_CHECKING:
    from scrollwork.storage.answers.check import StoreCheck
    from scrollwork.storage.answers.transfer import Imported

SHOWN = 20  # lines of one kind; --json has all


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked of the store. Only `import`, `restore` and `repair` make one where there is none."""
    home = Home.at(arguments.home, arguments.store)
    if arguments.action in ("export", "backup") and not home.has_store:
        raise UsageError(f"no answers are stored in {home.url}")
    return ACTIONS[arguments.action](home, arguments)


def export(home: Home, arguments: argparse.Namespace) -> int:
    """Export all answers to a file."""
    if not arguments.out or arguments.file:
        raise UsageError("store export: name the file with --out FILE")
    from scrollwork.storage.answers.store import ResponseStore
    from scrollwork.storage.answers.transfer import export_answers

    done = export_answers(ResponseStore(home.store_place), Path(arguments.out))
    if arguments.json:
        print_json({"out": arguments.out, **vars(done)})
    else:
        print(f"{arguments.out}: {done.answers:,} answers with {done.attempts:,} attempts")
    return 0


def bring_answers(home: Home, arguments: argparse.Namespace) -> int:
    """Import the answers of a file into the store."""
    if not arguments.file or arguments.out:
        raise UsageError("store import: name the file, scrollwork store import FILE")
    from scrollwork.storage.answers.store import ResponseStore
    from scrollwork.storage.answers.transfer import check_file, import_answers

    path = Path(arguments.file)
    check_file(path)  # before a store is made for it
    return tell_imported(arguments, import_answers(ResponseStore(home.store_place), path))


def back_up(home: Home, arguments: argparse.Namespace) -> int:
    """Copy the answers that a backup lacks into its folder."""
    if not arguments.out or arguments.file:
        raise UsageError("store backup: name the folder with --out DIR")
    from scrollwork.storage.answers.backup import back_up as write
    from scrollwork.storage.answers.store import ResponseStore
    from scrollwork.storage.location import Location

    done = write(ResponseStore(home.store_place), Location(arguments.out))
    if arguments.json:
        print_json({"out": arguments.out, **vars(done)})
    else:
        show("damaged: ", [f"{why}; what the store has of it was written anew" for why in done.damaged])
        if done.damaged:
            print("damaged parts stay where they are; to be rid of them back up into a new folder")
        if done.different:
            print(f"{done.different:,} of its answers differ from those of this store; they were kept as they are")
        print(f"{arguments.out}: {done.new:,} new answers; it holds {done.answers:,} in {done.parts:,} parts")
    return 1 if done.damaged or done.different else 0


def restore(home: Home, arguments: argparse.Namespace) -> int:
    """Import the answers of a backup into the store."""
    if not arguments.file or arguments.out:
        raise UsageError("store restore: name the folder, scrollwork store restore DIR")
    from scrollwork.storage.answers.backup import check_backup, parts_of, problem_of
    from scrollwork.storage.answers.backup import restore as take
    from scrollwork.storage.answers.store import ResponseStore
    from scrollwork.storage.location import Location

    folder = Location(arguments.file)
    if arguments.intact:
        left = [why for part in parts_of(folder) if (why := problem_of(folder, part))]
        print("\n".join(f"left out: {why}" for why in left), file=sys.stderr, end="\n" if left else "")
    else:
        check_backup(folder)  # before a store is made for it
    return tell_imported(arguments, take(ResponseStore(home.store_place), folder, arguments.intact))


def tell_imported(arguments: argparse.Namespace, done: Imported) -> int:
    """Print how many answers a file or backup brought."""
    if arguments.json:
        print_json({"file": arguments.file, **vars(done)})
    else:
        print(f"{arguments.file}: {done.new:,} new answers, {done.equal:,} were here already, equal")
        if done.different:
            print(f"{done.different:,} requests are answered differently here; what stood here was kept")
    return 0


def check(home: Home, arguments: argparse.Namespace) -> int:
    """Check that the store is undamaged and holds every answer that the snapshots of its home hold."""
    if arguments.file or arguments.out:
        raise UsageError("store check: takes no file; name the store with --home or --store")
    from scrollwork.pipeline.snapshots.check import checked_store, snapshots
    from scrollwork.pipeline.snapshots.damaged import damaged_snapshots

    found, damaged = list(snapshots(home)), [str(one) for one in damaged_snapshots(home)]
    if not home.has_store and not found and not damaged:
        raise UsageError(f"no answers are stored in {home.url}")
    checked = checked_store(home, found)
    return tell_checked(arguments, replace(checked, problems=(*damaged, *checked.problems)), refilled=None)


def repair(home: Home, arguments: argparse.Namespace) -> int:
    """Remove damaged rows and restore them from snapshots."""
    if arguments.file or arguments.out:
        raise UsageError("store repair: takes no file; name the store with --home or --store")
    from scrollwork.pipeline.snapshots.damaged import snapshot_folders
    from scrollwork.pipeline.snapshots.repair import repair as mend

    if not home.has_store and not any(snapshot_folders(home)):
        raise UsageError(f"no answers are stored in {home.url}")
    done = mend(home)
    names = ("taken_out", "moved", "saved", "damaged", "conflicts")
    more = {name: getattr(done, name) for name in names}
    if not arguments.json:
        show("taken out: ", done.taken_out)
        if done.moved:
            print(f"the damaged file is {done.moved} now; {done.saved:,} rows of it were taken over")
        if done.taken_out:
            print("what was taken out stands in the table set_aside; no answer of it is scored")
        show("damaged snapshot: ", done.damaged)
        show("kept: ", done.conflicts)
        print(f"{done.refilled:,} answers and failures put back from snapshots")
    return tell_checked(arguments, done.checked, done.refilled, **more)


def tell_checked(arguments: argparse.Namespace, found: StoreCheck, refilled: int | None, **more: Any) -> int:
    """What a check found. refilled: rows that a repair put back, None to say how many stand in the store."""
    if arguments.json:
        print_json(
            {
                "ok": not found.problems,
                "rows": found.answers + found.failures + found.attempts,
                "broken": found.problems,
                "refilled": found.refilled if refilled is None else refilled,
                "answers": found.answers,
                "failures": found.failures,
                "attempts": found.attempts,
                "no_room": [key for key, _ in found.empty],
                **more,
            }
        )
    else:
        show("broken: ", found.problems)
        show("no answer: ", [f"{key} of {model} ended before its first word" for key, model in found.empty])
        if found.empty:
            print(f"{len(found.empty):,} count as unanswered; `run --retry-failed` asks them again")
        marked = f" ({found.refilled:,} refilled from snapshots)" if found.refilled else ""
        print(f"{found.answers:,} answers{marked}, {found.failures:,} failures, {found.attempts:,} attempts")
    return 1 if found.problems else 0


def show(head: str, lines: Sequence[str]) -> None:
    """Print the first lines, and how many more there are."""
    for line in lines[:SHOWN]:
        print(f"{head}{line}")
    if len(lines) > SHOWN:
        print(f"{head}{len(lines) - SHOWN:,} more; --json names all")


ACTIONS = {
    "export": export,
    "import": bring_answers,
    "check": check,
    "repair": repair,
    "backup": back_up,
    "restore": restore,
}
