"""The leaderboard as JSON and Markdown, and the texts that these and the terminal (terminal.py) share. Its content is
computed in board.py."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from scrollwork.records.comparison import few_clusters, few_clusters_of
from scrollwork.records.ranking import NO_RANK, REFUSED, RUN_OUT, ModelRank
from scrollwork.reporting.boards.board import Board, Failed, Line, SplitBoard, board
from scrollwork.reporting.boards.cells import Cell, Column, unfinished_answers
from scrollwork.reporting.boards.published import ROUGE, Published, Reference
from scrollwork.reporting.boards.ranks import Ranks, label
from scrollwork.reporting.boards.raw_files import remarks as raw_remarks
from scrollwork.reporting.boards.raw_files import summary
from scrollwork.reporting.page.text import cut_text, markdown_text, number, spread

__all__ = ["Board", "as_json", "board", "markdown"]

SUBSET_FIELDS = ("metric", "value", "value_missing_as_zero", "low", "high", "spread", "coverage", "clusters")
INPUTS = "n"  # head of the column with the number of inputs of a line
MOST_RUNS = 10  # runs named in a remark
REMARK = 500  # characters shown of a remark or an error message


def as_json(board: Board) -> dict[str, Any]:
    """The output of `run --json`: a row for every scored task, and an average (or null) for every model.

    A family of seeds is one model. An average's name is the model's, with its arm, and its split if there are several:
    "naive", "naive (closed-book)", "naive (validation)". A row of a model that reads the references has "upper_bound":
    true. The score of a task's flagged inputs (QuALITY's hard questions: em_hard) is a separate row, with the paper's
    numbers; it enters no average. "settings": options that differ from the suite's, if any. "raw": how raw files
    compare with those that upstream publishes.
    """
    lines = [(section, line) for section in board.sections for line in section.lines]
    several = len(board.sections) > 1
    return {
        **({"settings": dict(board.settings)} if board.settings else {}),
        **({"raw": raw} if (raw := raw_files(board)) else {}),
        "tasks": [
            row
            for section, line in lines
            for cell in line.cells
            if cell.coverage
            for row in (_row(section.split, line, cell), *_subset_row(board, section, line, cell))
        ],
        "averages": {
            f"{line.label} ({section.split})" if several else line.label: line.average.value for section, line in lines
        },
    }


def raw_files(board: Board) -> dict[str, dict[str, list[Any]]]:
    """By split and task: states of the raw files, files not known to be right, and numbers of records; an entry for
    each group of models if their files differ."""
    return {
        section.split: {task: [one.plain() for one in board.raw[section.split, task]] for task, _ in found}
        for section in board.sections
        if (found := board.raw_of(section))
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
        "clusters": cell.clusters,
        "interval_note": cell.interval_note or None,
        "coverage": asdict(cell.coverage),
        **({"upper_bound": True} if line.upper_bound else {}),
    }


def _subset_row(board: Board, section: SplitBoard, line: Line, cell: Cell) -> Iterator[dict[str, Any]]:
    """The row of a cell's flagged inputs, if it has any."""
    if (row := cell.subset) is None:
        return
    told = replace(cell, **{name: getattr(row, name) for name in SUBSET_FIELDS})
    published = references(board, section)
    printed = [
        {"model": one.label, "tokens": one.tokens, "value": one.parts[row.task][1]}
        for one in (published.table(published.main) if published else ())
        if row.task in one.parts
    ]
    yield {**_row(section.split, line, told), "published": printed}


def remarks(board: Board, section: SplitBoard) -> Iterator[str]:
    """Remarks on everything in a section that is incomplete, or not on the paper's inputs."""
    if board.extends:
        added = ", ".join(cut_text(column.task) for column in board.columns if not column.official)
        yield f"average {board.of_average}; not in it: {added}"
    for line in section.lines:
        for cell in line.cells:
            if cell.coverage and cell.reason:
                yield f"{cut_text(line.label)}: {cell.task}: {cell.reason}"
            if cell.coverage and (
                told := ", ".join(f"{count:,} {how}" for how, count in unfinished_answers(cell.coverage))
            ):
                yield f"{cut_text(line.label)}: {cell.task}: of {cell.coverage.answered:,} answers {told}"
        if line.model in board.decoding:
            yield f"{cut_text(line.label)}: {board.decoding[line.model]}"
        if line.average.value is None and not board.ranked:
            yield f"{cut_text(line.label)}: no average: {line.average.reason}"
    yield from few_documents(section)
    yield from (one for one in unranked(board, section))
    if references(board, section) and (differing := section.differing(board.columns)):
        numbers = ", ".join(f"{column.short} {asked} of {column.examples:,}" for column, asked in differing)
        yield f"not the paper's number of inputs, so not comparable with its table: {numbers}"
    yield from raw_remarks(board.raw_of(section))


def few_documents(section: SplitBoard) -> Iterator[str]:
    """A remark on the tasks whose intervals are from so few documents that they cannot be trusted, if there are any."""
    counts: dict[str, set[int]] = {}
    for cell in (cell for line in section.lines for cell in line.cells):
        if few_clusters(cell.clusters) and cell.low is not None and cell.clusters:
            counts.setdefault(cut_text(cell.task), set()).add(cell.clusters)
    if told := few_clusters_of(counts):
        yield told


def unranked(board: Board, section: SplitBoard) -> Iterator[str]:
    """Remarks on models, runs and data sets that a ranking leaves out."""
    own = board.ranks.of(section.split)
    if board.ranked and section.lines and not own.ranked():
        yield "no model is ranked: no runs of a model are whole, or their ranking failed"
    yield from not_counted(own)
    for (model, arm, reason), tasks in own.without_score().items():
        yield f"{cut_text(label(model, arm))}: NA, so last, on {', '.join(tasks)}: {cut_text(reason, REMARK)}"
    yield from (f"{task}: {said}" for task, said in own.proxies().items())


def not_counted(ranks: Ranks) -> Iterator[str]:
    """Remarks on models that are not ranked, and on runs that do not count, with the reason."""
    for one in ranks.left_out:
        name = cut_text(label(one.model, one.arm))
        runs = f", {runs_of(one.runs)}" if one.runs else ""
        if one.kind == REFUSED:
            yield f"{name}: not ranked: {one.task}{runs}: {cut_text(one.reason, REMARK)}, so no score can be compared"
        elif one.kind == NO_RANK:
            yield f"{name}: not ranked: {one.reason}"
        elif one.kind == RUN_OUT:
            yield f"{name}: not counted in its rank: {one.task}{runs}: {one.reason}"


def runs_of(runs: Sequence[int]) -> str:
    """ "run 7", "runs 0, 1 and 8 more"."""
    told = ", ".join(map(str, runs[:MOST_RUNS]))
    more = f" and {len(runs) - MOST_RUNS} more" if len(runs) > MOST_RUNS else ""
    return f"run{'s' if len(runs) > 1 else ''} {told}{more}"


AVERAGE = "average"


def means(board: Board) -> tuple[str, ...]:
    """Heads of the columns that summarise all tasks, in every format: those of the board's own kind, then others."""
    return ("AR", "ARSD %") if board.ranked else (AVERAGE,)


def more_means(board: Board, values: Sequence[str]) -> tuple[str, ...]:
    """What follows the columns of the board's own kind, which the page has by itself. values: heads or cells."""
    return tuple(values[2 if board.ranked else 1 :])


def line_means(board: Board, section: SplitBoard, line: Line) -> tuple[str, ...]:
    """The cells of a line under `means`."""
    if not board.ranked:
        return (_with_spread(line.average.value, line.average.spread),)
    return rank_means(board.rank(section, line))


def inputs_text(line: Line) -> str:
    """Inputs of a line over its tasks, answered/expected: "27/30"."""
    return "{:,}/{:,}".format(*line.inputs)


def reference_means(board: Board, split: str, row: Reference) -> tuple[str, ...]:
    """The cells of a published row under `means`; AR and ARSD are computed from the row."""
    if not board.ranked:
        return (number(row.average),)
    return rank_means(board.ranks.of(split).of_paper(row.label))


def rank_means(rank: ModelRank | None) -> tuple[str, str]:
    """AR, and ARSD in percent."""
    if rank is None:
        return number(None), number(None)
    return number(rank.ar, 2), number(None if rank.arsd is None else 100 * rank.arsd)


def settings(board: Board) -> str:
    """Options that differ from the suite's: ", limit 5, prompts instructed"; "" for none."""
    told = (
        f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in board.settings.items()
    )
    return "".join(f", {cut_text(one)}" for one in told)


def references(board: Board, section: SplitBoard) -> Published | None:
    """The paper's rows, if they are for this section's split; else None."""
    return board.published if board.published and board.published.split == section.split else None


def head_of_parts(column: Column) -> str:
    """The head over a task's several numbers: "R-1/2/L", "all/hard"."""
    if column.parts == ROUGE:
        return "R-1/2/L"
    return "/".join(["all", *(name.removeprefix(f"{column.metric}_") for name in column.parts[1:])])


def in_parts(values: Sequence[float | None]) -> str:
    """A task's several numbers, "45.3/17.9/20.8"; an en dash if there are none."""
    known = any(value is not None for value in values)
    return "/".join(map(number, values)) if known else number(None)


def parts_of_inputs(cell: Cell) -> str:
    """A cell's several numbers with answered/expected inputs: "56.2/23.0/22.5 (9/10)", "18.2/16.7 (11/11, 6/6)"."""
    told = inputs_of_parts(cell)
    return f"{in_parts(cell.parts)} ({told})" if told else in_parts(cell.parts)


def inputs_of_parts(cell: Cell) -> str:
    """Answered/expected inputs of a cell, and of its flagged inputs if they have a score."""
    found = [one for one in (cell.coverage, cell.subset.coverage if cell.subset else None) if one and one.expected]
    return ", ".join(f"{one.answered:,}/{one.expected:,}" for one in found)


def parts_table(board: Board, section: SplitBoard) -> tuple[list[str], list[list[str]], list[list[str]]]:
    """(head, our rows, the paper's rows) of a table of the tasks for which the paper prints several numbers; empty
    lists if there are none."""
    columns = [place for place, column in enumerate(board.columns) if column.parts]
    if not columns:
        return [], [], []
    head = ["model", *(f"{board.columns[place].short} {head_of_parts(board.columns[place])}" for place in columns)]
    own = [[line.label, *(parts_of_inputs(line.cells[place]) for place in columns)] for line in section.lines]
    published = references(board, section)
    rows = published.table(published.main) if published else ()
    tasks = [board.columns[place].task for place in columns]
    return head, own, [[reference_label(row), *(in_parts(row.parts.get(task, ())) for task in tasks)] for row in rows]


def reference_label(row: Reference) -> str:
    """The label of a published row with its kind, input length, and why it cannot be compared."""
    about = "; ".join(filter(None, [row.about, row.apart]))
    return f"{row.label} ({about})" if about else row.label


def markdown(board: Board) -> str:
    """The leaderboard in Markdown: a table for each split, and below it a table of published rows."""
    blocks = [f"# {markdown_text(board.title + settings(board))}"]
    for section in board.sections:
        blocks.append(f"## Split {markdown_text(section.split)}")
        blocks.append(_markdown_table(board, [_markdown_line(board, section, line) for line in section.lines]))
        blocks.append(_bullets(f"⚠ {markdown_text(text, REMARK)}" for text in remarks(board, section)))
        blocks.append(summary(told for _, told in board.raw_of(section)))
        if published := references(board, section):
            label = markdown_text(published.label(published.main))
            blocks.append(f"**{label}** (not computed here)")
            rows = published.table(published.main)
            blocks.append(_markdown_table(board, [_markdown_reference(board, section.split, row) for row in rows]))
        head, own, printed = parts_table(board, section)
        if head:
            blocks.append(_markdown_grid([[markdown_text(cell) for cell in row] for row in (head, *own, *printed)]))
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
    head = ["model", *(markdown_text(column.short) for column in board.columns), *means(board), INPUTS]
    return _markdown_grid([head, *rows])


def _markdown_grid(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    rule = [":--", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *body))


def _markdown_line(board: Board, section: SplitBoard, line: Line) -> list[str]:
    values = [_with_spread(cell.value, cell.spread) + (" ⚠" if cell.unanswered else "") for cell in line.cells]
    name = f"{line.label} ({line.note})" if line.note else line.label
    return [markdown_text(name), *values, *line_means(board, section, line), inputs_text(line)]


def _markdown_reference(board: Board, split: str, row: Reference) -> list[str]:
    values = [_with_spread(row.scores.get(column.task), row.stds.get(column.task)) for column in board.columns]
    return [markdown_text(reference_label(row)), *values, *reference_means(board, split, row), number(None)]


def _with_spread(value: float | None, deviation: float | None) -> str:
    return f"{number(value)} {spread(deviation)}".strip()
