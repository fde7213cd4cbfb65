"""The leaderboard for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scrollwork.reporting.boards.board import Board, SplitBoard
from scrollwork.reporting.boards.cells import ABOUT
from scrollwork.reporting.boards.leaderboard import (
    AVERAGE,
    REMARK,
    inputs_text,
    line_means,
    means,
    parts_table,
    reference_means,
    references,
    remarks,
    settings,
)
from scrollwork.reporting.boards.published import AS_ASKED
from scrollwork.reporting.boards.raw_files import summary
from scrollwork.reporting.page.text import cut_text, number, spread

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

WARNING = "!"
MODEL_WIDTH = 20  # columns of a terminal; with ten tasks the table is 98 wide
VALUE_WIDTH, NAME_WIDTH = 6, 20  # columns for a value; most for a task's name above it
LINE_WIDTH = 100  # columns for all values of a table; more tasks go into a second table


def terminal(board: Board) -> RenderableType:
    """The leaderboard for rich: a table for each split with ± below the values, and remarks below the table. It is
    readable as plain text too."""
    from rich.console import Group
    from rich.text import Text

    blocks: list[RenderableType] = []
    for section in board.sections:
        blocks += [*_terminal_section(board, section), Text("")]
    if not blocks:
        blocks = [Text(f"{cut_text(board.title)}: nothing was scored")]
    blocks += [
        Text.assemble(
            ("failed  ", "bold red"), f"{cut_text(one.task)} {cut_text(one.model)}: {cut_text(one.message, REMARK)}"
        )
        for one in board.failures
    ]
    return Group(*blocks)


def _terminal_section(board: Board, section: SplitBoard) -> Iterator[RenderableType]:
    from rich.table import Table
    from rich.text import Text

    published = references(board, section)
    headers = [
        *(cut_text(column.short, NAME_WIDTH) for column in board.columns),
        *("Avg" if head == AVERAGE else head for head in means(board)),
    ]
    widths = [max(VALUE_WIDTH, len(header)) for header in headers]
    pieces = in_pieces(widths)
    width = MODEL_WIDTH + 1 + sum(widths) + len(widths)

    def grid(piece: Sequence[int]) -> Table:
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(width=MODEL_WIDTH, overflow="fold")
        for place in piece:
            table.add_column(width=widths[place], justify="right", no_wrap=True)
        return table

    yield Text.assemble((cut_text(board.title), "bold"), f", split {cut_text(section.split)}{settings(board)}")
    for piece in pieces:
        table = grid(piece)
        table.add_row(Text("model", "dim"), *(Text(headers[place], "dim") for place in piece))
        for line in section.lines:
            own = [Text(text) for text in line_means(board, section, line)]
            if not board.ranked:
                own[0] = _terminal_value(line.average.value, line.average.spread, False)
            cells = [_terminal_value(cell.value, cell.spread, bool(cell.unanswered)) for cell in line.cells]
            # what distinguishes two lines of one model is not cut off, but put below the name
            named = Text(label_lines(cut_text(line.label)), "dim" if line.upper_bound else "bold")
            named.append(f"\n{inputs_text(line)} inputs", "not bold dim")
            table.add_row(named, *([*cells, *own][place] for place in piece))
        yield table
    for text in remarks(board, section):
        yield Text.assemble((f"{WARNING} ", "bold yellow"), (cut_text(text, REMARK), "yellow"))
    if files := summary(told for _, told in board.raw_of(section)):
        yield Text(files, "dim")
    if published:
        label = f"── {cut_text(published.label(published.main))} "
        yield Text(label + "─" * (width - len(label)), "dim", no_wrap=True)
        table = grid(range(len(headers)))
        rows = published.table(published.main)
        repeated = Counter(row.label for row in rows)
        for row in rows:
            name = row.label if row.kind in ("baseline", "human", *AS_ASKED) else f"{row.label} ({row.kind})"
            name += f", {row.tokens:,} tokens" if repeated[row.label] > 1 and row.tokens else ""
            cells = [
                _terminal_value(row.scores.get(column.task), row.stds.get(column.task) if board.ranked else None, False)
                for column in board.columns
            ]
            own = [Text(text, "dim") for text in reference_means(board, section.split, row)]
            table.add_row(Text(cut_text(name), "dim"), *cells, *own, style="dim")
        yield table
    yield from _terminal_parts(board, section)


def _terminal_parts(board: Board, section: SplitBoard) -> Iterator[Table]:
    """The table of tasks for which the paper prints several numbers."""
    from rich.table import Table
    from rich.text import Text

    head, own, published = parts_table(board, section)
    if not head:
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold", max_width=2 * MODEL_WIDTH)
    for _ in head[1:]:
        table.add_column(justify="right", no_wrap=True)
    for style, rows in (("dim", [head]), ("", own), ("dim", published)):
        for row in rows:
            table.add_row(*(Text(cut_text(cell), style) for cell in row))
    yield table


def in_pieces(widths: Sequence[int]) -> list[list[int]]:
    """Divide columns into tables of at most LINE_WIDTH; each is a list of column numbers."""
    pieces: list[list[int]] = [[]]
    left = LINE_WIDTH
    for place, width in enumerate(widths):
        if width + 1 > left and pieces[-1]:
            pieces.append([])
            left = LINE_WIDTH
        pieces[-1].append(place)
        left -= width + 1
    return pieces


def label_lines(label: str) -> str:
    """A label in several lines: how the model was asked below its name, and a long name broken after its colon."""
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
