"""The items of a log, one a row: repeats of an item are averaged, rows that contradict each other are left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.logs.log import Floats, Log

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Items:
    """One item a row, in the order of its first row in the log.

    names: what people know an item by: its id, or "row N" or "position N". ids, contents, prompts, clusters,
        beginnings: as in `Log`. scores: by metric, the mean over an item's repeats that have a value; NaN if none has.
    repeats: the most rows that any item has. written_twice: rows that say the same again, which count once.
    contradictory: names of the items left out because two rows of one repeat have different scores or prompts.
    """

    log: Log
    names: Sequence[str]
    ids: Sequence[str] | None
    contents: Sequence[str] | None
    prompts: Sequence[str] | None
    clusters: Sequence[str] | None
    scores: dict[str, Floats]
    truncated: NDArray[np.bool_] | None
    repeats: int = 1
    written_twice: int = 0
    contradictory: Sequence[str] = ()
    beginnings: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def seed_free_order(self) -> Sequence[str]:
        """Return a text for each item by which items can be ordered whatever the order of the log's rows."""
        columns = [column for column in (self.ids, self.prompts, self.contents) if column is not None]
        return ["\x1f".join(each) for each in zip(*columns, strict=True)] if columns else self.names


def items_of(log: Log) -> Items:
    """Group the rows of a log into items.

    Rows belong to one item if they have the same id; in a log without ids, the same position; without either, each row
    is an item.
    """
    names = row_names(log)
    if log.repeats is None and len(set(names)) == len(names):
        every = np.arange(len(names))
        return _take(log, names, every, {metric: np.asarray(values) for metric, values in log.scores.items()})
    rows_by_name: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(names):
        rows_by_name[name].append(row)
    kept: list[list[int]] = []
    contradictory, written_twice = [], 0
    for name, rows in rows_by_name.items():
        distinct = _distinct(log, rows)
        if distinct is None:
            contradictory.append(name)
            continue
        written_twice += len(rows) - len(distinct)
        kept.append(distinct)
    first = np.array([rows[0] for rows in kept], dtype=np.intp)
    scores = {metric: _means(np.asarray(values), kept) for metric, values in log.scores.items()}
    most = max((len(rows) for rows in kept), default=1)
    return _take(log, names, first, scores, most, written_twice, contradictory)


def row_names(log: Log) -> Sequence[str]:
    """Return what identifies the item of each row within its log."""
    if log.ids is not None:
        return log.ids
    if log.positions is not None:
        return [f"position {position}" for position in log.positions]
    return [f"row {row}" for row in range(1, len(log) + 1)]


def _distinct(log: Log, rows: list[int]) -> list[int] | None:
    """Return one row of each repeat; None if two rows of a repeat do not say the same."""
    if len(rows) == 1:
        return rows
    found: dict[str, int] = {}
    # in an order that does not depend on that of the log: the first of them stands for the item
    columns = [column for column in (log.repeats, log.prompts, log.contents, log.clusters) if column is not None]
    for row in sorted(rows, key=lambda row: [column[row] for column in columns]):
        repeat = log.repeats[row] if log.repeats is not None else ""
        if repeat not in found:
            found[repeat] = row
        elif not _same(log, found[repeat], row):
            return None
    return list(found.values())


def _same(log: Log, one: int, other: int) -> bool:
    """Whether two rows have equal scores and prompts."""
    if log.prompts is not None and log.prompts[one] != log.prompts[other]:
        return False
    return all(np.array_equal(values[one], values[other], equal_nan=True) for values in log.scores.values())


def _means(values: Floats, kept: Sequence[Sequence[int]]) -> Floats:
    """Return the mean of each item's rows that have a value."""
    means: Floats = values[[rows[0] for rows in kept]]
    for item, rows in enumerate(kept):
        if len(rows) > 1:
            means[item] = exact_mean(values[rows])
    return means


def exact_mean(values: Floats) -> float:
    """Return the mean of the values that are not NaN, in whatever order they stand; NaN if there are none."""
    scored = values[~np.isnan(values)]
    return fsum(scored) / len(scored) if len(scored) else float("nan")


def _take(
    log: Log,
    names: Sequence[str],
    rows: Rows,
    scores: dict[str, Floats],
    repeats: int = 1,
    written_twice: int = 0,
    contradictory: Sequence[str] = (),
) -> Items:
    """Make the items whose first rows are these."""
    whole = len(rows) == len(names)

    def column(values: Sequence[str] | None) -> Sequence[str] | None:
        return values if values is None or whole else [values[row] for row in rows]

    named = names if whole else [names[row] for row in rows]
    columns = (column(log.ids), column(log.contents), column(log.prompts), column(log.clusters))
    truncated = None if log.truncated is None else np.asarray(log.truncated)[rows]
    return Items(log, named, *columns, scores, truncated, repeats, written_twice, contradictory, column(log.beginnings))
