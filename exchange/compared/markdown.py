"""A comparison of logs as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from scrollwork.analysis.logs.compare import Compared
from scrollwork.exchange.compared.cells import COLUMNS, LEFT, cells, notes_by_task, summary, title
from scrollwork.exchange.compared.notes import note_lines
from scrollwork.reporting.page.text import markdown_text

SENTENCE = 600  # characters of a warning


def markdown(compared: Compared) -> str:
    """Return the whole comparison; texts of logs are escaped and cut."""
    return "\n".join(_lines(compared)) + "\n"


def _lines(compared: Compared) -> Iterator[str]:
    yield "# Comparison"
    yield ""
    yield summary(compared)
    for pair in compared.pairs:
        yield from ("", f"## {markdown_text(title(pair), 300)}", "")
        yield "| " + " | ".join(COLUMNS) + " |"
        yield "| " + " | ".join("---" if column in LEFT else "--:" for column in COLUMNS) + " |"
        for row in pair.tasks:
            yield "| " + " | ".join(markdown_text(cell, 300) for cell in cells(row)) + " |"
        yield ""
        yield from (f"- {markdown_text(note, SENTENCE)}" for note in notes_by_task(pair.tasks))
    if lines := note_lines(compared):
        yield from ("", "## Before you believe it", "")
        yield from (f"- {markdown_text(line, SENTENCE)}" for line in lines)
