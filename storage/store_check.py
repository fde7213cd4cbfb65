"""Is a store whole? What the database says of itself, and what must hold between its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from records.response import FINISH_REASONS, KINDS
from storage.errors import ForeignStore
from storage.responses import ResponseStore
from storage.store_rows import OUTCOMES
from storage.store_tables import attempts, failures, responses


@dataclass(frozen=True)
class Checked:
    """Rows that were counted, and what is wrong, in words."""

    answers: int
    failures: int
    attempts: int
    problems: tuple[str, ...]


def check_store(store: ResponseStore) -> Checked:
    """Look at every page (SQLite) and every row. Raises StorageError where the database cannot even be read."""
    try:
        return store.database.read(lambda connection: _checked(connection, store.database.sqlite))
    except ForeignStore as error:
        return Checked(0, 0, 0, (str(error),))


def _checked(connection: sa.Connection, sqlite: bool) -> Checked:
    problems: list[str] = []
    if sqlite:
        lines = connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars().all()
        problems += [f"the database: {line}" for line in lines if line != "ok"]
    numbers = {}
    for table, column, known in (
        (responses, "finish_reason", FINISH_REASONS),
        (failures, "kind", KINDS),
        (attempts, "outcome", OUTCOMES),
    ):
        numbers[table.name] = _number(connection, sa.select(sa.func.count()).select_from(table))
        own = table.c[column]
        bad = sa.select(sa.func.count()).select_from(table)
        if number := _number(connection, bad.where(own.not_in(known))):
            problems.append(f"{number:,} rows of {table.name} with a {column} that is not known")
        if number := _number(connection, bad.where(sa.func.length(table.c.request_key) != 64)):
            problems.append(f"{number:,} rows of {table.name} whose key is no sha256")
    both = sa.select(sa.func.count()).select_from(failures)
    both = both.where(sa.exists().where(responses.c.request_key == failures.c.request_key))
    if number := _number(connection, both):
        problems.append(f"{number:,} requests are both answered and failed")
    return Checked(numbers["responses"], numbers["failures"], numbers["attempts"], tuple(problems))


def _number(connection: sa.Connection, query: sa.Select[Any]) -> int:
    return int(connection.scalar(query) or 0)
