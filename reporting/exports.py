"""The leaderboard for papers and spreadsheets: LaTeX and CSV. Markdown stands in leaderboard.py."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from reporting.board import Board, Line, Section
from reporting.leaderboard import references, remarks
from reporting.text import number, shown, visible

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
)  # how a cell begins that a spreadsheet would run
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
    """A tabular a split, published rows below a rule; needs booktabs. What is not whole stands in comments."""
    return "\n".join(line for section in board.sections for line in _tabular(board, section))


def _tabular(board: Board, section: Section) -> Iterator[str]:
    yield f"% {visible(board.title)}, split {visible(section.split)}; needs \\usepackage{{booktabs}}"
    yield from (f"% ! {shown(remark, 500)}" for remark in remarks(board, section))
    yield f"\\begin{{tabular}}{{l{'r' * (len(board.columns) + 1)}}}"
    yield "\\toprule"
    yield _row(["model", *(column.short for column in board.columns), "average"])
    yield "\\midrule"
    for line in section.lines:
        values = [number(cell.value) + (" ⚠" if cell.unanswered else "") for cell in line.cells]
        yield _row([_name(line), *values, number(line.average.value)])
    if published := references(board, section):
        yield "\\midrule"
        label = tex(f"{published.label(published.main)} (not computed here)")
        yield f"\\multicolumn{{{len(board.columns) + 2}}}{{l}}{{\\textit{{{label}}}}} \\\\"
        for row in published.table(published.main):
            about = "; ".join(filter(None, [row.about, row.apart]))
            name = f"{row.label} ({about})" if about else row.label
            yield _row([name, *(number(row.scores.get(column.task)) for column in board.columns), number(row.average)])
    yield "\\bottomrule"
    yield "\\end{tabular}"
    yield ""


def _row(cells: list[str]) -> str:
    return " & ".join(tex(cell) for cell in cells) + r" \\"


def _name(line: Line) -> str:
    return f"{line.label} ({line.note})" if line.note else line.label


def tex(text: str) -> str:
    """Text from outside as TeX shows it: no command, no comment."""
    return "".join(TEX.get(char, char) for char in shown(text))


def csv_table(board: Board) -> str:
    """A row a line and task, unrounded, and one of task "average"; no published rows. A cell that a spreadsheet would
    take for a formula has an apostrophe before it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for section in board.sections:
        for line in section.lines:
            for cell in line.cells:
                if (coverage := cell.coverage) is None:
                    continue
                counts = (coverage.expected, coverage.answered, coverage.failed, coverage.missing)
                writer.writerow(
                    safe(value)
                    for value in (
                        *(section.split, line.model, line.arm, cell.task, cell.metric, cell.value),
                        *(cell.value_missing_as_zero, cell.low, cell.high, cell.spread, cell.seeds),
                        *(*counts, coverage.truncated, coverage.length_cut, cell.reason),
                    )
                )
            mean = line.average
            empty = [None] * 8
            told = (section.split, line.model, line.arm, "average", "mean", mean.value, None, None, None, mean.spread)
            writer.writerow(safe(value) for value in (*told, *empty[:7], mean.reason))
    return out.getvalue()


def safe(value: object) -> object:
    """A cell that no spreadsheet runs: texts that begin like a formula begin with an apostrophe, invisible characters
    are shown. Numbers stay as they are."""
    if not isinstance(value, str):
        return "" if value is None else value
    text = visible(value)
    return f"'{text}" if value.startswith(FORMULA) or text.startswith(FORMULA) else text
