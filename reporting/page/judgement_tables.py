"""Tables about a task's answers besides their score: how they look, and the score on parts of the inputs.

The rows are those of the stage judge (records/judgement.py); nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from scrollwork.records.judgement import MEASURES, SLICES, WORDS
from scrollwork.reporting.boards.board import Board, Line, SplitBoard
from scrollwork.reporting.boards.cells import Column
from scrollwork.reporting.page.content import Findings
from scrollwork.reporting.page.text import count, number

HEADS = {
    "in_format": "in the form asked for",
    "unreadable": "unreadable for the metric",
    "unanswerable": "“unanswerable”",
    "wrongly_unanswerable": "wrongly so",
    "lacks_context": "“not in the text”",
    "declined": "declined",
    "length_cut": "cut at the limit",
    "empty": "empty",
    "answer_words": "words",
    "reference_words": "words of references",
    "length_ratio": "ratio",
}
PARTS = {
    "document_words": "words of the documents",
    "truncated": "prompt",
    "evidence": "evidence in the prompt",
    "answer": "answer’s text in the prompt",
}


@dataclass(frozen=True)
class Value:
    """A cell. text: the value. interval: 95 %, "" if there is none or nothing varies. of: number of inputs."""

    text: str
    interval: str
    of: str


@dataclass(frozen=True)
class Table:
    """A table of one task. groups: (text, number of columns) of the upper heads. rows: (line, number of inputs of most
    of its cells, cells; None for an unknown value)."""

    groups: tuple[tuple[str, int], ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[Line, str, tuple[Value | None, ...]], ...]

    @property
    def starts(self) -> list[int]:
        """Number of the first column of each group."""
        return [0, *accumulate(width for _, width in self.groups)]


@dataclass(frozen=True)
class Beyond:
    """The two tables of one task; None for one without data. looks: how answers look; parts: scores on parts."""

    column: Column
    looks: Table | None
    parts: Table | None


def tasks_by_split(board: Board, findings: Findings) -> list[tuple[str, list[Beyond]]]:
    """(split, its tasks that have such tables)."""
    found = []
    for section in board.sections:
        tasks = [
            Beyond(column, _looks(section, column, findings), _parts(section, column, findings))
            for column in board.columns
        ]
        if said := [one for one in tasks if one.looks or one.parts]:
            found.append((section.split, said))
    return found


def _looks(section: SplitBoard, column: Column, findings: Findings) -> Table | None:
    """How answers look: a row for each model, a column for each measure."""
    rows = _of(findings.conduct, section, column)
    names = [name for name in MEASURES if any(row["measure"] == name for row in rows)]
    found = {(row["model"], row["arm"], row["measure"]): row for row in rows}
    shares = sum(_percent(name) for name in names)
    groups = (("answers, in percent", shares), ("length", len(names) - shares))
    return _table(section, found, names, [HEADS[name] for name in names], groups, _measure)


def _parts(section: SplitBoard, column: Column, findings: Findings) -> Table | None:
    """Scores on parts of the inputs: a row for each model, a column for each part."""
    rows = _of(findings.slices, section, column)
    names: list[tuple[str, str]] = []
    for by in SLICES:
        own = {row["part"]: row["least"] or 0 for row in rows if row["by"] == by}
        names += [(by, part) for part in sorted(own, key=lambda part: (own[part], part == "not known", part))]
    found = {(row["model"], row["arm"], (row["by"], row["part"])): row for row in rows}
    groups = [(PARTS[by], sum(name[0] == by for name in names)) for by in SLICES]
    return _table(section, found, names, [_part(part) for _, part in names], groups, _score)


def _of(rows: Iterable[Mapping[str, Any]], section: SplitBoard, column: Column) -> list[Mapping[str, Any]]:
    return [row for row in rows if (row["split"], row["task"]) == (section.split, column.task)]


def _table(
    section: SplitBoard,
    found: Mapping[tuple[str, str, Any], Mapping[str, Any]],
    names: Sequence[Any],
    heads: Sequence[str],
    groups: Iterable[tuple[str, int]],
    cell: Any,
) -> Table | None:
    lines = [line for line in section.lines if any((line.model, line.arm, name) in found for name in names)]
    if not lines:
        return None
    rows = []
    for line in lines:
        own = [found.get((line.model, line.arm, name)) for name in names]
        cells = tuple(None if row is None else cell(row) for row in own)
        counts = [one.of for one in cells if one is not None]
        rows.append((line, max(counts, key=counts.count), cells))
    return Table(tuple(group for group in groups if group[1]), tuple(heads), tuple(rows))


def _part(name: str) -> str:
    """The name of a part: "1,204 to 3,377" as "1,204–3,377", "5 to 5" as "5"."""
    least, _, most = name.partition(" to ")
    return name.replace("_", " ") if not most else least if least == most else f"{least}–{most}"


def _percent(measure: str) -> bool:
    return measure not in (*WORDS, "length_ratio")


def _measure(row: Mapping[str, Any]) -> Value:
    places = 2 if row["measure"] == "length_ratio" else 1
    return Value(number(row["value"], places), _interval(row, places), count(row["answers"]))


def _score(row: Mapping[str, Any]) -> Value:
    asked, answered = row["asked"], row["answered"]
    of = count(asked) if asked == answered else f"{count(answered)}/{count(asked)}"
    return Value(number(row["value"]), _interval(row, 1), of)


def _interval(row: Mapping[str, Any], places: int) -> str:
    known = row["low"] is not None and row["high"] is not None and row["low"] < row["high"]
    return f"{number(row['low'], places)}–{number(row['high'], places)}" if known else ""
