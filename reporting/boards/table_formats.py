"""The leaderboard as LaTeX and CSV. Markdown is in leaderboard.py."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from scrollwork.records.score import Coverage
from scrollwork.reporting.boards.board import Board, Line, SplitBoard
from scrollwork.reporting.boards.cells import Cell, Column
from scrollwork.reporting.boards.leaderboard import (
    INPUTS,
    inputs_text,
    line_means,
    means,
    more_means,
    parts_table,
    reference_label,
    reference_means,
    references,
    remarks,
)
from scrollwork.reporting.boards.raw_files import summary
from scrollwork.reporting.page.text import cut_text, number, visible

FORMULA = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
)  # characters that begin a formula in a spreadsheet
TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "⟨": r"$\langle$",
    "⟩": r"$\rangle$",
    "–": "--",
    "±": r"$\pm$",
    "⚠": "!",
}
COLUMNS = (
    "split",
    "model",
    "arm",
    "task",
    "metric",
    "value",
    "value_missing_as_zero",
    "ci_low",
    "ci_high",
    "spread",
    "seeds",
    "expected",
    "answered",
    "failed",
    "missing",
    "truncated",
    "length_cut",
    "remark",
)


def latex(board: Board) -> str:
    """A tabular for each split, published rows below a rule; needs booktabs. Remarks are LaTeX comments."""
    return "\n".join(line for section in board.sections for line in _tabular(board, section))


def _tabular(board: Board, section: SplitBoard) -> Iterator[str]:
    yield f"% {visible(board.title)}, split {visible(section.split)}; needs \\usepackage{{booktabs}}"
    yield from (f"% ! {cut_text(remark, 500)}" for remark in remarks(board, section))
    if files := summary(told for _, told in board.raw_of(section)):
        yield f"% {files}"
    count = len(board.columns) + len(means(board)) + 1
    yield f"\\begin{{tabular}}{{l{'r' * count}}}"
    yield "\\toprule"
    yield tex_row(["model", *(column.short for column in board.columns), *means(board), INPUTS])
    yield "\\midrule"
    for line in section.lines:
        values = [
            number(cell.value) + deviation_text(board, cell.spread) + (" ⚠" if cell.unanswered else "")
            for cell in line.cells
        ]
        own = line_means(board, section, line)
        if not board.ranked:  # without the deviation over seeds, for want of room
            own = (number(line.average.value), *more_means(board, own))
        yield tex_row([_name(line), *values, *own, inputs_text(line)])
    if published := references(board, section):
        yield "\\midrule"
        label = tex(f"{published.label(published.main)} (not computed here)")
        yield f"\\multicolumn{{{count + 1}}}{{l}}{{\\textit{{{label}}}}} \\\\"
        for row in published.table(published.main):
            printed = [
                number(row.scores.get(column.task)) + deviation_text(board, row.stds.get(column.task))
                for column in board.columns
            ]
            yield tex_row([reference_label(row), *printed, *reference_means(board, section.split, row), number(None)])
    yield "\\bottomrule"
    yield "\\end{tabular}"
    yield ""
    head, lines, rows = parts_table(board, section)
    if head:
        yield f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}"
        yield from ("\\toprule", tex_row(head), "\\midrule", *map(tex_row, lines))
        if rows:
            yield from ("\\midrule", *map(tex_row, rows))
        yield from ("\\bottomrule", "\\end{tabular}", "")


def deviation_text(board: Board, value: float | None) -> str:
    """ " ± 0.7" in a suite with several runs, else ""."""
    return f" ± {number(value)}" if board.ranked and value is not None else ""


def tex_row(cells: list[str]) -> str:
    return " & ".join(tex(cell) for cell in cells) + r" \\"


def _name(line: Line) -> str:
    return f"{line.label} ({line.note})" if line.note else line.label


def tex(text: str) -> str:
    """Escape untrusted text for TeX."""
    return "".join(TEX.get(char, char) for char in cut_text(text))


def csv_table(board: Board) -> str:
    """CSV with a row for each line and task, unrounded, and a row "average" (or AR and ARSD); no published rows. A cell
    that a spreadsheet would take for a formula begins with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for section in board.sections:
        proxies = board.ranks.of(section.split).proxies()
        for line in section.lines:
            for place, cell in enumerate(line.cells):
                if (coverage := cell.coverage) is None:
                    continue
                counts = (coverage.expected, coverage.answered, coverage.failed, coverage.missing)
                writer.writerow(
                    spreadsheet_safe(value)
                    for value in (
                        *(section.split, line.model, line.arm, cell.task, cell.metric, cell.value),
                        *(cell.value_missing_as_zero, cell.low, cell.high, cell.spread, cell.seeds),
                        *(*counts, coverage.truncated, coverage.length_cut),
                        "; ".join(filter(None, [cell.reason, proxies.get(cell.task, ""), cell.interval_note])),
                    )
                )
                for values, coverage in parts_of(board.columns[place], cell):
                    counts = (coverage.expected, coverage.answered, coverage.failed, coverage.missing)
                    more = (*counts, coverage.truncated, coverage.length_cut, "")
                    writer.writerow(
                        spreadsheet_safe(value)
                        for value in (section.split, line.model, line.arm, cell.task, *values, *more)
                    )
            for told, reason in over_all(board, section, line):
                answered, expected = line.inputs
                on = (None, expected, answered, *[None] * 4)
                writer.writerow(
                    spreadsheet_safe(value) for value in (section.split, line.model, line.arm, *told, *on, reason)
                )
    return out.getvalue()


def parts_of(column: Column, cell: Cell) -> Iterator[tuple[tuple[object, ...], Coverage]]:
    """((metric, value, value with unanswered as 0, low, high, spread, seeds), coverage) of the components of a task's
    score that the paper prints, or of its flagged inputs."""
    assert cell.coverage is not None
    if row := cell.subset:
        values = (row.metric, row.value, row.value_missing_as_zero, row.low, row.high, row.spread, row.seeds)
        yield values, row.coverage
        return
    for name, value in zip(column.parts, cell.parts, strict=True):
        if name != cell.metric and name in (cell.components or {}):
            yield (name, value, *[None] * 4, cell.seeds), cell.coverage


def over_all(board: Board, section: SplitBoard, line: Line) -> Iterator[tuple[tuple[object, ...], str]]:
    """((name, metric, value, value with unanswered as 0, low, high, spread), remark) of a line over all tasks."""
    if not board.ranked:
        mean = line.average
        yield ("average", "mean", mean.value, None, None, None, mean.spread), mean.reason
    elif (rank := board.rank(section, line)) is None:
        yield ("AR", "mean rank", None, None, None, None, None), "not ranked"
    else:
        yield ("AR", "mean rank", rank.ar, None, rank.ar_low, rank.ar_high, None), ""
        yield ("ARSD", "mean std / mean", rank.arsd, None, rank.arsd_low, rank.arsd_high, None), ""


def spreadsheet_safe(value: object) -> object:
    """A cell that no spreadsheet runs: a text like a formula gets an apostrophe, invisible characters are made visible.
    Numbers are returned unchanged."""
    if not isinstance(value, str):
        return "" if value is None else value
    text = visible(value)
    return f"'{text}" if value.startswith(FORMULA) or text.startswith(FORMULA) else text
