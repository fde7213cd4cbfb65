"""Run scores from outside, read into a table: `scrollwork seam rank --scores FILE`.

A row is {model, dataset, run, score} or {model, dataset, mean, std}; score or mean null: NA. A row that names a source
in `vary` is from a designed experiment (variance.py) and enters no ranking. Other fields are ignored, and reported.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrollwork.analysis.runs.scores import RunScores, ScoreTable
from scrollwork.analysis.runs.variance import GENERATION, SOURCES

FIELDS = ("model", "dataset", "run", "score", "mean", "std", "vary")
LARGEST = 1e100  # of a score, so that sums and squares stay finite
MOST_RUN = 2**53  # of run numbers, so that every reader of JSON agrees on them
KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}

Key = tuple[str, str, str]  # model, data set, source ("" if all varies)


class ScoreRowError(ValueError):
    """A row that cannot be used; the message names line and field."""


@dataclass(frozen=True)
class RunScoreRows:
    """The content of a file. table: for the ranking. designed: by (model, data set), then source.

    ignored: names of unknown fields. left_out: (model, data set, number of runs) for runs without a score beside others
    that have one.
    """

    table: ScoreTable
    designed: Mapping[tuple[str, str], Mapping[str, RunScores]]
    ignored: tuple[str, ...]
    left_out: tuple[tuple[str, str, int], ...]


@dataclass
class _Cell:
    """Scores of one model on one data set, from one source. lines: by run number, None for a row without a run."""

    runs: dict[int, float | None] = field(default_factory=dict)
    lines: dict[int | None, int] = field(default_factory=dict)
    given: tuple[float, float] | None = None
    given_line: int = 0


def read_run_scores(rows: Iterable[Mapping[str, Any]]) -> RunScoreRows:
    """Read rows, counted from 1 as lines. Raises ScoreRowError naming line and field.

    It is raised for a missing field, a wrong type, a number that is not finite, a repeated run, a mean beside runs, and
    for no row at all.
    """
    cells: dict[Key, _Cell] = {}
    ignored: dict[str, None] = {}
    for line, row in enumerate(rows, start=1):
        ignored.update(dict.fromkeys(name for name in row if name not in FIELDS))
        key = (_name(line, row, "model"), _name(line, row, "dataset"), _source(line, row))
        _put(cells.setdefault(key, _Cell()), line, row, key)
    ranked = {(model, dataset): cell for (model, dataset, source), cell in cells.items() if not source}
    if not ranked:
        raise ScoreRowError("there is no row to rank: a file of scores holds one JSON object a line")
    designed: dict[tuple[str, str], dict[str, RunScores]] = {}
    for (model, dataset, source), cell in cells.items():
        if source:
            designed.setdefault((model, dataset), {})[source] = _scores(cell)
    return RunScoreRows(
        ScoreTable.of({names: _scores(cell) for names, cell in ranked.items()}),
        designed,
        tuple(ignored),
        tuple((*names, lacking) for names, cell in sorted(ranked.items()) if (lacking := _without_score(cell))),
    )


def _scores(cell: _Cell) -> RunScores:
    return RunScores({run: score for run, score in cell.runs.items() if score is not None}, cell.given)


def _without_score(cell: _Cell) -> int:
    """Return the number of runs without a score; 0 if none has one, which is NA."""
    lacking = sum(score is None for score in cell.runs.values())
    return lacking if lacking < len(cell.runs) else 0


def _put(cell: _Cell, line: int, row: Mapping[str, Any], key: Key) -> None:
    """Add a row; fields of the other kind may be null. Raises ScoreRowError."""
    runs, means = (
        [name for name in names if row.get(name) is not None] for names in (("run", "score"), ("mean", "std"))
    )
    if runs and means:
        raise ScoreRowError(f'line {line}: fields "{runs[-1]}" and "{means[0]}" exclude each other')
    if means or (not runs and "mean" in row):
        _put_mean(cell, line, row, key)
    else:
        _put_run(cell, line, row, key)


def _put_run(cell: _Cell, line: int, row: Mapping[str, Any], key: Key) -> None:
    score = _number(line, row, "score")
    run = None if score is None and row.get("run") is None else _run(line, row)
    if cell.given_line:
        raise ScoreRowError(f'line {line}: field "score": line {cell.given_line} gives mean and std of {_pair(key)}')
    if run in cell.lines:
        what = "NA" if run is None else f"run {run}"
        raise ScoreRowError(f'line {line}: field "run": {what} of {_pair(key)} is in line {cell.lines[run]} too')
    cell.lines[run] = line
    if run is not None:
        cell.runs[run] = score
    scored = [cell.lines[one] for one, found in cell.runs.items() if found is not None]
    if None in cell.lines and scored:
        where = f"NA in line {cell.lines[None]}, with a score in line {scored[0]}"
        raise ScoreRowError(f'line {line}: field "score": {_pair(key)} is {where}')


def _put_mean(cell: _Cell, line: int, row: Mapping[str, Any], key: Key) -> None:
    mean, std = _number(line, row, "mean"), _number(line, row, "std", or_missing="mean")
    if std is not None and std < 0:
        raise ScoreRowError(f'line {line}: field "std" is negative')
    if mean is not None and std is None:
        raise ScoreRowError(f'line {line}: field "std" must be a number where "mean" is one, not null')
    if cell.given_line or cell.lines:
        first = cell.given_line or min(cell.lines.values())
        what = "mean and std" if cell.given_line else "runs"
        raise ScoreRowError(f'line {line}: field "mean": line {first} gives {what} of {_pair(key)}')
    cell.given_line = line
    if mean is not None and std is not None:
        cell.given = (mean, std)


def _name(line: int, row: Mapping[str, Any], name: str) -> str:
    value = _field(line, row, name)
    if not isinstance(value, str):
        raise ScoreRowError(f'line {line}: field "{name}" must be a string, not {_kind(value)}')
    if not value:
        raise ScoreRowError(f'line {line}: field "{name}" is empty')
    return value


def _source(line: int, row: Mapping[str, Any]) -> str:
    value = row.get("vary")
    if value is None:
        return ""
    if value not in (*SOURCES, GENERATION):
        known = ", ".join((*SOURCES, GENERATION))
        raise ScoreRowError(f'line {line}: field "vary" must be one of {known}, or null')
    return str(value)


def _run(line: int, row: Mapping[str, Any]) -> int:
    value = _field(line, row, "run")
    if isinstance(value, float) and value.is_integer():  # as tables with gaps write integers
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        kind = "a fraction" if isinstance(value, float) else _kind(value)
        raise ScoreRowError(f'line {line}: field "run" must be a whole number, not {kind}')
    if not 0 <= value <= MOST_RUN:
        raise ScoreRowError(f'line {line}: field "run" must be from 0 to 2**53')
    return value


def _number(line: int, row: Mapping[str, Any], name: str, or_missing: str = "") -> float | None:
    """Return a finite number, or None for null. or_missing: if that field is null, this one may be missing."""
    value = row.get(name) if or_missing and row.get(or_missing) is None else _field(line, row, name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ScoreRowError(f'line {line}: field "{name}" must be a number or null, not {_kind(value)}')
    if isinstance(value, float) and not math.isfinite(value):
        raise ScoreRowError(f'line {line}: field "{name}" is not finite')
    if abs(value) > LARGEST:
        raise ScoreRowError(f'line {line}: field "{name}" is beyond {LARGEST:g}')
    return float(value)


def _field(line: int, row: Mapping[str, Any], name: str) -> Any:
    if name not in row:
        raise ScoreRowError(f'line {line}: field "{name}" is missing')
    return row[name]


def _kind(value: object) -> str:
    return KINDS.get(type(value), type(value).__name__)


def _pair(key: Key) -> str:
    """Return the name of a model on a data set, for people."""
    model, dataset, source = key
    varied = f", {source} varied" if source else ""
    return f"{_quoted(model)} on {_quoted(dataset)}{varied}"


def _quoted(name: str) -> str:
    return json.dumps(name if len(name) <= 80 else name[:80] + "…")
