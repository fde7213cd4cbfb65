"""A ranking over runs as Markdown, LaTeX and CSV, with each data set as in SEAM's table 3."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from scrollwork.records.ranking import COMPUTED, PUBLISHED, TaskRank
from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.boards.leaderboard import references
from scrollwork.reporting.boards.ranks import Ranks, label
from scrollwork.reporting.boards.table_formats import spreadsheet_safe, tex, tex_row
from scrollwork.reporting.page.text import markdown_text, number
from scrollwork.reporting.runs.section import mean_and_std, percent

HEAD = ("#", "↓", "model", "mean ± std")
ARROW = (
    "↓: 1 - eps_min of the model ranked above over this one; no probability. ±: population standard deviation of runs."
)
COLUMNS = (
    "split",
    "source",
    "data_set",
    "metric",
    "rank",
    "model",
    "arm",
    "mean",
    "std",
    "lowest",
    "highest",
    "runs",
    "arrow",
    "ar",
    "arsd",
    "remark",
)


def markdown_ranks(board: Board) -> str:
    """A table for each data set, with the published one below it."""
    return "\n\n".join(block for split in board.ranks.splits for block in _markdown_split(board, split)) + "\n"


def _markdown_split(board: Board, split: str) -> Iterator[str]:
    ranks = board.ranks.of(split)
    if not ranks.ranked():
        return
    yield f"## Ranks, split {markdown_text(split)}"
    yield markdown_text(ARROW, 500)
    for task in ranks.datasets():
        for source, about in sources(board, ranks, split, task):
            yield f"**{markdown_text(task)}**{markdown_text(about, 400)}"
            rows = [[markdown_text(cell) for cell in cells(row)] for row in ranks.column(task, source)]
            lines = [HEAD, ("--:", "--:", ":--", "--:"), *rows]
            yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex_ranks(board: Board) -> str:
    """Tabulars as in the paper: rank, arrow, model, mean and deviation for each data set, our rows and published
    ones."""
    return "\n".join(line for split in board.ranks.splits for line in _latex_split(board, split))


def _latex_split(board: Board, split: str) -> Iterator[str]:
    ranks = board.ranks.of(split)
    for task in ranks.datasets() if ranks.ranked() else ():
        yield f"% {tex(task)}, split {tex(split)}: {ARROW}"
        yield "\\begin{tabular}{rrlr}"
        yield "\\toprule"
        yield tex_row(["rank", "arrow", "model", "mean ± std"])
        for source, about in sources(board, ranks, split, task):
            yield "\\midrule"
            yield f"\\multicolumn{{4}}{{l}}{{\\textit{{{tex(task)}{tex(about)}}}}} \\\\"
            yield from (tex_row(cells(row)) for row in ranks.column(task, source))
        yield "\\bottomrule"
        yield "\\end{tabular}"
        yield ""


def csv_ranks(board: Board) -> str:
    """A row for each data set and model, ours and the paper's, unrounded; arsd is a fraction."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for split in board.ranks.splits:
        ranks = board.ranks.of(split)
        for source in (COMPUTED, PUBLISHED):
            over = {(row.model, row.arm): row for row in ranks.ranked(source)}
            for row in (row for task in ranks.datasets(source) for row in ranks.column(task, source)):
                whole = over[row.model, row.arm]
                lowest, highest = (min(row.scores), max(row.scores)) if row.scores else (None, None)
                told = (
                    *(split, source, row.task, row.metric, row.rank, row.model, row.arm, row.mean, row.std),
                    *(lowest, highest, len(row.scores) or None, row.arrow, whole.ar, whole.arsd),
                    "; ".join(filter(None, [row.reason, row.proxy if source == COMPUTED else ""])),
                )
                writer.writerow(spreadsheet_safe(value) for value in told)
    return out.getvalue()


def sources(board: Board, ranks: Ranks, split: str, task: str) -> Iterator[tuple[str, str]]:
    """(source, text about it) of a data set's tables: ours, and the published one if there is one."""
    arsd = {row.source: percent(row.arsd) for row in ranks.spreads if row.task == task}
    proxy = f"; {ranks.proxies()[task]}" if task in ranks.proxies() else ""
    yield COMPUTED, f", ARSD {arsd[COMPUTED]} %{proxy}"
    section = next(one for one in board.sections if one.split == split)
    if (paper := references(board, section)) and task in ranks.datasets(PUBLISHED):
        yield PUBLISHED, f", {paper.label(paper.main)} (not computed here), ARSD {arsd[PUBLISHED]} %"


def cells(row: TaskRank) -> list[str]:
    """Cells of a row: rank, arrow, model, mean and deviation."""
    return [f"{row.rank:g}", number(row.arrow, 2), label(row.model, row.arm), mean_and_std(row)]
