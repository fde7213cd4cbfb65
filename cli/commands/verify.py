"""scrollwork verify: digests recomputed from any artifact back to the raw files."""

from __future__ import annotations

import argparse

from scrollwork.cli.terminal.common import print_json
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.verify import require_home, verify
from scrollwork.storage.home import Home
from scrollwork.storage.in_use import at_work

LONGEST, SHOWN = 600, 10  # characters of a line; lines of one kind


def run(arguments: argparse.Namespace) -> int:
    """Check, and name what does not agree. Raises UsageError if there is no home, or for a wrong share."""
    home = Home.at(arguments.home, arguments.store)
    if not arguments.key:  # with one, nothing being there is an answer
        require_home(home)
    share = share_of(arguments)
    with at_work(home.url, busy=False):  # what gc removes meanwhile would count as gone
        result = verify(home, arguments.key)
    if share is not None:
        from scrollwork.flows.keeping.scrub import scrub  # loads all stages

        done = scrub(home, share=1.0 if result["broken"] else 0.0, rebuild=share)
        result |= {"ok": result["ok"] and not done.damage, "scrub": done.as_json()}
    if arguments.json:
        print_json(result)
    else:
        if share is not None:
            for line in done.lines:
                print(printable(line, LONGEST))
            for line in done.unplanned[:SHOWN]:
                print(printable(line, LONGEST))
            print(f"built again: {done.rebuilt:,} of {done.rebuildable:,} artifacts that cost CPU alone")
        for problem in result["broken"]:
            print(f"broken: {problem}")
        for line in result["other_code"]:
            print(f"other code: {line}")
        other = f", {len(result['other_code'])} made by other code" if result["other_code"] else ""
        print(
            f"{result['artifacts']} artifacts, {result['checked']} files hashed, {len(result['broken'])} broken{other}"
        )
    return 0 if result["ok"] else 1


def share_of(arguments: argparse.Namespace) -> float | None:
    """Return the value of --rebuild, 0 to 1; None without it. Raises UsageError."""
    text = str(arguments.rebuild).strip()
    if not text:
        return None
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise UsageError(f"--rebuild {arguments.rebuild!r}: write a share above 0 and up to 1, or in percent, as 5%")
    if arguments.key:
        raise UsageError("--rebuild is for the whole home: leave out the key")
    return share
