"""scrollwork nights, scrollwork nights show: the stored nights of a home."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.cli.terminal.common import print_json, print_whole, say
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.nights.register import Nights
from scrollwork.readings.nights.row import named
from scrollwork.readings.nights.table import LONGEST, cells, columns_of, notes_of
from scrollwork.records.base import plain
from scrollwork.records.nights.decisions import Acceptance, Mute, Unfinished
from scrollwork.records.nights.night import NightModel, NightRow
from scrollwork.storage.epochs import time_text
from scrollwork.storage.home import Home


def run(arguments: argparse.Namespace) -> int:
    """Print all nights, or the one that is named."""
    nights = Nights(Home.at(arguments.home, arguments.store).url)
    rows, accepted = nights.rows(), nights.accepted()
    mutes = nights.mutes(time.strftime("%Y-%m-%d", time.gmtime()))
    if arguments.subcommand == "show":
        row = named({row.name: row for row in rows}, arguments.night)
        show_night(row, accepted, mutes, nights.notes, arguments.json)
        return 0
    left = nights.unfinished(rows)
    if arguments.json:
        noted = {"unfinished": [plain(one) for one in left], "mutes": [plain(mute) for mute in mutes]}
        print_json({"nights": [as_json(row, accepted) for row in rows], **noted, "notes": nights.notes})
        return 0
    for note in nights.notes:
        say(f"note: {note}")
    if not rows and not left:
        say("no night is stored here: scrollwork nights run SUITE --model NAME")
    for row in rows:
        by = ", accepted" if any(one.digest == row.digest for one in accepted) else ""
        print(f"{row.name}  {row.suite}  {row.kind}  ${cost_of(row):,.4f}  {row.outcome}{by}: {told(row.sentence)}")
    for one in left:
        print(told(unfinished_line(one)))
    show_mutes(mutes)
    return 0


def unfinished_line(one: Unfinished) -> str:
    """Return what is said of a night that ended before it was whole."""
    return (
        f"{time_text(one.at)}  {one.suite}  {', '.join(one.models)}: NOT WHOLE, not stored: {'; '.join(one.why)}. "
        "The same command goes on with it"
    )


def show_mutes(mutes: Sequence[Mute]) -> None:
    """Print the mutes that stand today."""
    for one in mutes:
        print(f"muted: {told(one.task)} until {one.until}, by {told(one.by or 'an unknown user')}")


def show_night(
    row: NightRow, accepted: Sequence[Acceptance], mutes: Sequence[Mute], notes: Sequence[str], json: bool
) -> None:
    """Print a night. mutes: those of its tasks that stand today are told."""
    tasks = {task.task for model in row.models for task in model.tasks}
    mutes = [mute for mute in mutes if mute.task in tasks]
    if json:
        print_json({**as_json(row, accepted), "mutes": [plain(mute) for mute in mutes], "notes": list(notes)})
        return
    for note in notes:
        say(f"note: {note}")
    commit = f", commit {row.commit}" if row.commit else ""
    print(f"night {row.name} of {row.suite} ({row.kind}): {' '.join(row.options)}")
    print(f"code: scrollwork {row.version}{commit}, packages {row.libraries[:12]}; run {row.run or 'without a name'}")
    for one in accepted:
        if one.digest == row.digest:
            print(f"accepted by {told(one.by or 'an unknown user')}")
    show_mutes(mutes)
    if row.why:
        print(f"the full set was asked: {told(row.why)}")
    for model in row.models:
        show_model(model, row.kind)


def show_model(model: NightModel, kind: str) -> None:
    """Print a model's part of a night of this kind."""
    from rich.table import Table
    from rich.text import Text

    print()
    versions = ", ".join(map(told, model.versions)) or ("no version reported" if model.epoch else "not called")
    prints = f"; fingerprints {', '.join(map(told, model.fingerprints))}" if model.fingerprints else ""
    epoch = f"; epoch {model.epoch}" if model.epoch else ""
    served = f"; its server lists {', '.join(map(told, model.served))}" if model.served else ""
    unknown = f" and {model.cost_unknown:,} answers without a known price" if model.cost_unknown else ""
    print(f"{told(model.model)}: {versions}{prints}{served}{epoch}; ${model.cost_usd:,.4f}{unknown}")
    print(told(model.sentence))
    table = Table(*columns_of(kind))
    for task in model.tasks:
        table.add_row(*(Text(told(cell)) for cell in cells(task, kind)))
    print_whole(table)
    for note in notes_of(model.tasks):
        print(told(note))


def as_json(row: NightRow, accepted: Sequence[Acceptance]) -> Mapping[str, Any]:
    """Return a night as `--json` prints it: its row, who accepted it, and which intervals cannot be trusted."""
    by = [{"by": one.by, "at": one.at} for one in accepted if one.digest == row.digest]
    found: dict[str, Any] = plain(row)
    for model, shown in zip(row.models, found["models"], strict=True):
        for task, facts in zip(model.tasks, shown["tasks"], strict=True):
            facts |= {"interval_note": task.interval_note or None, "difference_note": task.difference_note or None}
    return {**found, "date": row.date, "failed": row.failed, "sentence": row.sentence, "accepted": by}


def cost_of(row: NightRow) -> float:
    """Return what the answers of a night cost, in USD."""
    return sum(one.cost_usd for one in row.models)


def told(text: str) -> str:
    """Return a text of others in one line without control characters, and cut."""
    return printable(text, LONGEST)
