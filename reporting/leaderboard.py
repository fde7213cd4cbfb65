"""The leaderboard as JSON, as Markdown and for a terminal. What it holds is worked out in board.py."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from reporting.board import ABOUT, Board, Cell, Failed, Line, Section, board, stopped
from reporting.published import AS_ASKED, Published, Reference
from reporting.text import markdown_text, number, shown, spread

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

__all__ = ["Board", "as_json", "board", "markdown", "terminal"]

WARNING = "!"
REMARK = 500  # characters shown of a remark or an error message
MODEL_WIDTH = 20  # columns of a terminal; with ten tasks the table is 98 wide
VALUE_WIDTH = 6


def as_json(board: Board) -> dict[str, Any]:
    """The contract of `run --json`: a row for every task that has one, and an average (or null) for every model.

    A family of seeds is one model. An average's name is the model's; with its arm, and its split where there are
    several, behind it: "naive", "naive (closed-book)", "naive (validation)". A row of a model that reads the references
    has "upper_bound": true. "settings": what was asked otherwise than the suite says, where something was.
    """
    lines = [(section.split, line) for section in board.sections for line in section.lines]
    several = len(board.sections) > 1
    return {
        **({"settings": dict(board.settings)} if board.settings else {}),
        "tasks": [_row(split, line, cell) for split, line in lines for cell in line.cells if cell.coverage],
        "averages": {f"{line.label} ({split})" if several else line.label: line.average.value for split, line in lines},
    }


def _row(split: str, line: Line, cell: Cell) -> dict[str, Any]:
    assert cell.coverage is not None
    return {
        "task": cell.task,
        "split": split,
        "model": line.model,
        "arm": line.arm,
        "metric": cell.metric,
        "value": cell.value,
        "value_missing_as_zero": cell.value_missing_as_zero,
        "ci": None if cell.low is None or cell.high is None else [cell.low, cell.high],
        "spread": cell.spread,
        "coverage": asdict(cell.coverage),
        **({"upper_bound": True} if line.upper_bound else {}),
    }


def remarks(board: Board, section: Section) -> Iterator[str]:
    """Everything in a section that is not whole, or not of the paper's inputs."""
    for line in section.lines:
        for cell in line.cells:
            if cell.coverage and cell.reason:
                yield f"{shown(line.label)}: {cell.task}: {cell.reason}"
            if cell.coverage and (told := ", ".join(f"{count:,} {how}" for how, count in stopped(cell.coverage))):
                yield f"{shown(line.label)}: {cell.task}: of {cell.coverage.answered:,} answers {told}"
        if line.model in board.decoding:
            yield f"{shown(line.label)}: {board.decoding[line.model]}"
        if line.average.value is None:
            yield f"{shown(line.label)}: no average: {line.average.reason}"
    if references(board, section) and (differing := section.differing(board.columns)):
        numbers = ", ".join(f"{column.short} {asked} of {column.examples:,}" for column, asked in differing)
        yield f"not the paper's number of inputs, so not comparable with its table: {numbers}"


def settings(board: Board) -> str:
    """What was asked otherwise than the suite says: ", limit 5, prompts instructed"; "" where nothing was."""
    told = (
        f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in board.settings.items()
    )
    return "".join(f", {shown(one)}" for one in told)


def references(board: Board, section: Section) -> Published | None:
    """The paper's rows, if they are of this section's split."""
    return board.published if board.published and board.published.split == section.split else None


# --- Markdown ---------------------------------------------------------------------------------------------------------


def markdown(board: Board) -> str:
    """A table a split; published rows below it, in a table of their own."""
    blocks = [f"# {markdown_text(board.title + settings(board))}"]
    for section in board.sections:
        blocks.append(f"## Split {markdown_text(section.split)}")
        blocks.append(_markdown_table(board, [_markdown_line(line) for line in section.lines]))
        blocks.append(_bullets(f"⚠ {markdown_text(text, REMARK)}" for text in remarks(board, section)))
        if published := references(board, section):
            label = markdown_text(published.label(published.main))
            blocks.append(f"**{label}** (not computed here)")
            rows = published.table(published.main)
            blocks.append(_markdown_table(board, [_markdown_reference(board, row) for row in rows]))
    if not board.sections:
        blocks.append("Nothing was scored.")
    if board.failures:
        blocks += ["## Failures", _bullets(_markdown_failure(one) for one in board.failures)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _markdown_failure(one: Failed) -> str:
    what = " ".join(markdown_text(name) for name in (one.task, one.split, one.model) if name)
    return f"{what}: {markdown_text(one.message, REMARK)}"


def _markdown_table(board: Board, rows: Sequence[Sequence[str]]) -> str:
    head = ["model", *(markdown_text(column.short) for column in board.columns), "average"]
    rule = [":--", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def _markdown_line(line: Line) -> list[str]:
    values = [_with_spread(cell.value, cell.spread) + (" ⚠" if cell.unanswered else "") for cell in line.cells]
    name = f"{line.label} ({line.note})" if line.note else line.label
    return [markdown_text(name), *values, _with_spread(line.average.value, line.average.spread)]


def _markdown_reference(board: Board, row: Reference) -> list[str]:
    about = "; ".join(filter(None, [row.about, row.apart]))
    name = f"{row.label} ({about})" if about else row.label
    values = [number(row.scores.get(column.task)) for column in board.columns]
    return [markdown_text(name), *values, number(row.average)]


def _with_spread(value: float | None, deviation: float | None) -> str:
    return f"{number(value)} {spread(deviation)}".strip()


# --- terminal ---------------------------------------------------------------------------------------------------------


def terminal(board: Board) -> RenderableType:
    """For rich: a table a split, ± below the values, what is not whole below the table. Reads as plain text too."""
    from rich.console import Group
    from rich.text import Text

    blocks: list[RenderableType] = []
    for section in board.sections:
        blocks += [*_terminal_section(board, section), Text("")]
    if not blocks:
        blocks = [Text(f"{shown(board.title)}: nothing was scored")]
    blocks += [
        Text.assemble(("failed  ", "bold red"), f"{shown(one.task)} {shown(one.model)}: {shown(one.message, REMARK)}")
        for one in board.failures
    ]
    return Group(*blocks)


def _terminal_section(board: Board, section: Section) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    published = references(board, section)
    headers = [*(shown(column.short, VALUE_WIDTH) for column in board.columns), "Avg"]
    width = MODEL_WIDTH + 1 + len(headers) * (VALUE_WIDTH + 1)

    def grid() -> Table:
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(width=MODEL_WIDTH, overflow="fold")
        for _ in headers:
            table.add_column(width=VALUE_WIDTH, justify="right", no_wrap=True)
        return table

    yield Text.assemble((shown(board.title), "bold"), f", split {shown(section.split)}{settings(board)}")
    table = grid()
    table.add_row(Text("model", "dim"), *(Text(header, "dim") for header in headers))
    for line in section.lines:
        average = _terminal_value(line.average.value, line.average.spread, False)
        cells = [_terminal_value(cell.value, cell.spread, bool(cell.unanswered)) for cell in line.cells]
        # what tells two lines of a model apart is never cut off: it goes below the name
        table.add_row(Text(broken(shown(line.label)), "dim" if line.upper_bound else "bold"), *cells, average)
    yield table
    for text in remarks(board, section):
        yield Text.assemble((f"{WARNING} ", "bold yellow"), (shown(text, REMARK), "yellow"))
    if published:
        label = f"── {shown(published.label(published.main))} "
        yield Text(label + "─" * (width - len(label)), "dim", no_wrap=True)
        table = grid()
        for row in published.table(published.main):
            name = row.label if row.kind in ("baseline", "human", *AS_ASKED) else f"{row.label} ({row.kind})"
            values = [row.scores.get(column.task) for column in board.columns]
            table.add_row(*(Text(text, "dim") for text in (shown(name), *map(number, (*values, row.average)))))
        yield table


def broken(label: str) -> str:
    """A label in lines: what is said about the model below its name, a long name broken behind its colon."""
    name, about, rest = label.partition(ABOUT)
    own = name.replace(":", ":\n", 1) if len(name) > MODEL_WIDTH else name
    return f"{own}\n{about}{rest}" if about else own


def _terminal_value(value: float | None, deviation: float | None, warn: bool) -> Text:
    from rich.text import Text

    text = Text(number(value), "dim" if value is None else "")
    if warn:
        text.append(WARNING, "bold yellow")
    if deviation is not None:
        text.append(f"\n{spread(deviation)}", "dim")
    return text
