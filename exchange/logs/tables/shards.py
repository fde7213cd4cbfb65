"""Tables in shards: files named NAME-00000-of-00003.parquet are one table, as `datasets` and Spark write it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from scrollwork.analysis.logs.log import Log, log_error
from scrollwork.analysis.logs.note import some
from scrollwork.exchange.logs.gather import with_notes

SHARD = re.compile(
    r"(?P<name>.+?)[-_.]?(?P<number>\d{1,6})-of-(?P<count>\d{1,6})"
)  # of a file's name, without its ending
COLUMNS = ("ids", "positions", "contents", "repeats")  # of a Log: a value a row, or None
UNKNOWN = ("prompts", "beginnings", "clusters")  # the same; "" where a row does not say


def shard_of(path: Path) -> tuple[str, int, int] | None:
    """Return a shard's (name of the table, number of shards, own number); None for a file of its own."""
    found = SHARD.fullmatch(path.stem)
    if found is None:
        return None
    number, count = int(found["number"]), int(found["count"])
    return (found["name"], count, number) if count > 1 and number <= count else None


def as_tables(files: Iterable[Path]) -> list[list[Path]]:
    """Return the files of each table: a file of its own, or its shards in order."""
    tables: dict[tuple[str, str, int, str], list[tuple[int, Path]]] = {}
    for path in files:
        name, count, number = shard_of(path) or (path.name, 1, 0)
        tables.setdefault((str(path.parent), name, count, path.suffix.lower()), []).append((number, path))
    return [[path for _, path in sorted(parts)] for parts in tables.values()]


def read_table(parts: Sequence[Path], read_one: Callable[[Path], list[Log]]) -> list[Log]:
    """Return the logs of a table's files. read_one: the logs of one file. Raises LogError, also if shards have other
    columns than the first; shards that are not here are a note."""
    first = shard_of(parts[0])
    if first is None:
        return read_one(parts[0])
    name, count, _ = first
    found: dict[tuple[str, str], list[Log]] = {}
    for path in parts:
        for log in read_one(path):
            model = name if log.model == path.stem else log.model  # a table without the column is named as its file
            found.setdefault((log.task, model), []).append(replace(log, model=model))
    numbers = {shard[2] for path in parts if (shard := shard_of(path))}
    expected = range(1, count + 1) if count in numbers else range(count)  # counted from 1, or from 0
    gone = [f"{number:05d}" for number in expected if number not in numbers]
    which = f"{len(gone)} of {count} shards of {name!r} are not here: {some(gone)}"
    return with_notes(map(joined, found.values()), [which] if gone else [])


def joined(shards: Sequence[Log]) -> Log:
    """Return the shards of one model and task as one log, in order. Raises LogError if one has other columns."""
    first = shards[0]
    for other in shards[1:]:
        if columns_of(other) != columns_of(first):
            lacks = sorted(columns_of(first) ^ columns_of(other))
            raise log_error(other.source, "the columns", f"are not those of {first.source}: {', '.join(lacks)}")
    starts = np.cumsum([0, *map(len, shards)])
    columns: dict[str, Any] = {
        name: [value for one in shards for value in getattr(one, name) or [""] * len(one)]
        for name in (*COLUMNS, *UNKNOWN)
        if any(getattr(one, name) is not None for one in shards)
    }
    return replace(
        first,
        source=f"{first.source} and {len(shards) - 1} more",
        scores={name: np.concatenate([one.scores[name] for one in shards]) for name in first.scores},
        failures={
            int(start) + row: why
            for start, one in zip(starts, shards, strict=False)
            for row, why in one.failures.items()
        },
        notes=[note for one in shards for note in one.notes],
        **columns,
    )


def columns_of(log: Log) -> set[str]:
    """Return the names of a log's columns, metrics included."""
    return {name for name in COLUMNS if getattr(log, name) is not None} | set(log.scores)
