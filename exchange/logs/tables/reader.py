"""Plain tables of scores, an item a row: CSV, JSON Lines, a JSON list, Parquet. Columns: plain/roles.py.

Long tables are read: with a column `model` each model is a log of its own, with a column `task` each task.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.logs.log import Log, ReadOptions, log_error
from scrollwork.exchange.logs.columns import any_or_none, left_out, no_score
from scrollwork.exchange.logs.gather import read_each
from scrollwork.exchange.logs.json_rows import HEAD, first_row, head_of
from scrollwork.exchange.logs.tables.files import Table, csv_header, is_parquet, read_csv, read_json, read_parquet
from scrollwork.exchange.logs.tables.roles import NO_METRIC, WANTED, column_list
from scrollwork.exchange.logs.tables.shards import as_tables, read_table

TOOL = "table"
ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
FIRST_FILES = 50  # of a folder, looked at to know whether it holds tables
MOST_LOGS = 10_000  # of one table
Rows = NDArray[np.intp]
Failures = dict[int, dict[str, str]]


def recognizes(path: Path) -> bool:
    """Return whether a file is a table (Parquet, objects in JSON, or text with columns), or a folder has one."""
    if path.is_dir():
        return any(map(recognizes, islice(tables_in(path), FIRST_FILES)))
    if is_parquet(path):
        return True
    start = head_of(path).lstrip()[:1]
    if start == b"{":
        return bool(first_row(path))
    return start == b"[" or is_csv(path)


def is_csv(path: Path) -> bool:
    """Return whether a text has columns: one named as an id, or as many cells in the second row as in the first."""
    columns, delimiter = csv_header(path)
    if {name.strip().lower() for name in columns} & NO_METRIC:
        return len(columns) > 1
    head = head_of(path)
    try:
        rows = list(islice(csv.reader(io.StringIO(head.decode("utf-8", "ignore")), delimiter=delimiter or ","), 2))
    except csv.Error:
        return False
    return len(columns) > 1 and len(rows) == 2 and (len(rows[1]) == len(columns) or len(head) == HEAD)


def tables_in(folder: Path) -> Iterable[Path]:
    """Return the files of a folder, not of folders below it, whose names end as those of tables."""
    return sorted(one for one in folder.iterdir() if one.suffix.lower() in ENDINGS and one.is_file())


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Return a log for each task and model of a table, or of the tables in a folder. Raises LogError.

    A value that is no finite number (null, empty, NaN, text) is no score: it is named in `failures` and counted in
    `notes`. Rows without an id are left out and counted. Scores keep their scale. A table without a column `model` is
    of one model, named as the file.
    """
    if not path.is_dir():
        return logs_of(path, options)
    tables = {parts[0]: parts for parts in as_tables(tables_in(path))}
    return read_each(tables, lambda first: read_table(tables[first], lambda file: logs_of(file, options)))


def logs_of(path: Path, options: ReadOptions) -> list[Log]:
    """Return the logs of one file."""
    if is_parquet(path):
        table = read_parquet(path, options)
    elif head_of(path).lstrip()[:1] in (b"{", b"["):
        table = read_json(path, options)
    else:
        table = read_csv(path, options)
    roles = table.roles
    if not table.numbers:
        columns = [*roles.texts, *roles.others]
        raise log_error(path, "the columns", f"none holds scores: there are {column_list(columns)}; {WANTED}")
    kept = with_id(table)
    if not len(kept):
        raise log_error(path, "", f"no row has an id in the column {(roles.id or roles.prompt)!r}")
    parts = parts_of(table, kept)
    if len(parts) > MOST_LOGS:
        raise log_error(
            path, "", f"there are more than {MOST_LOGS} pairs of task and model: are they columns of items?"
        )
    bad = failures_of(table, list(parts.values()))
    return [log_of(path, table, key, rows, failures) for (key, rows), failures in zip(parts.items(), bad, strict=True)]


def with_id(table: Table) -> Rows:
    """Return the numbers of the rows that have an id; the others are counted in the table's notes.

    A table without ids needs prompts in their place.
    """
    name = table.roles.id or table.roles.prompt
    labels = table.texts[name]
    if "" in labels:
        gone = [f"row {row + 1}" for row, label in enumerate(labels) if not label]
        table.notes.append(left_out(gone, f"having no value in the column {name!r}"))
    return np.flatnonzero(np.fromiter(map(bool, labels), bool, len(labels)))


def parts_of(table: Table, kept: Rows) -> dict[tuple[str, str], Rows]:
    """Return the rows of each (task, model), in the order of the file."""
    keys = [table.texts[name] for name in (table.roles.task, table.roles.model) if name]
    if not keys:
        return {("", ""): kept}
    numbers: dict[tuple[str, ...], int] = {}
    each = np.fromiter((numbers.setdefault(key, len(numbers)) for key in zip(*keys, strict=True)), np.intp)[kept]
    order = np.argsort(each, kind="stable")
    edges = np.searchsorted(each[order], np.arange(len(numbers) + 1))
    found = {}
    for key, number in numbers.items():
        rows = kept[order[edges[number] : edges[number + 1]]]
        task = key[0] if table.roles.task else ""
        if len(rows):
            found[task, key[-1] if table.roles.model else ""] = rows
    return found


def failures_of(table: Table, parts: Sequence[Rows]) -> list[Failures]:
    """Return for each part why rows have no score: by row of the part, then by metric."""
    length = 1 + max(int(rows[-1]) for rows in parts)
    part, place = np.full(length, -1), np.zeros(length, dtype=np.intp)
    for number, rows in enumerate(parts):
        part[rows], place[rows] = number, np.arange(len(rows))
    found: list[Failures] = [{} for _ in parts]
    for name, column in table.numbers.items():
        for row, why in column.why.items():
            if row < length and part[row] >= 0:
                found[part[row]].setdefault(int(place[row]), {})[name] = why
    return found


def log_of(path: Path, table: Table, key: tuple[str, str], rows: Rows, failures: Failures) -> Log:
    """Return the log of the rows of one task and model. key: these."""
    roles, (task, model) = table.roles, key
    reasons = Counter(one for of_row in failures.values() for one in of_row.items())
    notes = [*table.notes, *(no_score(name, why, count) for (name, why), count in sorted(reasons.items()))]

    def labels(column: str) -> Sequence[str] | None:
        return [table.texts[column][row] for row in rows.tolist()] if column else None

    clusters, prompts = labels(roles.cluster), labels(roles.prompt)
    repeats = [labels(name) or () for name in roles.repeats]
    return Log(
        source=str(path),
        tool=TOOL,
        task=task,
        model=model if roles.model else path.stem,
        scores={name: column.values[rows] for name, column in table.numbers.items()},
        ids=labels(roles.id),
        positions=labels(roles.position),
        prompts=prompts and any_or_none(prompts),
        beginnings=[table.beginnings[row] for row in rows.tolist()] if table.beginnings else None,
        clusters=clusters and any_or_none(clusters),
        repeats=["/".join(each) for each in zip(*repeats, strict=True)] if repeats else None,
        failures={
            row: "; ".join(f"{name}: {why}" for name, why in of_row.items()) for row, of_row in sorted(failures.items())
        },
        notes=notes,
    )
