"""How `compare` shows a comparison: a table a pair, and below it how items were paired and what is missing.

A terminal that is narrower than the table gets a few short lines for each row instead: folded, no number of the table
is under its head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scrollwork.analysis.logs.compare import Compared, PairComparison, TaskComparison
from scrollwork.analysis.logs.note import counted
from scrollwork.cli.terminal.common import LONGEST_LINE, console, print_whole
from scrollwork.exchange.compared.cells import (
    COLUMNS,
    LEFT,
    cells,
    label,
    notes_by_task,
    pairing_notes,
    score_notes,
    summary,
)
from scrollwork.reporting.page.text import cut_text

if TYPE_CHECKING:
    from rich.table import Table

SENTENCE = 400


def show(compared: Compared) -> None:
    """Print all pairs."""
    from rich.text import Text

    for pair in compared.pairs:
        for side, name in (("A", pair.a), ("B", pair.b)):
            console().print(Text(f"{side} = {cut_text(name, SENTENCE)}"), style="bold")
        shown = console()
        if not pair.tasks:
            shown.print(Text("nothing to compare; the notes say why"))
            continue
        table = table_of(pair)
        wide = shown.measure(table, options=shown.options.update(max_width=LONGEST_LINE)).maximum > shown.width
        if wide and shown.is_terminal:
            for line in lines_of(pair.tasks):
                shown.print(Text(cut_text(line, SENTENCE)))
            continue
        print_whole(table)
        for note in notes_by_task(pair.tasks):
            shown.print(Text(cut_text(note, SENTENCE)))
    console().print(Text(summary(compared)))


def table_of(pair: PairComparison) -> Table:
    """Return the table of a pair."""
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in LEFT else "right")
    for row in pair.tasks:
        table.add_row(*(Text(cut_text(cell)) for cell in cells(row)))
    return table


def lines_of(rows: Sequence[TaskComparison]) -> Iterator[str]:
    """Yield the rows of a pair as lines: verdict, numbers, notes; before those of a task how it was paired."""
    for task in dict.fromkeys(row.task for row in rows):
        own = [row for row in rows if row.task == task]
        if said := "; ".join(pairing_notes(own[0])):
            yield f"{task}: {said}" if task else said
        for row in own:
            yield f"{label(row)}: {cells(row)[-1]}"
            if not row.not_compared:
                shown = dict(zip(COLUMNS, cells(row), strict=True))
                yield f"  A {shown['A']}, B {shown['B']}, A − B {shown['A − B']} (95 %: {shown['95 % interval']})"
                clusters = f" in {counted(row.clusters, 'document')}" if row.clusters != row.items else ""
                counts = f"won / lost / tied {shown['won / lost / tied']} of {counted(row.items, 'item')}{clusters}"
                yield f"  p (Holm) {shown['p (Holm)']}; {counts}"
            for note in score_notes(row):
                yield f"  {note}"
