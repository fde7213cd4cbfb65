"""A night as Markdown, for the page of a flow run."""

from __future__ import annotations

from collections.abc import Sequence

from scrollwork.readings.nights.table import LONGEST, cells, columns_of, notes_of
from scrollwork.records.nights.night import CANARY, NightModel, NightRow
from scrollwork.reporting.page.text import markdown_text

ALIGNED = ("---", "---", "--:", "--:", "--:", "---", "--:", "--:", "--:", "--:")
ORDER = (0, 5, 8, 9, 6, 7, 2, 3, 4, 1)  # the verdict first: Prefect's page cuts a wide table at its right


def markdown(row: NightRow, notes: Sequence[str] = ()) -> str:
    """Return the page of a night: its sentence, then a table for each model."""
    lines = [f"**{'Failed' if row.failed else 'No alarm'}**: {markdown_text(row.sentence, LONGEST)}", ""]
    if row.why:
        lines += [f"The full set was asked: {markdown_text(row.why, LONGEST)}", ""]
    if row.kind == CANARY:
        lines += ["A canary: a few inputs of each task.", ""]
    for model in row.models:
        lines += of_model(model, row.kind)
    lines += [f"- note: {markdown_text(note, LONGEST)}" for note in notes]
    return "\n".join(lines) + "\n"


def of_model(model: NightModel, kind: str) -> list[str]:
    """Return the lines of a model on a night of this kind."""
    columns = columns_of(kind)
    order = [at for at in ORDER if at < len(columns)]
    head = [f"| {' | '.join(columns[at] for at in order)} |", f"|{'|'.join(ALIGNED[at] for at in order)}|"]
    versions = ", ".join(map(markdown_text, model.versions)) or "no version reported"
    against = f", against {markdown_text(model.reference)}" if model.reference else ""
    lines = [f"## {markdown_text(model.model)}", "", f"{versions}{against}; ${model.cost_usd:,.4f}", "", *head]
    for task in model.tasks:
        shown = [markdown_text(cell) for cell in cells(task, kind)]
        lines.append(f"| {' | '.join(shown[at] for at in order)} |")
    told = [f"- {markdown_text(note, LONGEST)}" for note in notes_of(model.tasks)]
    return [*lines, "", *told, *([""] if told else [])]
